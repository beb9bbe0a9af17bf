"""The scale subresource: `autoscaling/v1` Scale over the paths that a CRD names, or those of the workload kinds."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.call import Call, body_value
from opgen.apiserver.jsonio import decode, encode_text
from opgen.apiserver.jsonpath import field_at
from opgen.apiserver.patch import json_patch, merge_patch
from opgen.apiserver.read import get
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError, bad_request, internal, invalid, invalid_value, quote
from opgen.apiserver.typed import go_kind
from opgen.apiserver.write import modify

__all__ = ["read_scale", "write_scale"]

Object = dict[str, Any]
_WORKLOADS = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}


def _put(obj: Object, path: str, value: Any) -> None:
    *way, last = path.lstrip(".").split(".")
    here = obj
    for part in way:
        here = here.setdefault(part, {})
    here[last] = value


def _scale(call: Call, obj: Object, *, lenient: bool = False) -> Object:
    paths = call.kind.scale or _WORKLOADS
    meta = obj["metadata"]
    spec = field_at(obj, paths["specReplicasPath"])
    if spec is None and call.kind.custom and not lenient:
        raise internal(f"the spec replicas field {quote(paths['specReplicasPath'])} does not exist")
    status: Object = {"replicas": field_at(obj, paths["statusReplicasPath"]) or 0}
    if call.kind.custom:
        selector = (
            field_at(obj, paths["labelSelectorPath"]) if paths.get("labelSelectorPath") else None
        )
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
    value = body_value(call.request, "Scale") if call.request.method == "PUT" else None

    def change(old: Object) -> Object:
        scale = _scale(call, old, lenient=True)
        if call.request.method == "PUT":
            wanted = value
        else:
            media = call.request.header("Content-Type").split(";")[0]
            given = decode(call.request.body)
            wanted = (
                json_patch(scale, given)
                if media == "application/json-patch+json"
                else merge_patch(scale, given)
            )
        if not isinstance(wanted, dict):
            raise bad_request("the body is no Scale")
        replicas = (wanted.get("spec") or {}).get("replicas", 0)
        if not isinstance(replicas, int) or isinstance(replicas, bool):
            raise _mismatch(call, wanted, old)
        if replicas < 0 and not call.kind.custom:
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

    return _scale(call, modify(call, change, unconditional=True))


def _mismatch(call: Call, wanted: Object, old: Object) -> StatusError:
    """422: the patched Scale does not decode; the message shows all of it."""
    what = go_kind(wanted["spec"]["replicas"])
    text = (
        f"json: cannot unmarshal {what} into Go struct field ScaleSpec.spec.replicas of type int32"
    )
    if call.request.method == "PUT":
        return bad_request(f'Scale in version "v1" cannot be handled as a Scale: {text}')
    shown = {**wanted, "metadata": {**wanted["metadata"]}}
    fields = _scale_fields(call, old)
    if fields:
        shown["metadata"]["managedFields"] = fields
    order = ("apiVersion", "kind", "metadata", "spec", "status")
    value = encode_text({key: shown[key] for key in order if key in shown})
    return invalid("", "", "", [invalid_value("patch", value, text)])


def _scale_fields(call: Call, old: Object) -> list[Object]:
    """The managers of the replicas, as they stand in the Scale's own managedFields."""
    path = (call.kind.scale or _WORKLOADS)["specReplicasPath"].lstrip(".").split(".")
    out = []
    for entry in old["metadata"].get("managedFields") or ():
        here: Any = entry.get("fieldsV1")
        for part in path:
            here = here.get(f"f:{part}") if isinstance(here, dict) else None
        if here is not None:
            made = {k: entry[k] for k in ("manager", "operation") if k in entry}
            made["apiVersion"] = "autoscaling/v1"
            if "time" in entry and entry.get("subresource") != "scale":
                made["time"] = entry["time"]
            made["fieldsType"] = "FieldsV1"
            made["fieldsV1"] = {"f:spec": {"f:replicas": {}}}
            if entry.get("subresource"):
                made["subresource"] = entry["subresource"]
            out.append(made)
    return out
