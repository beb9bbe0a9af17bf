"""JSON texts: read at the speed of the standard library, looked at closer only where something is wrong.

A text that starts like JSON and is none is left to the YAML reader, which takes flow mappings and knows the place of a
fault. Several values after each other are several documents, as `kubectl get -o json` in a loop gives them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from opgen.crd.scalars import float_value
from opgen.crd.stream import MAX_DEPTH, Places
from opgen.errors import Problem

__all__ = ["json_marks", "Mark", "read_json"]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Mark:
    """Where a value starts, and where its members or items are: `members` by key, with the place of the key."""

    __slots__ = ("index", "items", "members")

    def __init__(self, index: int) -> None:
        """Mark the value that starts with the character at `index`."""
        self.index = index
        self.members: dict[str, tuple[int, Mark]] | None = None
        self.items: list[Mark] | None = None


def read_json(text: str, source: str) -> tuple[list[tuple[Any, int]], list[Problem]] | None:
    """Return the values of a JSON text with the lines they start at, and its faults; None if it is no JSON.

    Faults are keys that stand twice (OPG102) and nesting that is too deep (OPG104).
    """
    at = _end_of_space(text, 0)
    if text[at : at + 1] not in ("{", "[") or (not text.isascii() and _SURROGATE.search(text)):
        return None
    if text.count("{") + text.count("[") > MAX_DEPTH and (deep := _too_deep(text)) is not None:
        problem = Problem(
            "OPG104", f"nested more than {MAX_DEPTH} levels deep", Places(text, source).at(deep)
        )
        return [], [problem]
    twice: list[str] = []
    decoder = _decoder(twice)
    values: list[tuple[Any, int]] = []
    line, counted = 1, 0
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict | list):
            return None
        line += text.count("\n", counted, at)
        counted = at
        values.append((value, line))
        at = _end_of_space(text, end)
    if twice:
        return [], _duplicates(text, source)
    if _ESCAPED_SURROGATE.search(text):
        values = [(_scrubbed(value), line) for value, line in values]
    return values, []


def _decoder(twice: list[str]) -> json.JSONDecoder:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            twice.append("")
        return found

    def number(digits: str) -> int | float:
        value = float_value(digits)
        if value is None:
            raise ValueError(digits)
        return value

    def refused(name: str) -> Any:
        raise ValueError(name)

    return json.JSONDecoder(object_pairs_hook=pairs, parse_float=number, parse_constant=refused)


def _end_of_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _too_deep(text: str) -> int | None:
    """Return where the nesting of a text gets too deep, None if it does not."""
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return match.start()
        elif token in "}]":
            depth -= 1
    return None


def _scrubbed(value: Any) -> Any:
    """Return a value with U+FFFD for lone surrogates, which no UTF-8 can hold; Go's decoder does the same."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        for i, item in enumerate(value):
            value[i] = _scrubbed(item)
    elif isinstance(value, dict):
        for key in list(value):
            item = value.pop(key)
            value[_SURROGATE.sub("\ufffd", key)] = _scrubbed(item)
    return value


def _duplicates(text: str, source: str) -> list[Problem]:
    found: list[Problem] = []
    places = Places(text, source)

    def twice(key: str, index: int) -> None:
        problem = f'the key "{key}" stands twice in one mapping'
        found.append(Problem("OPG102", problem, places.at(index), "keep one of them"))

    json_marks(text, twice)
    return found


def json_marks(text: str, twice: Any = None) -> list[Mark]:
    """Return where the values of a JSON text and all within them stand; `twice(key, index)` is told of second keys.

    Without recursion, and without an opinion on whether the text is JSON.
    """
    roots: list[Mark] = []
    stack: list[Mark] = []
    keys: list[tuple[str, int] | None] = []
    for match in _TOKEN.finditer(text):
        token, index = match[0], match.start()
        if token in "}]":
            if stack:
                stack.pop()
                keys.pop()
            continue
        if token in ":,":
            continue
        if stack and stack[-1].members is not None and keys[-1] is None:
            key = _string(token)
            if key in stack[-1].members and twice:
                twice(key, index)
            keys[-1] = (key, index)
            continue
        mark = Mark(index)
        if not stack:
            roots.append(mark)
        elif stack[-1].items is not None:
            stack[-1].items.append(mark)
        elif stack[-1].members is not None and (pending := keys[-1]) is not None:
            stack[-1].members[pending[0]] = (pending[1], mark)
            keys[-1] = None
        if token in "{[":
            mark.members, mark.items = ({}, None) if token == "{" else (None, [])
            stack.append(mark)
            keys.append(None)
    return roots


def _string(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
