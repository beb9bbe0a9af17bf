"""CRDs of apiextensions.k8s.io/v1beta1 in the form of v1, and back from its paths to where things stand in the text.

What stood at the top of v1beta1 (`validation`, `subresources`, `additionalPrinterColumns`, `version`) stands at each
version in v1, by the rules of the API server's own conversion. `preserveUnknownFields` was true there unless told
otherwise, and meant every object of the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opgen.crd.model import Path

__all__ = ["as_v1", "opened", "original_path"]

V1 = "apiextensions.k8s.io/v1"
_FREE = "x-kubernetes-preserve-unknown-fields"
_MOVED = {
    "schema": "validation",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}


def as_v1(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a v1beta1 document in the form of v1; what is malformed stays as it is, for the reader to complain of."""
    spec = raw.get("spec")
    if not isinstance(spec, Mapping):
        return {**raw, "apiVersion": V1}
    top = {new: spec[old] for new, old in _MOVED.items() if spec.get(old) is not None}
    entries = spec.get("versions")
    if not entries and spec.get("version") is not None:
        entries = [{"name": spec["version"], "served": True, "storage": True}]
    free = spec.get("preserveUnknownFields") is not False
    versions = entries
    if isinstance(entries, list):
        versions = [
            _version(entry, top, free) if isinstance(entry, Mapping) else entry for entry in entries
        ]
    gone = {*_MOVED.values(), "preserveUnknownFields", "version"}
    kept = {key: value for key, value in spec.items() if key not in gone}
    kept.setdefault("scope", "Namespaced")
    return {**raw, "apiVersion": V1, "spec": {**kept, "versions": versions}}


def _version(entry: Mapping[str, Any], top: Mapping[str, Any], free: bool) -> dict[str, Any]:
    made = {**top, **{key: value for key, value in entry.items() if value is not None}}
    columns = made.get("additionalPrinterColumns")
    if isinstance(columns, list):
        made["additionalPrinterColumns"] = [
            {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()}
            if isinstance(column, Mapping)
            else column
            for column in columns
        ]
    schema = made.get("schema")
    if free and isinstance(schema, Mapping) and isinstance(schema.get("openAPIV3Schema"), Mapping):
        made["schema"] = {**schema, "openAPIV3Schema": opened(schema["openAPIV3Schema"])}
    return made


def opened(schema: Mapping[str, Any], root: bool = True) -> dict[str, Any]:
    """Return a schema whose objects all keep what it does not name, as `preserveUnknownFields: true` has it."""
    out = dict(schema)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        made: dict[str, Any] = {}
        for name, sub in properties.items():
            made[name] = (
                opened(sub, False)
                if isinstance(sub, Mapping) and not (root and name == "metadata")
                else sub
            )
        out["properties"] = made
    for key in ("items", "additionalProperties"):
        sub = schema.get(key)
        if isinstance(sub, Mapping):
            out[key] = opened(sub, False)
    is_map = isinstance(schema.get("additionalProperties"), Mapping)
    if root or (not is_map and (schema.get("type") == "object" or isinstance(properties, Mapping))):
        out[_FREE] = True
    return out


def original_path(raw: Mapping[str, Any], path: Path) -> Path:
    """Return where something of the v1 form stood in a v1beta1 document."""
    spec = raw.get("spec")
    if len(path) < 4 or path[:2] != ("spec", "versions") or not isinstance(spec, Mapping):
        return path
    entries, index, key, rest = spec.get("versions"), path[2], path[3], path[4:]
    entry: Any = None
    if isinstance(entries, list) and isinstance(index, int) and index < len(entries):
        entry = entries[index]
    if key == "name" and not entries:
        return ("spec", "version")
    if key == "additionalPrinterColumns":
        rest = tuple("JSONPath" if part == "jsonPath" else part for part in rest)
    if isinstance(entry, Mapping) and entry.get(str(key)) is not None:
        return (*path[:4], *rest)
    return ("spec", _MOVED[str(key)], *rest) if key in _MOVED else path
