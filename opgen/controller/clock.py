"""Where controllers take time and chance from; see `opgen.client.clock`."""

from __future__ import annotations

from opgen.client.clock import Clock, SystemClock, Timer

__all__ = ["Clock", "SystemClock", "Timer"]
