"""PATCH: the four kinds of patch, on an object or a subresource."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from opgen.apiserver.apply.manager import apply_object
from opgen.apiserver.call import Call, complete, decoded, yaml_value
from opgen.apiserver.jsonio import JsonError, decode
from opgen.apiserver.patch import json_patch, merge_patch
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError, bad_request, invalid, invalid_value, not_found
from opgen.apiserver.stored import lookup
from opgen.apiserver.strategic import strategic_merge
from opgen.apiserver.typed import Mismatch
from opgen.apiserver.write import insert, modify, namespace_gate, same_name, same_namespace

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
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(allowed),
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
    made: dict[str, Callable[[Object], Any]] = {
        _JSON: lambda old: json_patch(old, value),
        _MERGE: lambda old: merge_patch(old, value),
        _STRATEGIC: lambda old: strategic_merge(copy_json(old), value, call.kind.schema),
    }
    return 200, modify(call, lambda old: _patched(call, made[media](old)))


def _patched(call: Call, made: Any) -> Object:
    """Decode a patched object; what is wrong with it is said of the whole patch."""
    kind = call.kind
    if not isinstance(made, dict):
        raise _refused(call, made, "the patched object is no object")
    if kind.custom:
        _same_type(call, made)
    made = copy_json(made)
    text = _text(call, made) if call.request.first("fieldValidation") == "Strict" else ""
    try:
        obj, strict = decoded(call, made)
    except Mismatch as error:
        raise _refused(call, made, str(error)) from None
    if strict:
        mode = call.request.first("fieldValidation")
        if mode == "Strict":
            why = "strict decoding error: " + ", ".join(strict)
            raise invalid("", "", "", [invalid_value("patch", text, why)])
        if mode != "Ignore":
            call.warnings.extend(strict)
    _same_place(call, obj)
    return obj


def _refused(call: Call, made: Any, why: str) -> StatusError:
    return invalid("", "", "", [invalid_value("patch", _text(call, made), why)])


def _text(call: Call, made: Any) -> str:
    return json.dumps(made, separators=(",", ":"), ensure_ascii=False, sort_keys=call.kind.custom)


def _same_type(call: Call, made: Object) -> None:
    kind = call.kind
    api, name = made.get("apiVersion"), made.get("kind")
    for key, value, wanted in (("kind", name, kind.kind), ("apiVersion", api, kind.api_version)):
        if value != wanted:
            error = invalid_value(key, value, f"must be {wanted}")
            raise invalid(kind.group, str(name or ""), call.name, [error])


def _same_place(call: Call, obj: Object) -> None:
    same_name(call, obj)
    if call.kind.namespaced:
        same_namespace(call, obj)


def _apply(call: Call) -> tuple[int, Object]:
    try:
        value = yaml_value(call.request.body)
    except StatusError as error:
        raise bad_request(error.message) from None
    kind = call.kind
    force = call.request.first("force") == "true"
    if not isinstance(value, dict):
        raise bad_request(
            "error decoding YAML: json: cannot unmarshal into Go value of type map[string]interface {}"
        )
    meta = value.setdefault("metadata", {})
    if not isinstance(meta, dict):
        meta = value["metadata"] = {}
    if meta.get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    api, name = str(value.get("apiVersion") or ""), str(value.get("kind") or "")
    if (api, name) != (kind.api_version, kind.kind):
        shown = api if "/" in api else f"/{api}"
        raise bad_request(f"invalid object type: {shown}, Kind={name}")
    live = lookup(call.store, kind, call.namespace, call.name)
    if live is None:
        if call.subresource:
            raise not_found(kind.group, kind.plural, call.name)
        made = _completed(call, apply_object(call, None, value, force))
        namespace_gate(call)
        return 201, insert(call, made, managed=True)
    return 200, modify(
        call, lambda old: _completed(call, apply_object(call, old, value, force)), managed=True
    )


def _completed(call: Call, made: Object) -> Object:
    """Fill in the defaults of an applied object; unlike in a decoded one, nulls stay, and are refused later."""
    try:
        obj = complete(call, copy_json(made))
    except Mismatch as error:
        raise bad_request(str(error)) from None
    _same_place(call, obj)
    return obj
