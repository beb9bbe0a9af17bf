"""The slow answer to "what is wrong with this value": the server's field errors, word for word.

Follows kube-openapi's `pkg/validation/validate` with the options of apiextensions-apiserver, including which
errors a failed `anyOf` or `oneOf` repeats: those of the alternative with the most passed checks.
"""

from __future__ import annotations

import json
from typing import Any, Final

from opgen.apiserver.schema.check import int_range, is_multiple
from opgen.apiserver.schema.formats import known_formats
from opgen.apiserver.schema.node import Node, json_key
from opgen.apiserver.status import (
    FieldError,
    go_float,
    invalid_value,
    not_supported,
    quote,
    required,
    too_long,
    too_many,
    type_invalid,
)

__all__ = ["explain", "kind_of"]

_NONE: Final = object()


def explain(value: Any, node: Node, path: str = "", *, old: Any = _NONE) -> list[FieldError]:
    """Return all that is wrong with `value` against `node`; empty if it is valid. `path` is where the value stands.

    `old` is the value before an update: what is wrong with a part that has not changed since is tolerated (the server's
    ratcheting). Items are found again in lists of type map only, entries by name unless the map is atomic.
    """
    errors: list[FieldError] = []
    _visit(value, node, path, errors, old)
    return list({e.text: e for e in errors}.values())


def _field(path: str) -> str | None:
    return path.removeprefix(".") or None


def kind_of(value: Any) -> str:
    """Return the JSON schema type of `value`."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "array" if isinstance(value, list) else "object"


def _visit(value: Any, node: Node, path: str, errors: list[FieldError], old: Any = _NONE) -> int:
    """Append what is wrong and return how many checks were passed, which decides between alternatives."""
    mark = len(errors)
    passed = _judge(value, node, path, errors, old)
    if old is not _NONE and len(errors) > mark and old == value:
        del errors[mark:]
    return passed


def _judge(value: Any, node: Node, path: str, errors: list[FieldError], old: Any) -> int:
    if value is None:
        _type("null", node, path, errors)
        _enum(value, node, path, errors)
        return 0
    kind = kind_of(value)
    passed = 0
    if node.types or node.format:
        _type(kind, node, path, errors)
        passed += 1
    passed += _combinations(value, node, path, errors) + 1
    if kind == "string":
        _string(value, node, path, errors)
        passed += 1
        if node.format:
            known = known_formats().get(node.format)
            if known is not None:
                passed += 1
                if not known(value):
                    text = f"{path} in body must be of type {node.format}: {quote(value)}"
                    errors.append(type_invalid(_field(path), value, text))
    elif kind in ("integer", "number"):
        _number(value, node, path, errors)
        passed += 1
    elif kind == "array":
        passed += _array(value, node, path, errors, old) + 1
    _enum(value, node, path, errors)
    passed += 1
    if kind == "object":
        passed += _object(value, node, path, errors, old) + 1
    return passed + 1


def _type(kind: str, node: Node, path: str, errors: list[FieldError]) -> None:
    types = node.types
    if kind == "null":
        if types and not node.nullable:
            listed = ",".join(types)
            text = f'{path} in body must be of type {listed}: "null"'
            errors.append(type_invalid(_field(path), "null", text))
        return
    numeric = "number" in types or "integer" in types
    fits = kind in types or (kind == "integer" and "number" in types)
    if node.format:
        if kind in ("string", "array"):
            if not numeric:
                return
        else:
            own = {"integer": "int64", "number": "float64"}.get(kind, "")
            if not (fits or own == node.format):
                text = f"{path} in body must be of type {node.format}: {quote(own)}"
                errors.append(type_invalid(_field(path), own, text))
                return
    if types and not fits:
        text = f"{path} in body must be of type {','.join(types)}: {quote(kind)}"
        errors.append(type_invalid(_field(path), kind, text))


def _enum(value: Any, node: Node, path: str, errors: list[FieldError]) -> None:
    if isinstance(value, float) and "integer" in node.types:
        value = int(value)  # Go converts before it compares
    if node.enum_keys is not None and json_key(value) not in node.enum_keys:
        values = [
            v if isinstance(v, str) else json.dumps(v, separators=(",", ":"))
            for v in node.enum or ()
        ]
        errors.append(not_supported(_field(path), value, values))


def _string(value: str, node: Node, path: str, errors: list[FieldError]) -> None:
    field = _field(path)
    if node.max_length is not None and len(value) > node.max_length:
        errors.append(too_long(field, node.max_length))
    elif node.min_length is not None and len(value) < node.min_length:
        text = f"{path} in body should be at least {node.min_length} chars long"
        errors.append(invalid_value(field, value, text))
    elif node.pattern_text and (node.pattern is None or not node.pattern(value)):
        text = f"{path} in body should match '{node.pattern_text}'"
        errors.append(invalid_value(field, value, text))


def _number(value: int | float, node: Node, path: str, errors: list[FieldError]) -> None:
    field = _field(path)
    kind = node.types[0] if len(node.types) == 1 else ""
    if kind == "integer":
        low, high = int_range(node.format)
        if isinstance(value, float) or not low <= value <= high:
            how = f"with format {node.format}" if node.format else "(default format)"
            text = f"Checked value must be of type integer {how} in {path}"
            errors.append(invalid_value(None, "", text))
    step = node.multiple_of
    if step is not None and not is_multiple(value, step):
        text = f"{path} in body should be a multiple of {_plain(step)}"
        errors.append(invalid_value(field, value, text))
    top, floor = node.maximum, node.minimum
    if top is not None and (value >= top if node.exclusive_maximum else value > top):
        how = "less than" if node.exclusive_maximum else "less than or equal to"
        errors.append(invalid_value(field, value, f"{path} in body should be {how} {_plain(top)}"))
    if floor is not None and (value <= floor if node.exclusive_minimum else value < floor):
        how = "greater than" if node.exclusive_minimum else "greater than or equal to"
        text = f"{path} in body should be {how} {_plain(floor)}"
        errors.append(invalid_value(field, value, text))


def _plain(value: float) -> str:
    """A bound as Go's `%v` prints a float64."""
    number = float(value)
    if number == 0 or 1e-5 < abs(number) < 1e21:
        text = repr(number)
        if "e" not in text:
            return text.removesuffix(".0")
        return f"{number:f}".rstrip("0").rstrip(".")
    return go_float(number)


def _array(value: list[Any], node: Node, path: str, errors: list[FieldError], old: Any) -> int:
    field, count, passed = _field(path), len(value), 1
    if node.items is not None:
        before = _before(old, node)
        for index, item in enumerate(value):
            was = before.get(_identity(item, node), _NONE) if before else _NONE
            passed += _visit(item, node.items, f"{path}[{index}]", errors, was)
    if node.min_items is not None and count < node.min_items:
        text = f"{path} in body should have at least {node.min_items} items"
        errors.append(invalid_value(field, count, text))
    if node.max_items is not None and count > node.max_items:
        errors.append(too_many(field, count, node.max_items))
    if node.unique_items and len({json_key(v) for v in value}) != count:
        errors.append(invalid_value(field, "", f"{path} in body shouldn't contain duplicates"))
    return passed


def _before(old: Any, node: Node) -> dict[str, Any]:
    """The items of an old list of type map by their keys; nothing for other lists."""
    if node.list_type != "map" or not isinstance(old, list):
        return {}
    return {_identity(item, node): item for item in old}


def _identity(item: Any, node: Node) -> str:
    keys = [item.get(k) for k in node.map_keys] if isinstance(item, dict) else item
    return json_key(keys)


def _object(
    value: dict[str, Any], node: Node, path: str, errors: list[FieldError], old: Any
) -> int:
    field, count, passed = _field(path), len(value), 0
    before: dict[str, Any] = old if isinstance(old, dict) and node.map_type != "atomic" else {}
    if node.min_properties is not None and count < node.min_properties:
        text = f"{path} in body should have at least {node.min_properties} properties"
        errors.append(invalid_value(field, count, text))
        return 0
    if node.max_properties is not None and count > node.max_properties:
        errors.append(too_many(field, count, node.max_properties))
    for key in value:
        if key in node.properties:
            continue
        if node.additional is False:
            below = f"{path}.{key}" if path else key
            errors.append(
                invalid_value(_field(below), "", f"{below} in body is a forbidden property")
            )
        elif isinstance(node.additional, Node):
            passed += _visit(
                value[key], node.additional, f"{path}.{key}", errors, before.get(key, _NONE)
            )
    for name, child in node.properties.items():
        if name in value:
            below = f"{path}.{name}" if path else name
            passed += _visit(value[name], child, below, errors, before.get(name, _NONE))
    for name in node.required:
        if name not in value:
            errors.append(required(_field(f"{path}.{name}")))
    return passed


def _combinations(value: Any, node: Node, path: str, errors: list[FieldError]) -> int:
    passed = 1
    shown = quote(path)
    if node.any_of:
        tries = [_try(value, sub, path) for sub in node.any_of]
        good = next((t for t in tries if not t[0]), None)
        if good is None:
            text = f"{shown} must validate at least one schema (anyOf)"
            errors.append(invalid_value(None, "", text))
            best = _best(tries)
            errors.extend(best[0])
            passed += best[1]
        else:
            passed += good[1]
    if node.one_of:
        tries = [_try(value, sub, path) for sub in node.one_of]
        valid = [t for t in tries if not t[0]]
        if len(valid) == 1:
            passed += valid[0][1]
        else:
            how = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
            text = f"{shown} must validate one and only one schema (oneOf). {how}"
            errors.append(invalid_value(None, "", text))
            if not valid:
                best = _best(tries)
                errors.extend(best[0])
                passed += best[1]
    if node.all_of:
        tries = [_try(value, sub, path) for sub in node.all_of]
        for found, count in tries:
            errors.extend(found)
            passed += count
        bad = sum(1 for t in tries if t[0])
        if bad:
            how = ". None validated" if bad == len(tries) else ""
            text = f"{shown} must validate all the schemas (allOf){how}"
            errors.append(invalid_value(None, "", text))
    if node.not_ is not None and not _try(value, node.not_, path)[0]:
        errors.append(invalid_value(None, "", f"{shown} must not validate the schema (not)"))
    return passed


def _try(value: Any, node: Node, path: str) -> tuple[list[FieldError], int]:
    found: list[FieldError] = []
    return found, _visit(value, node, path, found)


def _best(tries: list[tuple[list[FieldError], int]]) -> tuple[list[FieldError], int]:
    best = tries[0]
    for other in tries[1:]:
        if other[1] > best[1]:
            best = other
    return best
