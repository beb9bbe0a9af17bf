"""CEL's conversions between types, and what can be asked of times and durations."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final

from opgen.apiserver.cel.formatting import go_number, plain_text
from opgen.apiserver.cel.functions import FUNCTIONS, define, in_range, no_overload, plain_int
from opgen.apiserver.cel.syntax import UInt
from opgen.apiserver.cel.values import (
    INT64,
    CelError,
    Duration,
    Opaque,
    Timestamp,
    parse_duration,
    parse_timestamp,
    type_name,
)

__all__ = []

_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def _cannot(value: Any, name: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{name}'")


@define("bool")
def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _BOOLS:
        return _BOOLS[value]
    raise _cannot(value, "bool") if isinstance(value, str) else no_overload()


@define("int")
def _to_int(value: Any) -> int:
    if isinstance(value, Duration):
        return int(value) // 10**9
    if plain_int(value):
        return int(in_range(int(value), int))
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
    raise no_overload()


@define("uint")
def _to_uint(value: Any) -> UInt:
    if plain_int(value):
        return UInt(in_range(int(value), UInt))
    if isinstance(value, float):
        if value != value or not 0 <= value < 2.0**64:
            raise CelError("unsigned integer overflow")
        return UInt(int(value))
    if isinstance(value, str):
        if re.fullmatch(r"\+?\d+", value) and int(value) < 2**64:
            return UInt(int(value))
        raise _cannot(value, "uint")
    raise no_overload()


@define("double")
def _to_double(value: Any) -> float:
    if isinstance(value, float):
        return value
    if plain_int(value):
        return float(value)
    if isinstance(value, str):
        try:
            if "_" in value or value.strip() != value:
                raise ValueError
            return float(value)
        except ValueError:
            raise _cannot(value, "double") from None
    raise no_overload()


@define("string")
def _to_string(value: Any) -> str:
    text = plain_text(value)
    if text is not None:
        return text
    if isinstance(value, float):
        return go_number(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, Opaque) and value.kind in ("net.IP", "net.CIDR"):
        return str(value.value)
    raise no_overload()


@define("bytes")
def _to_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    raise no_overload()


@define("timestamp")
def _to_timestamp(value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, str):
        return parse_timestamp(value)
    if plain_int(value):
        return Timestamp(int(value) * 10**9)
    raise no_overload()


@define("duration")
def _to_duration(value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    if isinstance(value, str):
        return parse_duration(value)
    if plain_int(value):
        return in_range(int(value), Duration)  # type: ignore[no-any-return]
    raise no_overload()


def _zone(name: Any) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if not isinstance(name, str):
        raise no_overload()
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
            raise no_overload()
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
