"""Objects inside objects: `x-kubernetes-embedded-resource` wants apiVersion, kind and proper metadata.

Follows `apiextensions-apiserver/pkg/apiserver/schema/objectmeta`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from opgen.apiserver.names import dns_label_1035, path_segment, validate_metadata
from opgen.apiserver.schema.node import Node
from opgen.apiserver.status import FieldError, invalid_value, required

__all__ = ["coerce_embedded", "embedded_errors"]


def _embedded(value: Any, node: Node, path: str) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        if node.embedded:
            yield value, path
        for key, item in value.items():
            child = node.child(key)
            if child is not None:
                yield from _embedded(item, child, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and node.items is not None:
        for index, item in enumerate(value):
            yield from _embedded(item, node.items, f"{path}[{index}]")


def coerce_embedded(obj: dict[str, Any], node: Node) -> list[str]:
    """Decode the metadata of embedded objects, in place; return the paths of unknown fields.

    Raises:
        Mismatch: metadata has the wrong types.
    """
    if not node.has_embedded:
        return []
    from opgen.apiserver.builtin import object_meta
    from opgen.apiserver.typed import Mismatch, decode_struct

    unknown: list[str] = []
    for value, path in _embedded(obj, node, ""):
        meta = value.get("metadata")
        if meta is None:
            continue
        try:
            made, extra, _ = decode_struct(meta, object_meta(), "ObjectMeta", f"{path}.metadata")
        except Mismatch as error:
            shown = json.dumps(meta, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
            raise Mismatch(f"{path}.metadata: Invalid value: {shown}: {error}") from None
        unknown += extra
        value["metadata"] = made
    return unknown


def embedded_errors(obj: dict[str, Any], node: Node) -> list[FieldError]:
    """Return what is wrong with the embedded objects' apiVersion, kind and metadata."""
    if not node.has_embedded:
        return []
    errors: list[FieldError] = []
    for value, path in _embedded(obj, node, ""):
        api, kind = value.get("apiVersion"), value.get("kind")
        if not api:
            errors.append(required(f"{path}.apiVersion"))
        elif not isinstance(api, str) or api.count("/") > 1:
            errors.append(
                invalid_value(f"{path}.apiVersion", api, f"unexpected GroupVersion string: {api}")
            )
        if not kind:
            errors.append(required(f"{path}.kind"))
        elif isinstance(kind, str):
            errors += [
                invalid_value(
                    f"{path}.kind", kind, f"may have mixed case, but should otherwise match: {text}"
                )
                for text in dns_label_1035(kind.lower())
            ]
        meta = value.get("metadata")
        if isinstance(meta, dict):
            errors += [
                e
                for e in validate_metadata(meta, False, path_segment, f"{path}.metadata")
                if e.reason != "FieldValueRequired" and e.field != f"{path}.metadata.namespace"
            ]
    return errors
