"""Where a fault of a schema stands: a path of the document for the machine, and one of fields for people."""

from __future__ import annotations

from dataclasses import dataclass

from opgen.crd.model import Path
from opgen.crd.names import shown
from opgen.errors import Severity

__all__ = ["Fault", "Faults", "Trail"]

_ROOT = 5  # spec, versions, i, schema, openAPIV3Schema


class Trail:
    """The way to a node of a schema; `/` goes on. Cheap to make, since few are ever looked at."""

    __slots__ = ("_above", "_at_keyword", "_part")

    def __init__(self, above: Trail | Path, part: str | int) -> None:
        """Go one step from another trail, or from the path of a schema's root, whose step is its version's name."""
        self._above, self._part, self._at_keyword = above, part, False

    def __truediv__(self, part: str | int) -> Trail:
        """Return the trail of a member or an item."""
        return Trail(self, part)

    def at(self, keyword: str) -> Trail:
        """Return the trail of a keyword of this node, which is shown as the node."""
        trail = Trail(self, keyword)
        trail._at_keyword = True
        return trail

    @property
    def path(self) -> Path:
        """The path in the document."""
        parts: list[str | int] = []
        trail: Trail | Path = self
        while isinstance(trail, Trail) and isinstance(trail._above, Trail):
            parts.append(trail._part)
            trail = trail._above
        root = trail._above if isinstance(trail, Trail) else trail
        return (*(root if isinstance(root, tuple) else ()), *reversed(parts))

    @property
    def version(self) -> str:
        """The name of the version whose schema this goes through."""
        trail = self
        while isinstance(trail._above, Trail):
            trail = trail._above
        return str(trail._part)

    @property
    def shown(self) -> str:
        """The field a trail is about, as people write it: `v1.spec.containers[].name`, branches as `.anyOf[1]`."""
        out, parts, i = self.version, self.path[_ROOT:], 0
        if self._at_keyword:
            parts = parts[:-1]
        while i < len(parts):
            part = parts[i]
            if part == "properties" and i + 1 < len(parts):
                i += 1
                out += f".{shown(str(parts[i]))}"
            elif part == "items":
                out += "[]"
            elif part == "additionalProperties":
                out += "{}"
            elif part in ("allOf", "anyOf", "oneOf") and i + 1 < len(parts):
                i += 1
                out += f".{part}[{parts[i]}]"
            elif part == "not":
                out += ".not"
            else:
                break
            i += 1
        return f'"{out}"'


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a schema, and where."""

    code: str
    path: Path
    text: str
    hint: str | None
    severity: Severity


class Faults(list[Fault]):
    """The faults of a schema, as they are found."""

    def add(
        self, code: str, trail: Trail, text: str, hint: str | None = None, *, note: bool = False
    ) -> None:
        """Add a warning about the field of a trail, a note if the API server takes it all the same."""
        self.append(
            Fault(code, trail.path, f"{trail.shown}: {text}", hint, "note" if note else "warning")
        )
