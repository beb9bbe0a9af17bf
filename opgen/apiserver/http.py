"""The HTTP door: an aiohttp site that feeds requests to an `ApiServer` and streams its watches.

The only module of the server that knows of sockets and real time: it calls `tick`, which ends watches and runs
controllers.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Final, Self

from aiohttp import web

from opgen.apiserver.call import BODY_LIMIT
from opgen.apiserver.request import Request, Response, Watch
from opgen.apiserver.server import ApiServer

__all__ = ["serve", "Site"]

_TICK_SECONDS: Final = 0.05


class Site:
    """A listening server; an async context manager that stops it on leaving."""

    def __init__(self, server: ApiServer, runner: web.AppRunner, url: str) -> None:
        """Made by `serve`."""
        self.server = server
        self.url = url
        self._runner = runner
        self._ticker: asyncio.Task[None] | None = None

    def start_ticking(self) -> None:
        """Let the server's controllers work as time goes by."""
        self._ticker = asyncio.create_task(self._tick())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self.server.tick()

    async def close(self) -> None:
        """Stop listening, end all watches, finish what is under way."""
        if self._ticker is not None:
            self._ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._ticker
        self.server.close_watches()
        await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        """Return the site."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Stop."""
        await self.close()


async def serve(
    server: ApiServer, host: str = "127.0.0.1", port: int = 0, *, tls: ssl.SSLContext | None = None
) -> Site:
    """Listen on `host` and `port` (0: any free one; `Site.url` tells) and answer with `server`.

    Raises:
        OSError: the address can't be had.
    """
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", _handler(server))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0, handle_signals=False)
    await runner.setup()
    site = web.TCPSite(runner, host, port, ssl_context=tls)
    await site.start()
    address = runner.addresses[0]
    shown = f"[{address[0]}]" if ":" in address[0] else address[0]
    made = Site(server, runner, f"{'https' if tls else 'http'}://{shown}:{address[1]}")
    server.address = f"{shown}:{address[1]}"
    made.start_ticking()
    return made


def _handler(server: ApiServer):  # type: ignore[no-untyped-def]
    async def handle(http: web.Request) -> web.StreamResponse:
        body = await _body(http)
        headers = {k: v for k, v in http.headers.items()}
        request = Request.of(http.method, http.raw_path, headers, body)
        response = server.handle(request)
        if response.watch is not None:
            return await _stream(http, response, response.watch)
        out = web.Response(
            status=response.status, body=response.body if http.method != "HEAD" else b""
        )
        _set_headers(out, response)
        return out

    return handle


async def _body(http: web.Request) -> bytes:
    """Read the body, but not more than the server would refuse anyway."""
    parts: list[bytes] = []
    size = 0
    async for chunk in http.content.iter_chunked(65536):
        size += len(chunk)
        if size <= BODY_LIMIT + 1:
            parts.append(chunk)
    return b"".join(parts) if size <= BODY_LIMIT else b"x" * (BODY_LIMIT + 1)


def _set_headers(out: web.StreamResponse, response: Response) -> None:
    for key, value in response.header_items():
        if key == "Content-Type":
            out.headers[key] = value
        else:
            out.headers.add(key, value)


async def _stream(http: web.Request, response: Response, watch: Watch) -> web.StreamResponse:
    out = web.StreamResponse(status=response.status)
    _set_headers(out, response)
    out.enable_chunked_encoding()
    await out.prepare(http)
    try:
        with contextlib.suppress(ConnectionResetError):
            async for line in watch:
                await out.write(line)
            await out.write_eof()
    finally:
        watch.close()
    return out
