"""opgen.toml: what a project is made of.

    package = "memcached_operator"   the Python package
    kind = "operator"                or "types", a library without controllers
    crds = ["crds"]                  files, folders or URLs, relative to this file

    [models.rename]
    "MemcachedSpec.max_size" = "max_size_total"     class and property -> attribute

tomllib reads it; where a key stands is found by a scan of our own, since tomllib does not tell.
"""

from __future__ import annotations

import keyword
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from opgen.errors import ConfigError, Location, Problem, Problems

__all__ = ["Config", "FILE_NAME", "find_project", "is_package_name", "parse_config", "read_config"]

FILE_NAME = "opgen.toml"

_KEYS = ("crds", "kind", "models", "package")

_NAME = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_TABLE = re.compile(rf"\s*\[\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*\]")
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")

_Keys = tuple[str, ...]


@dataclass(frozen=True)
class Config:
    """The settings of a project; `root` is its folder."""

    root: Path
    package: str
    kind: Literal["operator", "types"] = "types"
    crds: tuple[str, ...] = ("crds",)
    rename: dict[str, str] = field(default_factory=dict)


def find_project(start: Path) -> Path | None:
    """Return the nearest folder at or above `start` that holds opgen.toml."""
    return next(
        (folder for folder in (start, *start.parents) if (folder / FILE_NAME).is_file()), None
    )


def is_package_name(name: str) -> bool:
    """Return whether Python can import a package of this name."""
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)


def read_config(root: Path) -> Config:
    """Return the settings in `root`.

    Raises ConfigError OPG001 where the file can't be read or is not TOML, Problems of OPG002 with every wrong key and
    value, each with its place.
    """
    try:
        text = (root / FILE_NAME).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the text is not UTF-8"
        raise ConfigError(
            "OPG001", f"{FILE_NAME} can't be read: {reason}", location=Location(FILE_NAME)
        ) from None
    return parse_config(text, root)


def parse_config(text: str, root: Path) -> Config:
    """Return the settings in the text of an opgen.toml in `root`. Raises as `read_config`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error).split(" (at ")[0]
        raise ConfigError(
            "OPG001",
            f"not TOML: {message[:1].lower()}{message[1:]}",
            location=_place_of(error, text),
        ) from None
    except RecursionError:
        raise ConfigError(
            "OPG001", "not TOML: nested too deeply", location=Location(FILE_NAME)
        ) from None
    return _Reader(text).config(root, data)


def _place_of(error: tomllib.TOMLDecodeError, text: str) -> Location:
    found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    if found:
        return Location(FILE_NAME, int(found[1]), int(found[2]))
    return Location(FILE_NAME, text.count("\n") + 1, len(text) - text.rfind("\n"))


class _Reader:
    """Checks one file and collects what is wrong with it."""

    def __init__(self, text: str) -> None:
        self._places = dict(_places(text))
        self._problems: list[Problem] = []

    def config(self, root: Path, data: dict[str, Any]) -> Config:
        self._unknown(data, _KEYS)
        package = data.get("package")
        if not isinstance(package, str) or not is_package_name(package):
            self._wrong(
                ("package",), package, 'the name of a Python package such as "memcached_operator"'
            )
        kind = data.get("kind", "types")
        if kind not in ("operator", "types"):
            self._wrong(("kind",), kind, '"operator" or "types"')
        crds = data.get("crds", ["crds"])
        if (
            not isinstance(crds, list)
            or not crds
            or not all(isinstance(c, str) and c for c in crds)
        ):
            self._wrong(("crds",), crds, 'a list of files, folders or URLs such as ["crds"]')
        rename = self._rename(data.get("models", {}))
        if self._problems:
            raise Problems(self._problems)
        return Config(root, str(package), kind, tuple(crds), rename)

    def _rename(self, models: Any) -> dict[str, str]:
        if not isinstance(models, dict):
            self._wrong(("models",), models, "a table")
            return {}
        self._unknown(models, ("rename",), ("models",))
        rename = models.get("rename", {})
        if not isinstance(rename, dict):
            self._wrong(("models", "rename"), rename, "a table")
            return {}
        for key, name in rename.items():
            path = ("models", "rename", key)
            if isinstance(name, dict):
                self._wrong(path, name, 'a name; put quotes around the key: "Class.property"')
            elif "." not in key.strip("."):
                self._wrong(path, name, 'a key of the form "Class.property"')
            elif not isinstance(name, str) or not is_package_name(name) or name.startswith("_"):
                self._wrong(path, name, "a Python name that starts with a letter")
        return {key: str(name) for key, name in rename.items()}

    def _unknown(self, table: Mapping[str, Any], known: tuple[str, ...], above: _Keys = ()) -> None:
        for key in table:
            if key not in known:
                close = get_close_matches(key, known, 1)
                hint = f'did you mean "{close[0]}"?' if close else f"known keys: {', '.join(known)}"
                shown = ".".join((*above, key))
                at = self._at((*above, key))
                self._problems.append(Problem("OPG002", f'unknown key "{shown}"', at, hint))

    def _wrong(self, path: _Keys, value: Any, expected: str) -> None:
        shown = "missing" if value is None else repr(value)[:80]
        text = f'"{path[-1]}" is {shown}, expected {expected}'
        self._problems.append(Problem("OPG002", text, self._at(path)))

    def _at(self, path: _Keys) -> Location:
        """Return where a key stands, else the table around it."""
        while path and path not in self._places:
            path = path[:-1]
        return Location(FILE_NAME, *self._places.get(path, (1, 1)))


def _places(text: str) -> Iterator[tuple[_Keys, tuple[int, int]]]:
    """Yield the line and column of each table and key; of what stands on lines of its own, which is nearly all."""
    table: _Keys = ()
    for number, line in enumerate(text.split("\n"), 1):
        if found := _TABLE.match(line):
            table = _parts(found[1])
            yield table, (number, found.start(1) + 1)
        elif found := _KEY.match(line):
            path = table
            for part in _parts(found[1]):
                path = (*path, part)
                yield path, (number, found.start(1) + 1)


def _parts(dotted: str) -> _Keys:
    parts = re.findall(_NAME, dotted)
    return tuple(str(tomllib.loads(f"x = {p}")["x"]) if p[0] in "\"'" else p for p in parts)
