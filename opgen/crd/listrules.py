"""Rules of x-kubernetes-list-type, its keys, and x-kubernetes-map-type (apiextensions v1; OPG126)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opgen.crd.names import shown
from opgen.crd.read import what_it_is
from opgen.crd.trail import Faults, Trail

__all__ = ["check_list", "check_map_type"]

_TYPE = "x-kubernetes-list-type"
_KEYS = "x-kubernetes-list-map-keys"
_MAP_TYPE = "x-kubernetes-map-type"


def check_list(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    """Add what is wrong with the list-type of a node and its keys."""
    kind, keys, items = schema.get(_TYPE), schema.get(_KEYS), schema.get("items")
    if kind is None:
        if keys:
            faults.add("OPG126", trail / _KEYS, f'"{_KEYS}" stands without "{_TYPE}: map"')
        return
    if kind not in ("atomic", "map", "set"):
        text = f'"{_TYPE}" is {what_it_is(kind)}, expected atomic, map or set'
        faults.add("OPG126", trail / _TYPE, text)
    if schema.get("type") != "array":
        text = f'"{_TYPE}" is for arrays, the type is {what_it_is(schema.get("type"))}'
        faults.add("OPG126", trail / _TYPE, text)
    if keys and kind != "map":
        faults.add(
            "OPG126", trail / _KEYS, f'"{_KEYS}" is for list-type map, this is {shown(kind)}'
        )
    if kind == "map" and not keys:
        faults.add(
            "OPG126",
            trail,
            f'a list-type map has no "{_KEYS}", expected the fields that tell items apart',
        )
    if not isinstance(items, Mapping):
        return
    if kind in ("map", "set") and items.get("nullable") is True:
        faults.add(
            "OPG126",
            trail / "items" / "nullable",
            f"items of a list-type {kind} must not be nullable",
        )
    if kind == "set":
        _check_set(items, trail / "items", faults)
    elif kind == "map":
        _check_map(items, keys or [], trail, faults)


def _check_set(items: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    if items.get("type") == "object" and items.get(_MAP_TYPE) != "atomic":
        faults.add("OPG126", trail, f'objects in a list-type set need "{_MAP_TYPE}: atomic"')
    if items.get("type") == "array" and items.get(_TYPE) not in (None, "atomic"):
        faults.add("OPG126", trail / _TYPE, "arrays in a list-type set must be atomic")


def _check_map(items: Mapping[str, Any], keys: list[Any], trail: Trail, faults: Faults) -> None:
    if items.get("type") != "object":
        text = f"the type of items of a list-type map is {what_it_is(items.get('type'))}, expected object"
        faults.add("OPG126", trail / "items", text)
        return
    properties, required = items.get("properties"), items.get("required")
    for i, key in enumerate(keys):
        field = (
            properties.get(key)
            if isinstance(properties, Mapping) and isinstance(key, str)
            else None
        )
        if key in keys[:i]:
            faults.add("OPG126", trail / _KEYS / i, f"the key {what_it_is(key)} stands twice")
        elif not isinstance(field, Mapping):
            faults.add(
                "OPG126", trail / _KEYS / i, f"the key {what_it_is(key)} is no field of the items"
            )
        else:
            here = trail / "items" / "properties" / key
            if field.get("type") in ("array", "object"):
                text = f"the key of a list-type map is of type {field['type']}, expected a scalar"
                faults.add("OPG126", here, text)
            if field.get("default") is None and key not in (
                required if isinstance(required, list) else ()
            ):
                text = (
                    "the key of a list-type map is optional, expected it required or with a default"
                )
                faults.add("OPG126", here, text)
            if field.get("nullable") is True:
                faults.add(
                    "OPG126", here / "nullable", "the key of a list-type map must not be nullable"
                )


def check_map_type(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    """Add what is wrong with the map-type of a node."""
    kind = schema.get(_MAP_TYPE)
    if kind is None:
        return
    if kind not in ("atomic", "granular"):
        text = f'"{_MAP_TYPE}" is {what_it_is(kind)}, expected atomic or granular'
        faults.add("OPG126", trail / _MAP_TYPE, text)
    if schema.get("type") != "object":
        text = f'"{_MAP_TYPE}" is for objects, the type is {what_it_is(schema.get("type"))}'
        faults.add("OPG126", trail / _MAP_TYPE, text)
