"""CEL's operators and the functions of its core that every type has."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from opgen.apiserver.cel.formatting import go_number
from opgen.apiserver.cel.functions import FUNCTIONS, define, in_range, no_overload, plain_int, texts
from opgen.apiserver.cel.syntax import UInt
from opgen.apiserver.cel.values import (
    CelError,
    CelObject,
    Duration,
    KeyedList,
    Optional,
    SetList,
    Timestamp,
    TypeValue,
    equal,
    type_name,
)
from opgen.apiserver.re2 import PatternError, compile_pattern

__all__ = ["add", "compare"]


def _same_number(a: Any, b: Any) -> type | None:
    """Return the numeric type of both, None if they differ or are no numbers."""
    kind = type(a)
    if kind is not type(b):
        return None
    return kind if kind in (int, float, UInt, Duration) else None


@define("_+_")
def add(a: Any, b: Any) -> Any:
    """Return `a + b`."""
    kind = _same_number(a, b)
    if kind is float:
        return a + b
    if kind is not None:
        return in_range(int(a) + int(b), kind)
    if isinstance(a, str) and isinstance(b, str):
        return a + b
    if isinstance(a, list) and isinstance(b, list):
        return _joined(a, b)
    if isinstance(a, bytes) and isinstance(b, bytes):
        return a + b
    if isinstance(a, Timestamp) and isinstance(b, Duration):
        return Timestamp(a.nanos + int(b))
    if isinstance(a, Duration) and isinstance(b, Timestamp):
        return Timestamp(b.nanos + int(a))
    raise no_overload()


def _joined(a: list[Any], b: list[Any]) -> list[Any]:
    if isinstance(a, SetList):
        return SetList([*a, *(y for y in b if not any(equal(x, y) for x in a))])
    if isinstance(a, KeyedList):
        out = KeyedList(a)
        out.keys = a.keys
        at = {a.key(item): index for index, item in enumerate(a)}
        for item in b:
            index = at.get(a.key(item))
            if index is None:
                out.append(item)
            else:
                out[index] = item
        return out
    return [*a, *b]


@define("_-_")
def _subtract(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a - b
    if kind is not None:
        return in_range(int(a) - int(b), kind)
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        return Duration(a.nanos - b.nanos)
    if isinstance(a, Timestamp) and isinstance(b, Duration):
        return Timestamp(a.nanos - int(b))
    raise no_overload()


@define("_*_")
def _multiply(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a * b
    if kind in (int, UInt):
        return in_range(int(a) * int(b), kind)
    raise no_overload()


@define("_/_")
def _divide(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a / b if b else math.copysign(math.inf, a) * math.copysign(1.0, b) if a else math.nan
    if kind in (int, UInt):
        if not b:
            raise CelError("division by zero")
        quotient = abs(int(a)) // abs(int(b))
        return in_range(-quotient if (a < 0) != (b < 0) else quotient, kind)
    raise no_overload()


@define("_%_")
def _modulo(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind not in (int, UInt):
        raise no_overload()
    if not b:
        raise CelError("modulus by zero")
    rest = abs(int(a)) % abs(int(b))
    return in_range(-rest if a < 0 else rest, kind)


@define("-_")
def _negate(a: Any) -> Any:
    if isinstance(a, float):
        return -a
    if isinstance(a, Duration):
        return in_range(-int(a), Duration)
    if plain_int(a) and not isinstance(a, UInt):
        return in_range(-a, int)
    raise no_overload()


def compare(a: Any, b: Any) -> int:
    """Order two values; raises `CelError` if they have no order."""
    if isinstance(a, bool) or isinstance(b, bool):
        if not (isinstance(a, bool) and isinstance(b, bool)):
            raise no_overload()
    elif isinstance(a, int | float) and isinstance(b, int | float):
        if isinstance(a, Duration) != isinstance(b, Duration):
            raise no_overload()
    elif type(a) is not type(b) or not isinstance(a, str | bytes | Timestamp):
        raise no_overload()
    if isinstance(a, str):
        a, b = a.encode("utf-8", "surrogatepass"), b.encode("utf-8", "surrogatepass")
    return -1 if a < b else (1 if b < a else 0)


def _relation(name: str, holds: Callable[[int], bool]) -> None:
    def relate(a: Any, b: Any) -> bool:
        if a != a or b != b:
            return False
        return holds(compare(a, b))

    FUNCTIONS[name, False] = relate


_relation("_<_", lambda c: c < 0)
_relation("_<=_", lambda c: c <= 0)
_relation("_>_", lambda c: c > 0)
_relation("_>=_", lambda c: c >= 0)


@define("_[_]")
def _index(value: Any, key: Any) -> Any:
    if isinstance(value, Optional):
        return _index_maybe(value, key)
    if isinstance(value, list):
        if isinstance(key, float) and key.is_integer():
            key = int(key)
        if not plain_int(key):
            raise CelError(f"unsupported index type '{type_name(key)}' in list")
        if not 0 <= key < len(value):
            raise CelError(f"index out of bounds: {key}")
        return value[key]
    if isinstance(value, CelObject):
        return value.get(key)
    if isinstance(value, dict):
        if isinstance(key, bool | str | int | float) and key in value:
            return value[key]
        raise CelError(f"no such key: {go_number(key) if isinstance(key, float) else key}")
    raise no_overload()


@define("_[?_]")
def _index_maybe(value: Any, key: Any) -> Optional:
    if isinstance(value, Optional):
        if not value.present:
            return value
        value = value.value
    try:
        return Optional(True, _index(value, key))
    except CelError as error:
        if str(error).startswith(("no such key", "index out of bounds")):
            return Optional()
        raise


@define("@in")
def _contained(item: Any, value: Any) -> bool:
    if isinstance(value, list):
        if isinstance(item, str):
            return item in value
        return any(equal(item, v) for v in value)
    if isinstance(value, dict):
        return isinstance(item, str | bool | int | float) and item in value
    if isinstance(value, CelObject):
        return isinstance(item, str) and value.has(item)
    raise no_overload()


@define("size")
@define("size", member=True)
def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    if isinstance(value, CelObject):
        return sum(1 for name in value.fields if value.has(name))
    raise no_overload()


@define("contains", member=True)
def _contains(text: Any, part: Any) -> bool:
    texts(text, part)
    return part in text


@define("startsWith", member=True)
def _starts_with(text: Any, part: Any) -> bool:
    texts(text, part)
    return bool(text.startswith(part))


@define("endsWith", member=True)
def _ends_with(text: Any, part: Any) -> bool:
    texts(text, part)
    return bool(text.endswith(part))


@define("matches")
@define("matches", member=True)
def _matches(text: Any, pattern: Any) -> bool:
    texts(text, pattern)
    try:
        return compile_pattern(pattern)(text)
    except PatternError as error:
        raise CelError(str(error)) from None


@define("type")
def _type_of(value: Any) -> TypeValue:
    return TypeValue(type_name(value))


@define("dyn")
def _dyn(value: Any) -> Any:
    return value
