"""Scalar types of the schema that Python has no type for, and the patterns that pydantic's engine does not take."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, SchemaError, SchemaValidator, core_schema

__all__ = ["check_pattern", "GoPattern", "Int32", "IntOrString"]

Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
"""An integer of `format: int32`, whose range the API server checks."""


class _IntOrString:
    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.union_schema(
            [core_schema.str_schema(strict=True), core_schema.int_schema(strict=True)],
            mode="left_to_right",
        )


IntOrString = Annotated[int | str, _IntOrString()]
"""`x-kubernetes-int-or-string`: `80` and `"80"` both stay what they are; True is neither."""


def _compiles(pattern: str) -> bool:
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True


def check_pattern(pattern: str) -> str | None:
    """Return a pattern of equal meaning that pydantic's engine takes, None if there is none.

    The API server compiles patterns with Go's RE2 syntax. pydantic's Rust engine is nearest to it; the two differ in
    character classes, where Go takes a bare `[`, `&&`, `--`, `~~` or a `-` between a class and a character as they are.
    """
    if _compiles(pattern):
        # in Rust, unlike in Go, these four are operators within a class
        return pattern if not re.search(r"&&|--|~~|\[[^\]]*\[(?!:)", pattern) else _escaped(pattern)
    return _escaped(pattern)


def _escaped(pattern: str) -> str | None:
    """Return `pattern` with what stands for itself within classes escaped, None if that doesn't compile either."""
    out, inside, i = [], False, 0
    while i < len(pattern):
        char = pattern[i]
        if char == "\\" and i + 1 < len(pattern):
            out.append(pattern[i : i + 2])
            i += 2
            shorthand = inside and pattern[i - 1] in "wWdDsS" and pattern[i : i + 1] == "-"
            if shorthand and pattern[i + 1 : i + 2] != "]":
                out.append("\\-")
                i += 1
            continue
        if not inside and char == "[":
            inside = True
            out.append(char)
            i += 1
            if pattern[i : i + 1] == "^":
                out.append("^")
                i += 1
            if pattern[i : i + 1] == "]":
                out.append("\\]")
                i += 1
            continue
        if inside and char == "]":
            inside = False
        elif inside and pattern.startswith("[:", i):
            end = pattern.find(":]", i)
            if end > 0:
                out.append(pattern[i : end + 2])
                i = end + 2
                continue
            char = "\\["
        elif inside and char in "[&~":
            char = "\\" + char
        out.append(char)
        i += 1
    made = "".join(out)
    return made if _compiles(made) else None


class GoPattern:
    """Refuses a string in which a Go pattern is not found, for the patterns that pydantic's engine doesn't take.

    A pattern that neither engine takes checks nothing: the API server could not have compiled it either.
    """

    __slots__ = ("_search", "pattern")

    def __init__(self, pattern: str) -> None:
        """Take the pattern as the schema has it; it is compiled at the first check."""
        self.pattern = pattern
        self._search: Any = None

    def __repr__(self) -> str:
        """Show what was written."""
        return f"GoPattern({self.pattern!r})"

    def search(self, text: str) -> bool:
        """Return whether the pattern is found anywhere in `text`."""
        if self._search is None:
            self._search = _searcher(self.pattern)
        return bool(self._search(text))

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Check strings after their type; other arms of a union pass."""

        def found(value: Any) -> Any:
            if isinstance(value, str) and not self.search(value):
                raise ValueError(f"should match '{self.pattern}'")
            return value

        return core_schema.no_info_after_validator_function(found, handler(source))


def _searcher(pattern: str) -> Any:
    usable = check_pattern(pattern)
    if usable is not None:
        validator = SchemaValidator(core_schema.str_schema(pattern=usable))
        return validator.isinstance_python
    try:
        return re.compile(pattern, re.ASCII).search
    except re.error:
        return lambda text: True
