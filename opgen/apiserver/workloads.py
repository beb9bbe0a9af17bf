"""Workloads that become ready: a stand-in for the controllers and the kubelet of a cluster.

Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs and Pods get the status they would have when all goes
well; no Pods are made for the others, which `docs/fidelity-server.md` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opgen.apiserver.store import Change, object_key

if TYPE_CHECKING:
    from opgen.apiserver.server import ApiServer

__all__ = ["WorkloadController"]

Object = dict[str, Any]
Resource = tuple[str, str]


class WorkloadController:
    """Follows the workloads in the store."""

    def __init__(self, server: ApiServer) -> None:
        """Start with what is in the store."""
        self._server = server
        self._dirty: dict[tuple[Resource, str], None] = {}
        self._rules: dict[Resource, Callable[[Object, str], Object]] = {
            ("apps", "deployments"): _deployment,
            ("apps", "statefulsets"): _stateful_set,
            ("apps", "replicasets"): _replica_set,
            ("apps", "daemonsets"): _daemon_set,
            ("batch", "jobs"): _job,
            ("", "pods"): _pod,
        }
        for resource in self._rules:
            for key in server.store.bucket(resource).objects:
                self._dirty[resource, key] = None
        server.store.listeners.append(self._changed)

    def _changed(self, resource: Resource, change: Change) -> None:
        if resource in self._rules and change.type != "DELETED":
            self._dirty[resource, object_key(change.object)] = None

    def run(self) -> None:
        """Give each workload that changed its status."""
        work, self._dirty = self._dirty, {}
        now = self._server.tools.now()
        for resource, key in work:
            obj = self._server.store.bucket(resource).objects.get(key)
            if obj is None or obj["metadata"].get("deletionTimestamp"):
                continue
            status = self._rules[resource](obj, now)
            if status != (obj.get("status") or {}):
                self._server.store.write(
                    resource, {**obj, "metadata": dict(obj["metadata"]), "status": status}
                )


def _condition(old: Object, type_: str, status: str, reason: str, message: str, now: str) -> Object:
    for found in (old.get("status") or {}).get("conditions") or ():
        if (
            found.get("type") == type_
            and found.get("status") == status
            and found.get("reason") == reason
        ):
            return dict(found)
    return {
        "type": type_,
        "status": status,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
        "reason": reason,
        "message": message,
    }


def _replicas(obj: Object) -> int:
    found = (obj.get("spec") or {}).get("replicas")
    return 1 if found is None else int(found)


def _deployment(obj: Object, now: str) -> Object:
    count = _replicas(obj)
    name = obj["metadata"]["name"]
    status: Object = {"observedGeneration": obj["metadata"].get("generation", 1)}
    if count:
        status |= {
            "replicas": count,
            "updatedReplicas": count,
            "readyReplicas": count,
            "availableReplicas": count,
        }
    status["conditions"] = [
        _condition(
            obj,
            "Available",
            "True",
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.",
            now,
        ),
        _condition(
            obj,
            "Progressing",
            "True",
            "NewReplicaSetAvailable",
            f'ReplicaSet "{name}" has successfully progressed.',
            now,
        ),
    ]
    return status


def _stateful_set(obj: Object, now: str) -> Object:
    count = _replicas(obj)
    name = obj["metadata"]["name"]
    revision = f"{name}-{obj['metadata'].get('generation', 1)}"
    status: Object = {
        "observedGeneration": obj["metadata"].get("generation", 1),
        "replicas": count,
        "availableReplicas": count,
        "currentRevision": revision,
        "updateRevision": revision,
        "collisionCount": 0,
    }
    if count:
        status |= {"readyReplicas": count, "currentReplicas": count, "updatedReplicas": count}
    return status


def _replica_set(obj: Object, now: str) -> Object:
    count = _replicas(obj)
    status: Object = {"observedGeneration": obj["metadata"].get("generation", 1), "replicas": count}
    if count:
        status |= {
            "fullyLabeledReplicas": count,
            "readyReplicas": count,
            "availableReplicas": count,
        }
    return status


def _daemon_set(obj: Object, now: str) -> Object:
    return {
        "observedGeneration": obj["metadata"].get("generation", 1),
        "currentNumberScheduled": 1,
        "desiredNumberScheduled": 1,
        "numberMisscheduled": 0,
        "numberReady": 1,
        "numberAvailable": 1,
        "updatedNumberScheduled": 1,
    }


def _job(obj: Object, now: str) -> Object:
    spec = obj.get("spec") or {}
    if spec.get("suspend"):
        return obj.get("status") or {}
    wanted = spec.get("completions") or spec.get("parallelism") or 1
    before = obj.get("status") or {}
    condition = next(
        (c for c in before.get("conditions") or () if c.get("type") == "Complete"), None
    )
    return {
        "startTime": before.get("startTime", now),
        "completionTime": before.get("completionTime", now),
        "succeeded": wanted,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
        "conditions": [
            condition
            or {
                "type": "Complete",
                "status": "True",
                "lastProbeTime": now,
                "lastTransitionTime": now,
                "reason": "CompletionsReached",
                "message": "Reached expected number of succeeded pods",
            }
        ],
    }


def _pod(obj: Object, now: str) -> Object:
    before = obj.get("status") or {}
    if before.get("phase") in ("Running", "Succeeded", "Failed"):
        return before
    statuses = [
        {
            "name": c.get("name", ""),
            "image": c.get("image", ""),
            "imageID": "",
            "ready": True,
            "started": True,
            "restartCount": 0,
            "state": {"running": {"startedAt": now}},
            "lastState": {},
        }
        for c in (obj.get("spec") or {}).get("containers") or ()
    ]
    return {
        **before,
        "phase": "Running",
        "startTime": now,
        "conditions": [
            {"type": t, "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
            for t in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        ],
        "containerStatuses": statuses,
    }
