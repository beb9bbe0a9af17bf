"""What the client's calls take and give besides objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from opgen.meta import Object

__all__ = [
    "delete_options",
    "named",
    "ObjectList",
    "PatchType",
    "Preconditions",
    "Propagation",
    "selectors",
    "versioned",
]

T = TypeVar("T", bound=Object)

Propagation = Literal["Background", "Foreground", "Orphan"]
"""What becomes of an object's dependents: deleted after it, before it, or left."""

PatchType = Literal["apply", "json", "merge", "strategic"]


@dataclass(frozen=True)
class Preconditions:
    """What must still be true of an object for it to be deleted."""

    uid: str | None = None
    resource_version: str | None = None


@dataclass(frozen=True)
class ObjectList(Generic[T]):
    """Objects of a kind as of one moment, and the version to watch from."""

    items: list[T]
    resource_version: str

    def __iter__(self) -> Iterator[T]:
        """Iterate over the objects."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.items)


def named(obj: Object) -> str:
    """Return an object's name. Raises ValueError where it has none."""
    if not obj.metadata.name:
        raise ValueError(f'this "{type(obj).__name__}" has no metadata.name')
    return obj.metadata.name


def versioned(obj: Object) -> None:
    """Raise ValueError where an object was not read from a server."""
    if not obj.metadata.resource_version:
        raise ValueError(
            f'"{type(obj).__name__}" has no metadata.resource_version, so others\' changes would be lost; '
            "read it first, or use apply"
        )


def selectors(
    labels: str | Mapping[str, str] | None, fields: str | Mapping[str, str] | None
) -> dict[str, str]:
    """Return the query that selects by labels and fields."""
    out = {}
    for key, value in (("labelSelector", labels), ("fieldSelector", fields)):
        if value:
            text = isinstance(value, str)
            out[key] = value if text else ",".join(f"{k}={v}" for k, v in value.items())  # type: ignore[union-attr]
    return out  # type: ignore[return-value]


def delete_options(
    propagation: Propagation | None,
    preconditions: Preconditions | None,
    grace_seconds: int | None,
) -> dict[str, Any]:
    """Return the body of a delete request."""
    body: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
    if propagation:
        body["propagationPolicy"] = propagation
    if grace_seconds is not None:
        body["gracePeriodSeconds"] = grace_seconds
    if preconditions:
        wanted = {"uid": preconditions.uid, "resourceVersion": preconditions.resource_version}
        body["preconditions"] = {key: value for key, value in wanted.items() if value is not None}
    return body
