"""Values and prose as Python source that black leaves alone and no schema can break out of."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from textwrap import dedent
from typing import Any

__all__ = ["comment", "docstring", "literal", "LINE_LENGTH", "string"]

LINE_LENGTH = 88
"""black's own default."""

_UNPRINTABLE = re.compile(
    r"[^\n\x20-\x7e\xa0-\U0010ffff]|[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_LIST_ITEM = re.compile(r"[0-9A-Za-z]{1,3}[.):] ")
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
        return (
            "{" + ", ".join(f"{string(key)}: {literal(item)}" for key, item in value.items()) + "}"
        )
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


def _fitted(lines: list[str], width: int, first: int) -> list[str]:
    """Return lines of prose in lines of at most `width`, the first of at most `first`.

    A line that fits stays as its author broke it. What is cut off a longer one goes to the front of the next, unless
    that is a paragraph, a list item or a listing of its own.
    """
    out: list[str] = []
    over = ""
    for line in lines:
        if over and (not line or not line[0].isalnum() or _LIST_ITEM.match(line)):
            out += _broken(over, width)
            over = ""
        if over:
            line = f"{over} {line}"
            over = ""
        limit = width if out else first
        if len(line) <= limit or line.startswith("  "):
            out.append(line.rstrip())
            continue
        *whole, over = _broken(line, width, limit)
        out += whole
        if not whole:
            out.append(over)
            over = ""
    return out + (_broken(over, width) if over else [])


def _broken(line: str, width: int, first: int | None = None) -> list[str]:
    """Return the words of a line in lines of at most `width`; a longer word is a line of its own."""
    lines: list[str] = []
    current = ""
    for word in line.split():
        limit = first if first is not None and not lines else width
        if current and len(current) + 1 + len(word) > limit:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return [*lines, current]


@lru_cache(maxsize=65536)
def docstring(text: str, indent: int = 4) -> str:
    """Return prose as a docstring for a body indented by `indent` spaces; the first line carries no indentation.

    Prose is escaped, control and invisible characters are dropped, lines are wrapped at the line length and kept where
    they are short enough. Cached: the same descriptions stand in hundreds of CRDs.
    """
    pad = " " * indent
    width = LINE_LENGTH - indent
    first, *rest = _clean(text).strip().split("\n")
    given = [line.rstrip() for line in [first, *dedent("\n".join(rest)).split("\n")]]
    while len(given) > 1 and not given[-1]:
        given.pop()
    alone = len(given) == 1 and len(first) <= width - 3
    lines = _fitted(given, width, width - 7 if alone else width - 3)
    if lines[0].startswith('"'):
        lines[0] = "\\" + lines[0]
    if len(lines) == 1:
        return f'"""{lines[0]}{" " if lines[0].endswith(chr(34)) else ""}"""'
    body = "\n".join((pad + line if line and i else line) for i, line in enumerate(lines))
    return f'"""{body}\n{pad}"""'


def compact(value: Any) -> str:
    """Return a JSON value as canonical text, for comparing."""
    return json.dumps(value, sort_keys=True)
