"""What the server says of itself: versions, groups, resources, health."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from opgen.apiserver.kinds import Kind, Registry
from opgen.apiserver.render import Renderer
from opgen.apiserver.request import Request, Response
from opgen.apiserver.routes import Place, locate
from opgen.apiserver.status import StatusError

__all__ = ["Discovery", "version_priority"]

Object = dict[str, Any]
_VERSION: Final = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.2",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "any",
}


def version_priority(version: str) -> tuple[int, int, int, str]:
    """Sort key that puts the preferred version first: GA, beta, alpha, newest first, then anything else by name."""
    import re

    found = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if not found:
        return (9, 0, 0, version)
    level = {None: 0, "beta": 1, "alpha": 2}[found.group(2)]
    return (level, -int(found.group(1)), -int(found.group(3) or 0), version)


class Discovery:
    """Answers all paths that are not those of a resource."""

    def __init__(self, registry: Registry, clock: Callable[[], datetime]) -> None:
        """Describe the kinds of `registry`."""
        self.registry = registry
        self.clock = clock

    def missing(self, request: Request, place: Place, renderer: Renderer) -> Response:
        """Answer a path of a resource that is not served."""
        if place.group == "" or any(k.group == place.group and not k.custom for k in self.registry):
            if self.registry.has_version(place.group, place.version):
                return renderer.error(_not_here())
        return renderer.text(404, "404 page not found\n")

    def answer(self, request: Request, renderer: Renderer) -> Response:
        """Answer a path that names no resource."""
        path = request.path.rstrip("/") or "/"
        place = locate(path)
        if path == "/api":
            return renderer.plain(None, 200, {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
        if path == "/apis":
            return renderer.plain(None, 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": self._groups()})
        if place is not None and not place.plural and self.registry.has_version(place.group, place.version):
            return renderer.plain(None, 200, self._resources(place.group, place.version))
        if path.startswith("/apis/") and path.count("/") == 2:
            for group in self._groups():
                if group["name"] == path.split("/")[2]:
                    return renderer.plain(None, 200, {"kind": "APIGroup", "apiVersion": "v1", **group})
        if path == "/version":
            return renderer.plain(None, 200, dict(_VERSION))
        if path in ("/healthz", "/livez", "/readyz"):
            return renderer.text(200, "ok")
        if path == "/":
            return renderer.plain(None, 200, {"paths": sorted(self._paths())})
        return renderer.text(404, "404 page not found\n")

    def _paths(self) -> list[str]:
        out = {"/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/version"}
        for kind in self.registry:
            if kind.group:
                out |= {f"/apis/{kind.group}", f"/apis/{kind.api_version}"}
        return list(out)

    def _groups(self) -> list[Object]:
        versions: dict[str, set[str]] = {}
        for kind in self.registry:
            if kind.group:
                versions.setdefault(kind.group, set()).add(kind.version)
        out = []
        for group, found in versions.items():
            ordered = [
                {"groupVersion": f"{group}/{v}", "version": v} for v in sorted(found, key=version_priority)
            ]
            out.append({"name": group, "versions": ordered, "preferredVersion": ordered[0]})
        return out

    def _resources(self, group: str, version: str) -> Object:
        kinds = [k for k in self.registry if (k.group, k.version) == (group, version)]
        resources: list[Object] = []
        for kind in sorted(kinds, key=lambda k: k.plural):
            resources.append(_main(kind))
            for sub in sorted(kind.subresources):
                resources.append(_sub(kind, sub))
        out: Object = {"kind": "APIResourceList"}
        if group:
            out["apiVersion"] = "v1"
        out["groupVersion"] = f"{group}/{version}" if group else version
        out["resources"] = resources
        return out


def _main(kind: Kind) -> Object:
    out: Object = {
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        out["shortNames"] = list(kind.short_names)
    if kind.categories:
        out["categories"] = list(kind.categories)
    if "watch" in kind.verbs:
        text = f"{kind.storage_group}/{kind.storage_version or kind.version}/{kind.kind}"
        out["storageVersionHash"] = base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()
    return out


def _sub(kind: Kind, sub: str) -> Object:
    out: Object = {"name": f"{kind.plural}/{sub}", "singularName": "", "namespaced": kind.namespaced}
    gvk = kind.definition.get(sub)
    if sub == "scale" and kind.custom:
        gvk = ["autoscaling", "v1", "Scale"]
    if gvk and (gvk[0], gvk[1]) != (kind.group, kind.version):
        out["group"], out["version"] = gvk[0], gvk[1]
    out["kind"] = gvk[2] if gvk else kind.kind
    out["verbs"] = list(kind.subresources[sub])
    return out


def _not_here() -> StatusError:
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})
