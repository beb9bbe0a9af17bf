"""How Events are written and read: two APIs over the same objects."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.kinds import Kind
from opgen.apiserver.status import FieldError, invalid_value, required
from opgen.apiserver.strategy import Strategy

__all__ = ["EventStrategy"]

Object = dict[str, Any]
_NEW_TO_OLD: Final = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_OLD_TO_NEW: Final = {v: k for k, v in _NEW_TO_OLD.items()}


class EventStrategy(Strategy):
    """Event of the core group and of events.k8s.io; stored as the former."""

    create_on_update = True

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """The namespaces must agree; the newer API wants more."""
        newer = bool(kind.group)
        involved = obj.get("regarding" if newer else "involvedObject") or {}
        errors: list[FieldError] = []
        namespace = obj["metadata"].get("namespace")
        if involved.get("namespace", "") != namespace and not (
            not involved.get("namespace") and namespace == "default"
        ):
            errors.append(
                invalid_value(
                    "involvedObject.namespace",
                    involved.get("namespace", ""),
                    "does not match event.namespace",
                )
            )
        if newer and not obj.get("eventTime"):
            errors.append(required("eventTime"))
        if newer and obj.get("type") not in ("Normal", "Warning"):
            type_ = obj.get("type", "")
            errors.append(invalid_value("type", type_, f"has invalid value: {type_}"))
        if obj.get("eventTime"):
            for key in ("reportingController", "reportingInstance", "action", "reason"):
                old = _NEW_TO_OLD.get(key, key)
                if not obj.get(key if newer else old):
                    errors.append(required(key))
        return errors

    def convert(self, obj: Object, kind: Kind) -> Object:
        """Show a stored event through `kind`'s API."""
        if not kind.group:
            return obj
        out = {_OLD_TO_NEW.get(k, k): v for k, v in obj.items()}
        out["apiVersion"] = kind.api_version
        for key in ("reportingController", "reportingInstance"):
            if not out.get(key):
                out.pop(key, None)
        return out

    def unconvert(self, obj: Object, kind: Kind) -> Object:
        """Return an event of the newer API as it is stored."""
        out = {_NEW_TO_OLD.get(k, k): v for k, v in obj.items()}
        out["apiVersion"] = "v1"
        out["metadata"] = dict(obj["metadata"])
        for key in ("reportingComponent", "reportingInstance"):
            out.setdefault(key, "")
        return out
