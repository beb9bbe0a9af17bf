"""How the plain kinds of the core group are written: Namespace, ConfigMap, Secret, Pod, claims, volumes, nodes."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

from opgen.apiserver.builtin.podspec import default_pod_spec, pod_spec_errors
from opgen.apiserver.kinds import Kind
from opgen.apiserver.names import label_value
from opgen.apiserver.status import (
    FieldError,
    forbidden_field,
    invalid_value,
    required,
    too_long,
)
from opgen.apiserver.strategy import Strategy

__all__ = [
    "ClaimStrategy",
    "config_key_errors",
    "ConfigMapStrategy",
    "NamespaceStrategy",
    "NodeStrategy",
    "PodStrategy",
    "SecretStrategy",
    "VolumeStrategy",
]

Object = dict[str, Any]
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_CONFIG_KEY: Final = re.compile(r"[-._a-zA-Z0-9]+")
_LIMIT: Final = 1024 * 1024
_IMMUTABLE: Final = "field is immutable when `immutable` is set"


class NamespaceStrategy(Strategy):
    """Namespace: phase, the finalizer `kubernetes`, and the label with its name."""

    immortal = frozenset(("default", "kube-system", "kube-public"))

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Set the label."""
        name = obj["metadata"].get("name")
        if name:
            obj["metadata"].setdefault("labels", {})[_NAME_LABEL] = name

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Start active, held by the namespace controller."""
        obj["status"] = {"phase": "Active"}
        spec = obj.setdefault("spec", {})
        spec["finalizers"] = [
            *[f for f in spec.get("finalizers") or () if f != "kubernetes"],
            "kubernetes",
        ]

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """Only `finalize` writes the finalizers."""
        if subresource == "finalize":
            new["status"] = old.get("status", {})
            return
        super().prepare_update(new, old, kind, subresource)
        if subresource != "status":
            new["spec"] = old.get("spec", {})

    def held(self, obj: Object) -> bool:
        """The namespace controller holds it by a finalizer in its spec."""
        return bool((obj.get("spec") or {}).get("finalizers"))

    def begin_delete(self, obj: Object, now: str) -> Object | None:
        """Mark as terminating: the namespace controller empties it first."""
        if not self.held(obj):
            return None
        if obj["metadata"].get("deletionTimestamp"):
            return obj
        meta = {**obj["metadata"], "deletionTimestamp": now}
        return {
            **obj,
            "metadata": meta,
            "status": {**(obj.get("status") or {}), "phase": "Terminating"},
        }


def config_key_errors(keys: Any, field: str) -> list[FieldError]:
    """Check the keys of a ConfigMap or Secret."""
    errors: list[FieldError] = []
    for key in keys:
        at = f"{field}[{key}]"
        if len(key.encode()) > 253:
            errors.append(invalid_value(at, key, "must be no more than 253 characters"))
        if not _CONFIG_KEY.fullmatch(key):
            errors.append(
                invalid_value(
                    at,
                    key,
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                    "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
                )
            )
        elif key in (".", "..") or key.startswith(".."):
            errors.append(
                invalid_value(
                    at, key, f"must not be '{key}'" if len(key) < 3 else "must not start with '..'"
                )
            )
    return errors


class ConfigMapStrategy(Strategy):
    """ConfigMap."""

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check keys and size."""
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        errors = config_key_errors(data, "data")
        errors += [
            invalid_value(f"data[{k}]", k, "duplicate of key present in binaryData")
            for k in data
            if k in binary
        ]
        errors += config_key_errors(binary, "binaryData")
        size = sum(len(v.encode()) for v in data.values()) + sum(
            len(v) * 3 // 4 for v in binary.values()
        )
        if size > _LIMIT:
            errors.append(too_long("", _LIMIT))
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """An immutable one stays as it is."""
        errors: list[FieldError] = []
        if old.get("immutable"):
            if not new.get("immutable"):
                errors.append(forbidden_field("immutable", _IMMUTABLE))
            errors += [
                forbidden_field(key, _IMMUTABLE)
                for key in ("data", "binaryData")
                if new.get(key) != old.get(key)
            ]
        return errors + self.validate(new, kind)


class SecretStrategy(Strategy):
    """Secret."""

    _NEEDED: Final = {
        "kubernetes.io/tls": ("tls.crt", "tls.key"),
        "kubernetes.io/ssh-auth": ("ssh-privatekey",),
        "kubernetes.io/dockercfg": (".dockercfg",),
        "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    }

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Opaque unless said; `stringData` goes into `data`."""
        if not obj.get("type"):
            obj["type"] = "Opaque"
        plain = obj.pop("stringData", None)
        if plain:
            data = obj.setdefault("data", {})
            for key, value in plain.items():
                data[key] = base64.b64encode(value.encode()).decode()

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check keys, size and what the type needs."""
        data = obj.get("data") or {}
        errors = config_key_errors(data, "data")
        if sum(len(v) * 3 // 4 for v in data.values()) > _LIMIT:
            errors.append(too_long("data", _LIMIT))
        type_ = obj["type"]
        for key in self._NEEDED.get(type_, ()):
            if key not in data or (type_ == "kubernetes.io/ssh-auth" and not data[key]):
                errors.append(required(f"data[{key}]"))
            elif type_.startswith("kubernetes.io/docker"):
                try:
                    json.loads(base64.b64decode(data[key]))
                except ValueError as error:
                    errors.append(
                        invalid_value(f"data[{key}]", "<secret contents redacted>", str(error))
                    )
        if (
            type_ == "kubernetes.io/basic-auth"
            and "username" not in data
            and "password" not in data
        ):
            errors += [required("data[username]"), required("data[password]")]
        if type_ == "kubernetes.io/service-account-token" and not (
            obj["metadata"].get("annotations") or {}
        ).get("kubernetes.io/service-account.name"):
            errors.append(required("metadata.annotations[kubernetes.io/service-account.name]"))
        return errors

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """A PUT without a type keeps the old one."""
        super().prepare_update(new, old, kind, subresource)
        if not new.get("type"):
            new["type"] = old.get("type", "Opaque")

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """The type may not change; an immutable one stays as it is."""
        errors: list[FieldError] = []
        if new.get("type") != old.get("type"):
            errors.append(invalid_value("type", new.get("type"), "field is immutable"))
            return errors
        if old.get("immutable"):
            if not new.get("immutable"):
                errors.append(forbidden_field("immutable", _IMMUTABLE))
            if new.get("data") != old.get("data"):
                errors.append(forbidden_field("data", _IMMUTABLE))
        return errors + self.validate(new, kind)


class PodStrategy(Strategy):
    """Pod: most of its spec is fixed, and a deletion waits for the kubelet once it has a node."""

    generation = True
    _MUTABLE: Final = (
        "activeDeadlineSeconds",
        "tolerations",
        "terminationGracePeriodSeconds",
        "schedulingGates",
    )

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in the pod spec."""
        spec = obj.setdefault("spec", {})
        default_pod_spec(spec)
        spec.setdefault("enableServiceLinks", True)

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Start pending."""
        super().prepare_create(obj, kind)
        obj["status"] = {"phase": "Pending", "qosClass": _quality(obj["spec"])}

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check the spec."""
        return pod_spec_errors(obj["spec"], "spec")

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Images, deadlines and tolerations may change, nothing else."""
        if subresource:
            return []
        if _fixed(new["spec"], self._MUTABLE) != _fixed(old["spec"], self._MUTABLE):
            return [
                forbidden_field(
                    "spec",
                    "pod updates may not change fields other than "
                    "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
                    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
                )
            ]
        return []

    def grace(self, obj: Object, options: Object) -> int:
        """Wait for the pod's grace period if it has been put on a node."""
        if not (obj.get("spec") or {}).get("nodeName") or (obj.get("status") or {}).get(
            "phase"
        ) in ("Succeeded", "Failed"):
            return 0
        given = options.get("gracePeriodSeconds")
        if given is not None:
            return int(given)
        return int(obj["spec"].get("terminationGracePeriodSeconds", 30))


def _without(spec: Object, mutable: tuple[str, ...]) -> Object:
    return {k: v for k, v in spec.items() if k not in mutable}


def _fixed(spec: Object, mutable: tuple[str, ...]) -> Object:
    out = _without(spec, mutable)
    for key in ("containers", "initContainers"):
        if key in out:
            out[key] = [{k: v for k, v in c.items() if k != "image"} for c in out[key]]
    return out


def _quality(spec: Object) -> str:
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    resources = [c.get("resources") or {} for c in containers]
    if not any(r.get("requests") or r.get("limits") for r in resources):
        return "BestEffort"
    for found in resources:
        limits, requests = found.get("limits") or {}, found.get("requests") or {}
        if not {"cpu", "memory"} <= limits.keys() or any(
            requests.get(k, limits[k]) != limits[k] for k in limits
        ):
            return "Burstable"
    return "Guaranteed"


class ClaimStrategy(Strategy):
    """PersistentVolumeClaim."""

    _MUTABLE: Final = ("resources", "volumeName", "volumeAttributesClassName")

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Filesystem unless said."""
        obj.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Start pending."""
        obj["status"] = {"phase": "Pending"}
        finalizers = obj["metadata"].setdefault("finalizers", [])
        if "kubernetes.io/pvc-protection" not in finalizers:
            finalizers.append("kubernetes.io/pvc-protection")

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check access modes and the size asked for."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        if not spec.get("accessModes"):
            errors.append(required("spec.accessModes", "at least 1 access mode is required"))
        if "storage" not in ((spec.get("resources") or {}).get("requests") or {}):
            errors.append(required("spec.resources[storage]"))
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Only the size (and the volume, once) may change."""
        if subresource == "status":
            return []
        if _without(new["spec"], self._MUTABLE) != _without(old["spec"], self._MUTABLE):
            return [
                forbidden_field(
                    "spec",
                    "spec is immutable after creation except resources.requests and "
                    "volumeAttributesClassName for bound claims",
                )
            ]
        return []


class VolumeStrategy(Strategy):
    """PersistentVolume."""

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Retained, a filesystem, unless said."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
        spec.setdefault("volumeMode", "Filesystem")

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Start pending."""
        obj["status"] = {"phase": "Pending"}


class NodeStrategy(Strategy):
    """Node."""

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Names of nodes must fit labels."""
        return [
            invalid_value("metadata.name", obj["metadata"]["name"], t)
            for t in label_value(obj["metadata"]["name"])
        ]
