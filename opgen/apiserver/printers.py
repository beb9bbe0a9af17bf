"""The columns of the built-in kinds in a Table.

Descriptions are part of what clients of the API get, so those that are recorded are as the server sends them;
the rest are empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from opgen.apiserver.kinds import Kind

__all__ = ["age", "CREATED", "duration", "NAME", "Printer", "printer_of"]

Object = dict[str, Any]
Cells = Callable[[Object, datetime], list[Any]]
Column = tuple[str, str, str, int, str]

NAME: Final = (
    "Name must be unique within a namespace. Is required when creating resources, although "
    "some resources may allow a client "
    "to request the generation of an appropriate name automatically. Name is primarily "
    "intended for creation idempotence and "
    "configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
CREATED: Final = (
    "CreationTimestamp is a timestamp representing the server time when this object was "
    "created. It is not guaranteed to be "
    "set in happens-before order across separate operations. Clients may not set this "
    "value. It is represented in RFC3339 "
    "form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)
_TEXTS: Final = {
    ("ConfigMap", "Data"): (
        "Data contains the configuration data. Each key must consist of alphanumeric "
        "characters, '-', '_' or '.'. Values with "
        "non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data "
        "must not overlap with the keys in the "
        "BinaryData field, this is enforced during validation process."
    ),
    ("Secret", "Type"): (
        "Used to facilitate programmatic handling of secret data. More info: "
        "https://kubernetes.io/docs/concepts/configuration/secret/#secret-types"
    ),
    ("Secret", "Data"): (
        "Data contains the secret data. Each key must consist of alphanumeric characters, "
        "'-', '_' or '.'. The serialized form "
        "of the secret data is a base64 encoded string, representing the arbitrary "
        "(possibly non-string) data value here. "
        "Described in https://tools.ietf.org/html/rfc4648#section-4"
    ),
    ("Lease", "Holder"): (
        "holderIdentity contains the identity of the holder of a current lease. If "
        "Coordinated Leader Election is used, the "
        "holder identity must be equal to the elected LeaseCandidate.metadata.name field."
    ),
    ("Deployment", "Ready"): "Number of the pod with ready state",
    ("Deployment", "Up-to-date"): (
        "Total number of non-terminating pods targeted by this deployment that have the desired template spec."
    ),
    ("Deployment", "Available"): (
        "Total number of available non-terminating pods (ready for at least "
        "minReadySeconds) targeted by this deployment."
    ),
    ("Deployment", "Containers"): "Names of each container in the template.",
    ("Deployment", "Images"): "Images referenced by each container in the template.",
    ("Deployment", "Selector"): (
        "Label selector for pods. Existing ReplicaSets whose pods are selected by this will "
        "be the ones affected by this "
        "deployment. It must match the pod template's labels."
    ),
}


@dataclass(frozen=True)
class Printer:
    """Columns, and what makes the cells of an object."""

    columns: tuple[Column, ...]
    cells: Cells


def age(stamp: str, now: datetime) -> str:
    """Return how long ago a time was, as `kubectl` shows it: `5m30s`, `3h`, `4d`."""
    try:
        moment = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    except ValueError:
        return "<invalid>"
    return duration((now.astimezone(UTC) - moment).total_seconds())


def duration(seconds: float) -> str:
    """Return a duration in the two most telling units (`k8s.io/apimachinery/pkg/util/duration.HumanDuration`)."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    if whole < 0:
        return "0s"
    if whole < 60 * 2:
        return f"{whole}s"
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if minutes < 10:
        rest = whole % 60
        return f"{minutes}m{rest}s" if rest else f"{minutes}m"
    if minutes < 60 * 3:
        return f"{minutes}m"
    if hours < 8:
        rest = minutes % 60
        return f"{hours}h{rest}m" if rest else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    if hours < 24 * 8:
        rest = hours % 24
        return f"{days}d{rest}h" if rest else f"{days}d"
    if hours < 24 * 365 * 2:
        return f"{days}d"
    years = days // 365
    if hours < 24 * 365 * 8:
        rest = days % 365
        return f"{years}y{rest}d" if rest else f"{years}y"
    return f"{years}y"


def _ago(stamp: str | None, now: datetime) -> str:
    return age(stamp, now) if stamp else "<unknown>"


def _age(obj: Object, now: datetime) -> str:
    return _ago(obj["metadata"].get("creationTimestamp"), now)


def _spec(obj: Object) -> Object:
    return obj.get("spec") or {}


def _status(obj: Object) -> Object:
    return obj.get("status") or {}


def _replicas(obj: Object) -> int:
    found = _spec(obj).get("replicas")
    return 1 if found is None else int(found)


def _pod_spec(obj: Object) -> Object:
    return (_spec(obj).get("template") or {}).get("spec") or {}


def _containers(obj: Object) -> str:
    return ",".join(c.get("name", "") for c in _pod_spec(obj).get("containers") or ())


def _images(obj: Object) -> str:
    return ",".join(c.get("image", "") for c in _pod_spec(obj).get("containers") or ())


def _labels(labels: Object | None) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted((labels or {}).items())) or "<none>"


def _selector(obj: Object) -> str:
    selector = _spec(obj).get("selector") or {}
    labels = selector.get("matchLabels", selector) if isinstance(selector, dict) else {}
    return _labels({k: v for k, v in labels.items() if isinstance(v, str)})


def _ports(obj: Object) -> str:
    out = []
    for port in _spec(obj).get("ports") or ():
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        out.append(f"{port.get('port', 0)}{node}/{port.get('protocol', 'TCP')}")
    return ",".join(out) or "<none>"


def _external(obj: Object) -> str:
    spec = _spec(obj)
    if spec.get("type") == "ExternalName":
        return str(spec.get("externalName", ""))
    ingress = (_status(obj).get("loadBalancer") or {}).get("ingress") or ()
    found = [i.get("ip") or i.get("hostname", "") for i in ingress] + list(
        spec.get("externalIPs") or ()
    )
    if found:
        return ",".join(found)
    return "<pending>" if spec.get("type") == "LoadBalancer" else "<none>"


def _pod_ready(obj: Object) -> str:
    statuses = _status(obj).get("containerStatuses") or ()
    return f"{sum(1 for s in statuses if s.get('ready'))}/{len(_spec(obj).get('containers') or ())}"


def _pod_state(obj: Object) -> str:
    status = _status(obj)
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return str(status.get("reason") or status.get("phase", ""))


def _restarts(obj: Object) -> str:
    return str(sum(s.get("restartCount", 0) for s in _status(obj).get("containerStatuses") or ()))


def _roles(obj: Object) -> str:
    labels = obj["metadata"].get("labels") or {}
    prefix = "node-role.kubernetes.io/"
    return ",".join(sorted(k[len(prefix) :] for k in labels if k.startswith(prefix))) or "<none>"


def _node_state(obj: Object) -> str:
    ready = next(
        (c for c in _status(obj).get("conditions") or () if c.get("type") == "Ready"), None
    )
    state = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return state + (",SchedulingDisabled" if _spec(obj).get("unschedulable") else "")


def _event_object(obj: Object) -> str:
    about = obj.get("involvedObject") or obj.get("regarding") or {}
    return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"


def _event_seen(obj: Object, now: datetime) -> str:
    stamp = obj.get("lastTimestamp") or obj.get("deprecatedLastTimestamp") or obj.get("eventTime")
    return _ago(stamp, now)


def _hosts(obj: Object) -> str:
    hosts = [r["host"] for r in _spec(obj).get("rules") or () if r.get("host")]
    return ",".join(hosts) or "*"


def _capacity(obj: Object) -> str:
    status = _status(obj) if "capacity" in _status(obj) else _spec(obj)
    return str((status.get("capacity") or {}).get("storage", ""))


def _modes(obj: Object) -> str:
    short = {
        "ReadWriteOnce": "RWO",
        "ReadOnlyMany": "ROX",
        "ReadWriteMany": "RWX",
        "ReadWriteOncePod": "RWOP",
    }
    return ",".join(short.get(m, m) for m in _spec(obj).get("accessModes") or ())


def _role(obj: Object) -> str:
    ref = obj.get("roleRef") or {}
    return f"{ref.get('kind', '')}/{ref.get('name', '')}"


def _job_state(obj: Object) -> str:
    for found in _status(obj).get("conditions") or ():
        if found.get("status") == "True" and found.get("type") in (
            "Complete",
            "Failed",
            "Suspended",
        ):
            return str(found["type"])
    return "Running"


def _completions(obj: Object) -> str:
    done = _status(obj).get("succeeded", 0)
    wanted = _spec(obj).get("completions")
    return (
        f"{done}/{wanted}"
        if wanted is not None
        else f"{done}/1 of {_spec(obj).get('parallelism', 1)}"
    )


def _none(value: Any) -> str:
    return str(value) if value not in (None, "") else "<none>"


_Cell = Callable[[Object], Any]
_WIDE: Final[tuple[tuple[str, _Cell], ...]] = (
    ("Containers", _containers),
    ("Images", _images),
    ("Selector", _selector),
)

# name of the column, what fills it; those after None are shown with `-o wide` only
_KINDS: Final[dict[str, tuple[tuple[str, _Cell] | None, ...]]] = {
    "Namespace": (("Status", lambda o: _status(o).get("phase", "")),),
    "ConfigMap": (("Data", lambda o: len(o.get("data") or ()) + len(o.get("binaryData") or ())),),
    "Secret": (("Type", lambda o: o.get("type", "")), ("Data", lambda o: len(o.get("data") or ()))),
    "ServiceAccount": (("Secrets", lambda o: len(o.get("secrets") or ())),),
    "Service": (
        ("Type", lambda o: _spec(o).get("type", "")),
        ("Cluster-IP", lambda o: _none(_spec(o).get("clusterIP"))),
        ("External-IP", _external),
        ("Port(s)", _ports),
        None,
        ("Selector", lambda o: _labels(_spec(o).get("selector"))),
    ),
    "Pod": (
        ("Ready", _pod_ready),
        ("Status", _pod_state),
        ("Restarts", _restarts),
        None,
        ("IP", lambda o: _none(_status(o).get("podIP"))),
        ("Node", lambda o: _none(_spec(o).get("nodeName"))),
        ("Nominated Node", lambda o: _none(_status(o).get("nominatedNodeName"))),
        ("Readiness Gates", lambda o: "<none>"),
    ),
    "Deployment": (
        ("Ready", lambda o: f"{_status(o).get('readyReplicas', 0)}/{_replicas(o)}"),
        ("Up-to-date", lambda o: _status(o).get("updatedReplicas", 0)),
        ("Available", lambda o: _status(o).get("availableReplicas", 0)),
        None,
        *_WIDE,
    ),
    "StatefulSet": (
        ("Ready", lambda o: f"{_status(o).get('readyReplicas', 0)}/{_replicas(o)}"),
        None,
        ("Containers", _containers),
        ("Images", _images),
    ),
    "ReplicaSet": (
        ("Desired", _replicas),
        ("Current", lambda o: _status(o).get("replicas", 0)),
        ("Ready", lambda o: _status(o).get("readyReplicas", 0)),
        None,
        *_WIDE,
    ),
    "DaemonSet": (
        ("Desired", lambda o: _status(o).get("desiredNumberScheduled", 0)),
        ("Current", lambda o: _status(o).get("currentNumberScheduled", 0)),
        ("Ready", lambda o: _status(o).get("numberReady", 0)),
        ("Up-to-date", lambda o: _status(o).get("updatedNumberScheduled", 0)),
        ("Available", lambda o: _status(o).get("numberAvailable", 0)),
        None,
        *_WIDE,
    ),
    "Job": (("Status", _job_state), ("Completions", _completions), None, *_WIDE),
    "CronJob": (
        ("Schedule", lambda o: _spec(o).get("schedule", "")),
        ("Timezone", lambda o: _none(_spec(o).get("timeZone"))),
        ("Suspend", lambda o: str(bool(_spec(o).get("suspend")))),
        ("Active", lambda o: len(_status(o).get("active") or ())),
    ),
    "Lease": (("Holder", lambda o: _spec(o).get("holderIdentity") or ""),),
    "PersistentVolumeClaim": (
        ("Status", lambda o: _status(o).get("phase", "")),
        ("Volume", lambda o: _spec(o).get("volumeName", "")),
        ("Capacity", _capacity),
        ("Access Modes", _modes),
        ("StorageClass", lambda o: _spec(o).get("storageClassName") or ""),
        None,
        ("VolumeMode", lambda o: _spec(o).get("volumeMode", "")),
    ),
    "PersistentVolume": (
        ("Capacity", _capacity),
        ("Access Modes", _modes),
        ("Reclaim Policy", lambda o: _spec(o).get("persistentVolumeReclaimPolicy", "")),
        ("Status", lambda o: _status(o).get("phase", "")),
        ("StorageClass", lambda o: _spec(o).get("storageClassName") or ""),
    ),
    "Node": (
        ("Status", _node_state),
        ("Roles", _roles),
        ("Version", lambda o: (_status(o).get("nodeInfo") or {}).get("kubeletVersion", "")),
    ),
    "Ingress": (
        ("Class", lambda o: _none(_spec(o).get("ingressClassName"))),
        ("Hosts", _hosts),
        ("Address", _external),
        ("Ports", lambda o: "80, 443" if _spec(o).get("tls") else "80"),
    ),
    "NetworkPolicy": (
        ("Pod-Selector", lambda o: _labels((_spec(o).get("podSelector") or {}).get("matchLabels"))),
    ),
    "HorizontalPodAutoscaler": (
        (
            "Reference",
            lambda o: "/".join(
                (_spec(o).get("scaleTargetRef") or {}).get(k, "") for k in ("kind", "name")
            ),
        ),
        ("MinPods", lambda o: str(_spec(o).get("minReplicas", "<unset>"))),
        ("MaxPods", lambda o: _spec(o).get("maxReplicas", 0)),
        ("Replicas", lambda o: _status(o).get("currentReplicas", 0)),
    ),
    "PodDisruptionBudget": (
        ("Min Available", lambda o: str(_spec(o).get("minAvailable", "N/A"))),
        ("Max Unavailable", lambda o: str(_spec(o).get("maxUnavailable", "N/A"))),
        ("Allowed Disruptions", lambda o: _status(o).get("disruptionsAllowed", 0)),
    ),
    "RoleBinding": (("Role", _role),),
    "ClusterRoleBinding": (("Role", _role),),
}


def printer_of(kind: Kind) -> Printer:
    """Return how a built-in kind is shown: its own columns, or name and creation time."""
    if kind.kind == "Event":
        return _events()
    parts = _KINDS.get(kind.kind, ())
    if kind.kind == "CustomResourceDefinition" or (
        not parts and kind.group == "rbac.authorization.k8s.io"
    ):
        return Printer(
            (("Name", "string", NAME, 0, "name"), ("Created At", "date", CREATED, 0, "")),
            lambda o, now: [
                o["metadata"]["name"],
                o["metadata"].get("creationTimestamp", "<unknown>"),
            ],
        )
    columns: list[Column] = [("Name", "string", NAME, 0, "name")]
    fills: list[Callable[[Object, datetime], Any]] = [lambda o, now: o["metadata"]["name"]]
    before, after = _split(parts)

    def add(name: str, fill: _Cell, priority: int) -> None:
        columns.append((name, "string", _TEXTS.get((kind.kind, name), ""), priority, ""))
        fills.append(lambda o, now: fill(o))

    for name, fill in before:
        add(name, fill, 0)
    columns.append(("Age", "string", CREATED, 0, ""))
    fills.append(_age)
    for name, fill in after:
        add(name, fill, 1)
    return Printer(tuple(columns), lambda o, now: [fill(o, now) for fill in fills])


def _split(
    parts: tuple[tuple[str, _Cell] | None, ...],
) -> tuple[list[tuple[str, _Cell]], list[tuple[str, _Cell]]]:
    at = parts.index(None) if None in parts else len(parts)
    return [p for p in parts[:at] if p], [p for p in parts[at + 1 :] if p]


def _events() -> Printer:
    columns: tuple[Column, ...] = (
        ("Last Seen", "string", "", 0, ""),
        ("Type", "string", "", 0, ""),
        ("Reason", "string", "", 0, ""),
        ("Object", "string", "", 0, ""),
        ("Message", "string", "", 0, ""),
    )
    return Printer(
        columns,
        lambda o, now: [
            _event_seen(o, now),
            o.get("type", ""),
            o.get("reason", ""),
            _event_object(o),
            str(o.get("message") or o.get("note") or "").strip(),
        ],
    )
