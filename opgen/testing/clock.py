"""Virtual time: what waits an hour in a cluster takes no time in a test."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any

__all__ = ["VirtualClock"]

_START = datetime(2030, 1, 1, tzinfo=UTC)


class VirtualClock:
    """A clock that stands still until it is moved; an `opgen.client.Clock`.

    Guarantees
        What is due happens in the order of its time, then of the call that asked for it. Chance is the same in each run
        with the same seed.
    """

    def __init__(self, start: datetime = _START, seed: int = 0) -> None:
        """Stand at `start`."""
        self._start = start
        self._seconds = 0.0
        self._due: list[_Alarm] = []
        self._order = itertools.count()
        self._sweep_at = 256
        self._random = random.Random(seed)

    def monotonic(self) -> float:
        """Return the seconds since the start."""
        return self._seconds

    def now(self) -> datetime:
        """Return the virtual wall clock."""
        return self._start + timedelta(seconds=self._seconds)

    def chance(self) -> float:
        """Return a number from 0 up to 1 out of the seeded sequence."""
        return self._random.random()

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been moved that far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not future.done():
                future.set_result(None)

        alarm = self.call_later(seconds, wake)
        try:
            await future
        finally:
            alarm.cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> _Alarm:
        """Have a function called when the clock has been moved that far."""
        alarm = _Alarm(self._seconds + max(seconds, 0.0), next(self._order), callback)
        heapq.heappush(self._due, alarm)
        if len(self._due) > self._sweep_at:  # most alarms are timeouts that never go off
            self._due = [one for one in self._due if one.callback is not None]
            heapq.heapify(self._due)
            self._sweep_at = 2 * len(self._due) + 256
        return alarm

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """Cancel the block when the clock has been moved that far."""
        return asyncio.timeout(None) if seconds is None else _Timeout(self, seconds)

    @property
    def next_due(self) -> float | None:
        """When something is due next, in monotonic seconds; None if nothing is."""
        while self._due and self._due[0].callback is None:
            heapq.heappop(self._due)
        return self._due[0].at if self._due else None

    def advance(self, seconds: float) -> None:
        """Move the clock on and do what is due; who is woken runs when the event loop gets to it."""
        self.advance_to(self._seconds + seconds)

    def advance_to(self, moment: float) -> None:
        """Move the clock to a monotonic time, never back."""
        self._seconds = max(self._seconds, moment)
        while (due := self.next_due) is not None and due <= self._seconds:
            callback = heapq.heappop(self._due).take()
            if callback is not None:
                callback()


class _Alarm:
    """A call that is due."""

    __slots__ = ("at", "callback", "order")

    def __init__(self, at: float, order: int, callback: Callable[[], object]) -> None:
        self.at, self.order = at, order
        self.callback: Callable[[], object] | None = callback

    def __lt__(self, other: _Alarm) -> bool:
        return (self.at, self.order) < (other.at, other.order)

    def cancel(self) -> None:
        """Make it not happen."""
        self.callback = None

    def take(self) -> Callable[[], object] | None:
        """Return the call, once."""
        callback, self.callback = self.callback, None
        return callback


class _Timeout:
    """`asyncio.timeout` by a virtual clock."""

    def __init__(self, clock: VirtualClock, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        self._inner = asyncio.timeout(None)
        self._alarm: _Alarm | None = None

    async def __aenter__(self) -> asyncio.Timeout:
        await self._inner.__aenter__()
        self._alarm = self._clock.call_later(self._seconds, self._expire)
        return self._inner

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        await self._inner.__aexit__(kind, error, trace)  # raises TimeoutError

    def _expire(self) -> None:
        self._inner.reschedule(asyncio.get_running_loop().time())
