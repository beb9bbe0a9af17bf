"""Which paths may be written: below the root, behind no link, and one file on every file system.

Paths come from schemas, from a manifest and from a journal: all three may be somebody else's.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

__all__ = ["find_collisions", "FOLDER", "STAMP", "why_linked", "why_outside", "why_unsafe"]

FOLDER = ".opgen"
"""Where opgen keeps what it knows of a project; never a place for output."""

STAMP = "stamp"
"""The file there that says which generator the tree is from; not checked in."""

_MAX_BYTES = 255
"""The longest name that ext4, xfs, APFS and NTFS take."""


def why_unsafe(path: str, root: Path) -> str | None:
    """Return why a relative path must not be written or deleted below `root`, None if it may be."""
    return why_outside(path) or why_linked(path, root)


def why_outside(path: str) -> str | None:
    """Return why a relative path names no place for output, None if it does; looks at the path only."""
    pure = PurePosixPath(path)
    parts = pure.parts
    if pure.is_absolute() or not parts or ".." in parts or "\\" in path or "\0" in path:
        return f'"{path}" would leave the output folder'
    if parts[0].casefold() == FOLDER or parts[0].casefold() == ".git":
        return f'"{path}" would lie in a folder that is not for output'
    if any(len(os.fsencode(part)) > _MAX_BYTES for part in parts):
        return f'"{path[:80]}..." has a part longer than {_MAX_BYTES} bytes'
    return None


def why_linked(path: str, root: Path) -> str | None:
    """Return why a path leads somewhere else on this disk, None if it does not."""
    place = root
    for part in PurePosixPath(path).parts:
        place = place / part
        if place.is_symlink():
            return f'"{path}" is or lies behind a link, "{place.relative_to(root).as_posix()}"'
    return None


def find_collisions(paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of paths that some file systems take for one, or of which one would have to be file and folder."""
    known: dict[str, str] = {}
    folders: dict[str, str] = {}
    found = []
    for path in paths:
        folded = unicodedata.normalize("NFC", path).casefold()
        twin = known.setdefault(folded, path)
        if twin != path:
            found.append((path, twin))
        for parent in PurePosixPath(folded).parents[:-1]:
            folders.setdefault(str(parent), path)
    found += [(path, folders[folded]) for folded, path in known.items() if folded in folders]
    return found
