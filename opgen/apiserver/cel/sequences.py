"""CEL's optional values, sets and lists."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from opgen.apiserver.cel.functions import FUNCTIONS, define, lists, no_overload, whole
from opgen.apiserver.cel.operators import add, compare
from opgen.apiserver.cel.values import CelError, Optional, equal

__all__ = []


@define("optional.of")
def _optional_of(value: Any) -> Optional:
    return Optional(True, value)


@define("optional.ofNonZeroValue")
def _optional_non_zero(value: Any) -> Optional:
    zero = value is None or (
        isinstance(value, str | bytes | int | float | list | dict) and not value
    )
    return Optional() if zero else Optional(True, value)


@define("optional.none")
def _optional_none() -> Optional:
    return Optional()


def _optional(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise no_overload()
    return value


@define("hasValue", member=True)
def _has_value(value: Any) -> bool:
    return _optional(value).present


@define("value", member=True)
def _value_of(value: Any) -> Any:
    if not _optional(value).present:
        raise CelError("optional.none() dereference")
    return value.value


@define("unwrapOpt", member=True)
@define("optional.unwrap")
def _unwrap(values: Any) -> list[Any]:
    lists(values)
    return [v.value for v in values if _optional(v).present]


@define("sets.contains")
def _sets_contains(a: Any, b: Any) -> bool:
    lists(a, b)
    return all(any(equal(x, y) for x in a) for y in b)


@define("sets.equivalent")
def _sets_equivalent(a: Any, b: Any) -> bool:
    return _sets_contains(a, b) and _sets_contains(b, a)


@define("sets.intersects")
def _sets_intersects(a: Any, b: Any) -> bool:
    lists(a, b)
    return any(equal(x, y) for x in a for y in b)


@define("isSorted", member=True)
def _is_sorted(values: Any) -> bool:
    lists(values)
    return all(compare(a, b) <= 0 for a, b in pairwise(values))


@define("sum", member=True)
def _total(values: Any) -> Any:
    lists(values)
    out: Any = None
    for value in values:
        out = value if out is None else add(out, value)
    return 0 if out is None else out


def _extreme(name: str, sign: int) -> None:
    def get(values: Any) -> Any:
        lists(values)
        if not values:
            raise CelError(f"{name} called on empty list")
        best = values[0]
        for value in values[1:]:
            if compare(value, best) * sign > 0:
                best = value
        return best

    FUNCTIONS[name, True] = get


_extreme("min", -1)
_extreme("max", 1)


@define("sort", member=True)
def _sort(values: Any) -> list[Any]:
    lists(values)
    return sorted(values, key=cmp_to_key(compare))


@define("slice", member=True)
def _slice(values: Any, start: Any, end: Any) -> list[Any]:
    lists(values)
    first, last = whole(start), whole(end)
    if first < 0 or last < 0:
        raise CelError(f"cannot slice({first}, {last}), negative indexes not supported")
    if first > last:
        raise CelError(
            f"cannot slice({first}, {last}), start index must be less than or equal to end index"
        )
    if last > len(values):
        raise CelError(f"cannot slice({first}, {last}), list is length {len(values)}")
    return list(values[first:last])


@define("distinct", member=True)
def _distinct(values: Any) -> list[Any]:
    lists(values)
    out: list[Any] = []
    for value in values:
        if not any(equal(value, seen) for seen in out):
            out.append(value)
    return out


@define("flatten", member=True)
def _flatten(values: Any, depth: Any = 1) -> list[Any]:
    lists(values)
    number = whole(depth)
    if number < 0:
        raise CelError("level must be non-negative")
    out: list[Any] = []
    for value in values:
        if isinstance(value, list) and number > 0:
            out.extend(_flatten(value, number - 1))
        else:
            out.append(value)
    return out


@define("first", member=True)
def _first(values: Any) -> Optional:
    lists(values)
    return Optional(True, values[0]) if values else Optional()


@define("last", member=True)
def _last(values: Any) -> Optional:
    lists(values)
    return Optional(True, values[-1]) if values else Optional()


@define("lists.range")
def _range(count: Any) -> list[int]:
    return list(range(min(whole(count), 1_000_000)))
