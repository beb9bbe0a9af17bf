"""Kinds of our own that tests of the client and of controllers use, and their CRDs."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from opgen.apiserver import ApiServer
from opgen.client.typed import ClusterClient, NamespacedClient, ScaleVerbs, StatusVerbs
from opgen.meta import Condition, Model, Object, ObjectMeta, Quantity, Resource

CONDITION = {
    "type": "object",
    "required": ["type", "status", "lastTransitionTime", "reason", "message"],
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "observedGeneration": {"type": "integer", "format": "int64"},
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        "reason": {"type": "string"},
        "message": {"type": "string"},
    },
}


def crd(kind: str, plural: str, schema: dict[str, Any], **version: Any) -> dict[str, Any]:
    """Return a CRD of `shop.example.com/v1`."""
    scope = version.pop("scope", "Namespaced")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": schema}},
                    **version,
                }
            ],
        },
    }  # fmt: skip


class WidgetPort(Model):
    name: str
    number: int
    note: str | None = None


class WidgetSpec(Model):
    LIST_MAP_KEYS: ClassVar[dict[str, tuple[str, ...]]] = {"ports": ("name",)}

    size: int = 1
    owner: str | None = None
    memory: Quantity | None = None
    ports: list[WidgetPort] | None = None
    tags: list[str] | None = None
    config_ref: str | None = None


class WidgetStatus(Model):
    LIST_MAP_KEYS: ClassVar[dict[str, tuple[str, ...]]] = {"conditions": ("type",)}

    ready: int | None = None
    note: str | None = None
    observed_generation: int | None = None
    conditions: list[Condition] | None = None


class Widget(Object):
    RESOURCE: ClassVar[Resource] = Resource(
        "shop.example.com", "v1", "Widget", "widgets", "widget", "WidgetList",
        namespaced=True, status=True, scale=True,
    )  # fmt: skip

    api_version: Literal["shop.example.com/v1"] = "shop.example.com/v1"
    kind: Literal["Widget"] = "Widget"
    metadata: ObjectMeta = ObjectMeta()
    spec: WidgetSpec = WidgetSpec()
    status: WidgetStatus | None = None


class WidgetClient(NamespacedClient[Widget], StatusVerbs[Widget], ScaleVerbs[Widget]):
    model = Widget


class RegionSpec(Model):
    zone: str


class Region(Object):
    """Cluster-scoped, without a status subresource."""

    RESOURCE: ClassVar[Resource] = Resource(
        "shop.example.com", "v1", "Region", "regions", "region", "RegionList", namespaced=False
    )

    api_version: Literal["shop.example.com/v1"] = "shop.example.com/v1"
    kind: Literal["Region"] = "Region"
    metadata: ObjectMeta = ObjectMeta()
    spec: RegionSpec


class RegionClient(ClusterClient[Region]):
    model = Region


WIDGETS = crd(
    "Widget",
    "widgets",
    {
        "spec": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {
                "size": {"type": "integer", "minimum": 0, "maximum": 100, "default": 1},
                "owner": {"type": "string", "nullable": True},
                "memory": {
                    "x-kubernetes-int-or-string": True,
                    "anyOf": [{"type": "integer"}, {"type": "string"}],
                },
                "ports": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name", "number"],
                        "properties": {
                            "name": {"type": "string"},
                            "number": {"type": "integer"},
                            "note": {"type": "string"},
                        },
                    },
                },
                "tags": {"type": "array", "items": {"type": "string"}},
                "configRef": {"type": "string"},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "ready": {"type": "integer"},
                "note": {"type": "string"},
                "observedGeneration": {"type": "integer", "format": "int64"},
                "conditions": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    "items": CONDITION,
                },
            },
        },
    },
    subresources={
        "status": {},
        "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.ready"},
    },
)
REGIONS = crd(
    "Region",
    "regions",
    {"spec": {"type": "object", "properties": {"zone": {"type": "string"}}}},
    scope="Cluster",
)


def installed(**options: Any) -> ApiServer:
    """Return an API server that knows these kinds."""
    server = ApiServer(**options)
    server.install(WIDGETS)
    server.install(REGIONS)
    return server


def widget(name: str = "one", namespace: str = "default", **spec: Any) -> Widget:
    """Return a widget that no server has seen."""
    return Widget(metadata=ObjectMeta(name=name, namespace=namespace), spec=WidgetSpec(**spec))


def region(name: str = "north", zone: str = "a") -> Region:
    """Return a region that no server has seen."""
    return Region(metadata=ObjectMeta(name=name), spec=RegionSpec(zone=zone))
