"""The `Table` and `PartialObjectMetadata` forms of objects."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.call import Call

__all__ = ["partial_metadata", "table"]

Object = dict[str, Any]


def partial_metadata(objects: list[Object], meta: Object, version: str, single: bool) -> Object:
    """Return only the metadata of objects."""
    api = f"meta.k8s.io/{version}"
    items: list[Object] = [
        {"kind": "PartialObjectMetadata", "apiVersion": api, "metadata": obj["metadata"]} for obj in objects
    ]
    if single:
        return items[0]
    return {"kind": "PartialObjectMetadataList", "apiVersion": api, "metadata": meta, "items": items}


def table(call: Call, objects: list[Object], meta: Object, version: str, single: bool) -> Object:
    """Return objects as rows."""
    api = f"meta.k8s.io/{version}"
    columns = [
        {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
        {"name": "Created At", "type": "date", "format": "", "description": "", "priority": 0},
    ]
    rows = [
        {
            "cells": [obj["metadata"]["name"], obj["metadata"].get("creationTimestamp", "<unknown>")],
            "object": {"kind": "PartialObjectMetadata", "apiVersion": api, "metadata": obj["metadata"]},
        }
        for obj in objects
    ]
    return {"kind": "Table", "apiVersion": api, "metadata": meta, "columnDefinitions": columns, "rows": rows}
