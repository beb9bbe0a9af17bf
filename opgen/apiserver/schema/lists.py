"""The invariants of `x-kubernetes-list-type`: no member twice in a set, no key twice in a map."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.schema.node import Node, json_key
from opgen.apiserver.status import FieldError, duplicate, invalid_value

__all__ = ["list_errors"]


def list_errors(value: Any, node: Node) -> list[FieldError]:
    """Return the duplicates in the lists of `value`."""
    errors: list[FieldError] = []
    _visit(value, node, "", errors)
    return errors


def _visit(value: Any, node: Node, path: str, errors: list[FieldError]) -> None:
    if isinstance(value, dict):
        properties = node.properties
        for key, item in value.items():
            if not isinstance(item, dict | list):
                continue
            child = properties.get(key)
            if child is not None:
                _visit(item, child, f"{path}.{key}" if path else key, errors)
            elif isinstance(node.additional, Node):
                _visit(item, node.additional, f"{path}[{key}]", errors)
    elif isinstance(value, list):
        if value:
            if node.list_type == "set":
                _set(value, path, errors)
            elif node.list_type == "map":
                _map(value, node, path, errors)
        if node.items is not None:
            for index, item in enumerate(value):
                if isinstance(item, dict | list):
                    _visit(item, node.items, f"{path}[{index}]", errors)


def _set(value: list[Any], path: str, errors: list[FieldError]) -> None:
    seen: set[str] = set()
    reported: set[str] = set()
    for index, item in enumerate(value):
        key = json_key(item)
        if key in seen and key not in reported:
            reported.add(key)
            errors.append(duplicate(f"{path}[{index}]", item))
        seen.add(key)


def _map(value: list[Any], node: Node, path: str, errors: list[FieldError]) -> None:
    seen: set[str] = set()
    reported: set[str] = set()
    for index, item in enumerate(value):
        if item is None:
            continue
        if not isinstance(item, dict):
            text = "must be an object for an array of list-type map"
            errors.append(invalid_value(f"{path}[{index}]", item, text))
            continue
        found = {k: item[k] for k in sorted(node.map_keys) if k in item}
        key = json_key(found)
        if key in seen and key not in reported:
            reported.add(key)
            errors.append(duplicate(f"{path}[{index}]", found))
        seen.add(key)
