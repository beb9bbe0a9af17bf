"""A Pod of about a given size, as a cluster serves one: what every Python client has a type for."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["pod"]

_TIME = "2026-03-04T05:06:07Z"


def _probe(path: str) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": 8080, "scheme": "HTTP"},
        "initialDelaySeconds": 5,
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }


def _container(index: int) -> dict[str, Any]:
    variables: list[dict[str, Any]] = [
        {"name": f"SETTING_{n}", "value": f"value-{n}"} for n in range(6)
    ]
    variables.append(
        {
            "name": "POD_IP",
            "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}},
        }
    )
    secret = {"name": "credentials", "key": "token", "optional": True}
    variables.append({"name": "TOKEN", "valueFrom": {"secretKeyRef": secret}})
    return {
        "name": f"app-{index}",
        "image": "registry.example.com/team/app:1.2.3",
        "command": ["/bin/app"],
        "args": ["--listen=:8080", "--verbose"],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": variables,
        "resources": {
            "limits": {"cpu": "500m", "memory": "256Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "volumeMounts": [
            {"name": "settings", "readOnly": True, "mountPath": "/etc/app"},
            {"name": "data", "mountPath": "/var/lib/app"},
        ],
        "livenessProbe": _probe("/healthz"),
        "readinessProbe": _probe("/readyz"),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
        },
    }


def _status(index: int) -> dict[str, Any]:
    return {
        "name": f"app-{index}",
        "state": {"running": {"startedAt": _TIME}},
        "lastState": {},
        "ready": True,
        "restartCount": 0,
        "image": "registry.example.com/team/app:1.2.3",
        "imageID": "registry.example.com/team/app@sha256:" + "0" * 64,
        "containerID": "containerd://" + "0" * 64,
        "started": True,
    }


def _with(containers: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "app-7c5ddbdf54-x2x9k",
            "generateName": "app-7c5ddbdf54-",
            "namespace": "default",
            "uid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
            "resourceVersion": "123456",
            "creationTimestamp": _TIME,
            "labels": {"app.kubernetes.io/name": "app", "pod-template-hash": "7c5ddbdf54"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "app-7c5ddbdf54",
                    "uid": "6fa459ea-ee8a-3ca4-894e-db77e160355e",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "volumes": [
                {"name": "settings", "configMap": {"name": "app", "defaultMode": 420}},
                {"name": "data", "emptyDir": {"sizeLimit": "1Gi"}},
            ],
            "containers": [_container(index) for index in range(containers)],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "app",
            "nodeName": "node-1",
            "securityContext": {"fsGroup": 1000},
            "schedulerName": "default-scheduler",
            "tolerations": [
                {
                    "key": "node.kubernetes.io/not-ready",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                }
            ],
        },
        "status": {
            "phase": "Running",
            "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": _TIME},
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": _TIME},
            ],
            "hostIP": "192.0.2.10",
            "podIP": "192.0.2.20",
            "podIPs": [{"ip": "192.0.2.20"}],
            "startTime": _TIME,
            "containerStatuses": [_status(index) for index in range(containers)],
            "qosClass": "Burstable",
        },
    }


def pod(target: int) -> dict[str, Any]:
    """Return the Pod whose JSON is nearest to `target` bytes; the least has one container, about 3.5 KB."""
    one, two = (len(json.dumps(_with(count))) for count in (1, 2))
    return _with(max(1, 1 + round((target - one) / (two - one))))
