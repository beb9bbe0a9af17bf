"""What a run would do to the disk: the only thing that --check, --diff, --dry-run and the writer look at."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from opgen.emit.outputs import Rendered
from opgen.errors import Location, Problem, Problems
from opgen.project.manifest import FOLDER, Entry, Manifest, digest

__all__ = ["Action", "Change", "Plan", "plan"]

Action = Literal["conflict", "create", "delete", "unchanged", "update"]


@dataclass(frozen=True)
class Change:
    """What happens to one file; `before` is the text on disk, `after` the one to write, None where there is none."""

    path: str
    action: Action
    owner: str
    before: str | None = None
    after: str | None = None

    def diff(self) -> str:
        """Return a unified diff, empty if nothing changes."""
        if self.action == "unchanged" or self.before == self.after:
            return ""
        return "".join(
            difflib.unified_diff(
                (self.before or "").splitlines(keepends=True),
                (self.after or "").splitlines(keepends=True),
                f"a/{self.path}" if self.before is not None else "/dev/null",
                f"b/{self.path}" if self.after is not None else "/dev/null",
            )
        )

    def count(self) -> tuple[int, int]:
        """Return how many lines come and go."""
        lines = self.diff().splitlines()[2:]
        return sum(line.startswith("+") for line in lines), sum(
            line.startswith("-") for line in lines
        )


@dataclass(frozen=True)
class Plan:
    """All changes of a run, by path, and the manifest that will be true after it."""

    root: Path
    changes: tuple[Change, ...]
    manifest: Manifest
    problems: tuple[Problem, ...] = ()

    def of(self, *actions: Action) -> tuple[Change, ...]:
        """Return the changes of some kinds."""
        return tuple(change for change in self.changes if change.action in actions)

    @property
    def is_clean(self) -> bool:
        """Whether the disk is as the run would leave it."""
        return not self.of("create", "update", "delete", "conflict")

    def raise_conflicts(self) -> None:
        """Raise Problems (OPG301, OPG302) if a file is not opgen's to overwrite."""
        if found := self.of("conflict"):
            raise Problems(_conflict(change, self.manifest) for change in found)


def _conflict(change: Change, manifest: Manifest) -> Problem:
    where = Location(change.path)
    if change.path in manifest.files:
        return Problem(
            "OPG301",
            "changed by hand since opgen wrote it",
            where,
            "move the change to a file of your own (subclass, mixin), or overwrite it with --force",
        )
    return Problem(
        "OPG302",
        "exists, and opgen did not write it",
        where,
        "move it away, or overwrite it with --force",
    )


def plan(
    rendered: Sequence[Rendered],
    root: Path,
    old: Manifest,
    *,
    version: str = "",
    settings: str = "",
    inputs: dict[str, str] | None = None,
    force: bool = False,
    prune: bool = True,
) -> Plan:
    """Compare what was rendered with the disk.

    A generated file is created, updated or left; one that was changed by hand since, or that opgen didn't write, is a
    conflict unless `force`. A scaffolded file is created once and never touched again, also if the user deleted it.
    With `prune`, generated files of the last run that are no longer rendered are deleted. Raises Problems (OPG303) for
    paths that leave the root or that some file systems take for one.
    """
    _refuse_paths(rendered, root)
    changes = [_change(one, root, old.files.get(str(one.path)), force) for one in rendered]
    known = {change.path for change in changes}
    files = {change.path: Entry(digest(change.after or ""), change.owner) for change in changes}
    for path, entry in old.files.items():
        if path in known:
            if entry.owner == "scaffold":
                files[path] = entry
            continue
        if entry.owner == "scaffold" or not prune:
            files[path] = entry
            continue
        before = _read(root / path)
        if before is None:
            continue
        clean = digest(before) == entry.sha256 or force
        changes.append(Change(path, "delete" if clean else "conflict", entry.owner, before, None))
        if not clean:
            files[path] = entry
    changes.sort(key=lambda change: PurePosixPath(change.path).parts)
    merged = dict(old.inputs) if not prune else {}
    merged.update(inputs or {})
    return Plan(root, tuple(changes), Manifest(version, settings, merged, files))


def _change(one: Rendered, root: Path, entry: Entry | None, force: bool) -> Change:
    path = str(one.path)
    before = _read(root / path)
    if one.owner == "scaffold" and (before is not None or entry is not None):
        return Change(path, "unchanged", one.owner, before, before)
    if before is None:
        return Change(path, "create", one.owner, None, one.text)
    if before == one.text:
        return Change(path, "unchanged", one.owner, before, one.text)
    clean = force or (entry is not None and digest(before) == entry.sha256)
    return Change(path, "update" if clean else "conflict", one.owner, before, one.text)


def _read(path: Path) -> str | None:
    """Return a file's text, None if there is no file; what is no text can't be equal to anything rendered."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        return ""


def _refuse_paths(rendered: Iterable[Rendered], root: Path) -> None:
    problems = []
    folded: dict[str, str] = {}
    real_root = root.resolve()
    for one in rendered:
        path = str(one.path)
        parts = one.path.parts
        where = Location(one.source)
        if (
            one.path.is_absolute()
            or not parts
            or ".." in parts
            or parts[0] == FOLDER
            or "\\" in path
        ):
            problems.append(Problem("OPG303", f'"{path}" would leave the output folder', where))
            continue
        if any(len(os.fsencode(part)) > 255 for part in parts):
            problems.append(
                Problem("OPG303", f'"{path[:80]}..." has a part longer than 255 bytes', where)
            )
            continue
        if folded.setdefault(path.casefold(), path) != path:
            text = f'"{path}" and "{folded[path.casefold()]}" are one file on some systems'
            problems.append(Problem("OPG303", text, where, "generate them into two packages"))
        parent = root / path
        if parent.is_symlink() or not parent.parent.resolve().is_relative_to(real_root):
            problems.append(
                Problem(
                    "OPG303",
                    f'"{path}" is or lies behind a link that leaves the output folder',
                    where,
                )
            )
    if problems:
        raise Problems(problems)
