"""CustomResourceDefinitions at work: names and conditions, the kinds they add, what becomes of their objects.

One pass does what apiextensions-apiserver's naming, establishing and finalizing controllers do.
"""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.builtin.crd import FINALIZER, approval_condition, is_true
from opgen.apiserver.call import Call, Tools
from opgen.apiserver.discovery import version_priority
from opgen.apiserver.kinds import Kind, Registry
from opgen.apiserver.schema import compile_schema
from opgen.apiserver.status import StatusError, qualified, quote
from opgen.apiserver.store import Change, Store
from opgen.apiserver.strategy import CustomStrategy

__all__ = ["CrdController", "CRDS", "kinds_of"]

Object = dict[str, Any]
CRDS: Final = ("apiextensions.k8s.io", "customresourcedefinitions")
_CUSTOM_VERBS: Final = (
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
)


class CrdController:
    """Keeps the registry in step with the CRDs in the store; `settle` is due whenever `dirty`."""

    def __init__(self, store: Store, registry: Registry, tools: Tools) -> None:
        """Serve what the store's CRDs define."""
        self.store = store
        self.registry = registry
        self.tools = tools
        self.dirty = True
        self._seen: dict[str, str] = {}
        self._served: dict[str, list[Kind]] = {}
        self._ending: set[tuple[str, str]] = set()
        store.listeners.append(self._changed)

    def _changed(self, resource: tuple[str, str], change: Change) -> None:
        if resource == CRDS or resource in self._ending:
            self.dirty = True

    def guard(self, call: Call, name: str) -> None:
        """Refuse to create objects of a kind whose CRD is being deleted."""
        kind = call.kind
        if not kind.custom or kind.resource not in self._ending:
            return
        what = qualified(kind.plural, kind.group)
        text = "create not allowed while custom resource definition is terminating"
        details = {"name": name, "group": kind.group, "kind": kind.plural}
        raise StatusError(403, "Forbidden", f"{what} {quote(name)} is forbidden: {text}", details)

    def settle(self) -> None:
        """Bring conditions, served kinds and stored objects in line with the CRDs."""
        bucket = self.store.bucket(CRDS)
        while self.dirty:
            self.dirty = False
            for key in [k for k in self._served if k not in bucket.objects]:
                self._withdraw(key)
            for key, crd in list(bucket.objects.items()):
                if crd["metadata"].get("deletionTimestamp"):
                    self._terminate(key, crd)
                elif self._seen.get(key) != crd["metadata"]["resourceVersion"] or not is_true(
                    crd, "NamesAccepted"
                ):
                    crd = self._judge(crd)
                    self._seen[key] = crd["metadata"]["resourceVersion"]
                    if is_true(crd, "Established"):
                        self._serve(key, crd)

    def _taken(self, crd: Object) -> tuple[set[str], set[str]]:
        """Return the resource names and the kinds that other CRDs of the group have."""
        resources: set[str] = set()
        kinds: set[str] = set()
        for other in self.store.bucket(CRDS).objects.values():
            if (
                other["metadata"]["name"] == crd["metadata"]["name"]
                or other["spec"]["group"] != crd["spec"]["group"]
            ):
                continue
            names = (other.get("status") or {}).get("acceptedNames") or {}
            resources |= {
                names.get("plural", ""),
                names.get("singular", ""),
                *(names.get("shortNames") or ()),
            }
            kinds |= {names.get("kind", ""), names.get("listKind", "")}
        return resources - {""}, kinds - {""}

    def _judge(self, crd: Object) -> Object:
        """Accept the names if nobody has them, and establish the CRD once they are."""
        status = dict(crd.get("status") or {})
        wanted = crd["spec"]["names"]
        accepted = dict(status.get("acceptedNames") or {"plural": "", "kind": ""})
        resources, kinds = self._taken(crd)
        verdict = ("True", "NoConflicts", "no conflicts found")
        for key, reason, taken in (
            ("plural", "PluralConflict", resources),
            ("singular", "SingularConflict", resources),
            ("shortNames", "ShortNamesConflict", resources),
            ("kind", "KindConflict", kinds),
            ("listKind", "ListKindConflict", kinds),
        ):
            names = wanted.get(key) or ([] if key == "shortNames" else "")
            mine = accepted.get(key) or []
            clashes = (
                [n for n in names if n in taken and n not in mine]
                if key == "shortNames"
                else [names]
                if names in taken and names != mine
                else []
            )
            if clashes:
                text = ", ".join(f"{quote(n)} is already in use" for n in clashes)
                verdict = ("False", reason, text if len(clashes) == 1 else f"[{text}]")
            elif names:
                accepted[key] = names
            elif key not in ("plural", "kind"):
                accepted.pop(key, None)
        if wanted.get("categories"):
            accepted["categories"] = wanted["categories"]
        conditions = [dict(c) for c in status.get("conditions") or ()]
        self._set(conditions, "NamesAccepted", *verdict)
        if verdict[0] == "True":
            if not is_true({"status": {"conditions": conditions}}, "Established"):
                self._set(
                    conditions,
                    "Established",
                    "True",
                    "InitialNamesAccepted",
                    "the initial names have been accepted",
                )
        elif not any(c["type"] == "Established" for c in conditions):
            self._set(
                conditions, "Established", "False", "NotAccepted", "not all names are accepted"
            )
        approval = approval_condition(crd)
        if approval is not None:
            self._set(conditions, "KubernetesAPIApprovalPolicyConformant", *approval)
        made = {**status, "conditions": conditions, "acceptedNames": accepted}
        if made == crd.get("status"):
            return crd
        return self.store.write(CRDS, {**crd, "metadata": dict(crd["metadata"]), "status": made})

    def _set(
        self, conditions: list[Object], type_: str, status: str, reason: str, message: str
    ) -> None:
        made = {
            "type": type_,
            "status": status,
            "lastTransitionTime": self.tools.now(),
            "reason": reason,
            "message": message,
        }
        for index, found in enumerate(conditions):
            if found["type"] == type_:
                if found["status"] == status:
                    made["lastTransitionTime"] = found["lastTransitionTime"]
                conditions[index] = made
                return
        conditions.append(made)

    def _serve(self, key: str, crd: Object) -> None:
        before = {k.version: k for k in self._served.get(key, ())}
        made = kinds_of(crd)
        changed = False
        for kind in made:
            old = before.pop(kind.version, None)
            if old is not None and old.definition == kind.definition:
                kind.since = old.since
            else:
                kind.since = self.store.revision
                changed = True
            self.registry.add(kind)
        for gone in before.values():
            self.registry.remove(gone.group, gone.version, gone.plural)
        self._served[key] = made
        if made and (changed or before):
            self.store.bucket(made[0].resource).end_watches()

    def _withdraw(self, key: str) -> None:
        for kind in self._served.pop(key, ()):
            self.registry.remove(kind.group, kind.version, kind.plural)
            self.store.bucket(kind.resource).end_watches()
            self._ending.discard(kind.resource)
        self._seen.pop(key, None)

    def _terminate(self, key: str, crd: Object) -> None:
        resource = (crd["spec"]["group"], crd["spec"]["names"]["plural"])
        bucket = self.store.bucket(resource)
        self._ending.add(resource)
        if is_true(crd, "Established"):
            for stored in list(bucket.objects.values()):
                self._end(resource, stored)
        if not bucket.objects or not is_true(crd, "Established"):
            self._withdraw(key)
            self._ending.discard(resource)
            left = [f for f in crd["metadata"].get("finalizers") or () if f != FINALIZER]
            last = {**crd, "metadata": {**crd["metadata"], "finalizers": left}}
            if left:
                self.store.write(CRDS, last)
            else:
                self.store.remove(CRDS, {**crd, "metadata": dict(crd["metadata"])})
            return
        conditions = [dict(c) for c in crd["status"]["conditions"]]
        self._set(
            conditions,
            "Terminating",
            "True",
            "InstanceDeletionInProgress",
            "CustomResource deletion is in progress",
        )
        if conditions != crd["status"]["conditions"]:
            status = {**crd["status"], "conditions": conditions}
            self.store.write(CRDS, {**crd, "metadata": dict(crd["metadata"]), "status": status})

    def _end(self, resource: tuple[str, str], stored: Object) -> None:
        last = {**stored, "metadata": dict(stored["metadata"])}
        meta = last["metadata"]
        if not meta.get("finalizers"):
            self.store.remove(resource, last)
        elif not meta.get("deletionTimestamp"):
            meta["deletionTimestamp"] = self.tools.now()
            meta["deletionGracePeriodSeconds"] = 0
            meta["generation"] = meta.get("generation", 0) + 1
            self.store.write(resource, last)


def _deprecation(spec: Object, version: str) -> str:
    """What a deprecated version warns of unless told: use the best version that is served, newer and not deprecated."""
    kind = spec["names"]["kind"]
    text = f"{spec['group']}/{version} {kind} is deprecated"
    better = [
        v["name"]
        for v in spec["versions"]
        if v.get("served")
        and not v.get("deprecated")
        and version_priority(v["name"]) < version_priority(version)
    ]
    if better:
        text += f"; use {spec['group']}/{min(better, key=version_priority)} {kind}"
    return text


def kinds_of(crd: Object) -> list[Kind]:
    """Return the kinds that an established CRD serves."""
    spec = crd["spec"]
    names = (crd.get("status") or {}).get("acceptedNames") or spec["names"]
    storage = next(
        (v["name"] for v in spec["versions"] if v.get("storage")), spec["versions"][0]["name"]
    )
    nodes = {
        v["name"]: compile_schema((v.get("schema") or {}).get("openAPIV3Schema"))
        for v in spec["versions"]
        if v.get("served") or v["name"] == storage
    }
    known = frozenset(f"{spec['group']}/{v['name']}" for v in spec["versions"])
    out = []
    for version in spec["versions"]:
        if not version.get("served"):
            continue
        subresources = version.get("subresources") or {}
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
                strategy=CustomStrategy(nodes[version["name"]]),
                schema=nodes[version["name"]],
                other_storage_schema=None if version["name"] == storage else nodes[storage],
                custom=True,
                verbs=_CUSTOM_VERBS,
                short_names=tuple(names.get("shortNames") or ()),
                categories=tuple(names.get("categories") or ()),
                subresources={
                    n: ("get", "patch", "update") for n in ("status", "scale") if n in subresources
                },
                scale=subresources.get("scale"),
                storage_group=spec["group"],
                storage_version=storage,
                known_versions=known,
                selectable=tuple(
                    f["jsonPath"].lstrip(".") for f in version.get("selectableFields") or ()
                ),
                columns=tuple(version.get("additionalPrinterColumns") or ()),
                warning=warning,
                definition={"schema": version.get("schema"), "storage": storage, "known": known},
            )
        )
    return out
