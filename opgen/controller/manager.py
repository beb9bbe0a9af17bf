"""The manager: informers, controllers and their workers, from start to graceful stop."""

from __future__ import annotations

import asyncio
import inspect
import logging
import pkgutil
import signal
from importlib import import_module
from typing import Any, TypeVar

from opgen.client import Client
from opgen.controller.cache import Informer
from opgen.controller.clock import Clock, SystemClock
from opgen.controller.controller import Controller
from opgen.controller.reconciler import Reconciler
from opgen.meta import Object

__all__ = ["Manager"]

T = TypeVar("T", bound=Object)

_LOG = logging.getLogger("opgen.controller")
_SYNC_TIMEOUT = 120.0
_STOP_TIMEOUT = 30.0


class Manager:
    """Runs controllers against one cluster.

        manager = Manager(client)
        manager.controller(MemcachedReconciler()).owns(Deployment)
        await manager.run()

    Guarantees
        No reconcile before every informer has read its first list. On SIGTERM or SIGINT, or when `stop` is called, no
        new reconcile starts, and running ones have 30 s to end.
    """

    def __init__(
        self,
        client: Client,
        *,
        namespace: str | None = None,
        workers: int = 1,
        clock: Clock | None = None,
    ) -> None:
        """Take the client; `namespace` None watches all, `workers` is how many objects of a kind run at once."""
        self.client = client
        self.controllers: list[Controller[Any]] = []
        self._namespace, self._workers = namespace, workers
        self._clock = clock or SystemClock()
        self._informers: dict[type[Object], Informer[Any]] = {}
        self._stopping = asyncio.Event()
        self.started = asyncio.Event()

    def informer(self, kind: type[T]) -> Informer[T]:
        """Return the informer of a kind, made at the first call; there is one, however many controllers ask."""
        known = self._informers.get(kind)
        if known is None:
            namespace = self._namespace if kind.RESOURCE.namespaced else None
            known = self._informers[kind] = Informer(self.client, kind, self._clock, namespace)
        return known

    def controller(self, reconciler: Reconciler[T]) -> Controller[T]:
        """Add a controller for a reconciler; tell it what else to watch by `owns` and `watches`."""
        made = Controller(reconciler, self.client, self._clock, self.informer)
        self.controllers.append(made)
        return made

    def discover(self, package: str) -> list[Controller[Any]]:
        """Add a controller for each Reconciler class that a package and its modules define, by module name.

        Each class is made without arguments, and its `setup` says what else to watch.
        """
        root = import_module(package)
        names = [package]
        if hasattr(root, "__path__"):
            names += sorted(f"{package}.{one.name}" for one in pkgutil.iter_modules(root.__path__))
        added = []
        for name in names:
            module = import_module(name)
            for _, cls in sorted(inspect.getmembers(module, inspect.isclass)):
                if issubclass(cls, Reconciler) and cls is not Reconciler and cls.__module__ == name:
                    reconciler = cls()
                    controller = self.controller(reconciler)
                    reconciler.setup(controller)
                    added.append(controller)
        return added

    @property
    def activity(self) -> int:
        """A number that grows with everything that happens; for telling when nothing does."""
        return sum(one.events for one in self._informers.values()) + sum(
            one.reconciles for one in self.controllers
        )

    @property
    def is_idle(self) -> bool:
        """Whether no object is being reconciled or waits for it now; delayed ones may."""
        return self.started.is_set() and all(
            controller.queue.is_idle for controller in self.controllers
        )

    def stop(self) -> None:
        """Stop gracefully."""
        self._stopping.set()

    async def run(self, *, signals: bool = True) -> None:
        """Run until stopped. Raises TimeoutError, naming the kinds, where informers don't sync within two minutes."""
        loop = asyncio.get_running_loop()
        caught = [signal.SIGINT, signal.SIGTERM] if signals else []
        for one in caught:
            loop.add_signal_handler(one, self.stop)
        following = [
            asyncio.create_task(one.run(), name=f"informer {one.kind.RESOURCE}")
            for one in self._informers.values()
        ]
        working: list[asyncio.Task[None]] = []
        stop = asyncio.create_task(self._stopping.wait())
        try:
            await self._synced()
            working = [
                asyncio.create_task(controller.work(), name=controller.name)
                for controller in self.controllers
                for _ in range(self._workers)
            ]
            self.started.set()
            _LOG.info("running %s", ", ".join(controller.name for controller in self.controllers))
            done, _ = await asyncio.wait(
                {stop, *following, *working}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done - {stop}:
                task.result()  # an informer or a worker never ends by itself: this raises what ended it
        finally:
            stop.cancel()
            for controller in self.controllers:
                controller.queue.close()
            if working:
                await asyncio.wait(working, timeout=_STOP_TIMEOUT)
            for task in (*following, *working):
                task.cancel()
            await asyncio.gather(stop, *following, *working, return_exceptions=True)
            for one in caught:
                loop.remove_signal_handler(one)

    async def _synced(self) -> None:
        try:
            async with asyncio.timeout(_SYNC_TIMEOUT):
                for informer in self._informers.values():
                    await informer.synced.wait()
        except TimeoutError:
            late = [
                str(one.kind.RESOURCE)
                for one in self._informers.values()
                if not one.synced.is_set()
            ]
            scope = f'in namespace "{self._namespace}"' if self._namespace else "in all namespaces"
            raise TimeoutError(
                f"no list of {', '.join(late)} {scope} within {_SYNC_TIMEOUT:.0f} s; "
                "may the operator list and watch them?"
            ) from None
