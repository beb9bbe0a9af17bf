"""A transport that tests meddle with: it answers, raises or waits in the server's place."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from opgen.client.transport import InProcess, Reply

Handler = Callable[[str, str, Mapping[str, str], bytes | None], Reply | None]


class Meddler(InProcess):
    """The in-process transport with a hook that may answer, or raise, in the server's place."""

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.requests: list[tuple[str, str, Mapping[str, str]]] = []
        self.streams: list[Mapping[str, str]] = []
        self.before: Handler | None = None
        self.after: Callable[[str, str], None] | None = None
        self.streaming: (
            Callable[[Mapping[str, str]], AsyncIterator[bytes | Reply] | None] | None
        ) = None
        self.gate: Callable[[str, str], Awaitable[None]] | None = None

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        self.requests.append((method, path, query or {}))
        if self.gate is not None:
            await self.gate(method, path)
        if self.before is not None:
            answer = self.before(method, path, query or {}, body)
            if answer is not None:
                return answer
        reply = await super().request(method, path, query=query, headers=headers, body=body)
        if self.after is not None:
            self.after(method, path)
        return reply

    async def stream(
        self, path: str, *, query: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[bytes | Reply]:
        self.streams.append(query)
        lines = self.streaming(query) if self.streaming is not None else None
        if lines is None:
            lines = super().stream(path, query=query, headers=headers)
        async for line in lines:
            yield line

    @property
    def writes(self) -> list[tuple[str, str]]:
        """The writes so far, without their queries."""
        return [(method, path) for method, path, _ in self.requests if method != "GET"]


def status_reply(
    code: int, reason: str, message: str = "no", *, retry_after: int | None = None, **details: Any
) -> Reply:
    """Return an answer that refuses."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
        "details": details,
    }
    headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
    return Reply(code, headers, json.dumps(body).encode())


def error_line(code: int, reason: str) -> bytes:
    """Return a watch's ERROR event."""
    status = {
        "kind": "Status",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": reason,
    }
    return json.dumps({"type": "ERROR", "object": status}).encode() + b"\n"
