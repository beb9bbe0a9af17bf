"""`string.format()` and the texts of values in it, as cel-go's string extension writes them."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from opgen.apiserver.cel.syntax import UInt
from opgen.apiserver.cel.values import (
    CelError,
    CelObject,
    Duration,
    Timestamp,
    TypeValue,
    type_name,
)

__all__ = ["format_text", "go_number", "quoted", "shown"]

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
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    text = repr(value)
    if "e" not in text:
        return text
    mantissa, _, exponent = text.partition("e")
    sign = "-" if exponent.startswith("-") else "+"
    return f"{mantissa.removesuffix('.0')}e{sign}{exponent.lstrip('+-').zfill(2)}"


def quoted(text: str) -> str:
    """Return a text in double quotes, escaped."""
    return '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'


def shown(value: Any) -> str:
    """Return a value as `%s` shows it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Duration):
        return f"{go_number(int(value) / 10**9)}s"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return {"+Inf": "Infinity", "-Inf": "-Infinity"}.get(go_number(value), go_number(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Timestamp):
        from opgen.apiserver.cel.conversions import to_string

        return to_string(value)
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


def _number(value: Any) -> bool:
    return isinstance(value, int | UInt) and not isinstance(value, bool | Duration)


def _clause(kind: str, precision: int | None, value: Any) -> str:
    if kind == "s":
        return shown(value)
    if kind == "d":
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        if not _number(value):
            raise _bad("decimal", value)
        return str(int(value))
    if kind in ("f", "e"):
        if not isinstance(value, float) and not _number(value):
            raise _bad("fixed-point" if kind == "f" else "scientific", value)
        digits = 6 if precision is None else precision
        return f"{float(value):.{digits}{kind}}"
    if kind == "b":
        if isinstance(value, bool):
            return "1" if value else "0"
        if not _number(value):
            raise _bad("binary", value)
        return f"{int(value):b}"
    if kind == "o":
        if not _number(value):
            raise _bad("octal", value)
        return f"{int(value):o}"
    if kind in ("x", "X"):
        if _number(value):
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
