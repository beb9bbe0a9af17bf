"""Committed text is portable: UTF-8, Unix lines, nothing that only one machine or one working session knows."""

from __future__ import annotations

import re
from pathlib import Path

from tests.repo.tree import ROOT, tracked

BINARY = {".bin", ".gz", ".png"}

# Written in pieces, so that this file doesn't hold what it looks for.
MACHINE = re.compile(
    "|".join(
        [r"/wo" r"rk/", r"/ro" r"ot/", r"/tm" r"p/(?!\.)\w*opgen", r"/Us" r"ers/", r"LEAD" r"_NOTE"]
    )
)
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")

TEXTS = [path for path in tracked() if path.suffix not in BINARY]


def hits(pattern: re.Pattern[str], path: Path) -> list[str]:
    lines = (ROOT / path).read_text("utf-8").splitlines()
    return [
        f"{path}:{number}: {line.strip()}"
        for number, line in enumerate(lines, 1)
        if pattern.search(line)
    ]


def test_all_text_is_utf8_with_unix_lines() -> None:
    wrong = []
    for path in TEXTS:
        raw = (ROOT / path).read_bytes()
        raw.decode("utf-8")
        if b"\r\n" in raw and "golden" not in path.parts:
            wrong.append(str(path))
    assert not wrong


def test_no_path_of_one_machine() -> None:
    found = [hit for path in TEXTS for hit in (*hits(MACHINE, path), *(MACHINE.findall(str(path))))]
    assert not found


def test_nothing_is_left_to_do() -> None:
    found = [
        hit
        for path in TEXTS
        if path.parts[0] in {"benchmarks", "opgen", "templates", "tests"}
        for hit in hits(UNFINISHED, path)
    ]
    assert not found


def test_no_file_that_belongs_to_a_cache_or_a_build() -> None:
    parts = {part for path in tracked() for part in path.parts}
    assert not parts & {"__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".hypothesis", "dist"}
