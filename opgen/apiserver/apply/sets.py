"""Sets of field paths, in the form in which managedFields keep them (FieldsV1).

A set is a dict: keys are path elements (`f:name`, `k:{"name":"x"}`, `v:"member"`), values the sets below them.
An element is itself a member if its value is empty or has the key `.`. Sets are never changed once made, so
parts are shared freely.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

__all__ = [
    "difference",
    "FieldSet",
    "intersection",
    "is_member",
    "path_text",
    "paths",
    "union",
    "value_text",
    "without",
]

FieldSet = dict[str, Any]
# Made once: `json.dumps` with options makes an encoder a call, and there is a call for each item of each list.
value_text: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, sort_keys=True
).encode


def is_member(child: FieldSet) -> bool:
    """Whether an element with this value is itself a member."""
    return not child or "." in child


def _node(member: bool, children: FieldSet) -> FieldSet | None:
    """Put an element's value together; None if nothing is left of it."""
    if member:
        return {".": {}, **children} if children else children
    return children or None


def union(a: FieldSet, b: FieldSet) -> FieldSet:
    """Return what is in `a` or `b`."""
    if not a:
        return b
    if not b:
        return a
    out = dict(a)
    for key, mine in b.items():
        if key == ".":
            continue
        theirs = a.get(key)
        if theirs is None:
            out[key] = mine
        elif mine is not theirs:
            below = union(_below(theirs), _below(mine))
            made = _node(is_member(theirs) or is_member(mine), below)
            out[key] = {} if made is None else made
    return out


def _below(child: FieldSet) -> FieldSet:
    return {k: v for k, v in child.items() if k != "."} if "." in child else child


def difference(a: FieldSet, b: FieldSet) -> FieldSet:
    """Return what is in `a` and not in `b`."""
    if not b:
        return a
    out: FieldSet = {}
    for key, mine in a.items():
        if key == ".":
            continue
        theirs = b.get(key)
        if theirs is None:
            out[key] = mine
            continue
        below = difference(_below(mine), _below(theirs))
        made = _node(is_member(mine) and not is_member(theirs), below)
        if made is not None:
            out[key] = made
    return out


def without(a: FieldSet, b: FieldSet) -> FieldSet:
    """Return what is in `a` and neither in `b` nor below a member of `b`."""
    if not b:
        return a
    out: FieldSet = {}
    for key, mine in a.items():
        if key == ".":
            continue
        theirs = b.get(key)
        if theirs is None:
            out[key] = mine
        elif not is_member(theirs):
            made = _node(is_member(mine), without(_below(mine), theirs))
            if made is not None:
                out[key] = made
    return out


def intersection(a: FieldSet, b: FieldSet) -> FieldSet:
    """Return what is in both."""
    out: FieldSet = {}
    for key, mine in a.items():
        theirs = b.get(key)
        if key == "." or theirs is None:
            continue
        below = intersection(_below(mine), _below(theirs))
        made = _node(is_member(mine) and is_member(theirs), below)
        if made is not None:
            out[key] = made
    return out


def paths(found: FieldSet, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the members as tuples of elements, in order."""
    for key in sorted(k for k in found if k != "."):
        child = found[key]
        at = (*before, key)
        if is_member(child):
            yield at
        yield from paths(child, at)


def path_text(path: tuple[str, ...]) -> str:
    """Return a path as messages show it: `.spec.ports[port=80,protocol="TCP"].name`."""
    out = []
    for element in path:
        kind, _, rest = element.partition(":")
        if kind == "f":
            out.append(f".{rest}")
        elif kind == "k":
            keys = json.loads(rest)
            listed = ",".join(f"{k}={value_text(v)}" for k, v in sorted(keys.items()))
            out.append(f"[{listed}]")
        elif kind == "v":
            out.append(f"[={rest}]")
        else:
            out.append(f"[{rest}]")
    return "".join(out)
