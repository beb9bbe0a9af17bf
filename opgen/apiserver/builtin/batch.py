"""How Jobs and CronJobs are written."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.builtin.podspec import default_template, pod_spec_errors
from opgen.apiserver.kinds import Kind
from opgen.apiserver.status import (
    FieldError,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)
from opgen.apiserver.strategy import Strategy

__all__ = ["CronJobStrategy", "JobStrategy"]

Object = dict[str, Any]
_RESTART = ("OnFailure", "Never")


def _job_defaults(spec: Object) -> None:
    template = spec.setdefault("template", {})
    default_template(template)
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = spec["parallelism"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", 6)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault(
        "podReplacementPolicy", "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"
    )
    spec.setdefault("manualSelector", False)


def _job_errors(spec: Object, field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in (
        "parallelism",
        "completions",
        "backoffLimit",
        "activeDeadlineSeconds",
        "ttlSecondsAfterFinished",
    ):
        value = spec.get(key)
        if value is not None and value < 0:
            errors.append(
                invalid_value(f"{field}.{key}", value, "must be greater than or equal to 0")
            )
    if spec["template"]["spec"].get("restartPolicy") == "Always":
        errors.append(
            required(f"{field}.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"')
        )
        return errors + pod_spec_errors(spec["template"]["spec"], f"{field}.template.spec")
    return errors + pod_spec_errors(spec["template"]["spec"], f"{field}.template.spec", _RESTART)


class JobStrategy(Strategy):
    """Job: the server adds a selector on the job's own UID."""

    generation = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in as `SetDefaults_Job` does."""
        _job_defaults(obj.setdefault("spec", {}))
        labels = obj["spec"]["template"]["metadata"].get("labels")
        if labels and "labels" not in obj["metadata"] and "uid" not in obj["metadata"]:
            obj["metadata"]["labels"] = {
                k: v for k, v in labels.items() if "controller-uid" not in k and "job-name" not in k
            }

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Make the selector and the labels that it selects."""
        super().prepare_create(obj, kind)
        obj["status"] = {}
        spec, meta = obj["spec"], obj["metadata"]
        if not spec.get("manualSelector"):
            uid, name = meta["uid"], meta.get("name", "")
            labels = spec["template"]["metadata"].setdefault("labels", {})
            labels["controller-uid"] = labels["batch.kubernetes.io/controller-uid"] = uid
            labels["job-name"] = labels["batch.kubernetes.io/job-name"] = name
            spec["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check the spec."""
        return _job_errors(obj["spec"], "spec")

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """The template and the selector may not change while the job runs."""
        if subresource == "status":
            return []
        errors = self.validate(new, kind)
        for key in ("completions", "selector", "template", "completionMode", "podFailurePolicy"):
            if key == "template" and old["spec"].get("suspend"):
                continue
            if new["spec"].get(key) != old["spec"].get(key):
                errors.append(
                    invalid_value(f"spec.{key}", new["spec"].get(key), "field is immutable")
                )
        return errors


class CronJobStrategy(Strategy):
    """CronJob."""

    generation = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in as `SetDefaults_CronJob` does."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("concurrencyPolicy", "Allow")
        spec.setdefault("suspend", False)
        spec.setdefault("successfulJobsHistoryLimit", 3)
        spec.setdefault("failedJobsHistoryLimit", 1)
        template = spec.setdefault("jobTemplate", {})
        template.setdefault("metadata", {})
        job = template.setdefault("spec", {})
        default_template(job.setdefault("template", {}))

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status."""
        super().prepare_create(obj, kind)
        obj["status"] = {}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check schedule, policy and the job."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        schedule = spec.get("schedule", "")
        if not schedule:
            errors.append(required("spec.schedule"))
        elif not schedule.startswith("@") and len(schedule.split()) != 5:
            errors.append(
                invalid_value(
                    "spec.schedule",
                    schedule,
                    f"expected exactly 5 fields, found {len(schedule.split())}: [{' '.join(schedule.split())}]",
                )
            )
        elif "TZ" in schedule:
            errors.append(forbidden_field("spec.schedule", "cannot use TZ or CRON_TZ in schedule"))
        policy = spec["concurrencyPolicy"]
        if policy not in ("Allow", "Forbid", "Replace"):
            errors.append(
                not_supported("spec.concurrencyPolicy", policy, ["Allow", "Forbid", "Replace"])
            )
        return errors + _job_errors(spec["jobTemplate"]["spec"], "spec.jobTemplate.spec")

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create."""
        return [] if subresource == "status" else self.validate(new, kind)
