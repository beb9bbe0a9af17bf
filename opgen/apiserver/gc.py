"""The garbage collector: dependents go after their owners, orphans stay, foreground deletion waits.

The rules are those of kube-controller-manager's `garbagecollector`: an owner is looked up by kind and name in
the dependent's own namespace (or at cluster scope) and must have the UID that the reference gives; a
cluster-scoped dependent can't have a namespaced owner, and such a reference is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opgen.apiserver.call import Call
from opgen.apiserver.delete import delete_stored
from opgen.apiserver.kinds import Kind
from opgen.apiserver.request import Request
from opgen.apiserver.store import Change, object_key
from opgen.apiserver.write import remove_now

if TYPE_CHECKING:
    from opgen.apiserver.server import ApiServer

__all__ = ["call_for", "GarbageCollector", "rewrite"]

Object = dict[str, Any]
Resource = tuple[str, str]
Ref = tuple[Resource, str]


def call_for(server: ApiServer, kind: Kind, obj: Object) -> Call:
    """Return a call of the server's own on `obj`."""
    meta = obj["metadata"]
    return Call(
        Request("DELETE", "", headers={"User-Agent": "kube-controller-manager"}),
        kind,
        meta.get("namespace", ""),
        meta["name"],
        "",
        server.store,
        server.tools,
        server.registry,
    )


def rewrite(server: ApiServer, kind: Kind, stored: Object, **meta: Any) -> None:
    """Store `stored` with metadata changed (None: taken out); one that is being deleted goes if nothing holds it."""
    changed: Object = {**stored, "metadata": {**stored["metadata"], **meta}}
    for name, value in meta.items():
        if value is None or value == []:
            del changed["metadata"][name]
    if changed["metadata"].get("deletionTimestamp") and not changed["metadata"].get("finalizers"):
        remove_now(call_for(server, kind, stored), stored)
    else:
        server.store.write(kind.resource, changed)


class GarbageCollector:
    """Follows all changes of the store and keeps an index of dependents by owner UID."""

    def __init__(self, server: ApiServer) -> None:
        """Start with what is in the store."""
        self._server = server
        self._dirty: dict[Ref, None] = {}
        self._dependents: dict[str, dict[Ref, None]] = {}
        for resource, bucket in server.store.resources():
            for obj in bucket.objects.values():
                self._index(resource, obj)
        server.store.listeners.append(self._changed)

    def _index(self, resource: Resource, obj: Object) -> None:
        meta = obj["metadata"]
        ref = (resource, object_key(obj))
        if meta.get("ownerReferences") or meta.get("deletionTimestamp"):
            self._dirty[ref] = None
        for owner in meta.get("ownerReferences") or ():
            self._dependents.setdefault(owner.get("uid", ""), {})[ref] = None

    def _changed(self, resource: Resource, change: Change) -> None:
        ref = (resource, object_key(change.object))
        if change.before is not None:
            for owner in change.before["metadata"].get("ownerReferences") or ():
                found = self._dependents.get(owner.get("uid", ""))
                if found is not None:
                    found.pop(ref, None)
                    if not found:
                        del self._dependents[owner["uid"]]
        if change.type == "DELETED":
            meta = change.object["metadata"]
            for dependent in self._dependents.get(meta["uid"], ()):
                self._dirty[dependent] = None
            for owner in meta.get("ownerReferences") or ():
                self._touch_owner(owner, meta.get("namespace", ""))
        else:
            self._index(resource, change.object)

    def _touch_owner(self, owner: Object, namespace: str) -> None:
        kind = self._server.registry.of_kind(owner.get("apiVersion", ""), owner.get("kind", ""))
        if kind is not None:
            self._dirty[
                kind.resource, f"{namespace if kind.namespaced else ''}/{owner.get('name', '')}"
            ] = None

    def run(self) -> None:
        """Look at what changed since the last time."""
        while self._dirty:
            work, self._dirty = self._dirty, {}
            for resource, key in work:
                obj = self._server.store.bucket(resource).objects.get(key)
                kind = self._kind(resource, obj) if obj is not None else None
                if obj is not None and kind is not None:
                    self._look(kind, obj)

    def _kind(self, resource: Resource, obj: Object) -> Kind | None:
        group, _, version = obj["apiVersion"].rpartition("/")
        found = self._server.registry.find(group, version, resource[1])
        if found is not None:
            return found
        return next((k for k in self._server.registry if k.resource == resource), None)

    def _look(self, kind: Kind, obj: Object) -> None:
        meta = obj["metadata"]
        finalizers = meta.get("finalizers") or []
        if meta.get("deletionTimestamp"):
            if "orphan" in finalizers:
                self._orphan(kind, obj)
                return
            if "foregroundDeletion" in finalizers:
                self._foreground(kind, obj)
                return
            return
        self._collect(kind, obj)

    def _each_dependent(self, uid: str) -> list[tuple[Kind, Object]]:
        out = []
        for resource, key in list(self._dependents.get(uid, ())):
            obj = self._server.store.bucket(resource).objects.get(key)
            kind = self._kind(resource, obj) if obj is not None else None
            if obj is not None and kind is not None:
                out.append((kind, obj))
        return out

    def _orphan(self, kind: Kind, obj: Object) -> None:
        uid = obj["metadata"]["uid"]
        for their_kind, dependent in self._each_dependent(uid):
            left = [r for r in dependent["metadata"]["ownerReferences"] if r.get("uid") != uid]
            rewrite(self._server, their_kind, dependent, ownerReferences=left)
        left_finalizers = [f for f in obj["metadata"]["finalizers"] if f != "orphan"]
        rewrite(self._server, kind, obj, finalizers=left_finalizers)

    def _foreground(self, kind: Kind, obj: Object) -> None:
        uid = obj["metadata"]["uid"]
        blocked = False
        for their_kind, dependent in self._each_dependent(uid):
            refs = dependent["metadata"]["ownerReferences"]
            if any(r.get("uid") == uid and r.get("blockOwnerDeletion") for r in refs):
                blocked = True
                if not dependent["metadata"].get("deletionTimestamp"):
                    self._collect(their_kind, dependent)
        if not blocked or not any(
            r.get("uid") == uid and r.get("blockOwnerDeletion")
            for _, d in self._each_dependent(uid)
            for r in d["metadata"]["ownerReferences"]
        ):
            current = self._server.store.bucket(kind.resource).objects.get(object_key(obj))
            if current is not None and current["metadata"]["uid"] == uid:
                left = [
                    f
                    for f in current["metadata"].get("finalizers") or ()
                    if f != "foregroundDeletion"
                ]
                rewrite(self._server, kind, current, finalizers=left)

    def _collect(self, kind: Kind, obj: Object) -> None:
        """Delete a dependent none of whose owners is there; drop references to those that are not."""
        meta = obj["metadata"]
        refs = meta.get("ownerReferences") or []
        solid: list[Object] = []
        gone: list[Object] = []
        waiting: list[Object] = []
        for ref in refs:
            state = self._owner_state(kind, meta.get("namespace", ""), ref)
            {"solid": solid, "gone": gone, "waiting": waiting}[state].append(ref)
        if not refs or (solid and not gone and not waiting):
            return
        if solid:
            rewrite(self._server, kind, obj, ownerReferences=solid)
            return
        finalizers = meta.get("finalizers") or []
        policy = "Background"
        if waiting and self._dependents.get(meta["uid"]):
            policy = "Foreground"
        elif "orphan" in finalizers:
            policy = "Orphan"
        elif "foregroundDeletion" in finalizers:
            policy = "Foreground"
        delete_stored(call_for(self._server, kind, obj), obj, {"propagationPolicy": policy})

    def _owner_state(self, kind: Kind, namespace: str, ref: Object) -> str:
        owner_kind = self._server.registry.of_kind(ref.get("apiVersion", ""), ref.get("kind", ""))
        if owner_kind is None:
            return "solid"
        if owner_kind.namespaced and not kind.namespaced:
            return "solid"
        key = f"{namespace if owner_kind.namespaced else ''}/{ref.get('name', '')}"
        owner = self._server.store.bucket(owner_kind.resource).objects.get(key)
        if owner is None or owner["metadata"]["uid"] != ref.get("uid"):
            return "gone"
        meta = owner["metadata"]
        if meta.get("deletionTimestamp") and "foregroundDeletion" in (meta.get("finalizers") or ()):
            return "waiting"
        return "solid"
