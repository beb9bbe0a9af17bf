"""Strategic merge patch: lists of built-in kinds merge by key, `$patch` directives say otherwise."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.schema.node import Node, copy_json
from opgen.apiserver.status import bad_request

__all__ = ["strategic_merge"]

Object = dict[str, Any]


def strategic_merge(target: Any, patch: Any, node: Node | None) -> Any:
    """Return `target` with the strategic merge patch applied; `target` may be changed.

    Raises:
        StatusError: 400 where the patch has the wrong shape.
    """
    if not isinstance(patch, dict):
        raise bad_request("unable to apply the patch: it is not an object")
    return _map(target if isinstance(target, dict) else {}, patch, node)


def _map(target: Object, patch: Object, node: Node | None) -> Object:
    directive = patch.get("$patch")
    if directive == "replace":
        return copy_json({k: v for k, v in patch.items() if k != "$patch"})  # type: ignore[no-any-return]
    if directive == "delete":
        return {}
    retain = patch.get("$retainKeys")
    if isinstance(retain, list):
        target = {k: v for k, v in target.items() if k in retain}
    out = dict(target)
    orders = {
        k.removeprefix("$setElementOrder/"): v
        for k, v in patch.items()
        if k.startswith("$setElementOrder/")
    }
    for key, value in patch.items():
        if key.startswith("$deleteFromPrimitiveList/"):
            name = key.split("/", 1)[1]
            out[name] = [i for i in out.get(name) or [] if i not in value]
            continue
        if key.startswith("$"):
            continue
        child = node.child(key) if node is not None else None
        if value is None:
            out.pop(key, None)
        elif isinstance(value, dict):
            found = out.get(key)
            out[key] = _map(found if isinstance(found, dict) else {}, value, child)
        elif isinstance(value, list):
            found = out.get(key)
            before = found if isinstance(found, list) else []
            out[key] = _list(before, value, child)
            if (
                _merges(child)
                and key not in orders
                and not any(isinstance(i, dict) and i.get("$patch") == "replace" for i in value)
            ):
                kept = [i for i in value if not (isinstance(i, dict) and "$patch" in i)]
                out[key] = _ordered(out[key], kept, before, child)
        else:
            out[key] = value
    for key, order in orders.items():
        if isinstance(out.get(key), list):
            before = target.get(key) or []
            out[key] = _ordered(
                out[key], order, before, node.child(key) if node is not None else None
            )
    return out


def _merge_key(node: Node | None) -> str:
    return str(node.schema.get("x-kubernetes-patch-merge-key", "")) if node is not None else ""


def _merges(node: Node | None) -> bool:
    strategy = str(node.schema.get("x-kubernetes-patch-strategy", "")) if node is not None else ""
    return "merge" in strategy.split(",")


def _list(target: list[Any], patch: list[Any], node: Node | None) -> list[Any]:
    if not _merges(node):
        return [copy_json(_plain(i)) for i in patch]
    key = _merge_key(node)
    items = node.items if node is not None else None
    if not key:
        return target + [i for i in patch if i not in target]
    if any(isinstance(i, dict) and i.get("$patch") == "replace" for i in patch):
        return [copy_json(i) for i in patch if not (isinstance(i, dict) and "$patch" in i)]
    out = list(target)
    for item in patch:
        if not isinstance(item, dict) or key not in item:
            raise bad_request(f"map: {item} does not contain declared merge key: {key}")
        at = next(
            (n for n, t in enumerate(out) if isinstance(t, dict) and t.get(key) == item[key]), None
        )
        if item.get("$patch") == "delete":
            out = [t for t in out if not (isinstance(t, dict) and t.get(key) == item[key])]
        elif at is None:
            out.append(_map({}, item, items))
        else:
            out[at] = _map(out[at], item, items)
    return out


def _plain(item: Any) -> Any:
    if isinstance(item, dict):
        return {k: v for k, v in item.items() if not k.startswith("$")}
    return item


def _ordered(
    values: list[Any], order: list[Any], before: list[Any], node: Node | None
) -> list[Any]:
    """Put the items of the patch in its order, and the others between them as their old order says."""
    key = _merge_key(node)

    def name(item: Any) -> Any:
        return item.get(key) if key and isinstance(item, dict) else item

    wanted = [name(o) for o in order]
    old = [name(b) for b in before]
    mine = sorted((v for v in values if name(v) in wanted), key=lambda v: wanted.index(name(v)))
    theirs = [v for v in values if name(v) not in wanted]
    out: list[Any] = []
    while mine and theirs:
        left, right = name(theirs[0]), name(mine[0])
        first = left in old and right in old and old.index(left) < old.index(right)
        out.append(theirs.pop(0) if first else mine.pop(0))
    return out + theirs + mine
