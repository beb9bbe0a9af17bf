"""What the API server asks of a CRD outside of its schemas, where opgen can generate all the same: a warning each.

The rules are those of apiextensions' ValidateCustomResourceDefinition: printer columns, the scale subresource,
selectable fields and deprecation warnings (OPG137).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from opgen.crd.model import Crd, CrdVersion, Path
from opgen.crd.names import shown
from opgen.crd.read import what_it_is
from opgen.errors import Problem

__all__ = ["check_spec"]

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MAX_FIELDS = 8
_MAX_WARNING = 256

_Fault = tuple[str, Path]


def check_spec(crd: Crd) -> tuple[Problem, ...]:
    """Return the warnings about a CRD outside of its schemas, each with its place."""
    found: list[Problem] = []
    for i, entry in enumerate(crd.definition["versions"]):
        path: Path = ("spec", "versions", i)
        version = next((one for one in crd.versions if one.name == entry.get("name")), None)
        if version is not None:
            for text, where in _version(version, entry, path):
                found.append(Problem("OPG137", text, crd.locate(where), severity="warning"))
    return tuple(found)


def _version(version: CrdVersion, entry: Mapping[str, Any], path: Path) -> Iterator[_Fault]:
    yield from _deprecation(version, (*path, "deprecationWarning"))
    columns = entry.get("additionalPrinterColumns")
    for i, column in enumerate(columns if isinstance(columns, list) else ()):
        yield from _column(column, (*path, "additionalPrinterColumns", i))
    if version.scale is not None:
        yield from _scale(version.scale, (*path, "subresources", "scale"))
    fields = entry.get("selectableFields")
    if isinstance(fields, list):
        yield from _fields(fields, version.schema, (*path, "selectableFields"))


def _deprecation(version: CrdVersion, path: Path) -> Iterator[_Fault]:
    text = version.deprecation_warning
    if text is None:
        return
    if not version.deprecated:
        yield (
            f'the version "{version.name}" has a deprecationWarning, expected deprecated: true with it',
            path,
        )
    if not text or len(text.encode("utf-8", "replace")) > _MAX_WARNING or not text.isprintable():
        yield (
            f"deprecationWarning is not one printable line, expected 1 to {_MAX_WARNING} bytes",
            path,
        )


def _column(column: Any, path: Path) -> Iterator[_Fault]:
    if not isinstance(column, Mapping):
        yield f"a printer column is {what_it_is(column)}, expected a mapping", path
        return
    name = column.get("name")
    if not isinstance(name, str) or not name:
        yield (
            f'"name" of a printer column is {what_it_is(name)}, expected a string',
            (*path, "name"),
        )
    kind = column.get("type")
    if kind not in _COLUMN_TYPES:
        yield (
            f'"type" of a printer column is {what_it_is(kind)}, expected {_one_of(_COLUMN_TYPES)}',
            (*path, "type"),
        )
    form = column.get("format")
    if form not in (None, "", *_COLUMN_FORMATS):
        text = f'"format" of a printer column is {what_it_is(form)}, expected {_one_of(_COLUMN_FORMATS)}'
        yield text, (*path, "format")
    where = column.get("jsonPath")
    if not isinstance(where, str) or not where.startswith("."):
        text = f'"jsonPath" of a printer column is {what_it_is(where)}, expected a path such as ".spec.replicas"'
        yield text, (*path, "jsonPath")


def _scale(scale: Mapping[str, Any], path: Path) -> Iterator[_Fault]:
    wanted = {
        "specReplicasPath": (".spec.",),
        "statusReplicasPath": (".status.",),
        "labelSelectorPath": (".spec.", ".status."),
    }
    for key, starts in wanted.items():
        value = scale.get(key)
        if key == "labelSelectorPath" and value in (None, ""):
            continue
        if not isinstance(value, str) or not value.startswith(starts):
            text = f'"{key}" is {what_it_is(value)}, expected a path that starts with {_one_of(starts)}'
            yield text, (*path, key)


def _fields(fields: list[Any], schema: Mapping[str, Any] | None, path: Path) -> Iterator[_Fault]:
    seen: set[str] = set()
    for i, one in enumerate(fields):
        where = (*path, i, "jsonPath")
        value = one.get("jsonPath") if isinstance(one, Mapping) else None
        if not isinstance(value, str) or not value:
            yield f'"jsonPath" of a selectable field is {what_it_is(value)}, expected a path', where
            continue
        if value in seen:
            yield f'the selectable field "{shown(value)}" stands twice', where
        seen.add(value)
        if not _is_selectable(value, schema):
            text = "expected the path of a string, boolean or integer of the schema, not in lists or metadata"
            yield f'the selectable field "{shown(value)}" is none, {text}', where
    if len(seen) > _MAX_FIELDS:
        yield f"there are {len(seen)} selectable fields, expected at most {_MAX_FIELDS}", path


def _is_selectable(value: str, schema: Any) -> bool:
    parts = value.split(".")
    if parts[0] or len(parts) < 2 or parts[1] == "metadata":
        return False
    for part in parts[1:]:
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        schema = properties.get(part) if isinstance(properties, Mapping) else None
    return isinstance(schema, Mapping) and schema.get("type") in ("string", "boolean", "integer")


def _one_of(words: tuple[str, ...]) -> str:
    return " or ".join(f'"{word}"' for word in words)
