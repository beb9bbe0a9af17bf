"""One OpenAPI schema node to one `Type`: the reading of every keyword that a CRD may have.

Tolerant by design. A CRD that is installed somewhere was accepted by some API server, so a keyword that makes no sense
(`maxLength` on an array, `anyOf: null`, a default of the wrong type) is ignored, as the server ignores it; what is
not structural has been reported by `opgen.crd.structural` already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from opgen.crd.junctors import JUNCTORS
from opgen.ir.types import Default, Enum, ListOf, MapOf, Nullable, Ref, Rule, Scalar, Type

__all__ = ["default_of", "fits", "is_embedded", "nullable", "Reader", "rules_of", "validations_of"]

QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""What controller-gen writes for resource.Quantity."""

_STRING_CHECKS = ("minLength", "maxLength", "pattern", "format")
_STRING_NAMES = {
    "date-time": "date-time",
    "datetime": "date-time",
    "duration": "duration",
    "micro-time": "micro-time",
}

Schema = Mapping[str, Any]
Path = tuple[str, ...]


def _strip(value: Any) -> Any:
    """Return a junctor without its prose and without keywords that are null."""
    if isinstance(value, Mapping):
        return {
            key: (
                {name: _strip(sub) for name, sub in item.items()}
                if key == "properties"
                else _strip(item)
            )
            for key, item in value.items()
            if item is not None
            and key not in ("description", "title", "example")
            and not key.startswith("x-kubernetes-")
        }
    if isinstance(value, list):
        return [_strip(item) for item in value]
    return value


def rules_of(schema: Schema, *more: str) -> Mapping[str, Any] | None:
    """Return the junctors of a node, and the keywords in `more`, as one schema that only validates; None if none."""
    found: dict[str, Any] = {}
    for key in JUNCTORS:
        value = schema.get(key)
        if key == "not" and isinstance(value, Mapping) and value:
            found[key] = _strip(value)
        elif key != "not" and isinstance(value, list):
            branches = [_strip(branch) for branch in value if isinstance(branch, Mapping)]
            if branches and not (key == "allOf" and not any(branches)):
                found[key] = branches
    for key in more:
        if schema.get(key) is not None:
            found[key] = schema[key]
    return found or None


def validations_of(schema: Schema, field: str = "") -> tuple[Rule, ...]:
    """Return the CEL rules of a node, in the schema's order."""
    entries = schema.get("x-kubernetes-validations")
    if not isinstance(entries, list):
        return ()

    def text(entry: Mapping[str, Any], key: str) -> str:
        value = entry.get(key)
        return value if isinstance(value, str) else ""

    return tuple(
        Rule(
            rule=entry["rule"],
            message=text(entry, "message"),
            message_expression=text(entry, "messageExpression"),
            reason=text(entry, "reason"),
            field_path=text(entry, "fieldPath"),
            optional_old_self=entry.get("optionalOldSelf") is True,
            field=field,
        )
        for entry in entries
        if isinstance(entry, Mapping) and isinstance(entry.get("rule"), str)
    )


def default_of(schema: Schema, type_: Type) -> Default | None:
    """Return the default of a node if it is one that its type can hold."""
    if "default" not in schema or schema["default"] is None or not fits(type_, schema["default"]):
        return None
    return Default(schema["default"])


def fits(type_: Type, value: Any) -> bool:
    """Return whether a JSON value has the shape of a type; what lies in referred objects is not looked at."""
    match type_:
        case Nullable(of):
            return value is None or fits(of, value)
        case Scalar("any"):
            return True
        case Scalar("boolean"):
            return isinstance(value, bool)
        case Scalar("integer"):
            return isinstance(value, int) and not isinstance(value, bool)
        case Scalar("number"):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Scalar("int-or-string" | "quantity"):
            return isinstance(value, int | str) and not isinstance(value, bool)
        case Scalar():
            return isinstance(value, str)
        case Enum(_, values):
            return not isinstance(value, bool) and value in values
        case ListOf(item):
            return isinstance(value, list) and all(fits(item, one) for one in value)
        case MapOf(of):
            return isinstance(value, dict) and all(fits(of, one) for one in value.values())
        case Ref():
            return isinstance(value, dict)


class Reader:
    """Turns schema nodes into types; each object with fields of its own goes to `found` under its path."""

    def __init__(
        self,
        found: Callable[[Path, Schema | None], str],
        refer: Callable[[str], Type] | None = None,
    ) -> None:
        """Take what notes a path and gives its name, and what a `$ref` is where the document may have them."""
        self._found = found
        self._refer = refer

    def read(self, schema: Any, path: Path) -> Type:
        """Return the type of a node; anything that is no schema is free-form JSON."""
        if not isinstance(schema, Mapping):
            return Scalar("any")
        if self._refer and (target := _reference(schema)):
            return self._refer(target)
        kind = schema.get("type")
        if kind in ("string", "integer", "number", "boolean"):
            return self._scalar(schema, kind, path)
        if schema.get("x-kubernetes-int-or-string") is True or _is_int_or_string(schema):
            return self._int_or_string(schema, path)
        if kind == "array" or (kind is None and isinstance(schema.get("items"), Mapping)):
            return self._list(schema, path)
        if kind == "object" or (kind is None and _describes_object(schema)):
            return self._object(schema, path)
        return Scalar("any", rules=rules_of(schema, "enum"))

    def item(self, schema: Any, path: Path) -> Type:
        """Return the type of a list item or a map value, which may be null by itself."""
        type_ = self.read(schema, path)
        return Nullable(type_) if nullable(schema) else type_

    def _scalar(self, schema: Schema, kind: str, path: Path) -> Type:
        values, rules = _enum(schema)
        if kind == "string":
            checks = {key: schema[key] for key in _STRING_CHECKS if _usable(schema, key)}
            if values is not None and all(isinstance(value, str) for value in values):
                return Enum(self._found(path, None), values, _with(rules, checks))
            name = _STRING_NAMES.get(checks.get("format", ""), "string")
            if name != "string":
                del checks["format"]
            return Scalar(name, checks or None, rules_of(schema, "enum"))  # type: ignore[arg-type]
        if kind == "boolean":
            whole = values is not None and set(values) == {True, False}
            return Scalar(
                "boolean", None, rules_of({**schema, "enum": None} if whole else schema, "enum")
            )
        checks = _bounds(schema)
        if (
            values is not None
            and kind == "integer"
            and all(type(value) is int for value in values)
            and not checks
        ):
            return Enum(self._found(path, None), values, rules)
        return Scalar(
            "integer" if kind == "integer" else "number", checks or None, rules_of(schema, "enum")
        )

    def _int_or_string(self, schema: Schema, path: Path) -> Type:
        schema = {
            key: value
            for key, value in schema.items()
            if not (key == "anyOf" and _is_int_or_string(schema))
        }
        if isinstance(branches := schema.get("allOf"), list):
            schema["allOf"] = [branch for branch in branches if not _is_int_or_string(branch)]
        values, rules = _enum(schema)
        if values is not None and all(type(value) in (int, str) for value in values):
            return Enum(self._found(path, None), values, rules)
        if schema.get("pattern") == QUANTITY_PATTERN:
            return Scalar("quantity", None, rules_of(schema, "enum"))
        bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
        checks = {
            key: schema[key]
            for key in ("minLength", "maxLength", "pattern")
            if _usable(schema, key)
        }
        return Scalar("int-or-string", checks or None, rules_of(schema, "enum", *bounds))

    def _list(self, schema: Schema, path: Path) -> Type:
        item = self.item(schema.get("items"), path)
        list_type = schema.get("x-kubernetes-list-type")
        keys = schema.get("x-kubernetes-list-map-keys")
        return ListOf(
            item,
            list_type if list_type in ("atomic", "map", "set") else "",
            tuple(keys) if list_type == "map" and isinstance(keys, list) else (),
            _count(schema, "minItems"),
            _count(schema, "maxItems"),
            rules_of(schema),
        )

    def _object(self, schema: Schema, path: Path) -> Type:
        properties = schema.get("properties")
        values = schema.get("additionalProperties")
        embedded = is_embedded(schema)
        is_open = schema.get("x-kubernetes-preserve-unknown-fields") is True or values is True
        if not properties and isinstance(values, Mapping):
            return MapOf(
                self.item(values, path),
                _count(schema, "minProperties"),
                _count(schema, "maxProperties"),
                rules_of(schema),
            )
        if not properties and embedded and is_open:
            return Ref(
                "EmbeddedResource", "opgen.meta", rules_of(schema, "minProperties", "maxProperties")
            )
        if not properties and is_open:
            bounds = _count(schema, "minProperties"), _count(schema, "maxProperties")
            return MapOf(Scalar("any"), *bounds, rules_of(schema, "required"))
        return Ref(self._found(path, schema))


def _reference(schema: Schema) -> str:
    """Return the name a node refers to, also in the form `allOf: [{$ref}]` that keeps a description beside it."""
    target = schema.get("$ref")
    if target is None and isinstance(branches := schema.get("allOf"), list) and len(branches) == 1:
        target = branches[0].get("$ref") if isinstance(branches[0], Mapping) else None
    return target.rsplit("/", 1)[-1] if isinstance(target, str) else ""


def _describes_object(schema: Schema) -> bool:
    return (
        isinstance(schema.get("properties"), Mapping)
        or isinstance(schema.get("additionalProperties"), Mapping)
        or is_embedded(schema)
    )


def _is_int_or_string(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    branches = schema.get("anyOf") or schema.get("oneOf")
    return (
        isinstance(branches, list)
        and len(branches) == 2
        and {
            branch.get("type")
            for branch in branches
            if isinstance(branch, Mapping) and len(branch) == 1
        }
        == {"integer", "string"}
    )


def _enum(schema: Schema) -> tuple[tuple[Any, ...] | None, Mapping[str, Any] | None]:
    """Return the values of a node, met from its enum and those in allOf, and what rules are left."""
    lists = [schema["enum"]] if isinstance(schema.get("enum"), list) else []
    left = dict(schema)
    if isinstance(branches := schema.get("allOf"), list):
        rest = []
        for branch in branches:
            if (
                isinstance(branch, Mapping)
                and set(branch) == {"enum"}
                and isinstance(branch["enum"], list)
            ):
                lists.append(branch["enum"])
            else:
                rest.append(branch)
        left["allOf"] = rest
    if not lists:
        return None, rules_of(schema)
    marked = [json.dumps(value, sort_keys=True) for value in lists[0]]
    others = [{json.dumps(value, sort_keys=True) for value in values} for values in lists[1:]]
    met = [
        value
        for value, mark in zip(lists[0], marked, strict=True)
        if all(mark in other for other in others)
    ]
    values = tuple(
        value for i, value in enumerate(met) if value is not None and value not in met[:i]
    )
    return (values or None), rules_of(left)


def _with(rules: Mapping[str, Any] | None, more: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return {**(rules or {}), **more} or None


def _usable(schema: Schema, key: str) -> bool:
    value = schema.get(key)
    if key in ("pattern", "format"):
        return isinstance(value, str) and value != ""
    return isinstance(value, int) and not isinstance(value, bool)


def _count(schema: Schema, key: str) -> int | None:
    return schema[key] if _usable(schema, key) else None


def _bounds(schema: Schema) -> dict[str, Any]:
    """Return the number keywords; exclusiveMinimum and exclusiveMaximum are flags of minimum and maximum (draft 4)."""
    out: dict[str, Any] = {}
    for key, flag in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        value = schema.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            out[flag if schema.get(flag) is True else key] = value
    step = schema.get("multipleOf")
    if isinstance(step, int | float) and not isinstance(step, bool) and step > 0:
        out["multipleOf"] = step
    if (name := schema.get("format")) in ("int32", "int64"):
        out["format"] = name
    return out


def is_embedded(schema: Schema) -> bool:
    """Return whether a node is an object of its own inside of another."""
    return schema.get("x-kubernetes-embedded-resource") is True


def nullable(schema: Any) -> bool:
    """Return whether a node takes null."""
    return isinstance(schema, Mapping) and schema.get("nullable") is True
