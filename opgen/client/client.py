"""The typed client: the verbs of the API, generic over kinds.

async with Client.from_environment() as client:
    cert = await client.get(Certificate, "site", namespace="web")
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from opgen.client.calls import Caller
from opgen.client.clock import Clock, SystemClock
from opgen.client.config import ClientConfig, from_environment
from opgen.client.errors import Gone, NotFound
from opgen.client.limit import RateLimit
from opgen.client.model import (
    ObjectList,
    PatchType,
    Preconditions,
    Propagation,
    delete_options,
    named,
    selectors,
    versioned,
)
from opgen.client.observe import Observer
from opgen.client.patch import applied, check, media_type, outgoing
from opgen.client.transport import HttpTransport, Transport
from opgen.client.watch import Event, Page, Watch
from opgen.meta import Object

__all__ = ["Client"]

T = TypeVar("T", bound=Object)

_PAGE = 500
_TIMEOUT = 30.0


class Client:
    """Talks to one API server.

    Guarantees
        Unknown fields of an object, explicit nulls, spelling and key order survive every verb. Lists are read to their
        last page. An object that lacks fields its schema requires is still read (see `Model.from_wire`). Every call
        ends within its timeout; a request is sent again only where that can do no harm (see `opgen.client.calls`).
    Caveats
        `namespace` None means the client's own namespace for verbs on one object, and all namespaces for lists and
        watches. logs, exec and port-forward are not there.

    Raises:
        `ApiError`, by reason, for what the server refuses, `Invalid` also for a body that breaks its model, which does
        not leave; `Unreachable` where there is no answer.
    """

    def __init__(
        self,
        transport: Transport,
        namespace: str = "default",
        *,
        timeout: float | None = _TIMEOUT,
        limit: RateLimit | None = None,
        observer: Observer | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Take how to reach the server, the namespace of calls that name none, and the seconds a call may take."""
        self.transport = transport
        self.namespace = namespace
        self.clock = clock or SystemClock()
        self._calls = Caller(transport, self.clock, timeout=timeout, limit=limit, observer=observer)

    @classmethod
    def from_environment(cls, context: str | None = None, **options: Any) -> Self:
        """Return a client for the cluster that kubectl would talk to; `options` as of the constructor.

        Raises ConfigError.
        """
        return cls.from_config(from_environment(context), **options)

    @classmethod
    def from_config(cls, config: ClientConfig, **options: Any) -> Self:
        """Return a client for one server; `options` as of the constructor."""
        return cls(HttpTransport(config), config.namespace, **options)

    def within(self, seconds: float | None) -> Client:
        """Return a client that is this one but for the time that each call may take; they share connections."""
        calls = self._calls
        return Client(
            self.transport,
            self.namespace,
            timeout=seconds,
            limit=calls.limit,
            observer=calls.observer,
            clock=self.clock,
        )

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

    # --- reading ---------------------------------------------------------------------------------

    async def get(
        self,
        kind: type[T],
        name: str,
        *,
        namespace: str | None = None,
    ) -> T:
        """Read one object. Raises NotFound."""
        path = self._path(kind, namespace, name)
        return self._decoded(kind, await self._calls.json("GET", path, headers=_form(kind)))

    async def exists(self, kind: type[T], name: str, *, namespace: str | None = None) -> bool:
        """Return whether there is an object of this name."""
        try:
            await self._calls.json("GET", self._path(kind, namespace, name), headers=_form(kind))
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
        """Read all objects of a kind, of every namespace unless one is given, page by page, as of one moment.

        Where the server forgets in the middle how to go on (410), it is read again from the start, then in one piece.
        """
        query = selectors(labels, fields)
        for attempt in (1, 2, 3):
            items: list[T] = []
            version = ""
            try:
                pages = self.raw_pages(kind, namespace, query, _form(kind), whole=attempt == 3)
                async with aclosing(pages) as read:  # type: ignore[type-var]
                    async for page in read:
                        items += [self._decoded(kind, wire) for wire in page.items]
                        version = page.resource_version
                return ObjectList(items, version)
            except Gone:
                if attempt == 3:
                    raise
        raise AssertionError("unreachable")

    async def iterate(
        self,
        kind: type[T],
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
        page: int = _PAGE,
    ) -> AsyncIterator[T]:
        """Yield all objects of a kind, holding no more than one page of them.

        Caveats: where the server forgets in the middle how to go on (410), it goes on with what is there now, so that
        the whole may be of more than one moment; no object is yielded twice for that.
        """
        query = selectors(labels, fields)
        pages = self.raw_pages(kind, namespace, query, _form(kind), page=page, lenient=True)
        async with aclosing(pages) as read:  # type: ignore[type-var]
            async for one in read:
                for wire in one.items:
                    yield self._decoded(kind, wire)

    async def raw_pages(
        self,
        kind: type[Object],
        namespace: str | None,
        query: Mapping[str, str],
        headers: Mapping[str, str] | None = None,
        *,
        whole: bool = False,
        page: int = _PAGE,
        lenient: bool = False,
    ) -> AsyncIterator[Page]:
        """Yield the pages of a list as they came, or all in one; `lenient` goes on inconsistently after 410.

        Raises Gone where the server forgets in the middle.
        """
        path = kind.RESOURCE.path(namespace)
        asked = dict(query) if whole else {**query, "limit": str(page)}
        while True:
            try:
                body = await self._calls.json("GET", path, query=asked, headers=headers)
            except Gone as error:
                if not (lenient and error.continue_token):
                    raise
                asked["continue"] = error.continue_token
                continue
            meta = body.get("metadata") or {}
            token = str(meta.get("continue") or "")
            yield Page(body.get("items") or [], str(meta.get("resourceVersion") or ""), token)
            if not token:
                return
            asked["continue"] = token

    async def watch(
        self,
        kind: type[T],
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
        resource_version: str | None = None,
    ) -> AsyncIterator[Event[T]]:
        """Yield what is there, as ADDED, and then what happens to it, without end (see `opgen.client.watch`).

        With `resource_version`, of a list, only what happens after it. Nothing that goes wrong with connections ends
        it; what the server refuses for good before anything came (no such kind, not allowed) is raised.
        """
        watch = self.watcher(
            kind,
            namespace=namespace,
            labels=labels,
            fields=fields,
            resource_version=resource_version or "",
        )
        async with aclosing(watch.events()) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Event):
                    yield event

    def watcher(
        self,
        kind: type[T],
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
        resource_version: str = "",
        patient: bool = False,
        streaming: bool = True,
    ) -> Watch[T]:
        """Return the watch behind `watch`, which also says when all that was there has been reported."""
        return Watch(
            self,
            self.transport,
            self.clock,
            kind,
            self._decoded,
            namespace=namespace,
            query=selectors(labels, fields),
            headers=_form(kind),
            resource_version=resource_version,
            patient=patient,
            streaming=streaming,
        )

    # --- writing ---------------------------------------------------------------------------------

    async def create(self, obj: T, *, dry_run: bool = False, field_manager: str | None = None) -> T:
        """Create an object. Raises AlreadyExists, Invalid."""
        kind = type(obj)
        path = self._path(kind, obj.metadata.namespace)
        query = _options(field_manager, dry_run)
        return await self._write(kind, "POST", path, outgoing(obj), query)

    async def replace(
        self, obj: T, *, dry_run: bool = False, field_manager: str | None = None
    ) -> T:
        """Replace an object by this one. Raises Conflict if it has changed since it was read.

        Raises ValueError without `metadata.resource_version`: replacing blindly undoes what others wrote, and the API
        server refuses it for custom kinds anyway. To overwrite on purpose, `apply` with force.
        """
        versioned(obj)
        path = self._path(type(obj), obj.metadata.namespace, named(obj))
        query = _options(field_manager, dry_run)
        return await self._write(type(obj), "PUT", path, outgoing(obj), query)

    async def update_status(self, obj: T, *, field_manager: str | None = None) -> T:
        """Replace the status of an object, and nothing else of it. Raises Conflict as `replace`.

        Raises ValueError if the kind has no status subresource.
        """
        if not type(obj).RESOURCE.status:
            raise ValueError(
                f'"{type(obj).__name__}" has no status subresource; replace the object instead'
            )
        versioned(obj)
        path = self._path(type(obj), obj.metadata.namespace, named(obj), "status")
        return await self._write(type(obj), "PUT", path, outgoing(obj), _options(field_manager))

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
        dry_run: bool = False,
    ) -> T:
        """Patch an object: a list is a JSON patch and a dict a merge patch unless `type` says otherwise.

        Raises ValueError for a merge patch of finalizers or conditions: it replaces the whole list, so it takes away
        what others put there; use a JSON patch with `test`, or `modify`. Raises ValueError for a strategic merge patch
        of a custom kind, which the API server does not have.
        """
        chosen: PatchType = type or ("json" if isinstance(patch, list) else "merge")
        check(kind, name, patch, chosen)
        query = _options(field_manager, dry_run)
        if force:
            query["force"] = "true"
        path = self._path(kind, namespace, name, subresource)
        headers = {"Content-Type": media_type(chosen)}
        return await self._write(kind, "PATCH", path, patch, query, headers)

    async def apply(
        self, obj: T, *, field_manager: str, force: bool = False, dry_run: bool = False
    ) -> T:
        """Apply an object: create it, or make the fields it names so and own them (server-side apply, KEP-555).

        Raises Conflict, naming the other manager, if a field is another's and `force` is not set.
        """
        return await self.patch(
            type(obj),
            named(obj),
            applied(obj),
            namespace=obj.metadata.namespace,
            type="apply",
            field_manager=field_manager,
            force=force,
            dry_run=dry_run,
        )

    async def modify(
        self,
        kind: type[T],
        name: str,
        change: Callable[[T], object],
        *,
        namespace: str | None = None,
        status: bool = False,
        field_manager: str | None = None,
    ) -> T:
        """Read an object, let `change` change it, and replace it, again on fresh data where another was faster.

        Writes nothing where `change` changes nothing. `status` replaces the status alone. `change` may run several
        times. Raises NotFound; Conflict where others were faster ten times.
        """
        from opgen.client.modify import modify

        return await modify(
            self,
            kind,
            name,
            change,
            namespace=namespace,
            status=status,
            field_manager=field_manager,
        )

    async def create_or_patch(
        self, obj: T, change: Callable[[T], object], *, field_manager: str | None = None
    ) -> T:
        """Let `change` change the object of this name and patch it, or change `obj` and create it if there is none.

        The patch is a JSON patch with a test of the version read, tried again on fresh data. Writes nothing where
        nothing changes. Named for controller-runtime's CreateOrPatch; `apply` is the better tool where one knows all
        that one wants. `change` may run several times. Raises Conflict where others were faster ten times.
        """
        from opgen.client.modify import create_or_patch

        return await create_or_patch(self, obj, change, field_manager=field_manager)

    async def scale(
        self, kind: type[T], name: str, *, replicas: int, namespace: str | None = None
    ) -> int:
        """Ask for a number of replicas through the scale subresource; returns the number asked for before."""
        path = self._path(kind, namespace, name, "scale")
        scale = await self._calls.json("GET", path)
        before = int((scale.get("spec") or {}).get("replicas") or 0)
        scale["spec"] = {"replicas": replicas}
        await self._calls.json("PUT", path, body=scale)
        return before

    async def delete(
        self,
        kind: type[T],
        name: str,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        preconditions: Preconditions | None = None,
        grace_seconds: int | None = None,
    ) -> None:
        """Delete an object; one with finalizers stays until they are gone. Raises NotFound, Conflict."""
        path = self._path(kind, namespace, name)
        body = delete_options(propagation, preconditions, grace_seconds)
        self._deleted(kind, path, await self._calls.json("DELETE", path, body=body))

    async def delete_collection(
        self,
        kind: type[T],
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
        propagation: Propagation | None = None,
    ) -> None:
        """Delete the objects of a kind that are selected, in one namespace: the client's own unless one is given."""
        path = self._path(kind, namespace)
        body = delete_options(propagation, None, None)
        await self._calls.json("DELETE", path, query=selectors(labels, fields), body=body)

    async def wait_for(
        self,
        kind: type[T],
        name: str,
        until: str | Callable[[T | None], bool],
        *,
        namespace: str | None = None,
        timeout: float,  # noqa: ASYNC109 - by the client's clock, which may be virtual
    ) -> T | None:
        """Wait until an object is as wanted and return it; None where it is gone and that was wanted.

        `until` is a condition that must be True and observed at the current generation ("Ready"), "deleted", or a
        function of the object (None: there is none). Raises TimeoutError, saying how the object was at last.
        """
        from opgen.client.wait import wait_for

        return await wait_for(self, kind, name, until, namespace=namespace, timeout=timeout)

    # --- inside ----------------------------------------------------------------------------------

    async def _write(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: Any,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        """Send a write and return the object as it is then; every write of an object comes through here."""
        answer = await self._calls.json(method, path, query=query, body=body, headers=headers)
        return self._decoded(kind, answer)

    def _deleted(self, kind: type[Object], path: str, answer: Mapping[str, Any]) -> None:
        """Be told that an object was deleted, or marked for it."""

    def _path(
        self,
        kind: type[Object],
        namespace: str | None,
        name: str | None = None,
        subresource: str | None = None,
    ) -> str:
        where = (namespace or self.namespace) if kind.RESOURCE.namespaced else None
        return kind.RESOURCE.path(where, name, subresource)

    @staticmethod
    def _decoded(kind: type[T], wire: Mapping[str, Any]) -> T:
        """Return an object of the answer; one that its schema no longer admits is still read where that can be done."""
        try:
            return kind.from_wire(wire)
        except ValidationError:
            return kind.from_wire(wire, partial=True)


def _options(field_manager: str | None, dry_run: bool = False) -> dict[str, str]:
    query = {"fieldManager": field_manager} if field_manager else {}
    if dry_run:
        query["dryRun"] = "All"
    return query


def _form(kind: type[Object]) -> Mapping[str, str] | None:
    """Return the header that asks for the form that a class holds, None for the whole object."""
    form: str = getattr(kind, "ACCEPT", "")
    return {"Accept": form} if form else None
