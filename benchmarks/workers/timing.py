"""CPU time of functions, turn and turn about, without the garbage collector."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["alternate"]

_LEAST_NS = 10_000_000


def _once(work: Callable[[], Any], loops: int) -> int:
    started = time.process_time_ns()
    for _ in range(loops):
        work()
    return time.process_time_ns() - started


def alternate(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Return the microseconds of each function in each round.

    A sample is at least 10 ms of calls; in each round every function has its turn, so that what else the machine does
    falls on all of them.
    """
    loops: dict[str, int] = {}
    for name, work in works.items():
        count = 1
        while _once(work, count) < _LEAST_NS:
            count *= 2
        loops[name] = count
    found: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, work in works.items():
                found[name].append(_once(work, loops[name]) / loops[name] / 1000)
    finally:
        gc.enable()
    return found
