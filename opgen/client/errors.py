"""What an API server refuses, by reason, and what keeps one from being reached.

    ApiError                   any answer that is no success; carries the Status
    |-- BadRequest             400
    |-- Unauthorized           401
    |-- Forbidden              403
    |-- NotFound               404
    |-- MethodNotSupported     405
    |-- NotAcceptable          406
    |-- AlreadyExists          409, there is an object of this name
    |-- Conflict               409, the object has changed since it was read, or a field is another manager's
    |-- Gone                   410, the watch or list continues from a version that is no longer kept
    |-- RequestTooLarge        413
    |-- UnsupportedMediaType   415
    |-- Invalid                422, `causes` says which fields
    |-- TooManyRequests        429, `retry_after` says when to come back
    |-- InternalError          500
    |-- ServiceUnavailable     503
    `-- ServerTimeout          504
    Unreachable                no answer at all; `sent` is False where it is known that nothing was done
    `-- RequestTimeout         none in time

Reasons are those of apimachinery's metav1.StatusReason. No message holds a credential.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = [
    "AlreadyExists",
    "ApiError",
    "BadRequest",
    "Conflict",
    "error_of",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "MethodNotSupported",
    "NotAcceptable",
    "NotFound",
    "RequestTimeout",
    "RequestTooLarge",
    "ServerTimeout",
    "ServiceUnavailable",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
    "UnsupportedMediaType",
]


class ApiError(Exception):
    """An answer that is no success."""

    def __init__(self, status: Mapping[str, Any], request: str = "") -> None:
        """Take the Status object of the answer; `request` is `METHOD path`, for the message."""
        self.status = status
        self.request = request
        message = str(status.get("message") or status.get("reason") or "unknown error")
        super().__init__(f"{message} ({request})" if request else message)

    @property
    def code(self) -> int:
        """The HTTP status code."""
        return int(self.status.get("code") or 0)

    @property
    def reason(self) -> str:
        """The Status reason, such as `NotFound`."""
        return str(self.status.get("reason") or "")

    @property
    def causes(self) -> tuple[Mapping[str, Any], ...]:
        """The causes of a refusal: `field`, `reason` and `message` of each."""
        details = self.status.get("details")
        causes = details.get("causes") if isinstance(details, Mapping) else None
        return tuple(cause for cause in causes or () if isinstance(cause, Mapping))

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server wants to be asked again, None if it doesn't say."""
        details = self.status.get("details")
        seconds = details.get("retryAfterSeconds") if isinstance(details, Mapping) else None
        return float(seconds) if isinstance(seconds, int | float) else None


class BadRequest(ApiError):
    """400: the request itself is wrong."""


class Unauthorized(ApiError):
    """401: the credentials are missing or have expired."""


class Forbidden(ApiError):
    """403: not allowed to do this."""


class NotFound(ApiError):
    """404: there is no such object, or no such kind."""


class MethodNotSupported(ApiError):
    """405: the resource has no such verb."""


class NotAcceptable(ApiError):
    """406: the server can't answer in the form that was asked for."""


class AlreadyExists(ApiError):
    """409: there is an object of this name already; trying again does not help, which sets it apart from a conflict."""


class Conflict(ApiError):
    """409: the object has changed since it was read, or another manager owns the field."""


class Gone(ApiError):
    """410: the version to go on from is no longer kept; list again."""

    @property
    def continue_token(self) -> str:
        """Where an inconsistent list could go on, empty if the server doesn't say."""
        metadata = self.status.get("metadata")
        token = metadata.get("continue") if isinstance(metadata, Mapping) else None
        return str(token or "")


class RequestTooLarge(ApiError):
    """413: the object is larger than the server takes (about 1.5 MB in etcd, 3 MB in a request)."""


class UnsupportedMediaType(ApiError):
    """415: the resource has no such kind of patch."""


class Invalid(ApiError):
    """422: the object breaks its schema; see `causes`."""


class TooManyRequests(ApiError):
    """429: asked too often."""


class InternalError(ApiError):
    """500: the server failed."""


class ServiceUnavailable(ApiError):
    """503: the server is not ready."""


class ServerTimeout(ApiError):
    """504: the server could not finish in time."""


class Unreachable(Exception):
    """No answer: the connection failed or broke.

    `sent` is False where the server can't have seen the request, so that trying again is safe; where it is True,
    whether a write was done is not known.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        """Take what happened, and whether the server may have seen the request."""
        super().__init__(message)
        self.sent = sent


class RequestTimeout(Unreachable):
    """No answer within the time that the call had."""


_BY_REASON: Mapping[str, type[ApiError]] = {
    "AlreadyExists": AlreadyExists,
    "BadRequest": BadRequest,
    "Conflict": Conflict,
    "Expired": Gone,
    "Forbidden": Forbidden,
    "Gone": Gone,
    "InternalError": InternalError,
    "Invalid": Invalid,
    "MethodNotAllowed": MethodNotSupported,
    "NotAcceptable": NotAcceptable,
    "NotFound": NotFound,
    "RequestEntityTooLarge": RequestTooLarge,
    "ServerTimeout": ServerTimeout,
    "ServiceUnavailable": ServiceUnavailable,
    "Timeout": ServerTimeout,
    "TooManyRequests": TooManyRequests,
    "Unauthorized": Unauthorized,
    "UnsupportedMediaType": UnsupportedMediaType,
}
_BY_CODE: Mapping[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: MethodNotSupported,
    406: NotAcceptable,
    409: Conflict,
    410: Gone,
    413: RequestTooLarge,
    415: UnsupportedMediaType,
    422: Invalid,
    429: TooManyRequests,
    500: InternalError,
    503: ServiceUnavailable,
    504: ServerTimeout,
}


def error_of(code: int, body: bytes, headers: Mapping[str, str], request: str) -> ApiError:
    """Return the error of an answer; a body that is no Status (a proxy's page) is quoted in part."""
    try:
        status = json.loads(body)
        if not isinstance(status, dict) or status.get("kind") != "Status":
            raise ValueError
    except ValueError:
        text = body[:200].decode("utf-8", "replace").strip()
        status = {"kind": "Status", "status": "Failure", "message": text or f"HTTP {code}"}
    status.setdefault("code", code)
    after = next((value for key, value in headers.items() if key.lower() == "retry-after"), "")
    if after.isdigit():
        status["details"] = {"retryAfterSeconds": int(after), **(status.get("details") or {})}
    return (_BY_REASON.get(str(status.get("reason"))) or _BY_CODE.get(code) or ApiError)(
        status, request
    )
