"""A kind of our own for tests of the runtime, and the server that knows it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from opgen.apiserver import ApiServer
from opgen.meta import Condition, Model, Object, ObjectMeta, Resource

__all__ = ["Cache", "CacheSpec", "CacheStatus", "server_with_caches"]


class CacheSpec(Model):
    size: int = 1


class CacheStatus(Model):
    observed_generation: int | None = None
    ready: int | None = None
    conditions: list[Condition] | None = None


class Cache(Object):
    RESOURCE = Resource(
        group="tests.example.com",
        version="v1",
        kind="Cache",
        plural="caches",
        singular="cache",
        list_kind="CacheList",
        status=True,
    )

    api_version: Literal["tests.example.com/v1"] = "tests.example.com/v1"
    kind: Literal["Cache"] = "Cache"
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)
    spec: CacheSpec = Field(default_factory=CacheSpec)
    status: CacheStatus | None = None


def crd() -> dict[str, Any]:
    condition = {
        "type": "object",
        "required": ["type", "status"],
        "properties": {
            "type": {"type": "string"},
            "status": {"type": "string"},
            "reason": {"type": "string"},
            "message": {"type": "string"},
            "lastTransitionTime": {"type": "string", "format": "date-time"},
            "observedGeneration": {"type": "integer"},
        },
    }
    status = {
        "type": "object",
        "properties": {
            "observedGeneration": {"type": "integer"},
            "ready": {"type": "integer"},
            "conditions": {"type": "array", "items": condition},
        },
    }
    spec = {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    names = {"kind": "Cache", "listKind": "CacheList", "plural": "caches", "singular": "cache"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "caches.tests.example.com"},
        "spec": {
            "group": "tests.example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
        },
    }


def server_with_caches() -> ApiServer:
    server = ApiServer(controllers=True)
    server.install(crd())
    return server
