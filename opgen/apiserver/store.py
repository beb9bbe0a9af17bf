"""The store: objects by resource, one revision counter for all, and a history that watches read from.

Objects are JSON values and never changed once stored: a write puts a new one in. So the history costs
references, not copies, and any earlier state that the history still reaches can be rebuilt (`snapshot`), which
paging and `resourceVersionMatch=Exact` need.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

__all__ = ["Bucket", "Change", "Compacted", "Object", "object_key", "Reader", "Store"]

Object = dict[str, Any]


def object_key(obj: Object) -> str:
    """Return the key that an object is stored under."""
    meta = obj["metadata"]
    return f"{meta.get('namespace', '')}/{meta['name']}"


class Change(NamedTuple):
    """One entry of the history: what the object became (its last state where it went) and what it was before."""

    revision: int
    type: str  # ADDED, MODIFIED or DELETED
    object: Object
    before: Object | None


class Compacted(Exception):
    """A revision was asked for that the history no longer reaches."""


class Reader(Protocol):
    """What reads a bucket's history as it grows."""

    def wake(self) -> None:
        """Be told that there is more."""

    def expire(self) -> None:
        """End after what is there."""


class Bucket:
    """The objects of one resource, in key order (`namespace/name`, as etcd sorts them), and their history."""

    def __init__(self, keep: int, compacted: int) -> None:
        """Make it empty; `keep` changes are remembered at least, nothing from before revision `compacted` is."""
        self.objects: dict[str, Object] = {}
        self.history: list[Change] = []
        self.dropped = (
            0  # how many changes were let go: history[i] has the absolute position dropped + i
        )
        self.compacted = compacted
        self._keep = keep
        self._keys: list[str] = []
        self.watches: dict[Reader, None] = {}

    def keys(self, prefix: str = "") -> list[str]:
        """Return the keys that start with `prefix`, sorted."""
        if not prefix:
            return list(self._keys)
        start = bisect_left(self._keys, prefix)
        end = bisect_left(self._keys, prefix[:-1] + chr(ord(prefix[-1]) + 1), start)
        return self._keys[start:end]

    def put(self, key: str, change: Change) -> None:
        """Enter a change that happened to `key`."""
        if change.type == "DELETED":
            del self.objects[key]
            del self._keys[bisect_left(self._keys, key)]
        else:
            if key not in self.objects:
                insort(self._keys, key)
            self.objects[key] = change.object
        self.history.append(change)
        if len(self.history) > 2 * self._keep:
            self.compact(len(self.history) - self._keep)
        for watch in tuple(self.watches):
            watch.wake()

    def end_watches(self) -> None:
        """End all watches, as when the kind changes: clients list and watch anew."""
        for watch in tuple(self.watches):
            watch.expire()

    def compact(self, count: int) -> None:
        """Forget the oldest `count` changes."""
        count = min(count, len(self.history))
        if count > 0:
            self.compacted = max(self.compacted, self.history[count - 1].revision)
            del self.history[:count]
            self.dropped += count

    def position(self, revision: int) -> int:
        """Return the absolute position of the first change after `revision`; raises `Compacted`."""
        if revision < self.compacted:
            raise Compacted
        return self.dropped + bisect_right(self.history, revision, key=lambda c: c.revision)

    def snapshot(self, revision: int) -> dict[str, Object]:
        """Return the objects as they were at `revision`, in key order; raises `Compacted`."""
        start = self.position(revision) - self.dropped
        state = dict(self.objects)
        for change in reversed(self.history[start:]):
            key = object_key(change.object)
            if change.before is None:
                state.pop(key, None)
            else:
                state[key] = change.before
        return dict(sorted(state.items()))


class Store:
    """All buckets under one revision counter, which only grows."""

    def __init__(self, keep: int = 4096) -> None:
        """Start at revision 1; `keep` is how many changes of each resource are remembered."""
        self.revision = 1
        self.keep = keep
        self.floor = 1
        self._buckets: dict[tuple[str, str], Bucket] = {}
        self.listeners: list[Callable[[tuple[str, str], Change], None]] = []

    def bucket(self, resource: tuple[str, str]) -> Bucket:
        """Return the bucket of `(group, plural)`, made if need be."""
        found = self._buckets.get(resource)
        if found is None:
            found = self._buckets[resource] = Bucket(self.keep, self.floor)
        return found

    def resources(self) -> Iterator[tuple[tuple[str, str], Bucket]]:
        """Yield the resources that ever had an object, with their buckets."""
        yield from list(self._buckets.items())

    def write(self, resource: tuple[str, str], obj: Object) -> Object:
        """Store `obj`, new or instead of the one of its name, under a new revision; do not change it afterwards."""
        before = self.bucket(resource).objects.get(object_key(obj))
        return self._enter(resource, "ADDED" if before is None else "MODIFIED", obj, before)

    def remove(self, resource: tuple[str, str], obj: Object) -> Object:
        """Take out the object of `obj`'s name; `obj` is its last state and gets the revision of its removal."""
        before = self.bucket(resource).objects[object_key(obj)]
        return self._enter(resource, "DELETED", obj, before)

    def _enter(
        self, resource: tuple[str, str], type_: str, obj: Object, before: Object | None
    ) -> Object:
        self.revision += 1
        obj["metadata"]["resourceVersion"] = str(self.revision)
        change = Change(self.revision, type_, obj, before)
        self.bucket(resource).put(object_key(obj), change)
        for listener in self.listeners:
            listener(resource, change)
        return obj
