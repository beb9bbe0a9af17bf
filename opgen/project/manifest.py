""".opgen/manifest.json: what opgen wrote, from what, and whose each file is.

It is the only place with a version, so that an upgrade which changes no code changes one line.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opgen.errors import Location, ProjectError
from opgen.project.paths import FOLDER, why_outside

__all__ = ["digest", "Entry", "Manifest", "MANIFEST", "read_manifest"]

MANIFEST = f"{FOLDER}/manifest.json"
"""Where it lies, from the root of a project."""

_FORMAT = 1


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of a text or of bytes, as hexadecimal digits."""
    return hashlib.sha256(
        data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    ).hexdigest()


@dataclass(frozen=True)
class Entry:
    """One file that opgen wrote: its digest then, and who owns it now."""

    sha256: str
    owner: str


@dataclass(frozen=True)
class Manifest:
    """What the last run knew; `inputs` and `files` by path with forward slashes, `settings` a digest."""

    version: str = ""
    settings: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    files: dict[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """Return the file's text: sorted, so that a change shows as the lines that changed."""
        data = {
            "format": _FORMAT,
            "opgen": self.version,
            "settings": self.settings,
            "inputs": self.inputs,
            "files": {
                path: {"owner": one.owner, "sha256": one.sha256} for path, one in self.files.items()
            },
        }
        return json.dumps(data, indent=1, sort_keys=True) + "\n"


def read_manifest(root: Path) -> Manifest:
    """Return the manifest in `root`, an empty one if there is none. Raises ProjectError (OPG306) if it is damaged."""
    path = root / MANIFEST
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Manifest()
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(str(getattr(error, "strerror", None) or error)) from None
    try:
        return _manifest(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(f"{type(error).__name__}: {error}") from None


def _manifest(data: Any) -> Manifest:
    if data["format"] != _FORMAT:
        raise ProjectError(
            "OPG306",
            f"the manifest has format {data['format']}, this opgen reads {_FORMAT}",
            location=Location(MANIFEST),
            hint="install the opgen that wrote it, or a later one",
        )
    files = {
        path: Entry(str(one["sha256"]), str(one["owner"])) for path, one in data["files"].items()
    }
    for path in files:
        if why := why_outside(path):
            raise _damaged(why)
    return Manifest(str(data["opgen"]), str(data["settings"]), dict(data["inputs"]), files)


def _damaged(reason: str) -> ProjectError:
    return ProjectError(
        "OPG306",
        f"the manifest can't be read: {reason}",
        location=Location(MANIFEST),
        hint="restore it from version control, or delete it and run `opgen generate` again",
    )
