"""Takes request paths apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

__all__ = ["locate", "Place"]


@dataclass(frozen=True)
class Place:
    """What a resource path points at; `watch` if it has the deprecated `/watch/` prefix."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watch: bool = False


@lru_cache(maxsize=4096)
def locate(path: str) -> Place | None:
    """Return what `path` points at, None if it is no path of an API group version."""
    parts = unquote(path).split("/")
    if parts[0] or len(parts) < 3:
        return None
    parts = parts[1:]
    if parts[-1] == "" and len(parts) > 1:
        parts.pop()
    if parts[0] == "api" and len(parts) >= 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    watch = bool(rest) and rest[0] == "watch"
    if watch:
        rest = rest[1:]
    namespace = ""
    if (
        len(rest) >= 3
        and rest[0] == "namespaces"
        and not (group == "" and len(rest) == 3 and rest[2] in ("status", "finalize"))
    ):
        namespace, rest = rest[1], rest[2:]
    plural = rest[0] if rest else ""
    return Place(
        group,
        version,
        plural,
        namespace,
        rest[1] if len(rest) > 1 else "",
        rest[2] if len(rest) > 2 else "",
        watch,
    )
