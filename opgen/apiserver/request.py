"""What goes through the API server's doors: a request, its response, and the stream of a watch.

Both doors, in process and HTTP, use these; nothing here knows of sockets, threads or clocks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self
from urllib.parse import parse_qsl, quote

__all__ = ["Request", "Response", "Watch"]


@dataclass(frozen=True)
class Request:
    """One API request.

    `path` is as it stands on a request line, percent-encoded, without the query. `query` and `headers` hold
    decoded values; a query value may be a list where the parameter is repeated. Header names are matched
    without regard to case. Without an `Authorization` header the request is made as the administrator, unless
    the server was told to want tokens.
    """

    method: str
    path: str
    query: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def of(
        cls, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Self:
        """Make a request from a request target such as `/api/v1/pods?limit=5`."""
        path, _, raw = target.partition("?")
        query: dict[str, str | Sequence[str]] = {}
        for key, value in parse_qsl(raw, keep_blank_values=True):
            before = query.get(key)
            if before is None:
                query[key] = value
            else:
                query[key] = [*([before] if isinstance(before, str) else before), value]
        return cls(method, path, query, headers or {}, body)

    def header(self, name: str, default: str = "") -> str:
        """Return the header `name` (any case), or `default`."""
        found = self.headers.get(name)
        if found is not None:
            return found
        wanted = name.lower()
        for key, value in self.headers.items():
            if key.lower() == wanted:
                return value
        return default

    def first(self, name: str, default: str = "") -> str:
        """Return the first value of the query parameter `name`, or `default`."""
        value = self.query.get(name, default)
        if isinstance(value, str):
            return value
        return value[0] if value else default

    def every(self, name: str) -> list[str]:
        """Return all values of the query parameter `name`, in order."""
        value = self.query.get(name)
        if value is None:
            return []
        return [value] if isinstance(value, str) else list(value)

    def flag(self, name: str) -> bool:
        """Whether a boolean query parameter is set: anything but nothing, `0` and `false`."""
        return self.first(name).lower() not in ("", "0", "false")

    def accepted(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the media types of `Accept` with their parameters, in order."""
        for clause in self.header("Accept").split(","):
            media, *params = (p.strip() for p in clause.split(";"))
            yield media, dict(p.split("=", 1) for p in params if "=" in p)

    @property
    def target(self) -> str:
        """The request target, path and query, as it would stand on a request line."""
        pairs = [(key, value) for key in self.query for value in self.every(key)]
        if not pairs:
            return self.path
        return (
            self.path + "?" + "&".join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in pairs)
        )


class Watch(Protocol):
    """The stream of a watch: JSON events, one a line, each `bytes` ending in a newline.

    A watch holds no queue of its own: it reads the server's history from where it stands. A consumer may be as
    slow as it likes; one that falls behind what the server remembers is sent an `ERROR` event with a 410 Status
    and the stream ends, as in a cluster.
    """

    @property
    def closed(self) -> bool:
        """Whether the stream has ended: no line will come any more."""
        ...

    @property
    def timeout(self) -> float:
        """Seconds after which the server ends the stream; the door that has a clock calls `expire` then."""
        ...

    def poll(self) -> list[bytes]:
        """Return the lines that are ready, without waiting; empty when there are none."""
        ...

    def bookmark(self) -> None:
        """Put a `BOOKMARK` event in the stream if the client asked for those."""
        ...

    def expire(self) -> None:
        """End the stream as its timeout does: what is ready is still delivered."""
        ...

    def close(self) -> None:
        """End the stream now; safe to call twice."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Iterate over the lines, waiting for each; ends when the stream does."""
        ...


@dataclass(frozen=True)
class Response:
    """The answer to a `Request`: either a `body` or, for a watch that was granted, a `watch` (and `body` is None).

    `headers` has the canonical names (`Content-Type`); `warnings` are the texts of the `Warning` headers, unquoted,
    which a door sends as `Warning: 299 - "text"`, one header each.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | None = None
    watch: Watch | None = None
    warnings: tuple[str, ...] = ()

    def header_items(self) -> Iterator[tuple[str, str]]:
        """Yield all headers as they go over the wire, the warnings included."""
        yield from self.headers.items()
        for text in self.warnings:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            yield "Warning", f'299 - "{quoted}"'
