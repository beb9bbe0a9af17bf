"""Waiting until an object is as it should be, by watching it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from opgen.client.watch import Event
from opgen.meta import Object, find_condition

if TYPE_CHECKING:
    from opgen.client.client import Client

__all__ = ["condition_holds", "wait_for"]

T = TypeVar("T", bound=Object)


async def wait_for(
    client: Client,
    kind: type[T],
    name: str,
    until: str | Callable[[T | None], bool],
    *,
    namespace: str | None = None,
    timeout: float,  # noqa: ASYNC109 - by the client's clock, which may be virtual
) -> T | None:
    """See `Client.wait_for`."""
    wanted = _predicate(until)
    where = (namespace or client.namespace) if kind.RESOURCE.namespaced else None
    last: T | None = None
    try:
        async with client.clock.timeout(timeout):
            watch = client.watcher(kind, namespace=where, fields={"metadata.name": name})
            async with aclosing(watch.events()) as events:  # type: ignore[type-var]
                async for event in events:
                    if isinstance(event, Event):
                        last = None if event.type == "DELETED" else event.object
                        if wanted(last):
                            return last
                    elif last is None and wanted(None):
                        return None
    except TimeoutError:
        what = until if isinstance(until, str) else getattr(until, "__name__", "the predicate")
        raise TimeoutError(
            f'{kind.RESOURCE.kind} "{name}" was not "{what}" within {timeout:g} s: {_state(last)}'
        ) from None
    raise AssertionError("unreachable")


def condition_holds(obj: Object | None, type_: str) -> bool:
    """Return whether a condition is True and speaks of the object's current generation."""
    found = find_condition(getattr(getattr(obj, "status", None), "conditions", None), type_)
    if obj is None or found is None or getattr(found, "status", None) != "True":
        return False
    seen = getattr(found, "observed_generation", None)
    return seen is None or seen == obj.metadata.generation


def _predicate(until: str | Callable[[Any], bool]) -> Callable[[Any], bool]:
    if not isinstance(until, str):
        return until
    if until == "deleted":
        return lambda obj: obj is None
    return lambda obj: condition_holds(obj, until)


def _state(obj: Object | None) -> str:
    """Say how an object is, for a message."""
    if obj is None:
        return "it is not there"
    conditions = getattr(getattr(obj, "status", None), "conditions", None) or ()
    said = [
        f"{one.type}={one.status} ({getattr(one, 'reason', '') or 'no reason'}: "
        f"{getattr(one, 'message', '') or 'no message'})"
        for one in conditions
    ]
    if obj.metadata.deletion_timestamp is not None:
        said.append(f"being deleted, finalizers {obj.metadata.finalizers or []}")
    return ", ".join(said) or "it has no conditions"
