"""The only module that writes: all of a plan or none of it.

    1. Everything new is written to `.opgen/stage/new` and synced. Nothing of the tree has changed.
    2. A journal that names each step is put in place by one rename: the moment of commitment.
    3. Each new file is moved to its place, what was there before is kept in `.opgen/stage/old`.
    4. The journal is removed.

A run that is killed before 2 has changed nothing; one that is killed after it is completed by the next run, whatever
that was to do (`recover`). If the disk refuses a step of 3, all steps are taken back and the tree is as it was.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from opgen.errors import Location, ProjectError
from opgen.project.manifest import MANIFEST, read_manifest
from opgen.project.paths import FOLDER, STAMP, why_linked, why_outside
from opgen.project.plan import Plan, read_text

__all__ = ["apply", "recover"]

_STAGE = "stage"
_JOURNAL = "journal.json"
_STAMP = f"{FOLDER}/{STAMP}"
_BASE = f"{FOLDER}/base/"
_PATIENCE = 10.0
"""Seconds to wait for another run that is writing; writing takes less than one."""


@dataclass(frozen=True)
class _Step:
    """One file of a commitment: create, update or delete it; its number in the list is its name in the stage."""

    path: str
    action: str


def apply(plan: Plan) -> None:
    """Make the disk as `plan` says.

    Guarantees:
        All changes or none, also if the process is killed or the disk refuses; two runs in one folder don't mix.

    Raises:
        Problems if the plan holds conflicts; ProjectError OPG304 if another run writes here or the files have changed
        since the plan was made, OPG305 if the disk refuses (read-only, full, no permission), with the tree as it was.
    """
    root = plan.root
    if plan.of("conflict") and _is_moving(plan):
        raise _moved(MANIFEST)
    plan.raise_conflicts()
    if plan.is_clean and read_manifest(root) == plan.manifest:
        _stamp(plan)
        return
    with _refusals(root), _new_folders(root / FOLDER), _locked(root):
        _recover(root)
        known = read_manifest(root)
        if known == plan.manifest and _is_done(plan):
            return
        if known != plan.old:
            raise _moved(MANIFEST)
        _check_unmoved(plan)
        _commit(plan)


def _stamp(plan: Plan) -> None:
    """Note that this generator would make the tree as it is; without the note the next run only takes longer."""
    path = plan.root / FOLDER / STAMP
    if plan.stamp and read_text(path) != plan.stamp and not path.is_symlink():
        with suppress(OSError):
            path.write_text(plan.stamp, "utf-8")


def recover(root: Path) -> None:
    """Complete a run that was killed after its commitment, drop what one left that was killed before it.

    Raises ProjectError OPG304, OPG305 as `apply`, OPG308 if the journal is damaged.
    """
    if (root / FOLDER / _STAGE).exists() or (root / FOLDER / _JOURNAL).exists():
        with _refusals(root), _locked(root):
            _recover(root)


def _is_moving(plan: Plan) -> bool:
    """Return whether another run was writing while the plan was made, so that what it saw was neither old nor new."""
    return (plan.root / FOLDER / _JOURNAL).exists() or read_manifest(plan.root) != plan.old


def _is_done(plan: Plan) -> bool:
    """Return whether another run has made the same changes."""
    return all(
        read_text(plan.root / one.path) == one.after
        for one in plan.of("create", "update", "delete")
    )


def _check_unmoved(plan: Plan) -> None:
    """Refuse a plan that was made from another state of the disk than is there now."""
    for change in plan.of("create", "update", "delete"):
        if (
            why_linked(change.path, plan.root)
            or read_text(plan.root / change.path) != change.before
        ):
            raise _moved(change.path)


def _moved(path: str) -> ProjectError:
    return ProjectError(
        "OPG304",
        "has changed since this run looked at it",
        location=Location(path),
        hint="run again; nothing was changed",
    )


def _commit(plan: Plan) -> None:
    stage = plan.root / FOLDER / _STAGE
    texts: dict[_Step, str] = {}
    for change in plan.of("create", "update", "delete"):
        texts[_Step(change.path, change.action)] = change.after or ""
        if change.owner == "scaffold" and change.action == "create":
            texts[_step(plan.root, f"{_BASE}{change.path}")] = change.after or ""
    texts[_step(plan.root, MANIFEST)] = plan.manifest.text()
    if plan.stamp:
        texts[_step(plan.root, _STAMP)] = plan.stamp
    steps = tuple(texts)
    folders = _missing_folders(plan.root, steps)
    try:
        stage.mkdir()
        (stage / "new").mkdir()
        (stage / "old").mkdir()
        for number, step in enumerate(steps):
            if step.action != "delete":
                _write(stage / "new" / str(number), texts[step])
        for number, step in enumerate(steps):
            if step.action != "delete":
                _sync(stage / "new" / str(number))
        for direction in ("back", "forward"):
            _write(stage / direction, _journal(direction, steps, folders))
            _sync(stage / direction)
        _sync(stage)
        os.replace(stage / "forward", plan.root / FOLDER / _JOURNAL)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    try:
        _forward(plan.root, steps)
    except BaseException:
        _turn_back(plan.root, steps, folders)
        raise
    _finish(plan.root, steps)


def _step(root: Path, path: str) -> _Step:
    """Return the step for one of opgen's own files."""
    if why := why_linked(path, root):
        raise ProjectError("OPG303", why, location=Location(path))
    return _Step(path, "update" if (root / path).is_file() else "create")


def _journal(direction: str, steps: tuple[_Step, ...], folders: tuple[str, ...]) -> str:
    rows = [[step.action, step.path] for step in steps]
    return json.dumps({"direction": direction, "folders": folders, "steps": rows})


def _forward(root: Path, steps: tuple[_Step, ...]) -> None:
    """Take each step that is not taken yet."""
    stage = root / FOLDER / _STAGE
    touched = {root / FOLDER}
    for number, step in enumerate(steps):
        target, new, old = (
            root / step.path,
            stage / "new" / str(number),
            stage / "old" / str(number),
        )
        if step.action == "delete":
            if target.exists():
                os.replace(target, old)
        elif new.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_file():
                shutil.copymode(target, new)
                if not old.exists():
                    _keep(target, old)
            os.replace(new, target)
        touched.add(target.parent)
    for folder in touched:
        _sync(folder)


def _keep(target: Path, old: Path) -> None:
    """Give a file a second name, so that it can be put back; a copy where the file system has no hard links."""
    try:
        os.link(target, old)
    except OSError:
        shutil.copy2(target, old)


def _turn_back(root: Path, steps: tuple[_Step, ...], folders: tuple[str, ...]) -> None:
    """Take back every step that was taken; the tree is as before then."""
    stage = root / FOLDER / _STAGE
    try:
        os.replace(stage / "back", root / FOLDER / _JOURNAL)
        _back(root, steps, folders)
    except OSError as error:
        raise ProjectError(
            "OPG305",
            f"can't write, nor take back what was written: {error.strerror or error}",
            location=Location(str(error.filename or root)),
            hint="let opgen write there and run it again: it ends what was begun",
        ) from None


def _back(root: Path, steps: tuple[_Step, ...], folders: tuple[str, ...]) -> None:
    stage = root / FOLDER / _STAGE
    for number, step in enumerate(steps):
        target, new, old = (
            root / step.path,
            stage / "new" / str(number),
            stage / "old" / str(number),
        )
        if old.exists():
            os.replace(old, target)
        elif step.action == "create" and not new.exists():
            target.unlink(missing_ok=True)
    for folder in folders:
        with suppress(OSError):
            (root / folder).rmdir()
    (root / FOLDER / _JOURNAL).unlink()
    shutil.rmtree(stage, ignore_errors=True)


def _finish(root: Path, steps: tuple[_Step, ...]) -> None:
    for step in steps:
        if step.action == "delete":
            _drop_empty((root / step.path).parent, root)
    (root / FOLDER / _JOURNAL).unlink()
    shutil.rmtree(root / FOLDER / _STAGE, ignore_errors=True)


def _recover(root: Path) -> None:
    journal = root / FOLDER / _JOURNAL
    text = read_text(journal)
    if text is None:
        shutil.rmtree(root / FOLDER / _STAGE, ignore_errors=True)
        return
    try:
        data = json.loads(text)
        steps = tuple(_Step(str(path), str(action)) for action, path in data["steps"])
        folders = tuple(str(folder) for folder in data["folders"])
        for path in (*folders, *(step.path for step in steps)):
            if not _is_ours(path) or why_linked(path, root):
                raise ValueError(f'"{path}" would leave the folder')
        direction = data["direction"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ProjectError(
            "OPG308",
            f"the journal of an interrupted run can't be read: {error}",
            location=Location(f"{FOLDER}/{_JOURNAL}"),
            hint=f"delete {FOLDER}/{_JOURNAL} and {FOLDER}/{_STAGE}, restore the rest from version control",
        ) from None
    if direction == "back":
        _back(root, steps, folders)
    else:
        _forward(root, steps)
        _finish(root, steps)


def _is_ours(path: str) -> bool:
    """Return whether a commitment may hold a path: output, or what opgen notes about it."""
    return path in (MANIFEST, _STAMP, _BASE[:-1]) or not why_outside(path.removeprefix(_BASE))


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def _sync(path: Path) -> None:
    """Make sure that a file or folder is on the disk before the next step."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _missing_folders(root: Path, steps: tuple[_Step, ...]) -> tuple[str, ...]:
    """Return the folders that the steps will make, the innermost first."""
    found = {
        str(parent)
        for step in steps
        if step.action != "delete"
        for parent in PurePosixPath(step.path).parents[:-1]
        if not (root / parent).exists()
    }
    return tuple(sorted(found, key=lambda path: (-path.count("/"), path)))


def _drop_empty(folder: Path, root: Path) -> None:
    """Remove folders that pruning left empty, and the byte code that Python left in them."""
    with suppress(OSError):
        while folder != root and folder.is_dir():
            if {item.name for item in folder.iterdir()} - {"__pycache__"}:
                return
            shutil.rmtree(folder / "__pycache__", ignore_errors=True)
            folder.rmdir()
            folder = folder.parent


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Keep other runs out; the lock is on the folder itself, so that it leaves no file and ends with the process."""
    handle = os.open(root / FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise ProjectError(
                        "OPG304",
                        "another opgen is writing here",
                        location=Location(str(root)),
                        hint="wait for it to end and run again",
                    ) from None
                time.sleep(0.02)
        yield
    finally:
        os.close(handle)


@contextmanager
def _new_folders(folder: Path) -> Iterator[None]:
    """Make a folder; if the run fails, leave none that was not there before and is empty."""
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for one in made:
            with suppress(OSError):
                one.rmdir()
        raise


@contextmanager
def _refusals(root: Path) -> Iterator[None]:
    """Turn what the system says into one error."""
    hints = {
        errno.EACCES: "check who owns the folder; nothing was changed",
        errno.ENOSPC: "make room and run again; nothing was changed",
        errno.EDQUOT: "make room and run again; nothing was changed",
        errno.EROFS: "write to another folder with -o; nothing was changed",
    }
    try:
        yield
    except OSError as error:
        inside = error.filename is None or f"{FOLDER}{os.sep}{_STAGE}" in str(error.filename)
        where = root if inside else Path(os.fsdecode(error.filename))
        raise ProjectError(
            "OPG305",
            f"can't write: {error.strerror or error}",
            location=Location(str(where)),
            hint=hints.get(error.errno or 0, "nothing was changed"),
        ) from None
