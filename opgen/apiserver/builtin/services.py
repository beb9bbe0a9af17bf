"""How Services are written: defaults, ports, and the cluster IP that the server hands out."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.kinds import Kind
from opgen.apiserver.names import dns_label
from opgen.apiserver.status import FieldError, duplicate, invalid_value, not_supported, required
from opgen.apiserver.strategy import Strategy

__all__ = ["ServiceStrategy"]

Object = dict[str, Any]
_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_RANGE: Final = "must be between 1 and 65535, inclusive"


class ServiceStrategy(Strategy):
    """Service; cluster IPs and node ports are handed out in order, so that runs repeat."""

    def __init__(self) -> None:
        """Start with the first address and port."""
        self._next_ip = 10
        self._next_port = 30000

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in as `SetDefaults_Service` does."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("sessionAffinity", "None")
        spec.setdefault("type", "ClusterIP")
        if spec["sessionAffinity"] == "ClientIP":
            config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
            config.setdefault("timeoutSeconds", 10800)
        for port in spec.get("ports") or ():
            port.setdefault("protocol", "TCP")
            if port.get("targetPort") in (None, 0, ""):
                port["targetPort"] = port.get("port", 0)
        type_ = spec["type"]
        if type_ in ("NodePort", "LoadBalancer"):
            spec.setdefault("externalTrafficPolicy", "Cluster")
        if type_ in ("NodePort", "LoadBalancer", "ClusterIP"):
            spec.setdefault("internalTrafficPolicy", "Cluster")
        if type_ == "LoadBalancer":
            spec.setdefault("allocateLoadBalancerNodePorts", True)

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset the status."""
        obj["status"] = {"loadBalancer": {}}

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """Keep the addresses that were handed out."""
        super().prepare_update(new, old, kind, subresource)
        spec, before = new["spec"], old["spec"]
        if (
            subresource != "status"
            and spec["type"] != "ExternalName"
            and before.get("type") != "ExternalName"
        ):
            if not spec.get("clusterIP"):
                for key in ("clusterIP", "clusterIPs"):
                    if key in before:
                        spec[key] = before[key]
            for key in ("ipFamilies", "ipFamilyPolicy"):
                if key not in spec and key in before:
                    spec[key] = before[key]
            old_ports = {
                (p.get("port"), p.get("protocol")): p.get("nodePort")
                for p in before.get("ports") or ()
            }
            if spec["type"] in ("NodePort", "LoadBalancer"):
                for port in spec.get("ports") or ():
                    kept = old_ports.get((port.get("port"), port.get("protocol")))
                    if kept and not port.get("nodePort"):
                        port["nodePort"] = kept

    def canonical(self, obj: Object, kind: Kind) -> None:
        """Hand out a cluster IP and node ports."""
        spec = obj["spec"]
        if spec["type"] == "ExternalName":
            for key in ("clusterIP", "clusterIPs"):
                spec.pop(key, None)
            return
        headless = spec.get("clusterIP") == "None"
        if not spec.get("clusterIP"):
            number, self._next_ip = self._next_ip, self._next_ip + 1
            spec["clusterIP"] = f"10.96.{number // 256 % 256}.{number % 256}"
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        if "ipFamilies" not in spec:
            dual = headless and not spec.get("selector")
            spec["ipFamilies"] = ["IPv4", "IPv6"] if dual else ["IPv4"]
            spec.setdefault("ipFamilyPolicy", "RequireDualStack" if dual else "SingleStack")
        spec.setdefault("ipFamilyPolicy", "SingleStack")
        if spec["type"] in ("NodePort", "LoadBalancer") and spec.get(
            "allocateLoadBalancerNodePorts", True
        ):
            for port in spec.get("ports") or ():
                if not port.get("nodePort"):
                    number, self._next_port = self._next_port, self._next_port + 1
                    port["nodePort"] = 30000 + (number - 30000) % 2768

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check type and ports."""
        spec = obj["spec"]
        errors: list[FieldError] = []
        type_ = spec["type"]
        if type_ not in _TYPES:
            errors.append(not_supported("spec.type", type_, _TYPES))
        if spec["sessionAffinity"] not in ("ClientIP", "None"):
            errors.append(
                not_supported("spec.sessionAffinity", spec["sessionAffinity"], ["ClientIP", "None"])
            )
        ports = spec.get("ports") or []
        if type_ == "ExternalName" and not spec.get("externalName"):
            errors.append(required("spec.externalName"))
        if not ports and type_ != "ExternalName" and spec.get("clusterIP") != "None":
            errors.append(required("spec.ports"))
        names: set[str] = set()
        seen: set[tuple[Any, Any]] = set()
        for index, port in enumerate(ports):
            errors += _port_errors(port, f"spec.ports[{index}]", len(ports) > 1, names)
            pair = (port.get("port"), port.get("protocol"))
            if pair in seen:
                errors.append(
                    duplicate(f"spec.ports[{index}]", {"protocol": pair[1], "port": pair[0]})
                )
            seen.add(pair)
        return errors

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """The first cluster IP may not change; a family that the cluster lacks can't be chosen."""
        if subresource == "status":
            return []
        errors = self.validate(new, kind)
        spec, before = new["spec"], old["spec"]
        if "ExternalName" in (spec["type"], before["type"]):
            return errors
        if before.get("clusterIP") and spec.get("clusterIP") != before["clusterIP"]:
            if before["clusterIP"] == "None" and "IPv6" in (spec.get("ipFamilies") or ()):
                index = spec["ipFamilies"].index("IPv6")
                errors.append(
                    invalid_value(
                        f"spec.ipFamilies[{index}]", "IPv6", "not configured on this cluster"
                    )
                )
                if spec.get("ipFamilyPolicy") == "RequireDualStack":
                    errors.append(
                        invalid_value(
                            "spec.ipFamilyPolicy",
                            "RequireDualStack",
                            "this cluster is not configured for dual-stack services",
                        )
                    )
            else:
                errors.append(
                    invalid_value(
                        "spec.clusterIPs[0]", [spec["clusterIP"]], "may not change once set"
                    )
                )
        return errors


def _port_errors(port: Object, at: str, named: bool, names: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    name = port.get("name")
    if not name:
        if named:
            errors.append(required(f"{at}.name"))
    else:
        errors += [invalid_value(f"{at}.name", name, t) for t in dns_label(name)]
        if name in names:
            errors.append(duplicate(f"{at}.name", name))
        names.add(name)
    number = port.get("port", 0)
    if not 0 < number < 65536:
        errors.append(invalid_value(f"{at}.port", number, _RANGE))
    if port.get("protocol") not in ("TCP", "UDP", "SCTP"):
        errors.append(not_supported(f"{at}.protocol", port.get("protocol"), ["SCTP", "TCP", "UDP"]))
    target = port.get("targetPort")
    if isinstance(target, int) and not 0 < target < 65536:
        errors.append(invalid_value(f"{at}.targetPort", target, _RANGE))
    elif isinstance(target, str) and (len(target) > 15 or not target):
        errors.append(
            invalid_value(f"{at}.targetPort", target, "must be no more than 15 characters")
        )
    return errors
