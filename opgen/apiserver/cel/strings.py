"""CEL's string functions, Kubernetes' regular expressions, and base64."""

from __future__ import annotations

import base64
import binascii
import re
from itertools import islice
from typing import Any

from opgen.apiserver.cel.formatting import format_text, quoted
from opgen.apiserver.cel.functions import define, lists, no_overload, texts, whole
from opgen.apiserver.cel.values import CelError, equal
from opgen.apiserver.re2 import PatternError, compile_pattern

__all__ = []


@define("charAt", member=True)
def _char_at(text: Any, at: Any) -> str:
    texts(text)
    number = whole(at)
    if not 0 <= number <= len(text):
        raise CelError(f"index out of range: {number}")
    return str(text[number : number + 1])


@define("indexOf", member=True)
def _index_of(value: Any, part: Any, start: Any = 0) -> int:
    if isinstance(value, list):
        return next((i for i, v in enumerate(value) if equal(v, part)), -1)
    texts(value, part)
    number = whole(start)
    if not 0 <= number <= len(value):
        raise CelError(f"index out of range: {number}")
    return int(value.find(part, number))


@define("lastIndexOf", member=True)
def _last_index_of(value: Any, part: Any, start: Any = None) -> int:
    if isinstance(value, list):
        return next((i for i in range(len(value) - 1, -1, -1) if equal(value[i], part)), -1)
    texts(value, part)
    if start is None:
        return int(value.rfind(part))
    number = whole(start)
    if not 0 <= number <= len(value):
        raise CelError(f"index out of range: {number}")
    return int(value.rfind(part, 0, number + len(part)))


@define("lowerAscii", member=True)
def _lower_ascii(text: Any) -> str:
    texts(text)
    return "".join(c.lower() if c.isascii() else c for c in text)


@define("upperAscii", member=True)
def _upper_ascii(text: Any) -> str:
    texts(text)
    return "".join(c.upper() if c.isascii() else c for c in text)


@define("replace", member=True)
def _replace(text: Any, old: Any, new: Any, count: Any = -1) -> str:
    texts(text, old, new)
    return str(text.replace(old, new, whole(count)))


@define("split", member=True)
def _split(text: Any, by: Any, count: Any = -1) -> list[str]:
    texts(text, by)
    number = whole(count)
    if number == 0:
        return []
    if not by:
        parts = list(text)
        return (
            parts
            if number < 0 or number >= len(parts)
            else [*parts[: number - 1], "".join(parts[number - 1 :])]
        )
    return list(text.split(by, number - 1 if number > 0 else -1))


@define("substring", member=True)
def _substring(text: Any, start: Any, end: Any = None) -> str:
    texts(text)
    first = whole(start)
    last = len(text) if end is None else whole(end)
    if not 0 <= first <= len(text):
        raise CelError(f"index out of range: {first}")
    if not 0 <= last <= len(text):
        raise CelError(f"index out of range: {last}")
    if first > last:
        raise CelError(f"invalid substring range. start: {first}, end: {last}")
    return str(text[first:last])


@define("trim", member=True)
def _trim(text: Any) -> str:
    texts(text)
    return str(text.strip())


@define("reverse", member=True)
def _reverse(value: Any) -> Any:
    if isinstance(value, list):
        return list(reversed(value))
    texts(value)
    return value[::-1]


@define("join", member=True)
def _join(values: Any, by: Any = "") -> str:
    lists(values)
    texts(by, *values)
    return str(by.join(values))


@define("format", member=True)
def _format(text: Any, values: Any) -> str:
    texts(text)
    lists(values)
    return format_text(text, values)


@define("strings.quote")
def _quote(text: Any) -> str:
    texts(text)
    return quoted(text)


@define("find", member=True)
def _find(text: Any, pattern: Any) -> str:
    found = _find_all(text, pattern, 1)
    return found[0] if found else ""


@define("findAll", member=True)
def _find_all(text: Any, pattern: Any, count: Any = -1) -> list[str]:
    texts(text, pattern)
    number = whole(count)
    try:
        compile_pattern(pattern)
        rx = re.compile(pattern, re.ASCII)
    except (PatternError, re.error) as error:
        raise CelError(f"Illegal regex: {error}") from None
    found = (m.group(0) for m in rx.finditer(text))
    return list(found if number < 0 else islice(found, number))


@define("base64.encode")
def _base64_encode(data: Any) -> str:
    if not isinstance(data, bytes):
        raise no_overload()
    return base64.b64encode(data).decode()


@define("base64.decode")
def _base64_decode(text: Any) -> bytes:
    texts(text)
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise CelError("illegal base64 data at input byte 0") from None
