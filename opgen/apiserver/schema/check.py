"""The fast answer to "is this value valid": closures, compiled once a node, without paths or messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from opgen.apiserver.schema.formats import known_formats
from opgen.apiserver.schema.node import Node, json_key

__all__ = ["compile_check", "int_range", "is_multiple"]

Check = Callable[[Any], bool]

_INT_RANGE: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
_INT64: Final = (-(2**63), 2**63 - 1)


def compile_check(node: Node) -> Check:
    """Compile `node.check` and those below it, and return it."""
    children = {name: compile_check(sub) for name, sub in node.properties.items()}
    more = compile_check(node.additional) if isinstance(node.additional, Node) else None
    items = compile_check(node.items) if node.items is not None else None
    extra = _extra(node)
    bases: dict[type, Check] = {
        dict: _object(node, children, more),
        list: _array(node, items),
        str: _string(node),
        bool: _boolean(node),
        int: _integer(node),
        float: _float(node),
        type(None): _null(node),
    }
    if extra is None:
        only = node.types[0] if len(node.types) == 1 else ""
        if only in ("object", "string") and not node.nullable and not node.schema.get("format"):
            kind: type = dict if only == "object" else str
            base = bases[kind]
            other = bases.get

            def check_one(value: Any) -> bool:
                if type(value) is kind:
                    return base(value)
                found = other(type(value))
                return found(value) if found is not None else base(value)

            node.check = check_one
        else:

            def check_any(value: Any) -> bool:
                found = bases.get(type(value))
                return found(value) if found is not None else bases[dict](value)

            node.check = check_any
    else:

        def check_both(value: Any) -> bool:
            found = bases.get(type(value)) or bases[dict]
            return found(value) and extra(value)

        node.check = check_both
    return node.check


def _no(value: Any) -> bool:
    return False


def _yes(value: Any) -> bool:
    return True


def _extra(node: Node) -> Check | None:
    """What holds for a value of any type but null: enum and the combinations."""
    parts: list[Check] = []
    if node.enum_keys is not None:
        allowed = node.enum_keys
        if all(isinstance(v, str) for v in node.enum or ()):
            strings = frozenset(node.enum or ())
            parts.append(lambda value: isinstance(value, str) and value in strings)
        else:
            parts.append(lambda value: json_key(value) in allowed)
    for group, test in ((node.all_of, all), (node.any_of, any)):
        if group:
            checks = [compile_check(sub) for sub in group]

            def combined(value: Any, checks: list[Check] = checks, test: Any = test) -> bool:
                return value is None or bool(test(c(value) for c in checks))

            parts.append(combined)
    if node.one_of:
        one = [compile_check(sub) for sub in node.one_of]
        parts.append(lambda value: value is None or sum(c(value) for c in one) == 1)
    if node.not_ is not None:
        negated = compile_check(node.not_)
        parts.append(lambda value: value is None or not negated(value))
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    return lambda value: all(part(value) for part in parts)


def _null(node: Node) -> Check:
    return _yes if not node.types or node.nullable else _no


def _boolean(node: Node) -> Check:
    return _yes if not node.types or "boolean" in node.types else _no


def _takes(node: Node, kind: str) -> bool:
    """Whether a string or an array has the right type; with a format the server asks only where a number is wanted."""
    if not node.types or kind in node.types:
        return True
    return bool(node.format) and not {"number", "integer"} & set(node.types)


def _string(node: Node) -> Check:
    known = known_formats().get(node.format) if node.format else None
    if not _takes(node, "string"):
        return _no
    low, high, pattern = node.min_length, node.max_length, node.pattern
    if pattern is None and node.pattern_text:
        return _no
    if low is None and high is None and pattern is None and known is None:
        return _yes

    def check(value: Any) -> bool:
        if high is not None and len(value) > high:
            return False
        if low is not None and len(value) < low:
            return False
        if pattern is not None and not pattern(value):
            return False
        return known is None or known(value)

    return check


def _bounds(node: Node) -> Check | None:
    low, high, step = node.minimum, node.maximum, node.multiple_of
    if low is None and high is None and step is None:
        return None
    above, below = node.exclusive_minimum, node.exclusive_maximum

    def check(value: Any) -> bool:
        if low is not None and (value <= low if above else value < low):
            return False
        if high is not None and (value >= high if below else value > high):
            return False
        return step is None or is_multiple(value, step)

    return check


def int_range(format_: str) -> tuple[int, int]:
    """Return the least and the most that an integer of a format may be."""
    return _INT_RANGE.get(format_, _INT64)


def is_multiple(value: float, step: float) -> bool:
    """Whether `value` is a multiple of `step`, as Go's validator finds out: the quotient is an integer."""
    if isinstance(value, int) and isinstance(step, int):
        return step == 0 or value % step == 0
    return step == 0 or float(value / step).is_integer()


def _integer(node: Node) -> Check:
    if node.types and not {"integer", "number"} & set(node.types):
        return _no
    bounds = _bounds(node)
    if node.types and node.types[0] == "integer" and len(node.types) == 1:
        least, most = int_range(node.format)

        def check(value: Any) -> bool:
            return least <= value <= most and (bounds is None or bounds(value))

        return check
    return bounds or _yes


def _float(node: Node) -> Check:
    if node.types and "number" not in node.types:
        return _no
    return _bounds(node) or _yes


def _array(node: Node, items: Check | None) -> Check:
    if not _takes(node, "array"):
        return _no
    low, high, unique = node.min_items, node.max_items, node.unique_items

    def check(value: Any) -> bool:
        count = len(value)
        if high is not None and count > high:
            return False
        if low is not None and count < low:
            return False
        if items is not None:
            for item in value:
                if not items(item):
                    return False
        return not unique or len({json_key(item) for item in value}) == count

    return check


def _object(node: Node, children: Mapping[str, Check], more: Check | None) -> Check:
    if node.types and "object" not in node.types:
        return _no
    required, low, high = node.required, node.min_properties, node.max_properties
    find = children.get
    refused = node.additional is False
    closed = refused and not node.preserve

    def check(value: Any) -> bool:
        for name in required:
            if name not in value:
                return False
        if low is not None and len(value) < low:
            return False
        if high is not None and len(value) > high:
            return False
        for key, item in value.items():
            found = find(key)
            if found is not None:
                if not found(item):
                    return False
            elif more is not None:
                if not more(item):
                    return False
            elif closed:
                return False
        return True

    return check
