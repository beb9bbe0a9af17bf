"""Watches: readers of a bucket's history, each with its own position, selection and form.

A watch keeps no events of its own, so any number of stalled ones costs nothing; one that falls behind the
history ends with 410.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from opgen.apiserver.jsonio import encode
from opgen.apiserver.status import StatusError
from opgen.apiserver.store import Bucket, Change, Store

__all__ = ["error_event", "FinishedWatch", "HistoryWatch", "too_old"]

Object = dict[str, Any]


class HistoryWatch:
    """The stream of one watch; implements `opgen.apiserver.request.Watch`."""

    def __init__(
        self,
        store: Store,
        bucket: Bucket,
        *,
        position: int,
        initial: list[bytes],
        select: Callable[[Object], bool],
        render: Callable[[str, Object], bytes],
        bookmark: Callable[[int], bytes] | None,
        timeout: float,
        after: int = 0,
    ) -> None:
        """Read on from `position`, after `initial` lines, what is newer than revision `after`.

        `bookmark` renders a bookmark, None if the client wants none.
        """
        self._store = store
        self._bucket = bucket
        self._position = position
        self._ready = initial
        self._select = select
        self._render = render
        self._bookmark = bookmark
        self._timeout = timeout
        self._after = after
        self._waiter: asyncio.Future[None] | None = None
        self._expired = False
        self._closed = False
        bucket.watches[self] = None

    @property
    def closed(self) -> bool:
        """Whether no line will come any more."""
        return self._closed and not self._ready

    @property
    def timeout(self) -> float:
        """Seconds after which the server ends the stream."""
        return self._timeout

    def wake(self) -> None:
        """Tell whoever waits that there is something to read."""
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def poll(self) -> list[bytes]:
        """Return the lines that are ready."""
        lines, self._ready = self._ready, []
        if not self._closed:
            lines += self._read()
            if self._expired:
                self.close()
        return lines

    def _read(self) -> list[bytes]:
        bucket = self._bucket
        if self._position < bucket.dropped:
            self.close()
            return [error_event(too_old(bucket.compacted, bucket.compacted))]
        lines: list[bytes] = []
        for change in bucket.history[self._position - bucket.dropped :]:
            event = self._event(change) if change.revision > self._after else None
            if event is not None:
                lines.append(self._render(*event))
        self._position = bucket.dropped + len(bucket.history)
        return lines

    def _event(self, change: Change) -> tuple[str, Object] | None:
        now = self._select(change.object) if change.type != "DELETED" else False
        before = change.before is not None and self._select(change.before)
        if now:
            return ("MODIFIED" if before else "ADDED"), change.object
        if not before:
            return None
        if change.type == "DELETED":
            return "DELETED", change.object
        last: Object = {**(change.before or {})}
        last["metadata"] = {**last["metadata"], "resourceVersion": str(change.revision)}
        return "DELETED", last

    def bookmark(self) -> None:
        """Queue a bookmark, after the events that come before it."""
        if self._bookmark is not None and not self._closed:
            self._ready += self._read()
            self._ready.append(self._bookmark(self._store.revision))
            self.wake()

    def expire(self) -> None:
        """End the stream after what is ready."""
        self._expired = True
        self.wake()

    def close(self) -> None:
        """End the stream."""
        self._closed = True
        self._bucket.watches.pop(self, None)
        self.wake()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield lines as they come."""
        try:
            while True:
                for line in self.poll():
                    yield line
                if self._closed and not self._ready:
                    return
                self._waiter = asyncio.get_running_loop().create_future()
                if self._ready or self._expired or self._closed or self._behind():
                    continue
                await self._waiter
        finally:
            self.close()

    def _behind(self) -> bool:
        bucket = self._bucket
        return self._position < bucket.dropped + len(bucket.history)


def error_event(error: StatusError) -> bytes:
    """Return the line that tells of an error in the middle of a stream."""
    return encode({"type": "ERROR", "object": error.body()}) + b"\n"


def too_old(asked: int, oldest: int) -> StatusError:
    """410: the history no longer reaches back to a revision."""
    return StatusError(410, "Expired", f"too old resource version: {asked} ({oldest})")


class FinishedWatch:
    """A watch that has all its lines already and ends after them."""

    timeout = 0.0

    def __init__(self, lines: list[bytes]) -> None:
        """Keep the lines."""
        self._lines = lines

    @property
    def closed(self) -> bool:
        """Whether no line will come any more."""
        return not self._lines

    def poll(self) -> list[bytes]:
        """Return the lines, once."""
        lines, self._lines = self._lines, []
        return lines

    def bookmark(self) -> None:
        """Do nothing: the stream has ended."""

    def expire(self) -> None:
        """Do nothing: the stream has ended."""

    def close(self) -> None:
        """Drop what was not taken."""
        self._lines = []

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the lines."""
        for line in self.poll():
            yield line
