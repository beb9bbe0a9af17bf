"""The two doors that scenarios are replayed through: calls in process under a made-up clock, and real HTTP."""

from __future__ import annotations

import asyncio
import datetime
import io
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import aiohttp
from yarl import URL

from opgen.apiserver import ApiServer, Request, Response
from opgen.apiserver.http import serve
from tests.apiserver.replayer import Answer, Replay, headers_of, is_watch

__all__ = ["http_door", "in_process_door"]

TOKENS = {"admin-token": "admin", "viewer-token": "viewer"}
CONTROLLERS = ("garbage-collector", "namespaces")


def query_of(request: dict[str, Any]) -> dict[str, str | list[str]]:
    """Return the query parameters of a recorded request as text."""
    found = request.get("query") or {}
    return {k: [str(i) for i in v] if isinstance(v, list) else str(v) for k, v in found.items()}


@asynccontextmanager
async def in_process_door(
    version: dict[str, str], crds: list[dict[str, Any]]
) -> AsyncIterator[Replay]:
    """Replay by calling `handle`; time passes only when the replay lets it."""
    now = [datetime.datetime(2026, 5, 6, 7, 8, 9, tzinfo=datetime.UTC)]
    server = ApiServer(
        clock=lambda: now[0], tokens=TOKENS, version=version, controllers=CONTROLLERS
    )
    for crd in crds:
        server.install(crd)

    def call(request: dict[str, Any]) -> Response:
        headers, data = headers_of(request, "admin-token")
        return server.handle(
            Request(request["method"], request["path"], query_of(request), headers, data or b"")
        )

    def pass_time(seconds: float) -> None:
        now[0] += datetime.timedelta(seconds=seconds)
        server.tick()

    def drain(response: Response) -> Answer:
        assert response.watch is not None
        lines = response.watch.poll()
        while not response.watch.closed:
            pass_time(0.5)
            lines += response.watch.poll()
        return Answer.watch(response.status, list(response.header_items()), lines)

    async def send(request: dict[str, Any]) -> Answer:
        response = call(request)
        if response.watch is not None:
            return drain(response)
        server.tick()
        body = b"" if request["method"] == "HEAD" else response.body or b""
        return Answer.of(response.status, list(response.header_items()), body)

    async def background(request: dict[str, Any], events: int) -> Callable[[], Awaitable[Answer]]:
        response = call(request)

        async def end() -> Answer:
            return drain(response)

        return end

    async def advance(seconds: float) -> None:
        pass_time(seconds)

    yield Replay(send, background, advance, lambda: now[0].timestamp())


@asynccontextmanager
async def http_door(version: dict[str, str], crds: list[dict[str, Any]]) -> AsyncIterator[Replay]:
    """Replay over HTTP. The server's clock runs fast while the replay waits, so that no watch takes its full time."""
    ahead = [0.0]

    def clock() -> datetime.datetime:
        return datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=ahead[0])

    server = ApiServer(clock=clock, tokens=TOKENS, version=version, controllers=CONTROLLERS)
    for crd in crds:
        server.install(crd)
    async with await serve(server) as site, aiohttp.ClientSession() as session:

        async def exchange(request: dict[str, Any], started: asyncio.Event | None = None) -> Answer:
            headers, data = headers_of(request, "admin-token")
            if "Accept" not in headers:
                headers["Accept"] = ""
            pairs = [
                (k, v)
                for k, vs in query_of(request).items()
                for v in (vs if isinstance(vs, list) else [vs])
            ]
            tail = "&".join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in pairs)
            url = URL(site.url + request["path"] + (f"?{tail}" if tail else ""), encoded=True)
            body = io.BytesIO(data) if data else data
            async with session.request(
                request["method"], url, headers=headers, data=body, allow_redirects=False
            ) as response:
                if started is not None:
                    started.set()
                found = [(k, v) for k, v in response.headers.items()]
                if is_watch(request) and response.status == 200:
                    lines = [line async for line in response.content]
                    return Answer.watch(response.status, found, lines)
                return Answer.of(response.status, found, await response.read())

        async def send(request: dict[str, Any]) -> Answer:
            if not is_watch(request):
                return await exchange(request)
            task = asyncio.create_task(exchange(request))
            return await hurry(task)

        async def hurry(task: asyncio.Task[Answer]) -> Answer:
            until = time.monotonic() + 20
            while not task.done():
                await asyncio.sleep(0.002)
                ahead[0] += 0.05
                server.tick()
                assert time.monotonic() < until, "a watch did not end"
            return task.result()

        async def background(
            request: dict[str, Any], events: int
        ) -> Callable[[], Awaitable[Answer]]:
            started = asyncio.Event()
            task = asyncio.create_task(exchange(request, started))
            await started.wait()

            async def end() -> Answer:
                return await hurry(task)

            return end

        async def advance(seconds: float) -> None:
            ahead[0] += seconds
            server.tick()

        yield Replay(send, background, advance, lambda: clock().timestamp())
