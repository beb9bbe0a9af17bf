"""Create and update: what happens between a decoded object and the store.

The steps and their order are those of `k8s.io/apiserver/pkg/registry` (`rest.BeforeCreate`,
`rest.BeforeUpdate`, `Store.Update`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opgen.apiserver.apply.manager import after_update
from opgen.apiserver.call import Call
from opgen.apiserver.jsonio import encode
from opgen.apiserver.names import validate_metadata, validate_metadata_update
from opgen.apiserver.status import (
    FieldError,
    StatusError,
    already_exists,
    bad_request,
    conflict,
    invalid,
    invalid_value,
    not_found,
    qualified,
    quote,
)
from opgen.apiserver.stored import from_storage, key_of, lookup, to_storage

__all__ = [
    "create",
    "goes_now",
    "insert",
    "modify",
    "namespace_gate",
    "remove_now",
    "same_name",
    "same_namespace",
    "settle_namespace",
    "unchanged",
]

Object = dict[str, Any]
_TOO_LARGE: Final = 1_572_864
_STALE: Final = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


def namespace_gate(call: Call) -> None:
    """Refuse a create in a namespace that is missing or going away."""
    if not call.kind.namespaced:
        return
    found = call.store.bucket(("", "namespaces")).objects.get(f"/{call.namespace}")
    if found is None:
        raise not_found("", "namespaces", call.namespace)


def _terminating_gate(call: Call, name: str) -> None:
    if not call.kind.namespaced:
        return
    found = call.store.bucket(("", "namespaces")).objects.get(f"/{call.namespace}")
    if found is not None and found["metadata"].get("deletionTimestamp"):
        kind = call.kind
        text = f"unable to create new content in namespace {call.namespace} because it is being terminated"
        raise StatusError(
            403,
            "Forbidden",
            f"{qualified(kind.plural, kind.group)} {quote(name)} is forbidden: {text}",
            {
                "name": name,
                **({"group": kind.group} if kind.group else {}),
                "kind": kind.plural,
                "causes": [
                    {
                        "reason": "NamespaceTerminating",
                        "message": f"namespace {call.namespace} is being terminated",
                        "field": "metadata.namespace",
                    }
                ],
            },
        )


def same_name(call: Call, obj: Object) -> None:
    """Refuse a body that has another name than the path."""
    name = obj["metadata"].get("name")
    if not name:
        raise bad_request(
            f"the name of the object ({call.name} based on URL) was undeterminable: name must be provided"
        )
    if name != call.name:
        raise bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.name})"
        )


def same_namespace(call: Call, obj: Object) -> None:
    """Put the namespace of the path in a body of a namespaced kind; refuse one that has another."""
    meta = obj["metadata"]
    if (meta.get("namespace") or call.namespace) != call.namespace:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    meta["namespace"] = call.namespace


def settle_namespace(call: Call, obj: Object) -> None:
    """Give a whole object the namespace that its kind and the path want."""
    if call.kind.namespaced:
        same_namespace(call, obj)
    else:
        obj["metadata"].pop("namespace", None)


def create(call: Call, obj: Object) -> Object:
    """Create the object of a POST and return it as the client sees it."""
    settle_namespace(call, obj)
    namespace_gate(call)
    return insert(call, obj)


def insert(call: Call, obj: Object, *, managed: bool = False) -> Object:
    """Store a new object; `managed` if its managedFields are already made (server-side apply)."""
    kind, meta = call.kind, obj["metadata"]
    strategy = kind.strategy
    generated = not meta.get("name") and bool(meta.get("generateName"))
    for attempt in range(8):
        if generated:
            meta["name"] = meta["generateName"][:58] + call.tools.suffix()
        key = key_of(kind, call.namespace, meta.get("name") or "")
        if not generated or key not in call.store.bucket(kind.resource).objects or attempt == 7:
            break
    _terminating_gate(call, meta.get("name") or "")
    version = meta.pop("resourceVersion", "")
    for field in ("selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"):
        meta.pop(field, None)
    meta["creationTimestamp"] = call.now()
    meta["uid"] = call.tools.uid()
    _dedup_owners(call, meta)
    if not managed:
        after_update(call, None, obj)
    strategy.prepare_create(obj, kind)
    errors = validate_metadata(meta, kind.namespaced, kind.name_rule)
    errors += strategy.validate(obj, kind)
    if errors:
        raise invalid(kind.storage_group, kind.kind, meta.get("name") or "", errors)
    strategy.canonical(obj, kind)
    _finalizer_warnings(call, meta, None)
    call.warnings.extend(strategy.warnings(obj, kind))
    if version.isdigit() and int(version):
        raise StatusError(500, "", "resourceVersion should not be set on objects to be created")
    bucket = call.store.bucket(kind.resource)
    existing = bucket.objects.get(key)
    if existing is not None:
        error = already_exists(kind.group, kind.plural, meta["name"])
        if existing["metadata"].get("deletionTimestamp"):
            error.message = "object is being deleted: " + error.message
        raise error
    _size_gate(obj)
    if call.dry_run:
        return from_storage(to_storage(obj, kind), kind)
    stored = call.store.write(kind.resource, to_storage(obj, kind))
    return from_storage(stored, kind)


def _size_gate(obj: Object) -> None:
    if len(str(obj)) > _TOO_LARGE // 2 and len(encode(obj)) > _TOO_LARGE:
        raise StatusError(500, "", "etcdserver: request is too large")


def _finalizer_warnings(call: Call, meta: Object, before: Object | None) -> None:
    old = (before or {}).get("finalizers") or ()
    for name in meta.get("finalizers") or ():
        if "/" not in name and name not in old and name not in ("orphan", "foregroundDeletion"):
            call.warnings.append(
                f"metadata.finalizers: {quote(name)}: prefer a domain-qualified finalizer "
                "name to avoid accidental conflicts "
                "with other finalizer writers"
            )


def _dedup_owners(call: Call, meta: Object) -> None:
    owners = meta.get("ownerReferences")
    if not owners or len(owners) < 2:
        return
    seen: dict[str, Object] = {}
    again: dict[str, None] = {}
    for ref in owners:
        uid = ref.get("uid", "")
        if uid in seen:
            again[uid] = None
        seen.setdefault(uid, ref)
    if not again:
        return
    unique: list[Object] = []
    for ref in owners:
        if ref not in unique:
            unique.append(ref)
    meta["ownerReferences"] = unique
    call.warnings.append(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner "
        "references in 1.20+, and may reject such "
        f"requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {', '.join(again)}"
    )


def modify(
    call: Call,
    change: Callable[[Object], Object],
    *,
    managed: bool = False,
    unconditional: bool = False,
    precondition: str = "",
) -> Object:
    """Update the object that the call names: `change` gets it as it is and returns what it should be.

    `managed` if `change` makes the managedFields itself; `unconditional` if no resourceVersion is wanted from
    the client; `precondition` is a UID that the object must have.
    """
    kind, strategy = call.kind, call.kind.strategy
    stored = lookup(call.store, kind, call.namespace, call.name)
    if stored is None:
        raise not_found(kind.group, kind.plural, call.name)
    old = from_storage(stored, kind)
    new = change(old)
    old_meta, meta = old["metadata"], new["metadata"]
    version = meta.get("resourceVersion") or ""
    if precondition and precondition != old_meta["uid"]:
        namespace = f"{call.namespace}/" if kind.namespaced else ""
        raise conflict(
            kind.group,
            kind.plural,
            call.name,
            "StorageError: invalid object, Code: 4, "
            f"Key: /registry/{kind.group or 'core'}/{kind.plural}/{namespace}{call.name}, "
            f"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {precondition}, "
            f"UID in object meta: {old_meta['uid']}",
        )
    if not version or version == "0":
        if not strategy.unconditional_update and not unconditional:
            raise invalid(
                kind.group,
                kind.plural,
                call.name,
                [invalid_value("metadata.resourceVersion", 0, "must be specified for an update")],
            )
        meta["resourceVersion"] = old_meta["resourceVersion"]
    elif not version.isdigit():
        raise StatusError(500, "", f"strconv.ParseUint: parsing {quote(version)}: invalid syntax")
    elif version != old_meta["resourceVersion"]:
        raise conflict(kind.group, kind.plural, call.name, _STALE)
    if not managed:
        after_update(call, old, new)
    _keep_system_fields(meta, old_meta)
    _dedup_owners(call, meta)
    strategy.prepare_update(new, old, kind, call.subresource)
    meta = new["metadata"]
    errors = _update_errors(call, new, old)
    if errors:
        raise invalid(kind.storage_group, kind.kind, meta.get("name") or "", errors)
    strategy.canonical(new, kind)
    _finalizer_warnings(call, meta, old_meta)
    call.warnings.extend(strategy.warnings(new, kind))
    _size_gate(new)
    if meta.get("deletionTimestamp") and not meta.get("finalizers") and goes_now(call, new):
        if not call.dry_run:
            remove_now(call, stored)
        return new
    if unchanged(new, old):
        return old
    if call.dry_run:
        return from_storage(to_storage(new, kind), kind)
    written = call.store.write(kind.resource, to_storage(new, kind))
    return from_storage(written, kind)


def goes_now(call: Call, obj: Object) -> bool:
    """Whether an object that is being deleted and has no finalizers left goes with this update."""
    meta = obj["metadata"]
    if meta.get("deletionGracePeriodSeconds"):
        return False
    return not call.kind.strategy.held(obj)


def unchanged(new: Object, old: Object) -> bool:
    """Whether an update changes nothing, the times in managedFields left aside."""
    if new.keys() != old.keys():
        return False
    for key, value in new.items():
        if key == "metadata":
            mine = {k: v for k, v in value.items() if k != "managedFields"}
            theirs = {k: v for k, v in old["metadata"].items() if k != "managedFields"}
            if mine != theirs:
                return False
            if _timeless(value.get("managedFields")) != _timeless(
                old["metadata"].get("managedFields")
            ):
                return False
        elif value != old[key]:
            return False
    return True


def _timeless(entries: list[Object] | None) -> list[Object]:
    return [{k: v for k, v in e.items() if k != "time"} for e in entries or ()]


def _keep_system_fields(meta: Object, old: Object) -> None:
    if not meta.get("uid"):
        meta["uid"] = old["uid"]
    meta["creationTimestamp"] = old["creationTimestamp"]
    if old.get("deletionTimestamp"):
        meta["deletionTimestamp"] = old["deletionTimestamp"]
    if "deletionGracePeriodSeconds" in old and "deletionGracePeriodSeconds" not in meta:
        meta["deletionGracePeriodSeconds"] = old["deletionGracePeriodSeconds"]
    if "generation" in old:
        meta["generation"] = old["generation"]
    else:
        meta.pop("generation", None)
    meta.pop("selfLink", None)


def _update_errors(call: Call, new: Object, old: Object) -> list[FieldError]:
    kind = call.kind
    meta, before = new["metadata"], old["metadata"]
    errors = validate_metadata_update(meta, before)
    errors += kind.strategy.validate_update(new, old, kind, call.subresource)
    return errors


def remove_now(call: Call, stored: Object) -> Object:
    """Take the stored object out; its last state, with the revision of its removal, is what watchers get."""
    last = {**stored, "metadata": dict(stored["metadata"])}
    return call.store.remove(call.kind.resource, last)
