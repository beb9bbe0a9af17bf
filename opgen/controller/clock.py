"""Where controllers take time from, so that tests can run hours in milliseconds."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """A source of time."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

    def now(self) -> datetime:
        """Return the wall clock, aware."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
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
