"""Prune what the schema does not know, fill in defaults, drop nulls: what decoding does to a custom resource."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.schema.node import Node, copy_json

__all__ = ["clean", "fill", "unknown_fields"]

_META: Final = frozenset(("apiVersion", "kind", "metadata"))


def _own(node: Node) -> frozenset[str]:
    """The keys that every resource has and no schema need declare."""
    return _META if node.root or node.embedded else frozenset()


def unknown_fields(value: Any, node: Node, *, remove: bool = True) -> list[str]:
    """Return the paths of the fields that `node` does not know, in the order found, and take them out if `remove`."""
    found: list[str] = []
    _prune(value, node, "", found, remove)
    return found


def _prune(value: Any, node: Node | None, path: str, found: list[str], remove: bool) -> None:
    if node is not None and node.preserve:
        _skip(value, node, path, found, remove)
    elif isinstance(value, dict):
        own = _own(node) if node is not None else ()
        for key in list(value):
            if key in own:
                continue
            below = f"{path}.{key}" if path else key
            if node is not None:
                child = node.properties.get(key)
                if child is not None:
                    _prune(value[key], child, below, found, remove)
                    continue
                if node.additional is not None and node.additional is not False:
                    more = node.additional
                    if isinstance(more, Node):
                        _prune(value[key], more, below, found, remove)
                    continue
            found.append(below)
            if remove:
                del value[key]
    elif isinstance(value, list):
        items = node.items if node is not None else None
        for index, item in enumerate(value):
            _prune(item, items, f"{path}[{index}]", found, remove)


def _skip(value: Any, node: Node, path: str, found: list[str], remove: bool) -> None:
    if isinstance(value, dict):
        own = _own(node)
        for key in list(value):
            child = None if key in own else node.child(key)
            if child is not None:
                _prune(value[key], child, f"{path}.{key}" if path else key, found, remove)
    elif isinstance(value, list) and node.items is not None:
        for index, item in enumerate(value):
            _skip(item, node.items, f"{path}[{index}]", found, remove)


def clean(value: Any, node: Node) -> None:
    """Fill in the defaults of `node` and drop the nulls that are neither allowed nor defaulted, in place."""
    if node.has_defaults:
        fill(value, node)
    _drop_nulls(value, node)


def fill(value: Any, node: Node) -> None:
    """Fill in defaults, in place."""
    if type(value) is dict or isinstance(value, dict):
        properties = node.properties
        more = node.additional if isinstance(node.additional, Node) else None
        for name, child in properties.items():
            if child.has_default and (
                name not in value or (value[name] is None and not child.nullable)
            ):
                value[name] = copy_json(child.default)
        for key, item in value.items():
            found = properties.get(key)
            if found is None:
                if more is None:
                    continue
                if item is None and not more.nullable:
                    value[key] = item = copy_json(more.default)
                found = more
            if found.has_defaults and item is not None:
                fill(item, found)
    elif isinstance(value, list):
        node_items = node.items
        if node_items is not None and node_items.has_defaults:
            for index, item in enumerate(value):
                if item is None and not node_items.nullable:
                    value[index] = item = copy_json(node_items.default)
                fill(item, node_items)


def _drop_nulls(value: Any, node: Node) -> None:
    if isinstance(value, dict):
        properties = node.properties
        more = node.additional
        dead: list[str] | None = None
        for key, item in value.items():
            if item is None:
                child = properties.get(key)
                if child is None and isinstance(more, Node):
                    child = more
                if child is not None and not child.nullable:
                    if dead is None:
                        dead = []
                    dead.append(key)
            elif type(item) is dict or type(item) is list or isinstance(item, dict):
                child = properties.get(key)
                if child is None and isinstance(more, Node):
                    child = more
                if child is not None:
                    _drop_nulls(item, child)
        if dead is not None:
            for key in dead:
                del value[key]
    elif isinstance(value, list) and node.items is not None:
        for item in value:
            _drop_nulls(item, node.items)
