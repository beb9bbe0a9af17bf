"""How the workload kinds of `apps` (and their forebears in the core group) are written."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from opgen.apiserver.builtin.podspec import default_template, pod_spec_errors
from opgen.apiserver.kinds import Kind
from opgen.apiserver.status import (
    FieldError,
    Raw,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from opgen.apiserver.strategy import Strategy

__all__ = [
    "DaemonSetStrategy",
    "DeploymentStrategy",
    "PodTemplateStrategy",
    "ReplicaSetStrategy",
    "ReplicationControllerStrategy",
    "selects",
    "StatefulSetStrategy",
    "WorkloadStrategy",
]

Object = dict[str, Any]
_MISMATCH: Final = "`selector` does not match template `labels`"


def selects(selector: Object, labels: Object) -> bool:
    """Whether a LabelSelector selects labels."""
    if any(labels.get(k) != v for k, v in (selector.get("matchLabels") or {}).items()):
        return False
    for term in selector.get("matchExpressions") or ():
        key, values = term.get("key"), term.get("values") or []
        holds = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }.get(term.get("operator", ""), False)
        if not holds:
            return False
    return True


class WorkloadStrategy(Strategy):
    """What the kinds with a selector and a pod template share."""

    generation = True
    selector_immutable: ClassVar[bool] = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in the template and what the kind adds."""
        spec = obj.setdefault("spec", {})
        default_template(spec.setdefault("template", {}))
        self.spec_defaults(spec, obj)

    def spec_defaults(self, spec: Object, obj: Object) -> None:
        """Fill in the kind's own fields."""

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status; generation starts at 1."""
        super().prepare_create(obj, kind)
        obj["status"] = self.no_status()

    def no_status(self) -> Object:
        """Return the status of a new object."""
        return {}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check selector, template and replicas."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        selector = spec.get("selector")
        labels = (spec["template"].get("metadata") or {}).get("labels")
        if not selector:
            errors.append(required("spec.selector"))
            selector = {"matchLabels": {"": ""}}
        if not selects(selector, labels or {}):
            errors.append(
                invalid_value("spec.template.metadata.labels", labels or Raw("null"), _MISMATCH)
            )
        replicas = spec.get("replicas")
        if replicas is not None and replicas < 0:
            errors.append(
                invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")
            )
        return errors + pod_spec_errors(spec["template"]["spec"], "spec.template.spec", ("Always",))

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create; the selector may not change."""
        if subresource == "status":
            return []
        errors = self.validate(new, kind)
        if self.selector_immutable and new["spec"].get("selector") != old["spec"].get("selector"):
            errors.append(
                invalid_value("spec.selector", new["spec"].get("selector"), "field is immutable")
            )
        return errors


class DeploymentStrategy(WorkloadStrategy):
    """Deployment."""

    def spec_defaults(self, spec: Object, obj: Object) -> None:
        """Fill in as `SetDefaults_Deployment` does."""
        spec.setdefault("replicas", 1)
        strategy = spec.setdefault("strategy", {})
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", "25%")
            rolling.setdefault("maxSurge", "25%")
        spec.setdefault("revisionHistoryLimit", 10)
        spec.setdefault("progressDeadlineSeconds", 600)

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check the strategy too."""
        errors = super().validate(obj, kind)
        strategy = obj["spec"]["strategy"]
        if strategy["type"] not in ("Recreate", "RollingUpdate"):
            errors.append(
                not_supported("spec.strategy.type", strategy["type"], ["Recreate", "RollingUpdate"])
            )
        elif strategy["type"] == "Recreate" and strategy.get("rollingUpdate") is not None:
            errors.append(
                forbidden_field(
                    "spec.strategy.rollingUpdate",
                    "may not be specified when strategy `type` is 'Recreate'",
                )
            )
        return errors


class ReplicaSetStrategy(WorkloadStrategy):
    """ReplicaSet."""

    def spec_defaults(self, spec: Object, obj: Object) -> None:
        """One replica."""
        spec.setdefault("replicas", 1)

    def no_status(self) -> Object:
        """Replicas are always written."""
        return {"replicas": 0}


class ReplicationControllerStrategy(WorkloadStrategy):
    """ReplicationController, whose selector is a map and defaults to the template's labels."""

    selector_immutable = False

    def spec_defaults(self, spec: Object, obj: Object) -> None:
        """One replica; selector and labels from the template."""
        spec.setdefault("replicas", 1)
        labels = spec["template"]["metadata"].get("labels")
        if labels:
            spec.setdefault("selector", dict(labels))

    def no_status(self) -> Object:
        """Replicas are always written."""
        return {"replicas": 0}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check selector and template."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        labels = (spec["template"].get("metadata") or {}).get("labels")
        if not spec.get("selector"):
            errors.append(required("spec.selector"))
        elif not selects({"matchLabels": spec["selector"]}, labels or {}):
            errors.append(invalid_value("spec.template.metadata.labels", labels, _MISMATCH))
        return errors + pod_spec_errors(spec["template"]["spec"], "spec.template.spec", ("Always",))


class PodTemplateStrategy(Strategy):
    """PodTemplate."""

    generation = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in the template."""
        default_template(obj.setdefault("template", {}))


class StatefulSetStrategy(WorkloadStrategy):
    """StatefulSet."""

    _MUTABLE: Final = (
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    )

    def spec_defaults(self, spec: Object, obj: Object) -> None:
        """Fill in as `SetDefaults_StatefulSet` does."""
        spec.setdefault("podManagementPolicy", "OrderedReady")
        update = spec.setdefault("updateStrategy", {})
        if not update.get("type"):
            update["type"] = "RollingUpdate"
        if update["type"] == "RollingUpdate":
            update.setdefault("rollingUpdate", {}).setdefault("partition", 0)
        retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
        retention.setdefault("whenDeleted", "Retain")
        retention.setdefault("whenScaled", "Retain")
        spec.setdefault("replicas", 1)
        spec.setdefault("revisionHistoryLimit", 10)
        for claim in spec.get("volumeClaimTemplates") or ():
            claim.setdefault("kind", "PersistentVolumeClaim")
            claim.setdefault("apiVersion", "v1")
            claim.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
            claim["status"] = {"phase": "Pending"}

    def no_status(self) -> Object:
        """Two counts are always written."""
        return {"replicas": 0, "availableReplicas": 0}

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Only some fields of the spec may change."""
        if subresource == "status":
            return []
        errors = self.validate(new, kind)
        kept = {k: v for k, v in new["spec"].items() if k not in self._MUTABLE}
        if kept != {k: v for k, v in old["spec"].items() if k not in self._MUTABLE}:
            listed = ", ".join(f"'{n}'" for n in self._MUTABLE[:-1])
            errors.append(
                forbidden_field(
                    "spec",
                    f"updates to statefulset spec for fields other than {listed} and "
                    f"'{self._MUTABLE[-1]}' are forbidden",
                )
            )
        return errors


class DaemonSetStrategy(WorkloadStrategy):
    """DaemonSet."""

    def spec_defaults(self, spec: Object, obj: Object) -> None:
        """Fill in as `SetDefaults_DaemonSet` does."""
        update = spec.setdefault("updateStrategy", {})
        if not update.get("type"):
            update["type"] = "RollingUpdate"
        if update["type"] == "RollingUpdate":
            rolling = update.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", 1)
            rolling.setdefault("maxSurge", 0)
        spec.setdefault("revisionHistoryLimit", 10)
        obj["metadata"].setdefault("annotations", {}).setdefault(
            "deprecated.daemonset.template.generation", "1"
        )

    def no_status(self) -> Object:
        """The four counts that are always written."""
        return {
            "currentNumberScheduled": 0,
            "numberMisscheduled": 0,
            "desiredNumberScheduled": 0,
            "numberReady": 0,
        }
