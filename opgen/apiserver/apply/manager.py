"""Who manages which fields: keeps `metadata.managedFields` up to date and carries out applies.

The layers of apimachinery's `managedfields` package in one: strip system fields, build manager identities,
times, the cap on update managers, `before-first-apply`.
"""

from __future__ import annotations

import copy
import json
from typing import Any, Final, NamedTuple

from opgen.apiserver.apply.check import typed_errors
from opgen.apiserver.apply.sets import (
    FieldSet,
    difference,
    intersection,
    path_text,
    paths,
    union,
    without,
)
from opgen.apiserver.apply.walk import compare, ensure_named, merge, remove, to_set
from opgen.apiserver.call import Call
from opgen.apiserver.kinds import Kind
from opgen.apiserver.schema.node import Node
from opgen.apiserver.status import StatusError, quote
from opgen.apiserver.typed import decode_struct

__all__ = ["after_update", "apply_object", "Entry", "typed_root", "Who"]

Object = dict[str, Any]
_CAP: Final = 10
_SYSTEM: Final[FieldSet] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
        ".": {},
        **{
            f"f:{name}": {}
            for name in (
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "clusterName",
                "generation",
                "managedFields",
                "resourceVersion",
            )
        },
    },
}


class Who(NamedTuple):
    """A manager's identity; appliers have one whatever version they apply at."""

    manager: str
    operation: str
    api_version: str
    subresource: str


class Entry(NamedTuple):
    """What a manager owns, at which version, and since when."""

    fields: FieldSet
    api_version: str
    time: str


Managers = dict[Who, Entry]


def _read(entries: Any) -> Managers | None:
    out: Managers = {}
    for entry in entries or ():
        operation = entry.get("operation", "")
        if operation not in ("Apply", "Update") or not entry.get("apiVersion"):
            return None
        api = entry["apiVersion"]
        who = Who(
            entry.get("manager", ""),
            operation,
            "" if operation == "Apply" else api,
            entry.get("subresource", ""),
        )
        fields = entry.get("fieldsV1")
        out[who] = Entry(fields if isinstance(fields, dict) else {}, api, entry.get("time", ""))
    return out


def _write(managers: Managers) -> list[Object]:
    out: list[Object] = []
    order = sorted(
        managers.items(),
        key=lambda p: (p[0].operation, p[1].time, p[0].manager, p[1].api_version, p[0].subresource),
    )
    for who, entry in order:
        made: Object = {}
        if who.manager:
            made["manager"] = who.manager
        made["operation"] = who.operation
        made["apiVersion"] = entry.api_version
        if entry.time:
            made["time"] = entry.time
        made["fieldsType"] = "FieldsV1"
        made["fieldsV1"] = entry.fields
        if who.subresource:
            made["subresource"] = who.subresource
        out.append(made)
    return out


def _store(meta: Object, managers: Managers) -> None:
    if managers:
        meta["managedFields"] = _write(managers)
    else:
        meta.pop("managedFields", None)


def typed_root(kind: Kind) -> Node:
    """Return the schema of whole objects of `kind`, metadata included."""
    found = getattr(kind, "_typed_root", None)
    if isinstance(found, Node):
        return found
    from opgen.apiserver.builtin import object_meta

    made = kind.schema
    if kind.custom:
        made = copy.copy(made)
        made.properties = {**made.properties, "metadata": object_meta()}
    kind._typed_root = made  # type: ignore[attr-defined]
    return made


def _nothing(kind: Kind) -> Object:
    """What a new object of `kind` is before anything is set: a Go struct has its parts even then."""
    if kind.custom:
        return {}
    made: Object = decode_struct({}, kind.schema, kind.kind)[0]
    return made


def _reset_fields(kind: Kind, subresource: str) -> FieldSet:
    """What a write through this door can't change, so that nobody comes to own it by that."""
    if subresource == "status":
        return {"f:metadata": {}, "f:spec": {}}
    if kind.has_status:
        return {"f:status": {}}
    return {}


def after_update(call: Call, old: Object | None, new: Object) -> None:
    """Bring the managedFields of `new` up to date after a POST, PUT or plain PATCH that made it from `old`."""
    meta = new["metadata"]
    given = meta.pop("managedFields", None)
    if call.subresource:
        given = None
    managers = _read(given) or {}
    if not managers and old is not None and given != [{}]:
        managers = _read(old["metadata"].get("managedFields")) or {}
    if not managers and old is not None:
        meta.pop("managedFields", None)
        return
    _update(call, old, new, managers, call.manager)
    _store(meta, managers)


def _update(call: Call, old: Object | None, new: Object, managers: Managers, name: str) -> None:
    kind = call.kind
    root = typed_root(kind)
    before = _without_managed(old) if old is not None else _nothing(kind)
    found = compare(before, new, root)
    ignored = _reset_fields(kind, call.subresource)
    changed = without(union(found.added, found.modified), ignored)
    _take_away(managers, changed, without(found.removed, ignored), None)
    mine = difference(changed, _SYSTEM)
    if not mine:
        return
    who = Who(name or "unknown", "Update", kind.api_version, call.subresource)
    previous = managers.get(who)
    fields = union(mine, previous.fields) if previous else mine
    managers[who] = Entry(fields, kind.api_version, call.now())
    _cap(managers)


def _take_away(managers: Managers, changed: FieldSet, removed: FieldSet, keep: Who | None) -> None:
    if not changed and not removed:
        return
    for who, entry in list(managers.items()):
        if who == keep:
            continue
        fields = difference(difference(entry.fields, changed), removed)
        if not fields:
            del managers[who]
        elif fields != entry.fields:
            managers[who] = entry._replace(fields=fields)


def _cap(managers: Managers) -> None:
    """Merge the oldest update managers into `ancient-changes` when there are more than ten."""
    updaters = [w for w in managers if w.operation == "Update"]
    if len(updaters) <= _CAP:
        return
    updaters.sort(key=lambda w: (managers[w].time, w))
    buckets: dict[str, Who] = {}
    extra = len(updaters) - _CAP
    for who in updaters:
        if extra <= 0:
            break
        if who.manager == "ancient-changes":
            buckets[who.api_version] = who
            continue
        bucket = buckets.get(who.api_version)
        entry = managers.pop(who)
        if bucket is None:
            bucket = Who("ancient-changes", "Update", who.api_version, "")
            buckets[who.api_version] = bucket
            managers[bucket] = entry
        else:
            managers[bucket] = Entry(
                union(managers[bucket].fields, entry.fields), entry.api_version, entry.time
            )
            extra -= 1


def _without_managed(obj: Object) -> Object:
    if "managedFields" not in obj["metadata"]:
        return obj
    meta = {k: v for k, v in obj["metadata"].items() if k != "managedFields"}
    return {**obj, "metadata": meta}


def apply_object(call: Call, live: Object | None, applied: Object, force: bool) -> Object:
    """Apply a configuration to the live object (None if there is none) and return the result, managedFields made.

    Raises:
        StatusError: 409 with the conflicts, unless `force`.
    """
    kind = call.kind
    root = typed_root(kind)
    base: Object
    managers: Managers
    if live is None:
        base = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {}, **_nothing(kind)}
        managers = {}
    else:
        base = _without_managed(live)
        managers = _read(live["metadata"].get("managedFields")) or {}
        if not managers:
            _before_first_apply(call, base, managers)
    who = Who(call.manager, "Apply", "", call.subresource)
    last = managers.get(who)
    wrong = typed_errors(applied, root)
    if wrong:
        meta = applied.get("metadata") or {}
        group, _, version = kind.api_version.rpartition("/")
        name = f"{meta.get('namespace', '')}/{meta.get('name', '')}; {group}/{version}, Kind={kind.kind}"
        raise StatusError(500, "", f"failed to create typed patch object ({name}): {wrong}")
    merged = merge(base, applied, root)
    ignored = _reset_fields(kind, call.subresource)
    fields = difference(without(to_set(applied, root), ignored), _SYSTEM)
    managers[who] = Entry(fields, kind.api_version, last.time if last else "")
    if last is not None and last.fields:
        merged = _prune(merged, managers, last, root)
    found = compare(base, merged, root)
    changed = without(union(found.added, found.modified), ignored)
    removed = without(found.removed, ignored)
    _other_versions(call, managers, merged, who)
    if not force:
        _refuse_conflicts(managers, who, changed)
    _take_away(managers, changed, removed, who)
    if not managers[who].fields:
        del managers[who]
    elif live is None or found.added or found.modified or found.removed:
        managers[who] = managers[who]._replace(time=call.now())
    merged = {**merged, "metadata": dict(merged["metadata"])}
    _store(merged["metadata"], managers)
    return merged


def _other_versions(call: Call, managers: Managers, merged: Object, own: Who) -> None:
    """Forget managers of versions that are gone; refuse what another manager's version can't hold."""
    for who, entry in list(managers.items()):
        if who == own or entry.api_version == call.kind.api_version or not call.kind.custom:
            continue
        group, _, version = entry.api_version.rpartition("/")
        other = call.registry.find(group, version, call.kind.plural)
        if other is None:
            del managers[who]
            continue
        wrong = typed_errors(merged, typed_root(other))
        if wrong:
            raise StatusError(500, "", f"failed to convert new object: {wrong}")


def _before_first_apply(call: Call, base: Object, managers: Managers) -> None:
    kind = call.kind
    found = compare({}, base, typed_root(kind))
    fields = difference(found.added, _SYSTEM)
    if fields:
        who = Who("before-first-apply", "Update", kind.api_version, "")
        managers[who] = Entry(fields, kind.api_version, call.now())


def _prune(merged: Object, managers: Managers, last: Entry, root: Node) -> Object:
    """Take out what this manager applied last time, not this time, and nobody else owns."""
    named_last = ensure_named(last.fields, root)
    pruned = remove(merged, named_last, root) or {}
    merged_set = ensure_named(to_set(merged, root), root)
    owned: FieldSet = {}
    for entry in managers.values():
        owned = union(owned, entry.fields)
    kept = union(ensure_named(to_set(pruned, root), root), ensure_named(owned, root))
    pruned = remove(merged, difference(merged_set, kept), root) or {}
    pruned_set = ensure_named(to_set(pruned, root), root)
    gone = intersection(difference(merged_set, pruned_set), named_last)
    return remove(merged, gone, root) or {}


def _refuse_conflicts(managers: Managers, own: Who, changed: FieldSet) -> None:
    causes: list[Object] = []
    by_manager: dict[str, list[str]] = {}
    conflicts: list[tuple[Who, Entry, str]] = []
    for who, entry in managers.items():
        if who == own:
            continue
        both = intersection(entry.fields, changed)
        for path in paths(both):
            conflicts.append((who, entry, path_text(path)))
    if not conflicts:
        return
    conflicts.sort(key=lambda c: (_identity(c[0]), c[2]))
    for who, entry, text in conflicts:
        shown = _shown(who, entry)
        causes.append(
            {"reason": "FieldManagerConflict", "message": f"conflict with {shown}", "field": text}
        )
        by_manager.setdefault(shown, []).append(text)
    if len(conflicts) == 1:
        message = f"Apply failed with 1 conflict: conflict with {_shown(*conflicts[0][:2])}: {conflicts[0][2]}"
    else:
        parts = [
            f"conflicts with {shown}:\n- " + "\n- ".join(found)
            for shown, found in by_manager.items()
        ]
        message = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(parts)
    raise StatusError(409, "Conflict", message, {"causes": causes})


def _identity(who: Who) -> str:
    made = {
        "manager": who.manager,
        "operation": who.operation,
        **({"apiVersion": who.api_version} if who.api_version else {}),
        **({"subresource": who.subresource} if who.subresource else {}),
    }
    return json.dumps(made)


def _shown(who: Who, entry: Entry) -> str:
    text = quote(who.manager)
    if who.subresource:
        text += f" with subresource {quote(who.subresource)}"
    if who.operation == "Update":
        text += f" using {entry.api_version}"
    return text
