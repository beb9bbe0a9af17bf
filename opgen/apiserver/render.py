"""From objects to responses: content negotiation, lists, events, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opgen.apiserver.call import Call
from opgen.apiserver.jsonio import encode
from opgen.apiserver.protobuf import MEDIA_TYPE, encode_status
from opgen.apiserver.request import Request, Response
from opgen.apiserver.status import StatusError
from opgen.apiserver.stored import from_storage
from opgen.apiserver.watch import FinishedWatch, error_event

__all__ = ["accept", "Renderer"]

Object = dict[str, Any]
_CACHE: Final = "no-cache, private"
_MEDIA: Final = (
    "only the following media types are accepted: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf"
)


def accept(request: Request) -> tuple[str, str]:
    """Return the media type (`json` or `yaml`) and the form (`Table`, `PartialObjectMetadata`, `` ...) that is wanted.

    Raises:
        StatusError: 406 when nothing acceptable is offered.
    """
    if request.header("Accept") in ("", "application/json", "*/*"):
        return "json", ""
    for media, given in request.accepted():
        kind = {
            "application/json": "json",
            "application/yaml": "yaml",
            "*/*": "json",
            "application/*": "json",
        }.get(media)
        if kind is None:
            continue
        form = given.get("as", "")
        if form and not _known(form, given):
            continue
        return kind, f"{form}/{given.get('v', '')}" if form else ""
    raise StatusError(406, "NotAcceptable", _MEDIA)


def _known(form: str, given: dict[str, str]) -> bool:
    if given.get("g") == "meta.k8s.io" and given.get("v") in ("v1", "v1beta1"):
        return form in ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")
    return False


class Renderer:
    """Renders all that answers one request."""

    def __init__(self, request: Request) -> None:
        """Remember what the client accepts; it is looked at when something is rendered."""
        self.request = request
        self._accept: tuple[str, str] | None = None
        self.call: Call | None = None

    @property
    def form(self) -> tuple[str, str]:
        """The media type and form of the answer."""
        if self._accept is None:
            self._accept = accept(self.request)
        return self._accept

    def headers(self) -> dict[str, str]:
        """Return the headers of an answer in the negotiated media type."""
        media = "application/yaml" if self.form[0] == "yaml" else "application/json"
        return {"Cache-Control": _CACHE, "Content-Type": media}

    def _bytes(self, value: Any) -> bytes:
        if self.form[0] == "yaml":
            from opgen.apiserver.yamlio import dump

            return dump(value)
        return encode(value) + b"\n"

    def text(self, status: int, text: str) -> Response:
        """Answer with plain text."""
        headers = {
            "Cache-Control": _CACHE,
            "Content-Type": "text/plain; charset=utf-8",
            "X-Content-Type-Options": "nosniff",
        }
        return Response(status, headers, text.encode())

    def error(self, error: StatusError) -> Response:
        """Answer with a Status."""
        body = error.body()
        token = error.continue_token
        if token:
            body["metadata"] = {"continue": token}
        try:
            headers = self.headers()
        except StatusError:
            if MEDIA_TYPE in self.request.header("Accept"):
                headers = {"Cache-Control": _CACHE, "Content-Type": MEDIA_TYPE}
                return Response(error.code, headers, encode_status(error))
            self._accept = ("json", "")
            headers = self.headers()
        return Response(
            error.code,
            {**headers, **error.headers},
            self._bytes(body),
            warnings=self._warnings(),
        )

    def _warnings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.call.warnings)) if self.call is not None else ()

    def plain(self, status: int, value: Any) -> Response:
        """Answer with a value that has one form only."""
        return Response(status, self.headers(), self._bytes(value), warnings=self._warnings())

    def object(self, call: Call, status: int, obj: Object) -> Response:
        """Answer with an object of the call's kind (or a Status), in the form the client wants."""
        form = self.form[1]
        if form and obj.get("kind") != "Status":
            obj = self._shaped(
                call,
                form,
                [obj],
                {"resourceVersion": obj["metadata"].get("resourceVersion", "")},
                True,
            )
        return self.plain(status, obj)

    def item(self, call: Call) -> Callable[[Object], Any]:
        """Return what makes an item of a list out of an object."""
        if self.form[1] or call.kind.custom:
            return lambda obj: obj
        return lambda obj: {k: v for k, v in obj.items() if k not in ("kind", "apiVersion")}

    def many(self, call: Call, items: list[Any], meta: Object) -> Response:
        """Answer with a list of rendered items."""
        form = self.form[1]
        kind = call.kind
        if form:
            return self.plain(200, self._shaped(call, form, items, meta, False))
        if kind.custom:
            meta = {"continue": "", **meta}
            body: Object = {
                "apiVersion": kind.api_version,
                "items": items,
                "kind": kind.list_kind,
                "metadata": meta,
            }
        else:
            body = {
                "kind": kind.list_kind,
                "apiVersion": kind.api_version,
                "metadata": meta,
                "items": items,
            }
        return self.plain(200, body)

    def _shaped(
        self, call: Call, form: str, objects: list[Object], meta: Object, single: bool
    ) -> Object:
        from opgen.apiserver.table import partial_metadata, table

        name, version = form.split("/")
        if name == "Table":
            return table(call, objects, meta, version)
        return partial_metadata(objects, meta, version, single)

    def event(self, call: Call) -> Callable[[str, Object], bytes]:
        """Return what renders an event of a watch."""
        kind, form = call.kind, self.form[1]
        first = True

        def render(type_: str, stored: Object) -> bytes:
            nonlocal first
            obj = from_storage(stored, kind)
            if form:
                obj = self._shaped(
                    call, form, [obj], {"resourceVersion": obj["metadata"]["resourceVersion"]}, True
                )
                if obj["kind"] == "Table" and not first:
                    obj = {**obj, "columnDefinitions": None}
                first = False
            return encode({"type": type_, "object": obj}) + b"\n"

        return render

    def bookmark(self, call: Call) -> Callable[[int, bool], bytes]:
        """Return what renders a bookmark; True for the one that ends the initial events."""
        kind = call.kind

        def render(revision: int, initial: bool) -> bytes:
            meta: Object = {"resourceVersion": str(revision)}
            if initial:
                meta["annotations"] = {"k8s.io/initial-events-end": "true"}
            obj = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": meta}
            return encode({"type": "BOOKMARK", "object": obj}) + b"\n"

        return render

    def error_stream(self, error: StatusError) -> Response:
        """Answer a watch with one ERROR event."""
        return Response(200, self.headers(), None, FinishedWatch([error_event(error)]))
