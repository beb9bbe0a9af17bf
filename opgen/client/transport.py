"""How requests reach a server: over HTTP, or straight into the embedded one.

Everything above a `Transport` is the same for both, so that what is tested in process is what runs in a cluster.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from opgen.client.errors import Unreachable

if TYPE_CHECKING:
    import aiohttp

    from opgen.client.config import ClientConfig

__all__ = ["HttpTransport", "InProcess", "Reply", "Transport"]

_TIMEOUT = 30.0
_IDLE = 75.0
"""Seconds of silence after which a watch is given up: a server sends a bookmark each minute."""


@dataclass(frozen=True)
class Reply:
    """An answer as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Carries requests; `path` is quoted already, `query` is not."""

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Send a request and return its answer, whatever its status. Raises Unreachable where there is none."""
        ...

    def stream(self, path: str, *, query: Mapping[str, str]) -> AsyncIterator[bytes | Reply]:
        """Yield the lines of a watch; yields one Reply and ends where the server refuses it. Raises Unreachable."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...


class InProcess:
    """The embedded API server without a socket.

    `server` is an `opgen.apiserver.ApiServer`, or anything with `handle`.
    """

    def __init__(self, server: Any) -> None:
        """Take the server to call."""
        self.server = server

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Call the server; other tasks get a turn first, as they would over a socket."""
        from opgen.apiserver.request import Request

        await asyncio.sleep(0)
        answer = self.server.handle(Request(method, path, query or {}, headers or {}, body or b""))
        return Reply(answer.status, answer.headers, answer.body or b"")

    async def stream(self, path: str, *, query: Mapping[str, str]) -> AsyncIterator[bytes | Reply]:
        """Yield a watch's lines as they come."""
        from opgen.apiserver.request import Request

        answer = self.server.handle(Request("GET", path, query, {}, b""))
        if answer.watch is None:
            yield Reply(answer.status, answer.headers, answer.body or b"")
            return
        try:
            async for line in answer.watch:
                yield line
        finally:
            answer.watch.close()

    async def close(self) -> None:
        """Do nothing: the server is the caller's."""


class HttpTransport:
    """HTTP/1.1 by aiohttp, chosen for a fifth of the CPU a request that the alternatives need."""

    def __init__(self, config: ClientConfig) -> None:
        """Take where the server is and how to authenticate; connects at the first request."""
        self._config = config
        self._session: aiohttp.ClientSession | None = None

    def _opened(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None or self._session.closed:
            tls: ssl.SSLContext | bool = self._config.ssl_context() or True
            connector = aiohttp.TCPConnector(ssl=tls, limit=100)
            timeout = aiohttp.ClientTimeout(total=_TIMEOUT)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=timeout, trust_env=True
            )
        return self._session

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Send a request; gives up after 30 s."""
        import aiohttp

        merged = {"Accept": "application/json", **self._config.headers(), **(headers or {})}
        try:
            async with self._opened().request(
                method, self._config.server + path, params=query or {}, headers=merged, data=body
            ) as answer:
                return Reply(answer.status, answer.headers, await answer.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreachable(f"{method} {path}: {type(error).__name__}: {error}") from error

    async def stream(self, path: str, *, query: Mapping[str, str]) -> AsyncIterator[bytes | Reply]:
        """Yield a watch's lines; gives up after 75 s of silence."""
        import aiohttp

        headers = {"Accept": "application/json", **self._config.headers()}
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_TIMEOUT, sock_read=_IDLE)
        try:
            async with self._opened().get(
                self._config.server + path, params=query, headers=headers, timeout=timeout
            ) as answer:
                if answer.status != 200:
                    yield Reply(answer.status, answer.headers, await answer.read())
                    return
                async with aclosing(_lines(answer)) as lines:
                    async for line in lines:
                        yield line
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unreachable(f"GET {path}: {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()


async def _lines(answer: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
    """Yield the lines of an answer, however long: an object may be larger than a stream's line limit."""
    rest = b""
    async for chunk in answer.content.iter_any():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line:
                yield line
    if rest:
        yield rest
