"""The typed client: the verbs of the API, generic over kinds.

async with Client.from_environment() as client:
cert = await client.get(Certificate, "site", namespace="web")
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import ValidationError

from opgen.client.config import ClientConfig, from_environment
from opgen.client.errors import ApiError, Gone, NotFound, error_of
from opgen.client.transport import HttpTransport, Reply, Transport
from opgen.meta import Object

__all__ = ["Client", "Event", "ObjectList", "Preconditions", "Propagation"]

T = TypeVar("T", bound=Object)

Propagation = Literal["Background", "Foreground", "Orphan"]
PatchType = Literal["apply", "json", "merge", "strategic"]

_PAGE = 500
_PATCH_TYPES: Mapping[PatchType, str] = {
    "apply": "application/apply-patch+yaml",
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


@dataclass(frozen=True)
class Preconditions:
    """What must still be true of an object for it to be deleted."""

    uid: str | None = None
    resource_version: str | None = None


@dataclass(frozen=True)
class ObjectList(Generic[T]):
    """Objects of a kind, and the version to watch from."""

    items: list[T]
    resource_version: str

    def __iter__(self) -> Iterator[T]:
        """Iterate over the objects."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.items)


@dataclass(frozen=True)
class Event(Generic[T]):
    """One event of a watch; a BOOKMARK carries nothing but its version."""

    type: Literal["ADDED", "BOOKMARK", "DELETED", "MODIFIED"]
    object: T | None
    resource_version: str


class Client:
    """Talks to one API server.

    Guarantees
        Unknown fields of an object survive every verb. Lists are read to their last page. An object that lacks fields
        its schema requires is still read (see `Model.from_wire`).

    Raises:
        `ApiError`, by reason, for what the server refuses; `Unreachable` where it gives no answer.
    """

    def __init__(self, transport: Transport, namespace: str = "default") -> None:
        """Take how to reach the server, and the namespace of calls that name none."""
        self.transport = transport
        self.namespace = namespace

    @classmethod
    def from_environment(cls, context: str | None = None) -> Self:
        """Return a client for the cluster that kubectl would talk to. Raises ConfigError."""
        return cls.from_config(from_environment(context))

    @classmethod
    def from_config(cls, config: ClientConfig) -> Self:
        """Return a client for one server."""
        return cls(HttpTransport(config), config.namespace)

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()

    async def get(self, kind: type[T], name: str, *, namespace: str | None = None) -> T:
        """Read one object. Raises NotFound."""
        return _decoded(kind, await self._call("GET", self._path(kind, namespace, name)))

    async def exists(self, kind: type[T], name: str, *, namespace: str | None = None) -> bool:
        """Return whether there is an object of this name."""
        try:
            await self._call("GET", self._path(kind, namespace, name))
        except NotFound:
            return False
        return True

    async def list(
        self,
        kind: type[T],
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
    ) -> ObjectList[T]:
        """Read all objects of a kind, of every namespace unless one is given, page by page.

        If the server forgets where a page continues (410), the list is read again from the start.
        """
        for attempt in (1, 2, 3):
            try:
                return await self._pages(kind, namespace, _selectors(labels, fields))
            except Gone:
                if attempt == 3:
                    raise
        raise AssertionError("unreachable")

    async def _pages(
        self, kind: type[T], namespace: str | None, query: dict[str, str]
    ) -> ObjectList[T]:
        items: list[T] = []
        path = kind.RESOURCE.path(namespace)
        page: dict[str, str] = {**query, "limit": str(_PAGE)}
        while True:
            body = await self._call("GET", path, query=page)
            items += [_decoded(kind, item) for item in body.get("items") or ()]
            meta = body.get("metadata") or {}
            if not meta.get("continue"):
                return ObjectList(items, str(meta.get("resourceVersion", "")))
            page["continue"] = meta["continue"]

    async def watch(
        self,
        kind: type[T],
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
        resource_version: str | None = None,
    ) -> AsyncIterator[Event[T]]:
        """Yield what happens after `resource_version` until the server ends the watch, which it does every few minutes.

        One connection; `opgen.controller` goes on from here. Without a version the objects that are
        there come first, as
        ADDED. Raises Gone where the version is no longer kept.
        """
        query = {"watch": "true", "allowWatchBookmarks": "true", **_selectors(labels, fields)}
        if resource_version:
            query["resourceVersion"] = resource_version
        path = kind.RESOURCE.path(namespace)
        async for line in self.transport.stream(path, query=query):
            if isinstance(line, Reply):
                raise error_of(line.status, line.body, line.headers, f"watch {path}")
            event = json.loads(line)
            wire = event["object"]
            if event["type"] == "ERROR":
                raise error_of(
                    int(wire.get("code") or 500), json.dumps(wire).encode(), {}, f"watch {path}"
                )
            version = str((wire.get("metadata") or {}).get("resourceVersion", ""))
            obj = None if event["type"] == "BOOKMARK" else _decoded(kind, wire)
            yield Event(event["type"], obj, version)

    async def create(self, obj: T, *, dry_run: bool = False) -> T:
        """Create an object. Raises AlreadyExists, Invalid."""
        path = self._path(type(obj), obj.metadata.namespace)
        query = {"dryRun": "All"} if dry_run else None
        return _decoded(type(obj), await self._call("POST", path, query=query, body=obj.to_wire()))

    async def replace(self, obj: T) -> T:
        """Replace an object by this one. Raises Conflict if it has changed since it was read.

        Raises ValueError without `metadata.resource_version`: replacing blindly undoes what others wrote, and the API
        server refuses it for custom kinds anyway. To overwrite on purpose, `apply` with force.
        """
        _need_version(obj)
        path = self._path(type(obj), obj.metadata.namespace, _name(obj))
        return _decoded(type(obj), await self._call("PUT", path, body=obj.to_wire()))

    async def update_status(self, obj: T) -> T:
        """Replace the status of an object, and nothing else of it. Raises Conflict as `replace`.

        Raises ValueError if the kind has no status subresource.
        """
        if not type(obj).RESOURCE.status:
            raise ValueError(
                f'"{type(obj).__name__}" has no status subresource; replace the object instead'
            )
        _need_version(obj)
        path = self._path(type(obj), obj.metadata.namespace, _name(obj), "status")
        return _decoded(type(obj), await self._call("PUT", path, body=obj.to_wire()))

    async def patch(
        self,
        kind: type[T],
        name: str,
        patch: Any,
        *,
        namespace: str | None = None,
        type: PatchType | None = None,
        subresource: str | None = None,
        field_manager: str | None = None,
        force: bool = False,
    ) -> T:
        """Patch an object: a list is a JSON patch and a dict a merge patch unless `type` says otherwise.

        Raises ValueError for a merge patch of finalizers or conditions: it replaces the whole list, so it takes away
        what others put there; use a JSON patch with `test`.
        """
        chosen: PatchType = type or ("json" if isinstance(patch, list) else "merge")
        if chosen == "merge":
            _refuse_lists(patch)
        query = {"fieldManager": field_manager} if field_manager else {}
        if force:
            query["force"] = "true"
        path = self._path(kind, namespace, name, subresource)
        headers = {"Content-Type": _PATCH_TYPES[chosen]}
        return _decoded(
            kind, await self._call("PATCH", path, query=query, body=patch, headers=headers)
        )

    async def apply(self, obj: T, *, field_manager: str, force: bool = False) -> T:
        """Apply an object: create it, or make the fields it names so and own them (server-side apply, KEP-555).

        Raises Conflict, naming the other manager, if a field is another's and `force` is not set.
        """
        wire = obj.to_wire()
        wire.get("metadata", {}).pop("managedFields", None)
        return await self.patch(
            type(obj),
            _name(obj),
            wire,
            namespace=obj.metadata.namespace,
            type="apply",
            field_manager=field_manager,
            force=force,
        )

    async def scale(
        self, kind: type[T], name: str, *, replicas: int, namespace: str | None = None
    ) -> int:
        """Ask for a number of replicas through the scale subresource; returns the number asked for before."""
        path = self._path(kind, namespace, name, "scale")
        scale = await self._call("GET", path)
        before = int((scale.get("spec") or {}).get("replicas") or 0)
        scale["spec"] = {"replicas": replicas}
        await self._call("PUT", path, body=scale)
        return before

    async def delete(
        self,
        kind: type[T],
        name: str,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        preconditions: Preconditions | None = None,
    ) -> None:
        """Delete an object; one with finalizers stays until they are gone. Raises NotFound, Conflict."""
        body: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if propagation:
            body["propagationPolicy"] = propagation
        if preconditions:
            wanted = {"uid": preconditions.uid, "resourceVersion": preconditions.resource_version}
            body["preconditions"] = {
                key: value for key, value in wanted.items() if value is not None
            }
        await self._call("DELETE", self._path(kind, namespace, name), body=body)

    def _path(
        self,
        kind: type[Object],
        namespace: str | None,
        name: str | None = None,
        subresource: str | None = None,
    ) -> str:
        where = (namespace or self.namespace) if kind.RESOURCE.namespaced else None
        return kind.RESOURCE.path(where, name, subresource)

    async def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        data = (
            None
            if body is None
            else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        )
        sent = (
            {"Content-Type": "application/json", **(headers or {})}
            if data is not None
            else dict(headers or {})
        )
        reply = await self.transport.request(method, path, query=query, headers=sent, body=data)
        if reply.status >= 400:
            raise error_of(reply.status, reply.body, reply.headers, f"{method} {path}")
        answer = json.loads(reply.body)
        if not isinstance(answer, dict):
            raise ApiError(
                {"message": "the answer is no JSON object", "code": reply.status},
                f"{method} {path}",
            )
        return answer


def _decoded(kind: type[T], wire: Mapping[str, Any]) -> T:
    """Return an object of the answer; one that its schema no longer admits is still read where that can be done."""
    try:
        return kind.from_wire(wire)
    except ValidationError:
        return kind.from_wire(wire, partial=True)


def _name(obj: Object) -> str:
    if not obj.metadata.name:
        raise ValueError(f'this "{type(obj).__name__}" has no metadata.name')
    return obj.metadata.name


def _need_version(obj: Object) -> None:
    if not obj.metadata.resource_version:
        raise ValueError(
            f'"{type(obj).__name__}" has no metadata.resource_version, so others\' changes would be lost; '
            "read it first, or use apply"
        )


def _refuse_lists(patch: Any) -> None:
    metadata, status = patch.get("metadata") or {}, patch.get("status") or {}
    for holder, key in ((metadata, "finalizers"), (status, "conditions")):
        if isinstance(holder, Mapping) and holder.get(key):
            raise ValueError(
                f'a merge patch replaces all of "{key}", others\' too; use a JSON patch with a test'
            )


def _selectors(
    labels: str | Mapping[str, str] | None, fields: str | Mapping[str, str] | None
) -> dict[str, str]:
    out = {}
    for key, value in (("labelSelector", labels), ("fieldSelector", fields)):
        if value:
            out[key] = (
                value if isinstance(value, str) else ",".join(f"{k}={v}" for k, v in value.items())
            )
    return out
