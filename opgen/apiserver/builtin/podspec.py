"""Defaults and rules of pod specs, which all workload kinds share (`pkg/apis/core/v1/defaults.go`, `validation`)."""

from __future__ import annotations

import re
from typing import Any, Final

from opgen.apiserver.names import dns_label
from opgen.apiserver.status import FieldError, duplicate, invalid_value, not_supported, required

__all__ = ["default_pod_spec", "default_template", "pod_spec_errors"]

Object = dict[str, Any]
_MODES: Final = {"secret": 0o644, "configMap": 0o644, "downwardAPI": 0o644, "projected": 0o644}
_PULL: Final = ("Always", "IfNotPresent", "Never")
_NAMED_TAG: Final = re.compile(r"[^@]*?(?::([^:/@]+))?(@.*)?")


def default_template(template: Object) -> None:
    """Fill in the defaults of a pod template."""
    template.setdefault("metadata", {})
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: Object) -> None:
    """Fill in the defaults of a pod spec."""
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for volume in spec.get("volumes") or ():
        _volume(volume)
    for key in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(key) or ():
            _container(container, bool(spec.get("hostNetwork")))


def _volume(volume: Object) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
    for key, mode in _MODES.items():
        if key in volume:
            volume[key].setdefault("defaultMode", mode)
    host = volume.get("hostPath")
    if host is not None:
        host.setdefault("type", "")
    for source in (volume.get("projected") or {}).get("sources") or ():
        token = source.get("serviceAccountToken")
        if token is not None:
            token.setdefault("expirationSeconds", 3600)
        _field_refs((source.get("downwardAPI") or {}).get("items"))
    _field_refs((volume.get("downwardAPI") or {}).get("items"))


def _field_refs(items: Any) -> None:
    for item in items or ():
        if item.get("fieldRef") is not None:
            item["fieldRef"].setdefault("apiVersion", "v1")


def _container(container: Object, host_network: bool) -> None:
    if "imagePullPolicy" not in container:
        found = _NAMED_TAG.fullmatch(container.get("image", ""))
        tag, digest = (found.group(1), found.group(2)) if found else (None, None)
        latest = (tag in (None, "latest")) and not digest
        container["imagePullPolicy"] = "Always" if latest else "IfNotPresent"
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network and "hostPort" not in port:
            port["hostPort"] = port.get("containerPort", 0)
    for entry in container.get("env") or ():
        source = (entry.get("valueFrom") or {}).get("fieldRef")
        if source is not None:
            source.setdefault("apiVersion", "v1")
    limits = (container.get("resources") or {}).get("limits") or {}
    if limits:
        requests = container["resources"].setdefault("requests", {})
        for key, value in limits.items():
            requests.setdefault(key, value)
    for key in ("livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(key) is not None:
            _probe(container[key])
    for hook in (container.get("lifecycle") or {}).values():
        if isinstance(hook, dict) and hook.get("httpGet") is not None:
            _http(hook["httpGet"])


def _probe(probe: Object) -> None:
    for key, value in (
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ):
        if not probe.get(key):
            probe[key] = value
    if probe.get("httpGet") is not None:
        _http(probe["httpGet"])
    if probe.get("grpc") is not None:
        probe["grpc"].setdefault("service", "")


def _http(action: Object) -> None:
    if not action.get("path"):
        action["path"] = "/"
    if not action.get("scheme"):
        action["scheme"] = "HTTP"


def pod_spec_errors(
    spec: Object, field: str, restart: tuple[str, ...] = ("Always", "OnFailure", "Never")
) -> list[FieldError]:
    """Return the mistakes in a pod spec that people make: containers, names, images, ports, mounts, policies."""
    errors: list[FieldError] = []
    volumes = {v.get("name") for v in spec.get("volumes") or ()}
    seen: set[str] = set()
    for index, volume in enumerate(spec.get("volumes") or ()):
        _name(volume.get("name"), f"{field}.volumes[{index}].name", seen, errors)
    containers = spec.get("containers") or []
    if not containers:
        errors.append(required(f"{field}.containers"))
    names: set[str] = set()
    for key in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(key) or ()):
            at = f"{field}.{key}[{index}]"
            _name(container.get("name"), f"{at}.name", names, errors)
            if not container.get("image"):
                errors.append(required(f"{at}.image"))
            errors += _ports(container, at)
            errors += _mounts(container, at, volumes)
            if container.get("imagePullPolicy") not in _PULL:
                errors.append(
                    not_supported(f"{at}.imagePullPolicy", container.get("imagePullPolicy"), _PULL)
                )
    policy = spec.get("restartPolicy")
    if policy not in restart:
        errors.append(not_supported(f"{field}.restartPolicy", policy, restart))
    return errors


def _name(name: Any, field: str, seen: set[str], errors: list[FieldError]) -> None:
    if not name:
        errors.append(required(field))
        return
    errors.extend(invalid_value(field, name, text) for text in dns_label(name))
    if name in seen:
        errors.append(duplicate(field, name))
    seen.add(name)


def _ports(container: Object, at: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, port in enumerate(container.get("ports") or ()):
        number = port.get("containerPort", 0)
        if number == 0:
            errors.append(required(f"{at}.ports[{index}].containerPort"))
        elif not 0 < number < 65536:
            errors.append(
                invalid_value(
                    f"{at}.ports[{index}].containerPort",
                    number,
                    "must be between 1 and 65535, inclusive",
                )
            )
        if port.get("protocol") not in ("TCP", "UDP", "SCTP"):
            errors.append(
                not_supported(
                    f"{at}.ports[{index}].protocol", port.get("protocol"), ["SCTP", "TCP", "UDP"]
                )
            )
    return errors


def _mounts(container: Object, at: str, volumes: set[Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        where = f"{at}.volumeMounts[{index}]"
        name = mount.get("name")
        if not name:
            errors.append(required(f"{where}.name"))
        elif name not in volumes:
            errors.append(FieldError("FieldValueNotFound", f"{where}.name", name))
        if not mount.get("mountPath"):
            errors.append(required(f"{where}.mountPath"))
    return errors
