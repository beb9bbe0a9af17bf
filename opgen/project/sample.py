"""A small valid object of a kind, to start from: what the schema requires, with values that it would take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from opgen.ir.types import Enum, Kind, ListOf, MapOf, Nullable, Object, Ref, Scalar, Type

__all__ = ["sample"]

_FORMATS = {
    "byte": "ZXhhbXBsZQ==",
    "cidr": "10.0.0.0/24",
    "date": "2030-01-01",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ipv4": "10.0.0.1",
    "ipv6": "::1",
    "mac": "00:00:5e:00:53:01",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_GUESSES = (
    "example", "a", "A", "1", "10", "1.0", "1.2.3", "v1", "example.com", "example.com/a", "https://example.com",
    "10.0.0.1", "10.0.0.0/24", "10Gi", "1h", "1m", "50%", "true", "EXAMPLE", "a-b", "a_b", "a:b", "/a", "0",
    "2030-01-01T00:00:00Z", "s3://a", "aaaaaaaa-1111", "#000000", "0700",
)  # fmt: skip


def sample(kind: Kind) -> dict[str, Any]:
    """Return an object with all that is required; a pattern that no guess fits is left to its author."""
    objects = {item.name: item for item in kind.objects}
    root = kind.objects[-1]
    out: dict[str, Any] = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": f"{kind.singular}-sample"},
    }
    out.update(_object(root, objects, top=True))
    return out


def _object(item: Object, objects: Mapping[str, Object], top: bool = False) -> dict[str, Any]:
    item = objects.get(item.same_as, item)
    wanted = _wanted(item.rules)
    return {
        field.wire: _value(field.type, objects)
        for field in item.fields
        if field.required or field.wire in wanted or (top and field.wire == "spec")
    }


def _wanted(rules: Mapping[str, Any] | None) -> frozenset[str]:
    """Return what the first branch of a oneOf or anyOf requires."""
    for key in ("oneOf", "anyOf"):
        for branch in (rules or {}).get(key) or ():
            if names := branch.get("required"):
                return frozenset(names)
    return frozenset()


def _value(type_: Type, objects: Mapping[str, Object]) -> Any:
    match type_:
        case Nullable(of):
            return _value(of, objects)
        case Enum(_, values):
            return values[0]
        case Ref(name, module):
            if module:
                return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "example"}}
            return _object(objects[name], objects)
        case ListOf(item, _, _, least):
            return [_value(item, objects)] * (least or 0)
        case MapOf(value, least):
            return {f"example-{i}": _value(value, objects) for i in range(least or 0)}
        case Scalar(name, checks):
            return _scalar(name, checks or {})


def _scalar(name: str, checks: Mapping[str, Any]) -> Any:
    match name:
        case "boolean":
            return True
        case "integer" | "number":
            low = checks.get(
                "minimum", checks.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in checks)
            )
            high = checks.get("maximum", low if low > 1 else 1)
            value = min(max(low, 1), high)
            step = checks.get("multipleOf")
            return value if not step else step * max(1, -(-value // step))
        case "date-time" | "micro-time":
            return "2030-01-01T00:00:00Z"
        case "duration":
            return "1h"
        case "quantity":
            return "1Gi"
        case "any":
            return {}
    least, most = checks.get("minLength", 0), checks.get("maxLength", 1 << 30)
    if text := _FORMATS.get(checks.get("format", "")):
        return text
    pattern = checks.get("pattern")
    for guess in _GUESSES:
        text = guess if len(guess) >= least else guess * (least // len(guess) + 1)
        if len(text) <= most and (pattern is None or _matches(pattern, text)):
            return text
    return "example"


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False
