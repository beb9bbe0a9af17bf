"""What the operator does about Memcached, on an embedded API server."""

import pytest
from opgen.client import Client
from opgen.client.errors import NotFound
from opgen.controller import is_converged
from opgen.testing import Operator, read_sample

from memcached_operator.api.cache_example_com.v1alpha1 import Memcached
from memcached_operator.controllers.memcached_desired import children


async def test_children_are_made(client: Client, operator: Operator) -> None:
    obj = await client.create(read_sample(Memcached))
    await operator.settle()
    for child in children(obj):
        assert await client.exists(type(child), str(child.metadata.name))
    assert is_converged(await client.get(Memcached, str(obj.metadata.name)))


async def test_nothing_is_written_when_nothing_changed(
    client: Client, operator: Operator
) -> None:
    await client.create(read_sample(Memcached))
    assert await operator.writes_when_forced() == 0


async def test_a_child_that_was_deleted_comes_back(
    client: Client, operator: Operator
) -> None:
    obj = await client.create(read_sample(Memcached))
    await operator.settle()
    for child in children(obj):
        await client.delete(type(child), str(child.metadata.name))
        await operator.settle()
        assert await client.exists(type(child), str(child.metadata.name))


async def test_children_go_with_their_owner(client: Client, operator: Operator) -> None:
    obj = await client.create(read_sample(Memcached))
    await operator.settle()
    await client.delete(Memcached, str(obj.metadata.name))
    await operator.settle()
    with pytest.raises(NotFound):
        await client.get(Memcached, str(obj.metadata.name))
    for child in children(obj):
        assert not await client.exists(type(child), str(child.metadata.name))


async def test_status_follows_the_size(client: Client, operator: Operator) -> None:
    await client.create(read_sample(Memcached))
    await operator.settle()
    for size in (5, 2, 0):
        obj = await client.get(Memcached, "memcached-sample")
        obj.spec.size = size
        await client.replace(obj)
        await operator.settle()
        obj = await client.get(Memcached, "memcached-sample")
        assert is_converged(obj)
        assert obj.status is not None
        assert obj.status.ready_replicas == size
        assert obj.status.observed_generation == obj.metadata.generation


async def test_scale_subresource_asks_for_pods(
    client: Client, operator: Operator
) -> None:
    await client.create(read_sample(Memcached))
    await operator.settle()
    assert await client.scale(Memcached, "memcached-sample", replicas=4) == 1
    await operator.settle()
    assert (await client.get(Memcached, "memcached-sample")).spec.size == 4
