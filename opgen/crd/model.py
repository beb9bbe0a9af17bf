"""What was read: CRDs, OpenAPI documents, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from opgen.errors import Location, Problem

__all__ = ["Crd", "CrdVersion", "Loaded", "OpenApiDocument", "Path"]

Path = tuple[str | int, ...]
"""Where something stands in a document: keys of mappings and indexes of lists, from the root."""


@dataclass(frozen=True)
class CrdVersion:
    """One version of a CRD; `schema` is its openAPIV3Schema as it stands, None if it has none.

    `scale` is the subresource as the CRD gives it: specReplicasPath, statusReplicasPath and perhaps labelSelectorPath.
    """

    name: str
    served: bool
    storage: bool
    deprecated: bool
    deprecation_warning: str | None
    schema: Mapping[str, Any] | None
    has_status: bool
    scale: Mapping[str, Any] | None
    printer_columns: tuple[Mapping[str, Any], ...] = ()
    selectable_fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Crd:
    """A CustomResourceDefinition whose names the API server would take.

    `raw` is the whole document in its v1 form; `source` is the input as the user named it, with forward slashes, "-"
    for standard input. Two of them are equal if they say the same, wherever they stood.
    """

    group: str
    kind: str
    plural: str
    singular: str
    list_kind: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    scope: Literal["Cluster", "Namespaced"]
    versions: tuple[CrdVersion, ...]
    raw: Mapping[str, Any]
    source: str
    find: Callable[[Path], Location] | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the CRD as an object, which is also its resource: `memcacheds.cache.example.com`."""
        return f"{self.plural}.{self.group}"

    @property
    def definition(self) -> Mapping[str, Any]:
        """What decides what is generated: `spec`, without what differs from cluster to cluster."""
        spec: Mapping[str, Any] = self.raw["spec"]
        return spec

    def locate(self, path: Path = ()) -> Location:
        """Return where a path of the document (in its v1 form) stands; the text is parsed for places only now."""
        return self.find(path) if self.find else Location(self.source)


@dataclass(frozen=True)
class OpenApiDocument:
    """An OpenAPI v3 document of one group and version, as a cluster serves it under /openapi/v3; core has group ""."""

    source: str
    group: str
    version: str
    raw: Mapping[str, Any]


@dataclass(frozen=True)
class Loaded:
    """All that the inputs held, in their order; `problems` are warnings and notes by place, errors have been raised."""

    crds: tuple[Crd, ...] = ()
    documents: tuple[OpenApiDocument, ...] = ()
    problems: tuple[Problem, ...] = ()
