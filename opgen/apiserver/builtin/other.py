"""How the kinds of the smaller groups are written."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.kinds import Kind
from opgen.apiserver.status import FieldError, invalid_value, not_supported, required
from opgen.apiserver.strategy import Strategy

__all__ = [
    "AutoscalerStrategy",
    "DisruptionBudgetStrategy",
    "IngressStrategy",
    "LeaseStrategy",
    "NetworkPolicyStrategy",
    "RoleBindingStrategy",
    "WebhookConfigurationStrategy",
]

Object = dict[str, Any]


class LeaseStrategy(Strategy):
    """Lease: a PUT creates it, and always needs a resourceVersion after that."""

    create_on_update = True
    unconditional_update = False

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check the numbers."""
        spec = obj.get("spec") or {}
        errors: list[FieldError] = []
        duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if duration is not None and duration <= 0:
            errors.append(
                invalid_value("spec.leaseDurationSeconds", duration, "must be greater than 0")
            )
        if transitions is not None and transitions < 0:
            errors.append(
                invalid_value(
                    "spec.leaseTransitions", transitions, "must be greater than or equal to 0"
                )
            )
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create."""
        return self.validate(new, kind)


class AutoscalerStrategy(Strategy):
    """HorizontalPodAutoscaler."""

    def defaults(self, obj: Object, kind: Kind) -> None:
        """One replica at least; 80 % CPU unless metrics are given."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("minReplicas", 1)
        if not spec.get("metrics"):
            target = {"type": "Utilization", "averageUtilization": 80}
            spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status."""
        obj["status"] = {"desiredReplicas": 0, "currentMetrics": None}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check the bounds and the target."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        least, most = spec["minReplicas"], spec.get("maxReplicas", 0)
        if least < 1:
            errors.append(
                invalid_value("spec.minReplicas", least, "must be greater than or equal to 1")
            )
        if most < 1:
            errors.append(invalid_value("spec.maxReplicas", most, "must be greater than 0"))
        elif most < least:
            errors.append(
                invalid_value(
                    "spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"
                )
            )
        target = spec.get("scaleTargetRef") or {}
        errors += [
            required(f"spec.scaleTargetRef.{key}")
            for key in ("kind", "name")
            if not target.get(key)
        ]
        return errors


class IngressStrategy(Strategy):
    """Ingress."""

    generation = True

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status."""
        super().prepare_create(obj, kind)
        obj["status"] = {"loadBalancer": {}}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """There must be a rule or a default backend; paths need a type."""
        spec = obj.get("spec") or {}
        errors: list[FieldError] = []
        if not spec.get("rules") and not spec.get("defaultBackend"):
            errors.append(
                invalid_value(
                    "spec",
                    spec.get("rules"),
                    "either `defaultBackend` or `rules` must be specified",
                )
            )
        for number, rule in enumerate(spec.get("rules") or ()):
            for index, path in enumerate((rule.get("http") or {}).get("paths") or ()):
                at = f"spec.rules[{number}].http.paths[{index}]"
                if not path.get("pathType"):
                    errors.append(required(f"{at}.pathType", "pathType must be specified"))
                elif path["pathType"] not in ("Exact", "ImplementationSpecific", "Prefix"):
                    errors.append(
                        not_supported(
                            f"{at}.pathType",
                            path["pathType"],
                            ["Exact", "ImplementationSpecific", "Prefix"],
                        )
                    )
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create."""
        return [] if subresource == "status" else self.validate(new, kind)


class NetworkPolicyStrategy(Strategy):
    """NetworkPolicy."""

    generation = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Ingress always, egress if there are rules for it."""
        spec = obj.setdefault("spec", {})
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", *(["Egress"] if spec.get("egress") else [])]
        for rule in [*(spec.get("ingress") or ()), *(spec.get("egress") or ())]:
            for port in rule.get("ports") or ():
                port.setdefault("protocol", "TCP")


class DisruptionBudgetStrategy(Strategy):
    """PodDisruptionBudget."""

    generation = True

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status."""
        super().prepare_create(obj, kind)
        obj["status"] = {
            "disruptionsAllowed": 0,
            "currentHealthy": 0,
            "desiredHealthy": 0,
            "expectedPods": 0,
        }

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Only one of the bounds may be set."""
        spec = obj.get("spec") or {}
        if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
            return [
                invalid_value("spec", spec, "minAvailable and maxUnavailable cannot be both set")
            ]
        return []


class RoleBindingStrategy(Strategy):
    """RoleBinding and ClusterRoleBinding: the role may not change."""

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in the API groups."""
        role = obj.setdefault("roleRef", {})
        if not role.get("apiGroup"):
            role["apiGroup"] = "rbac.authorization.k8s.io"
        for subject in obj.get("subjects") or ():
            if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
                subject["apiGroup"] = "rbac.authorization.k8s.io"
            elif not subject.get("apiGroup"):
                subject.pop("apiGroup", None)

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check the reference and the subjects."""
        role = obj["roleRef"]
        errors: list[FieldError] = []
        if role["apiGroup"] != "rbac.authorization.k8s.io":
            errors.append(
                not_supported("roleRef.apiGroup", role["apiGroup"], ["rbac.authorization.k8s.io"])
            )
        allowed = ["ClusterRole", "Role"] if kind.namespaced else ["ClusterRole"]
        if role.get("kind") not in allowed:
            errors.append(not_supported("roleRef.kind", role.get("kind", ""), allowed))
        if not role.get("name"):
            errors.append(required("roleRef.name"))
        for index, subject in enumerate(obj.get("subjects") or ()):
            if not subject.get("name"):
                errors.append(required(f"subjects[{index}].name"))
            if (
                subject.get("kind") == "ServiceAccount"
                and not kind.namespaced
                and not subject.get("namespace")
            ):
                errors.append(required(f"subjects[{index}].namespace"))
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create, and that the role is the same."""
        errors = self.validate(new, kind)
        if new["roleRef"] != old["roleRef"]:
            role = new["roleRef"]
            shown = {
                "APIGroup": role["apiGroup"],
                "Kind": role.get("kind", ""),
                "Name": role.get("name", ""),
            }
            errors.append(invalid_value("roleRef", shown, "cannot change roleRef"))
        return errors


class WebhookConfigurationStrategy(Strategy):
    """MutatingWebhookConfiguration and ValidatingWebhookConfiguration."""

    generation = True

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in as the API's defaulting does."""
        for hook in obj.get("webhooks") or ():
            hook.setdefault("failurePolicy", "Fail")
            hook.setdefault("matchPolicy", "Equivalent")
            hook.setdefault("namespaceSelector", {})
            hook.setdefault("objectSelector", {})
            hook.setdefault("timeoutSeconds", 10)
            if kind.kind.startswith("Mutating"):
                hook.setdefault("reinvocationPolicy", "Never")
            for rule in hook.get("rules") or ():
                rule.setdefault("scope", "*")
            service = (hook.get("clientConfig") or {}).get("service")
            if service is not None:
                service.setdefault("port", 443)

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """Any change of the webhooks counts."""
        generation = old["metadata"].get("generation", 1)
        if new.get("webhooks") != old.get("webhooks"):
            generation += 1
        new["metadata"]["generation"] = generation

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check names, versions and side effects."""
        errors: list[FieldError] = []
        for index, hook in enumerate(obj.get("webhooks") or ()):
            at = f"webhooks[{index}]"
            name = hook.get("name", "")
            if name.count(".") < 2:
                errors.append(
                    invalid_value(
                        f"{at}.name",
                        name,
                        "should be a domain with at least three segments separated by dots",
                    )
                )
            versions = hook.get("admissionReviewVersions") or []
            if not versions:
                errors.append(
                    required(f"{at}.admissionReviewVersions", "must specify one of v1, v1beta1")
                )
            effects = hook.get("sideEffects")
            if effects not in ("None", "NoneOnDryRun"):
                errors.append(
                    not_supported(f"{at}.sideEffects", effects or "", ["None", "NoneOnDryRun"])
                )
            client = hook.get("clientConfig") or {}
            if ("url" in client) == ("service" in client):
                errors.append(
                    required(f"{at}.clientConfig", "exactly one of url or service is required")
                )
            if not 1 <= hook["timeoutSeconds"] <= 30:
                errors.append(
                    invalid_value(
                        f"{at}.timeoutSeconds",
                        hook["timeoutSeconds"],
                        "the timeout value must be between 1 and 30 seconds",
                    )
                )
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as on create."""
        return self.validate(new, kind)
