"""Read, change, write, and again on fresh data where another writer was faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from opgen.client.errors import AlreadyExists, Conflict, Invalid, NotFound
from opgen.client.model import named
from opgen.client.patch import diff
from opgen.meta import Object

if TYPE_CHECKING:
    from opgen.client.client import Client

__all__ = ["create_or_patch", "modify"]

T = TypeVar("T", bound=Object)

_TRIES = 10
_FIRST_DELAY, _MAX_DELAY = 0.01, 1.0


async def modify(
    client: Client,
    kind: type[T],
    name: str,
    change: Callable[[T], object],
    *,
    namespace: str | None = None,
    status: bool = False,
    field_manager: str | None = None,
) -> T:
    """See `Client.modify`."""
    attempt = 0
    while True:
        current = await client.get(kind, name, namespace=namespace)
        wanted = current.deepcopy()
        change(wanted)
        if wanted.to_wire() == current.to_wire():
            return current
        try:
            if status:
                return await client.update_status(wanted, field_manager=field_manager)
            return await client.replace(wanted, field_manager=field_manager)
        except Conflict as error:
            attempt = await _wait(client, attempt, error)


async def create_or_patch(
    client: Client, obj: T, change: Callable[[T], object], *, field_manager: str | None = None
) -> T:
    """See `Client.create_or_patch`."""
    kind, name = type(obj), named(obj)
    attempt = 0
    while True:
        try:
            current = await client.get(kind, name, namespace=obj.metadata.namespace)
        except NotFound:
            wanted = obj.deepcopy()
            change(wanted)
            try:
                return await client.create(wanted, field_manager=field_manager)
            except AlreadyExists as error:
                attempt = await _wait(client, attempt, error)
                continue
        wanted = current.deepcopy()
        change(wanted)
        ops: list[dict[str, Any]] = diff(current, wanted)
        if not ops:
            return current
        version = current.metadata.resource_version
        test = {"op": "test", "path": "/metadata/resourceVersion", "value": version}
        try:
            return await client.patch(
                kind,
                name,
                [test, *ops],
                namespace=current.metadata.namespace,
                type="json",
                field_manager=field_manager,
            )
        except Conflict as error:
            attempt = await _wait(client, attempt, error)
        except Invalid as error:
            # a failed test is a 422 without causes, as is nothing else
            if error.causes:
                raise
            attempt = await _wait(client, attempt, error)


async def _wait(client: Client, attempt: int, error: Exception) -> int:
    """Wait before the next try; raises `error` after the last."""
    if attempt + 1 >= _TRIES:
        raise error
    delay = min(_FIRST_DELAY * 2**attempt, _MAX_DELAY)
    await client.clock.sleep(delay * (0.5 + client.clock.chance()))
    return attempt + 1
