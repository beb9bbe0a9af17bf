"""Work on all cores: a process for each, the largest pieces first, results in the order of the pieces."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import BaseContext
from typing import TypeVar

from opgen.errors import ProjectError

__all__ = ["map_all", "Progress"]

I = TypeVar("I")  # noqa: E741
R = TypeVar("R")

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much, in the unit of the weights."""

_WORTH_IT = 2_000_000
"""Less than this in all is done in this process: starting others costs more."""


def map_all(
    work: Callable[[I], R],
    items: Sequence[I],
    *,
    weigh: Callable[[I], int],
    name: Callable[[I], str],
    warm: Callable[[], object],
    progress: Progress | None = None,
) -> list[R]:
    """Return `work(item)` for each item, in order.

    `weigh` says how much an item is (bytes of text), `name` what to call it where it fails, `warm` loads what `work`
    needs before processes are forked. What `work` raises is raised here, with a note that names the item. Raises
    ProjectError OPG309 if a process dies.
    """
    weights = [weigh(item) for item in items]
    total = sum(weights)
    tell = progress or (lambda _done, _total: None)
    one = partial(_named, work, name)
    cores = min(_cores(), len(items))
    if cores < 2 or total < _WORTH_IT:
        results, done = [], 0
        for item, weight in zip(items, weights, strict=True):
            results.append(one(item))
            done += weight
            tell(done, total)
        return results
    warm()
    by_number: dict[int, R] = {}
    done = 0
    pool = ProcessPoolExecutor(cores, mp_context=_context())
    try:
        order = sorted(range(len(items)), key=lambda number: (-weights[number], number))
        futures = {pool.submit(one, items[number]): number for number in order}
        for future in as_completed(futures):
            number = futures[future]
            by_number[number] = future.result()
            done += weights[number]
            tell(done, total)
    except BrokenProcessPool:
        raise ProjectError(
            "OPG309",
            "a process of this run was ended from outside, most likely for lack of memory",
            hint="give fewer inputs to one run, or more memory",
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
    return [by_number[number] for number in range(len(items))]


def _named(work: Callable[[I], R], name: Callable[[I], str], item: I) -> R:
    try:
        return work(item)
    except Exception as error:
        error.add_note(f"while working on {name(item)}")
        raise


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _context() -> BaseContext:
    """Return how to start processes: forked, they have the generator loaded; that is safe with one thread only."""
    forks = sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    return multiprocessing.get_context("fork" if forks else "spawn")
