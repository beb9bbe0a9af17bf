"""Scalar types of the schema that Python has no type for, and the patterns that pydantic's engine does not take."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, SchemaError, SchemaValidator, core_schema

__all__ = ["check_pattern", "GoPattern", "Int32", "IntOrString", "UncheckedPattern"]

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


class UncheckedPattern(UserWarning):
    """A pattern of a schema that no engine here can check; the API server still does."""


def check_pattern(pattern: str) -> str | None:
    """Return a pattern of equal meaning that pydantic's engine takes, None if there is none.

    The API server compiles patterns with Go's RE2 syntax and searches with them, unanchored, as pydantic does. What the
    two engines read alike comes back as it is; see `opgen.meta.gopattern` for what they don't.
    """
    from opgen.meta.gopattern import Untranslatable, to_rust  # rarely needed at run time

    try:
        made = to_rust(pattern)
        SchemaValidator(core_schema.str_schema(pattern=made))
    except (SchemaError, Untranslatable):
        return None
    return made


class GoPattern:
    """Refuses a string in which a Go pattern is not found, for the patterns that pydantic's engine doesn't take.

    Made for any pattern without an error. One that no engine takes checks nothing, and warns of it by
    `UncheckedPattern` when it is first used; of the public CRDs that opgen is tried on, none has such a pattern.
    """

    __slots__ = ("_search", "pattern")

    def __init__(self, pattern: str) -> None:
        """Take the pattern as the schema has it; it is compiled at the first check."""
        self.pattern = pattern
        self._search: Callable[[str], object] | None = None

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


def _searcher(pattern: str) -> Callable[[str], object]:
    usable = check_pattern(pattern)
    if usable is not None:
        return SchemaValidator(core_schema.str_schema(pattern=usable)).isinstance_python
    from opgen.meta.gopattern import Untranslatable, to_python

    try:
        return re.compile(to_python(pattern)).search
    except (re.error, Untranslatable, OverflowError) as error:
        warnings.warn(
            f'pattern "{pattern}" is not checked: {error}', UncheckedPattern, stacklevel=3
        )
        return lambda text: True
