"""Aggregated discovery: all groups, versions and resources in one answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final

from opgen.apiserver.jsonio import encode
from opgen.apiserver.kinds import Kind
from opgen.apiserver.request import Request, Response

__all__ = ["aggregated", "discovery_version", "tagged"]

Object = dict[str, Any]
_FORM: Final = "APIGroupDiscoveryList"


def discovery_version(request: Request) -> str:
    """Return the version of aggregated discovery that a request accepts first; empty for the plain lists."""
    for media, given in request.accepted():
        if media != "application/json":
            continue
        if not given.get("as"):
            return ""
        if (
            given.get("g") == "apidiscovery.k8s.io"
            and given["as"] == _FORM
            and given.get("v") in ("v2", "v2beta1")
        ):
            return given["v"]
    return ""


def tagged(request: Request, headers: dict[str, str], body: bytes) -> Response:
    """Answer with a body that clients may keep: with an ETag, and 304 if they have it."""
    tag = f'"{hashlib.sha512(body).hexdigest().upper()}"'
    headers = {**headers, "ETag": tag, "Vary": "Accept"}
    if request.header("If-None-Match") == tag:
        return Response(304, {k: v for k, v in headers.items() if k != "Content-Type"}, b"")
    return Response(200, headers, body)


def aggregated(
    request: Request, version: str, groups: list[tuple[str, list[str]]], kinds: Iterable[Kind]
) -> Response:
    """Answer `/api` or `/apis` with all that the groups serve; `groups` have their versions, preferred ones first."""
    by_version: dict[tuple[str, str], list[Kind]] = {}
    for kind in kinds:
        by_version.setdefault((kind.group, kind.version), []).append(kind)
    items: list[Object] = []
    for group, versions in groups:
        listed = []
        for name in versions:
            found = sorted(by_version.get((group, name), ()), key=lambda k: k.plural)
            listed.append(
                {
                    "version": name,
                    "resources": [_resource(k) for k in found],
                    "freshness": "Current",
                }
            )
        items.append({"metadata": {"name": group} if group else {}, "versions": listed})
    body = {
        "kind": _FORM,
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": items,
    }
    media = f"application/json;g=apidiscovery.k8s.io;v={version};as={_FORM}"
    return tagged(request, {"Cache-Control": "public", "Content-Type": media}, encode(body) + b"\n")


def _resource(kind: Kind) -> Object:
    own = (kind.group, kind.version) if kind.custom else ("", "")
    out: Object = {
        "resource": kind.plural,
        "responseKind": {"group": own[0], "version": own[1], "kind": kind.kind},
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        out["shortNames"] = list(kind.short_names)
    if kind.categories:
        out["categories"] = list(kind.categories)
    if kind.subresources:
        out["subresources"] = [_subresource(kind, sub, own) for sub in sorted(kind.subresources)]
    return out


def _subresource(kind: Kind, sub: str, own: tuple[str, str]) -> Object:
    group, version, name = kind.kind_of(sub)
    if (group, version) == (kind.group, kind.version):
        group, version = own
    return {
        "subresource": sub,
        "responseKind": {"group": group, "version": version, "kind": name},
        "verbs": list(kind.subresources[sub]),
    }
