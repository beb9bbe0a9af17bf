"""The harness itself: it comes to rest, says why it doesn't, and moves time without waiting."""

from __future__ import annotations

import asyncio

import pytest

from opgen.controller import Context, Reconciler, Result
from opgen.meta import ObjectMeta
from opgen.testing import NotQuiescent, Operator, VirtualClock, compare_tree
from tests.controller.kinds import Cache, CacheSpec, CacheStatus, server_with_caches


class Restless(Reconciler[Cache]):
    """Changes its own object in every pass, through the spec so that nothing filters it."""

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        await ctx.client.patch(Cache, "one", {"spec": {"size": obj.spec.size + 1}})
        return Result.done()


@pytest.mark.asyncio
async def test_an_operator_that_never_rests_is_found_with_its_last_requests() -> None:
    operator = Operator(server_with_caches(), Restless())
    await operator.__aenter__()
    await operator.client.create(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec()))
    with pytest.raises(NotQuiescent, match="PATCH"):
        await operator.settle()
    await operator.crash()


class Hourly(Reconciler[Cache]):
    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        obj.status = CacheStatus(ready=((obj.status.ready or 0) if obj.status else 0) + 1)
        return Result.after(3600)


@pytest.mark.asyncio
async def test_a_day_of_hourly_work_takes_no_time() -> None:
    async with Operator(server_with_caches(), Hourly()) as operator:
        await operator.client.create(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec()))
        await operator.settle(within=24 * 3600 - 1)
        status = (await operator.client.get(Cache, "one")).status
        assert status is not None
        assert status.ready == 24


@pytest.mark.asyncio
async def test_sleepers_wake_in_the_order_of_their_time() -> None:
    clock = VirtualClock()
    woken = []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    tasks = [asyncio.create_task(sleeper(seconds)) for seconds in (3, 1, 2)]
    await asyncio.sleep(0)
    clock.advance(10)
    await asyncio.gather(*tasks)
    assert woken == [1, 2, 3]
    assert clock.monotonic() == 10


def test_trees_are_compared_file_by_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    compare_tree(tmp_path / "x", {"a/b.txt": "1\n"}, update=True)
    compare_tree(tmp_path / "x", {"a/b.txt": "1\n"})
    with pytest.raises(AssertionError, match="left over: c"):
        compare_tree(tmp_path / "x", {"a/b.txt": "1\n", "c": ""})
    with pytest.raises(AssertionError, match=r"missing: a/b\.txt"):
        compare_tree(tmp_path / "x", {})
    with pytest.raises(AssertionError, match=r"\+2"):
        compare_tree(tmp_path / "x", {"a/b.txt": "2\n"})
