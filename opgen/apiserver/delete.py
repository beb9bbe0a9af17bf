"""DELETE of one object and of a collection: preconditions, propagation, finalizers, grace."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.call import Call
from opgen.apiserver.jsonio import JsonError, decode
from opgen.apiserver.status import (
    StatusError,
    bad_request,
    conflict,
    invalid,
    invalid_value,
    not_found,
    not_supported,
    qualified,
    quote,
    success,
)
from opgen.apiserver.stored import from_storage, lookup
from opgen.apiserver.write import remove_now

__all__ = ["delete", "delete_options", "delete_stored"]

Object = dict[str, Any]
_RETURNED: Final = frozenset(
    "pods services serviceaccounts persistentvolumeclaims persistentvolumes podtemplates resourcequotas".split()
)


def delete_options(call: Call) -> Object:
    """Return the DeleteOptions of the body, else of the query; raises a 400 or 422 `StatusError`."""
    request = call.request
    options: Object = {}
    if request.body:
        try:
            value = decode(request.body)
        except JsonError as error:
            raise bad_request(f"couldn't get version/kind; json parse error: {error}") from None
        if isinstance(value, dict):
            kind, api = value.get("kind"), value.get("apiVersion", "")
            if kind and kind != "DeleteOptions":
                raise bad_request(
                    f'no kind "{kind}" is registered for version "{api}" in scheme "pkg/runtime/scheme.go:111"'
                )
            options = value
    else:
        for key in ("propagationPolicy", "gracePeriodSeconds", "orphanDependents"):
            if key in request.query:
                options[key] = request.first(key)
        if "dryRun" in request.query:
            options["dryRun"] = request.every("dryRun")
        if isinstance(options.get("gracePeriodSeconds"), str):
            options["gracePeriodSeconds"] = int(options["gracePeriodSeconds"])
        if isinstance(options.get("orphanDependents"), str):
            options["orphanDependents"] = options["orphanDependents"] == "true"
    errors = []
    policy = options.get("propagationPolicy")
    if options.get("orphanDependents") is not None and policy is not None:
        errors.append(
            invalid_value(
                "propagationPolicy",
                policy,
                "orphanDependents and deletionPropagation cannot be both set",
            )
        )
    if policy is not None and policy not in ("Foreground", "Background", "Orphan"):
        errors.append(
            not_supported(
                "propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]
            )
        )
    dry = options.get("dryRun") or []
    if [d for d in dry if d != "All"]:
        errors.append(not_supported("dryRun", dry, ["All"]))
    if errors:
        raise invalid("meta.k8s.io", "DeleteOptions", "", errors)
    if request.every("dryRun"):
        options["dryRun"] = ["All"]
    return options


def delete(call: Call) -> tuple[int, Object]:
    """Delete the object that the call names; return the code and the answer's body."""
    options = delete_options(call)
    kind = call.kind
    if call.name in kind.strategy.immortal:
        what = f"{qualified(kind.plural, kind.group)} {quote(call.name)}"
        raise StatusError(
            403,
            "Forbidden",
            f"{what} is forbidden: this {kind.singular} may not be deleted",
            {"name": call.name, "kind": kind.plural},
        )
    stored = lookup(call.store, kind, call.namespace, call.name)
    if stored is None:
        raise not_found(kind.group, kind.plural, call.name)
    _preconditions(call, stored, options.get("preconditions") or {})
    left = delete_stored(call, stored, options)
    if left is None and not kind.custom and kind.plural in _RETURNED:
        gone = (
            call.store.bucket(kind.resource).history[-1].object
            if not options.get("dryRun")
            else stored
        )
        return 200, from_storage(gone, kind)
    if left is None:
        return 200, success(call.name, kind.group, kind.plural, stored["metadata"]["uid"])
    return 200, from_storage(left, kind)


def _preconditions(call: Call, stored: Object, wanted: Object) -> None:
    meta = stored["metadata"]
    uid, version = wanted.get("uid"), wanted.get("resourceVersion")
    kind = call.kind
    if uid and uid != meta["uid"]:
        raise conflict(
            kind.group,
            kind.kind,
            call.name,
            f"the UID in the precondition ({uid}) does not match the UID in record ({meta['uid']}). "
            "The object might have been deleted and then recreated",
        )
    if version and version != meta["resourceVersion"]:
        raise conflict(
            kind.group,
            kind.kind,
            call.name,
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({meta['resourceVersion']}). The object might have been modified",
        )


def _finalizers(meta: Object, options: Object) -> list[str]:
    found = list(meta.get("finalizers") or ())
    policy = options.get("propagationPolicy")
    orphan = options.get("orphanDependents")
    if policy is None and orphan is None:
        return found
    want_orphan = orphan is True or policy == "Orphan"
    want_foreground = policy == "Foreground"
    found = [f for f in found if f not in ("orphan", "foregroundDeletion")]
    if want_orphan:
        found.append("orphan")
    if want_foreground:
        found.append("foregroundDeletion")
    return found


def delete_stored(call: Call, stored: Object, options: Object) -> Object | None:
    """Delete a stored object as far as its finalizers and grace period let it; return what is left of it, or None."""
    kind, meta = call.kind, stored["metadata"]
    dry = bool(options.get("dryRun"))
    finalizers = _finalizers(meta, options)
    grace = kind.strategy.grace(stored, options)
    begun = kind.strategy.begin_delete(stored, call.now())
    if begun is not None:
        return begun if dry or begun is stored else call.store.write(kind.resource, begun)
    if not finalizers and not grace:
        if not dry:
            remove_now(call, stored)
        return None
    if meta.get("deletionTimestamp") and finalizers == list(meta.get("finalizers") or ()):
        return stored
    marked: Object = {**stored, "metadata": dict(meta)}
    new = marked["metadata"]
    if not meta.get("deletionTimestamp"):
        new["deletionTimestamp"] = call.now()
        if "generation" in new:
            new["generation"] += 1
    new["deletionGracePeriodSeconds"] = grace
    if finalizers:
        new["finalizers"] = finalizers
    if dry:
        return marked
    return call.store.write(kind.resource, marked)
