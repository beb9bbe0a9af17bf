"""Plain scalars to JSON values, by the rules that kubectl and the API server read YAML with.

Both decode with goyaml.v2 into Go values and go on through JSON text, so what counts is what is left after both steps:
`on` is true, `1e3` and `1.0` are the integers 1000 and 1, `017` and `0o17` are 15, `08` is 8, and `1:30`, `=`,
`2024-01-01` and a number too large for a float are strings. PyYAML's own resolver agrees with little of that.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from functools import lru_cache
from typing import Any

__all__ = ["BadScalar", "float_value", "HINTS", "key_text", "plain", "tagged"]

HINTS = frozenset("+-.0123456789yYnNtTfFoO~")
"""First characters that a plain scalar which is no string can have; the empty one is null."""

_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
for _word in ("y", "yes", "on", "true"):
    _WORDS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), True)
for _word in ("n", "no", "off", "false"):
    _WORDS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), False)
_NOT_JSON = {".nan", ".NaN", ".NAN"} | {
    sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SHORT = "tag:yaml.org,2002:"


class BadScalar(ValueError):
    """A scalar that JSON can't hold, or that is not what its tag says; its argument says why, for people."""


@lru_cache(maxsize=8192)
def plain(text: str) -> Any:
    """Return what an unquoted scalar without a tag stands for.

    Raises BadScalar for infinities and not-a-number, which have no JSON.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text in _NOT_JSON:
        raise BadScalar(f'"{text}" has no JSON value, expected a finite number')
    if text[0] not in "+-.0123456789":
        return text
    # Underscores may stand anywhere in a number, but not in one that starts with a dot.
    digits = text if text[0] == "." else text.replace("_", "")
    if match := _INTEGER.fullmatch(digits):
        sign, sixteen, two, eight, ten = match.groups()
        body = sixteen or two or eight or ten
        base = 16 if sixteen else 2 if two else 8 if eight else 10
        # Above 64 bits a decimal is read as a float; the length check keeps int() from refusing what nobody needs.
        if base != 10 or len(body) <= 20:
            number = -int(body, base) if sign == "-" else int(body, base)
            if -(2**63) <= number < 2**64 or base != 10:
                return number
    if _FLOAT.fullmatch(digits):
        value = float_value(digits)
        return text if value is None else value
    return text


def float_value(digits: str) -> int | float | None:
    """Return what a decimal fraction is after a trip through Go's JSON: an int where that has no point.

    None if it is too large for a float of 64 bits.
    """
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        return None
    if number.is_integer() and -(2**63) <= number < 2**63:
        # Go writes the shortest digits that read back as the same float, and then reads those as an integer.
        return int(Decimal(repr(number)))
    return number


def tagged(tag: str, text: str) -> Any:
    """Return what a scalar with an explicit tag stands for.

    Raises BadScalar if the text is not what the tag says, or the tag has no JSON value. Tags of applications are
    refused, although goyaml takes them as strings: one in a CRD is a mistake or an attack.
    """
    name = tag.removeprefix(_SHORT)
    if tag == "!" or (tag != name and name in ("str", "timestamp", "value", "merge")):
        return text
    if tag == name or name not in ("bool", "float", "int", "null"):
        shown = f"!!{name}" if tag != name else tag
        raise BadScalar(
            f'the tag "{shown}" has no JSON value, expected none or !!str, !!int, !!float, !!bool, !!null'
        )
    value = plain(text)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = {
        "bool": isinstance(value, bool),
        "float": number,
        "int": number and _INTEGER.fullmatch(text.replace("_", "")) is not None,
        "null": value is None,
    }
    if not fits[name]:
        raise BadScalar(f'"{text}" is no !!{name}')
    return value


def key_text(value: Any) -> str:
    """Return the JSON key that a YAML key becomes.

    Raises BadScalar for null and for what is no scalar, which kubectl refuses too.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return str(value)
    if isinstance(value, float):
        return _go_float32(value)
    what = {dict: "a mapping", list: "a list", int: "a number of more than 64 bits"}.get(
        type(value), "null"
    )
    raise BadScalar(f"a key is {what}, expected a string")


def _go_float32(value: float) -> str:
    """Return a float as Go's `FormatFloat(value, 'g', -1, 32)` writes it, which is what becomes of such a key."""
    try:
        single = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    text = next(
        text
        for precision in range(9)
        if struct.unpack("<f", struct.pack("<f", float(text := f"{single:.{precision}e}")))[0]
        == single
    )
    mantissa, _, exponent = text.partition("e")
    power = int(exponent)
    return f"{Decimal(text):f}" if -4 <= power < 6 else f"{mantissa}e{power:+03d}"
