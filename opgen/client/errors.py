"""What an API server refuses, by reason, and what keeps one from being reached.

    ApiError                 any answer that is no success; carries the Status
    |-- BadRequest           400
    |-- Unauthorized         401
    |-- Forbidden            403
    |-- NotFound             404
    |-- MethodNotSupported   405
    |-- Conflict             409, the object has changed since it was read
    |   `-- AlreadyExists    409, there is an object of this name
    |-- Gone                 410, the watch or list continues from a version that is no longer kept
    |-- Invalid              422, `causes` says which fields
    |-- TooManyRequests      429, `retry_after` says when to come back
    |-- InternalError        500
    |-- ServiceUnavailable   503
    `-- ServerTimeout        504
    Unreachable              no answer at all; whether a write was done is not known

Reasons are those of apimachinery's metav1.StatusReason.
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
    "NotFound",
    "ServerTimeout",
    "ServiceUnavailable",
    "TooManyRequests",
    "Unauthorized",
    "Unreachable",
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


class Conflict(ApiError):
    """409: the object has changed since it was read, or another manager owns the field."""


class AlreadyExists(Conflict):
    """409: there is an object of this name already."""


class Gone(ApiError):
    """410: the version to go on from is no longer kept; list again."""


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
    """No answer: the connection failed or timed out; whether a write was done is not known."""


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
    "NotFound": NotFound,
    "ServerTimeout": ServerTimeout,
    "ServiceUnavailable": ServiceUnavailable,
    "Timeout": ServerTimeout,
    "TooManyRequests": TooManyRequests,
    "Unauthorized": Unauthorized,
}
_BY_CODE: Mapping[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: MethodNotSupported,
    409: Conflict,
    410: Gone,
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
