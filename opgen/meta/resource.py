"""Where a kind lives on an API server: group, version, kind, plural and scope, and the paths made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

__all__ = ["GroupVersionKind", "Resource"]


class GroupVersionKind(NamedTuple):
    """A kind's full name; the core group is empty."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @classmethod
    def of(cls, api_version: str, kind: str) -> GroupVersionKind:
        """Return the name that an object's `apiVersion` and `kind` give."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)

    def __str__(self) -> str:
        """Return `apiVersion, Kind=kind`, as Kubernetes prints it."""
        return f"{self.api_version}, Kind={self.kind}"


@dataclass(frozen=True, slots=True)
class Resource:
    """What a CRD, or the API server's discovery, says of a kind.

    `status` and `scale` tell whether it has these subresources; without the status subresource a write of the object
    writes its status too.
    """

    group: str
    version: str
    kind: str
    plural: str
    singular: str = ""
    list_kind: str = ""
    namespaced: bool = True
    status: bool = False
    scale: bool = False
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return self.gvk.api_version

    @property
    def gvk(self) -> GroupVersionKind:
        """The kind's full name."""
        return GroupVersionKind(self.group, self.version, self.kind)

    def path(
        self, namespace: str | None = None, name: str | None = None, subresource: str | None = None
    ) -> str:
        """Return the request path; `namespace` None is all namespaces, or none for a cluster-scoped kind.

        Raises ValueError where a cluster-scoped kind gets a namespace, or a part could leave its place in the path:
        empty, `.`, `..`, or with a `/` or `%`, which servers decode before they split (client-go refuses these, too).
        """
        if namespace is not None and not self.namespaced:
            raise ValueError(
                f'"{self.kind}" is cluster-scoped and takes no namespace, got "{namespace}"'
            )
        parts = ["apis", self.group, self.version] if self.group else ["api", self.version]
        if namespace is not None:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name is not None:
            parts.append(name)
        if subresource is not None:
            parts.append(subresource)
        for part in parts:
            if part in ("", ".", "..") or "/" in part or "%" in part:
                raise ValueError(f'"{part}" is no part of a path of "{self.kind}"')
        return "/" + "/".join(quote(part, safe="") for part in parts)

    def __str__(self) -> str:
        """Return `plural.group`, as kubectl takes it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural
