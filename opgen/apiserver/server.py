"""The API server's core: takes a `Request`, answers with a `Response`, and never raises.

Deterministic: time, UIDs and name suffixes come from outside, nothing runs by itself. `tick` is what time does:
it ends watches that are due and lets the opted-in controllers work.
"""

from __future__ import annotations

import json
import random
import re
import uuid
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from opgen.apiserver import delete as deletion
from opgen.apiserver import read, write
from opgen.apiserver.access import Access
from opgen.apiserver.builtin import built_in_kinds
from opgen.apiserver.builtin.actions import act
from opgen.apiserver.call import Call, Tools, body_value, decode_object
from opgen.apiserver.crds import CRDS, CrdController
from opgen.apiserver.discovery import Discovery
from opgen.apiserver.jsonio import encode
from opgen.apiserver.kinds import Registry
from opgen.apiserver.patching import patch
from opgen.apiserver.render import Renderer
from opgen.apiserver.request import Request, Response
from opgen.apiserver.routes import Place, locate
from opgen.apiserver.scale import read_scale, write_scale
from opgen.apiserver.status import (
    StatusError,
    bad_request,
    method_not_allowed,
    method_not_allowed_here,
    no_such_path,
    not_found,
    quote,
)
from opgen.apiserver.store import Store
from opgen.apiserver.stored import lookup
from opgen.apiserver.watch import HistoryWatch

__all__ = ["ApiServer", "put"]

Object = dict[str, Any]
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


def _suffix() -> str:
    return "".join(random.choices(_ALPHABET, k=5))


@dataclass
class _Due:
    """A watch and what is due for it: its next bookmark and its end."""

    watch: HistoryWatch
    end: datetime
    bookmark: datetime


def _next_bookmark(now: datetime, end: datetime) -> datetime:
    """A bookmark comes each minute, and two seconds before the end."""
    last = end - timedelta(seconds=2)
    return min(now + timedelta(minutes=1), last) if last > now else end


class ApiServer:
    """An in-memory Kubernetes API server.

    Guarantees: `handle` is total (any fault is a Status), writes are atomic and numbered by one growing
    resourceVersion, watches see every change after their start in order or end with 410. Assumptions: one
    thread at a time. Caveats: no authorization; see docs/fidelity-server.md for what differs from a cluster.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] | None = None,
        uid: Callable[[], str] | None = None,
        suffix: Callable[[], str] | None = None,
        compact_after: int = 4096,
        tokens: Mapping[str, str] | None = None,
        admins: Container[str] = ("admin",),
        version: Mapping[str, str] | None = None,
        controllers: bool | Iterable[str] = False,
    ) -> None:
        """Start with the built-in kinds and the four namespaces of a new cluster.

        Args:
            clock: the time, with a zone; the real one unless given.
            uid: makes the UID of each new object; random unless given.
            suffix: makes the five characters that `generateName` appends; random unless given.
            compact_after: how many changes of each resource watches can go back.
            tokens: bearer tokens and the user of each; None lets everyone in as administrator.
            admins: the users who may do everything; others may only look at discovery.
            version: what `/version` answers, instead of the version of Kubernetes followed here.
            controllers: which controllers run (on `tick`): all, none, or some of
                `garbage-collector`, `namespaces`, `workloads`.
        """
        self.tools = Tools(
            clock or (lambda: datetime.now(UTC)),
            uid or (lambda: str(uuid.uuid4())),
            suffix or _suffix,
        )
        self.store = Store(compact_after)
        self.registry = Registry()
        self.access = Access(tokens, admins)
        self.address = "127.0.0.1:6443"
        self._watches: list[_Due] = []
        self._seed = 0
        for kind in built_in_kinds():
            self.registry.add(kind)
        self.discovery = Discovery(self, version or {})
        self.crds = CrdController(self.store, self.registry, self.tools)
        self._start()
        self.controllers: Any = None
        if controllers:
            from opgen.apiserver.controllers import ALL, Controllers

            self.controllers = Controllers(self, ALL if controllers is True else controllers)

    def _start(self) -> None:
        for name in _NAMESPACES:
            body = encode({"metadata": {"name": name}})
            self._answer(Request("POST", "/api/v1/namespaces", body=body), trusted=True)
        self.store.floor = self.store.revision

    def install(self, crd: Mapping[str, Any]) -> None:
        """Create a CustomResourceDefinition, or replace the one of its name.

        Raises:
            StatusError: what the server has against it.
        """
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        name = str((crd.get("metadata") or {}).get("name", ""))
        existing = self.store.bucket(CRDS).objects.get(f"/{name}")
        body = {k: v for k, v in crd.items() if k != "status"}
        if existing is None:
            response = self._answer(Request("POST", path, body=encode(body)), trusted=True)
        else:
            meta = {**body["metadata"], "resourceVersion": existing["metadata"]["resourceVersion"]}
            put_body = encode({**body, "metadata": meta})
            response = self._answer(Request("PUT", f"{path}/{name}", body=put_body), trusted=True)
        if response.status >= 300:
            status = json.loads(response.body or b"{}")
            raise StatusError(
                response.status,
                status.get("reason", ""),
                status.get("message", ""),
                status.get("details"),
            )

    def handle(self, request: Request) -> Response:
        """Answer a request."""
        return self._answer(request)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """Answer a request given in parts, for callers that know nothing of this package."""
        return self.handle(Request(method, path, query or {}, headers or {}, body or b""))

    def _answer(self, request: Request, *, trusted: bool = False) -> Response:
        renderer = Renderer(request)
        try:
            return self._route(request, renderer, trusted)
        except StatusError as error:
            return renderer.error(error)
        except RecursionError:
            return renderer.error(bad_request("the object is nested too deeply"))

    def tick(self) -> None:
        """Do what is due by now: end watches whose time is up, let the controllers work."""
        now = self.tools.clock()
        left = []
        for due in self._watches:
            if due.watch.closed:
                continue
            if due.bookmark <= now < due.end:
                due.watch.bookmark()
                due.bookmark = _next_bookmark(now, due.end)
            if due.end <= now:
                due.watch.expire()
            else:
                left.append(due)
        self._watches = left
        if self.controllers is not None:
            self.controllers.run()
        if self.crds.dirty:
            self.crds.settle()

    def close_watches(self) -> None:
        """End all watches."""
        for due in self._watches:
            due.watch.close()
        self._watches = []

    def _route(self, request: Request, renderer: Renderer, trusted: bool) -> Response:
        place = locate(request.path)
        kind = (
            self.registry.find(place.group, place.version, place.plural)
            if place is not None
            else None
        )
        if not trusted:
            self.access.check(request, place)
        if place is None or not place.plural:
            return self.discovery.answer(request, place, renderer)
        if kind is None:
            return self.discovery.missing(place, renderer)
        if kind.namespaced != bool(place.namespace) and (
            place.namespace or place.name or request.method not in ("GET", "HEAD")
        ):
            if kind.custom:
                return renderer.text(404, "404 page not found\n")
            raise no_such_path() if place.namespace or place.name else method_not_allowed_here()
        call = renderer.call = Call(
            request,
            kind,
            place.namespace,
            place.name,
            place.subresource,
            self.store,
            self.tools,
            self.registry,
            list(kind.default_warnings),
        )
        timeout = request.first("timeout")
        if timeout:
            _check_timeout(timeout)
        response = self._verb(call, place, renderer)
        if self.crds.dirty:
            self.crds.settle()
        return response

    def _verb(self, call: Call, place: Place, renderer: Renderer) -> Response:
        method = call.request.method
        kind = call.kind
        if call.subresource:
            return self._subresource(call, renderer)
        if method in ("GET", "HEAD"):
            if place.watch or (not call.name and call.request.flag("watch")):
                return self._watch(call, renderer)
            if call.name:
                return renderer.object(call, 200, read.get(call))
            items, meta = read.list_objects(call, renderer.item(call))
            return renderer.many(call, items, meta)
        if method in ("PUT", "PATCH") and not call.name and kind.custom:
            raise bad_request("name must be provided")
        if method == "POST" and (not call.name or kind.custom):
            call.options("CreateOptions")
            value = body_value(call.request, kind.kind)
            obj = decode_object(call, value, call.request.body)
            self.crds.guard(call, obj["metadata"].get("name") or "")
            return renderer.object(call, 201, write.create(call, obj))
        if method == "PUT" and call.name:
            call.options("UpdateOptions")
            return self._put(call, renderer)
        if method == "PATCH" and call.name:
            status, obj = patch(call)
            return renderer.object(call, status, obj)
        if method == "DELETE":
            if call.name:
                status, obj = deletion.delete(call)
                return renderer.object(call, status, obj)
            return self._delete_collection(call, renderer)
        raise _not_allowed(call)

    def _put(self, call: Call, renderer: Renderer) -> Response:
        value = body_value(call.request, call.kind.kind)
        obj = decode_object(call, value, call.request.body)
        status, made = put(call, obj)
        return renderer.object(call, status, made)

    def _subresource(self, call: Call, renderer: Renderer) -> Response:
        method, kind, sub = call.request.method, call.kind, call.subresource
        if sub not in kind.subresources:
            raise not_found(kind.group, kind.plural, call.name) if kind.custom else no_such_path()
        if sub == "scale":
            if method == "GET":
                return renderer.plain(200, read_scale(call))
            if method in ("PUT", "PATCH"):
                return renderer.plain(200, write_scale(call))
        elif sub in ("status", "finalize", "ephemeralcontainers", "resize"):
            if method == "GET":
                return renderer.object(call, 200, read.get(call))
            if method == "PUT":
                call.options("UpdateOptions")
                return self._put(call, renderer)
            if method == "PATCH":
                status, obj = patch(call)
                return renderer.object(call, status, obj)
        if method == "POST":
            answer = act(call)
            if answer is not None:
                return renderer.plain(201, answer)
        raise _not_allowed(call)

    def _watch(self, call: Call, renderer: Renderer) -> Response:
        self._seed += 577
        found = read.start_watch(call, renderer.event(call), renderer.bookmark(call), self._seed)
        if isinstance(found, StatusError):
            if found.code == 410 or found.code == 504:
                return renderer.error_stream(found)
            raise found
        now = self.tools.clock()
        end = now + timedelta(seconds=found.timeout)
        self._watches.append(_Due(found, end, _next_bookmark(now, end)))
        return Response(200, renderer.headers(), None, found, tuple(call.warnings))

    def _delete_collection(self, call: Call, renderer: Renderer) -> Response:
        kind = call.kind
        if "deletecollection" not in kind.verbs:
            raise _not_allowed(call)
        options = deletion.delete_options(call)
        render = renderer.item(call)
        items, meta = read.list_objects(call, lambda obj: obj)
        rendered = [render(obj) for obj in items]
        for obj in items:
            own = obj["metadata"]
            one = replace(call, namespace=own.get("namespace", ""), name=own["name"], warnings=[])
            stored = lookup(self.store, kind, one.namespace, one.name)
            if stored is not None:
                deletion.delete_stored(one, stored, options)
        return renderer.many(call, rendered, meta)


def put(call: Call, obj: Object) -> tuple[int, Object]:
    """Carry out a PUT whose body is decoded."""
    kind = call.kind
    write.same_name(call, obj)
    write.settle_namespace(call, obj)
    if lookup(call.store, kind, call.namespace, call.name) is None:
        if kind.strategy.create_on_update and not call.subresource:
            write.namespace_gate(call)
            return 201, write.insert(call, obj)
        raise not_found(kind.group, kind.plural, call.name)
    return 200, write.modify(call, lambda old: obj, precondition=obj["metadata"].get("uid") or "")


def _not_allowed(call: Call) -> StatusError:
    kind = call.kind
    if not kind.custom:
        return method_not_allowed_here()
    verb = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}.get(
        call.request.method, ""
    )
    return method_not_allowed(kind.group, kind.plural, verb)


def _check_timeout(text: str) -> None:
    if not re.fullmatch(r"[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+|0", text):
        raise bad_request(
            f"invalid timeout specified in the request URL - time: invalid duration {quote(text)}"
        )
