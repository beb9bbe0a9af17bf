"""PATCH: the four kinds of patch, on an object or a subresource."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.apply.manager import apply_object
from opgen.apiserver.call import Call, decode_object, yaml_value
from opgen.apiserver.jsonio import JsonError, decode
from opgen.apiserver.patch import json_patch, merge_patch
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError, bad_request, not_found
from opgen.apiserver.stored import lookup
from opgen.apiserver.write import insert, modify, namespace_gate

__all__ = ["patch"]

Object = dict[str, Any]
_JSON: Final = "application/json-patch+json"
_MERGE: Final = "application/merge-patch+json"
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"


def patch(call: Call) -> tuple[int, Object]:
    """Carry out a PATCH; return the code and the object."""
    media = call.request.header("Content-Type").split(";")[0].strip().lower()
    allowed = [_JSON, _MERGE, *([] if call.kind.custom else [_STRATEGIC]), _APPLY]
    if media not in allowed:
        raise StatusError(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: " + ", ".join(allowed),
        )
    call.options("PatchOptions", apply=media == _APPLY)
    if media == _APPLY:
        return _apply(call)
    if lookup(call.store, call.kind, call.namespace, call.name) is None:
        raise not_found(call.kind.group, call.kind.plural, call.name)
    try:
        value = decode(call.request.body)
    except JsonError as error:
        raise bad_request(f"error decoding patch: {error}") from None

    def change(old: Object) -> Object:
        if media == _JSON:
            made = json_patch(old, value)
        elif media == _MERGE:
            made = merge_patch(old, value)
        else:
            from opgen.apiserver.strategic import strategic_merge

            made = strategic_merge(copy_json(old), value, call.kind.schema)
        return _decoded(call, made)

    return 200, modify(call, change)


def _decoded(call: Call, made: Any) -> Object:
    obj = decode_object(call, copy_json(made))
    meta = obj["metadata"]
    name, namespace = meta.get("name"), meta.get("namespace")
    if name != call.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({call.name})")
    if call.kind.namespaced and namespace != call.namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    return obj


def _apply(call: Call) -> tuple[int, Object]:
    value = yaml_value(call.request.body)
    kind = call.kind
    force = call.request.first("force") == "true"
    if not isinstance(value, dict):
        raise bad_request("error decoding YAML: the patch is not an object")
    meta = value.get("metadata")
    if not isinstance(meta, dict):
        meta = value["metadata"] = {}
    if meta.get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    name = meta.setdefault("name", call.name)
    if name != call.name:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({call.name})")
    if kind.namespaced:
        given = meta.setdefault("namespace", call.namespace)
        if given != call.namespace:
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    live = lookup(call.store, kind, call.namespace, call.name)
    if live is None:
        if call.subresource:
            raise not_found(kind.group, kind.plural, call.name)
        namespace_gate(call)
        made = apply_object(call, None, value, force)
        return 201, insert(call, decode_object(call, copy_json(made)), managed=True)

    def change(old: Object) -> Object:
        made = apply_object(call, old, value, force)
        return _decoded(call, made)

    return 200, modify(call, change, managed=True)
