"""Values and prose as Python source that black leaves alone and no schema can break out of."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

__all__ = ["comment", "docstring", "literal", "LINE_LENGTH", "string"]

LINE_LENGTH = 88
"""black's own default."""

_UNPRINTABLE = re.compile(r"[^\n\x20-\x7e\xa0-\U0010ffff]|[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def string(text: str) -> str:
    """Return `text` as a string literal, in the quotes that black would choose."""
    body = repr(text)[1:-1]
    if repr(text)[0] == "'":
        body = body.replace("\\'", "'")
    singles, doubles = text.count("'"), text.count('"')
    quote = '"' if doubles <= singles else "'"
    if "\\" in text and quote not in text and text.isprintable() and not text.endswith("\\"):
        return f"r{quote}{text}{quote}"
    return quote + body.replace(quote, "\\" + quote) + quote


def literal(value: Any) -> str:
    """Return a JSON value as a one-line Python literal."""
    if isinstance(value, str):
        return string(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{string(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def comment(text: str) -> str:
    """Return `text` on one line, fit for a comment or a header."""
    return _SURROGATE.sub("?", _UNPRINTABLE.sub("", " ".join(text.split())))


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    text = _SURROGATE.sub("?", _UNPRINTABLE.sub("", text))
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line of prose in lines of at most `width`; an indented line is a listing and stays as it is."""
    line = line.rstrip()
    if len(line) <= width or line.startswith("  "):
        return [line]
    lines, current = [], ""
    for word in line.split():
        if current and len(current) + 1 + len(word) > width:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    lines.append(current)
    return lines


@lru_cache(maxsize=65536)
def docstring(text: str, indent: int = 4) -> str:
    """Return prose as a docstring for a body indented by `indent` spaces; the first line carries no indentation.

    Prose is escaped, control and invisible characters are dropped, lines are wrapped at the line length and kept where
    they are short enough. Cached: the same descriptions stand in hundreds of CRDs.
    """
    pad = " " * indent
    width = LINE_LENGTH - indent
    lines = [part for line in _clean(text).strip().split("\n") for part in _wrapped(line, width)]
    lines[0] = lines[0].lstrip()
    if len(lines[0]) > width - 3:
        first = _wrapped(lines[0].lstrip(), width - 3)
        lines[:1] = first
    if lines[0].startswith('"'):
        lines[0] = "\\" + lines[0]
    if len(lines) == 1 and len(lines[0]) <= width - 6 and lines[0][-1] not in '"\\':
        return f'"""{lines[0]}"""'
    body = "\n".join((pad + line if line and i else line) for i, line in enumerate(lines))
    return f'"""{body}\n{pad}"""'


def compact(value: Any) -> str:
    """Return a JSON value as canonical text, for comparing."""
    return json.dumps(value, sort_keys=True)
