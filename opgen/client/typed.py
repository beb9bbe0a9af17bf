"""The bases of generated clients: one kind, and only the verbs that its CRD allows.

Generated code reads

    class MemcachedClient(NamespacedClient[Memcached], StatusVerbs[Memcached]):
        model = Memcached

so a kind without the status subresource has no `update_status`. Each verb is short for the verb of the same name of
`opgen.client.Client`, which documents guarantees and errors. Importing this module loads no HTTP library.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from opgen.meta import Object

if TYPE_CHECKING:
    from opgen.client.client import Client
    from opgen.client.model import ObjectList, Preconditions, Propagation
    from opgen.client.watch import Event

__all__ = ["ClusterClient", "NamespacedClient", "ScaleVerbs", "StatusVerbs"]

T = TypeVar("T", bound=Object)


class _KindClient(Generic[T]):
    """What clients of all kinds have."""

    model: type[T]

    _client: Client
    _namespace: str | None

    async def create(self, obj: T) -> T:
        """Create an object; returns what the server made of it."""
        return await self._client.create(obj)

    async def replace(self, obj: T) -> T:
        """Replace an object; `metadata.resource_version` has to be what was read."""
        return await self._client.replace(obj)

    async def apply(self, obj: T, *, field_manager: str, force: bool = False) -> T:
        """Apply an object: create it, or take over the fields it names (server-side apply)."""
        return await self._client.apply(obj, field_manager=field_manager, force=force)

    async def create_or_patch(
        self, obj: T, change: Callable[[T], object], *, field_manager: str | None = None
    ) -> T:
        """Let `change` change the object of this name, or `obj` if there is none, and write what it changed."""
        return await self._client.create_or_patch(obj, change, field_manager=field_manager)


class NamespacedClient(_KindClient[T]):
    """A client of a namespaced kind; `namespace` is where it works unless a call says otherwise."""

    def __init__(self, client: Client, namespace: str | None = None) -> None:
        """Take the client to talk through."""
        self._client, self._namespace = client, namespace

    async def get(self, name: str, *, namespace: str | None = None) -> T:
        """Read one object."""
        return await self._client.get(self.model, name, namespace=namespace or self._namespace)

    async def exists(self, name: str, *, namespace: str | None = None) -> bool:
        """Return whether there is an object of this name."""
        return await self._client.exists(self.model, name, namespace=namespace or self._namespace)

    async def list(
        self,
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
    ) -> ObjectList[T]:
        """Read all objects of the namespace; of every namespace if none is given here or to the client."""
        return await self._client.list(
            self.model, namespace=namespace or self._namespace, labels=labels, fields=fields
        )

    def iterate(
        self,
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
    ) -> AsyncIterator[T]:
        """Yield all objects of the namespace, holding no more than a page of them."""
        return self._client.iterate(
            self.model, namespace=namespace or self._namespace, labels=labels, fields=fields
        )

    async def modify(
        self,
        name: str,
        change: Callable[[T], object],
        *,
        namespace: str | None = None,
        field_manager: str | None = None,
    ) -> T:
        """Read one object, let `change` change it and replace it, again on fresh data where another was faster."""
        return await self._client.modify(
            self.model,
            name,
            change,
            namespace=namespace or self._namespace,
            field_manager=field_manager,
        )

    async def wait_for(
        self,
        name: str,
        until: str | Callable[[T | None], bool],
        *,
        namespace: str | None = None,
        timeout: float,  # noqa: ASYNC109 - by the client's clock, which may be virtual
    ) -> T | None:
        """Wait until one object has a condition, is "deleted", or is as a function says. Raises TimeoutError."""
        return await self._client.wait_for(
            self.model, name, until, namespace=namespace or self._namespace, timeout=timeout
        )

    def watch(
        self,
        *,
        namespace: str | None = None,
        labels: str | Mapping[str, str] | None = None,
        resource_version: str | None = None,
    ) -> AsyncIterator[Event[T]]:
        """Yield what happens to objects of the namespace."""
        return self._client.watch(
            self.model,
            namespace=namespace or self._namespace,
            labels=labels,
            resource_version=resource_version,
        )

    async def patch(self, name: str, patch: Any, *, namespace: str | None = None) -> T:
        """Patch one object: a list is a JSON patch, a dict a merge patch."""
        return await self._client.patch(
            self.model, name, patch, namespace=namespace or self._namespace
        )

    async def delete(
        self,
        name: str,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        preconditions: Preconditions | None = None,
    ) -> None:
        """Delete one object."""
        await self._client.delete(
            self.model,
            name,
            namespace=namespace or self._namespace,
            propagation=propagation,
            preconditions=preconditions,
        )


class ClusterClient(_KindClient[T]):
    """A client of a cluster-scoped kind."""

    _namespace = None

    def __init__(self, client: Client) -> None:
        """Take the client to talk through."""
        self._client = client

    async def get(self, name: str) -> T:
        """Read one object."""
        return await self._client.get(self.model, name)

    async def exists(self, name: str) -> bool:
        """Return whether there is an object of this name."""
        return await self._client.exists(self.model, name)

    async def list(
        self,
        *,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
    ) -> ObjectList[T]:
        """Read all objects."""
        return await self._client.list(self.model, labels=labels, fields=fields)

    def iterate(
        self,
        *,
        labels: str | Mapping[str, str] | None = None,
        fields: str | Mapping[str, str] | None = None,
    ) -> AsyncIterator[T]:
        """Yield all objects, holding no more than a page of them."""
        return self._client.iterate(self.model, labels=labels, fields=fields)

    async def modify(
        self,
        name: str,
        change: Callable[[T], object],
        *,
        field_manager: str | None = None,
    ) -> T:
        """Read one object, let `change` change it and replace it, again on fresh data where another was faster."""
        return await self._client.modify(self.model, name, change, field_manager=field_manager)

    async def wait_for(
        self,
        name: str,
        until: str | Callable[[T | None], bool],
        *,
        timeout: float,  # noqa: ASYNC109 - by the client's clock, which may be virtual
    ) -> T | None:
        """Wait until one object has a condition, is "deleted", or is as a function says. Raises TimeoutError."""
        return await self._client.wait_for(self.model, name, until, timeout=timeout)

    def watch(
        self, *, labels: str | Mapping[str, str] | None = None, resource_version: str | None = None
    ) -> AsyncIterator[Event[T]]:
        """Yield what happens to objects."""
        return self._client.watch(self.model, labels=labels, resource_version=resource_version)

    async def patch(self, name: str, patch: Any) -> T:
        """Patch one object: a list is a JSON patch, a dict a merge patch."""
        return await self._client.patch(self.model, name, patch)

    async def delete(
        self,
        name: str,
        *,
        propagation: Propagation | None = None,
        preconditions: Preconditions | None = None,
    ) -> None:
        """Delete one object."""
        await self._client.delete(
            self.model, name, propagation=propagation, preconditions=preconditions
        )


class StatusVerbs(_KindClient[T]):
    """What a kind with the status subresource has more."""

    async def update_status(self, obj: T) -> T:
        """Replace the status of an object, and nothing else of it."""
        return await self._client.update_status(obj)


class ScaleVerbs(_KindClient[T]):
    """What a kind with the scale subresource has more."""

    async def scale(self, name: str, *, replicas: int, namespace: str | None = None) -> int:
        """Ask for a number of replicas; returns the number asked for before."""
        return await self._client.scale(
            self.model, name, replicas=replicas, namespace=namespace or self._namespace
        )
