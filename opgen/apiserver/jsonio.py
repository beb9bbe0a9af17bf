"""JSON as the API server reads and writes it: Go's numbers, duplicate keys noticed, compact output.

Go decodes a number to int64 if it is written as an integer that fits, else to float64, and writes an integral
float64 without a fraction, so `1.0` comes back as `1`. Here such a float becomes an int while decoding, which
gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

__all__ = ["decode", "DuplicateKeys", "encode", "encode_text", "JsonError"]

_LONG_INTEGER: Final = re.compile(rb"\d{19}")
_INT64: Final = range(-(2**63), 2**63)


class JsonError(ValueError):
    """The text is no JSON; the message is worded as Go's decoder words it."""


class DuplicateKeys(dict[str, Any]):
    """An object some of whose keys were given twice; the last value counts, `repeated` names them."""

    repeated: tuple[str, ...] = ()


def _number(text: str) -> int | float:
    value = float(text)
    if value.is_integer() and abs(value) < 1e21:
        return int(value)
    if value in (float("inf"), float("-inf")):
        raise JsonError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return value


def _integer(text: str) -> int | float:
    value = int(text)
    return value if value in _INT64 else float(text)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    seen: set[str] = set()
    again: dict[str, None] = {}
    for key, _ in pairs:
        if key in seen:
            again[key] = None
        seen.add(key)
    marked = DuplicateKeys(made)
    marked.repeated = tuple(again)
    return marked


def _constant(text: str) -> Any:
    raise JsonError(f"invalid character {text[0]!r} looking for beginning of value")


_plain: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_number, parse_constant=_constant
).decode
_careful: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_number, parse_int=_integer, parse_constant=_constant
).decode

_encoder: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
encode_text: Final[Callable[[Any], str]] = _encoder.encode


def encode(value: Any) -> bytes:
    """Return `value` as compact UTF-8 JSON; integral floats are written as Go does only if they were decoded here."""
    return encode_text(value).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Any:
    """Parse `data`; raises `JsonError` with Go's words for what is wrong.

    Objects with repeated keys come back as `DuplicateKeys`.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    try:
        return (_careful if _LONG_INTEGER.search(data) else _plain)(text)
    except json.JSONDecodeError as error:
        raise JsonError(_wording(text, error)) from None
    except RecursionError:
        raise JsonError("exceeded max depth") from None


def _wording(text: str, error: json.JSONDecodeError) -> str:
    at = error.pos
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    if at >= len(text) or "Unterminated string" in error.msg:
        return "unexpected end of JSON input"
    char = "'\\''" if text[at] == "'" else f"'{text[at]}'"
    if "Extra data" in error.msg:
        return f"invalid character {char} after top-level value"
    if "property name" in error.msg:
        where = "looking for beginning of object key string"
    elif "':' delimiter" in error.msg:
        where = "after object key"
    elif "',' delimiter" in error.msg:
        where = "after object key:value pair" if _in_object(text, at) else "after array element"
    elif "control character" in error.msg or "escape" in error.msg:
        where = "in string literal"
    else:
        where = "looking for beginning of value"
    return f"invalid character {char} {where}"


def _in_object(text: str, until: int) -> bool:
    """Whether position `until` lies directly in an object rather than a list."""
    stack: list[str] = []
    quoted = escaped = False
    for char in text[:until]:
        if quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in "{[":
            stack.append(char)
        elif char in "}]" and stack:
            stack.pop()
    return bool(stack) and stack[-1] == "{"
