"""One request from start to end: its limit of time, when it is sent again, and what comes of its answer.

A request is sent again where that can do no harm: after 429 or 503 with Retry-After, since the server did not begin;
where the connection could not be made; and reads and server-side applies after any other loss. Nothing else is, because
a lost answer does not tell whether the write was done.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from opgen.client.clock import Clock
from opgen.client.errors import ApiError, RequestTimeout, Unreachable, error_of
from opgen.client.limit import RateLimit
from opgen.client.observe import Observer
from opgen.client.transport import Reply, Transport

__all__ = ["APPLY", "Caller"]

_LOG = logging.getLogger("opgen.client")

APPLY = "application/apply-patch+yaml"
_RETRIES = 4
_FIRST_DELAY, _MAX_DELAY = 0.1, 10.0
_READS = frozenset(("GET", "HEAD"))
_JSON = {"Content-Type": "application/json"}


class Caller:
    """Sends the requests of a client."""

    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        *,
        timeout: float | None,
        limit: RateLimit | None = None,
        observer: Observer | None = None,
    ) -> None:
        """Take how to reach the server, and the seconds that a request may take unless it says otherwise."""
        self.transport, self.clock = transport, clock
        self.timeout, self.limit, self.observer = timeout, limit, observer
        self._warned: set[str] = set()

    async def json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the JSON object of its answer.

        Raises ApiError for an answer that is no success, Unreachable where there is none.
        """
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
            headers = {**_JSON, **headers} if headers else _JSON
        reply = await self.send(method, path, query, headers, data)
        try:
            answer = json.loads(reply.body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            status = {"message": "the answer is no JSON object", "code": reply.status}
            raise ApiError(status, f"{method} {path}")
        return answer

    async def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        body: bytes | None,
    ) -> Reply:
        """Send a request, again where that is safe, and return its answer, which is a success."""
        attempt = 0
        while True:
            failure: ApiError | Unreachable
            try:
                reply = await self._once(method, path, query, headers, body)
            except Unreachable as error:
                failure, code = error, "<error>"
                again = not error.sent or method in _READS or _is_apply(headers)
                delay = min(_FIRST_DELAY * 2**attempt, _MAX_DELAY)
            else:
                if reply.status < 400:
                    self._warn(reply, method, path)
                    return reply
                failure = error_of(reply.status, reply.body, reply.headers, f"{method} {path}")
                code, delay = str(reply.status), failure.retry_after or 0.0
                again = reply.status in (429, 503) and failure.retry_after is not None
            attempt += 1
            if not again or attempt > _RETRIES or delay > _MAX_DELAY:
                raise failure
            if self.observer is not None:
                self.observer.on_retry(method, self.transport.host, code)
            await self.clock.sleep(delay * (1 + self.clock.chance() / 10))

    async def _once(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        body: bytes | None,
    ) -> Reply:
        observer = self.observer
        if self.limit is not None:
            waited = await self.limit.wait()
            if observer is not None:
                observer.on_wait(method, self.transport.host, waited)
        started = self.clock.monotonic() if observer is not None else 0.0
        code, received = "<error>", 0
        try:
            async with self.clock.timeout(self.timeout) as limit:
                reply = await self.transport.request(
                    method, path, query=query, headers=headers, body=body
                )
            code, received = str(reply.status), len(reply.body)
            return reply
        except TimeoutError:
            if limit.expired():
                raise RequestTimeout(
                    f"{method} {path}: no answer within {self.timeout:g} s"
                ) from None
            raise
        finally:
            if observer is not None:
                took = self.clock.monotonic() - started
                observer.on_request(
                    method, self.transport.host, code, took, len(body or b""), received
                )

    def _warn(self, reply: Reply, method: str, path: str) -> None:
        """Log what the server warns of (KEP-1693), once for each text."""
        text = reply.headers.get("Warning")
        if text and text not in self._warned and len(self._warned) < 1000:
            self._warned.add(text)
            _LOG.warning("%s %s: the server warns: %s", method, path, text)


def _is_apply(headers: Mapping[str, str] | None) -> bool:
    return headers is not None and headers.get("Content-Type") == APPLY
