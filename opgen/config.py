"""opgen.toml: what a project is made of.

package = "memcached_operator"   the Python package
kind = "operator"                or "types", a library without controllers
crds = ["crds"]                  files, folders or URLs, relative to this file

[models.rename]
"MemcachedSpec.max_size" = "max_size_total"     class and property -> attribute
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from opgen.errors import ConfigError, Location, Problem, Problems

__all__ = ["Config", "find_project", "FILE_NAME", "read_config"]

FILE_NAME = "opgen.toml"

_KEYS = ("crds", "kind", "models", "package")


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


def read_config(root: Path) -> Config:
    """Return the settings in `root`. Raises Problems (OPG001 not TOML, OPG002 wrong key or value) with the place."""
    path = root / FILE_NAME
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the text is not UTF-8"
        raise ConfigError(
            "OPG001", f"{FILE_NAME} can't be read: {reason}", location=Location(FILE_NAME)
        ) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        location = (
            Location(FILE_NAME, int(found[1]), int(found[2])) if found else Location(FILE_NAME)
        )
        message = str(error).split(" (at ")[0]
        raise ConfigError(
            "OPG001", f"not TOML: {message[:1].lower()}{message[1:]}", location=location
        ) from None
    return _Reader(text).config(root, data)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._problems: list[Problem] = []

    def config(self, root: Path, data: dict[str, Any]) -> Config:
        self._unknown(data, _KEYS)
        package = data.get("package")
        if not isinstance(package, str) or not package.isidentifier():
            self._wrong("package", package, 'a Python identifier such as "memcached_operator"')
        kind = data.get("kind", "types")
        if kind not in ("operator", "types"):
            self._wrong("kind", kind, '"operator" or "types"')
        crds = data.get("crds", ["crds"])
        if not isinstance(crds, list) or not crds or not all(isinstance(one, str) for one in crds):
            self._wrong("crds", crds, 'a list of files or folders such as ["crds"]')
        models = data.get("models", {})
        rename: dict[str, str] = {}
        if not isinstance(models, dict):
            self._wrong("models", models, "a table")
        else:
            self._unknown(models, ("rename",), "models.")
            rename = models.get("rename", {})
            for key, name in rename.items() if isinstance(rename, dict) else ():
                if "." not in key:
                    self._wrong(key, key, '"Class.property" as the key')
                elif not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
                    self._wrong(key, name, "a Python identifier that starts with a letter")
        if self._problems:
            raise Problems(self._problems)
        return Config(root, str(package), kind, tuple(crds), dict(rename))

    def _unknown(self, table: dict[str, Any], known: tuple[str, ...], prefix: str = "") -> None:
        for key in table:
            if key not in known:
                close = get_close_matches(key, known, 1)
                hint = f'did you mean "{close[0]}"?' if close else f"known keys: {', '.join(known)}"
                self._problems.append(
                    Problem("OPG002", f'unknown key "{prefix}{key}"', self._at(key), hint)
                )

    def _wrong(self, key: str, value: Any, expected: str) -> None:
        shown = "missing" if value is None else repr(value)
        self._problems.append(
            Problem("OPG002", f'"{key}" is {shown}, expected {expected}', self._at(key))
        )

    def _at(self, key: str) -> Location:
        found = re.search(rf'^\s*(?:\[[^\]]*)?["\']?{re.escape(key)}\b', self._text, re.MULTILINE)
        if not found:
            return Location(FILE_NAME)
        at = found.end() - len(key)
        return Location(
            FILE_NAME, self._text.count("\n", 0, at) + 1, at - self._text.rfind("\n", 0, at)
        )
