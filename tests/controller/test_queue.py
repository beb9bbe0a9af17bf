"""The work queue: once each, one worker a key, growing delays."""

from __future__ import annotations

import asyncio

import pytest

from opgen.controller.queue import Key, WorkQueue
from opgen.testing import VirtualClock

A, B = Key("ns", "a"), Key(None, "b")


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_a_key_that_is_added_often_is_taken_once() -> None:
    queue = WorkQueue(VirtualClock())
    for _ in range(5):
        queue.add(A)
    queue.add(B)
    assert [await queue.take(), await queue.take()] == [A, B]
    assert len(queue) == 0


@pytest.mark.asyncio
async def test_a_key_that_is_worked_on_waits_and_is_not_lost() -> None:
    queue = WorkQueue(VirtualClock())
    queue.add(A)
    assert await queue.take() == A
    queue.add(A)
    queue.add(A)
    assert len(queue) == 0
    queue.done(A)
    assert await queue.take() == A
    queue.done(A)
    assert queue.is_idle


@pytest.mark.asyncio
async def test_failures_are_retried_after_5_ms_doubled_up_to_1000_s() -> None:
    clock = VirtualClock()
    queue = WorkQueue(clock)
    delays = []
    for _ in range(20):
        delays.append(queue.retry(A))
        await turns()
        clock.advance(1000)
        await turns()
        assert await queue.take() == A
        queue.done(A)
    assert delays[:4] == [0.005, 0.01, 0.02, 0.04]
    assert delays[-1] == 1000
    queue.forget(A)
    assert queue.retry(A) == 0.005
    queue.close()


@pytest.mark.asyncio
async def test_of_several_delays_the_earliest_counts() -> None:
    clock = VirtualClock()
    queue = WorkQueue(clock)
    queue.add_after(A, 10)
    queue.add_after(A, 2)
    queue.add_after(A, 5)
    await turns()
    clock.advance(2)
    await turns()
    assert await queue.take() == A
    queue.done(A)
    clock.advance(20)
    await turns()
    assert queue.is_idle
    queue.close()


@pytest.mark.asyncio
async def test_a_closed_queue_gives_nothing_more() -> None:
    queue = WorkQueue(VirtualClock())
    waiting = asyncio.create_task(queue.take())
    await turns()
    queue.close()
    assert await waiting is None
