"""The JSONPath of printer columns, as client-go's `jsonpath` reads it: fields, indices, wildcards, slices, filters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

__all__ = ["compile_path", "field_at", "JsonPathError"]

Step = Callable[[Any], Iterator[Any]]
_NAME: Final = re.compile(r"[^\[\].]+")
_FILTER: Final = re.compile(r"\?\((.*)\)", re.DOTALL)
_COMPARE: Final = re.compile(r"(==|!=|<=|>=|<|>)")


class JsonPathError(ValueError):
    """The text is no JSONPath."""


def field_at(value: Any, path: str) -> Any:
    """Return what stands at a path of names only, such as `.spec.replicas`; None where there is nothing."""
    for part in path.lstrip(".").split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


@lru_cache(maxsize=1024)
def compile_path(text: str) -> Callable[[Any], list[Any]]:
    """Return what finds the values of a path such as `.spec.ports[*].port`; raises `JsonPathError`."""
    steps = list(_steps(text.removeprefix("$")))

    def find(value: Any) -> list[Any]:
        found = [value]
        for step in steps:
            found = [below for here in found for below in step(here)]
        return found

    return find


def _steps(text: str) -> Iterator[Step]:
    at = 0
    while at < len(text):
        if text.startswith("..", at):
            yield _descend
            at += 1
            if at + 1 < len(text) and text[at + 1] == "[":
                at += 1
        elif text[at] == ".":
            name, at = _name(text, at + 1)
            yield _all if name == "*" else _field(name)
        elif text[at] == "[":
            end = _closing(text, at)
            yield _bracket(text[at + 1 : end])
            at = end + 1
        else:
            name, at = _name(text, at)
            yield _field(name)


def _name(text: str, at: int) -> tuple[str, int]:
    out = []
    while at < len(text) and text[at] not in ".[":
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        out.append(text[at])
        at += 1
    if not out:
        raise JsonPathError(f"unexpected end or empty name in {json.dumps(text)}")
    return "".join(out), at


def _closing(text: str, start: int) -> int:
    depth, quoted = 0, ""
    for at in range(start, len(text)):
        char = text[at]
        if quoted:
            quoted = "" if char == quoted else quoted
        elif char in "'\"":
            quoted = char
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if not depth:
                return at
    raise JsonPathError("unterminated array")


def _field(name: str) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _all(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _descend(value: Any) -> Iterator[Any]:
    yield value
    for below in _all(value):
        yield from _descend(below)


def _bracket(text: str) -> Step:
    text = text.strip()
    if text == "*":
        return _all
    found = _FILTER.fullmatch(text)
    if found:
        return _filter(found.group(1).strip())
    if text[:1] in "'\"":
        names = [part.strip()[1:-1] for part in text.split(",")]
        return _union([_field(name) for name in names])
    if ":" in text:
        try:
            parts = [int(p) if p.strip() else None for p in text.split(":")]
        except ValueError:
            raise JsonPathError(f"invalid array index {text}") from None
        bounds = slice(*parts)
        return lambda value: iter(value[bounds]) if isinstance(value, list) else iter(())
    try:
        return _union([_index(int(part)) for part in text.split(",")])
    except ValueError:
        raise JsonPathError(f"invalid array index {text}") from None


def _index(number: int) -> Step:
    def step(value: Any) -> Iterator[Any]:
        if isinstance(value, list) and -len(value) <= number < len(value):
            yield value[number]

    return step


def _union(steps: list[Step]) -> Step:
    def step(value: Any) -> Iterator[Any]:
        for one in steps:
            yield from one(value)

    return step


def _operand(text: str) -> Callable[[Any], list[Any]]:
    text = text.strip()
    if text.startswith("@"):
        return compile_path(text[1:]) if len(text) > 1 else lambda value: [value]
    if text[:1] in "'\"":
        literal: Any = text[1:-1]
    else:
        try:
            literal = json.loads(text)
        except ValueError:
            raise JsonPathError(f"unrecognized literal {text}") from None
    return lambda value: [literal]


def _filter(text: str) -> Step:
    parts = _COMPARE.split(text, maxsplit=1)
    left = _operand(parts[0])
    if len(parts) == 1:
        return lambda value: (i for i in _all(value) if left(i))
    operator, right = parts[1], _operand(parts[2])

    def holds(item: Any) -> bool:
        a, b = left(item), right(item)
        if not a or not b:
            return False
        return _compare(a[0], operator, b[0])

    return lambda value: (i for i in _all(value) if holds(i))


def _compare(a: Any, operator: str, b: Any) -> bool:
    if operator == "==":
        return bool(a == b)
    if operator == "!=":
        return bool(a != b)
    try:
        return bool({"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator])
    except TypeError:
        return False
