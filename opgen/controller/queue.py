"""The work queue: which objects are to be reconciled, and when.

controller-runtime's workqueue in asyncio. A key that is added many times before it is taken is worked on once; a key
that is being worked on is never given to a second worker, and is taken again afterwards if it was added meanwhile.
Failures are retried after 5 ms, doubled each time, up to 1000 s; success forgets them.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from typing import NamedTuple

from opgen.controller.clock import Clock, SystemClock

__all__ = ["Key", "WorkQueue"]

_FIRST_DELAY = 0.005
_MAX_DELAY = 1000.0


class Key(NamedTuple):
    """Which object: namespace, None for a cluster-scoped one, and name."""

    namespace: str | None
    name: str

    def __str__(self) -> str:
        """Return `namespace/name`, as logs show it."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class WorkQueue:
    """A de-duplicating queue with delays.

    Guarantees
        One worker a key at any time; no added key is lost; keys are taken in the order they became due.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        """Start empty."""
        self._clock = clock or SystemClock()
        self._ready: dict[Key, None] = {}
        self._working: set[Key] = set()
        self._again: set[Key] = set()
        self._waiting: list[tuple[float, int, Key]] = []
        self._due: dict[Key, float] = {}
        self._failures: dict[Key, int] = {}
        self._order = itertools.count()
        self._changed = asyncio.Event()
        self._timer: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        """Return how many keys are ready to be taken."""
        return len(self._ready)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is ready or being worked on; delayed keys may wait."""
        return not self._ready and not self._working

    @property
    def next_due(self) -> float | None:
        """When the next delayed key is due, by the clock's monotonic seconds; None if none waits."""
        return min(self._due.values(), default=None)

    def add(self, key: Key) -> None:
        """Ask for a key to be worked on as soon as can be."""
        self._due.pop(key, None)
        if key in self._working:
            self._again.add(key)
        elif key not in self._ready:
            self._ready[key] = None
            self._changed.set()

    def add_after(self, key: Key, seconds: float) -> None:
        """Ask for a key to be worked on after a while; the earliest of several wishes counts."""
        if seconds <= 0:
            self.add(key)
            return
        due = self._clock.monotonic() + seconds
        if key in self._ready or self._due.get(key, float("inf")) <= due:
            return
        self._due[key] = due
        heapq.heappush(self._waiting, (due, next(self._order), key))
        self._arm()

    def retry(self, key: Key) -> float:
        """Ask for a key to be worked on again after a failure; return after how many seconds."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        delay = float(min(_FIRST_DELAY * 2**failures, _MAX_DELAY)) if failures < 64 else _MAX_DELAY
        self.add_after(key, delay)
        return delay

    def forget(self, key: Key) -> None:
        """Forget the failures of a key."""
        self._failures.pop(key, None)

    async def take(self) -> Key | None:
        """Wait for a key and take it; None once the queue is closed."""
        while not self._ready:
            if self._closed:
                return None
            self._changed.clear()
            await self._changed.wait()
        if self._closed:
            return None
        key = next(iter(self._ready))
        del self._ready[key]
        self._working.add(key)
        return key

    def done(self, key: Key) -> None:
        """Say that the work on a key has ended."""
        self._working.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def close(self) -> None:
        """Let every `take` return None; what is being worked on goes on."""
        self._closed = True
        self._changed.set()
        if self._timer:
            self._timer.cancel()

    def _arm(self) -> None:
        """Have the earliest delayed key woken up for, anew if one came before it."""
        if self._timer and not self._timer.done():
            self._timer.cancel()
        if not self._closed:
            self._timer = asyncio.ensure_future(self._wake())

    async def _wake(self) -> None:
        while self._waiting:
            due, _, key = self._waiting[0]
            if self._due.get(key) != due:
                heapq.heappop(self._waiting)
                continue
            rest = due - self._clock.monotonic()
            if rest > 0:
                await self._clock.sleep(rest)
                continue
            heapq.heappop(self._waiting)
            self.add(key)
