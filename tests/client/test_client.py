"""The verbs: the same suite in process, over HTTP, and on a real control plane where one is named."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from opgen.apiserver.http import serve
from opgen.client import Client, ClientConfig, InProcess, Preconditions
from opgen.client.errors import AlreadyExists, ApiError, Conflict, Invalid, NotFound
from opgen.k8s.core.v1 import ConfigMap, Namespace
from opgen.meta import Model, ObjectMeta, Quantity
from tests.client.kinds import (
    REGIONS,
    WIDGETS,
    Region,
    RegionClient,
    Widget,
    WidgetClient,
    WidgetPort,
    WidgetStatus,
    installed,
    region,
    widget,
)

pytestmark = pytest.mark.asyncio

REAL = os.environ.get("OPGEN_TEST_KUBECONFIG", "")
"""A kubeconfig of a control plane that tests may fill and empty."""

DOORS = ["process", "http", *(["cluster"] if REAL else [])]


@pytest_asyncio.fixture(params=DOORS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    server = installed()
    if request.param == "process":
        yield Client(InProcess(server))
    elif request.param == "http":
        async with (
            await serve(server) as site,
            Client.from_config(ClientConfig(site.url)) as made,
        ):
            yield made
    else:
        async with real_cluster() as made:
            yield made


class real_cluster:
    """A client of the named control plane, with our kinds and no objects of them."""

    async def __aenter__(self) -> Client:
        from pathlib import Path

        from opgen.client.kubeconfig import load_kubeconfig

        self.client = Client.from_config(load_kubeconfig([Path(REAL)]))
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for crd in (WIDGETS, REGIONS):
            body = json.dumps(crd).encode()
            headers = {"Content-Type": "application/json"}
            reply = await self.client.transport.request("POST", path, headers=headers, body=body)
            assert reply.status in (201, 409)
        await self.client.wait_for(Widget, "none", lambda obj: obj is None, timeout=30)
        await self.clean()
        return self.client

    async def __aexit__(self, *error: object) -> None:
        await self.clean()
        await self.client.close()

    async def clean(self) -> None:
        await self.client.delete_collection(Widget)
        for one in await self.client.list(Region):
            await self.client.delete(Region, str(one.metadata.name))
        for one in await self.client.list(ConfigMap, namespace="default", labels="opgen-test"):
            await self.client.delete(ConfigMap, str(one.metadata.name))


async def test_an_object_is_created_read_replaced_and_deleted(client: Client) -> None:
    made = await client.create(widget(size=2))
    assert made.metadata.uid
    assert made.metadata.generation == 1
    read = await client.get(Widget, "one")
    assert read == made
    read.spec.size = 3
    assert (await client.replace(read)).metadata.generation == 2
    await client.delete(Widget, "one")
    assert not await client.exists(Widget, "one")
    with pytest.raises(NotFound) as caught:
        await client.get(Widget, "one")
    assert (caught.value.code, caught.value.reason) == (404, "NotFound")
    assert "GET /apis/shop.example.com/v1/namespaces/default/widgets/one" in str(caught.value)


async def test_a_second_of_the_same_name_already_exists_which_is_no_conflict(
    client: Client,
) -> None:
    await client.create(widget())
    with pytest.raises(AlreadyExists) as caught:
        await client.create(widget())
    assert not isinstance(caught.value, Conflict)


async def test_a_cluster_scoped_kind_has_no_namespace(client: Client) -> None:
    await client.create(region(zone="b"))
    assert (await client.get(Region, "north")).spec.zone == "b"
    assert [one.metadata.name for one in await RegionClient(client).list()] == ["north"]


async def test_a_stale_replace_is_a_conflict(client: Client) -> None:
    first = await client.create(widget())
    stale = first.deepcopy()
    first.spec.size = 5
    await client.replace(first)
    stale.spec.size = 6
    with pytest.raises(Conflict):
        await client.replace(stale)


async def test_replace_without_a_version_is_refused_before_it_leaves(client: Client) -> None:
    await client.create(widget())
    with pytest.raises(
        ValueError, match=r"no metadata\.resource_version, .*read it first, or use apply"
    ):
        await client.replace(widget(size=4))


async def test_what_breaks_the_model_is_invalid_before_it_leaves(client: Client) -> None:
    obj = widget(ports=[])
    assert obj.spec.ports is not None
    obj.spec.ports.append("web")  # type: ignore[arg-type]
    with pytest.raises(
        Invalid, match=r'Widget "one" is invalid: spec\.ports\.0: .*not sent'
    ) as caught:
        await client.create(obj)
    assert caught.value.causes[0]["field"] == "spec.ports.0"
    with pytest.raises(Invalid, match=r'Widget "one" is invalid: spec\.ports\.0: .*not sent'):
        await client.apply(obj, field_manager="other")


async def test_a_field_is_named_also_where_it_is_called_like_a_type(client: Client) -> None:
    class ToolSpec(Model):
        function: list[int]
        union: dict[str, int]
        ports: list[WidgetPort]

    class Tool(Region):
        spec: ToolSpec  # type: ignore[assignment]

    spec = ToolSpec(function=[], union={}, ports=[])
    tool = Tool(metadata=ObjectMeta(name="one"), spec=spec)
    tool.spec.function.append("x")  # type: ignore[arg-type]
    tool.spec.union["a-b"] = "y"  # type: ignore[assignment]
    tool.spec.ports.append({"name": "web"})  # type: ignore[arg-type]
    with pytest.raises(Invalid) as caught:
        await client.create(tool)
    fields = [cause["field"] for cause in caught.value.causes]
    assert fields == ["spec.function.0", "spec.union.a-b", "spec.ports.0.number"]


async def test_what_the_server_alone_knows_is_invalid_with_causes(client: Client) -> None:
    with pytest.raises(Invalid) as caught:
        await client.create(widget(size=101))
    assert [cause["field"] for cause in caught.value.causes] == ["spec.size"]


async def test_status_is_written_apart_from_the_rest(client: Client) -> None:
    obj = await client.create(widget(size=2))
    obj.spec.size = 9
    obj.status = WidgetStatus(ready=2)
    obj.set_condition("Ready", True, reason="Fine")
    updated = await client.update_status(obj)
    assert (updated.spec.size, updated.metadata.generation) == (2, 1)
    assert updated.status is not None
    assert updated.status.ready == 2
    assert updated.status.conditions is not None
    assert updated.status.conditions[0].observed_generation == 1


async def test_a_kind_without_status_subresource_has_no_status_to_update(client: Client) -> None:
    obj = await client.create(region())
    with pytest.raises(ValueError, match='"Region" has no status subresource'):
        await client.update_status(obj)
    assert not hasattr(RegionClient(client), "update_status")


async def test_lists_go_to_their_last_page(client: Client) -> None:
    for number in range(7):
        await client.create(widget(f"w{number}"))
    pages = [page async for page in client.raw_pages(Widget, "default", {}, page=3)]
    assert [len(page.items) for page in pages] == [3, 3, 1]
    names = [one.metadata.name async for one in client.iterate(Widget, page=2)]
    assert names == [f"w{number}" for number in range(7)]
    found = await client.list(Widget)
    assert len(found) == 7
    assert found.resource_version


async def test_lists_select_by_namespace_labels_and_fields(client: Client) -> None:
    if not await client.exists(Namespace, "other"):
        await client.create(Namespace(metadata=ObjectMeta(name="other")))
    for name, namespace, tier in (
        ("a", "default", "web"),
        ("b", "default", "db"),
        ("a", "other", "web"),
    ):
        obj = widget(name, namespace)
        obj.metadata.labels = {"tier": tier}
        await client.create(obj)
    try:
        assert len(await client.list(Widget)) == 3
        assert len(await client.list(Widget, namespace="default")) == 2
        assert len(await client.list(Widget, labels={"tier": "web"})) == 2
        assert len(await client.list(Widget, labels="tier in (web, db),tier!=db")) == 2
        assert len(await client.list(Widget, fields={"metadata.name": "b"})) == 1
        await client.delete_collection(Widget, namespace="default", labels="tier=web")
        assert [one.metadata.namespace for one in await client.list(Widget, labels="tier=web")] == [
            "other"
        ]
    finally:
        await client.delete_collection(Widget, namespace="other")


async def test_patches_of_all_types(client: Client) -> None:
    await client.create(widget(tags=["a"], owner="x"))
    made = await client.patch(Widget, "one", [{"op": "add", "path": "/spec/tags/-", "value": "b"}])
    assert made.spec.tags == ["a", "b"]
    made = await client.patch(Widget, "one", {"spec": {"owner": None, "size": 4}})
    assert (made.spec.owner, made.spec.size) == (None, 4)
    with pytest.raises(ApiError):
        await client.patch(Widget, "one", [{"op": "test", "path": "/spec/size", "value": 5}])
    applied = widget(size=6)
    with pytest.raises(Conflict, match="conflict"):
        await client.apply(applied, field_manager="other")
    assert (await client.apply(applied, field_manager="other", force=True)).spec.size == 6
    await client.create(ConfigMap(
        metadata=ObjectMeta(name="conf", namespace="default", labels={"opgen-test": ""}), data={"a": "1"},
    ))  # fmt: skip
    patched = await client.patch(ConfigMap, "conf", {"data": {"b": "2"}}, type="strategic")
    assert patched.data == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("patch", "type_", "message"),
    [
        ({"metadata": {"finalizers": ["a/b"]}}, None, r'replaces all of "metadata\.finalizers"'),
        (
            {"status": {"conditions": [{"type": "Ready"}]}},
            "merge",
            r'replaces all of "status\.conditions"',
        ),
        ({"spec": {"size": 2}}, "strategic", '"Widget" is a custom kind'),
        ([{"path": "/spec"}], None, "a JSON patch is a list of objects"),
        ([1], "merge", "a patch of type merge is an object, got list"),
    ],
)
async def test_a_patch_that_does_harm_is_refused_before_it_leaves(
    client: Client, patch: Any, type_: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        await client.patch(Widget, "one", patch, type=type_)


async def test_a_merge_patch_that_breaks_the_model_is_refused_before_it_leaves(
    client: Client,
) -> None:
    with pytest.raises(Invalid, match=r'Widget "one" is invalid: spec\.size'):
        await client.patch(Widget, "one", {"spec": {"size": "2"}})


async def test_deletion_holds_to_its_preconditions(client: Client) -> None:
    obj = await client.create(widget())
    with pytest.raises(Conflict):
        await client.delete(Widget, "one", preconditions=Preconditions(uid="another"))
    await client.delete(Widget, "one", preconditions=Preconditions(uid=obj.metadata.uid))
    assert not await client.exists(Widget, "one")


async def test_an_object_with_finalizers_stays_until_they_are_gone(client: Client) -> None:
    obj = widget()
    obj.metadata.finalizers = ["example.com/hold"]
    await client.create(obj)
    await client.delete(Widget, "one")
    left = await client.get(Widget, "one")
    assert left.metadata.deletion_timestamp is not None
    await client.patch(Widget, "one", [{"op": "remove", "path": "/metadata/finalizers"}])
    assert not await client.exists(Widget, "one")


async def test_scale_asks_for_replicas_and_returns_what_was_asked_before(client: Client) -> None:
    await client.create(widget(size=2))
    assert await WidgetClient(client, namespace="default").scale("one", replicas=5) == 2
    assert (await client.get(Widget, "one")).spec.size == 5


async def test_dry_run_changes_nothing(client: Client) -> None:
    made = await client.create(widget(), dry_run=True)
    assert made.spec.size == 1
    assert not await client.exists(Widget, "one")
    stored = await client.create(widget())
    stored.spec.size = 8
    assert (await client.replace(stored, dry_run=True)).spec.size == 8
    assert (await client.get(Widget, "one")).spec.size == 1


async def strange(client: Client) -> dict[str, Any]:
    """Create a widget with all that clients lose: unknown fields, nulls, spelling, key order."""
    wire = {
        "apiVersion": "shop.example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "odd", "namespace": "default", "annotations": {"z": "1", "a": "2"}},
        "spec": {
            "zebra": {"y": 1, "x": None, "list": [{"q": 1.0}]},
            "owner": None,
            "memory": "1024Mi",
            "size": 2,
            "ports": [{"number": 1, "name": "p", "note": "n"}],
        },
    }
    body = json.dumps(wire).encode()
    path = "/apis/shop.example.com/v1/namespaces/default/widgets"
    headers = {"Content-Type": "application/json"}
    reply = await client.transport.request("POST", path, headers=headers, body=body)
    assert reply.status == 201
    return await raw(client)


async def raw(client: Client) -> dict[str, Any]:
    path = "/apis/shop.example.com/v1/namespaces/default/widgets/odd"
    return dict(json.loads((await client.transport.request("GET", path)).body))


def same(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Hold that nothing of the spec or the annotations changed, to the byte."""
    for wire in (before, after):
        wire["spec"].pop("size", None)
    assert json.dumps(before["spec"]) == json.dumps(after["spec"])
    assert json.dumps(before["metadata"]["annotations"]) == json.dumps(
        after["metadata"]["annotations"]
    )


@pytest.mark.parametrize(
    "verb", ["replace", "update_status", "modify", "create_or_patch", "patch", "scale"]
)
async def test_a_read_modify_write_keeps_what_it_does_not_know(client: Client, verb: str) -> None:
    before = await strange(client)

    def grow(obj: Widget) -> None:
        obj.spec.size = 7

    read = await client.get(Widget, "odd")
    assert read.spec.memory == Quantity("1Gi")
    if verb == "replace":
        grow(read)
        await client.replace(read)
    elif verb == "update_status":
        read.status = WidgetStatus(ready=1)
        await client.update_status(read)
    elif verb == "modify":
        await client.modify(Widget, "odd", grow)
    elif verb == "create_or_patch":
        await client.create_or_patch(widget("odd"), grow)
    elif verb == "patch":
        await client.patch(Widget, "odd", {"spec": {"size": 7}})
    else:
        await client.scale(Widget, "odd", replicas=7)
    after = await raw(client)
    assert after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    same(before, after)


async def test_modify_writes_on_fresh_data_and_not_at_all_where_nothing_changes(
    client: Client,
) -> None:
    await client.create(widget())
    meddled = False

    async def meddle() -> None:
        other = await client.get(Widget, "one")
        other.spec.owner = "someone"
        await client.replace(other)

    seen: list[int] = []

    def grow(obj: Widget) -> None:
        seen.append(obj.spec.size)
        obj.spec.size += 1

    original = client.replace

    async def racing(obj: Widget, **options: Any) -> Widget:
        nonlocal meddled
        if not meddled:
            meddled = True
            client.replace = original  # type: ignore[method-assign]
            await meddle()
        return await original(obj, **options)

    client.replace = racing  # type: ignore[assignment,method-assign]
    made = await client.modify(Widget, "one", grow)
    assert (made.spec.size, made.spec.owner, len(seen)) == (2, "someone", 2)
    same_again = await client.modify(Widget, "one", lambda obj: None)
    assert same_again.metadata.resource_version == made.metadata.resource_version


async def test_create_or_patch_creates_patches_and_leaves_alone(client: Client) -> None:
    def want(obj: Widget) -> None:
        obj.spec.size = 3
        ports = {one.name: one for one in obj.spec.ports or ()}
        ports["web"] = WidgetPort(name="web", number=80)
        obj.spec.ports = list(ports.values())

    made = await client.create_or_patch(widget(), want)
    assert made.spec.size == 3
    again = await client.create_or_patch(widget(), want)
    assert again.metadata.resource_version == made.metadata.resource_version
    await client.modify(
        Widget, "one", lambda obj: obj.spec.ports.insert(0, WidgetPort(name="db", number=1))
    )  # type: ignore[union-attr]
    patched = await client.create_or_patch(
        widget(), lambda obj: setattr(obj.spec.ports[1], "number", 81)
    )  # type: ignore[index]
    assert [(one.name, one.number) for one in patched.spec.ports or ()] == [("db", 1), ("web", 81)]


async def test_wait_for_a_condition_a_predicate_and_deletion(client: Client) -> None:
    import asyncio

    await client.create(widget())
    waiting = asyncio.create_task(client.wait_for(Widget, "one", "Ready", timeout=10))
    grown = asyncio.create_task(
        client.wait_for(
            Widget, "one", lambda obj: obj is not None and obj.spec.size == 2, timeout=10
        )
    )
    await asyncio.sleep(0)

    def ready(obj: Widget) -> None:
        obj.set_condition("Ready", True, reason="Fine")

    await client.modify(Widget, "one", ready, status=True)
    found = await waiting
    assert found is not None
    # Ready of an older generation is not Ready
    await client.modify(Widget, "one", lambda obj: setattr(obj.spec, "size", 2))
    assert (await grown) is not None
    with pytest.raises(
        TimeoutError, match=r'Widget "one" was not "Ready" within .*: Ready=True \(Fine'
    ):
        await client.wait_for(Widget, "one", "Ready", timeout=0.05)
    gone = asyncio.create_task(client.wait_for(Widget, "one", "deleted", timeout=10))
    await client.delete(Widget, "one")
    assert await gone is None
    assert await client.wait_for(Widget, "one", "deleted", timeout=10) is None


async def test_typed_clients_do_what_the_client_does(client: Client) -> None:
    widgets = WidgetClient(client, namespace="default")
    made = await widgets.create(widget(size=2))
    made.status = WidgetStatus(ready=2)
    await widgets.update_status(made)
    assert await widgets.exists("one")
    assert [one.status.ready for one in await widgets.list() if one.status] == [2]
    assert (await widgets.modify("one", lambda obj: setattr(obj.spec, "size", 3))).spec.size == 3
    assert [one.metadata.name async for one in widgets.iterate()] == ["one"]
    found = await widgets.wait_for("one", lambda obj: obj is not None, timeout=5)
    assert found is not None
    await widgets.delete("one")
    assert not await widgets.exists("one")


async def test_a_name_never_leaves_its_place_in_the_path(client: Client) -> None:
    for name in ("../regions/north", "..", "a/b", "%2e", ""):
        with pytest.raises(ValueError, match=r"is no part of a path|no metadata\.name"):
            await client.get(Widget, name)
