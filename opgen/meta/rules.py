"""Value rules of a schema that pydantic's types don't express: oneOf, anyOf, allOf, not, uniqueness.

In a structural schema these keywords only validate: they add no fields (KEP-1979). So a generated class keeps one set
of fields and carries the rule as data, `RULES: ClassVar[Rules]`, which is checked when an object is made or decoded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from opgen.meta.formats import FORMATS
from opgen.meta.scalars import GoPattern

__all__ = ["Rules", "unique_items", "unique_keys", "Validation"]

Predicate = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Validation:
    """One entry of `x-kubernetes-validations`: a CEL rule over `self`, as the schema has it.

    `field` is the wire name of the property the rule stands at, empty if it is about the object itself; `oldSelf` in
    the rule makes it a transition rule (Kubernetes: CRD validation rules).
    """

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    field_path: str = ""
    optional_old_self: bool = False
    field: str = ""


class Rules:
    """JSON-schema value validation in an object of its own: junctors and bounds, no types, no new fields.

    Use it as metadata, `Annotated[str, Rules({"anyOf": [...]})]`, or as the `RULES` of a class.
    """

    __slots__ = ("_check", "schema")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        """Take the keywords as the schema has them; they are compiled at the first check."""
        self.schema = schema
        self._check: Predicate | None = None

    def __repr__(self) -> str:
        """Show the schema, which is what was written."""
        return f"Rules({self.schema!r})"

    def accepts(self, value: Any) -> bool:
        """Return whether a JSON value satisfies the rules; keywords that don't fit its type are ignored."""
        if self._check is None:
            self._check = _compile(self.schema)
        return self._check(value)

    def check(self, model: Any) -> None:
        """Raise ValueError if a model breaks the rules; null counts as absent, defaults count as set."""
        if not self.accepts(model.effective()):
            raise ValueError(f"breaks {_text(self.schema)}")

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Check after the type, on the value's wire form."""
        from opgen.meta.object import _encode

        def check(value: Any) -> Any:
            if value is not None and not self.accepts(_encode(value, None, True)):
                raise ValueError(f"breaks {_text(self.schema)}")
            return value

        return core_schema.no_info_after_validator_function(check, handler(source))


class _Unique:
    """Refuses a list in which two items are the same by what `keys` returns of them all."""

    __slots__ = ("_keys", "_what")

    def __init__(self, what: str, keys: Callable[[list[Any]], list[Any]]) -> None:
        self._what, self._keys = what, keys

    def __repr__(self) -> str:
        return f"unique {self._what}"

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def check(value: list[Any] | None) -> list[Any] | None:
            if value and len(value) > 1:
                seen = self._keys(value)
                if len(set(seen)) < len(seen):
                    raise ValueError(f"two items have the same {self._what}")
            return value

        return core_schema.no_info_after_validator_function(check, handler(source))


def unique_items() -> _Unique:
    """Return the check of `x-kubernetes-list-type: set`."""
    from opgen.meta.object import _encode

    def of_all(items: list[Any]) -> list[Any]:
        if all(type(item) is str for item in items):
            return items
        return [_frozen(_encode(item, None, True)) for item in items]

    return _Unique("value", of_all)


def unique_keys(keys: Sequence[str]) -> _Unique:
    """Return the check of `x-kubernetes-list-type: map` with these `x-kubernetes-list-map-keys`."""
    from opgen.meta.object import Model, _encode

    attributes: dict[type, list[str]] = {}

    def of_one(item: Any) -> Any:
        if isinstance(item, Model):
            values = item.__dict__
            return tuple(
                [_frozen(_encode(values[name], None, True)) for name in names_of(type(item))]
            )
        return tuple([_frozen((item or {}).get(name)) for name in keys])

    def names_of(kind: type[Model]) -> list[str]:
        names = attributes.get(kind)
        if names is None:
            known = {wire: name for name, wire, _ in kind._fields()}
            names = attributes[kind] = [known[name] for name in keys if name in known]
        return names

    def of_all(items: list[Any]) -> list[Any]:
        """Read a single key that is a string straight off the models, as nearly every list lets one."""
        kind = type(items[0])
        if len(keys) == 1 and issubclass(kind, Model) and (names := names_of(kind)):
            name = names[0]
            seen = [item.__dict__[name] for item in items if type(item) is kind]
            if len(seen) == len(items) and all([type(key) is str for key in seen]):
                return seen
        return [of_one(item) for item in items]

    return _Unique(" and ".join(keys), of_all)


def _frozen(value: Any) -> Any:
    """Return a hashable stand-in that is equal where JSON values are equal; true is not 1."""
    if isinstance(value, dict):
        return ("object", frozenset((k, _frozen(v)) for k, v in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(_frozen, value)))
    return ("bool", value) if isinstance(value, bool) else value


def _text(schema: Mapping[str, Any]) -> str:
    text = json.dumps(schema, sort_keys=True)
    return text if len(text) <= 300 else text[:297] + "..."


def _same(a: Any, b: Any) -> bool:
    return bool(_frozen(a) == _frozen(b))


def _compile(schema: Mapping[str, Any]) -> Predicate:
    checks: list[Predicate] = []
    for keyword, make in _KEYWORDS.items():
        value = schema.get(keyword)
        if value is not None:
            checks.append(make(value, schema))
    return lambda value: all(check(value) for check in checks)


def _junctor(test: Callable[[list[bool]], bool]) -> Callable[[Any, Mapping[str, Any]], Predicate]:
    def make(branches: Sequence[Mapping[str, Any]], _: Mapping[str, Any]) -> Predicate:
        compiled = [_compile(branch) for branch in branches]
        return lambda value: test([branch(value) for branch in compiled])

    return make


def _not(branch: Mapping[str, Any], _: Mapping[str, Any]) -> Predicate:
    compiled = _compile(branch)
    return lambda value: not compiled(value)


def _required(names: Sequence[str], _: Mapping[str, Any]) -> Predicate:
    return lambda value: not isinstance(value, dict) or all(name in value for name in names)


def _properties(properties: Mapping[str, Mapping[str, Any]], _: Mapping[str, Any]) -> Predicate:
    compiled = {name: _compile(sub) for name, sub in properties.items()}
    return lambda value: (
        not isinstance(value, dict)
        or all(check(value[name]) for name, check in compiled.items() if name in value)
    )


def _items(sub: Mapping[str, Any], _: Mapping[str, Any]) -> Predicate:
    compiled = _compile(sub)
    return lambda value: not isinstance(value, list) or all(map(compiled, value))


def _values(sub: Any, schema: Mapping[str, Any]) -> Predicate:
    if not isinstance(sub, Mapping):
        return lambda value: True
    compiled, known = _compile(sub), frozenset(schema.get("properties") or ())
    return lambda value: (
        not isinstance(value, dict)
        or all(compiled(item) for name, item in value.items() if name not in known)
    )


def _enum(allowed: Sequence[Any], _: Mapping[str, Any]) -> Predicate:
    return lambda value: any(_same(value, one) for one in allowed)


def _pattern(pattern: str, _: Mapping[str, Any]) -> Predicate:
    search = GoPattern(pattern).search
    return lambda value: not isinstance(value, str) or search(value)


def _named_format(name: str, _: Mapping[str, Any]) -> Predicate:
    check = FORMATS.get(name)
    return lambda value: check is None or not isinstance(value, str) or check(value)


def _size(
    of: type, fits: Callable[[int, int], bool]
) -> Callable[[Any, Mapping[str, Any]], Predicate]:
    def make(limit: int, _: Mapping[str, Any]) -> Predicate:
        return lambda value: not isinstance(value, of) or fits(len(value), limit)  # type: ignore[arg-type]

    return make


def _number(
    fits: Callable[[Any, Any, bool], bool], strict: str
) -> Callable[[Any, Mapping[str, Any]], Predicate]:
    def make(limit: Any, schema: Mapping[str, Any]) -> Predicate:
        exclusive = schema.get(strict) is True
        return lambda value: (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or fits(value, limit, exclusive)
        )

    return make


def _multiple(of: Any, _: Mapping[str, Any]) -> Predicate:
    return lambda value: (
        isinstance(value, bool) or not isinstance(value, (int, float)) or value % of == 0
    )


_TYPES: Mapping[str, Predicate] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: (
        not isinstance(value, bool) and isinstance(value, (int, float)) and value == int(value)
    ),
    "number": lambda value: not isinstance(value, bool) and isinstance(value, (int, float)),
}


def _type(name: str, _: Mapping[str, Any]) -> Predicate:
    return _TYPES.get(name, lambda value: True)


_KEYWORDS: Mapping[str, Callable[[Any, Mapping[str, Any]], Predicate]] = {
    "type": _type,
    "allOf": _junctor(all),
    "anyOf": _junctor(any),
    "oneOf": _junctor(lambda results: sum(results) == 1),
    "not": _not,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _values,
    "items": _items,
    "enum": _enum,
    "pattern": _pattern,
    "format": _named_format,
    "minLength": _size(str, lambda size, limit: size >= limit),
    "maxLength": _size(str, lambda size, limit: size <= limit),
    "minItems": _size(list, lambda size, limit: size >= limit),
    "maxItems": _size(list, lambda size, limit: size <= limit),
    "minProperties": _size(dict, lambda size, limit: size >= limit),
    "maxProperties": _size(dict, lambda size, limit: size <= limit),
    "minimum": _number(
        lambda v, limit, strict: v > limit if strict else v >= limit, "exclusiveMinimum"
    ),
    "maximum": _number(
        lambda v, limit, strict: v < limit if strict else v <= limit, "exclusiveMaximum"
    ),
    "multipleOf": _multiple,
}
