"""The scale subresource: `autoscaling/v1` Scale over the paths that a CRD names, or those of the workload kinds."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.call import Call, body_value
from opgen.apiserver.patch import json_patch, merge_patch
from opgen.apiserver.read import get
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError, bad_request, invalid, invalid_value
from opgen.apiserver.write import modify

__all__ = ["read_scale", "write_scale"]

Object = dict[str, Any]
_WORKLOADS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}


def _at(obj: Object, path: str) -> Any:
    value: Any = obj
    for part in path.lstrip(".").split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _put(obj: Object, path: str, value: Any) -> None:
    *way, last = path.lstrip(".").split(".")
    here = obj
    for part in way:
        here = here.setdefault(part, {})
    here[last] = value


def _scale(call: Call, obj: Object) -> Object:
    paths = call.kind.scale or _WORKLOADS
    meta = obj["metadata"]
    spec = _at(obj, paths["specReplicasPath"])
    if spec is None and call.kind.custom:
        raise StatusError(
            500,
            "InternalError",
            f"Internal error occurred: the spec replicas field {paths['specReplicasPath']!r} does not exist",
            {"causes": [{"message": f"the spec replicas field {paths['specReplicasPath']!r} does not exist"}]},
        )
    status: Object = {"replicas": _at(obj, paths["statusReplicasPath"]) or 0}
    if call.kind.custom:
        selector = _at(obj, paths["labelSelectorPath"]) if paths.get("labelSelectorPath") else None
    else:
        found = (obj.get("spec") or {}).get("selector") or {}
        selector = ",".join(f"{k}={v}" for k, v in sorted((found.get("matchLabels") or {}).items()))
    if selector:
        status["selector"] = selector
    keys = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {k: meta[k] for k in keys if k in meta},
        "spec": {"replicas": spec} if spec else {},
        "status": status,
    }


def read_scale(call: Call) -> Object:
    """Return the Scale of the object that the call names."""
    return _scale(call, get(call))


def write_scale(call: Call) -> Object:
    """Set the replicas by a PUT or PATCH of the Scale; return the new Scale."""
    paths = call.kind.scale or _WORKLOADS
    value, _ = body_value(call.request, "Scale") if call.request.method == "PUT" else (None, None)

    def change(old: Object) -> Object:
        scale = _scale(call, old)
        if call.request.method == "PUT":
            wanted = value
        else:
            from opgen.apiserver.jsonio import decode

            media = call.request.header("Content-Type").split(";")[0]
            given = decode(call.request.body)
            wanted = json_patch(scale, given) if media == "application/json-patch+json" else merge_patch(scale, given)
        if not isinstance(wanted, dict):
            raise bad_request("the body is no Scale")
        replicas = (wanted.get("spec") or {}).get("replicas", 0)
        if replicas < 0:
            raise invalid(
                "autoscaling",
                "Scale",
                call.name,
                [invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")],
            )
        made: Object = copy_json(old)
        _put(made, paths["specReplicasPath"], replicas)
        version = (wanted.get("metadata") or {}).get("resourceVersion")
        if version:
            made["metadata"]["resourceVersion"] = version
        return made

    return _scale(call, modify(call, change))
