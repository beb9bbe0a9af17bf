"""Finalizers: added before the first side effect, taken away after the last.

Both writes are JSON patches with a `test` in front, as in kube-rs, so that a race is a clean conflict and never takes
away what another controller put there.
"""

from __future__ import annotations

from typing import TypeVar

from opgen.client import Client
from opgen.client.errors import Conflict, Invalid
from opgen.meta import Object

__all__ = ["add_finalizer", "has_finalizer", "remove_finalizer"]

T = TypeVar("T", bound=Object)


def has_finalizer(obj: Object, name: str) -> bool:
    """Return whether an object has a finalizer."""
    return name in (obj.metadata.finalizers or ())


async def add_finalizer(client: Client, obj: T, name: str) -> T:
    """Add a finalizer and return the object as it is then.

    Raises Conflict if the list has changed since it was read.
    """
    current = obj.metadata.finalizers
    patch: list[dict[str, object]] = (
        [
            {"op": "test", "path": "/metadata/finalizers", "value": current},
            {"op": "add", "path": "/metadata/finalizers/-", "value": name},
        ]
        if current
        else [
            {
                "op": "test",
                "path": "/metadata/resourceVersion",
                "value": obj.metadata.resource_version,
            },
            {"op": "add", "path": "/metadata/finalizers", "value": [name]},
        ]
    )
    return await _patched(client, obj, patch)


async def remove_finalizer(client: Client, obj: T, name: str) -> T:
    """Take a finalizer away; the object may be gone then. Raises Conflict if it has moved since it was read."""
    index = (obj.metadata.finalizers or []).index(name)
    path = f"/metadata/finalizers/{index}"
    return await _patched(
        client, obj, [{"op": "test", "path": path, "value": name}, {"op": "remove", "path": path}]
    )


async def _patched(client: Client, obj: T, patch: list[dict[str, object]]) -> T:
    try:
        return await client.patch(
            type(obj), str(obj.metadata.name), patch, namespace=obj.metadata.namespace, type="json"
        )
    except Invalid as error:
        # a failed test comes as 422 from the API server, and means what a conflict means
        raise Conflict({**error.status, "reason": "Conflict"}, error.request) from error
