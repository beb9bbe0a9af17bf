"""CustomResourceDefinitions at work: which kinds they add, their conditions, what becomes of the objects when they go."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.call import Call, Tools
from opgen.apiserver.discovery import version_priority
from opgen.apiserver.kinds import Kind, Registry
from opgen.apiserver.schema import compile_schema
from opgen.apiserver.status import StatusError, qualified
from opgen.apiserver.store import Store
from opgen.apiserver.strategy import CustomStrategy

__all__ = ["CRDS", "CrdController"]

Object = dict[str, Any]
CRDS: Final = ("apiextensions.k8s.io", "customresourcedefinitions")


class CrdController:
    """Keeps the registry in step with the CRDs in the store; `settle` is to be called after each change of one."""

    def __init__(self, store: Store, registry: Registry, tools: Tools) -> None:
        """Serve what the store's CRDs define."""
        self.store = store
        self.registry = registry
        self.tools = tools
        self._seen: dict[str, str] = {}
        self._served: dict[str, list[Kind]] = {}

    def guard(self, call: Call) -> None:
        """Refuse to create objects of a kind whose CRD is being deleted."""
        if not call.kind.custom:
            return
        crd = self.store.bucket(CRDS).objects.get(f"/{call.kind.plural}.{call.kind.group}")
        if crd is not None and crd["metadata"].get("deletionTimestamp"):
            raise StatusError(
                405,
                "MethodNotAllowed",
                f"create not allowed while custom resource definition is terminating: {qualified(call.kind.plural, call.kind.group)}",
            )

    def settle(self) -> None:
        """Bring conditions, served kinds and stored objects in line with the CRDs."""
        bucket = self.store.bucket(CRDS)
        for key in [k for k in self._served if k not in bucket.objects]:
            self._withdraw(key)
        for key, crd in list(bucket.objects.items()):
            if self._seen.get(key) == crd["metadata"]["resourceVersion"]:
                continue
            if crd["metadata"].get("deletionTimestamp"):
                self._terminate(key, crd)
                continue
            crd = self._establish(crd)
            self._seen[key] = crd["metadata"]["resourceVersion"]
            self._serve(key, crd)

    def _now(self) -> str:
        return self.tools.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def _establish(self, crd: Object) -> Object:
        status = dict(crd.get("status") or {})
        names = crd["spec"]["names"]
        conditions = list(status.get("conditions") or [])
        have = {c["type"]: c for c in conditions}
        if have.get("Established", {}).get("status") == "True" and status.get("acceptedNames") == names:
            return crd
        now = self._now()
        if "NamesAccepted" not in have:
            conditions.append(
                {
                    "type": "NamesAccepted",
                    "status": "True",
                    "lastTransitionTime": now,
                    "reason": "NoConflicts",
                    "message": "no conflicts found",
                }
            )
        if "Established" not in have:
            conditions.append(
                {
                    "type": "Established",
                    "status": "True",
                    "lastTransitionTime": now,
                    "reason": "InitialNamesAccepted",
                    "message": "the initial names have been accepted",
                }
            )
        status["conditions"] = conditions
        status["acceptedNames"] = names
        return self.store.write(CRDS, {**crd, "metadata": dict(crd["metadata"]), "status": status})

    def _serve(self, key: str, crd: Object) -> None:
        before = {k.version: k for k in self._served.get(key, ())}
        made = kinds_of(crd)
        for kind in made:
            old = before.pop(kind.version, None)
            if old is not None and old.definition == kind.definition:
                kind.since = old.since
            else:
                kind.since = self.store.revision
            self.registry.add(kind)
        for gone in before.values():
            self.registry.remove(gone.group, gone.version, gone.plural)
        self._served[key] = made

    def _withdraw(self, key: str) -> None:
        for kind in self._served.pop(key, ()):
            self.registry.remove(kind.group, kind.version, kind.plural)
        self._seen.pop(key, None)

    def _terminate(self, key: str, crd: Object) -> None:
        resource = (crd["spec"]["group"], crd["spec"]["names"]["plural"])
        bucket = self.store.bucket(resource)
        for stored in list(bucket.objects.values()):
            last = {**stored, "metadata": dict(stored["metadata"])}
            if last["metadata"].get("finalizers"):
                if not last["metadata"].get("deletionTimestamp"):
                    last["metadata"]["deletionTimestamp"] = self._now()
                    last["metadata"]["deletionGracePeriodSeconds"] = 0
                    self.store.write(resource, last)
            else:
                self.store.remove(resource, last)
        if not bucket.objects:
            self._withdraw(key)
            self.store.remove(CRDS, {**crd, "metadata": dict(crd["metadata"])})


def _deprecation(spec: Object, version: str) -> str:
    """What a deprecated version warns of unless told: use the best version that is served, newer and not deprecated."""
    kind = spec["names"]["kind"]
    text = f"{spec['group']}/{version} {kind} is deprecated"
    better = [
        v["name"]
        for v in spec["versions"]
        if v.get("served") and not v.get("deprecated") and version_priority(v["name"]) < version_priority(version)
    ]
    if better:
        text += f"; use {spec['group']}/{min(better, key=version_priority)} {kind}"
    return text


def kinds_of(crd: Object) -> list[Kind]:
    """Return the kinds that an established CRD serves."""
    spec = crd["spec"]
    names = spec["names"]
    storage = next((v["name"] for v in spec["versions"] if v.get("storage")), spec["versions"][0]["name"])
    nodes = {
        v["name"]: compile_schema((v.get("schema") or {}).get("openAPIV3Schema"))
        for v in spec["versions"]
        if v.get("served") or v["name"] == storage
    }
    out = []
    for version in spec["versions"]:
        if not version.get("served"):
            continue
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        subresources = version.get("subresources") or {}
        subs: dict[str, tuple[str, ...]] = {}
        for name in ("status", "scale"):
            if name in subresources:
                subs[name] = ("get", "patch", "update")
        warning = ""
        if version.get("deprecated"):
            warning = version.get("deprecationWarning") or _deprecation(spec, version["name"])
        out.append(
            Kind(
                group=spec["group"],
                version=version["name"],
                kind=names["kind"],
                plural=names["plural"],
                singular=names.get("singular") or names["kind"].lower(),
                list_kind=names.get("listKind") or names["kind"] + "List",
                namespaced=spec["scope"] == "Namespaced",
                strategy=CustomStrategy(),
                schema=nodes[version["name"]],
                other_storage_schema=None if version["name"] == storage else nodes[storage],
                custom=True,
                verbs=("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"),
                short_names=tuple(names.get("shortNames") or ()),
                categories=tuple(names.get("categories") or ()),
                subresources=subs,
                scale=subresources.get("scale"),
                storage_group=spec["group"],
                storage_version=storage,
                selectable=tuple(f["jsonPath"].lstrip(".") for f in version.get("selectableFields") or ()),
                columns=tuple(version.get("additionalPrinterColumns") or ()),
                warning=warning,
                definition={"schema": schema, "storage": storage},
            )
        )
    return out


