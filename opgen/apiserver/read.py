"""GET, LIST and WATCH: selection, paging, resourceVersion semantics."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from opgen.apiserver.call import Call
from opgen.apiserver.jsonio import encode_text
from opgen.apiserver.jsonpath import field_at
from opgen.apiserver.kinds import Kind
from opgen.apiserver.selectors import FieldSelector, LabelSelector, parse_fields, parse_labels
from opgen.apiserver.status import (
    FieldError,
    StatusError,
    bad_request,
    forbidden_field,
    invalid,
    not_found,
    not_supported,
    quote,
)
from opgen.apiserver.store import Compacted
from opgen.apiserver.stored import from_storage, lookup
from opgen.apiserver.watch import HistoryWatch, too_old

__all__ = ["check_list_options", "field_value", "get", "list_objects", "Selection", "start_watch"]

Object = dict[str, Any]


def get(call: Call) -> Object:
    """Return the object that the call names."""
    version = call.request.first("resourceVersion")
    if version:
        if not _is_uint(version):
            raise StatusError(500, "", _bad_version("resourceVersion", version))
        _not_future(call, int(version))
    stored = lookup(call.store, call.kind, call.namespace, call.name)
    if stored is None:
        raise not_found(call.kind.group, call.kind.plural, call.name)
    return from_storage(stored, call.kind)


def _is_uint(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _bad_version(field: str, text: str) -> str:
    return f"{field}: Invalid value: {quote(text)}: strconv.ParseUint: parsing {quote(text)}: invalid syntax"


def _not_future(call: Call, version: int) -> None:
    if version > call.store.revision:
        raise StatusError(
            504,
            "Timeout",
            f"Timeout: Too large resource version: {version}, current: {call.store.revision}",
            {
                "causes": [
                    {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
                ],
                "retryAfterSeconds": 1,
            },
            {"Retry-After": "1"},
        )


class Selection:
    """What a list, watch or deletecollection is about: namespace, labels, fields."""

    def __init__(self, call: Call) -> None:
        """Read the selectors of the query; raises a 400 `StatusError`."""
        request, kind = call.request, call.kind
        self.kind = kind
        self.namespace = call.namespace
        self.name = call.name
        self.labels: LabelSelector = parse_labels(request.first("labelSelector"))
        known = {
            "metadata.name",
            *(("metadata.namespace",) if kind.namespaced else ()),
            *kind.selectable,
        }
        self.fields: FieldSelector = parse_fields(request.first("fieldSelector"))
        for path, _, _ in self.fields.terms:
            if path not in known:
                raise bad_request(
                    f"field label not supported: {path}"
                    if kind.custom or kind.selectable
                    else f'{quote(path)} is not a known field selector: only "metadata.name", "metadata.namespace"'
                )

    @property
    def plain(self) -> bool:
        """Whether everything in the namespace is selected."""
        return not self.labels and not self.fields and not self.name

    def matches(self, obj: Object) -> bool:
        """Whether a stored object is selected."""
        meta = obj["metadata"]
        if self.namespace and meta.get("namespace") != self.namespace:
            return False
        if self.name and meta["name"] != self.name:
            return False
        if self.labels and not self.labels.matches(meta.get("labels")):
            return False
        if not self.fields:
            return True
        seen = obj if not self.kind.custom else from_storage(obj, self.kind)
        return self.fields.matches(lambda path: field_value(seen, path))


def field_value(obj: Object, path: str) -> str:
    """Return a selectable field as text; an absent one is empty."""
    value = field_at(obj, path)
    if value is None:
        return ""
    if value is True or value is False:
        return "true" if value else "false"
    return value if isinstance(value, str) else encode_text(value)


def check_list_options(call: Call, watching: bool) -> None:
    """Refuse combinations of parameters that make no sense."""
    request = call.request
    version, match = request.first("resourceVersion"), request.first("resourceVersionMatch")
    initial = request.first("sendInitialEvents")
    errors: list[FieldError] = []
    if match:
        if watching:
            if not initial:
                errors.append(
                    forbidden_field(
                        "resourceVersionMatch",
                        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                    )
                )
        elif not version:
            errors.append(
                forbidden_field(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                )
            )
        if request.first("continue"):
            errors.append(
                forbidden_field(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden when continue is provided",
                )
            )
        allowed = ["NotOlderThan"] if watching else ["Exact", "NotOlderThan", ""]
        if match not in allowed:
            errors.append(not_supported("resourceVersionMatch", match, allowed))
        if match == "Exact" and version == "0" and not watching:
            errors.append(
                forbidden_field(
                    "resourceVersionMatch",
                    'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
                )
            )
    if initial:
        if not watching:
            errors.append(
                forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list")
            )
        elif match != "NotOlderThan":
            errors.append(
                forbidden_field(
                    "resourceVersionMatch",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                )
            )
    if errors:
        raise invalid("meta.k8s.io", "ListOptions", "", errors)


def _integer(call: Call, name: str) -> int:
    text = call.request.first(name)
    if not text:
        return 0
    try:
        return int(text)
    except ValueError:
        raise bad_request(f"strconv.ParseInt: parsing {quote(text)}: invalid syntax") from None


def _token(call: Call) -> tuple[int, str] | None:
    text = call.request.first("continue")
    if not text:
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        try:
            value = json.loads(data)
        except (ValueError, UnicodeDecodeError):
            first = data[:1]
            shown = first.decode() if first and first < b"\x80" else f"\\x{first.hex()}"
            raise bad_request(
                "invalid continue token: continue key is not valid: "
                f"invalid character '{shown}' looking for beginning of value"
            ) from None
        return int(value["rv"]), str(value["start"])
    except StatusError:
        raise
    except (ValueError, KeyError, TypeError):
        raise bad_request("invalid continue token") from None


def list_objects(call: Call, rendered: Callable[[Object], Any]) -> tuple[list[Any], Object]:
    """Return the selected objects, each through `rendered`, and the list's metadata."""
    check_list_options(call, False)
    limit = _integer(call, "limit")
    _integer(call, "timeoutSeconds")
    selection = Selection(call)
    store, kind = call.store, call.kind
    bucket = store.bucket(kind.resource)
    version, match = (
        call.request.first("resourceVersion"),
        call.request.first("resourceVersionMatch"),
    )
    token = _token(call)
    if token and version and version != "0":
        raise bad_request("specifying resource version is not allowed when using continue")
    if version and not _is_uint(version):
        raise bad_request(f"invalid resource version: {_bad_version('resourceVersion', version)}")
    if version:
        _not_future(call, int(version))
    revision = store.revision
    exact = token[0] if token else 0
    if version and int(version) and (match == "Exact" or (limit > 0 and not match)):
        exact = int(version)
    start = token[1] if token else ""
    if exact and exact != revision:
        revision = exact
        objects = _at(call, exact, token)
        keys = list(objects)
    else:
        objects = bucket.objects
        keys = bucket.keys(f"{call.namespace}/" if call.namespace else "")
    if call.namespace:
        keys = [k for k in keys if k.startswith(f"{call.namespace}/")]
    if start:
        keys = [k for k in keys if k >= start]
    _all_readable(kind, objects, keys)
    items: list[Any] = []
    meta: Object = {"resourceVersion": str(revision)}
    plain = selection.plain
    for index, key in enumerate(keys):
        obj = objects[key]
        if not plain and not selection.matches(obj):
            continue
        if limit > 0 and len(items) == limit:
            left = keys[index:]
            meta["continue"] = _encode_token(revision, keys[index])
            if plain:
                meta["remainingItemCount"] = len(left)
            break
        items.append(rendered(from_storage(obj, kind)))
    return items, meta


def _all_readable(kind: Kind, objects: dict[str, Object], keys: list[str]) -> None:
    """Refuse to list where an object is stored at a version that is gone, as a cluster's cache can't start then."""
    if not kind.known_versions:
        return
    for key in keys:
        version = objects[key]["apiVersion"]
        if version not in kind.known_versions:
            text = f"storage is (re)initializing: request to convert CR from an invalid group/version: {version}"
            raise StatusError(
                429, "TooManyRequests", text, {"retryAfterSeconds": 1}, {"Retry-After": "1"}
            )


def _encode_token(revision: int, start: str) -> str:
    data = json.dumps(
        {"v": "meta.k8s.io/v1", "rv": revision, "start": start}, separators=(",", ":")
    )
    return base64.urlsafe_b64encode(data.encode()).decode().rstrip("=")


def _at(call: Call, revision: int, token: tuple[int, str] | None) -> dict[str, Object]:
    store = call.store
    try:
        if revision < store.floor:
            raise Compacted
        return store.bucket(call.kind.resource).snapshot(revision)
    except Compacted:
        if token is None:
            raise StatusError(
                410,
                "Expired",
                "The resourceVersion for the provided list is too old.",
            ) from None
        error = StatusError(
            410,
            "Expired",
            "The provided continue parameter is too old to display a consistent list "
            "result. You can start a new list without "
            "the continue parameter, or use the continue token in this response to retrieve "
            "the remainder of the results. "
            "Continuing with the provided token results in an inconsistent list - objects "
            "that were created, modified, or "
            "deleted between the time the first chunk was returned and now may show up in the list.",
        )
        error.continue_token = _encode_token(store.revision, token[1])
        raise error from None


def start_watch(
    call: Call,
    render: Callable[[str, Object], bytes],
    bookmark: Callable[[int, bool], bytes],
    seed: int,
) -> HistoryWatch | StatusError:
    """Start a watch; a `StatusError` is sent as its only event where the history does not reach back."""
    check_list_options(call, True)
    request, store, kind = call.request, call.store, call.kind
    timeout = _integer(call, "timeoutSeconds") or 1800 + seed % 1800
    selection = Selection(call)
    bucket = store.bucket(kind.resource)
    version = request.first("resourceVersion")
    initial_events = request.first("sendInitialEvents")
    wants = request.first("allowWatchBookmarks") in ("true", "1")
    if version and not _is_uint(version):
        raise StatusError(500, "", _bad_version("resourceVersion", version))
    number = int(version or 0)
    lines: list[bytes] = []
    synthetic = initial_events == "true" or (number == 0 and initial_events != "false")
    if synthetic:
        prefix = f"{call.namespace}/" if call.namespace else ""
        for key in bucket.keys(prefix):
            obj = bucket.objects[key]
            if selection.matches(obj):
                lines.append(render("ADDED", obj))
        position = bucket.dropped + len(bucket.history)
        if wants:
            lines.append(bookmark(store.revision, initial_events == "true" or version == "0"))
    elif number == 0:
        position = bucket.dropped + len(bucket.history)
    else:
        try:
            if number < store.floor:
                raise Compacted
            position = bucket.position(number)
        except Compacted:
            return too_old(number, max(bucket.compacted, store.floor))
    return HistoryWatch(
        store,
        bucket,
        position=position,
        initial=lines,
        select=selection.matches,
        render=render,
        bookmark=(lambda revision: bookmark(revision, False)) if wants else None,
        timeout=float(timeout),
        after=number,
    )
