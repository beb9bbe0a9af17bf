"""Schema-aware operations on objects: field set, comparison, merge, removal.

Ports of structured-merge-diff's `tofieldset`, `compare`, `merge` and `remove` walkers (v6); the schema is a
`Node` tree, and None stands for values whose type is deduced: maps are granular, lists atomic.
"""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.apply.sets import FieldSet, is_member, value_text
from opgen.apiserver.schema.node import Node

__all__ = [
    "ABSENT",
    "compare",
    "Comparison",
    "DuplicateItem",
    "element",
    "ensure_named",
    "list_node",
    "merge",
    "remove",
    "to_set",
]

ABSENT: Final = object()


class DuplicateItem(ValueError):
    """An applied associative list has two items of one key."""


def _child(node: Node | None, key: str) -> tuple[Node | None, bool]:
    """Return the node of a map's entry, and whether it is a field of the struct."""
    if node is None:
        return None, False
    found = node.properties.get(key)
    if found is not None:
        return found, True
    return (node.additional if isinstance(node.additional, Node) else None), False


def _atomic_map(node: Node | None) -> bool:
    return node is not None and node.map_type == "atomic"


def list_node(node: Node | None) -> Node | None:
    """Return the node of an associative list, None for an atomic one."""
    if node is not None and node.list_type in ("set", "map"):
        return node
    return None


def element(item: Any, node: Node) -> str:
    """Return the path element of an item of the associative list that `node` describes."""
    if node.list_type == "set":
        return "v:" + value_text(item)
    keys: dict[str, Any] = {}
    if isinstance(item, dict):
        for name in node.map_keys:
            if name in item and item[name] is not None:
                keys[name] = item[name]
            elif node.items is not None:
                child = node.items.properties.get(name)
                if child is not None and child.has_default:
                    keys[name] = child.default
    return "k:" + value_text(keys)


def to_set(value: Any, node: Node | None) -> FieldSet:
    """Return the set of fields that `value`, an object as applied, names."""
    out: FieldSet = {}
    if isinstance(value, dict):
        for key, item in value.items():
            below, known = _child(node, key)
            made = _set_of(item, below, not known)
            if made is not None:
                out["f:" + key] = made
    return out


def _set_of(value: Any, node: Node | None, member: bool) -> FieldSet | None:
    if isinstance(value, dict):
        if not value or _atomic_map(node):
            return {}
        below = to_set(value, node)
        if not below:
            return {} if member else None
        return {".": {}, **below} if member else below
    if isinstance(value, list):
        items = list_node(node)
        if items is None:
            return {}
        below = {}
        for item in value:
            made = _set_of(item, items.items, True)
            below[element(item, items)] = made if made is not None else {}
        if not below:
            return {} if member else None
        return {".": {}, **below} if member else below
    return {}


class Comparison:
    """What differs between two objects: sets of fields added, modified and removed."""

    __slots__ = ("added", "modified", "removed")

    def __init__(self) -> None:
        """Start without differences."""
        self.added: FieldSet = {}
        self.modified: FieldSet = {}
        self.removed: FieldSet = {}


def compare(old: Any, new: Any, node: Node | None) -> Comparison:
    """Compare two objects field by field."""
    out = Comparison()
    out.added, out.modified, out.removed = _compare_map(old, new, node)
    return out


_Three = tuple[FieldSet, FieldSet, FieldSet]


def _whole(value: Any, node: Node | None) -> FieldSet:
    """The set of all fields of a value that is on one side only: every element is a member."""
    if isinstance(value, dict) and value and not _atomic_map(node):
        out: FieldSet = {".": {}}
        for key, item in value.items():
            out["f:" + key] = _whole(item, _child(node, key)[0])
        return out
    if isinstance(value, list) and value:
        items = list_node(node)
        if items is not None:
            made: FieldSet = {".": {}}
            for item in value:
                key = element(item, items)
                made[key] = {} if key in made else _whole(item, items.items)
            return made
    return {}


def _compare(
    old: Any, new: Any, node: Node | None
) -> tuple[FieldSet | None, FieldSet | None, FieldSet | None]:
    """Compare an element on both sides; None where it is not in that set at all."""
    if old is ABSENT:
        return _whole(new, node), None, None
    if new is ABSENT:
        return None, None, _whole(old, node)
    if old is new:
        return None, None, None
    if isinstance(old, dict) and isinstance(new, dict) and not _atomic_map(node):
        if not old and not new:
            return None, None, None
        added, modified, removed = _compare_map(old, new, node)
        return added or None, modified or None, removed or None
    if isinstance(old, list) and isinstance(new, list) and (old or new):
        items = list_node(node)
        if items is not None:
            added, modified, removed = _compare_list(old, new, items)
            return added or None, modified or None, removed or None
    if _is_map(old, new) and not _atomic_map(node):
        return _null_and_map(old, new, node)
    return (None, None, None) if _same(old, new) else (None, {}, None)


def _same(old: Any, new: Any) -> bool:
    return bool(old == new) and (old is True or old is False) == (new is True or new is False)


def _is_map(old: Any, new: Any) -> bool:
    return (old is None and isinstance(new, dict) and bool(new)) or (
        new is None and isinstance(old, dict) and bool(old)
    )


def _null_and_map(
    old: Any, new: Any, node: Node | None
) -> tuple[FieldSet | None, FieldSet | None, FieldSet | None]:
    added, modified, removed = _compare_map(old or {}, new or {}, node)
    return added or None, modified or None, removed or None


def _compare_map(old: Any, new: Any, node: Node | None) -> _Three:
    added: FieldSet = {}
    modified: FieldSet = {}
    removed: FieldSet = {}
    for key, value in new.items():
        before = old.get(key, ABSENT)
        if before is value:
            continue
        a, m, r = _compare(before, value, _child(node, key)[0])
        name = "f:" + key
        if a is not None:
            added[name] = a
        if m is not None:
            modified[name] = m
        if r is not None:
            removed[name] = r
    for key, value in old.items():
        if key not in new:
            removed["f:" + key] = _whole(value, _child(node, key)[0])
    return added, modified, removed


def _index(values: list[Any], node: Node) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for item in values:
        out.setdefault(element(item, node), []).append(item)
    return out


def _compare_list(old: list[Any], new: list[Any], node: Node) -> _Three:
    added: FieldSet = {}
    modified: FieldSet = {}
    removed: FieldSet = {}
    left, right = _index(old, node), _index(new, node)
    for key in {**left, **right}:
        before, after = left.get(key, []), right.get(key, [])
        if len(before) <= 1 and len(after) <= 1:
            a, m, r = _compare(
                before[0] if before else ABSENT, after[0] if after else ABSENT, node.items
            )
        elif len(before) >= 2 and len(after) >= 2:
            a, m, r = None, (None if before == after else {}), None
        elif len(before) >= 2:
            a = _whole(after[0], node.items) if after else None
            m, r = None, {}
        else:
            a, m = {}, None
            r = _whole(before[0], node.items) if before else None
        for target, made in ((added, a), (modified, m), (removed, r)):
            if made is not None:
                target[key] = made
    return added, modified, removed


def merge(old: Any, new: Any, node: Node | None) -> Any:
    """Return `old` with the applied `new` merged in; raises `DuplicateItem`. Parts may be shared with both."""
    if new is ABSENT:
        return old
    if old is ABSENT:
        if not new or not isinstance(new, dict | list):
            return new
        old = {} if isinstance(new, dict) else []
    if isinstance(new, dict) and not _atomic_map(node) and isinstance(old, dict | None):
        if not new and not old:
            return new
        out = dict(old or {})
        for key, value in new.items():
            out[key] = merge(out.get(key, ABSENT), value, _child(node, key)[0])
        return out
    if isinstance(new, list) and isinstance(old, list | None):
        items = list_node(node)
        if items is not None and (new or old):
            return _merge_list(old or [], new, items)
    if new is None and isinstance(old, dict) and old and not _atomic_map(node):
        return dict(old)
    if new is None and isinstance(old, list) and old and list_node(node) is not None:
        return list(old)
    return new


def _merge_list(old: list[Any], new: list[Any], node: Node) -> list[Any]:
    left = [element(i, node) for i in old]
    right = [element(i, node) for i in new]
    by_left: dict[str, Any] = {}
    for key, item in zip(left, old, strict=True):
        by_left.setdefault(key, item)
    by_right: dict[str, Any] = {}
    for key, item in zip(right, new, strict=True):
        if key in by_right:
            raise DuplicateItem(key)
        by_right[key] = item
    shared = [k for k in right if k in by_left]
    out: list[Any] = []
    done: set[str] = set()
    li = ri = 0

    def take(key: str) -> None:
        done.add(key)
        out.append(merge(by_left.get(key, ABSENT), by_right[key], node.items))
        if shared and shared[0] == key:
            shared.pop(0)

    while li < len(left) or ri < len(right):
        if li < len(left) and ri < len(right):
            key = left[li]
            if key == right[ri]:
                take(key)
                li += 1
                ri += 1
                continue
            if key in by_right and shared and shared[0] != key:
                li += 1
                continue
        if li < len(left):
            key = left[li]
            if key not in by_right:
                out.append(old[li])
                li += 1
                continue
            if key in done:
                li += 1
        if ri < len(right):
            take(right[ri])
            ri += 1
    return out


def remove(value: Any, gone: FieldSet, node: Node | None) -> Any:
    """Return `value` without the fields in `gone`; None where nothing is left of it."""
    if isinstance(value, dict):
        if not value or _atomic_map(node):
            return None
        out: dict[str, Any] = {}
        for key, item in value.items():
            below = gone.get("f:" + key)
            if below is None:
                out[key] = item
            elif not is_member(below):
                out[key] = remove(item, below, _child(node, key)[0])
        return out or None
    if isinstance(value, list):
        items = list_node(node)
        if items is None or not value:
            return None
        made: list[Any] = []
        for item in value:
            below = gone.get(element(item, items))
            if below is None:
                made.append(item)
            elif not is_member(below):
                made.append(remove(item, below, items.items))
        return made or None
    return value


def ensure_named(found: FieldSet, node: Node | None) -> FieldSet:
    """Return the set with every struct field on the way to a member made a member too."""
    out: FieldSet = {}
    for key, child in found.items():
        if key == ".":
            out[key] = child
            continue
        below: Node | None = None
        known = False
        if key.startswith("f:"):
            below, known = _child(node, key[2:])
        elif node is not None:
            below = node.items
        made = ensure_named(child, below)
        if made and known and "." not in made:
            made = {".": {}, **made}
        out[key] = made
    return out
