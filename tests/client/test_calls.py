"""Single requests: limits of time, when they are sent again, what comes of strange answers."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from opgen.client import Client, RateLimit
from opgen.client.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    InternalError,
    RequestTimeout,
    ServerTimeout,
    ServiceUnavailable,
    TooManyRequests,
    Unauthorized,
    Unreachable,
    error_of,
)
from opgen.client.transport import Reply
from opgen.testing import VirtualClock
from tests.client.doors import Meddler, status_reply
from tests.client.kinds import Widget, installed, widget

pytestmark = pytest.mark.asyncio


class Scene:
    def __init__(self, **options: Any) -> None:
        self.clock = VirtualClock()
        self.door = Meddler(installed(clock=self.clock.now))
        self.client = Client(self.door, clock=self.clock, **options)

    async def run(self, call: Any, seconds: float = 120.0) -> Any:
        """Await a call while virtual time goes by."""
        task = asyncio.ensure_future(call)
        end = self.clock.monotonic() + seconds
        while not task.done() and self.clock.monotonic() < end:
            for _ in range(10):
                await asyncio.sleep(0)
            due = self.clock.next_due
            if not task.done() and due is not None:
                self.clock.advance_to(due)
        return await task

    def fail(self, *failures: Exception | Reply) -> None:
        left = list(failures)

        def before(method: str, path: str, query: Any, body: Any) -> Reply | None:
            if not left:
                return None
            failure = left.pop(0)
            if isinstance(failure, Exception):
                raise failure
            return failure

        self.door.before = before


BUSY = status_reply(429, "TooManyRequests", retry_after=2)
LOST = Unreachable("the line broke", sent=True)
REFUSED = Unreachable("connection refused", sent=False)


async def test_reads_are_sent_again_after_any_loss() -> None:
    scene = Scene()
    await scene.client.create(widget())
    scene.fail(LOST, REFUSED, LOST)
    assert (await scene.run(scene.client.get(Widget, "one"))).spec.size == 1


async def test_a_write_whose_answer_was_lost_is_not_sent_again() -> None:
    scene = Scene()
    scene.fail(LOST)
    with pytest.raises(Unreachable, match="the line broke"):
        await scene.run(scene.client.create(widget()))
    assert len(scene.door.writes) == 1


async def test_a_write_that_never_left_is_sent_again() -> None:
    scene = Scene()
    scene.fail(REFUSED)
    await scene.run(scene.client.create(widget()))
    assert len(scene.door.writes) == 2


async def test_an_apply_is_sent_again_since_doing_it_twice_is_doing_it_once() -> None:
    scene = Scene()
    scene.fail(LOST)
    made = await scene.run(scene.client.apply(widget(size=3), field_manager="me"))
    assert made.spec.size == 3


@pytest.mark.parametrize("code", [429, 503])
async def test_a_server_that_asks_for_patience_gets_it(code: int) -> None:
    scene = Scene()
    scene.fail(status_reply(code, "", retry_after=7))
    started = scene.clock.monotonic()
    await scene.run(scene.client.create(widget()))
    assert 7 <= scene.clock.monotonic() - started < 8


async def test_patience_has_an_end() -> None:
    scene = Scene()
    scene.fail(*[BUSY] * 20)
    with pytest.raises(TooManyRequests) as caught:
        await scene.run(scene.client.get(Widget, "one"))
    assert caught.value.retry_after == 2
    assert len(scene.door.requests) == 5
    scene.fail(status_reply(429, "TooManyRequests", retry_after=600))
    with pytest.raises(TooManyRequests):
        await scene.run(scene.client.get(Widget, "one"))
    assert len(scene.door.requests) == 6


@pytest.mark.parametrize(
    "reply", [status_reply(500, "InternalError"), status_reply(503, "ServiceUnavailable")]
)
async def test_a_failure_without_a_time_to_come_back_is_the_callers(reply: Reply) -> None:
    scene = Scene()
    scene.fail(reply)
    with pytest.raises((InternalError, ServiceUnavailable)):
        await scene.run(scene.client.get(Widget, "one"))
    assert len(scene.door.requests) == 1


@pytest.mark.parametrize("method", ["get", "create"])
async def test_every_call_ends_in_time(method: str) -> None:
    scene = Scene(timeout=5.0)

    async def hang(method: str, path: str) -> None:
        await asyncio.Event().wait()

    scene.door.gate = hang
    call = scene.client.get(Widget, "one") if method == "get" else scene.client.create(widget())
    with pytest.raises(RequestTimeout, match="no answer within 5 s"):
        await scene.run(call)
    assert len(scene.door.requests) == (5 if method == "get" else 1)


async def test_within_gives_calls_another_time() -> None:
    scene = Scene()

    async def hang(method: str, path: str) -> None:
        await asyncio.Event().wait()

    scene.door.gate = hang
    with pytest.raises(RequestTimeout, match=r"no answer within 0\.5 s"):
        await scene.run(scene.client.within(0.5).create(widget()))
    assert scene.clock.monotonic() == 0.5


async def test_a_cancelled_call_is_cancelled_not_timed_out() -> None:
    scene = Scene()

    async def hang(method: str, path: str) -> None:
        await asyncio.Event().wait()

    scene.door.gate = hang
    task = asyncio.create_task(scene.client.get(Widget, "one"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_rate_limit_is_off_unless_set_and_lets_a_burst_through() -> None:
    clock = VirtualClock()
    scene = Scene(limit=RateLimit(2, 3, clock))
    scene.client.clock = clock
    starts = []
    for _ in range(3):
        await scene.client.exists(Widget, "one")
    for _ in range(4):
        task = asyncio.ensure_future(scene.client.exists(Widget, "one"))
        while not task.done():
            await asyncio.sleep(0)
            clock.advance(0.125)
        starts.append(clock.monotonic())
    assert 1.5 <= starts[-1] <= 3
    with pytest.raises(ValueError, match="must be positive"):
        RateLimit(0, 1)


async def test_requests_are_told_to_the_observer() -> None:
    told: list[tuple[Any, ...]] = []

    class Watcher:
        def on_request(self, *args: Any) -> None:
            told.append(args)

        def on_retry(self, *args: Any) -> None:
            told.append(("retry", *args))

        def on_wait(self, *args: Any) -> None:
            told.append(("wait", *args))

    scene = Scene(observer=Watcher())
    scene.fail(LOST)
    await scene.run(scene.client.exists(Widget, "one"))
    (lost, retry, found) = told
    assert lost[:3] == ("GET", "in-process", "<error>")
    assert retry == ("retry", "GET", "in-process", "<error>")
    assert found[2] == "404"
    assert found[5] > 0


async def test_warnings_of_the_server_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    scene = Scene()
    reply = await scene.door.request("GET", "/api/v1/namespaces/default")
    warned = Reply(200, {"Warning": '299 - "old stuff"'}, reply.body)
    scene.fail(warned, warned)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            await scene.client._calls.json("GET", "/api/v1/namespaces/default")
    assert caplog.text.count("old stuff") == 1


@pytest.mark.parametrize("body", [b"", b"[1]", b"not json", b'"text"'])
async def test_an_answer_that_is_no_object_is_an_error(body: bytes) -> None:
    scene = Scene()
    scene.fail(Reply(200, {}, body))
    with pytest.raises(ApiError, match="no JSON object"):
        await scene.client.get(Widget, "one")


async def test_errors_are_known_by_reason_then_by_code() -> None:
    def made(code: int, reason: str) -> ApiError:
        reply = status_reply(code, reason, causes=[{"field": "spec", "message": "bad"}])
        return error_of(code, reply.body, {}, "GET /x")

    assert type(made(410, "Expired")) is Gone
    assert type(made(410, "Gone")) is Gone
    assert type(made(504, "Timeout")) is ServerTimeout
    assert type(made(500, "ServerTimeout")) is ServerTimeout
    assert type(made(409, "Unheard")) is Conflict
    assert type(made(418, "Teapot")) is ApiError
    assert made(403, "Forbidden").causes[0]["field"] == "spec"


async def test_a_page_of_a_proxy_is_quoted_in_part() -> None:
    error = error_of(502, b"<html>" + b"x" * 1000, {}, "GET /x")
    assert len(str(error)) < 250
    assert error.code == 502
    assert error.causes == ()
    assert type(error_of(401, b"", {}, "")) is Unauthorized
    assert str(error_of(403, b"", {}, "")) == "HTTP 403"
    assert isinstance(error_of(403, b"", {"retry-after": "3"}, ""), Forbidden)
    assert error_of(429, b"", {"Retry-After": "3"}, "").retry_after == 3
