"""Inputs to texts: files, folders, standard input and URLs.

What can't be read is a problem of its own, and the rest goes on, so that one run tells of all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from opgen.crd.names import shown
from opgen.errors import CrdError, Location, Problem

__all__ = ["decoded", "MAX_BYTES", "read_inputs", "Text"]

MAX_BYTES = 64 * 1024 * 1024
"""Bytes of one input; the API server takes 3 MiB a request, a list of a whole cluster's CRDs may have more."""

_SUFFIXES = (".json", ".yaml", ".yml")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class Text:
    """The text of one input, and what the user would call it."""

    name: str
    text: str


def read_inputs(
    inputs: Sequence[str], cwd: Path, stdin: TextIO | None, problems: list[Problem]
) -> Iterator[Text]:
    """Yield the texts of `inputs`: a file, a folder (all YAML and JSON below it, sorted), `-`, or an http(s) URL.

    What can't be read is added to `problems` with code OPG100 (OPG101 if it is no text), and the rest goes on. A file
    that several inputs name is read once. In folders, what starts with a dot and links to folders are left out.
    """
    seen: set[Path | str] = set()
    for given in inputs:
        try:
            if given == "-" or _SCHEME.match(given):
                if given not in seen:
                    seen.add(given)
                    yield _from_stdin(stdin) if given == "-" else _from_web(given)
                continue
            paths = _files(given, cwd, problems)
        except CrdError as error:
            problems.extend(error.problems)
            continue
        for path in paths:
            try:
                real = path.resolve()
                if real not in seen:
                    seen.add(real)
                    name = _name(path, cwd)
                    yield Text(name, decoded(_read(path, name), name))
            except CrdError as error:
                problems.extend(error.problems)
            except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle
                problems.append(_unreadable(_name(path, cwd), error))


def decoded(data: bytes, name: str) -> str:
    """Return bytes as text: UTF-8, or UTF-16 with a byte order mark. Raises CrdError with the place (OPG101)."""
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode(
            "utf-8", "replace"
        )
        raise CrdError(
            "OPG101",
            f"not YAML: the byte 0x{data[error.start]:02X} is not UTF-8",
            location=Location(name, line, len(before) + 1),
            hint="save the file as UTF-8 text",
        ) from None


def _from_stdin(stdin: TextIO | None) -> Text:
    if stdin is None:
        raise CrdError("OPG100", "there is no standard input to read", location=Location("-"))
    try:
        # The bytes where they can be had: under some locales the text has been decoded wrongly.
        raw: BinaryIO | None = getattr(stdin, "buffer", None)
        if raw is not None:
            return Text("-", decoded(_bounded(raw, "-"), "-"))
        return Text("-", stdin.read())
    except UnicodeDecodeError:
        raise CrdError(
            "OPG101", "not YAML: standard input is not UTF-8", location=Location("-")
        ) from None
    except (OSError, ValueError) as error:
        problem = _unreadable("-", error)
        raise CrdError(problem.code, problem.text, location=problem.location) from None


def _from_web(url: str) -> Text:
    from opgen.crd.web import fetch

    name, data = fetch(url, MAX_BYTES)
    return Text(name, decoded(data, name))


def _name(path: Path, cwd: Path) -> str:
    """Return a path as people name it: relative to `cwd` if it lies below it or beside it."""
    try:
        found = path.relative_to(cwd)
    except ValueError:
        found = Path(os.path.relpath(path, cwd)) if path.is_relative_to(cwd.parent) else path
    # Names of files are bytes on some systems; what is no text must not break the message that holds it.
    return os.fsencode(found.as_posix()).decode("utf-8", "backslashreplace")


def _files(given: str, cwd: Path, problems: list[Problem]) -> list[Path]:
    where = Location(given)
    if not given.strip():
        raise CrdError("OPG100", 'an input is "", expected a file, a folder, a URL or "-"')
    path = cwd / given
    try:
        if path.is_dir():
            found = sorted(_below(path, cwd, problems), key=lambda one: one.relative_to(path).parts)
            if not found:
                raise CrdError(
                    "OPG100",
                    f'"{shown(given)}" holds no file, expected some that end in .yaml, .yml or .json',
                    location=where,
                )
            return found
        if not path.exists():
            hint = None
            if any(char in given for char in "*?["):
                hint = "the shell found nothing that fits the pattern; opgen takes it as a name"
            raise CrdError("OPG100", f'"{shown(given)}" does not exist', location=where, hint=hint)
    except (OSError, ValueError) as error:
        problem = _unreadable(given, error)
        raise CrdError(problem.code, problem.text, location=problem.location) from None
    return [path]


def _below(folder: Path, cwd: Path, problems: list[Problem]) -> Iterator[Path]:
    def failed(error: OSError) -> None:
        problems.append(_unreadable(_name(Path(error.filename or folder), cwd), error))

    for here, folders, files in os.walk(folder, onerror=failed):
        folders[:] = [one for one in folders if not one.startswith(".")]
        for one in files:
            path = Path(here, one)
            if not one.startswith(".") and path.suffix.lower() in _SUFFIXES and path.is_file():
                yield path


def _read(path: Path, name: str) -> bytes:
    with path.open("rb") as file:
        return _bounded(file, name)


def _bounded(file: BinaryIO, name: str) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        limit = f"expected at most {MAX_BYTES >> 20} MiB"
        raise CrdError("OPG100", f'"{shown(name)}" is too large, {limit}', location=Location(name))
    return data


def _unreadable(name: str, error: Any) -> Problem:
    reason = getattr(error, "strerror", None) or str(error)
    return Problem(
        "OPG100",
        f'"{shown(name)}" can\'t be read: {reason[:1].lower()}{reason[1:]}',
        Location(name),
    )
