"""What a user writes, and what it is given.

class MemcachedReconciler(Reconciler[Memcached]):
async def reconcile(self, obj: Memcached, ctx: Context) -> Result:
await ctx.apply(*desired(obj))
return Result.done()
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from opgen.client import Client, ObjectList
from opgen.client.errors import NotFound
from opgen.controller.events import Recorder
from opgen.controller.owners import set_controller_reference
from opgen.meta import Object

__all__ = ["AppliedMemo", "Context", "is_converged", "Reconciler", "Result", "TerminalError"]

T = TypeVar("T", bound=Object)
C = TypeVar("C", bound=Object)


class TerminalError(Exception):
    """A failure that another try can't mend: the object is left until it changes.

    Named for controller-runtime's reconcile.TerminalError.
    """


@dataclass(frozen=True)
class Result:
    """How a reconcile ended well; a failure is an exception."""

    requeue_after: float | None = None

    @classmethod
    def done(cls) -> Result:
        """Nothing more until something changes."""
        return cls()

    @classmethod
    def after(cls, seconds: float) -> Result:
        """Reconcile again after some seconds, for what nothing would wake us up for."""
        return cls(seconds)


@dataclass
class AppliedMemo:
    """What was applied last, so that equal children are not sent again; as old as the process."""

    digests: dict[tuple[type[Object], str | None, str], tuple[str, str]] = field(
        default_factory=dict
    )


class Context:
    """What a reconcile may do to the cluster; owned by one object, for one pass."""

    def __init__(
        self, client: Client, owner: Object, manager: str, recorder: Recorder, memo: AppliedMemo
    ) -> None:
        """Take what the controller has; users get a Context, they don't make one."""
        self.client = client
        self.events = recorder
        self._owner = owner
        self._manager = manager
        self._memo = memo

    async def apply(self, *children: Object) -> None:
        """Make the cluster have these children, owned by the object that is reconciled.

        Short for server-side apply with a controller reference and force. Idempotent: children that exist are changed
        where they differ, and no event is made where they don't. Raises OwnershipError for children
        that can't be owned.
        """
        for child in children:
            wanted = child.deepcopy()
            if wanted.RESOURCE.namespaced and not wanted.metadata.namespace:
                wanted.metadata.namespace = self._owner.metadata.namespace
            set_controller_reference(self._owner, wanted)
            key = (type(wanted), wanted.metadata.namespace, str(wanted.metadata.name))
            digest = json.dumps(wanted.to_wire(), sort_keys=True)
            before = self._memo.digests.get(key)
            if before and before[0] == digest and await self._is_at(wanted, before[1]):
                continue
            made = await self.client.apply(wanted, field_manager=self._manager, force=True)
            self._memo.digests[key] = (digest, str(made.metadata.resource_version))

    async def _is_at(self, child: C, version: str) -> bool:
        """Return whether a child is still as our last apply left it."""
        try:
            found = await self.client.get(
                type(child), str(child.metadata.name), namespace=child.metadata.namespace
            )
        except NotFound:
            return False
        return found.metadata.resource_version == version

    async def get(self, kind: type[C], name: str, *, namespace: str | None = None) -> C:
        """Read an object, in the owner's namespace unless told otherwise. Raises NotFound."""
        return await self.client.get(
            kind, name, namespace=namespace or self._owner.metadata.namespace
        )

    async def list(
        self,
        kind: type[C],
        *,
        namespace: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> ObjectList[C]:
        """Read objects, in the owner's namespace unless told otherwise."""
        return await self.client.list(
            kind, namespace=namespace or self._owner.metadata.namespace, labels=labels
        )

    async def delete(self, kind: type[Object], name: str, *, namespace: str | None = None) -> bool:
        """Delete an object; return whether there was one."""
        try:
            await self.client.delete(
                kind, name, namespace=namespace or self._owner.metadata.namespace
            )
        except NotFound:
            return False
        return True


class Reconciler(Generic[T]):
    """Brings the cluster to what one object asks for; level-based: it looks at what is, not at what happened.

    Guarantees
        `reconcile` gets a copy of its own that exists and is not being deleted. At most one call runs for an object.
        The status it leaves on the object is written once afterwards, if it changed. If `finalize` is defined, a
        finalizer is there before the first call of `reconcile`.
    Assumptions
        `reconcile` may run at any time and again, so it has to be idempotent. It must not block the event loop.
    """

    kind: type[T]

    finalizer: ClassVar[str] = ""
    """The name of the finalizer, made from the kind where it is empty."""

    timeout: ClassVar[float] = 30.0
    """Seconds that one call may take."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Take the kind from `Reconciler[Kind]`."""
        super().__init_subclass__(**kwargs)
        for base in getattr(cls, "__orig_bases__", ()):
            arguments = get_args(base)
            if get_origin(base) is Reconciler and arguments and isinstance(arguments[0], type):
                cls.kind = arguments[0]
                if not cls.finalizer:
                    resource = cls.kind.RESOURCE
                    cls.finalizer = f"{resource.group or 'core'}/{resource.singular}-finalizer"

    async def reconcile(self, obj: T, ctx: Context) -> Result:
        """Do one pass. Raise whatever goes wrong: it is logged, counted and tried again with growing delays."""
        raise NotImplementedError

    async def finalize(self, obj: T, ctx: Context) -> None:
        """Clean up what the garbage collector does not; called until it returns. Defining it adds the finalizer."""
        raise NotImplementedError

    @property
    def finalizes(self) -> bool:
        """Whether the subclass defines `finalize`."""
        return type(self).finalize is not Reconciler.finalize

    def setup(self, controller: Any) -> None:
        """Say what else to watch: `controller.owns(Deployment)`. Called once, when the manager finds the class."""


def is_converged(obj: Object) -> bool:
    """Return whether an object is what its spec asks for: Ready is True, and observed at this generation."""
    conditions = getattr(getattr(obj, "status", None), "conditions", None) or ()
    for condition in conditions:
        if condition.type == "Ready" and condition.status == "True":
            observed = getattr(condition, "observed_generation", None)
            return observed is None or observed == obj.metadata.generation
    return False
