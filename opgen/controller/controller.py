"""One controller: watches, a queue, workers, and the steps around each reconcile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from opgen.client import Client
from opgen.client.errors import ApiError, Conflict, NotFound, Unreachable
from opgen.controller.cache import Informer, key_of
from opgen.controller.clock import Clock
from opgen.controller.events import Recorder
from opgen.controller.finalizers import add_finalizer, has_finalizer, remove_finalizer
from opgen.controller.owners import controller_of
from opgen.controller.queue import Key, WorkQueue
from opgen.controller.reconciler import AppliedMemo, Context, Reconciler, TerminalError
from opgen.meta import Object

__all__ = ["Controller"]

T = TypeVar("T", bound=Object)

Mapper = Callable[[Object], Iterable[Key | tuple[str | None, str]]]

_LOG = logging.getLogger("opgen.controller")
_STATUS_TRIES = 5


class Controller(Generic[T]):
    """Reconciles the objects of one kind.

    Guarantees
        An object is reconciled after it or what it owns has changed, by one worker at a time, on fresh data. Own status
        writes don't wake it up again where the spec has not changed (the generation hasn't).
    """

    def __init__(
        self, reconciler: Reconciler[T], client: Client, clock: Clock, informers: Any
    ) -> None:
        """Take the reconciler; `informers` gives the informer of a kind. Made by `Manager.controller`."""
        self.reconciler = reconciler
        self.kind = reconciler.kind
        self.name = f"{self.kind.RESOURCE.singular}-controller"
        self.queue = WorkQueue(clock)
        self.reconciles = 0
        self.failures: dict[Key, BaseException] = {}
        self._client, self._clock, self._informers = client, clock, informers
        self._recorder = Recorder(client, self.name, clock)
        self._memo = AppliedMemo()
        self._written: dict[Key, int] = {}
        self._informer: Informer[T] = informers(self.kind)
        self._informer.subscribe(self._on_primary)

    def owns(self, *kinds: type[Object]) -> Controller[T]:
        """Also reconcile an object when a child of one of these kinds changes that it is the controller of."""
        for kind in kinds:
            self._informers(kind).subscribe(self._on_owned)
        return self

    def watches(self, kind: type[Object], mapper: Mapper) -> Controller[T]:
        """Also reconcile the objects that `mapper` names when an object of another kind changes.

        `mapper` gets the object before and the one after the change, so that an object which is no longer meant is
        reconciled once more.
        """

        def changed(before: Object | None, after: Object | None) -> None:
            keys = {Key(*key) for obj in (before, after) if obj is not None for key in mapper(obj)}
            for key in sorted(keys, key=str):
                self.queue.add(key)

        self._informers(kind).subscribe(changed)
        return self

    def requeue_all(self) -> None:
        """Ask for every object to be reconciled again, as a resync does."""
        for obj in self._informer.list():
            self.queue.add(key_of(obj))

    def _on_primary(self, before: Object | None, after: Object | None) -> None:
        if after is None:
            if before is not None:
                self._written.pop(key_of(before), None)
                self.queue.add(key_of(before))
            return
        if before is not None and self._is_own_echo(before, after):
            return
        self.queue.add(key_of(after))

    def _is_own_echo(self, before: Object, after: Object) -> bool:
        """Return whether only the status changed: nothing that asks for work."""
        old, new = before.metadata, after.metadata
        return (
            old.uid == new.uid
            and old.generation == new.generation
            and new.generation is not None
            and old.deletion_timestamp == new.deletion_timestamp
            and old.finalizers == new.finalizers
            and old.labels == new.labels
            and old.annotations == new.annotations
            and self.kind.RESOURCE.status
        )

    def _on_owned(self, before: Object | None, after: Object | None) -> None:
        for obj in (before, after):
            owner = controller_of(obj) if obj is not None else None
            resource = self.kind.RESOURCE
            group = owner.api_version.rpartition("/")[0] if owner else ""
            if obj and owner and (group, owner.kind) == (resource.group, resource.kind):
                self.queue.add(
                    Key(obj.metadata.namespace if resource.namespaced else None, owner.name)
                )

    async def work(self) -> None:
        """Reconcile what is due until the queue is closed; one worker."""
        while (key := await self.queue.take()) is not None:
            try:
                await self._one(key)
            finally:
                self.queue.done(key)

    async def _one(self, key: Key) -> None:
        self.reconciles += 1
        try:
            async with asyncio.timeout(self.reconciler.timeout):
                result = await self.reconcile(key)
        except TerminalError as error:
            self.failures[key] = error
            self.queue.forget(key)
            _LOG.error("%s %s: %s; not tried again until it changes", self.name, key, error)
        except Conflict as error:
            # another writer was faster: no fault, look again
            delay = self.queue.retry(key)
            _LOG.debug("%s %s: %s; again in %.3f s", self.name, key, error, delay)
        except (
            Exception
        ) as error:  # whatever a reconciler raises is its failure, not the controller's
            self.failures[key] = error
            delay = self.queue.retry(key)
            _LOG.exception("%s %s: again in %.3f s", self.name, key, delay)
        else:
            self.failures.pop(key, None)
            self.queue.forget(key)
            if result is not None:
                self.queue.add_after(key, result)

    async def reconcile(self, key: Key) -> float | None:
        """Do one whole pass for an object: read, finalizer, reconcile or finalize, status.

        Return when to come again.
        """
        obj = await self._read(key)
        if obj is None:
            return None
        ctx = Context(self._client, obj, self.name, self._recorder, self._memo)
        finalizer = self.reconciler.finalizer
        if obj.metadata.deletion_timestamp is not None:
            if has_finalizer(obj, finalizer):
                await self.reconciler.finalize(obj.deepcopy(), ctx)
                await remove_finalizer(self._client, obj, finalizer)
            return None
        if self.reconciler.finalizes and not has_finalizer(obj, finalizer):
            obj = await add_finalizer(self._client, obj, finalizer)
            self._note_write(key, obj)
            ctx = Context(self._client, obj, self.name, self._recorder, self._memo)
        work = obj.deepcopy()
        try:
            result = await self.reconciler.reconcile(work, ctx)
        except TerminalError as error:
            if type(work).RESOURCE.status and _has_conditions(work):
                work.set_condition("Ready", False, reason="Terminal", message=str(error)[:1024])
            await self._write_status(key, obj, work)
            raise
        except Exception:
            await self._write_status(key, obj, work)
            raise
        _observe(work)
        await self._write_status(key, obj, work)
        return result.requeue_after

    async def _read(self, key: Key) -> T | None:
        """Return the object, from the cache unless we wrote a later version than it has seen."""
        cached = self._informer.get(key)
        wrote = self._written.get(key)
        if cached is not None and (wrote is None or _version(cached) >= wrote):
            self._written.pop(key, None)
            return cached
        try:
            return await self._client.get(self.kind, key.name, namespace=key.namespace)
        except NotFound:
            return None

    def _note_write(self, key: Key, obj: Object) -> None:
        self._written[key] = _version(obj)

    async def _write_status(self, key: Key, before: T, after: T) -> None:
        """Write the status if it changed; on conflict onto fresh data, on any other failure with a Warning event."""
        if not self.kind.RESOURCE.status:
            return
        wanted = getattr(after, "status", None)
        if _wire(getattr(before, "status", None)) == _wire(wanted):
            return
        target = before.deepcopy()
        for attempt in range(_STATUS_TRIES):
            target.status = wanted  # type: ignore[attr-defined]
            try:
                self._note_write(key, await self._client.update_status(target))
                return
            except NotFound:
                return
            except Conflict:
                if attempt == _STATUS_TRIES - 1:
                    raise
                try:
                    target = await self._client.get(self.kind, key.name, namespace=key.namespace)
                except NotFound:
                    return
            except (ApiError, Unreachable) as error:
                await self._recorder.event(
                    before, "Warning", "StatusUpdateFailed", str(error), action="UpdateStatus"
                )
                raise


def _version(obj: Object) -> int:
    """Return a resourceVersion as a number (KEP-5504: versions of one resource are comparable)."""
    text = obj.metadata.resource_version or ""
    return int(text) if text.isdigit() else 0


def _wire(status: Any) -> Any:
    return status.to_wire() if status is not None else None


def _has_conditions(obj: Object) -> bool:
    from opgen.meta.conditions import has_conditions

    return has_conditions(type(obj))


def _observe(obj: Object) -> None:
    """Set status.observedGeneration where the schema has it (Kubernetes API conventions)."""
    status: Any = getattr(obj, "status", None)
    known = status is not None and "observed_generation" in type(status).__pydantic_fields__
    if known and status.observed_generation != obj.metadata.generation:
        status.observed_generation = obj.metadata.generation
