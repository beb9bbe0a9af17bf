"""The only module that writes: all of a plan or none of it.

Everything new is first written beside the tree, under `.opgen/stage`. Then a journal names what is to be moved where
and deleted; putting that in place is the moment of commitment. Before it nothing has changed; after it the moves are
made, and a run that is killed among them is completed by the next one (`recover`), whatever it was to do.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opgen.errors import Location, ProjectError
from opgen.project.manifest import FOLDER
from opgen.project.plan import Plan

__all__ = ["apply", "recover"]

_STAGE = "stage"
_JOURNAL = "journal.json"


def apply(plan: Plan) -> None:
    """Make the disk as `plan` says.

    Guarantees
        All changes or none, also if the process is killed; two runs in one folder don't mix.

    Raises:
        Problems if the plan holds conflicts; ProjectError OPG304 if another run is at work, OPG305 if the disk refuses
        (read-only, full, no permission), with the tree as it was.
    """
    plan.raise_conflicts()
    root = plan.root
    existed = root.exists()
    try:
        (root / FOLDER).mkdir(parents=True, exist_ok=True)
        with _locked(root):
            _recover(root)
            if not plan.is_clean or _manifest_differs(plan):
                _commit(plan)
    except OSError as error:
        _forget(root, existed)
        raise _refused(error, root) from None


def recover(root: Path) -> None:
    """Complete a run that was killed after its commitment, drop what one left that was killed before it."""
    if not (root / FOLDER / _STAGE).exists() and not (root / FOLDER / _JOURNAL).exists():
        return
    try:
        with _locked(root):
            _recover(root)
    except OSError as error:
        raise _refused(error, root) from None


def _manifest_differs(plan: Plan) -> bool:
    try:
        return (plan.root / FOLDER / "manifest.json").read_text("utf-8") != plan.manifest.text()
    except OSError:
        return True


def _commit(plan: Plan) -> None:
    folder = plan.root / FOLDER
    stage = folder / _STAGE
    stage.mkdir()
    moves: list[str] = []
    for change in plan.of("create", "update"):
        _write(stage / "files" / change.path, change.after or "")
        moves.append(change.path)
        if change.owner == "scaffold" and change.action == "create":
            base = f"{FOLDER}/base/{change.path}"
            _write(stage / "files" / base, change.after or "")
            moves.append(base)
    _write(stage / "files" / FOLDER / "manifest.json", plan.manifest.text())
    moves.append(f"{FOLDER}/manifest.json")
    journal = {"moves": moves, "deletes": [change.path for change in plan.of("delete")]}
    _write(stage / _JOURNAL, json.dumps(journal), sync=True)
    os.replace(stage / _JOURNAL, folder / _JOURNAL)
    _recover(plan.root)


def _write(path: Path, text: str, sync: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def _recover(root: Path) -> None:
    folder = root / FOLDER
    stage, journal = folder / _STAGE, folder / _JOURNAL
    if journal.exists():
        todo = json.loads(journal.read_text("utf-8"))
        for path in todo["moves"]:
            source, target = stage / "files" / path, root / path
            if source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                if target.exists() and not target.is_symlink():
                    shutil.copymode(target, source)
                os.replace(source, target)
        for path in todo["deletes"]:
            (root / path).unlink(missing_ok=True)
            _drop_empty((root / path).parent, root)
        journal.unlink()
    shutil.rmtree(stage, ignore_errors=True)


def _drop_empty(folder: Path, root: Path) -> None:
    """Remove folders that pruning left empty, and the byte code that Python left in them."""
    while folder != root and folder.is_dir():
        if {item.name for item in folder.iterdir()} - {"__pycache__"}:
            return
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        folder.rmdir()
        folder = folder.parent


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    with (root / FOLDER / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProjectError(
                "OPG304",
                "another opgen is writing here",
                location=Location(str(root)),
                hint="wait for it to end and run again",
            ) from None
        yield


def _forget(root: Path, existed: bool) -> None:
    """Leave nothing of a run that failed before its commitment."""
    if not existed:
        shutil.rmtree(root, ignore_errors=True)
    elif not (root / FOLDER / _JOURNAL).exists():
        shutil.rmtree(root / FOLDER / _STAGE, ignore_errors=True)


def _refused(error: OSError, root: Path) -> ProjectError:
    hints = {
        errno.ENOSPC: "make room and run again; nothing was changed",
        errno.EROFS: "write to another folder with -o; nothing was changed",
        errno.EACCES: "check who owns the folder; nothing was changed",
    }
    where = Location(str(error.filename) if error.filename else str(root))
    return ProjectError(
        "OPG305",
        f"can't write: {error.strerror or error}",
        location=where,
        hint=hints.get(error.errno or 0),
    )
