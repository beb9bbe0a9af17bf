"""The `Table` and `PartialObjectMetadata` forms of objects, which `kubectl get` shows."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

from opgen.apiserver.call import Call
from opgen.apiserver.jsonpath import JsonPathError, compile_path
from opgen.apiserver.printers import CREATED, NAME, age, printer_of
from opgen.apiserver.status import bad_request, quote

__all__ = ["partial_metadata", "table"]

Object = dict[str, Any]
_INCLUDES: Final = ("", "Metadata", "Object", "None")


def partial_metadata(objects: list[Object], meta: Object, version: str, single: bool) -> Object:
    """Return only the metadata of objects."""
    api = f"meta.k8s.io/{version}"
    items = [_partial(obj, api) for obj in objects]
    if single:
        return items[0]
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": api,
        "metadata": meta,
        "items": items,
    }


def _partial(obj: Object, api: str) -> Object:
    return {"kind": "PartialObjectMetadata", "apiVersion": api, "metadata": obj["metadata"]}


def table(call: Call, objects: list[Object], meta: Object, version: str) -> Object:
    """Return objects as rows.

    Raises:
        StatusError: 400 for a bad `includeObject`.
    """
    api = f"meta.k8s.io/{version}"
    include = call.request.first("includeObject")
    if include not in _INCLUDES:
        raise bad_request(
            f"Unable to convert to Table as requested: includeObject: Invalid value: {quote(include)}: "
            "must be 'Metadata', 'Object', 'None', or empty"
        )
    now = call.tools.clock()
    columns, cells = _custom(call) if call.kind.custom else _built_in(call)
    rows = []
    for obj in objects:
        row: Object = {"cells": cells(obj, now)}
        row["object"] = (
            None if include == "None" else obj if include == "Object" else _partial(obj, api)
        )
        rows.append(row)
    return {
        "kind": "Table",
        "apiVersion": api,
        "metadata": meta,
        "columnDefinitions": columns,
        "rows": rows,
    }


def _column(name: str, type_: str, description: str, priority: int = 0, form: str = "") -> Object:
    return {
        "name": name,
        "type": type_,
        "format": form,
        "description": description,
        "priority": priority,
    }


def _built_in(call: Call) -> tuple[list[Object], Any]:
    printer = printer_of(call.kind)
    return [_column(*spec) for spec in printer.columns], printer.cells


def _custom(call: Call) -> tuple[list[Object], Any]:
    columns = [_column("Name", "string", NAME, 0, "name")]
    given = call.kind.columns
    if not given:
        columns.append(_column("Age", "date", CREATED))
        given = ({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},)
    else:
        for column in given:
            path = column.get("jsonPath", "")
            description = (
                column.get("description")
                or f"Custom resource definition column (in JSONPath format): {path}"
            )
            columns.append(
                _column(
                    column["name"],
                    column["type"],
                    description,
                    column.get("priority", 0),
                    column.get("format", ""),
                )
            )
    readers = [(c["type"], _reader(c.get("jsonPath", ""))) for c in given]

    def cells(obj: Object, now: datetime) -> list[Any]:
        return [obj["metadata"]["name"], *(_cell(read(obj), type_, now) for type_, read in readers)]

    return columns, cells


def _reader(path: str) -> Any:
    try:
        return compile_path(path)
    except JsonPathError:
        return lambda value: []


def _cell(found: list[Any], type_: str, now: datetime) -> Any:
    if not found or found[0] is None:
        return None
    value = found[0]
    if type_ == "date":
        return age(value, now) if isinstance(value, str) else "<unknown>"
    if type_ == "integer":
        return (
            int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        )
    if type_ == "number":
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if type_ == "boolean":
        return value if isinstance(value, bool) else None
    if len(found) > 1:
        return ",".join(_text(v) for v in found)
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
