"""Informers: what is in the cluster of one kind, kept up by list and watch.

The version to watch from is the last one seen; after 410 the list is read again and what is missing from it is reported
as deleted. Faults are retried after 0.8 s, doubled up to 30 s with jitter, as client-go does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Generic, TypeVar

from opgen.client import Client
from opgen.client.watch import Synced
from opgen.controller.clock import Clock
from opgen.controller.queue import Key
from opgen.meta import Object

__all__ = ["Informer", "key_of"]

T = TypeVar("T", bound=Object)

Handler = Callable[[Object | None, Object | None], None]
"""Is called with the object before and after; None before it was there, None after it has gone."""


def key_of(obj: Object) -> Key:
    """Return which object this is."""
    return Key(obj.metadata.namespace if obj.RESOURCE.namespaced else None, str(obj.metadata.name))


class Informer(Generic[T]):
    """The objects of one kind.

    Guarantees
        Handlers see every object that is there once synced, and every change after that, in order for each object; of
        several changes in a row they may see only the last. What `get` returns is the caller's own copy.
    """

    def __init__(
        self, client: Client, kind: type[T], clock: Clock, namespace: str | None = None
    ) -> None:
        """Take what to watch; `namespace` None is all."""
        self.kind = kind
        self.synced = asyncio.Event()
        self.events = 0
        self._client, self._clock, self._namespace = client, clock, namespace
        self._objects: dict[Key, T] = {}
        self._handlers: list[Handler] = []

    def subscribe(self, handler: Handler) -> None:
        """Have a function called with each change."""
        self._handlers.append(handler)

    def get(self, key: Key) -> T | None:
        """Return a copy of an object, None if it isn't there."""
        found = self._objects.get(key)
        return found.deepcopy() if found is not None else None

    def list(self) -> list[T]:
        """Return copies of all objects."""
        return [obj.deepcopy() for obj in self._objects.values()]

    def __len__(self) -> int:
        """Return how many objects there are."""
        return len(self._objects)

    async def run(self) -> None:
        """Follow the server until cancelled."""
        watch = self._client.watcher(self.kind, namespace=self._namespace, patient=True)
        async with aclosing(watch.events()) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Synced):
                    self.synced.set()
                else:
                    obj = None if event.type == "DELETED" else event.object
                    self._store(key_of(event.object), obj)

    def _store(self, key: Key, obj: T | None) -> None:
        before = self._objects.pop(key, None)
        if obj is not None:
            self._objects[key] = obj
        self.events += 1
        for handler in self._handlers:
            handler(before, obj)
