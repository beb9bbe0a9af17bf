"""One request on its way through the server, resolved to a kind, a place and a set of options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from opgen.apiserver.builtin import object_meta
from opgen.apiserver.jsonio import DuplicateKeys, JsonError, decode
from opgen.apiserver.kinds import Kind, Registry
from opgen.apiserver.request import Request
from opgen.apiserver.schema import clean, unknown_fields
from opgen.apiserver.schema.clean import fill
from opgen.apiserver.schema.embedded import coerce_embedded
from opgen.apiserver.status import (
    FieldError,
    StatusError,
    bad_request,
    forbidden_field,
    invalid,
    invalid_value,
    not_supported,
    quote,
    required,
    too_long,
)
from opgen.apiserver.typed import Mismatch, decode_struct, go_kind, render_time

if TYPE_CHECKING:
    from opgen.apiserver.store import Store

__all__ = [
    "BODY_LIMIT",
    "body_value",
    "Call",
    "complete",
    "decode_object",
    "decoded",
    "Tools",
    "yaml_value",
]

Object = dict[str, Any]
BODY_LIMIT: Final = 3 * 1024 * 1024
_MEDIA: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
)


@dataclass(frozen=True)
class Tools:
    """What the core takes from outside, so that a run can be repeated exactly."""

    clock: Callable[[], datetime]
    uid: Callable[[], str]
    suffix: Callable[[], str]

    def now(self) -> str:
        """The time, as it stands in metadata."""
        return render_time(self.clock())


@dataclass
class Call:
    """A request for a kind: `name` and `subresource` are empty where the path has none; `warnings` are to be sent."""

    request: Request
    kind: Kind
    namespace: str
    name: str
    subresource: str
    store: Store
    tools: Tools
    registry: Registry
    warnings: list[str] = field(default_factory=list)

    def options(self, what: str, apply: bool = False) -> None:
        """Check the query parameters that all writes share; `what` is `CreateOptions` and the like."""
        errors: list[FieldError] = []
        dry = self.request.every("dryRun")
        if [d for d in dry if d != "All"]:
            errors.append(not_supported("dryRun", dry, ["All"]))
        manager = self.request.first("fieldManager")
        if len(manager.encode()) > 128:
            errors.append(too_long("fieldManager", 128))
        elif not manager.isprintable():
            for index, char in enumerate(manager):
                if not char.isprintable():
                    errors.append(
                        invalid_value(
                            "fieldManager",
                            manager,
                            f"invalid character U+{ord(char):04X} (at position {index})",
                        )
                    )
                    break
        elif apply and not manager:
            errors.append(required("fieldManager", "is required for apply patch"))
        mode = self.request.first("fieldValidation")
        if mode not in ("", "Strict", "Warn", "Ignore"):
            errors.append(not_supported("fieldValidation", mode, ["", "Ignore", "Strict", "Warn"]))
        if what == "PatchOptions" and not apply and self.request.first("force"):
            errors.append(forbidden_field("force", "may not be specified for non-apply patch"))
        if errors:
            raise invalid("meta.k8s.io", what, "", errors)

    @property
    def dry_run(self) -> bool:
        """Whether nothing is to be stored."""
        return bool(self.request.every("dryRun"))

    @property
    def manager(self) -> str:
        """Who writes: the `fieldManager`, else the program named in `User-Agent`."""
        named = self.request.first("fieldManager")
        return named or self.request.header("User-Agent").split("/")[0][:128]

    def now(self) -> str:
        """The time, as it stands in metadata."""
        return self.tools.now()


def body_value(request: Request, kind: str) -> Any:
    """Parse the body as its Content-Type says (JSON or YAML); raises a 400, 413 or 415 `StatusError`."""
    media = request.header("Content-Type").split(";")[0].strip().lower()
    if len(request.body) > BODY_LIMIT:
        raise StatusError(
            413, "RequestEntityTooLarge", f"Request entity too large: limit is {BODY_LIMIT}"
        )
    if media in ("", "application/json"):
        try:
            return decode(request.body)
        except JsonError as error:
            raise bad_request(
                _unrecognized(
                    kind, f"couldn't get version/kind; json parse error: {error}", request.body
                )
            ) from None
    if media == "application/yaml":
        return yaml_value(request.body)
    raise StatusError(415, "UnsupportedMediaType", _MEDIA)


def yaml_value(body: bytes) -> Any:
    """Parse the first document of a YAML body."""
    from opgen.apiserver.yamlio import load

    return load(body)


def _unrecognized(kind: str, why: str, body: bytes) -> str:
    return f"the object provided is unrecognized (must be of type {kind}): {why} ({_excerpt(body)})"


def _excerpt(body: bytes) -> str:
    if not body:
        return "<empty>"
    text = body.decode("utf-8", "replace")
    if body[:1] != b"{":
        shown = body.hex()
        return shown[:30] + " ..." if len(shown) > 30 else shown
    return text[:30] + " ..." if len(text) > 30 else text


_STRUCT: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)


def decode_object(call: Call, value: Any, raw: bytes = b"") -> Object:
    """Turn a parsed body into an object of the call's kind: type checked, pruned, defaulted.

    Unknown and repeated fields are refused, warned of or ignored, as `fieldValidation` says.
    """
    kind = call.kind
    if not isinstance(value, dict):
        if value is None:
            raise bad_request(_unrecognized(kind.kind, "Object 'Kind' is missing in 'null'", raw))
        why = (
            f"couldn't get version/kind; json parse error: json: cannot unmarshal {go_kind(value)} into Go "
            f"value of type {_STRUCT}"
        )
        raise bad_request(_unrecognized(kind.kind, why, raw))
    _check_type(call, value, raw)
    prefix = f"{kind.kind} in version {quote(kind.version)} cannot be handled as a {kind.kind}: "
    try:
        obj, strict = decoded(call, value)
    except Mismatch as error:
        raise bad_request(prefix + str(error)) from None
    if strict:
        mode = call.request.first("fieldValidation")
        if mode == "Strict":
            raise bad_request(f"{prefix}strict decoding error: {', '.join(strict)}")
        if mode != "Ignore":
            call.warnings.extend(strict)
    return obj


def _check_type(call: Call, value: Object, raw: bytes) -> None:
    kind = call.kind
    api, name = value.get("apiVersion"), value.get("kind")
    if kind.custom:
        if not name:
            text = raw.decode("utf-8", "replace")
            raise bad_request(
                _unrecognized(kind.kind, f"Object 'Kind' is missing in '{text}'", raw)
            )
        if api != kind.api_version:
            raise bad_request(
                f"the API version in the data ({api or ''}) does not match the expected API "
                f"version ({kind.api_version})"
            )
        if name != kind.kind:
            meta = value.get("metadata")
            own = meta.get("name", "") if isinstance(meta, dict) else ""
            raise invalid(
                kind.group,
                str(name),
                str(own),
                [invalid_value("kind", name, f"must be {kind.kind}")],
            )
        return
    if name and name != kind.kind:
        at = str(api or kind.api_version).split("/")[-1]
        raise bad_request(
            f"{name} in version {quote(at)} cannot be handled as a {kind.kind}: converting ({at}.{name}) to "
            f"({_internal(kind)}.{kind.kind}): unknown conversion"
        )
    if api and api != kind.api_version:
        raise bad_request(
            f"the API version in the data ({api}) does not match the expected API version ({kind.api_version})"
        )


def _internal(kind: Kind) -> str:
    return kind.group.split(".")[0] or "core"


def decoded(call: Call, value: Object) -> tuple[Object, list[str]]:
    """Return `value` as an object of the call's kind, and what strict decoding has against it.

    Raises:
        Mismatch: something has the wrong type.
    """
    return (
        _decode_custom(call.kind, value) if call.kind.custom else _decode_built_in(call.kind, value)
    )


def complete(call: Call, value: Object) -> Object:
    """Return `value`, which server-side apply made, with its defaults filled in.

    Raises:
        Mismatch: something has the wrong type.
    """
    if not call.kind.custom:
        return _decode_built_in(call.kind, value)[0]
    value["metadata"] = decode_struct(value.get("metadata") or {}, object_meta(), "ObjectMeta")[0]
    fill(value, call.kind.schema)
    return value


def _decode_custom(kind: Kind, value: Object) -> tuple[Object, list[str]]:
    strict = [f'duplicate field "{p}"' for p in _duplicates(value, "")]
    meta = value.get("metadata")
    if meta is None:
        value["metadata"] = {}
    else:
        value["metadata"], unknown, _ = decode_struct(meta, object_meta(), "ObjectMeta", "metadata")
        strict += [f'unknown field "{p}"' for p in unknown]
    pruned = unknown_fields(value, kind.schema) + coerce_embedded(value, kind.schema)
    clean(value, kind.schema)
    return value, strict + [f'unknown field "{p}"' for p in sorted(pruned)]


def _duplicates(value: Any, path: str) -> list[str]:
    out: list[str] = []
    if isinstance(value, dict):
        if type(value) is DuplicateKeys:
            out += [f"{path}.{k}" if path else k for k in value.repeated]
        for key, item in value.items():
            if type(item) is not str:
                out += _duplicates(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if type(item) is not str:
                out += _duplicates(item, f"{path}[{index}]")
    return out


def _decode_built_in(kind: Kind, value: Object) -> tuple[Object, list[str]]:
    obj, unknown, repeated = decode_struct(value, kind.schema, kind.kind)
    obj["kind"] = kind.kind
    obj["apiVersion"] = kind.api_version
    obj.setdefault("metadata", {})
    kind.strategy.defaults(obj, kind)
    strict = [f'duplicate field "{p}"' for p in repeated]
    return obj, strict + [f'unknown field "{p}"' for p in unknown]
