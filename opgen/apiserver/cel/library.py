"""CEL's own functions and its string, list and set extensions.

A function takes Python values and dispatches on their types; what it can't take is `no such overload`, as in cel-go.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any, Final

from opgen.apiserver.cel.formatting import format_text, go_number, quoted
from opgen.apiserver.cel.syntax import UInt
from opgen.apiserver.cel.values import (
    INT64,
    CelError,
    CelObject,
    Duration,
    KeyedList,
    Opaque,
    Optional,
    SetList,
    Timestamp,
    TypeValue,
    equal,
    parse_duration,
    parse_timestamp,
    type_name,
)
from opgen.apiserver.re2 import PatternError, compile_pattern

__all__ = ["FUNCTIONS", "Function"]

Function = Callable[..., Any]
FUNCTIONS: Final[dict[tuple[str, bool], Function]] = {}


def _no() -> CelError:
    return CelError("no such overload")


def define(*names: str, member: bool = False) -> Callable[[Function], Function]:
    """Register a function under its names."""

    def register(function: Function) -> Function:
        for name in names:
            FUNCTIONS[name, member] = function
        return function

    return register


def _plain_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool | Duration)


def _same_number(a: Any, b: Any) -> type | None:
    """Return the numeric type of both, None if they differ or are no numbers."""
    kind = type(a)
    if kind is not type(b):
        return None
    return kind if kind in (int, float, UInt, Duration) else None


def _whole(value: int, kind: type) -> Any:
    if kind is UInt:
        if not 0 <= value < 2**64:
            raise CelError("unsigned integer overflow")
        return UInt(value)
    if value not in INT64:
        raise CelError("duration overflow" if kind is Duration else "integer overflow")
    return Duration(value) if kind is Duration else value


@define("_+_")
def add(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a + b
    if kind is not None:
        return _whole(int(a) + int(b), kind)
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
    raise _no()


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
def subtract(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a - b
    if kind is not None:
        return _whole(int(a) - int(b), kind)
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        return Duration(a.nanos - b.nanos)
    if isinstance(a, Timestamp) and isinstance(b, Duration):
        return Timestamp(a.nanos - int(b))
    raise _no()


@define("_*_")
def multiply(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a * b
    if kind in (int, UInt):
        return _whole(int(a) * int(b), kind)
    raise _no()


@define("_/_")
def divide(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind is float:
        return a / b if b else math.copysign(math.inf, a) * math.copysign(1.0, b) if a else math.nan
    if kind in (int, UInt):
        if not b:
            raise CelError("division by zero")
        quotient = abs(int(a)) // abs(int(b))
        return _whole(-quotient if (a < 0) != (b < 0) else quotient, kind)
    raise _no()


@define("_%_")
def modulo(a: Any, b: Any) -> Any:
    kind = _same_number(a, b)
    if kind not in (int, UInt):
        raise _no()
    if not b:
        raise CelError("modulus by zero")
    rest = abs(int(a)) % abs(int(b))
    return _whole(-rest if a < 0 else rest, kind)


@define("-_")
def negate(a: Any) -> Any:
    if isinstance(a, float):
        return -a
    if isinstance(a, Duration):
        return _whole(-int(a), Duration)
    if _plain_int(a) and not isinstance(a, UInt):
        return _whole(-a, int)
    raise _no()


def compare(a: Any, b: Any) -> int:
    """Order two values; raises `CelError` if they have no order."""
    if isinstance(a, bool) or isinstance(b, bool):
        if not (isinstance(a, bool) and isinstance(b, bool)):
            raise _no()
    elif isinstance(a, int | float) and isinstance(b, int | float):
        if isinstance(a, Duration) != isinstance(b, Duration):
            raise _no()
    elif type(a) is not type(b) or not isinstance(a, str | bytes | Timestamp):
        raise _no()
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
def index(value: Any, key: Any) -> Any:
    if isinstance(value, Optional):
        return _index_maybe(value, key)
    if isinstance(value, list):
        if isinstance(key, float) and key.is_integer():
            key = int(key)
        if not _plain_int(key):
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
    raise _no()


@define("_[?_]")
def _index_maybe(value: Any, key: Any) -> Optional:
    if isinstance(value, Optional):
        if not value.present:
            return value
        value = value.value
    try:
        return Optional(True, index(value, key))
    except CelError as error:
        if str(error).startswith(("no such key", "index out of bounds")):
            return Optional()
        raise


@define("@in")
def contained(item: Any, value: Any) -> bool:
    if isinstance(value, list):
        if isinstance(item, str):
            return item in value
        return any(equal(item, v) for v in value)
    if isinstance(value, dict):
        return isinstance(item, str | bool | int | float) and item in value
    if isinstance(value, CelObject):
        return isinstance(item, str) and value.has(item)
    raise _no()


@define("size")
@define("size", member=True)
def size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    if isinstance(value, CelObject):
        return sum(1 for name in value.fields if value.has(name))
    raise _no()


def _texts(*values: Any) -> None:
    for value in values:
        if not isinstance(value, str):
            raise _no()


@define("contains", member=True)
def contains(text: Any, part: Any) -> bool:
    _texts(text, part)
    return part in text


@define("startsWith", member=True)
def starts_with(text: Any, part: Any) -> bool:
    _texts(text, part)
    return bool(text.startswith(part))


@define("endsWith", member=True)
def ends_with(text: Any, part: Any) -> bool:
    _texts(text, part)
    return bool(text.endswith(part))


@define("matches")
@define("matches", member=True)
def matches(text: Any, pattern: Any) -> bool:
    _texts(text, pattern)
    try:
        return compile_pattern(pattern)(text)
    except PatternError as error:
        raise CelError(str(error)) from None


@define("type")
def type_of(value: Any) -> TypeValue:
    return TypeValue(type_name(value))


@define("dyn")
def dyn(value: Any) -> Any:
    return value


def _cannot(value: Any, name: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{name}'")


@define("bool")
def to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    found = {
        **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
        **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
    }
    if isinstance(value, str) and value in found:
        return found[value]
    raise _cannot(value, "bool") if isinstance(value, str) else _no()


@define("int")
def to_int(value: Any) -> int:
    if isinstance(value, Duration):
        return int(value) // 10**9
    if _plain_int(value):
        return int(_whole(int(value), int))
    if isinstance(value, float):
        if value != value or not -(2.0**63) < value < 2.0**63:
            raise CelError("integer overflow")
        return int(value)
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?\d+", value) and int(value) in INT64:
            return int(value)
        raise _cannot(value, "int")
    if isinstance(value, Timestamp):
        return value.nanos // 10**9
    raise _no()


@define("uint")
def to_uint(value: Any) -> UInt:
    if _plain_int(value):
        return UInt(_whole(int(value), UInt))
    if isinstance(value, float):
        if value != value or not 0 <= value < 2.0**64:
            raise CelError("unsigned integer overflow")
        return UInt(int(value))
    if isinstance(value, str):
        if re.fullmatch(r"\+?\d+", value) and int(value) < 2**64:
            return UInt(int(value))
        raise _cannot(value, "uint")
    raise _no()


@define("double")
def to_double(value: Any) -> float:
    if isinstance(value, float):
        return value
    if _plain_int(value):
        return float(value)
    if isinstance(value, str):
        try:
            if "_" in value or value.strip() != value:
                raise ValueError
            return float(value)
        except ValueError:
            raise _cannot(value, "double") from None
    raise _no()


@define("string")
def to_string(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Duration):
        return f"{go_number(int(value) / 10**9)}s"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return go_number(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, Timestamp):
        text = value.moment.strftime("%Y-%m-%dT%H:%M:%S")
        nanos = f".{value.nanos % 10**9:09d}".rstrip("0") if value.nanos % 10**9 else ""
        return f"{text}{nanos}Z"
    if isinstance(value, Opaque) and value.kind in ("net.IP", "net.CIDR"):
        return str(value.value)
    raise _no()


@define("bytes")
def to_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise _no()


@define("timestamp")
def to_timestamp(value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, str):
        return parse_timestamp(value)
    if _plain_int(value):
        return Timestamp(int(value) * 10**9)
    raise _no()


@define("duration")
def to_duration(value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    if isinstance(value, str):
        return parse_duration(value)
    if _plain_int(value):
        return _whole(int(value), Duration)  # type: ignore[no-any-return]
    raise _no()


def _zone(name: Any) -> tzinfo:
    from datetime import UTC, timedelta, timezone
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if not isinstance(name, str):
        raise _no()
    found = re.fullmatch(r"([+-]?)(\d\d):(\d\d)", name)
    if found:
        minutes = int(found.group(2)) * 60 + int(found.group(3))
        return timezone(timedelta(minutes=-minutes if found.group(1) == "-" else minutes))
    if name in ("", "UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise CelError(f"unknown time zone {name}") from None


def _part(name: str, read: Callable[[datetime], int], unit: int = 0) -> None:
    def get(value: Any, zone: Any = "UTC") -> int:
        if isinstance(value, Duration) and unit:
            return int(int(value) / unit) if name != "getMilliseconds" else int(value) // 10**6
        if not isinstance(value, Timestamp):
            raise _no()
        return read(value.moment.astimezone(_zone(zone)))

    FUNCTIONS[name, True] = get


_part("getFullYear", lambda m: m.year)
_part("getMonth", lambda m: m.month - 1)
_part("getDate", lambda m: m.day)
_part("getDayOfMonth", lambda m: m.day - 1)
_part("getDayOfWeek", lambda m: (m.weekday() + 1) % 7)
_part("getDayOfYear", lambda m: m.timetuple().tm_yday - 1)
_part("getHours", lambda m: m.hour, 3600 * 10**9)
_part("getMinutes", lambda m: m.minute, 60 * 10**9)
_part("getSeconds", lambda m: m.second, 10**9)
_part("getMilliseconds", lambda m: m.microsecond // 1000, 10**6)


@define("optional.of")
def optional_of(value: Any) -> Optional:
    return Optional(True, value)


@define("optional.ofNonZeroValue")
def optional_non_zero(value: Any) -> Optional:
    zero = value is None or (isinstance(value, str | bytes | int | float | list | dict) and not value)
    return Optional() if zero else Optional(True, value)


@define("optional.none")
def optional_none() -> Optional:
    return Optional()


def _optional(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise _no()
    return value


@define("hasValue", member=True)
def has_value(value: Any) -> bool:
    return _optional(value).present


@define("value", member=True)
def value_of(value: Any) -> Any:
    if not _optional(value).present:
        raise CelError("optional.none() dereference")
    return value.value


@define("unwrapOpt", member=True)
@define("optional.unwrap")
def unwrap(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise _no()
    return [v.value for v in values if _optional(v).present]


def _int_argument(value: Any) -> int:
    if not _plain_int(value):
        raise _no()
    return int(value)


@define("charAt", member=True)
def char_at(text: Any, at: Any) -> str:
    _texts(text)
    number = _int_argument(at)
    if not 0 <= number <= len(text):
        raise CelError(f"index out of range: {number}")
    return str(text[number : number + 1])


@define("indexOf", member=True)
def index_of(value: Any, part: Any, start: Any = 0) -> int:
    if isinstance(value, list):
        return next((i for i, v in enumerate(value) if equal(v, part)), -1)
    _texts(value, part)
    number = _int_argument(start)
    if not 0 <= number <= len(value):
        raise CelError(f"index out of range: {number}")
    return int(value.find(part, number))


@define("lastIndexOf", member=True)
def last_index_of(value: Any, part: Any, start: Any = None) -> int:
    if isinstance(value, list):
        return next((i for i in range(len(value) - 1, -1, -1) if equal(value[i], part)), -1)
    _texts(value, part)
    if start is None:
        return int(value.rfind(part))
    number = _int_argument(start)
    if not 0 <= number <= len(value):
        raise CelError(f"index out of range: {number}")
    return int(value.rfind(part, 0, number + len(part)))


@define("lowerAscii", member=True)
def lower_ascii(text: Any) -> str:
    _texts(text)
    return "".join(c.lower() if c.isascii() else c for c in text)


@define("upperAscii", member=True)
def upper_ascii(text: Any) -> str:
    _texts(text)
    return "".join(c.upper() if c.isascii() else c for c in text)


@define("replace", member=True)
def replace(text: Any, old: Any, new: Any, count: Any = -1) -> str:
    _texts(text, old, new)
    return str(text.replace(old, new, _int_argument(count)))


@define("split", member=True)
def split(text: Any, by: Any, count: Any = -1) -> list[str]:
    _texts(text, by)
    number = _int_argument(count)
    if number == 0:
        return []
    if not by:
        parts = list(text)
        return parts if number < 0 or number >= len(parts) else [*parts[: number - 1], "".join(parts[number - 1 :])]
    return list(text.split(by, number - 1 if number > 0 else -1))


@define("substring", member=True)
def substring(text: Any, start: Any, end: Any = None) -> str:
    _texts(text)
    first = _int_argument(start)
    last = len(text) if end is None else _int_argument(end)
    if not 0 <= first <= len(text):
        raise CelError(f"index out of range: {first}")
    if not 0 <= last <= len(text):
        raise CelError(f"index out of range: {last}")
    if first > last:
        raise CelError(f"invalid substring range. start: {first}, end: {last}")
    return str(text[first:last])


@define("trim", member=True)
def trim(text: Any) -> str:
    _texts(text)
    return str(text.strip())


@define("reverse", member=True)
def reverse(value: Any) -> Any:
    if isinstance(value, list):
        return list(reversed(value))
    _texts(value)
    return value[::-1]


@define("join", member=True)
def join(values: Any, by: Any = "") -> str:
    if not isinstance(values, list):
        raise _no()
    _texts(by, *values)
    return str(by.join(values))


@define("format", member=True)
def format_(text: Any, values: Any) -> str:
    _texts(text)
    if not isinstance(values, list):
        raise _no()
    return format_text(text, values)


@define("strings.quote")
def quote(text: Any) -> str:
    _texts(text)
    return quoted(text)


@define("find", member=True)
def find(text: Any, pattern: Any) -> str:
    found = find_all(text, pattern, 1)
    return found[0] if found else ""


@define("findAll", member=True)
def find_all(text: Any, pattern: Any, count: Any = -1) -> list[str]:
    _texts(text, pattern)
    number = _int_argument(count)
    try:
        compile_pattern(pattern)
        rx = re.compile(pattern, re.ASCII)
    except PatternError as error:
        raise CelError(f"Illegal regex: {error}") from None
    except re.error as error:
        raise CelError(f"Illegal regex: {error}") from None
    found = [m.group(0) for m in rx.finditer(text)]
    return found if number < 0 else found[:number]


@define("base64.encode")
def base64_encode(data: Any) -> str:
    if not isinstance(data, bytes):
        raise _no()
    return base64.b64encode(data).decode()


@define("base64.decode")
def base64_decode(text: Any) -> bytes:
    _texts(text)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise CelError("illegal base64 data at input byte 0") from None


def _lists(*values: Any) -> None:
    for value in values:
        if not isinstance(value, list):
            raise _no()


@define("sets.contains")
def sets_contains(a: Any, b: Any) -> bool:
    _lists(a, b)
    return all(any(equal(x, y) for x in a) for y in b)


@define("sets.equivalent")
def sets_equivalent(a: Any, b: Any) -> bool:
    return sets_contains(a, b) and sets_contains(b, a)


@define("sets.intersects")
def sets_intersects(a: Any, b: Any) -> bool:
    _lists(a, b)
    return any(equal(x, y) for x in a for y in b)


@define("isSorted", member=True)
def is_sorted(values: Any) -> bool:
    _lists(values)
    return all(compare(a, b) <= 0 for a, b in zip(values, values[1:], strict=False))


@define("sum", member=True)
def total(values: Any) -> Any:
    _lists(values)
    out: Any = None
    for value in values:
        out = value if out is None else add(out, value)
    return 0 if out is None else out


def _extreme(name: str, sign: int) -> None:
    def get(values: Any) -> Any:
        _lists(values)
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
def sort(values: Any) -> list[Any]:
    from functools import cmp_to_key

    _lists(values)
    return sorted(values, key=cmp_to_key(compare))


@define("slice", member=True)
def slice_(values: Any, start: Any, end: Any) -> list[Any]:
    _lists(values)
    first, last = _int_argument(start), _int_argument(end)
    if first < 0 or last < 0:
        raise CelError(f"cannot slice({first}, {last}), negative indexes not supported")
    if first > last:
        raise CelError(f"cannot slice({first}, {last}), start index must be less than or equal to end index")
    if last > len(values):
        raise CelError(f"cannot slice({first}, {last}), list is length {len(values)}")
    return list(values[first:last])


@define("distinct", member=True)
def distinct(values: Any) -> list[Any]:
    _lists(values)
    out: list[Any] = []
    for value in values:
        if not any(equal(value, seen) for seen in out):
            out.append(value)
    return out


@define("flatten", member=True)
def flatten(values: Any, depth: Any = 1) -> list[Any]:
    _lists(values)
    number = _int_argument(depth)
    if number < 0:
        raise CelError("level must be non-negative")
    out: list[Any] = []
    for value in values:
        if isinstance(value, list) and number > 0:
            out.extend(flatten(value, number - 1))
        else:
            out.append(value)
    return out


@define("first", member=True)
def first(values: Any) -> Optional:
    _lists(values)
    return Optional(True, values[0]) if values else Optional()


@define("last", member=True)
def last(values: Any) -> Optional:
    _lists(values)
    return Optional(True, values[-1]) if values else Optional()


@define("lists.range")
def range_(count: Any) -> list[int]:
    return list(range(min(_int_argument(count), 1_000_000)))


from opgen.apiserver.cel import kubernetes as _kubernetes  # noqa: E402  registers its functions in FUNCTIONS

_kubernetes.register(FUNCTIONS)
