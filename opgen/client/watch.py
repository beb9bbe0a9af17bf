"""A watch that is never lost: what is there, and then every change, whatever happens to connections.

First comes what is there: by a watch that starts with it (KEP-3157), or by a list, page by page, where the server does
not know that. Then changes follow. The server ends each watch after a few minutes, which is no fault: it goes on from
the last version seen, which bookmarks keep young. Where the server no longer has that version (410), what is there is
read again, and what is missing from it is reported as deleted, once. Faults are retried after 0.8 s, doubled up to 30 s
with jitter and forgotten after two quiet minutes, as client-go's reflector does. A connection that says nothing for
75 s is given up, since a bookmark comes each minute.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import ValidationError

from opgen.client.clock import Clock
from opgen.client.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    Gone,
    Invalid,
    MethodNotSupported,
    NotFound,
    Unauthorized,
    Unreachable,
    error_of,
)
from opgen.client.transport import Reply, Transport
from opgen.errors import ConfigError
from opgen.meta import Object

__all__ = ["Event", "ListSource", "Page", "Synced", "Watch"]

T = TypeVar("T", bound=Object)

_LOG = logging.getLogger("opgen.client")
_FIRST_DELAY, _MAX_DELAY, _FORGET = 0.8, 30.0, 120.0
_IDLE = 75.0
_SHORTEST = 1.0
"""A watch that ends sooner, having said nothing, is a fault: else one would ask in a tight loop."""

_END = "k8s.io/initial-events-end"
_LASTING = (BadRequest, Forbidden, Invalid, MethodNotSupported, NotFound, Unauthorized)
"""What another try does not mend by itself."""


@dataclass(frozen=True, slots=True)
class Event(Generic[T]):
    """One change: the object as it is, or as it last was where it has gone."""

    type: Literal["ADDED", "DELETED", "MODIFIED"]
    object: T
    resource_version: str


@dataclass(frozen=True, slots=True)
class Synced:
    """All that was there has been reported, and what was missing from it as deleted."""

    resource_version: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list, not decoded yet."""

    items: list[dict[str, Any]]
    resource_version: str
    continue_token: str


class ListSource(Protocol):
    """Reads lists page by page; a client."""

    def raw_pages(
        self,
        kind: type[Object],
        namespace: str | None,
        query: Mapping[str, str],
        headers: Mapping[str, str] | None = None,
        *,
        whole: bool = False,
    ) -> AsyncIterator[Page]:
        """Yield the pages of a list, or all in one. Raises Gone where the server forgets in the middle."""
        ...


class Watch(Generic[T]):
    """The events of one kind, from what is there on.

    Guarantees
        Every object that is there at a `Synced` was reported before it, and every later change after it, in order for
        each object; several changes in a row may come as one. An object that can't be decoded is logged, counted in
        `undecodable` and left out; it ends nothing.
    Caveats
        Holds on to the last object of each name, to report what has gone while nobody looked.
    """

    def __init__(
        self,
        source: ListSource,
        transport: Transport,
        clock: Clock,
        kind: type[T],
        decode: Callable[[type[T], Mapping[str, Any]], T],
        *,
        namespace: str | None = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        resource_version: str = "",
        patient: bool = False,
        streaming: bool = True,
    ) -> None:
        """Take what to watch.

        `resource_version` starts with what changes after it, instead of with what is there. `patient` goes on trying
        where the server refuses (403, 404), which else is raised until the first `Synced`. `streaming` False lists.
        """
        self.kind = kind
        self.version = resource_version
        self.undecodable = 0
        self.heard_at = clock.monotonic()
        self.last_error: ApiError | Unreachable | ConfigError | None = None
        self._source, self._transport, self._clock, self._decode = source, transport, clock, decode
        self._namespace, self._query, self._headers = namespace, dict(query or {}), headers
        self._patient, self._streaming = patient, streaming
        self._known: dict[tuple[str | None, str], T] = {}
        self._synced = bool(resource_version)
        self._whole = False

    async def events(self) -> AsyncIterator[Event[T] | Synced]:
        """Yield what happens, without end."""
        delay, faulty_at = _FIRST_DELAY, self._clock.monotonic()
        while True:
            failure: ApiError | Unreachable | ConfigError | None = None
            started, before = self._clock.monotonic(), self.version
            try:
                if not self.version and not self._streaming:
                    async with aclosing(self._listed()) as listed:  # type: ignore[type-var]
                        async for event in listed:
                            yield event
                async with aclosing(self._followed()) as followed:  # type: ignore[type-var]
                    async for event in followed:
                        yield event
                if self.version == before and self._clock.monotonic() - started < _SHORTEST:
                    failure = Unreachable(f"the watch of {self.kind.RESOURCE} ended at once")
            except Gone as error:
                self._whole = self._whole or not (self.version or self._streaming)
                self.version, self.last_error = "", error
                # what was just read can't be old already: a server that says so is asked again later
                if not before and self._clock.monotonic() - started < _SHORTEST:
                    failure = error
            except (ApiError, Unreachable, ConfigError) as error:
                failure = error
                if isinstance(error, Invalid | BadRequest) and self._streaming and not before:
                    self._streaming = False  # an older server, which knows no initial events
                    continue
                if isinstance(error, _LASTING) and not (self._synced or self._patient):
                    raise
            now = self._clock.monotonic()
            if now - faulty_at > _FORGET:
                delay = _FIRST_DELAY
            if failure is None:
                continue
            faulty_at, self.last_error = now, failure
            asked = failure.retry_after if isinstance(failure, ApiError) else None
            wait = max(delay, asked or 0.0) * (1 + self._clock.chance())
            _LOG.warning("watch of %s: %s; again in %.1f s", self.kind.RESOURCE, failure, wait)
            await self._clock.sleep(wait)
            delay = min(delay * 2, _MAX_DELAY)

    async def _listed(self) -> AsyncIterator[Event[T] | Synced]:
        """Yield what a list says is there."""
        seen: set[tuple[str | None, str]] = set()
        version = ""
        pages = self._source.raw_pages(
            self.kind, self._namespace, self._query, self._headers, whole=self._whole
        )
        async with aclosing(pages) as read:  # type: ignore[type-var]
            async for page in read:
                self.heard_at = self._clock.monotonic()
                version = page.resource_version
                for wire in page.items:
                    seen.add(_key_of(wire))
                    for event in self._events_of("ADDED", wire):
                        yield event
        for event in self._missing(seen, version):
            yield event
        self.version, self._synced = version, True
        yield Synced(version)

    async def _followed(self) -> AsyncIterator[Event[T] | Synced]:
        """Yield what one connection says, beginning with what is there if no version is known."""
        initial = not self.version
        seconds = 300 + int(300 * self._clock.chance())
        query = {
            **self._query,
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
        }
        if initial:
            query |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        else:
            query["resourceVersion"] = self.version
        path = self.kind.RESOURCE.path(self._namespace)
        request = f"watch {path}"
        seen: set[tuple[str | None, str]] = set()
        stream = self._transport.stream(path, query=query, headers=self._headers)
        async with aclosing(stream) as lines:  # type: ignore[type-var]
            while True:
                line = await self._next(lines, request)
                if line is None:
                    break
                if isinstance(line, Reply):
                    raise error_of(line.status, line.body, line.headers, request)
                try:
                    event = json.loads(line)
                    type_, wire = event["type"], event["object"]
                except (ValueError, KeyError, TypeError):
                    raise Unreachable(f"{request}: a line is no event") from None
                if type_ == "ERROR":
                    body = json.dumps(wire).encode()
                    raise error_of(int(wire.get("code") or 500), body, {}, request)
                meta = wire.get("metadata") or {}
                version = str(meta.get("resourceVersion") or "")
                if type_ == "BOOKMARK":
                    if initial and (meta.get("annotations") or {}).get(_END) == "true":
                        for gone in self._missing(seen, version):
                            yield gone
                        initial, self._synced = False, True
                        self.version = version
                        yield Synced(version)
                    elif not initial:
                        self.version = version
                    continue
                if initial:
                    seen.add(_key_of(wire))
                for made in self._events_of(type_, wire):
                    yield made
                if (
                    not initial
                ):  # after the event, not before: who stops in the middle of it sees it again
                    self.version = version or self.version
        if initial:
            raise Unreachable(f"{request}: ended before all that is there was sent")

    async def _next(
        self, lines: AsyncIterator[bytes | Reply], request: str
    ) -> bytes | Reply | None:
        """Return the next line, None at the end; silence is a fault."""
        try:
            async with self._clock.timeout(_IDLE) as limit:
                line = await anext(lines, None)
        except TimeoutError:
            if limit.expired():
                raise Unreachable(f"{request}: nothing was heard for {_IDLE:.0f} s") from None
            raise
        self.heard_at = self._clock.monotonic()
        return line

    def _events_of(self, type_: str, wire: Mapping[str, Any]) -> list[Event[T]]:
        """Return what an object that was sent means: nothing where it is known or can't be read.

        One that took the place of another of its name while nobody looked is a deletion and an addition.
        """
        key = _key_of(wire)
        meta = wire.get("metadata") or {}
        version = str(meta.get("resourceVersion") or "")
        known = self._known.get(key)
        if type_ != "DELETED" and known is not None and known.metadata.resource_version == version:
            return []
        try:
            obj = self._decode(self.kind, wire)
        except ValidationError as error:
            self._leave_out(key, error)
            if type_ != "DELETED" or known is None:
                return []
            obj = known
        if type_ == "DELETED":
            self._known.pop(key, None)
            return [Event("DELETED", obj, version)]
        self._known[key] = obj
        if known is None:
            return [Event("ADDED", obj, version)]
        if known.metadata.uid != obj.metadata.uid:
            return [Event("DELETED", known, version), Event("ADDED", obj, version)]
        return [Event("MODIFIED", obj, version)]

    def _leave_out(self, key: tuple[str | None, str], error: ValidationError) -> None:
        self.undecodable += 1
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        name = "/".join(part for part in key if part)
        text = '%s "%s" can\'t be read and is left out: %s: %s'
        _LOG.error(text, self.kind.RESOURCE.kind, name, where, fault["msg"])

    def _missing(self, seen: set[tuple[str | None, str]], version: str) -> list[Event[T]]:
        """Return what has gone while nobody looked."""
        gone = [key for key in self._known if key not in seen]
        return [Event("DELETED", self._known.pop(key), version) for key in gone]


def _key_of(wire: Mapping[str, Any]) -> tuple[str | None, str]:
    meta = wire.get("metadata") or {}
    return meta.get("namespace"), str(meta.get("name"))
