"""How CustomResourceDefinitions are written: defaults, and the rules of their spec and status.

Follows `apiextensions-apiserver/pkg/apis/apiextensions/{v1,validation}` and `pkg/registry/customresourcedefinition`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from opgen.apiserver.builtin.crd_spec import spec_errors
from opgen.apiserver.kinds import Kind
from opgen.apiserver.status import FieldError, Raw, invalid_value, required
from opgen.apiserver.strategy import Strategy

__all__ = ["approval_condition", "CrdStrategy", "FINALIZER", "is_true"]

Object = dict[str, Any]
FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
_APPROVED: Final = "api-approved.kubernetes.io"
_PRESERVE: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
    "spec.versions[*].schema instead"
)


def is_true(crd: Object, condition: str) -> bool:
    """Whether a CRD has a condition that is true."""
    found = (crd.get("status") or {}).get("conditions") or ()
    return any(c.get("type") == condition and c.get("status") == "True" for c in found)


class CrdStrategy(Strategy):
    """CustomResourceDefinition."""

    unconditional_update = False
    generation = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in names and the conversion strategy."""
        spec = obj.setdefault("spec", {})
        names = spec.setdefault("names", {})
        if not names.get("singular"):
            names["singular"] = str(names.get("kind", "")).lower()
        if not names.get("listKind") and names.get("kind"):
            names["listKind"] = f"{names['kind']}List"
        conversion = spec.setdefault("conversion", {})
        if not conversion.get("strategy"):
            conversion["strategy"] = "None"
        service = ((conversion.get("webhook") or {}).get("clientConfig") or {}).get("service")
        if service is not None:
            service.setdefault("port", 443)
        status = obj.setdefault("status", {})
        status.setdefault("conditions", None)
        status.setdefault("acceptedNames", {"plural": "", "kind": ""})
        status.setdefault("storedVersions", None)

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status; remember the storage version."""
        obj["metadata"]["generation"] = 1
        stored = [
            v["name"]
            for v in obj["spec"].get("versions") or ()
            if v.get("storage") and v.get("name")
        ]
        obj["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored[:1] or None,
        }

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """Keep spec or status, whatever this door may not write; note a new storage version."""
        if subresource == "status":
            new["spec"] = old["spec"]
            new["metadata"] = {
                **old["metadata"],
                "resourceVersion": new["metadata"].get("resourceVersion"),
            }
            return
        new["status"] = {**(old.get("status") or {})}
        if new["spec"] != old["spec"]:
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        stored = list(new["status"].get("storedVersions") or ())
        for version in new["spec"].get("versions") or ():
            if version.get("storage") and version.get("name") not in stored:
                stored.append(version["name"])
        new["status"]["storedVersions"] = stored or None

    def begin_delete(self, obj: Object, now: str) -> Object | None:
        """Mark as terminating: its objects go first."""
        if obj["metadata"].get("deletionTimestamp"):
            return obj
        meta = {**obj["metadata"], "deletionTimestamp": now}
        finalizers = list(meta.get("finalizers") or ())
        meta["finalizers"] = finalizers if FINALIZER in finalizers else [*finalizers, FINALIZER]
        condition = {
            "type": "Terminating",
            "status": "True",
            "lastTransitionTime": now,
            "reason": "InstanceDeletionPending",
            "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        }
        status = obj.get("status") or {}
        return {
            **obj,
            "metadata": meta,
            "status": {**status, "conditions": [*(status.get("conditions") or ()), condition]},
        }

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check spec, status and approval."""
        errors = _name_errors(obj)
        errors += spec_errors(obj["spec"])
        errors += _stored_errors(obj)
        errors += _approval_errors(obj)
        if obj["spec"].get("preserveUnknownFields"):
            errors.append(invalid_value("spec.preserveUnknownFields", True, _PRESERVE))
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create; what names the resource may not change."""
        if subresource == "status":
            return _stored_errors(new)
        errors = spec_errors(new["spec"])
        spec, before = new["spec"], old["spec"]
        pairs = [("group", spec.get("group"), before.get("group"))]
        names, old_names = spec["names"], before["names"]
        pairs.append(("names.plural", names.get("plural"), old_names.get("plural")))
        if is_true(old, "Established"):
            pairs.append(("scope", spec.get("scope"), before.get("scope")))
            pairs.append(("names.kind", names.get("kind"), old_names.get("kind")))
        for field, value, was in pairs:
            if value != was:
                errors.append(invalid_value(f"spec.{field}", value, "field is immutable"))
        errors += _stored_errors(new)
        if spec.get("preserveUnknownFields") and not before.get("preserveUnknownFields"):
            errors.append(invalid_value("spec.preserveUnknownFields", True, _PRESERVE))
        return errors


def _name_errors(obj: Object) -> list[FieldError]:
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    if name and name != f"{spec['names'].get('plural', '')}.{spec.get('group', '')}":
        return [invalid_value("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]
    return []


def _stored_errors(obj: Object) -> list[FieldError]:
    """Check that the versions that objects were ever stored at are still there."""
    stored = (obj.get("status") or {}).get("storedVersions") or []
    versions = obj["spec"].get("versions") or []
    path = "status.storedVersions"
    if not stored:
        return [invalid_value(path, Raw("null"), "must have at least one stored version")]
    errors: list[FieldError] = []
    known = {v.get("name") for v in versions}
    for index, name in enumerate(stored):
        if name not in known:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and "
                "must remain in spec.versions until a "
                f"storage migration ensures no data remains persisted in {name} and removes "
                f"{name} from status.storedVersions"
            )
            errors.append(invalid_value(f"{path}[{index}]", name, text))
    for version in versions:
        if version.get("storage") and version.get("name") not in stored:
            errors.append(
                invalid_value(
                    path, list(stored), f"must have the storage version {version['name']}"
                )
            )
    return errors


def approval_condition(obj: Object) -> tuple[str, str, str] | None:
    """Return status, reason and message of KubernetesAPIApprovalPolicyConformant, None for other groups."""
    group = obj["spec"].get("group", "")
    if not (group in ("k8s.io", "kubernetes.io") or group.endswith((".k8s.io", ".kubernetes.io"))):
        return None
    value = (obj["metadata"].get("annotations") or {}).get(_APPROVED, "")
    if value.startswith("unapproved"):
        return "False", "UnapprovedAnnotation", f'not approved: "{value}"'
    if re.match(r"https?://\S+", value):
        return "True", "ApprovedAnnotation", f"approved in {value}"
    if not value:
        return (
            "False",
            "MissingAnnotation",
            (
                f'protected groups must have approval annotation "{_APPROVED}", see '
                "https://github.com/kubernetes/enhancements/pull/1111"
            ),
        )
    return (
        "False",
        "InvalidAnnotation",
        (
            f'protected groups must have approval annotation "{_APPROVED}" with either a URL or a reason starting with '
            f'"unapproved", see https://github.com/kubernetes/enhancements/pull/1111'
        ),
    )


def _approval_errors(obj: Object) -> list[FieldError]:
    found = approval_condition(obj)
    field = f"metadata.annotations[{_APPROVED}]"
    if found is not None and found[1] == "MissingAnnotation":
        return [required(field, found[2])]
    if found is not None and found[1] == "InvalidAnnotation":
        return [invalid_value(field, obj["metadata"]["annotations"][_APPROVED], found[2])]
    return []
