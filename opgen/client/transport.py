"""How requests reach a server: over HTTP, or straight into the embedded one.

Everything above a `Transport` is the same for both, so that what is tested in process is what runs in a cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from opgen.client.errors import Unreachable

if TYPE_CHECKING:
    import aiohttp

    from opgen.client.config import ClientConfig

__all__ = ["HttpTransport", "InProcess", "Reply", "Transport"]

_CONNECT_SECONDS = 30.0
_CONNECTIONS = 100
_CHUNK = 2**17


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Carries requests; `path` is quoted already, `query` is not.

    Assumptions
        Whoever calls sets limits of time by cancelling: a transport waits as long as it is let.
    """

    @property
    def host(self) -> str:
        """Where requests go, for metrics."""
        ...

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

    def stream(
        self, path: str, *, query: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[bytes | Reply]:
        """Yield the lines of a watch; yields one Reply and ends where the server refuses it. Raises Unreachable."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...


class InProcess:
    """The embedded API server without a socket.

    `server` is an `opgen.apiserver.ApiServer`, or anything with its `request`.
    """

    host = "in-process"

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
        await asyncio.sleep(0)
        answer = self.server.request(method, path, query, headers, body)
        if answer.warnings:
            return Reply(answer.status, dict(answer.header_items()), answer.body or b"")
        return Reply(answer.status, answer.headers, answer.body or b"")

    async def stream(
        self, path: str, *, query: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[bytes | Reply]:
        """Yield a watch's lines as they come."""
        answer = self.server.request("GET", path, query, headers)
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
        self._certificate: object = None
        self._retired: list[aiohttp.ClientSession] = []
        self._options: dict[str, Any] = {}

    @property
    def host(self) -> str:
        """The server's host and port."""
        return self._config.server.partition("://")[2].partition("/")[0]

    def _opened(self) -> aiohttp.ClientSession:
        import aiohttp

        config = self._config
        if self._session is not None and self._certificate is not config.auth.certificate:
            # a plugin gave another client certificate: watches end with the connections that the old one made
            self._retired.append(self._session)
            self._session = None
        if self._session is None or self._session.closed:
            self._certificate = config.auth.certificate
            connector = aiohttp.TCPConnector(ssl=config.ssl_context() or True, limit=_CONNECTIONS)
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=timeout,
                trust_env=not config.proxy,
                read_bufsize=_CHUNK,
                auto_decompress=True,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": "opgen", "Accept": "application/json"},
            )
            if config.proxy:
                self._options["proxy"] = config.proxy
            if config.tls_server_name:
                self._options["server_hostname"] = config.tls_server_name
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
        """Send a request; credentials that have expired (401) are got anew, once."""
        reply = await self._once(method, path, query, headers, body)
        if reply.status == 401 and await self._config.auth.renew():
            reply = await self._once(method, path, query, headers, body)
        return reply

    async def _once(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        body: bytes | None,
    ) -> Reply:
        import aiohttp

        sent = [*await self._config.auth.headers(), *(headers.items() if headers else ())]
        session = self._opened()
        try:
            async with session.request(
                method,
                self._config.server + path,
                params=query or None,
                headers=sent,
                data=body,
                allow_redirects=False,
                **self._options,
            ) as answer:
                return Reply(answer.status, answer.headers, await answer.read())
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise _unreachable(method, path, error) from error

    async def stream(
        self, path: str, *, query: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[bytes | Reply]:
        """Yield a watch's lines; credentials that have expired are got anew, once."""
        import aiohttp

        for attempt in (1, 2):
            sent = [*await self._config.auth.headers(), *(headers.items() if headers else ())]
            session = self._opened()
            try:
                async with session.get(
                    self._config.server + path,
                    params=query,
                    headers=sent,
                    allow_redirects=False,
                    **self._options,
                ) as answer:
                    if answer.status == 401 and attempt == 1 and await self._config.auth.renew():
                        continue
                    if answer.status != 200:
                        yield Reply(answer.status, answer.headers, await answer.read())
                        return
                    async with aclosing(_lines(answer)) as lines:
                        async for line in lines:
                            yield line
                    return
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise _unreachable("GET", path, error) from error

    async def close(self) -> None:
        """Close all connections."""
        for session in (*self._retired, self._session):
            if session is not None:
                await session.close()
        self._retired.clear()


def _unreachable(method: str, path: str, error: Exception) -> Unreachable:
    """Return what a fault of the connection means; one that could not be made has sent nothing."""
    import aiohttp

    sent = not isinstance(error, aiohttp.ClientConnectorError)
    return Unreachable(f"{method} {path}: {type(error).__name__}: {error}", sent=sent)


async def _lines(answer: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
    """Yield the lines of an answer, however long: an object may be larger than a stream's line limit."""
    rest: list[bytes] = []
    async for chunk in answer.content.iter_any():
        *whole, last = chunk.split(b"\n")
        for part in whole:
            line = b"".join([*rest, part]) if rest else part
            rest = []
            if line:
                yield line
        if last:
            rest.append(last)
    if rest:
        yield b"".join(rest)
