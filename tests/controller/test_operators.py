"""What operators go wrong with everywhere, and what the runtime makes of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from opgen.client import Client, InProcess
from opgen.client.errors import Conflict, NotFound
from opgen.controller import (
    Context,
    OwnershipError,
    Reconciler,
    Result,
    TerminalError,
    is_converged,
    set_controller_reference,
)
from opgen.k8s.core.v1 import ConfigMap, Namespace
from opgen.k8s.events_k8s_io.v1 import Event
from opgen.meta import Object, ObjectMeta
from opgen.testing import Operator
from tests.controller.kinds import Cache, CacheSpec, CacheStatus, server_with_caches


def child(obj: Object, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=obj.metadata.name), data=data or {"a": "1"})


class Plain(Reconciler[Cache]):
    """Does what it should."""

    def setup(self, controller: Any) -> None:
        controller.owns(ConfigMap)

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        await ctx.apply(child(obj, size=str(obj.spec.size)))
        obj.status = obj.status or CacheStatus()
        obj.status.ready = obj.spec.size
        obj.set_condition("Ready", True, reason="Applied")
        return Result.done()


async def made(operator: Operator, name: str = "one", **spec: Any) -> Cache:
    obj = await operator.client.create(
        Cache(metadata=ObjectMeta(name=name), spec=CacheSpec(**spec))
    )
    await operator.settle()
    return obj


@pytest.mark.asyncio
async def test_an_object_converges_and_nothing_is_written_when_nothing_changed() -> None:
    async with Operator(server_with_caches(), Plain()) as operator:
        await made(operator, size=3)
        obj = await operator.client.get(Cache, "one")
        assert is_converged(obj)
        assert obj.status is not None
        assert (obj.status.observed_generation, obj.status.ready) == (1, 3)
        assert await operator.writes_when_forced(5) == 0


@pytest.mark.asyncio
async def test_own_status_writes_do_not_wake_the_reconciler() -> None:
    async with Operator(server_with_caches(), Plain()) as operator:
        await made(operator)
        (controller,) = operator.manager.controllers
        before = controller.reconciles
        obj = await operator.client.get(Cache, "one")
        assert obj.status is not None
        obj.status.ready = 77
        await operator.client.update_status(obj)
        await operator.settle()
        assert controller.reconciles == before


@pytest.mark.asyncio
async def test_a_child_that_others_change_or_delete_is_put_right() -> None:
    async with Operator(server_with_caches(), Plain()) as operator:
        await made(operator, size=2)
        await operator.client.patch(ConfigMap, "one", {"data": {"size": "9"}})
        await operator.settle()
        assert (await operator.client.get(ConfigMap, "one")).data == {"size": "2"}
        await operator.client.delete(ConfigMap, "one")
        await operator.settle()
        assert await operator.client.exists(ConfigMap, "one")


@pytest.mark.asyncio
async def test_children_are_owned_and_go_with_their_owner() -> None:
    async with Operator(server_with_caches(), Plain()) as operator:
        obj = await made(operator)
        (reference,) = (await operator.client.get(ConfigMap, "one")).metadata.owner_references or []
        assert (reference.uid, reference.controller) == (obj.metadata.uid, True)
        await operator.client.delete(Cache, "one")
        await operator.settle()
        assert not await operator.client.exists(ConfigMap, "one")


@pytest.mark.asyncio
async def test_an_operator_that_was_killed_goes_on_where_it_was() -> None:
    server = server_with_caches()
    first = Operator(server, Plain())
    await first.__aenter__()
    await first.client.create(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec(size=2)))
    for _ in range(3):
        await asyncio.sleep(0)
    await first.crash()
    async with Operator(server, Plain()) as second:
        await second.settle()
        assert is_converged(await second.client.get(Cache, "one"))
        assert len(await second.client.list(ConfigMap, namespace="default")) == 1


class Outside(Plain):
    """Has something outside of the cluster."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.broken = False

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        assert self.finalizer in (obj.metadata.finalizers or [])
        self.there.add(str(obj.metadata.name))
        return await super().reconcile(obj, ctx)

    async def finalize(self, obj: Cache, ctx: Context) -> None:
        if self.broken:
            raise RuntimeError("the outside world is away")
        self.there.discard(str(obj.metadata.name))


@pytest.mark.asyncio
async def test_the_finalizer_is_there_before_the_first_side_effect_and_until_the_last() -> None:
    outside = Outside()
    async with Operator(server_with_caches(), outside) as operator:
        await made(operator)
        assert outside.there == {"one"}
        outside.broken = True
        await operator.client.delete(Cache, "one")
        await operator.settle(within=1)
        assert (await operator.client.get(Cache, "one")).metadata.deletion_timestamp
        assert any("away" in line for line in operator.failures())
        outside.broken = False
        await operator.settle()
        assert outside.there == set()
        with pytest.raises(NotFound):
            await operator.client.get(Cache, "one")


@pytest.mark.asyncio
async def test_others_finalizers_stay() -> None:
    async with Operator(server_with_caches(), Outside()) as operator:
        await operator.client.create(
            Cache(
                metadata=ObjectMeta(name="one", finalizers=["tests.example.com/other"]),
                spec=CacheSpec(),
            )
        )
        await operator.settle()
        obj = await operator.client.get(Cache, "one")
        assert obj.metadata.finalizers == ["tests.example.com/other", Outside.finalizer]
        await operator.client.delete(Cache, "one")
        await operator.settle()
        assert (await operator.client.get(Cache, "one")).metadata.finalizers == [
            "tests.example.com/other"
        ]


@pytest.mark.asyncio
async def test_without_finalize_there_is_no_finalizer() -> None:
    async with Operator(server_with_caches(), Plain()) as operator:
        await made(operator)
        assert not (await operator.client.get(Cache, "one")).metadata.finalizers


class Failing(Plain):
    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return await super().reconcile(obj, ctx)


@pytest.mark.asyncio
async def test_failures_are_tried_again_until_they_pass() -> None:
    failing = Failing(*[RuntimeError("no") for _ in range(5)])
    async with Operator(server_with_caches(), failing) as operator:
        await made(operator)
        assert not failing.errors
        assert failing.calls >= 6
        assert is_converged(await operator.client.get(Cache, "one"))
        assert not list(operator.failures())


@pytest.mark.asyncio
async def test_a_terminal_error_is_said_and_not_tried_again() -> None:
    failing = Failing(TerminalError("no such region"))
    async with Operator(server_with_caches(), failing) as operator:
        await made(operator)
        assert failing.calls == 1
        obj = await operator.client.get(Cache, "one")
        assert obj.status is not None
        (condition,) = obj.status.conditions or []
        assert (condition.type, condition.status, condition.message) == (
            "Ready",
            "False",
            "no such region",
        )
        obj.spec.size = 2
        await operator.client.replace(obj)
        await operator.settle()
        assert failing.calls > 1


class Meddler(Plain):
    """Has somebody else write the object in the middle of each reconcile."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.left = 3

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        result = await super().reconcile(obj, ctx)
        if self.left:
            self.left -= 1
            await self.client.patch(
                Cache, "one", {"metadata": {"annotations": {"n": str(self.left)}}}
            )
        return result


@pytest.mark.asyncio
async def test_a_conflict_on_the_status_is_written_onto_fresh_data() -> None:
    server = server_with_caches()
    async with Operator(server, Meddler(Client(InProcess(server)))) as operator:
        await made(operator)
        obj = await operator.client.get(Cache, "one")
        assert is_converged(obj)
        assert obj.metadata.annotations == {"n": "0"}


class Lying(Plain):
    """Leaves a status that the schema refuses."""

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        obj.status = CacheStatus.model_construct(ready="many")
        return Result.done()


@pytest.mark.asyncio
async def test_a_status_that_can_not_be_written_is_never_silent() -> None:
    async with Operator(server_with_caches(), Lying()) as operator:
        await operator.client.create(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec()))
        await operator.settle(within=0.02)
        events = await operator.client.list(Event, namespace="default")
        assert {(event.type, event.reason) for event in events} == {
            ("Warning", "StatusUpdateFailed")
        }
        assert any("ready" in line for line in operator.failures())


class Slow(Plain):
    timeout = 0.02

    async def reconcile(self, obj: Cache, ctx: Context) -> Result:
        await asyncio.sleep(3600)
        return Result.done()


@pytest.mark.asyncio
async def test_a_reconcile_that_hangs_is_ended_at_its_deadline() -> None:
    async with Operator(server_with_caches(), Slow()) as operator:
        await operator.client.create(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec()))
        (controller,) = operator.manager.controllers
        async with asyncio.timeout(5):
            while not controller.failures:  # noqa: ASYNC110 - a deadline is real time
                await asyncio.sleep(0.005)
        assert any("TimeoutError" in line for line in operator.failures())


@pytest.mark.asyncio
async def test_owners_that_kubernetes_does_not_allow_are_refused() -> None:
    owner = Cache(metadata=ObjectMeta(name="a", namespace="here", uid="1"))
    elsewhere = ConfigMap(metadata=ObjectMeta(name="a", namespace="there"))
    with pytest.raises(OwnershipError, match="share a namespace"):
        set_controller_reference(owner, elsewhere)
    with pytest.raises(OwnershipError, match="cluster-scoped"):
        set_controller_reference(owner, Namespace(metadata=ObjectMeta(name="a")))
    taken = ConfigMap(metadata=ObjectMeta(name="a", namespace="here"))
    set_controller_reference(owner, taken)
    set_controller_reference(owner, taken)
    assert len(taken.metadata.owner_references or []) == 1
    with pytest.raises(OwnershipError, match="owned by Cache"):
        set_controller_reference(
            Cache(metadata=ObjectMeta(name="b", namespace="here", uid="2")), taken
        )


@pytest.mark.asyncio
async def test_replacing_blindly_is_refused() -> None:
    client = Client(InProcess(server_with_caches()))
    with pytest.raises(ValueError, match="resource_version"):
        await client.replace(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec()))
    obj = await client.create(Cache(metadata=ObjectMeta(name="one"), spec=CacheSpec()))
    await client.patch(Cache, "one", {"metadata": {"labels": {"a": "b"}}})
    with pytest.raises(Conflict):
        await client.replace(obj)


@pytest.mark.asyncio
async def test_hundreds_of_objects_converge_and_none_is_lost() -> None:
    async with Operator(server_with_caches(), Plain()) as operator:
        for number in range(300):
            await operator.client.create(
                Cache(metadata=ObjectMeta(name=f"c{number}"), spec=CacheSpec(size=number))
            )
        await operator.settle()
        objects = await operator.client.list(Cache)
        assert len(objects) == 300
        assert all(map(is_converged, objects))


@pytest.mark.asyncio
async def test_unknown_fields_of_a_newer_server_survive_a_status_write() -> None:
    server = server_with_caches()
    async with Operator(server, Plain()) as operator:
        await made(operator)
        text = json.dumps((await operator.client.get(Cache, "one")).to_wire())
        assert "managedFields" in text
