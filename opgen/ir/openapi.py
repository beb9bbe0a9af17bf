"""OpenAPI v3 documents of group versions, as a cluster serves them, to the same `Api` that CRDs give.

The schemas of such documents are shared definitions with Go type names (`io.k8s.api.core.v1.PodSpec`). Each becomes a
class of its group and version (`PodSpec` of core/v1), which the others import. Everything in
`io.k8s.apimachinery` that `opgen.meta` has is taken from there.

Of the defaults only real ones are taken: the documents give every Go field its zero value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from opgen.crd import OpenApiDocument
from opgen.ir import naming
from opgen.ir.build import EVERY_OBJECT, objects_of, root_order
from opgen.ir.schema import Path, Reader, Schema, default_of, nullable, rules_of
from opgen.ir.types import (
    Api,
    Field,
    GroupVersion,
    Kind,
    MapOf,
    Object,
    Ref,
    Scalar,
    Type,
    mapped,
)

__all__ = ["build_documents"]

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_META_CLASSES = frozenset(
    "Condition LabelSelector LabelSelectorRequirement ListMeta ManagedFieldsEntry ObjectMeta OwnerReference "
    "Status StatusCause StatusDetails".split()
)
_SCALARS: Mapping[str, Type] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": Scalar("quantity"),
    "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": Scalar("string"),
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": MapOf(Scalar("any")),
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": Scalar("micro-time"),
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": Scalar("date-time"),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": Scalar("any"),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": Scalar("int-or-string"),
}
_DEFINITION = re.compile(
    r"(?:.*\.)?(?P<group>[a-z0-9-]+)\.(?P<version>v[0-9][a-z0-9]*)\.(?P<name>[A-Za-z0-9]+)$"
)
_ZERO: tuple[Any, ...] = ({}, [], "", 0, False)


def build_documents(documents: Iterable[OpenApiDocument]) -> Api:
    """Return the API of OpenAPI documents, which import from each other what they share.

    Pure; the order of the documents doesn't matter. A definition that refers to itself becomes free-form JSON there.
    """
    return Api(
        _Definitions(sorted(documents, key=lambda one: (one.group, one.version))).group_versions()
    )


class _Definitions:
    def __init__(self, documents: Sequence[OpenApiDocument]) -> None:
        self._documents = documents
        there = {(document.group, document.version) for document in documents}
        self._schemas: dict[str, Schema] = {}
        self._home: dict[str, tuple[str, str]] = {}
        for document in documents:
            for name, schema in document.raw["components"]["schemas"].items():
                self._schemas.setdefault(name, schema)
                home = _home(name, document)
                self._home.setdefault(
                    name, home if home in there else (document.group, document.version)
                )
        self._objects: dict[str, Object] = {}
        self._open: list[str] = []
        self._order: dict[tuple[str, str], list[str]] = {}

    def group_versions(self) -> tuple[GroupVersion, ...]:
        found = []
        for document in self._documents:
            kinds = dict(self._kinds(document))
            for name, kind in kinds.items():
                if kind.module:
                    kinds[name] = replace(
                        kind, objects=objects_of(kind, self._schemas[name], None, self._refer)
                    )
                else:
                    self._visit(name)
            found.append((document, kinds))
        out = []
        for document, kinds in found:
            home = (document.group, document.version)
            shared = tuple(
                self._local(name, home) for name in self._order.get(home, ()) if name not in kinds
            )
            whole = tuple(
                kind if kind.module else replace(kind, objects=(self._local(name, home),))
                for name, kind in kinds.items()
            )
            folder = (
                naming.group_package(document.group),
                naming.version_package(document.version),
            )
            if whole:
                out.append(GroupVersion(document.group, document.version, folder, whole, shared))
        return tuple(out)

    def _kinds(self, document: OpenApiDocument) -> list[tuple[str, Kind]]:
        """Return the kinds of a document that have a path of their own, by definition name, sorted."""
        plurals, scoped, verbs = _paths(document)
        out = []
        for name, schema in document.raw["components"]["schemas"].items():
            for gvk in schema.get("x-kubernetes-group-version-kind") or ():
                kind = gvk.get("kind", "")
                if (gvk.get("group", ""), gvk.get("version")) != (document.group, document.version):
                    continue
                if kind not in plurals or "metadata" not in (schema.get("properties") or {}):
                    continue
                out.append(
                    (
                        name,
                        Kind(
                            kind=kind,
                            name=naming.kind_class(kind),
                            module=naming.module_name(kind) if _is_custom(schema) else "",
                            group=document.group,
                            version=document.version,
                            plural=plurals[kind],
                            singular=kind.lower(),
                            list_kind=kind + "List",
                            scope="Namespaced" if kind in scoped else "Cluster",
                            source=document.source,
                            has_status=f"{plurals[kind]}/status" in verbs,
                            has_scale=f"{plurals[kind]}/scale" in verbs,
                        ),
                    )
                )
        return sorted(out, key=lambda one: one[1].kind)

    def _refer(self, name: str) -> Type:
        """Return the type of a reference; a definition without fields is what it says, in place."""
        if name in _SCALARS:
            return _SCALARS[name]
        if name.startswith(_META) and name[len(_META) :] in _META_CLASSES:
            return Ref(name[len(_META) :], "opgen.meta")
        schema = self._schemas.get(name)
        if schema is None or name in self._open:
            return Scalar("any")
        if schema.get("type") != "object" or isinstance(
            schema.get("additionalProperties"), Mapping
        ):
            return Reader(self._inline, self._refer).read(schema, (name,))
        self._visit(name)
        return Ref(name)

    def _visit(self, name: str) -> None:
        if name in self._objects:
            return
        self._open.append(name)
        schema = self._schemas[name]
        properties = schema.get("properties") or {}
        reader = Reader(self._inline, self._refer)
        root = bool(schema.get("x-kubernetes-group-version-kind")) and "metadata" in properties
        wires = sorted(properties, key=root_order)
        wires = [wire for wire in wires if not (root and wire in EVERY_OBJECT)]
        attributes = naming.attribute_names(wires)
        required = frozenset(schema.get("required") or ())
        fields = []
        for wire in wires:
            node = {
                key: value
                for key, value in properties[wire].items()
                if key != "x-kubernetes-list-type"
            }
            if node.get("default") in _ZERO:
                node.pop("default", None)
            type_ = reader.read(node, (name, wire))
            default = default_of(node, type_)
            needed = wire in required and default is None
            fields.append(Field(wire, attributes[wire], type_, needed, nullable(node), default))
        self._open.pop()
        self._objects[name] = Object(
            name=_short(name),
            path="",
            base="Object" if root else "Model",
            doc=f"{_short(name)} of {'/'.join(filter(None, self._home[name]))}.",
            fields=tuple(fields),
            rules=rules_of(schema),
        )
        self._order.setdefault(self._home[name], []).append(name)

    def _inline(self, path: Path, schema: Schema | None) -> str:
        """Return the name of an enum; shared definitions have no objects in place."""
        return "".join(part[:1].upper() + part[1:] for part in (_short(path[0]), *path[1:]))

    def _local(self, name: str, home: tuple[str, str]) -> Object:
        item = self._objects[name]
        fields = tuple(replace(field, type=self._placed(field.type, home)) for field in item.fields)
        return replace(item, fields=fields)

    def _placed(self, type_: Type, home: tuple[str, str]) -> Type:
        """Return a type whose references are class names, with the module where that is another one."""

        def placed(leaf: Type) -> Type:
            if not isinstance(leaf, Ref) or leaf.module or leaf.name not in self._home:
                return leaf
            group, version = self._home[leaf.name]
            module = f"..{naming.group_package(group)}.{naming.version_package(version)}"
            return Ref(_short(leaf.name), "" if (group, version) == home else module)

        return mapped(type_, placed)


def _is_custom(schema: Schema) -> bool:
    """Return whether a definition came from a CRD: its objects stand in place instead of being referred to."""
    return any(
        isinstance(node, Mapping) and isinstance(node.get("properties"), Mapping)
        for node in schema["properties"].values()
    )


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _home(name: str, document: OpenApiDocument) -> tuple[str, str]:
    """Return the group and version whose module a definition belongs to; the document's own if its name tells none."""
    match = _DEFINITION.match(name)
    if match and match["group"] == "core" and not name.startswith("io.k8s.apimachinery."):
        return "", match["version"]
    return document.group, document.version


def _paths(document: OpenApiDocument) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Return the plural of each kind, the kinds that are namespaced, and all `plural/subresource` there are."""
    plurals: dict[str, str] = {}
    scoped: set[str] = set()
    subresources: set[str] = set()
    for path, item in document.raw.get("paths", {}).items():
        base, named, rest = path.partition("/{name}")
        plural = base.rsplit("/", 1)[-1]
        if rest:
            subresources.add(plural + rest)
            continue
        operation = item.get("get" if named else "post") or {}
        gvk = operation.get("x-kubernetes-group-version-kind") or {}
        if "/watch/" not in path and gvk.get("kind"):
            plurals[gvk["kind"]] = plural
            if "/namespaces/{namespace}/" in path:
                scoped.add(gvk["kind"])
    return plurals, frozenset(scoped), frozenset(subresources)
