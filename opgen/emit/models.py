"""The module of one kind: its models, list and typed client, by datamodel-code-generator's model classes.

datamodel-code-generator is used at the layer of its `DataModel` and field classes with a template of ours. Its parser
would number most nested classes and costs about 0.8 ms CPU a property; from an `Api`, which already knows each name and
type, a class of six fields renders in 0.3 ms in all (benchmarks/generate.py has the ratio).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from datamodel_code_generator.model.pydantic_v2 import BaseModel, DataModelField
from datamodel_code_generator.reference import Reference
from datamodel_code_generator.types import DataType

from opgen import DATA
from opgen.emit.annotations import Names, Writer
from opgen.emit.format import statement
from opgen.emit.text import LINE_LENGTH, comment, docstring, header, literal, string
from opgen.ir.types import (
    Enum,
    Field,
    GroupVersion,
    Kind,
    ListOf,
    MapOf,
    Nullable,
    Object,
    Ref,
    Rule,
    Scalar,
    Type,
)

__all__ = ["import_lines", "kind_module", "name_list", "shared_module"]

_TEMPLATES = DATA / "templates" / "code" / "models"
_RULE_TEXTS = ("message", "message_expression", "reason", "field_path")


def kind_module(kind: Kind) -> str:
    """Return the text of the module of one kind; pure, black-stable."""
    doc = f"{comment(kind.kind)} of {comment(kind.api_version)}: models, list and typed client."
    *nested, root = kind.objects
    return _module(kind.source, doc, [(item, None) for item in nested] + [(root, kind)], kind.kind)


def shared_module(gv: GroupVersion) -> str:
    """Return the text of the one module of a group and version whose kinds share their objects."""
    doc = f"{comment(gv.api_version)}: models, lists and typed clients."
    members = [(item, None) for item in gv.shared] + [(kind.objects[-1], kind) for kind in gv.kinds]
    return _module(gv.kinds[0].source, doc, members, gv.api_version)


def _module(
    source: str, doc: str, members: Sequence[tuple[Object, Kind | None]], owner: str
) -> str:
    """Return a module of objects; what comes with a kind is the kind itself, and gets a list and a client."""
    own = {item.name for item, _ in members}
    own.update(enum.name for item, _ in members for enum in _enums(item))
    own.update(name for _, kind in members if kind for name in (kind.list_name, kind.client_name))
    names = Names(frozenset(own))
    writer = Writer(names)
    blocks: list[str] = []
    public: list[str] = []
    for item, kind in members:
        public.append(item.name)
        if item.same_as:
            blocks.append(statement(f"{item.name} = {item.same_as}"))
            continue
        known = len(writer.aliases)
        text = _model(item, kind, owner, names, writer)
        for name in list(writer.aliases)[known:]:
            blocks.append(statement(f"{name} = {writer.aliases[name]}"))
            public.append(name)
        blocks.append(text)
        if kind:
            blocks += [_list_model(kind, names), _client(kind, names)]
            public += [kind.list_name, kind.client_name]
    return (
        f'{header(source)}\n"""{doc}"""\n\n{import_lines(names.imports())}\n\n{name_list(public)}\n\n\n'
        f"{_spaced(blocks)}\n"
    )


def _spaced(blocks: Iterable[str]) -> str:
    """Join top-level blocks as black spaces them: two lines around a class, none between assignments."""
    out, before = "", ""
    for block in blocks:
        if before:
            out += "\n" if not _is_class(before) and not _is_class(block) else "\n\n\n"
        out += block
        before = block
    return out


def _is_class(block: str) -> bool:
    return block.startswith("class ")


def import_lines(imports: dict[str, list[str]]) -> str:
    """Return the import statements: standard library, other packages, the package itself, each group apart."""
    groups = [
        [module for module in imports if module == "typing"],
        [module for module in imports if module != "typing" and not module.startswith(".")],
        [module for module in imports if module.startswith(".")],
    ]
    return "\n\n".join(
        "\n".join(_import(m, imports[m]) for m in group) for group in groups if group
    )


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= LINE_LENGTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def name_list(public: Iterable[str]) -> str:
    """Return the `__all__` statement."""
    names = sorted(set(public), key=lambda name: (name.casefold(), name))
    line = f"__all__ = [{', '.join(map(string, names))}]"
    if len(line) <= LINE_LENGTH:
        return line
    return "\n".join(["__all__ = [", *(f"    {string(name)}," for name in names), "]"])


def _enums(item: Object) -> list[Enum]:
    def inner(type_: Type) -> list[Enum]:
        match type_:
            case Enum():
                return [type_]
            case ListOf(item=below) | MapOf(value=below) | Nullable(of=below):
                return inner(below)
        return []

    return [enum for field in item.fields for enum in inner(field.type)]


def _render(
    name: str,
    base: str,
    doc: str,
    statements: list[str],
    fields: list[tuple[str, str, str, str]],
    bodies: list[str],
) -> str:
    """Return one class; `fields` are (name, annotation, right-hand side, documentation)."""
    data: dict[str, Any] = {
        "documentation": docstring(doc),
        "statements": statements,
        "bodies": bodies,
        "docs": {field: docstring(text) if text else "" for field, _, _, text in fields},
        "lines": {
            field: _field_line(field, annotation, value) for field, annotation, value, _ in fields
        },
    }
    model = BaseModel(
        reference=Reference(path=name, name=name, original_name=name),
        fields=[
            DataModelField(name=field, data_type=DataType(type=annotation), required=not value)
            for field, annotation, value, _ in fields
        ],
        custom_base_class=f"opgen.meta.{base}",
        custom_template_dir=_TEMPLATES,
        extra_template_data=defaultdict(dict, {name: data}),
    )
    text = model.render()
    head, _, rest = text.partition("\n")
    if len(head) > LINE_LENGTH:
        head = f"class {name}(\n    {base}\n):"
    return f"{head}\n{rest}".rstrip()


def _field_line(name: str, annotation: str, value: str) -> str:
    return statement(f"{name}: {annotation} = {value}" if value else f"{name}: {annotation}", 4)


def _model(item: Object, kind: Kind | None, owner: str, names: Names, writer: Writer) -> str:
    statements = [_resource(kind, names)] if kind else []
    statements += _facts(item, names)
    fields = _head_fields(kind, names) if kind else []
    fields += [(field.name, *writer.field(field), field.doc) for field in item.fields]
    bodies = [_check(names)] if item.rules else []
    bodies.append(_deepcopy(item, names))
    doc = item.doc or (f"`{item.path}` of {owner}." if item.path else f"{owner}.")
    return _render(item.name, names(item.base), doc, statements, fields, bodies)


def _head_fields(
    kind: Kind, names: Names, meta: str = "ObjectMeta", name: str = ""
) -> list[tuple[str, str, str, str]]:
    api_version = string(kind.api_version)
    label = string(name or kind.kind)
    made = names(meta)
    return [
        ("api_version", f"{names('Literal')}[{api_version}]", api_version, ""),
        ("kind", f"{names('Literal')}[{label}]", label, ""),
        ("metadata", made, f"{names('Field')}(default_factory={made})", ""),
    ]


def _resource(kind: Kind, names: Names) -> str:
    arguments: dict[str, Any] = {
        "group": kind.group,
        "version": kind.version,
        "kind": kind.kind,
        "plural": kind.plural,
        "singular": kind.singular,
        "list_kind": kind.list_kind,
        "namespaced": kind.scope == "Namespaced",
        "status": kind.has_status,
        "scale": kind.has_scale,
    }
    if kind.short_names:
        arguments["short_names"] = kind.short_names
    if kind.categories:
        arguments["categories"] = kind.categories
    inside = "".join(f"        {key}={literal(value)},\n" for key, value in arguments.items())
    return f"RESOURCE = {names('Resource')}(\n{inside}    )"


def _facts(item: Object, names: Names) -> list[str]:
    """Return the class-level statements: openness, list-map keys, sets, rules, CEL."""
    out = []
    if item.open and item.base != "EmbeddedResource":
        out.append(f'model_config = {names("ConfigDict")}(extra="allow")')
    maps = {f.wire: f.type.keys for f in item.fields if isinstance(f.type, ListOf) and f.type.keys}
    sets = [f.wire for f in item.fields if isinstance(f.type, ListOf) and f.type.list_type == "set"]
    if maps:
        out.append(statement(f"LIST_MAP_KEYS = {literal(maps)}", 4))
    if sets:
        out.append(statement(f"LIST_SETS = frozenset({literal(sets)})", 4))
    if item.rules:
        out.append(statement(f"RULES = {names('Rules')}({literal(dict(item.rules))})", 4))
    if item.validations:
        entries = ", ".join(_validation(rule, names) for rule in item.validations)
        comma = "," if len(item.validations) == 1 else ""
        out.append(statement(f"VALIDATIONS = ({entries}{comma})", 4))
    return out


def _validation(rule: Rule, names: Names) -> str:
    arguments = [string(rule.rule)]
    arguments += [f"{key}={string(text)}" for key in _RULE_TEXTS if (text := getattr(rule, key))]
    if rule.optional_old_self:
        arguments.append("optional_old_self=True")
    if rule.field:
        arguments.append(f"field={string(rule.field)}")
    return f"{names('Validation')}({', '.join(arguments)})"


def _check(names: Names) -> str:
    return (
        f"def model_post_init(self, context: {names('Any')}, /) -> None:\n"
        '        """Refuse what the rules of the schema refuse."""\n'
        "        self.RULES.check(self)"
    )


def _copied(type_: Type, value: str, names: Names) -> str:
    """Return the expression that deep-copies `value`, empty where its type can't change."""
    match type_:
        case Scalar("any"):
            return f"{names('copy_json')}({value})"
        case Ref():
            return f"{value}.deepcopy()"
        case Nullable(of):
            inner = _copied(of, value, names)
            return f"None if {value} is None else {inner}" if inner else ""
        case ListOf(item):
            inner = _copied(item, "item", names)
            return f"[{inner} for item in {value}]" if inner else f"{value}.copy()"
        case MapOf(of):
            inner = _copied(of.of if isinstance(of, Nullable) else of, "item", names)
            if not inner:
                return f"{value}.copy()"
            if of != Scalar("any"):  # decoding keeps a null that the API server would drop
                inner = f"None if item is None else {inner}"
            return f"{{key: {inner} for key, item in {value}.items()}}"
    return ""


def _deepcopy(item: Object, names: Names) -> str:
    mutable: list[tuple[Field, str]] = [
        (field, _copied(field.type, "value", names)) for field in item.fields
    ]
    mutable = [(field, text) for field, text in mutable if text]
    lines = _copy_head(names)
    if not mutable and item.base == "Model":
        return "\n    ".join([*lines, f"    return {names('begin_copy')}(self)[0]"])
    lines.append(f"    new, values = {names('begin_copy')}(self)")
    if item.base != "Model":
        lines.append('    values["metadata"] = values["metadata"].deepcopy()')
    for field, text in mutable:
        key = string(field.name)
        if field.type == Scalar("any"):
            lines += _lines(f"values[{key}] = {_copied(field.type, f'values[{key}]', names)}", 8)
        else:
            lines += _if_given(key)
            lines += _lines(f"values[{key}] = {text}", 12)
    return "\n    ".join([*lines, "    return new"])


def _copy_head(names: Names) -> list[str]:
    return [
        f"def deepcopy(self) -> {names('Self')}:",
        '    """Return a copy that shares no mutable value with this one."""',
    ]


def _if_given(key: str) -> list[str]:
    """Return the head of the branch for a field that isn't None, split as black splits it where it is long."""
    line = f"    if (value := values[{key}]) is not None:"
    if len(line) + 4 <= LINE_LENGTH:
        return [line]
    binding = [f"        value := values[{key}]"]
    if len(binding[0]) + 4 > LINE_LENGTH:
        binding = ["        value := values[", f"            {key}", "        ]"]
    return ["    if (", *binding, "    ) is not None:"]


def _lines(text: str, indent: int) -> list[str]:
    """Return a statement of a method body as lines relative to the class body."""
    first, *rest = statement(text, indent).split("\n")
    return [" " * (indent - 4) + first, *(line[4:] for line in rest)]


def _list_model(kind: Kind, names: Names) -> str:
    fields = _head_fields(kind, names, "ListMeta", kind.list_kind)
    fields.append(("items", f"list[{kind.name}]", f"{names('Field')}(default_factory=list)", ""))
    body = "\n    ".join(
        [
            *_copy_head(names),
            f"    new, values = {names('begin_copy')}(self)",
            '    values["metadata"] = values["metadata"].deepcopy()',
            '    values["items"] = [item.deepcopy() for item in values["items"]]',
            "    return new",
        ]
    )
    doc = f"A list of {kind.kind} as the API server serves it."
    return _render(kind.list_name, names("ListObject"), doc, [], fields, [body])


def _client(kind: Kind, names: Names) -> str:
    """Return the typed client: the verbs that the scope and the subresources of the kind allow, and no others."""
    bases = ["NamespacedClient" if kind.scope == "Namespaced" else "ClusterClient"]
    bases += ["StatusVerbs"] * kind.has_status + ["ScaleVerbs"] * kind.has_scale
    parents = ", ".join(f"{names(base)}[{kind.name}]" for base in bases)
    head = f"class {kind.client_name}({parents}):"
    if len(head) > LINE_LENGTH:
        head = f"class {kind.client_name}(\n    {parents}\n):"
        if len(parents) + 4 > LINE_LENGTH:
            inside = "".join(f"    {names(base)}[{kind.name}],\n" for base in bases)
            head = f"class {kind.client_name}(\n{inside}):"
    resource = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
    doc = docstring(f"Typed access to `{resource}`.")
    return f"{head}\n    {doc}\n\n    model = {kind.name}"
