"""The values that rules compute with, and how a JSON value becomes one under its schema.

int, float, str, bytes, bool and None are themselves; lists and maps are Python's. Objects are looked at through
`CelObject`, which converts a field when it is read; lists with a list type compare as Kubernetes says (sets
without order, maps by key).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from opgen.apiserver.cel.syntax import UInt
from opgen.apiserver.cel.types import escape
from opgen.apiserver.schema.node import Node

__all__ = [
    "CelError",
    "CelObject",
    "convert",
    "Duration",
    "equal",
    "KeyedList",
    "Opaque",
    "Optional",
    "parse_duration",
    "parse_timestamp",
    "SetList",
    "Timestamp",
    "type_name",
    "TypeValue",
]

INT64: Final = range(-(2**63), 2**63)


class CelError(Exception):
    """An expression can't be evaluated; the message is cel-go's."""


class Duration(int):
    """A span of time, in nanoseconds."""


@dataclass(frozen=True, slots=True, repr=False)
class Timestamp:
    """A moment, in nanoseconds since the epoch."""

    nanos: int

    def __lt__(self, other: Timestamp) -> bool:
        """Whether it comes before `other`."""
        return self.nanos < other.nanos

    @property
    def moment(self) -> datetime:
        """The moment, to the microsecond, in UTC."""
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.nanos // 1000)


class Optional:
    """A value that may be absent."""

    __slots__ = ("present", "value")

    def __init__(self, present: bool = False, value: Any = None) -> None:
        """Make one with a value, or without."""
        self.present = present
        self.value = value

    def __eq__(self, other: object) -> bool:
        """Whether both are absent, or have equal values."""
        if not isinstance(other, Optional) or self.present != other.present:
            return False
        return not self.present or equal(self.value, other.value)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, repr=False)
class TypeValue:
    """A type as a value, as `type(x)` gives it."""

    name: str


@dataclass(slots=True, repr=False)
class Opaque:
    """A value of one of Kubernetes' own types: `kind` names the type, `value` is what Python works with."""

    kind: str
    value: Any


class CelObject:
    """An object with a schema; fields are read by their escaped names."""

    __slots__ = ("fields", "value")

    def __init__(
        self, value: Mapping[str, Any], fields: Mapping[str, tuple[str, Converter]]
    ) -> None:
        """Look at `value` through the fields of its schema."""
        self.value = value
        self.fields = fields

    def has(self, name: str) -> bool:
        """Whether a field is set."""
        found = self.fields.get(name)
        return found is not None and found[0] in self.value

    def get(self, name: str) -> Any:
        """Return a field; raises `CelError` if it is not set."""
        found = self.fields.get(name)
        if found is None or found[0] not in self.value:
            raise CelError(f"no such key: {name}")
        raw = self.value[found[0]]
        return raw if found[1] is None else found[1](raw)

    def __eq__(self, other: object) -> bool:
        """Whether the same fields have equal values."""
        if not isinstance(other, CelObject):
            return False
        mine = {n for n in self.fields if self.has(n)}
        if mine != {n for n in other.fields if other.has(n)}:
            return False
        return all(equal(self.get(n), other.get(n)) for n in mine)

    __hash__ = None  # type: ignore[assignment]


class SetList(list[Any]):
    """A list of `x-kubernetes-list-type: set`."""


class KeyedList(list[Any]):
    """A list of `x-kubernetes-list-type: map`; `keys` are the escaped names of its key fields."""

    keys: tuple[str, ...] = ()

    def key(self, item: Any) -> tuple[Any, ...]:
        """Return what identifies an item."""
        return tuple(
            item.get(k) if isinstance(item, CelObject) and item.has(k) else None for k in self.keys
        )


Converter = Callable[[Any], Any] | None


def _fields(node: Node, resource: bool) -> dict[str, tuple[str, Converter]]:
    out: dict[str, tuple[str, Converter]] = {}
    for name, sub in node.properties.items():
        escaped = escape(name)
        if escaped is not None and not (resource and name in ("apiVersion", "kind", "metadata")):
            out[escaped] = (name, convert(sub))
            if escaped == f"__{name}__":
                out.setdefault(name, out[escaped])
    if resource:
        names = {"name": ("name", None), "generateName": ("generateName", None)}
        out |= {
            "apiVersion": ("apiVersion", None),
            "kind": ("kind", None),
            "metadata": ("metadata", lambda value: CelObject(value, names)),
        }
    return out


def convert(node: Node) -> Converter:
    """Return what makes a rule's value of a JSON value of this schema; None if it is the value itself."""
    try:
        return node.converter
    except AttributeError:
        node.converter = _made(node)
        return node.converter


def _made(node: Node) -> Converter:
    kind = node.types[0] if len(node.types) == 1 else ""
    if kind == "number":
        return lambda value: (
            float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        )
    if kind == "string":
        return {
            "byte": _bytes,
            "duration": lambda value: (
                parse_duration(value, lenient=True) if isinstance(value, str) else value
            ),
            "date": lambda value: (
                parse_timestamp(value, date=True) if isinstance(value, str) else value
            ),
            "date-time": lambda value: parse_timestamp(value) if isinstance(value, str) else value,
        }.get(node.format)
    if kind == "array":
        return _list(node)
    if kind == "object":
        if isinstance(node.additional, Node):
            below = convert(node.additional)
            if below is None:
                return None
            return lambda value: (
                {k: below(v) for k, v in value.items()} if isinstance(value, dict) else value
            )
        fields: dict[str, tuple[str, Converter]] | None = None

        def look(value: Any) -> Any:
            nonlocal fields
            if not isinstance(value, dict):
                return value
            if fields is None:
                fields = _fields(node, node.root or node.embedded)
            return CelObject(value, fields)

        return look
    return None


def _list(node: Node) -> Converter:
    if node.items is None:
        return None
    below = convert(node.items)
    keys = tuple(escape(k) or k for k in node.map_keys)

    def make(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        items = value if below is None else [None if v is None else below(v) for v in value]
        if node.list_type == "set":
            return SetList(items)
        if node.list_type == "map":
            made = KeyedList(items)
            made.keys = keys
            return made
        return items

    return None if below is None and node.list_type not in ("set", "map") else make


def _bytes(value: Any) -> Any:
    return base64.b64decode(value) if isinstance(value, str) else value


def type_name(value: Any) -> str:
    """Return the name of a value's type."""
    if value is None:
        return "null_type"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, UInt):
        return "uint"
    if isinstance(value, Duration):
        return "google.protobuf.Duration"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "double"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bytes):
        return "bytes"
    if isinstance(value, list):
        return "list"
    if isinstance(value, dict | CelObject):
        return "map"
    if isinstance(value, Timestamp):
        return "google.protobuf.Timestamp"
    if isinstance(value, Optional):
        return "optional_type"
    if isinstance(value, Opaque):
        return value.kind
    return "type"


def equal(a: Any, b: Any) -> bool:
    """Compare as CEL does: numbers across types, nothing else across types."""
    if a is b:
        return not (isinstance(a, float) and a != a)
    kind_a, kind_b = type(a), type(b)
    if kind_a is str or kind_b is str:
        return bool(a == b) if kind_a is kind_b else False
    if kind_a is bool or kind_b is bool:
        return kind_a is kind_b and a == b
    if isinstance(a, int | float) and isinstance(b, int | float):
        if isinstance(a, Duration) or isinstance(b, Duration):
            return kind_a is kind_b and int(a) == int(b)
        return a == b
    if isinstance(a, list) and isinstance(b, list):
        return _lists_equal(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(v, b[k]) for k, v in a.items())
    return bool(a == b) if kind_a is kind_b else False


def _lists_equal(a: list[Any], b: list[Any]) -> bool:
    if len(a) != len(b):
        return False
    if isinstance(a, SetList) or isinstance(b, SetList):
        return all(any(equal(x, y) for y in b) for x in a)
    if isinstance(a, KeyedList) and isinstance(b, KeyedList):
        theirs = {b.key(item): item for item in b}
        return all(a.key(item) in theirs and equal(item, theirs[a.key(item)]) for item in a)
    return all(equal(x, y) for x, y in zip(a, b, strict=True))


_UNITS: Final = {
    "ns": 1,
    "us": 1000,
    "µs": 1000,
    "μs": 1000,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)")
_LENIENT_UNITS: Final = {
    **_UNITS,
    **dict.fromkeys(("nanosecond", "nanoseconds", "nano", "nanos"), 1),
    **dict.fromkeys(("microsecond", "microseconds", "micro", "micros"), 1000),
    **dict.fromkeys(("millisecond", "milliseconds", "milli", "millis"), 10**6),
    **dict.fromkeys(("second", "seconds", "sec", "secs"), 10**9),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60 * 10**9),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), 3600 * 10**9),
    **dict.fromkeys(("day", "days", "d"), 86400 * 10**9),
    **dict.fromkeys(("week", "weeks", "w"), 7 * 86400 * 10**9),
}
_LENIENT: Final = re.compile(rf"\s*(\d+(?:\.\d+)?)\s*({'|'.join(_LENIENT_UNITS)})")


def parse_duration(text: str, *, lenient: bool = False) -> Duration:
    """Parse Go's notation of a duration; `lenient` takes what the format `duration` of a schema takes too (`1 day`).

    Raises:
        CelError: it is none.
    """
    body = text[1:] if text[:1] in ("+", "-") else text
    if body == "0":
        return Duration(0)
    total, at = 0, 0
    while at < len(body):
        found = _PART.match(body, at)
        if found is None:
            break
        total += int(Fraction(found.group(1).rstrip(".") or "0") * _UNITS[found.group(2)])
        at = found.end()
    if body and at == len(body) and total < 2**63:
        return Duration(-total if text.startswith("-") else total)
    if lenient and (long := _LENIENT.fullmatch(body)):
        return Duration(int(Fraction(long.group(1)) * _LENIENT_UNITS[long.group(2)]))
    raise CelError("type conversion error from 'string' to 'google.protobuf.Duration'")


_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)"
)


@lru_cache(maxsize=4096)
def parse_timestamp(text: str, *, date: bool = False) -> Timestamp:
    """Parse an RFC 3339 time (or a date).

    Raises:
        CelError: it is none.
    """
    if date:
        text += "T00:00:00Z"
    found = _RFC3339.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        zone = "+00:00" if found.group(8) in "Zz" else found.group(8)
        whole = datetime.fromisoformat(f"{text[:10]}T{text[11:19]}{zone}")
    except ValueError:
        raise CelError(
            "type conversion error from 'string' to 'google.protobuf.Timestamp'"
        ) from None
    nanos = int((found.group(7) or "").ljust(9, "0"))
    return Timestamp(int(whole.timestamp()) * 10**9 + nanos)
