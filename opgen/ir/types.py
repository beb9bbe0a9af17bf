"""The language-neutral API that CRDs describe: frozen types, printable as JSON.

    Api -> GroupVersion -> Kind -> Object -> Field -> Type

A `Type` is a tree of the six classes under it; objects are referred to by the name that `opgen.ir.naming` gave them.
One order, fixed by the builder: kinds and properties by name, with apiVersion, kind, metadata, spec and status first;
objects so that each stands before the first that refers to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal

__all__ = [
    "Api",
    "Default",
    "Enum",
    "Field",
    "GroupVersion",
    "Kind",
    "ListOf",
    "MapOf",
    "mapped",
    "Nullable",
    "Object",
    "Ref",
    "Rule",
    "Scalar",
    "to_json",
    "Type",
]

ScalarName = Literal[
    "any",
    "boolean",
    "date-time",
    "duration",
    "int-or-string",
    "integer",
    "micro-time",
    "number",
    "quantity",
    "string",
]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A leaf: its JSON type or one of Kubernetes' own, with the value keywords that fit that type.

    `checks` holds minimum, maximum, multipleOf, minLength, maxLength, pattern and format as the schema has them
    (exclusive bounds as exclusiveMinimum and exclusiveMaximum numbers); `rules` what else only validates.
    """

    name: ScalarName
    checks: Mapping[str, Any] | None = None
    rules: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Enum:
    """One of these values, in the schema's order; strings and integers. `name` is for where it gets one of its own."""

    name: str
    values: tuple[str | int, ...]
    rules: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    """An object by its class name; `module` where it isn't of the kind's own module."""

    name: str
    module: str = ""
    rules: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; `list_type` is x-kubernetes-list-type and `keys` its map keys."""

    item: Type
    list_type: Literal["", "atomic", "map", "set"] = ""
    keys: tuple[str, ...] = ()
    min_items: int | None = None
    max_items: int | None = None
    rules: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MapOf:
    """A JSON object with free keys."""

    value: Type
    min_properties: int | None = None
    max_properties: int | None = None
    rules: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Nullable:
    """Also null; only for items and map values, since a field has a flag of its own."""

    of: Type


Type = Scalar | Enum | Ref | ListOf | MapOf | Nullable


@dataclass(frozen=True, slots=True)
class Default:
    """A default of the schema, any JSON value; a class of its own so that null can be told from none."""

    value: Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One x-kubernetes-validations entry; `field` is the property it stands at, empty for the object itself."""

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    field_path: str = ""
    optional_old_self: bool = False
    field: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A property: its exact wire name, the Python name made of it, and what the schema says."""

    wire: str
    name: str
    type: Type
    required: bool = False
    nullable: bool = False
    default: Default | None = None
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Object:
    """A class to be: `path` is where it stands in the schema, for people (`.spec.rules[]`).

    `same_as` names the object of equal shape that this one is only another name of; its `fields` are then empty.
    """

    name: str
    path: str
    base: Literal["EmbeddedResource", "Model", "Object"] = "Model"
    doc: str = ""
    fields: tuple[Field, ...] = ()
    open: bool = False
    rules: Mapping[str, Any] | None = None
    validations: tuple[Rule, ...] = ()
    same_as: str = ""


def _api_version(group: str, version: str) -> str:
    return f"{group}/{version}" if group else version


@dataclass(frozen=True, slots=True)
class Kind:
    """One version of one kind; `objects[-1]` is the kind itself."""

    kind: str
    name: str
    module: str
    group: str
    version: str
    plural: str
    singular: str
    list_kind: str
    scope: Literal["Cluster", "Namespaced"]
    source: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    served: bool = True
    storage: bool = True
    deprecated: bool = False
    deprecation_warning: str = ""
    has_status: bool = False
    has_scale: bool = False
    objects: tuple[Object, ...] = ()

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return _api_version(self.group, self.version)

    @property
    def list_name(self) -> str:
        """The class name of the list kind."""
        return self.name + "List"

    @property
    def client_name(self) -> str:
        """The class name of the typed client."""
        return self.name + "Client"


@dataclass(frozen=True, slots=True)
class GroupVersion:
    """The kinds of one group and version; `package` are the folder names they go to.

    `shared` are objects that several kinds refer to; only OpenAPI documents have them, CRDs share nothing.
    """

    group: str
    version: str
    package: tuple[str, str]
    kinds: tuple[Kind, ...]
    shared: tuple[Object, ...] = ()

    @property
    def flat(self) -> bool:
        """Whether the kinds share one module instead of having one each."""
        return not all(kind.module for kind in self.kinds)

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return _api_version(self.group, self.version)


@dataclass(frozen=True, slots=True)
class Api:
    """All that is to be generated, group versions by name."""

    group_versions: tuple[GroupVersion, ...]


def mapped(type_: Type, change: Callable[[Type], Type]) -> Type:
    """Return a type with `change` made to each leaf of its tree."""
    match type_:
        case ListOf(item=inner):
            return replace(type_, item=mapped(inner, change))
        case MapOf(value=inner):
            return replace(type_, value=mapped(inner, change))
        case Nullable(of=inner):
            return Nullable(mapped(inner, change))
    return change(type_)


def to_json(value: Any) -> Any:
    """Return dataclasses as JSON objects, a `Type` with its class under `is`; what is empty is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        out: dict[str, Any] = {"is": type(value).__name__} if isinstance(value, Type) else {}
        for field in fields(value):
            item = getattr(value, field.name)
            if item is None or item == "" or item == () or item is False:
                continue
            out[field.name] = item.value if isinstance(item, Default) else to_json(item)
        return out
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    return value
