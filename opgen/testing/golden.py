"""Folders of expected output: compared file by file, rewritten by `pytest --update-golden`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

__all__ = ["compare_tree", "read_tree"]

_SKIPPED = ("__pycache__", ".opgen")


def read_tree(folder: Path) -> dict[str, str]:
    """Return the text of each file below a folder by its path with forward slashes; caches and .opgen are left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not set(_SKIPPED) & set(path.relative_to(folder).parts)
    }


def compare_tree(expected: Path, actual: Mapping[str, str], *, update: bool = False) -> None:
    """Hold text by path against a folder.

    Raises AssertionError with a diff for every file that is missing, left over or different. With `update` the folder
    is made to hold exactly `actual` instead.
    """
    if update:
        for path in read_tree(expected) if expected.is_dir() else ():
            (expected / path).unlink()
        for path, text in actual.items():
            (expected / path).parent.mkdir(parents=True, exist_ok=True)
            (expected / path).write_text(text, "utf-8")
        return
    known = read_tree(expected) if expected.is_dir() else {}
    problems = [f"missing: {path}" for path in known if path not in actual]
    problems += [f"left over: {path}" for path in actual if path not in known]
    for path in known.keys() & actual.keys():
        if known[path] != actual[path]:
            diff = difflib.unified_diff(
                known[path].splitlines(),
                actual[path].splitlines(),
                f"expected/{path}",
                f"actual/{path}",
                lineterm="",
            )
            problems.append("\n".join(diff))
    if problems:
        raise AssertionError("\n".join(sorted(problems)) + "\nrewrite with: pytest --update-golden")
