"""The controllers that an operator's tests lean on, opt-in: garbage collection, namespace deletion, ready workloads.

Each works on the store in one pass, as often as something is left to do, without threads or timers:
`ApiServer.tick` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from opgen.apiserver.gc import GarbageCollector
from opgen.apiserver.namespaces import NamespaceController
from opgen.apiserver.workloads import WorkloadController

if TYPE_CHECKING:
    from opgen.apiserver.server import ApiServer

__all__ = ["ALL", "Controllers"]

_ROUNDS = 100
ALL: Final[dict[str, Callable[[ApiServer], Any]]] = {
    "garbage-collector": GarbageCollector,
    "namespaces": NamespaceController,
    "workloads": WorkloadController,
}


class Controllers:
    """The controllers of one server, run until none of them finds anything to do."""

    def __init__(self, server: ApiServer, names: Iterable[str]) -> None:
        """Look after `server`'s objects; raises KeyError for a name that is not one of `ALL`."""
        self._server = server
        self._parts = [ALL[name](server) for name in names]
        self._done_at = -1

    def run(self) -> None:
        """Work until the store stays as it is."""
        store = self._server.store
        for _ in range(_ROUNDS):
            if store.revision == self._done_at:
                return
            self._done_at = store.revision
            for part in self._parts:
                part.run()
