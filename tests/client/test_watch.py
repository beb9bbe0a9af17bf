"""Watches: whatever happens to connections, every object and every change comes through, and no server is hammered."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from opgen.client import Client, Event
from opgen.client.errors import Forbidden, Unreachable
from opgen.client.transport import Reply
from opgen.client.watch import Synced, Watch
from opgen.testing import VirtualClock
from tests.client.doors import Meddler, error_line, status_reply
from tests.client.kinds import Widget, installed, widget

pytestmark = pytest.mark.asyncio


class Scene:
    """A server, a client that is meddled with, another that isn't, and what a watch said so far."""

    def __init__(self, **options: Any) -> None:
        self.clock = VirtualClock()
        self.server = installed(clock=self.clock.now, **options)
        self.door = Meddler(self.server)
        self.client = Client(self.door, clock=self.clock)
        self.other = Client(Meddler(self.server), clock=self.clock)
        self.said: list[str] = []
        self.watch: Watch[Widget]
        self.task: asyncio.Task[None]

    def start(self, **options: Any) -> Scene:
        self.watch = self.client.watcher(Widget, **options)
        self.task = asyncio.create_task(self._collect())
        return self

    async def _collect(self) -> None:
        async with aclosing(self.watch.events()) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Synced):
                    self.said.append("SYNCED")
                else:
                    self.said.append(f"{event.type} {event.object.metadata.name}")

    async def settle(self, seconds: float = 0.0, step: float = 1.0) -> list[str]:
        """Let everything run, and time go by; return what was said since the last call."""
        end = self.clock.monotonic() + seconds
        while True:
            for _ in range(30):
                self.server.tick()
                await asyncio.sleep(0)
            if self.task.done():
                self.task.result()
            if self.clock.monotonic() >= end:
                break
            self.clock.advance(min(step, end - self.clock.monotonic()))
        said, self.said = self.said, []
        return said

    @property
    def lists(self) -> int:
        return sum(method == "GET" for method, _, _ in self.door.requests)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.mark.parametrize("streaming", [True, False])
async def test_what_is_there_comes_first_then_every_change(streaming: bool) -> None:
    scene = Scene()
    for name in ("a", "b"):
        await scene.other.create(widget(name))
    scene.start(streaming=streaming)
    assert await scene.settle() == ["ADDED a", "ADDED b", "SYNCED"]
    await scene.other.create(widget("c"))
    await scene.other.modify(Widget, "a", lambda obj: setattr(obj.spec, "size", 2))
    await scene.other.delete(Widget, "b")
    assert await scene.settle() == ["ADDED c", "MODIFIED a", "DELETED b"]
    await scene.stop()


async def test_a_list_of_many_pages_comes_through_whole() -> None:
    scene = Scene()
    for number in range(1201):
        await scene.other.create(widget(f"w{number:04}"))
    scene.start(streaming=False)
    said = await scene.settle()
    assert len(said) == 1202
    assert scene.lists == 3
    await scene.stop()


async def test_a_list_that_expires_in_the_middle_is_read_again() -> None:
    scene = Scene()
    for number in range(1201):
        await scene.other.create(widget(f"w{number:04}"))
    expired: list[int] = []

    def before(method: str, path: str, query: Any, body: Any) -> Reply | None:
        if query.get("continue") and not expired:
            expired.append(1)
            return status_reply(410, "Expired")
        return None

    scene.door.before = before
    scene.start(streaming=False)
    said = await scene.settle(10)
    assert len(set(said)) == len(said) == 1202
    await scene.stop()


async def test_the_end_of_a_watch_is_no_fault_and_loses_nothing() -> None:
    scene = Scene().start()
    assert await scene.settle() == ["SYNCED"]
    assert await scene.settle(700, step=20) == []
    await scene.other.create(widget("late"))
    assert await scene.settle() == ["ADDED late"]
    assert 2 <= len(scene.door.streams) <= 4
    # goes on from the last bookmark
    assert all("resourceVersion" in query for query in scene.door.streams[1:])
    await scene.stop()


async def test_gone_is_answered_by_reading_again_with_what_went_missing_reported_deleted() -> None:
    scene = Scene(compact_after=4)
    for name in ("a", "b", "c"):
        await scene.other.create(widget(name))
    scene.start()
    await scene.settle()
    cut = asyncio.Event()

    async def hold(query: Any) -> AsyncIterator[bytes | Reply]:
        await cut.wait()
        yield error_line(410, "Expired")

    # the connection hangs while much happens
    scene.door.streaming = lambda query: hold(query) if "resourceVersion" in query else None
    scene.server.close_watches()
    await scene.settle()
    await scene.other.delete(Widget, "a")
    await scene.other.delete(Widget, "b")
    await scene.other.create(widget("b", size=7))
    await scene.other.modify(Widget, "c", lambda obj: setattr(obj.spec, "size", 3))
    await scene.other.create(widget("d"))
    cut.set()
    scene.door.streaming = None
    said = await scene.settle()
    assert said == ["DELETED b", "ADDED b", "MODIFIED c", "ADDED d", "DELETED a", "SYNCED"]
    await scene.stop()


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("as_event", [True, False])
async def test_a_server_that_always_says_gone_is_not_hammered(
    streaming: bool, as_event: bool
) -> None:
    scene = Scene()
    await scene.other.create(widget("a"))

    async def gone(query: Any) -> AsyncIterator[bytes | Reply]:
        yield error_line(410, "Expired") if as_event else status_reply(410, "Expired")

    scene.door.streaming = lambda query: gone(query) if "resourceVersion" in query else None
    scene.start(streaming=streaming)
    await scene.settle()
    scene.server.close_watches()
    scene.door.streams.clear()
    scene.door.requests.clear()
    await scene.settle(2)
    # at most two tries with the old version before everything is read again
    assert sum("resourceVersion" in query for query in scene.door.streams) <= 3
    await scene.settle(600, step=5)
    assert len(scene.door.streams) + scene.lists < 100
    await scene.stop()


async def test_silence_is_a_fault() -> None:
    scene = Scene().start()
    await scene.settle()

    async def mute(query: Any) -> AsyncIterator[bytes | Reply]:
        await asyncio.Event().wait()
        yield b""

    scene.door.streaming = mute
    scene.server.close_watches()
    await scene.settle()
    tries = len(scene.door.streams)
    scene.door.streaming = None
    await scene.other.create(widget("unheard"))
    assert await scene.settle(70) == []
    assert await scene.settle(10) == ["ADDED unheard"]
    assert len(scene.door.streams) == tries + 1
    assert "nothing was heard for 75 s" in str(scene.watch.last_error)
    await scene.stop()


async def test_faults_are_retried_ever_more_slowly_and_forgotten_after_two_quiet_minutes() -> None:
    scene = Scene()
    moments: list[float] = []

    async def broken(query: Any) -> AsyncIterator[bytes | Reply]:
        moments.append(scene.clock.monotonic())
        raise Unreachable("the line is dead")
        yield b""

    scene.door.streaming = broken
    scene.start(patient=True)
    await scene.settle(300, step=0.05)
    waits = [round(b - a, 2) for a, b in itertools.pairwise(moments)]
    for number, wait in enumerate(waits):
        expected = min(0.8 * 2**number, 30)
        assert expected <= wait <= 2 * expected + 0.1
    scene.door.streaming = None
    await scene.settle(300)
    scene.door.streaming = broken
    scene.server.close_watches()
    moments.clear()
    await scene.settle(3, step=0.05)
    assert 0.8 <= moments[1] - moments[0] <= 1.7
    await scene.stop()


async def test_the_server_says_when_to_come_back() -> None:
    scene = Scene()
    moments: list[float] = []

    async def busy(query: Any) -> AsyncIterator[bytes | Reply]:
        moments.append(scene.clock.monotonic())
        yield status_reply(429, "TooManyRequests", retryAfterSeconds=20)

    scene.door.streaming = busy
    scene.start()
    await scene.settle(45)
    assert moments[1] - moments[0] >= 20
    await scene.stop()


async def test_a_watch_that_ends_at_once_is_a_fault() -> None:
    scene = Scene().start()
    await scene.settle()

    async def nothing(query: Any) -> AsyncIterator[bytes | Reply]:
        for line in ():
            yield line

    scene.door.streaming = nothing
    scene.server.close_watches()
    scene.door.streams.clear()
    await scene.settle(10)
    assert len(scene.door.streams) <= 6
    await scene.stop()


async def test_one_object_that_cannot_be_read_ends_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    await scene.other.create(widget("good"))
    bad = widget("bad").to_wire()
    bad["metadata"] |= {"resourceVersion": "99999", "uid": "u"}
    bad["spec"] = {"size": "many", "secret": "hunter2"}

    async def lines(query: Any) -> AsyncIterator[bytes | Reply]:
        yield json.dumps({"type": "MODIFIED", "object": bad}).encode()
        good = (await scene.other.create(widget("next"))).to_wire()
        yield json.dumps({"type": "ADDED", "object": good}).encode()
        await asyncio.Event().wait()

    scene.door.streaming = lambda query: lines(query) if "resourceVersion" in query else None
    scene.start()
    await scene.settle()
    scene.server.close_watches()
    assert await scene.settle() == ["ADDED next"]
    assert scene.watch.undecodable == 1
    assert 'Widget "default/bad" can\'t be read and is left out: spec.size' in caplog.text
    assert "hunter2" not in caplog.text
    await scene.stop()


async def test_a_line_that_is_no_event_breaks_the_connection_not_the_watch() -> None:
    scene = Scene().start()
    await scene.settle()

    async def noise(query: Any) -> AsyncIterator[bytes | Reply]:
        scene.door.streaming = None
        yield b"<html>bad gateway</html>"

    scene.door.streaming = noise
    scene.server.close_watches()
    await scene.settle()
    await scene.other.create(widget("after"))
    assert await scene.settle(3) == ["ADDED after"]
    await scene.stop()


async def test_an_older_server_without_initial_events_is_listed() -> None:
    scene = Scene()
    await scene.other.create(widget("a"))

    async def older(query: Any) -> AsyncIterator[bytes | Reply]:
        yield status_reply(422, "Invalid", "sendInitialEvents is forbidden for watch")

    scene.door.streaming = lambda query: older(query) if "sendInitialEvents" in query else None
    scene.start()
    assert await scene.settle() == ["ADDED a", "SYNCED"]
    assert scene.lists == 1
    await scene.stop()


async def test_what_is_refused_for_good_is_raised_at_the_start_and_retried_later() -> None:
    scene = Scene()

    async def refused(query: Any) -> AsyncIterator[bytes | Reply]:
        yield status_reply(403, "Forbidden", "may not watch widgets")

    scene.door.streaming = refused
    with pytest.raises(Forbidden, match="may not watch widgets"):
        await anext(scene.client.watch(Widget))
    scene.door.streaming = None
    scene.start()
    assert await scene.settle() == ["SYNCED"]
    scene.door.streaming = refused
    scene.server.close_watches()
    await scene.settle(5)
    assert not scene.task.done()
    scene.door.streaming = None
    await scene.other.create(widget("a"))
    assert await scene.settle(60) == ["ADDED a"]
    await scene.stop()


async def test_a_version_starts_after_what_was_listed() -> None:
    scene = Scene()
    await scene.other.create(widget("a"))
    version = (await scene.other.list(Widget)).resource_version
    await scene.other.create(widget("b"))
    watch: AsyncIterator[Event[Widget]] = scene.client.watch(Widget, resource_version=version)
    first = await anext(watch)
    assert (first.type, first.object.metadata.name) == ("ADDED", "b")
    await watch.aclose()  # type: ignore[attr-defined]


async def test_an_event_that_was_cut_off_in_the_middle_comes_again() -> None:
    scene = Scene().start()
    await scene.settle()
    await scene.other.create(widget("a"))
    whole = json.dumps(
        {"type": "ADDED", "object": (await scene.other.get(Widget, "a")).to_wire()}
    ).encode()

    async def cut(query: Any) -> AsyncIterator[bytes | Reply]:
        scene.door.streaming = None
        yield whole[: len(whole) // 2]

    scene.door.streaming = cut
    scene.server.close_watches()
    said = await scene.settle(3)
    assert said == ["ADDED a"]
    await scene.stop()
