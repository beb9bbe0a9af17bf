"""The namespace controller: empties a namespace that is being deleted, then lets it go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opgen.apiserver.delete import delete_stored
from opgen.apiserver.gc import call_for
from opgen.apiserver.write import remove_now

if TYPE_CHECKING:
    from opgen.apiserver.server import ApiServer

__all__ = ["NamespaceController"]

_NAMESPACES = ("", "namespaces")


class NamespaceController:
    """Deletes what is in terminating namespaces."""

    def __init__(self, server: ApiServer) -> None:
        """Look after `server`'s namespaces."""
        self._server = server

    def run(self) -> None:
        """Make one pass over the terminating namespaces."""
        store = self._server.store
        for namespace in list(store.bucket(_NAMESPACES).objects.values()):
            if namespace["metadata"].get("deletionTimestamp"):
                self._empty(namespace)

    def _empty(self, namespace: dict[str, Any]) -> None:
        server = self._server
        name = namespace["metadata"]["name"]
        left = False
        by_resource = {k.resource: k for k in server.registry if k.namespaced}
        for resource, bucket in server.store.resources():
            kind = by_resource.get(resource)
            if kind is None:
                continue
            for key in bucket.keys(f"{name}/"):
                obj = bucket.objects[key]
                if not obj["metadata"].get("deletionTimestamp"):
                    delete_stored(
                        call_for(server, kind, obj), obj, {"propagationPolicy": "Background"}
                    )
            left = left or bool(bucket.keys(f"{name}/"))
        kind = server.registry.find("", "v1", "namespaces")
        if not left and kind is not None and not namespace["metadata"].get("finalizers"):
            remove_now(call_for(server, kind, namespace), namespace)
