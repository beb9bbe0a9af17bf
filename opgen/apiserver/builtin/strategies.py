"""Which built-in kind is written how."""

from __future__ import annotations

from opgen.apiserver.builtin import apps, batch, core, crd, events, other, services
from opgen.apiserver.strategy import Strategy

__all__ = ["strategy_of"]

_STRATEGIES: dict[tuple[str, str], type[Strategy]] = {
    ("", "Namespace"): core.NamespaceStrategy,
    ("", "ConfigMap"): core.ConfigMapStrategy,
    ("", "Secret"): core.SecretStrategy,
    ("", "Pod"): core.PodStrategy,
    ("", "PersistentVolumeClaim"): core.ClaimStrategy,
    ("", "PersistentVolume"): core.VolumeStrategy,
    ("", "Node"): core.NodeStrategy,
    ("", "ReplicationController"): apps.ReplicationControllerStrategy,
    ("", "PodTemplate"): apps.PodTemplateStrategy,
    ("", "Service"): services.ServiceStrategy,
    ("", "Event"): events.EventStrategy,
    ("events.k8s.io", "Event"): events.EventStrategy,
    ("apps", "Deployment"): apps.DeploymentStrategy,
    ("apps", "StatefulSet"): apps.StatefulSetStrategy,
    ("apps", "DaemonSet"): apps.DaemonSetStrategy,
    ("apps", "ReplicaSet"): apps.ReplicaSetStrategy,
    ("batch", "Job"): batch.JobStrategy,
    ("batch", "CronJob"): batch.CronJobStrategy,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): crd.CrdStrategy,
    ("coordination.k8s.io", "Lease"): other.LeaseStrategy,
    ("autoscaling", "HorizontalPodAutoscaler"): other.AutoscalerStrategy,
    ("networking.k8s.io", "Ingress"): other.IngressStrategy,
    ("networking.k8s.io", "NetworkPolicy"): other.NetworkPolicyStrategy,
    ("policy", "PodDisruptionBudget"): other.DisruptionBudgetStrategy,
    ("rbac.authorization.k8s.io", "RoleBinding"): other.RoleBindingStrategy,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): other.RoleBindingStrategy,
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
    ): other.WebhookConfigurationStrategy,
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
    ): other.WebhookConfigurationStrategy,
}


def strategy_of(group: str, kind: str) -> Strategy:
    """Return the strategy of a built-in kind."""
    return _STRATEGIES.get((group, kind), Strategy)()
