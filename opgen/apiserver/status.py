"""The API server's refusals: field errors with their causes, and the `Status` object that a client gets.

Wording and layout follow `k8s.io/apimachinery/pkg/util/validation/field` and `pkg/api/errors`, which clients match on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "already_exists",
    "bad_request",
    "conflict",
    "duplicate",
    "FieldError",
    "forbidden_field",
    "go_float",
    "internal",
    "invalid",
    "invalid_value",
    "method_not_allowed",
    "method_not_allowed_here",
    "no_such_path",
    "not_found",
    "not_supported",
    "OMITTED",
    "qualified",
    "quote",
    "Raw",
    "required",
    "StatusError",
    "success",
    "too_long",
    "too_many",
    "type_invalid",
]

OMITTED: Final = object()

_LABELS: Final = {
    "FieldValueNotFound": "Not found",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
    "FieldValueTooMany": "Too many",
    "InternalError": "Internal error",
    "FieldValueTypeInvalid": "Invalid value",
}
_WITHOUT_VALUE: Final = frozenset(
    {"FieldValueRequired", "FieldValueForbidden", "FieldValueTooLong", "InternalError"}
)


def quote(text: str) -> str:
    """Return `text` as Go's `%q` writes it."""
    out = []
    for char in text:
        code = ord(char)
        if char in '"\\':
            out.append("\\" + char)
        elif char in "\a\b\f\n\r\t\v":
            out.append("\\" + "abfnrtv"["\a\b\f\n\r\t\v".index(char)])
        elif code < 0x20 or code == 0x7F:
            out.append(f"\\x{code:02x}")
        elif char.isprintable():
            out.append(char)
        elif code > 0xFFFF:
            out.append(f"\\U{code:08x}")
        else:
            out.append(f"\\u{code:04x}")
    return '"' + "".join(out) + '"'


class Raw(str):
    """A value that stands in a message as it is."""


def _shown(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, str):
        return quote(value)
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, int):
        return str(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def go_float(value: float) -> str:
    """Return `value` as Go's `%v` writes a float64: shortest form, exponent from 1e+21."""
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    text = repr(value)
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        sign = exponent[0] if exponent[0] in "+-" else "+"
        return f"{mantissa.removesuffix('.0')}e{sign}{exponent.lstrip('+-').zfill(2)}"
    return text


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong with one field; `reason` is a Kubernetes cause type such as `FieldValueInvalid`.

    `field` is the path (`spec.items[0].name`), None where the server reports none; `value` is what was found there.
    """

    reason: str
    field: str | None
    value: Any = OMITTED
    detail: str = ""

    @property
    def body(self) -> str:
        """The message of the cause, without the field."""
        text = _LABELS.get(self.reason, self.reason)
        if self.value is not OMITTED and self.reason not in _WITHOUT_VALUE:
            text = f"{text}: {_shown(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    @property
    def text(self) -> str:
        """The message with the field before it."""
        return f"{'<nil>' if self.field is None else self.field}: {self.body}"

    def cause(self) -> dict[str, Any]:
        """Return the error as an item of a Status's `details.causes`."""
        return {
            "reason": self.reason,
            "message": self.body,
            "field": "<nil>" if self.field is None else self.field,
        }


def required(field: str | None, detail: str = "") -> FieldError:
    """Say that a value is missing."""
    return FieldError("FieldValueRequired", field, OMITTED, detail)


def invalid_value(field: str | None, value: Any, detail: str) -> FieldError:
    """Say that a value is not what the rules allow."""
    return FieldError("FieldValueInvalid", field, value, detail)


def type_invalid(field: str | None, value: Any, detail: str) -> FieldError:
    """Say that a value has the wrong type."""
    return FieldError("FieldValueTypeInvalid", field, value, detail)


def not_supported(field: str | None, value: Any, allowed: Iterable[Any]) -> FieldError:
    """Say that a value is not one of `allowed`."""
    listed = ", ".join(quote(a) if isinstance(a, str) else quote(_shown(a)) for a in allowed)
    return FieldError(
        "FieldValueNotSupported", field, value, f"supported values: {listed}" if listed else ""
    )


def forbidden_field(field: str | None, detail: str) -> FieldError:
    """Say that a field may not be set, or not changed."""
    return FieldError("FieldValueForbidden", field, OMITTED, detail)


def duplicate(field: str | None, value: Any) -> FieldError:
    """Say that a value is there twice where it must be unique."""
    return FieldError("FieldValueDuplicate", field, value)


def too_long(field: str | None, limit: int) -> FieldError:
    """Say that a string is longer than `limit`; the server says bytes even where it counts characters."""
    what = f"may not be more than {limit} bytes" if limit >= 0 else "value is too long"
    return FieldError("FieldValueTooLong", field, OMITTED, what)


def too_many(field: str | None, actual: int, limit: int) -> FieldError:
    """Say that a list or map has `actual` entries where `limit` are allowed."""
    return FieldError(
        "FieldValueTooMany",
        field,
        actual,
        f"must have at most {limit} item{'' if limit == 1 else 's'}",
    )


class StatusError(Exception):
    """A refusal that becomes the answer: an HTTP code and a `Status` body.

    `reason` is the machine-readable word (`NotFound`), empty where the server gives none.
    """

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Keep the parts; nothing is checked."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details
        self.headers = headers or {}
        self.continue_token = ""

    def body(self) -> dict[str, Any]:
        """Return the Status object."""
        out: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            out["reason"] = self.reason
        if self.details is not None:
            out["details"] = self.details
        out["code"] = self.code
        return out


def success(name: str, group: str, plural: str, uid: str) -> dict[str, Any]:
    """Return the Status that answers a DELETE which removed the object."""
    details: dict[str, Any] = {"name": name}
    if group:
        details["group"] = group
    details["kind"] = plural
    if uid:
        details["uid"] = uid
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }


def qualified(plural: str, group: str) -> str:
    """Return `plural.group`, or `plural` in the core group."""
    return f"{plural}.{group}" if group else plural


def _details(name: str, group: str, kind: str, uid: str = "") -> dict[str, Any]:
    pairs = {"name": name, "group": group, "kind": kind, "uid": uid}
    return {key: value for key, value in pairs.items() if value}


def not_found(group: str, plural: str, name: str) -> StatusError:
    """404: there is no such object."""
    return StatusError(
        404,
        "NotFound",
        f"{qualified(plural, group)} {quote(name)} not found",
        _details(name, group, plural),
    )


def already_exists(group: str, plural: str, name: str) -> StatusError:
    """409: an object of that name is there."""
    return StatusError(
        409,
        "AlreadyExists",
        f"{qualified(plural, group)} {quote(name)} already exists",
        _details(name, group, plural),
    )


def conflict(group: str, plural: str, name: str, why: str) -> StatusError:
    """409: the write was made from stale data, or a precondition does not hold."""
    return StatusError(
        409,
        "Conflict",
        f"Operation cannot be fulfilled on {qualified(plural, group)} {quote(name)}: {why}",
        _details(name, group, plural),
    )


def bad_request(message: str) -> StatusError:
    """400: the request makes no sense."""
    return StatusError(400, "BadRequest", message)


def internal(message: str) -> StatusError:
    """500: the server's own fault, worded as Kubernetes does."""
    return StatusError(
        500,
        "InternalError",
        f"Internal error occurred: {message}",
        {"causes": [{"message": message}]},
    )


def no_such_path() -> StatusError:
    """404: nothing is served at that path."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})


def method_not_allowed_here() -> StatusError:
    """405: the path is there, the method is not."""
    return StatusError(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        {},
    )


def method_not_allowed(group: str, plural: str, verb: str) -> StatusError:
    """405: the resource is there, the verb is not."""
    return StatusError(
        405,
        "MethodNotAllowed",
        f"{verb} is not supported on resources of kind {quote(qualified(plural, group))}",
        _details("", group, plural),
    )


def invalid(group: str, kind: str, name: str, errors: Sequence[FieldError]) -> StatusError:
    """422: the object breaks rules, listed as causes."""
    texts = list(dict.fromkeys(e.text for e in errors))
    listed = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    details = _details(name, group, kind)
    details["causes"] = [e.cause() for e in errors]
    return StatusError(
        422,
        "Invalid",
        f"{qualified(kind, group)} {quote(name)} is invalid: {listed}",
        details,
    )
