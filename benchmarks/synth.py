"""Make an object of a CRD's schema, of about a given size, without randomness.

A full object sets every property once. A smaller one sets fewer optional properties of each object, a larger one
repeats the items of each outermost list of objects. Strings come from a short list of candidates by format and pattern;
an optional property that none fits is left out. What a model refuses afterwards is left out too: the objects are fuel
for a stopwatch, not tests of validation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Growth", "path_of", "sized", "synthesise"]

Path = tuple[str, ...]

_BY_FORMAT = {
    "date-time": "2026-03-04T05:06:07Z",
    "date": "2026-03-04",
    "duration": "30s",
    "byte": "c2VjcmV0",
    "uri": "https://example.com/a",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "email": "someone@example.com",
    "hostname": "example.com",
    "uuid": "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
}
_CANDIDATES = (
    "a-name", "1", "30s", "100Mi", "https://example.com/a", "example.com", "/a/path", "192.0.2.1", "192.0.2.0/24",
    "A", "a", "1.2.3", "v1", "10m", "50%", "example.com/key", "2026-03-04T05:06:07Z", "a@example.com", "2001:db8::1",
    "#ffffff", "true", "a" * 32, "0" * 64, "sha256:" + "0" * 64, "A_NAME", "10:30", "UTC", "1h30m", "a_name", "0755",
    "*",
)  # fmt: skip
_ABSENT = object()


@dataclass(frozen=True)
class Growth:
    """How much of the schema to set: optional properties of each object, items of each outermost list of objects."""

    width: int | None = None
    items: int = 1


def _string(schema: Mapping[str, Any], index: int) -> Any:
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 20)
    pattern = schema.get("pattern")
    if pattern is None and schema.get("format") in _BY_FORMAT:
        return _BY_FORMAT[schema["format"]]
    for candidate in (f"a-name-{index}", *_CANDIDATES, *(c + f"{index}" for c in _CANDIDATES)):
        if not least <= len(candidate) <= most:
            continue
        try:
            if pattern is None or re.search(pattern, candidate):
                return candidate
        except re.error:  # Go's syntax
            return _ABSENT
    return _ABSENT


def _number(schema: Mapping[str, Any]) -> Any:
    low, high = schema.get("minimum", 1), schema.get("maximum")
    value = low + 1 if schema.get("exclusiveMinimum") is True else low
    value = min(value, high) if high is not None else value
    step = schema.get("multipleOf")
    if step:
        value = -(-value // step) * step
    return int(value) if float(value).is_integer() else value


def synthesise(
    schema: Mapping[str, Any], growth: Growth, skip: frozenset[Path] = frozenset()
) -> Any:
    """Return a value of a schema; `skip` are paths (properties, `[]` for items, `{}` for map values) to leave out."""
    value = _value(schema, growth, skip, (), False, 0)
    return {} if value is _ABSENT else value


def _value(
    schema: Mapping[str, Any],
    growth: Growth,
    skip: frozenset[Path],
    path: Path,
    grown: bool,
    index: int,
) -> Any:
    if path in skip:
        return _ABSENT
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("x-kubernetes-int-or-string"):
        return 8080
    kind = schema.get("type")
    if kind == "string":
        return _string(schema, index)
    if kind in ("integer", "number"):
        return _number(schema)
    if kind == "boolean":
        return True
    if kind == "array":
        return _array(schema, growth, skip, path, grown)
    if kind == "object" or "properties" in schema:
        return _object(schema, growth, skip, path, grown, index)
    return {"free": [1, "two"]} if schema.get("x-kubernetes-preserve-unknown-fields") else _ABSENT


def _array(
    schema: Mapping[str, Any], growth: Growth, skip: frozenset[Path], path: Path, grown: bool
) -> Any:
    items = schema.get("items") or {}
    grows = not grown and bool(items.get("properties"))
    count = max(growth.items if grows else 1, schema.get("minItems", 0))
    count = min(count, schema.get("maxItems", count))
    keys: Sequence[str] = schema.get("x-kubernetes-list-map-keys") or ()
    out: list[Any] = []
    seen: set[str] = set()
    for index in range(count):
        value = _value(items, growth, skip, (*path, "[]"), grown or grows, index)
        if value is _ABSENT:
            break
        key = json.dumps(
            [value.get(k) for k in keys] if keys and isinstance(value, dict) else value
        )
        if (keys or schema.get("x-kubernetes-list-type") == "set") and key in seen:
            break
        seen.add(key)
        out.append(value)
    return out if len(out) >= schema.get("minItems", 0) and out else _ABSENT


def _object(
    schema: Mapping[str, Any],
    growth: Growth,
    skip: frozenset[Path],
    path: Path,
    grown: bool,
    index: int,
) -> Any:
    if schema.get("x-kubernetes-embedded-resource"):
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "embedded"}}
    properties: Mapping[str, Any] = schema.get("properties") or {}
    required = set(schema.get("required") or ())
    optional = [name for name in properties if name not in required][: growth.width]
    out: dict[str, Any] = {}
    for name, below in properties.items():
        if name in required or name in optional:
            value = _value(below, growth, skip, (*path, name), grown, index)
            if value is not _ABSENT:
                out[name] = value
            elif name in required:
                return _ABSENT
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and not properties:
        value = _value(more, growth, skip, (*path, "{}"), grown, index)
        if value is not _ABSENT:
            out["example.com/key"] = value
    elif schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
        out["free"] = {"nested": [1, "two"]}
    return out


def path_of(schema: Mapping[str, Any], location: Iterable[str | int]) -> Path:
    """Return the path, as `skip` has it, of the deepest place in the schema that an error's location leads to."""
    path: list[str] = []
    for step in location:
        if isinstance(step, int) and "items" in schema:
            schema = schema["items"]
            path.append("[]")
        elif step in (schema.get("properties") or {}):
            schema = schema["properties"][step]
            path.append(str(step))
        elif isinstance(schema.get("additionalProperties"), dict):
            schema = schema["additionalProperties"]
            path.append("{}")
        else:
            break
    return tuple(path)


def sized(
    schema: Mapping[str, Any], target: int, skip: frozenset[Path], head: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an object with `head` in front whose JSON is as near to `target` bytes as one knob gets it."""

    def made(growth: Growth) -> dict[str, Any]:
        return {
            **head,
            **{k: v for k, v in synthesise(schema, growth, skip).items() if k not in head},
        }

    def size(growth: Growth) -> int:
        return len(json.dumps(made(growth), separators=(",", ":")))

    full = size(Growth())
    if full > target:
        choices = [Growth(width=width) for width in range(1, 80)]
    else:
        each = max((size(Growth(items=6)) - full) / 5, 1)
        near = 1 + int((target - full) / each)
        choices = [Growth(), *(Growth(items=max(1, near + step)) for step in (-1, 0, 1))]
    return made(min(choices, key=lambda growth: abs(size(growth) - target)))
