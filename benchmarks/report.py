"""Write one section of RESULTS.md and leave the others as they are."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from benchmarks.peers import ROOT, Env

__all__ = ["absent", "machine", "publish", "RESULTS", "say", "section", "table", "write"]

RESULTS = ROOT / "benchmarks" / "RESULTS.md"

_HEAD = """# Results

Written by `python -m benchmarks.generate` and `python -m benchmarks.models`; README.md beside this file says how
to read it.
Cells are `median (least-most)` over the rounds of one run. Other machines give other seconds; the ratios are the point.
"""
_ORDER = ("generate", "models")


def say(text: str) -> None:
    """Write a line of progress."""
    sys.stderr.write(text + "\n")


def absent(envs: Mapping[str, Env]) -> list[str]:
    """Return a line for each peer that could not be installed."""
    return [
        f"- {env.peer.name} could not be installed: {env.why}"
        for env in envs.values()
        if not env.present
    ]


def machine() -> str:
    """Return the line that says what the numbers were made with."""
    try:
        opgen = metadata.version("opgen")
    except metadata.PackageNotFoundError:
        from opgen import __version__ as opgen
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"opgen {opgen}, {platform.python_implementation()} {platform.python_version()}, "
        f"pydantic {metadata.version('pydantic')}, {cores} cores, {platform.system()} {platform.machine()}"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table: the first column to the left, the others to the right."""
    lines = [
        f"| {' | '.join(head)} |",
        f"|{'|'.join(['---', *['---:'] * (len(head) - 1)])}|",
        *(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows),
    ]
    return "\n".join(lines)


def section(text: str, name: str, body: str) -> str:
    """Return the text of RESULTS.md with one section replaced, or added in its place."""
    made = f"<!-- begin {name} -->\n{body.strip()}\n<!-- end {name} -->"
    found = {
        match[1]: match[0]
        for match in re.finditer(r"<!-- begin (\w+) -->\n.*?<!-- end \1 -->", text, re.DOTALL)
    }
    found[name] = made
    names = sorted(
        found, key=lambda one: (_ORDER.index(one) if one in _ORDER else len(_ORDER), one)
    )
    return "\n\n".join([_HEAD.strip(), *(found[one] for one in names)]) + "\n"


def write(name: str, body: str, path: Path = RESULTS) -> None:
    """Replace a section of RESULTS.md."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(section(before, name, body), encoding="utf-8")


def publish(name: str, parts: Sequence[str], limit: int | None) -> None:
    """Write the parts of a section to RESULTS.md, or to standard output where not everything was measured."""
    body = "\n\n".join(parts)
    if limit:
        sys.stdout.write(body + "\n")
    else:
        write(name, body)
