"""The kinds that the server serves, at one version each, and where to find them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from opgen.apiserver.names import NameRule, dns_subdomain
from opgen.apiserver.schema.node import Node

if TYPE_CHECKING:
    from opgen.apiserver.strategy import Strategy

__all__ = ["Kind", "Registry"]

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass
class Kind:
    """One kind at one version: what discovery says of it, its schema, and the rules it is written by.

    `subresources` are the verbs of each; `since` is the store's revision when the schema last changed: objects
    not written since then are cleaned again when they are read.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    list_kind: str
    namespaced: bool
    strategy: Strategy
    schema: Node
    custom: bool = False
    verbs: tuple[str, ...] = ALL_VERBS
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scale: Mapping[str, Any] | None = None
    other_storage_schema: Node | None = None
    storage_group: str = ""
    storage_version: str = ""
    known_versions: frozenset[str] = frozenset()
    selectable: tuple[str, ...] = ()
    columns: tuple[Mapping[str, Any], ...] = ()
    warning: str = ""
    since: int = 0
    name_rule: NameRule = dns_subdomain
    definition: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def api_version(self) -> str:
        """`group/version`, or the version alone in the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @cached_property
    def storage_api_version(self) -> str:
        """The `apiVersion` under which objects are stored."""
        group, version = self.storage_group, self.storage_version or self.version
        return f"{group}/{version}" if group else version

    @cached_property
    def resource(self) -> tuple[str, str]:
        """Where the store keeps the objects."""
        return (self.storage_group, self.plural)

    @property
    def storage_schema(self) -> Node:
        """The schema of the storage version."""
        return self.other_storage_schema or self.schema

    @property
    def has_status(self) -> bool:
        """Whether there is a status subresource."""
        return "status" in self.subresources

    def kind_of(self, subresource: str) -> tuple[str, str, str]:
        """Group, version and kind of what a subresource takes and gives."""
        if subresource == "scale" and self.custom:
            return "autoscaling", "v1", "Scale"
        group, version, kind = self.definition.get(subresource) or (
            self.group,
            self.version,
            self.kind,
        )
        return group, version, kind

    @property
    def default_warnings(self) -> tuple[str, ...]:
        """What every answer of a deprecated version warns of."""
        return (self.warning,) if self.warning else ()


class Registry:
    """All kinds by group, version and plural."""

    def __init__(self) -> None:
        """Start empty."""
        self._kinds: dict[tuple[str, str, str], Kind] = {}

    def add(self, kind: Kind) -> None:
        """Serve `kind`, instead of what was served at its place."""
        self._kinds[kind.group, kind.version, kind.plural] = kind

    def remove(self, group: str, version: str, plural: str) -> None:
        """Stop serving a kind."""
        self._kinds.pop((group, version, plural), None)

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        """Return the kind at that place, if there is one."""
        return self._kinds.get((group, version, plural))

    def has_version(self, group: str, version: str) -> bool:
        """Whether anything is served at that group version."""
        return any(k[0] == group and k[1] == version for k in self._kinds)

    def of_kind(self, api_version: str, kind: str) -> Kind | None:
        """Return what is served as `kind` at `api_version`."""
        for found in self._kinds.values():
            if found.kind == kind and found.api_version == api_version:
                return found
        return None

    def __iter__(self) -> Iterator[Kind]:
        """Yield all kinds."""
        return iter(list(self._kinds.values()))
