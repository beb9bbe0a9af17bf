"""Where the runtime takes time and chance from, so that tests can run hours in milliseconds, and twice the same way.

`SystemClock` is asyncio's own time; `opgen.testing.VirtualClock` stands still until it is moved.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any, Protocol

__all__ = ["Clock", "SystemClock", "Timer"]


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Make it not happen; nothing if it already has."""
        ...


class Clock(Protocol):
    """A source of time and chance."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

    def now(self) -> datetime:
        """Return the wall clock, aware."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Have a function called by the event loop after a while."""
        ...

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """Cancel the block after a while, which then raises TimeoutError; None is never. As `asyncio.timeout`."""
        ...

    def chance(self) -> float:
        """Return a number from 0 up to 1, to spread retries by."""
        ...


class SystemClock:
    """The machine's own time."""

    def monotonic(self) -> float:
        """Return the monotonic clock, seconds."""
        return time.monotonic()

    def now(self) -> datetime:
        """Return the wall clock in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Have a function called by the running event loop."""
        return asyncio.get_running_loop().call_later(seconds, callback)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[Any]:
        """Return `asyncio.timeout`."""
        return asyncio.timeout(seconds)

    def chance(self) -> float:
        """Return a random number."""
        return random.random()
