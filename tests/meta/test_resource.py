from __future__ import annotations

import dataclasses

import pytest

from opgen.meta import GroupVersionKind, Resource

CACHE = Resource(
    "cache.example.com", "v1", "Memcached", "memcacheds", "memcached", "MemcachedList", status=True
)
NODE = Resource("", "v1", "Node", "nodes", namespaced=False)


@pytest.mark.parametrize(
    ("resource", "parts", "path"),
    [
        (CACHE, (), "/apis/cache.example.com/v1/memcacheds"),
        (CACHE, ("web",), "/apis/cache.example.com/v1/namespaces/web/memcacheds"),
        (CACHE, ("web", "a"), "/apis/cache.example.com/v1/namespaces/web/memcacheds/a"),
        (
            CACHE,
            ("web", "a", "status"),
            "/apis/cache.example.com/v1/namespaces/web/memcacheds/a/status",
        ),
        (CACHE, ("web", "a.b-c"), "/apis/cache.example.com/v1/namespaces/web/memcacheds/a.b-c"),
        (NODE, (), "/api/v1/nodes"),
        (NODE, (None, "n1"), "/api/v1/nodes/n1"),
        (NODE, (None, "system:node"), "/api/v1/nodes/system%3Anode"),
        (NODE, (None, "a b?c#d&e"), "/api/v1/nodes/a%20b%3Fc%23d%26e"),
        (NODE, (None, "é"), "/api/v1/nodes/%C3%A9"),
    ],
)
def test_paths(resource: Resource, parts: tuple[str | None, ...], path: str) -> None:
    assert resource.path(*parts) == path


@pytest.mark.parametrize("hostile", ["", ".", "..", "a/b", "../secrets/x", "a%2Fb", "/"])
def test_no_part_can_leave_its_place(hostile: str) -> None:
    for parts in ((hostile, "a"), ("web", hostile), ("web", "a", hostile)):
        with pytest.raises(ValueError, match='is no part of a path of "Memcached"'):
            CACHE.path(*parts)


def test_a_cluster_scoped_kind_takes_no_namespace() -> None:
    with pytest.raises(
        ValueError, match='"Node" is cluster-scoped and takes no namespace, got "web"'
    ):
        NODE.path("web", "n1")


def test_names_of_a_kind() -> None:
    assert (CACHE.api_version, NODE.api_version) == ("cache.example.com/v1", "v1")
    assert (str(CACHE), str(NODE)) == ("memcacheds.cache.example.com", "nodes")
    assert CACHE.gvk == GroupVersionKind.of("cache.example.com/v1", "Memcached")
    assert GroupVersionKind.of("v1", "Node") == NODE.gvk == ("", "v1", "Node")
    assert str(CACHE.gvk) == "cache.example.com/v1, Kind=Memcached"
    assert CACHE.gvk.api_version == "cache.example.com/v1"


def test_a_resource_is_a_value() -> None:
    assert hash(CACHE) == hash(dataclasses.replace(CACHE))
    with pytest.raises(dataclasses.FrozenInstanceError):
        CACHE.kind = "Other"  # type: ignore[misc]
