"""Virtual time: what waits an hour in a cluster takes no time in a test."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from datetime import UTC, datetime, timedelta

__all__ = ["VirtualClock"]

_START = datetime(2030, 1, 1, tzinfo=UTC)


class VirtualClock:
    """A clock that stands still until it is moved; an `opgen.controller.Clock`.

    Guarantees
        Sleepers wake in the order of their time, then of their call.
    """

    def __init__(self, start: datetime = _START) -> None:
        """Stand at `start`."""
        self._start = start
        self._seconds = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def monotonic(self) -> float:
        """Return the seconds since the start."""
        return self._seconds

    def now(self) -> datetime:
        """Return the virtual wall clock."""
        return self._start + timedelta(seconds=self._seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been moved that far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._seconds + seconds, next(self._order), future))
        await future

    @property
    def next_wake(self) -> float | None:
        """When the next sleeper is due, in monotonic seconds; None if nobody sleeps."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    def advance(self, seconds: float) -> None:
        """Move the clock on and wake who is due; they run when the event loop gets to them."""
        self.advance_to(self._seconds + seconds)

    def advance_to(self, moment: float) -> None:
        """Move the clock to a monotonic time, never back."""
        self._seconds = max(self._seconds, moment)
        while (due := self.next_wake) is not None and due <= self._seconds:
            _, _, future = heapq.heappop(self._sleepers)
            future.set_result(None)
