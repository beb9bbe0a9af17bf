"""Whether an applied object fits the schema as far as apply looks: declared fields, kinds of values, unique keys."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.apply.sets import path_text, value_text
from opgen.apiserver.apply.walk import element, list_node
from opgen.apiserver.schema.node import Node

__all__ = ["typed_errors"]


def typed_errors(value: Any, node: Node) -> str:
    """Return what is wrong in structured-merge-diff's words, empty if nothing is."""
    found: list[str] = []
    _visit(value, node, "", found)
    if len(found) < 2:
        return found[0] if found else ""
    return "errors:\n" + "\n".join(f"  {text}" for text in found)


def _go(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    return "map[string]interface {}" if isinstance(value, dict) else "[]interface {}"


def _visit(value: Any, node: Node | None, path: str, found: list[str]) -> None:
    if value is None or node is None:
        return
    kind = node.types[0] if len(node.types) == 1 else ""
    if node.preserve and not node.properties and node.additional is None:
        return
    if kind == "object":
        if not isinstance(value, dict):
            found.append(f"{path}: expected map, got &{{{value_text(value)}}}")
            return
        _map(value, node, path, found)
    elif kind == "array":
        if not isinstance(value, list):
            found.append(f"{path}: expected list, got &{{{value_text(value)}}}")
            return
        _list(value, node, path, found)
    elif kind == "string" and not isinstance(value, str):
        found.append(
            f"{path}: expected string, got &value.valueUnstructured{{Value:{value_text(value)}}}"
        )
    elif kind == "boolean" and not isinstance(value, bool):
        found.append(f"{path}: expected boolean, got &{{{value_text(value)}}}")
    elif kind in ("integer", "number") and (
        isinstance(value, bool) or not isinstance(value, int | float)
    ):
        found.append(f"{path}: expected numeric (int or float), got {_go(value)}")


def _map(value: dict[str, Any], node: Node, path: str, found: list[str]) -> None:
    own = ("apiVersion", "kind", "metadata") if node.root or node.embedded else ()
    for key, item in value.items():
        child = node.properties.get(key)
        if child is not None:
            _visit(item, child, f"{path}.{key}", found)
        elif isinstance(node.additional, Node):
            _visit(item, node.additional, f"{path}.{key}", found)
        elif node.properties and not node.preserve and key not in own:
            found.append(f"{path}.{key}: field not declared in schema")


def _list(value: list[Any], node: Node, path: str, found: list[str]) -> None:
    items = list_node(node)
    seen: set[str] = set()
    for index, item in enumerate(value):
        at = f"{path}[{index}]"
        if items is not None:
            key = element(item, items)
            shown = path_text((key,))
            at = path + shown
            if key in seen:
                found.append(f"{path}: duplicate entries for key {shown}")
            seen.add(key)
        _visit(item, node.items, at, found)
