"""What verbs print: the product on stdout, everything else on stderr, in colour where a terminal is."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from opgen.errors import Problem

if TYPE_CHECKING:
    from opgen.project.plan import Plan

__all__ = ["as_json", "Ui"]

_COLOURS = {
    "conflict": "red", "create": "green", "delete": "red", "error": "red", "note": "cyan",
    "stale": "yellow", "update": "yellow", "warning": "yellow",
}  # fmt: skip
_PAST = {"create": "created", "update": "updated", "delete": "deleted", "unchanged": "unchanged"}


@dataclass(frozen=True)
class Ui:
    """How this run talks: the global options, and the folder it works in."""

    cwd: Path
    quiet: bool = False
    verbose: bool = False
    color: str = "auto"
    form: str = "text"
    writes: bool = True

    @classmethod
    def of_arguments(cls, arguments: Sequence[str]) -> Ui:
        """Return a Ui for errors that come before or outside of a verb, from the raw arguments."""
        words = list(arguments)
        color = os.environ.get("OPGEN_COLOR", "auto")
        form = os.environ.get("OPGEN_FORMAT", "text")
        for name, value in pairwise(words):
            color = value if name == "--color" else color
            form = value if name == "--format" else form
        for word in words:
            color = word.removeprefix("--color=") if word.startswith("--color=") else color
            form = word.removeprefix("--format=") if word.startswith("--format=") else form
        writes = bool({"create", "generate", "init"} & set(words))
        return cls(Path(), color=color, form=form, writes=writes)

    @property
    def json(self) -> bool:
        """Whether the product is to be JSON."""
        return self.form == "json"

    def _styled(self, text: str, colour: str, stream: TextIO, bold: bool = False) -> str:
        wanted = self.color == "always" or (
            self.color == "auto"
            and not os.environ.get("NO_COLOR")
            and (bool(os.environ.get("FORCE_COLOR")) or stream.isatty())
        )
        return click.style(text, fg=colour, bold=bold) if wanted else text

    def out(self, text: str) -> None:
        """Write the product."""
        sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")
        sys.stdout.flush()

    def data(self, value: Any) -> None:
        """Write the product as JSON, keys sorted."""
        self.out(json.dumps(value, indent=2, sort_keys=True))

    def plan(self, plan: Plan, *, diff: bool = False) -> None:
        """Write a plan as JSON, with unified diffs if asked for."""
        changes: list[dict[str, Any]] = []
        for change in plan.changes:
            row = {"action": change.action, "owner": change.owner, "path": change.path}
            changes.append({**row, "diff": change.diff()} if diff else row)
        problems = [as_json(one) for one in plan.problems]
        self.data({"version": 1, "changes": changes, "problems": problems})

    def say(self, text: str) -> None:
        """Write a line of status."""
        if not self.quiet:
            sys.stderr.write(text + "\n")

    def verb(self, word: str, rest: str) -> None:
        """Write a line that starts with a right-aligned verb."""
        if not self.quiet:
            sys.stderr.write(
                self._styled(f"{word:>10}", _COLOURS.get(word, "white"), sys.stderr) + f"  {rest}\n"
            )

    def errors(self, problems: Iterable[Problem]) -> None:
        """Write problems that end the run, with their count."""
        found = list(problems)
        if self.json:
            self.data({"version": 1, "problems": [as_json(one) for one in found]})
        for problem in found:
            sys.stderr.write(self._problem(problem))
        word = self._styled("error", "red", sys.stderr, bold=True)
        count = f"{len(found)} problem{'s' if len(found) != 1 else ''}"
        sys.stderr.write(f"{word}: {count}{'; nothing was written' if self.writes else ''}\n")

    def notes(self, problems: Iterable[Problem]) -> None:
        """Write warnings; notes only if asked for."""
        for problem in problems:
            if not self.quiet and (self.verbose or problem.severity != "note"):
                sys.stderr.write(self._problem(problem))

    def _problem(self, problem: Problem) -> str:
        code = self._styled(problem.code, _COLOURS[problem.severity], sys.stderr, bold=True)
        return problem.shown(code) + "\n"

    def progress(self, done: int, total: int) -> None:
        """Rewrite one line with how far a run is; only on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            return
        end = "\r\033[K" if done >= total else ""
        sys.stderr.write(
            f"\r\033[K  reading and generating  {100 * done // max(total, 1):3d} %{end}"
        )
        sys.stderr.flush()

    def changes(self, plan: Plan, started: float, future: bool) -> None:
        """Write a line for each changed file, then the counts and how long it took."""
        if self.quiet:
            return
        for change in plan.changes:
            if change.action == "unchanged":
                if self.verbose:
                    self.verb("unchanged", change.path)
                continue
            word = (
                "stale"
                if future and change.action in ("update", "create", "delete")
                else change.action
            )
            detail = ""
            if change.action == "update":
                plus, minus = change.count()
                detail = f"   (+{plus} -{minus})"
            elif word == "stale":
                detail = f"   ({change.action})"
            self.verb(word, change.path + detail)
        counts = [f"{len(plan.of(a))} {past}" for a, past in _PAST.items() if plan.of(a)]  # type: ignore[arg-type]
        if future:
            open_ = len(plan.of("create", "update", "delete"))
            text = (
                "nothing would change"
                if not open_
                else f"{open_} file{'s' * (open_ != 1)} would change"
            )
            self.say(text + ("; run `opgen generate`" if open_ else ""))
        else:
            self.say(f"{', '.join(counts) or 'nothing to do'} in {time.monotonic() - started:.2f}s")


def as_json(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON."""
    location = problem.location
    return {
        "code": problem.code,
        "severity": problem.severity,
        "text": problem.text,
        "hint": problem.hint,
        "file": location.file if location else None,
        "line": location.line if location else None,
        "column": location.column if location else None,
    }
