"""Reads the data of the built-in kinds and makes `Kind`s of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from opgen.apiserver.builtin.strategies import strategy_of
from opgen.apiserver.kinds import Kind
from opgen.apiserver.names import NameRule, dns_label, dns_subdomain, path_segment
from opgen.apiserver.schema.node import Node, References

__all__ = ["built_in_kinds", "definitions", "LazyNode", "object_meta", "references"]

_SHORT_NAMES: Final = {
    "componentstatuses": "cs",
    "configmaps": "cm",
    "endpoints": "ep",
    "events": "ev",
    "limitranges": "limits",
    "namespaces": "ns",
    "nodes": "no",
    "persistentvolumeclaims": "pvc",
    "persistentvolumes": "pv",
    "pods": "po",
    "replicationcontrollers": "rc",
    "resourcequotas": "quota",
    "serviceaccounts": "sa",
    "services": "svc",
    "customresourcedefinitions": "crd crds",
    "daemonsets": "ds",
    "deployments": "deploy",
    "replicasets": "rs",
    "statefulsets": "sts",
    "horizontalpodautoscalers": "hpa",
    "cronjobs": "cj",
    "ingresses": "ing",
    "networkpolicies": "netpol",
    "ipaddresses": "ip",
    "poddisruptionbudgets": "pdb",
    "priorityclasses": "pc",
    "storageclasses": "sc",
    "volumeattributesclasses": "vac",
}
_IN_ALL: Final = frozenset(
    """pods replicationcontrollers services daemonsets deployments replicasets statefulsets
    horizontalpodautoscalers cronjobs jobs""".split()
)
_NAME_RULES: Final[dict[str, NameRule]] = {
    "namespaces": dns_label,
    "services": dns_label,
    "roles": path_segment,
    "rolebindings": path_segment,
    "clusterroles": path_segment,
    "clusterrolebindings": path_segment,
}
_SELECTABLE: Final = {
    "events": (
        "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion "
        "involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source type"
    ),
    "secrets": "type",
    "namespaces": "status.phase",
    "nodes": "spec.unschedulable",
    "pods": (
        "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName "
        "spec.hostNetwork status.phase status.podIP "
        "status.podIPs status.nominatedNodeName"
    ),
    "replicationcontrollers": "status.replicas",
    "replicasets": "status.replicas",
    "jobs": "status.successful",
    "services": "spec.clusterIP spec.type",
}


@cache
def _data() -> dict[str, Any]:
    packed = resources.files(__package__ or "").joinpath("kinds.json.gz").read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return found


@cache
def references() -> References:
    """Return the schemas by name, compiled when needed."""
    defs = _data()["defs"]
    for name, schema in defs.items():
        schema["x-go-name"] = _go_name(name)
    props = "apiextensions.v1.JSONSchemaProps"
    for name in ("OrArray", "OrBool", "OrStringArray"):
        defs[props + name] = {
            "type": "schema",
            "items": {"$ref": props},
            "x-go-name": _go_name(props + name),
        }
    return References(defs)


def _go_name(name: str) -> str:
    return ".".join(name.split(".")[-2:])


def definitions() -> Mapping[str, Mapping[str, Any]]:
    """Return the stripped schemas of all built-in types, by short name."""
    found: Mapping[str, Mapping[str, Any]] = _data()["defs"]
    return found


@cache
def object_meta() -> Node:
    """Return the schema of `metadata`."""
    return references().node("meta.v1.ObjectMeta")


def _definition(group: str, version: str, kind: str) -> str:
    short = {"": "core", "apiextensions.k8s.io": "apiextensions"}.get(group) or group.split(".")[0]
    return f"{short}.{version}.{kind}"


def built_in_kinds() -> list[Kind]:
    """Return all kinds of the data, each with its subresources and strategy."""
    made: dict[tuple[str, str, str], Kind] = {}
    for entry in _data()["resources"]:
        plural, _, sub = entry["name"].partition("/")
        group, version = entry["group"], entry["version"]
        if sub:
            parent = made[group, version, plural]
            parent.subresources = {**parent.subresources, sub: tuple(entry["verbs"])}
            parent.definition = {**parent.definition, sub: entry["kind"]}
            continue
        kind = entry["kind"][2]
        verbs = tuple(
            v for v in entry["verbs"] if not (plural == "componentstatuses" and v == "watch")
        )
        core_events = plural == "events"
        made[group, version, plural] = Kind(
            group=group,
            version=version,
            kind=kind,
            plural=plural,
            singular=kind.lower(),
            list_kind=f"{kind}List",
            namespaced=entry["namespaced"],
            strategy=strategy_of(group, kind),
            schema=LazyNode(_definition(group, version, kind)),
            verbs=verbs,
            short_names=tuple(_SHORT_NAMES.get(plural, "").split()),
            categories=("all",)
            if plural in _IN_ALL
            else ("api-extensions",)
            if group in ("apiextensions.k8s.io", "admissionregistration.k8s.io")
            else (),
            storage_group="" if core_events else group,
            storage_version="v1" if core_events else version,
            selectable=tuple(_SELECTABLE.get(plural, "").split()),
            name_rule=_NAME_RULES.get(plural, dns_subdomain),
        )
    return list(made.values())


class LazyNode(Node):
    """The schema of a built-in kind, compiled when first looked at, so that starting the server does not pay for it."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        """Remember which definition it is."""
        self._name = name

    def __getattr__(self, key: str) -> Any:
        """Compile on first use."""
        found = references().node(self._name)
        for slot in Node.__slots__:
            try:
                setattr(self, slot, getattr(found, slot))
            except AttributeError:
                continue
        self.root = True
        return object.__getattribute__(self, key)
