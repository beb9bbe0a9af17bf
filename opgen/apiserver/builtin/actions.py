"""The subresources of built-in kinds that are actions: TokenRequest, Eviction, Binding."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any

from opgen.apiserver.call import Call, body_value
from opgen.apiserver.delete import delete_stored
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import bad_request, invalid, invalid_value, not_found
from opgen.apiserver.stored import lookup
from opgen.apiserver.typed import render_time

__all__ = ["act"]

Object = dict[str, Any]


def act(call: Call) -> Object | None:
    """Carry out a POST to an action subresource and return its answer; None if it is none."""
    actions = {
        ("serviceaccounts", "token"): _token,
        ("pods", "eviction"): _evict,
        ("pods", "binding"): _bind,
    }
    found = actions.get((call.kind.plural, call.subresource))
    return found(call) if found is not None and not call.kind.group else None


def _stored(call: Call) -> Object:
    stored = lookup(call.store, call.kind, call.namespace, call.name)
    if stored is None:
        raise not_found(call.kind.group, call.kind.plural, call.name)
    return stored


def _body(call: Call, kind: str) -> Object:
    value = body_value(call.request, kind)
    if not isinstance(value, dict):
        raise bad_request(f"the body is no {kind}")
    return value


def _token(call: Call) -> Object:
    account = _stored(call)
    request = _body(call, "TokenRequest")
    spec = dict(request.get("spec") or {})
    seconds = spec.setdefault("expirationSeconds", 3600)
    field = "spec.expirationSeconds"
    text = ""
    if seconds < 600:
        text = "may not specify a duration less than 10 minutes"
    elif seconds > 1 << 32:
        text = "may not specify a duration larger than 2^32 seconds"
    if text:
        raise invalid(
            "authentication.k8s.io", "TokenRequest", "", [invalid_value(field, seconds, text)]
        )
    end = call.tools.clock() + timedelta(seconds=seconds)
    claims = {
        "sub": f"system:serviceaccount:{call.namespace}:{call.name}",
        "exp": int(end.timestamp()),
    }
    parts = ({"alg": "none"}, claims, {"uid": account["metadata"]["uid"]})
    token = ".".join(
        base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts
    )
    return {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": call.name,
            "namespace": call.namespace,
            "creationTimestamp": call.now(),
        },
        "spec": spec,
        "status": {"token": token, "expirationTimestamp": render_time(end)},
    }


def _evict(call: Call) -> Object:
    pod = _stored(call)
    options = _body(call, "Eviction").get("deleteOptions") or {}
    delete_stored(call, pod, options)
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _bind(call: Call) -> Object:
    pod: Object = copy_json(_stored(call))
    pod.setdefault("spec", {})["nodeName"] = (_body(call, "Binding").get("target") or {}).get(
        "name", ""
    )
    call.store.write(call.kind.resource, pod)
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
