"""Inputs to texts: files, folders, standard input and URLs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from opgen.errors import CrdError, Location, Problem

__all__ = ["read_inputs", "Text"]

_SUFFIXES = (".json", ".yaml", ".yml")
_MAX_BYTES = 64 * 1024 * 1024
_TIMEOUT = 30.0


@dataclass(frozen=True)
class Text:
    """The text of one input, and what the user would call it."""

    name: str
    text: str


def read_inputs(
    inputs: Sequence[str], cwd: Path, stdin: TextIO | None, problems: list[Problem]
) -> Iterator[Text]:
    """Yield the texts of `inputs`: a file, a folder (all YAML and JSON below it, sorted), `-`, or an http(s) URL.

    What can't be read is added to `problems` with code OPG100, and the rest goes on. A file that several inputs name is
    read once.
    """
    seen: set[Path] = set()
    for given in inputs:
        try:
            if given == "-":
                if stdin is None:
                    raise CrdError(
                        "OPG100", "there is no standard input to read", location=Location("-")
                    )
                yield Text("-", stdin.read())
            elif given.startswith(("http://", "https://")):
                yield Text(given, _decoded(_fetched(given), given))
            else:
                for path in _files(given, cwd):
                    if (real := path.resolve()) not in seen:
                        seen.add(real)
                        name = _name(path, cwd)
                        yield Text(name, _decoded(_read(path, name), name))
        except CrdError as error:
            problems.extend(error.problems)
        except UnicodeDecodeError:
            problems.append(Problem("OPG101", "standard input is not UTF-8", Location("-")))


def _name(path: Path, cwd: Path) -> str:
    """Return a path as people name it: relative to `cwd` if it lies below it or was given so."""
    try:
        return path.relative_to(cwd).as_posix()
    except ValueError:
        return (
            Path(os.path.relpath(path, cwd)).as_posix()
            if path.is_relative_to(cwd.parent)
            else path.as_posix()
        )


def _files(given: str, cwd: Path) -> list[Path]:
    path = cwd / given
    try:
        if path.is_dir():
            found = sorted(
                (p for p in path.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file()),
                key=lambda p: p.relative_to(path).parts,
            )
            if not found:
                raise CrdError(
                    "OPG100",
                    f'"{given}" holds no .yaml, .yml or .json file',
                    location=Location(given),
                )
            return found
        if not path.exists():
            hint = (
                "quote the pattern only if your shell expands it"
                if any(c in given for c in "*?[")
                else None
            )
            raise CrdError(
                "OPG100", f'"{given}" does not exist', location=Location(given), hint=hint
            )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CrdError(
            "OPG100", f'"{given}" can\'t be read: {reason}', location=Location(given)
        ) from None
    return [path]


def _read(path: Path, name: str) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CrdError(
                "OPG100", f'"{name}" is larger than {_MAX_BYTES >> 20} MiB', location=Location(name)
            )
        return path.read_bytes()
    except OSError as error:
        raise CrdError(
            "OPG100", f'"{name}" can\'t be read: {error.strerror}', location=Location(name)
        ) from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise CrdError(
            "OPG101", "not YAML: the text is not UTF-8", location=Location(name, line, column)
        ) from None


def _fetched(url: str) -> bytes:
    from urllib.error import URLError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class OnlyWeb(HTTPRedirectHandler):
        def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
            if not newurl.startswith(("http://", "https://")):
                raise CrdError("OPG100", f'"{url}" redirects to "{newurl}", expected http or https')
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    try:
        request = Request(url, headers={"Accept": "*/*", "User-Agent": "opgen"})
        with build_opener(OnlyWeb).open(request, timeout=_TIMEOUT) as answer:
            data: bytes = answer.read(_MAX_BYTES + 1)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise CrdError(
            "OPG100",
            f'"{url}" can\'t be fetched: {reason}',
            location=Location(url),
            hint="download it and give the file, if this machine has no way out",
        ) from None
    if len(data) > _MAX_BYTES:
        raise CrdError(
            "OPG100", f'"{url}" is larger than {_MAX_BYTES >> 20} MiB', location=Location(url)
        )
    return data
