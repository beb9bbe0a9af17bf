"""`string.format()` and the texts of values in it, as cel-go's string extension writes them."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from opgen.apiserver.cel.functions import plain_int
from opgen.apiserver.cel.values import (
    CelError,
    CelObject,
    Duration,
    Timestamp,
    TypeValue,
    type_name,
)
from opgen.apiserver.status import go_float

__all__ = ["format_text", "go_number", "plain_text", "quoted", "shown"]

_CLAUSE: Final = re.compile(r"%(?:(%)|(?:\.(\d+))?([a-zA-Z])?)")
_ESCAPES: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


def go_number(value: float) -> str:
    """Return a double as Go writes it in its shortest form."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return go_float(value)


def quoted(text: str) -> str:
    """Return a text in double quotes, escaped."""
    return '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'


def plain_text(value: Any) -> str | None:
    """Return a value as both `string()` and `%s` write it; None if they don't."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Duration):
        return f"{go_number(int(value) / 10**9)}s"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Timestamp):
        text = value.moment.strftime("%Y-%m-%dT%H:%M:%S")
        nanos = f".{value.nanos % 10**9:09d}".rstrip("0") if value.nanos % 10**9 else ""
        return f"{text}{nanos}Z"
    return None


def shown(value: Any) -> str:
    """Return a value as `%s` shows it."""
    text = plain_text(value)
    if text is not None:
        return text
    if value is None:
        return "null"
    if isinstance(value, float):
        return {"+Inf": "Infinity", "-Inf": "-Infinity"}.get(go_number(value), go_number(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list):
        return "[" + ", ".join(shown(v) for v in value) + "]"
    if isinstance(value, CelObject):
        value = {n: value.get(n) for n in value.fields if value.has(n)}
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{shown(k)}: {shown(value[k])}" for k in sorted(value, key=shown))
            + "}"
        )
    if isinstance(value, TypeValue):
        return value.name
    raise _bad("string", value)


def _bad(clause: str, value: Any) -> CelError:
    if clause == "string":
        return CelError(
            "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, "
            f"lists, types, durations, and timestamps, was given {type_name(value)}"
        )
    wanted = {
        "decimal": "integers",
        "fixed-point": "doubles",
        "scientific": "doubles",
        "binary": "integers and bools",
        "octal": "integers",
        "hex": "integers, byte buffers, and strings",
    }[clause]
    return CelError(
        f"error during formatting: {clause} clause can only be used on {wanted}, was given {type_name(value)}"
    )


def _clause(kind: str, precision: int | None, value: Any) -> str:
    if kind == "s":
        return shown(value)
    if kind == "d":
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        if not plain_int(value):
            raise _bad("decimal", value)
        return str(int(value))
    if kind in ("f", "e"):
        if not isinstance(value, float) and not plain_int(value):
            raise _bad("fixed-point" if kind == "f" else "scientific", value)
        digits = 6 if precision is None else precision
        return f"{float(value):.{digits}{kind}}"
    if kind == "b":
        if isinstance(value, bool):
            return "1" if value else "0"
        if not plain_int(value):
            raise _bad("binary", value)
        return f"{int(value):b}"
    if kind == "o":
        if not plain_int(value):
            raise _bad("octal", value)
        return f"{int(value):o}"
    if kind in ("x", "X"):
        if plain_int(value):
            return f"{int(value):{kind}}"
        if isinstance(value, str | bytes):
            made = (value.encode() if isinstance(value, str) else value).hex()
            return made.upper() if kind == "X" else made
        raise _bad("hex", value)
    raise CelError(f'could not parse formatting clause: unrecognized formatting clause "{kind}"')


def format_text(text: str, values: list[Any]) -> str:
    """Return `text` with its clauses filled in; raises `CelError`."""
    used = 0

    def fill(found: re.Match[str]) -> str:
        nonlocal used
        if found.group(1):
            return "%"
        if not found.group(3):
            raise CelError("unexpected end of string")
        if used >= len(values):
            raise CelError(f"index {used} out of range")
        value = values[used]
        used += 1
        return _clause(found.group(3), int(found.group(2)) if found.group(2) else None, value)

    return _CLAUSE.sub(fill, text)
