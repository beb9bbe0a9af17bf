"""What the server says of itself: versions, groups, resources, health."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from opgen.apiserver.aggregated import aggregated, discovery_version, tagged
from opgen.apiserver.jsonio import encode, encode_text
from opgen.apiserver.kinds import Kind
from opgen.apiserver.render import Renderer
from opgen.apiserver.request import Request, Response
from opgen.apiserver.routes import Place
from opgen.apiserver.status import method_not_allowed_here, no_such_path

if TYPE_CHECKING:
    from opgen.apiserver.server import ApiServer

__all__ = ["Discovery", "version_priority"]

Object = dict[str, Any]
_CACHE: Final = "no-cache, private"
_VERSION: Final = {
    "major": "1",
    "minor": "36",
    "emulationMajor": "1",
    "emulationMinor": "36",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "35",
    "gitVersion": "v1.36.2",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "opgen",
}


def version_priority(version: str) -> tuple[int, int, int, str]:
    """Sort key that puts the preferred version first: GA, beta, alpha, newest first, then anything else by name."""
    found = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", version)
    if not found:
        return (9, 0, 0, version)
    level = {None: 0, "beta": 1, "alpha": 2}[found.group(2)]
    return (level, -int(found.group(1)), -int(found.group(3) or 0), version)


class Discovery:
    """Answers all paths that are not those of a resource."""

    def __init__(self, server: ApiServer, version: Mapping[str, str]) -> None:
        """Describe the kinds of `server`; `version` goes over what `/version` says."""
        self._server = server
        self.registry = server.registry
        self._version = {**_VERSION, **version}

    def missing(self, place: Place, renderer: Renderer) -> Response:
        """Answer a path of a resource that is not served: a Status in Kubernetes' own groups, plain text elsewhere."""
        if self._own(place.group):
            return renderer.error(no_such_path())
        return renderer.text(404, "404 page not found\n")

    def _own(self, group: str) -> bool:
        return group == "" or any(k.group == group and not k.custom for k in self.registry)

    def answer(self, request: Request, place: Place | None, renderer: Renderer) -> Response:
        """Answer a path that names no resource."""
        path = request.path.rstrip("/") or "/"
        found: Object | None = None
        wanted = discovery_version(request) if path in ("/api", "/apis") else ""
        if wanted:
            groups = [("", ["v1"])] if path == "/api" else self._versions()
            return aggregated(request, wanted, groups, self.registry)
        if path.startswith("/openapi/"):
            return self._openapi(request, path, renderer)
        if path == "/api":
            address = {"clientCIDR": "0.0.0.0/0", "serverAddress": self._server.address}
            found = {
                "kind": "APIVersions",
                "versions": ["v1"],
                "serverAddressByClientCIDRs": [address],
            }
        elif path == "/apis":
            found = {"kind": "APIGroupList", "apiVersion": "v1", "groups": self._groups()}
        elif place is not None and self.registry.has_version(place.group, place.version):
            found = self._resources(place.group, place.version)
        elif path.startswith("/apis/") and path.count("/") == 2:
            group = next((g for g in self._groups() if g["name"] == path.split("/")[2]), None)
            found = {"kind": "APIGroup", "apiVersion": "v1", **group} if group else None
        elif path == "/version":
            found = dict(self._version)
        elif path == "/":
            found = {"paths": sorted(self._paths())}
        if found is not None:
            if request.method not in ("GET", "HEAD"):
                raise method_not_allowed_here()
            return renderer.plain(200, found)
        if path in ("/healthz", "/livez", "/readyz") or path.startswith(
            ("/livez/", "/readyz/", "/healthz/")
        ):
            return renderer.text(200, "ok")
        if place is not None and self._own(place.group):
            return renderer.error(no_such_path())
        return renderer.text(404, "404 page not found\n")

    def _paths(self) -> list[str]:
        out = {
            "/api",
            "/api/v1",
            "/apis",
            "/healthz",
            "/livez",
            "/openapi/v2",
            "/openapi/v3",
            "/readyz",
            "/version",
        }
        for kind in self.registry:
            if kind.group:
                out |= {f"/apis/{kind.group}", f"/apis/{kind.api_version}"}
        return list(out)

    def _openapi(self, request: Request, path: str, renderer: Renderer) -> Response:
        """Answer with the index of OpenAPI documents, or one of them; they are made when asked for."""
        from opgen.apiserver.openapi import document_v2, document_v3

        by_path: dict[str, list[Kind]] = {}
        for kind in self.registry:
            where = f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}"
            by_path.setdefault(where, []).append(kind)
        if path == "/openapi/v3":
            paths = {
                k: {"serverRelativeURL": f"/openapi/v3/{k}?hash={self._hash(k, v)}"}
                for k, v in by_path.items()
            }
            return renderer.text(200, encode_text({"paths": dict(sorted(paths.items()))}))
        headers = {"Cache-Control": _CACHE, "Content-Type": "application/json"}
        if path == "/openapi/v2":
            accepted = request.header("Accept")
            if accepted and "json" not in accepted and "*" not in accepted:
                return Response(406, headers, b"")
            return tagged(request, headers, encode(document_v2(list(self.registry))))
        kinds = (
            by_path.get(path.removeprefix("/openapi/v3/"))
            if path.startswith("/openapi/v3/")
            else None
        )
        if kinds is None:
            return Response(404, {"Cache-Control": _CACHE}, b"")
        return tagged(request, headers, encode(document_v3(kinds)))

    @staticmethod
    def _hash(where: str, kinds: list[Kind]) -> str:
        """What changes when a document does: the schemas of custom kinds may, those of the others don't."""
        shown = where + "".join(encode_text([k.plural, k.schema.schema]) for k in kinds if k.custom)
        return hashlib.sha512(shown.encode()).hexdigest().upper()

    def _versions(self) -> list[tuple[str, list[str]]]:
        """The named groups with their versions, the preferred one first."""
        versions: dict[str, set[str]] = {}
        for kind in self.registry:
            if kind.group:
                versions.setdefault(kind.group, set()).add(kind.version)
        return [(group, sorted(found, key=version_priority)) for group, found in versions.items()]

    def _groups(self) -> list[Object]:
        out = []
        for group, versions in self._versions():
            ordered = [{"groupVersion": f"{group}/{v}", "version": v} for v in versions]
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
        version = (
            "v1beta1"
            if kind.plural == "customresourcedefinitions"
            else kind.storage_version or kind.version
        )
        text = f"{kind.storage_group}/{version}/{kind.kind}"
        out["storageVersionHash"] = base64.b64encode(
            hashlib.sha256(text.encode()).digest()[:8]
        ).decode()
    return out


def _sub(kind: Kind, sub: str) -> Object:
    out: Object = {
        "name": f"{kind.plural}/{sub}",
        "singularName": "",
        "namespaced": kind.namespaced,
    }
    group, version, name = kind.kind_of(sub)
    if (group, version) != (kind.group, kind.version):
        out["group"], out["version"] = group, version
    out["kind"] = name
    out["verbs"] = list(kind.subresources[sub])
    return out
