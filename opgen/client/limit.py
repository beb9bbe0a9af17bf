"""A limit on how many requests a client sends: off unless set, since servers have priority and fairness (KEP-1040)."""

from __future__ import annotations

from opgen.client.clock import Clock, SystemClock

__all__ = ["RateLimit"]


class RateLimit:
    """A token bucket, as client-go's flowcontrol.

    Guarantees
        In any span of `t` seconds at most `burst + qps * t` requests start; they start in the order they came.
    """

    def __init__(self, qps: float, burst: int, clock: Clock | None = None) -> None:
        """Allow `qps` requests a second, and `burst` at once. Raises ValueError where either is not positive."""
        if qps <= 0 or burst < 1:
            raise ValueError(f"qps and burst must be positive, got {qps} and {burst}")
        self._qps, self._burst = qps, burst
        self._clock = clock or SystemClock()
        self._tokens, self._at = float(burst), self._clock.monotonic()

    def reserve(self) -> float:
        """Take the right to one request; return after how many seconds it may start."""
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._qps) - 1
        self._at = now
        return max(0.0, -self._tokens / self._qps)

    async def wait(self) -> float:
        """Wait until a request may start; return how long that took, seconds."""
        delay = self.reserve()
        if delay > 0:
            await self._clock.sleep(delay)
        return delay
