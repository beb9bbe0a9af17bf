"""CRDs to the `Api` they describe: one pass over each schema, one order, names from paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from opgen.crd import Crd, CrdVersion
from opgen.errors import NamingError
from opgen.ir import naming
from opgen.ir.schema import (
    Path,
    Reader,
    Schema,
    default_of,
    is_embedded,
    nullable,
    rules_of,
    validations_of,
)
from opgen.ir.types import (
    Api,
    Enum,
    Field,
    GroupVersion,
    Kind,
    Object,
    Ref,
    Type,
    mapped,
)

__all__ = [
    "assemble",
    "build",
    "build_kind",
    "EVERY_OBJECT",
    "objects_of",
    "Renames",
    "root_order",
]

Renames = Mapping[str, str]
"""`Class.property` (class name, wire name) to the attribute the user wants; from `[models.rename]` of opgen.toml."""

EVERY_OBJECT = ("apiVersion", "kind", "metadata")
"""The properties that the base class of every object has."""

_ROOT_FIRST = (*EVERY_OBJECT, "spec", "status")

_NOTHING = Api(())


def build(crds: Iterable[Crd], renames: Renames | None = None) -> Api:
    """Return the API that `crds` describe, every version with its own kinds.

    Pure: equal CRDs give equal APIs, in whatever order they come. Raises NamingError (OPG201) where two groups or
    versions would share a folder, or two kinds of one group a module.
    """
    kinds: dict[tuple[str, str], list[Kind]] = {}
    for crd in sorted(crds, key=lambda crd: (crd.group, crd.kind, crd.source)):
        for version in crd.versions:
            kinds.setdefault((crd.group, version.name), []).append(
                build_kind(crd, version, renames)
            )
    return assemble(kinds)


def assemble(kinds: Mapping[tuple[str, str], list[Kind]], more: Api = _NOTHING) -> Api:
    """Return the API of kinds that were built one by one, with the group versions of `more`; raises as `build`."""
    group_versions = list(more.group_versions)
    folders = {gv.package: (gv.group, gv.version) for gv in group_versions}
    for (group, version), members in sorted(kinds.items()):
        package = (naming.group_package(group), naming.version_package(version))
        if (other := folders.setdefault(package, (group, version))) != (group, version):
            raise NamingError(
                "OPG201",
                f'"{group}/{version}" and "{"/".join(other)}" would both go to the folder "{"/".join(package)}"',
                hint="generate them into two packages",
            )
        modules = dict[str, Kind]()
        for kind in sorted(members, key=lambda kind: kind.kind):
            if (twin := modules.setdefault(kind.module, kind)) is not kind:
                raise NamingError(
                    "OPG201",
                    f'kinds "{twin.kind}" and "{kind.kind}" of "{group}/{version}" would both go to '
                    f'the module "{kind.module}"',
                    hint="generate them into two packages",
                )
        group_versions.append(GroupVersion(group, version, package, tuple(modules.values())))
    return Api(tuple(sorted(group_versions, key=lambda gv: (gv.group, gv.version))))


def build_kind(crd: Crd, version: CrdVersion, renames: Renames | None = None) -> Kind:
    """Return one version of one CRD; pure, and independent of every other kind."""
    name = naming.kind_class(crd.kind)
    kind = Kind(
        kind=crd.kind,
        name=name,
        module=naming.module_name(crd.kind),
        group=crd.group,
        version=version.name,
        plural=crd.plural,
        singular=crd.singular,
        list_kind=crd.list_kind,
        scope=crd.scope,
        source=crd.source,
        short_names=crd.short_names,
        categories=crd.categories,
        served=version.served,
        storage=version.storage,
        deprecated=version.deprecated,
        deprecation_warning=version.deprecation_warning or "",
        has_status=version.has_status,
        has_scale=version.scale is not None,
    )
    return replace(kind, objects=objects_of(kind, version.schema, renames))


def objects_of(
    kind: Kind,
    schema: Schema | None,
    renames: Renames | None = None,
    refer: Callable[[str], Type] | None = None,
) -> tuple[Object, ...]:
    """Return the objects of a kind's schema, the kind itself last; `refer` says what a `$ref` in it is."""
    return _Objects(kind, renames or {}, refer).of(schema)


def root_order(wire: str) -> tuple[int, str]:
    """Return what to sort the properties of a kind's root by."""
    place = _ROOT_FIRST.index(wire) if wire in _ROOT_FIRST else len(_ROOT_FIRST)
    return place, wire


class _Objects:
    """Collects the objects of one schema, then names, merges and orders them."""

    def __init__(self, kind: Kind, renames: Renames, refer: Callable[[str], Type] | None) -> None:
        self._kind = kind
        self._renames = renames
        self._reader = Reader(self._found, refer)
        self._paths: list[Path] = []
        self._schemas: dict[Path, Schema] = {}
        self._members: dict[Path, list[tuple[str, Schema, Type]]] = {}

    def of(self, schema: Schema | None) -> tuple[Object, ...]:
        root = (self._kind.name,)
        self._found(root, schema or {})
        self._members[root].sort(key=lambda member: root_order(member[0]))
        taken = (self._kind.list_name, self._kind.client_name)
        by_path = naming.class_names(self._paths, taken)
        names = [by_path[path] for path in self._paths]
        objects = [
            self._object(path, by_path[path], names) for path in self._schemas if path != root
        ]
        objects.append(self._root(root, names))
        return _merged(objects)

    def _found(self, path: Path, schema: Schema | None) -> str:
        """Note a path that needs a name, and walk into its object; return what stands for the name until all are known.

        One function, since a schema may be 200 levels deep and each frame a level counts.
        """
        mark = str(len(self._paths))
        self._paths.append(path)
        if schema is None:
            return mark
        given = schema.get("properties")
        properties: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        skip = EVERY_OBJECT if len(path) == 1 or is_embedded(schema) else ()
        members: list[tuple[str, Schema, Type]] = []
        for wire in sorted(properties):
            if wire not in skip:
                node = properties[wire] if isinstance(properties[wire], Mapping) else {}
                members.append((wire, node, self._reader.read(node, (*path, wire))))
        self._members[path] = members
        self._schemas[path] = schema
        return mark

    def _object(self, path: Path, name: str, names: Sequence[str]) -> Object:
        schema = self._schemas[path]
        embedded = is_embedded(schema)
        members = self._members[path]
        required = _names(schema.get("required"))
        return Object(
            name=name,
            path=".".join(("", *path[1:])),
            base="EmbeddedResource" if embedded else "Model",
            doc=_doc(schema),
            fields=self._fields(name, members, required, names),
            open=_is_open(schema),
            rules=_object_rules(
                schema, {wire for wire, _, _ in members} | set(EVERY_OBJECT if embedded else ())
            ),
            validations=_validations(schema, members),
        )

    def _root(self, root: Path, names: Sequence[str]) -> Object:
        schema = self._schemas[root]
        members = self._members[root]
        rules = dict(
            _object_rules(schema, {wire for wire, _, _ in members} | set(EVERY_OBJECT)) or {}
        )
        if metadata := _metadata_rules(schema):
            rules["properties"] = {"metadata": metadata}
        return Object(
            name=names[0],
            path="",
            base="Object",
            doc=_doc(schema),
            fields=self._fields(names[0], members, _names(schema.get("required")), names),
            open=_is_open(schema) or not self._schemas[root],
            rules=rules or None,
            validations=_validations(schema, members),
        )

    def _fields(
        self,
        owner: str,
        members: list[tuple[str, Schema, Type]],
        required: frozenset[str],
        names: Sequence[str],
    ) -> tuple[Field, ...]:
        prefix = owner + "."
        own = {
            key[len(prefix) :]: name
            for key, name in self._renames.items()
            if key.startswith(prefix)
        }
        wires = [wire for wire, _, _ in members]
        attributes = naming.attribute_names(
            wires, {wire: own[wire] for wire in wires if wire in own}
        )
        fields = []
        for wire, schema, type_ in members:
            default = default_of(schema, type_)
            fields.append(
                Field(
                    wire=wire,
                    name=attributes[wire],
                    type=_named(type_, names),
                    required=wire in required and default is None,
                    nullable=nullable(schema),
                    default=default,
                    doc=_doc(schema),
                )
            )
        return tuple(fields)


def _named(type_: Type, names: Sequence[str]) -> Type:
    """Return a type with the marks that its refs and enums hold replaced by names."""

    def named(leaf: Type) -> Type:
        if isinstance(leaf, Enum) or (isinstance(leaf, Ref) and not leaf.module):
            return replace(leaf, name=names[int(leaf.name)])
        return leaf

    return mapped(type_, named)


def _merged(objects: list[Object]) -> tuple[Object, ...]:
    """Return the objects with each that equals an earlier one turned into another name of it.

    The pod template stands in many CRDs four times over; its copies are one class with four names, so that code
    which uses any of the names goes on working when the copies grow apart.
    """
    known: dict[Any, str] = {}
    first: dict[str, str] = {}
    out = []
    for item in objects:
        fields = tuple(replace(field, type=_same(field.type, first)) for field in item.fields)
        key = repr((item.base, item.open, item.rules, item.validations, fields))
        same = known.setdefault(key, item.name)
        first[item.name] = same
        if same == item.name or item.base == "Object":
            out.append(item)
        else:
            out.append(Object(item.name, item.path, item.base, same_as=same))
    return tuple(out)


def _same(type_: Type, first: Mapping[str, str]) -> Type:
    """Return a type as it counts for equality: refs by the object they come to, enums without their names."""

    def same(leaf: Type) -> Type:
        if isinstance(leaf, Enum):
            return replace(leaf, name="")
        if isinstance(leaf, Ref) and not leaf.module:
            return replace(leaf, name=first[leaf.name])
        return leaf

    return mapped(type_, same)


def _doc(schema: Schema) -> str:
    text = schema.get("description")
    return text.strip() if isinstance(text, str) else ""


def _names(value: Any) -> frozenset[str]:
    return (
        frozenset(name for name in value if isinstance(name, str))
        if isinstance(value, list)
        else frozenset()
    )


def _is_open(schema: Schema) -> bool:
    return (
        schema.get("x-kubernetes-preserve-unknown-fields") is True
        or schema.get("additionalProperties") is True
        or isinstance(schema.get("additionalProperties"), Mapping)
    )


def _object_rules(schema: Schema, known: Iterable[str]) -> Mapping[str, Any] | None:
    """Return what an object's class has to check itself, required names that are no properties among it."""
    rules = dict(rules_of(schema, "minProperties", "maxProperties", "enum") or {})
    if extra := sorted(_names(schema.get("required")) - set(known)):
        rules["required"] = extra
    return rules or None


def _metadata_rules(schema: Schema) -> Mapping[str, Any] | None:
    """Return what a root schema says of metadata, where only name and generateName may be restricted."""
    properties = schema.get("properties")
    metadata = properties.get("metadata") if isinstance(properties, Mapping) else None
    if not isinstance(metadata, Mapping):
        return None
    rules = dict(rules_of(metadata) or {})
    inner = metadata.get("properties")
    checks = {
        name: {
            key: value for key, value in inner[name].items() if key not in ("type", "description")
        }
        for name in ("name", "generateName")
        if isinstance(inner, Mapping) and isinstance(inner.get(name), Mapping)
    }
    if checks := {name: check for name, check in checks.items() if check}:
        rules["properties"] = checks
    return rules or None


def _validations(schema: Schema, members: list[tuple[str, Schema, Type]]) -> tuple[Any, ...]:
    own = validations_of(schema)
    return own + tuple(rule for wire, node, _ in members for rule in validations_of(node, wire))
