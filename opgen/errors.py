"""The one exception tree of the generator and its command line.

    OpgenError              anything opgen refuses to do; carries code, hint, location, exit_code
    |-- ConfigError         opgen.toml or a command line is wrong                      OPG0xx
    |-- CrdError            a CRD can't be read or means nothing                       OPG1xx
    |-- NamingError         two things would get one Python name, or none              OPG2xx
    |-- ProjectError        the files on disk are not in a state opgen may touch       OPG3xx
    `-- Problems            several of the above, all that one run found

Exceptions are data: nothing here prints, and only `opgen.cli` turns one into text and an exit code.
Each code has a page under `docs/errors/`, which `opgen explain CODE` prints.
Errors of a running API server are another tree, `opgen.client.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

__all__ = [
    "ConfigError",
    "CrdError",
    "Location",
    "NamingError",
    "OpgenError",
    "Problem",
    "Problems",
    "ProjectError",
    "Severity",
]

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, order=True)
class Location:
    """A place in an input: `file` as the user named it, `line` and `column` from 1, 0 where unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """Return `file:line:column`, without the numbers that are not known."""
        parts = [self.file]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, ready to be shown as `location: CODE: text` with the hint under it.

    `text` is lower case, names the offender in double quotes and says what was expected; `code` is `OPGnnn`.
    """

    code: str
    text: str
    location: Location | None = None
    hint: str | None = None
    severity: Severity = "error"

    def __str__(self) -> str:
        """Return the problem as the command line prints it, hint on a line of its own."""
        return self.shown(self.code)

    def shown(self, code: str) -> str:
        """Return the problem with its code as given, which may be coloured."""
        head = f"{self.location}: " if self.location else ""
        mark = "" if self.severity == "error" else f"{self.severity}: "
        tail = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{head}{code}: {mark}{self.text}{tail}"

    @property
    def sort_key(self) -> tuple[Location, str, str]:
        """Order by place, then code, then text, so that two runs print the same."""
        return (self.location or Location(""), self.code, self.text)


class OpgenError(Exception):
    """Something opgen refuses to do; `problem` says what, where and what to do about it."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self, code: str, text: str, *, location: Location | None = None, hint: str | None = None
    ) -> None:
        """Make the error from the parts of a `Problem`."""
        self.problem = Problem(code, text, location, hint)
        super().__init__(str(self.problem))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems this error stands for, in a fixed order; one unless it is a `Problems`."""
        return (self.problem,)


class ConfigError(OpgenError):
    """opgen.toml or a command line is wrong."""


class CrdError(OpgenError):
    """A CRD can't be read, or what it says can't be generated."""


class NamingError(OpgenError):
    """Two things would get one Python name, or a thing would get none."""


class ProjectError(OpgenError):
    """The files on disk are not in a state that opgen may touch."""


class Problems(OpgenError):
    """All problems that one run found; never empty."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Collect `problems`, sorted by place; raises ValueError if there is none."""
        found = tuple(sorted(set(problems), key=lambda p: p.sort_key))
        if not found:
            raise ValueError("Problems needs at least one problem")
        self._problems = found
        first = found[0]
        super().__init__(first.code, first.text, location=first.location, hint=first.hint)
        self.args = ("\n".join(str(p) for p in found),)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems, sorted by place."""
        return self._problems
