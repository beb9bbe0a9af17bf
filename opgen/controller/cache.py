"""Informers: what is in the cluster of one kind, kept up by list and watch.

The version to watch from is the last one seen; after 410 the list is read again and what is missing from it is reported
as deleted. Faults are retried after 0.8 s, doubled up to 30 s with jitter, as client-go does.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import aclosing
from typing import Generic, TypeVar

from opgen.client import Client
from opgen.client.errors import ApiError, Gone, Unreachable
from opgen.controller.clock import Clock
from opgen.controller.queue import Key
from opgen.meta import Object

__all__ = ["Informer", "key_of"]

T = TypeVar("T", bound=Object)

_LOG = logging.getLogger("opgen.controller")
_FIRST_DELAY, _MAX_DELAY = 0.8, 30.0

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
        version, delay = "", _FIRST_DELAY
        while True:
            try:
                if not version:
                    version = await self._relist()
                    self.synced.set()
                version = await self._follow(version)
                delay = _FIRST_DELAY
            except Gone:
                version = ""
            except (ApiError, Unreachable) as error:
                _LOG.warning(
                    "watch of %s: %s; again in about %.1f s", self.kind.RESOURCE, error, delay
                )
                await self._clock.sleep(delay * (1 + random.random()))
                delay = min(delay * 2, _MAX_DELAY)

    async def _relist(self) -> str:
        found = await self._client.list(self.kind, namespace=self._namespace)
        fresh = {key_of(obj): obj for obj in found}
        for key in [key for key in self._objects if key not in fresh]:
            self._store(key, None)
        for key, obj in fresh.items():
            before = self._objects.get(key)
            if before is None or before.metadata.resource_version != obj.metadata.resource_version:
                self._store(key, obj)
        return found.resource_version

    async def _follow(self, version: str) -> str:
        watch = self._client.watch(self.kind, namespace=self._namespace, resource_version=version)
        async with aclosing(watch) as events:  # type: ignore[type-var]
            async for event in events:
                version = event.resource_version or version
                if event.object is not None:
                    key = key_of(event.object)
                    self._store(key, None if event.type == "DELETED" else event.object)
        return version

    def _store(self, key: Key, obj: T | None) -> None:
        before = self._objects.pop(key, None)
        if obj is not None:
            self._objects[key] = obj
        self.events += 1
        for handler in self._handlers:
            handler(before, obj)
