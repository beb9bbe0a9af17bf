"""An operator, an embedded API server and a virtual clock, run together until nothing moves."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from opgen.apiserver import ApiServer
from opgen.client import Client, InProcess
from opgen.client.transport import Reply
from opgen.controller import Manager, Reconciler
from opgen.testing.clock import VirtualClock

__all__ = ["NotQuiescent", "Operator", "RecordingTransport"]

_TURNS = 40
"""Turns of the event loop without anything happening after which nothing will; chains of wake-ups are shorter."""

_ROUNDS = 2_000
_WRITES = ("POST", "PUT", "PATCH", "DELETE")


class NotQuiescent(AssertionError):
    """The operator went on and on; the message ends with what happened last."""


class RecordingTransport(InProcess):
    """The in-process transport, with a record of the last requests."""

    def __init__(self, server: Any, clock: VirtualClock) -> None:
        """Take the server to call."""
        super().__init__(server)
        self._clock = clock
        self.requests: deque[str] = deque(maxlen=200)
        self.writes = 0

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Call the server and note the request with its answer."""
        reply = await super().request(method, path, query=query, headers=headers, body=body)
        self.writes += method in _WRITES and reply.status < 300
        self.requests.append(
            f"{self._clock.monotonic():10.3f} s  {method:6} {path}  {reply.status}"
        )
        return reply

    async def stream(
        self, path: str, *, query: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[bytes | Reply]:
        """Note the watch and yield its lines."""
        self.requests.append(f"{self._clock.monotonic():10.3f} s  WATCH  {path}")
        async for line in super().stream(path, query=query, headers=headers):
            yield line


class Operator:
    """Controllers under test.

        async with Operator(server, MemcachedReconciler()) as operator:
            await operator.client.create(Memcached(...))
            await operator.settle()

    Guarantees
        Deterministic: one thread, virtual time, no sleeping. `client` is the user's, apart from the operator's own.
    """

    def __init__(
        self,
        server: ApiServer,
        *reconcilers: Reconciler[Any],
        package: str = "",
        clock: VirtualClock | None = None,
    ) -> None:
        """Take the reconcilers, or the package to discover them in."""
        self.server = server
        self.clock = clock or VirtualClock()
        self.transport = RecordingTransport(server, self.clock)
        self.client = Client(InProcess(server))
        self.manager = Manager(Client(self.transport, clock=self.clock), clock=self.clock)
        for reconciler in reconcilers:
            reconciler.setup(self.manager.controller(reconciler))
        if package:
            self.manager.discover(package)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Start the controllers."""
        self._task = asyncio.create_task(self.manager.run(signals=False))
        await self.settle()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop them."""
        await self.stop()

    async def stop(self) -> None:
        """Stop the controllers and wait for their end."""
        self.manager.stop()
        if self._task is not None:
            await self._task
            self._task = None

    async def crash(self) -> None:
        """Stop the controllers without letting them finish anything, as kill -9 does."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def settle(self, *, within: float = 60.0) -> None:
        """Run until nothing is left to do within `within` virtual seconds.

        Retries and requeues that are due in that time are run too. Raises NotQuiescent where it does not come to rest,
        and whatever ended the manager.
        """
        horizon = self.clock.monotonic() + within
        for _ in range(_ROUNDS):
            await self._rest()
            due = self.clock.next_due
            if due is None or due > horizon:
                return
            self.clock.advance_to(due)
        raise NotQuiescent(f"no rest within {within:.0f} virtual seconds:\n{self.timeline()}")

    async def _rest(self) -> None:
        quiet = 0
        for _ in range(_ROUNDS * 10):
            before = (
                self.manager.activity,
                len(self.transport.requests),
                self.server.store.revision,
            )
            self.server.tick()
            await asyncio.sleep(0)
            if self._task is not None and self._task.done():
                self._task.result()
            after = (
                self.manager.activity,
                len(self.transport.requests),
                self.server.store.revision,
            )
            quiet = quiet + 1 if before == after and self.manager.is_idle else 0
            if quiet >= _TURNS:
                return
        raise NotQuiescent(f"no rest at {self.clock.monotonic():.3f} s:\n{self.timeline()}")

    async def writes_when_forced(self, times: int = 3) -> int:
        """Reconcile every object again some times, with nothing changed; return how many writes that made.

        An operator that is right makes none (quiescence); more is a hot loop waiting to happen.
        """
        await self.settle()
        before = self.transport.writes
        for _ in range(times):
            for controller in self.manager.controllers:
                controller.requeue_all()
            await self.settle()
        return self.transport.writes - before

    def failures(self) -> Iterable[str]:
        """Return what the last reconcile of each failing object raised."""
        for controller in self.manager.controllers:
            for key, error in controller.failures.items():
                yield f"{controller.name} {key}: {type(error).__name__}: {error}"

    def timeline(self, last: int = 25) -> str:
        """Return the last requests, their answers and the failures, a line each."""
        lines = [*list(self.transport.requests)[-last:], *self.failures()]
        return "\n".join(f"  {line}" for line in lines) or "  nothing happened"
