"""Decode JSON as a Go struct would: for built-in kinds and for the metadata of every kind.

Unknown keys are dropped and told of, nulls are zero values, and a value of the wrong type is refused in the
words of Go's decoder.
"""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime
from typing import Any, Final

from opgen.apiserver.jsonio import DuplicateKeys
from opgen.apiserver.schema.node import Node
from opgen.apiserver.status import quote

__all__ = ["decode_struct", "go_kind", "Mismatch", "parse_time", "render_time"]

_GO_KINDS: Final = {dict: "object", list: "array", str: "string", bool: "bool"}
_RANGES: Final = {"int32": 2**31, "int64": 2**63}


_POINTER_STRINGS: Final = frozenset(
    """storageClassName ingressClassName holderIdentity loadBalancerClass volumeAttributesClassName
    runtimeClassName appProtocol
    apiGroup preferredHolder strategy nodeName value""".split()
)
_ZERO_TIMES: Final = tuple(
    """lastTransitionTime lastUpdateTime lastProbeTime lastHeartbeatTime eventTime firstTimestamp lastTimestamp
    deprecatedFirstTimestamp deprecatedLastTimestamp""".split()
)
_PLAIN_NUMBERS: Final = frozenset(
    """minReadySeconds hostPort nodePort count deprecatedCount readyReplicas updatedReplicas availableReplicas
    unavailableReplicas fullyLabeledReplicas currentReplicas observedGeneration healthCheckNodePort initialDelaySeconds
    active succeeded failed generation""".split()
)
_PLAIN_BOOLEANS: Final = frozenset(
    """hostNetwork hostPID hostIPC readOnly stdin stdinOnce tty paused publishNotReadyAddresses unschedulable nullable
    exclusiveMinimum exclusiveMaximum uniqueItems x-kubernetes-embedded-resource x-kubernetes-int-or-string deprecated
    preserveUnknownFields""".split()
)


def _omitted(key: str, value: Any, child: Node, node: Node) -> bool:
    """Whether Go leaves a zero value out: `omitempty` on a field that is no pointer."""
    if child.schema.get("default") is not None or not child.types:
        return False
    if value == "":
        return key not in _POINTER_STRINGS and key not in node.required
    if value is False:
        return key in _PLAIN_BOOLEANS
    if value == 0 and not isinstance(value, dict | list):
        return key in _PLAIN_NUMBERS
    if key in node.required:
        return False
    return isinstance(value, list) or isinstance(child.additional, Node)


class Mismatch(ValueError):
    """A value does not fit the Go type; the message is Go's."""


def go_kind(value: Any) -> str:
    """Return what Go's decoder calls a JSON value."""
    for kind, name in _GO_KINDS.items():
        if isinstance(value, kind):
            return name
    return "number"


class _Decoder:
    def __init__(self, root: str) -> None:
        self.root = root
        self.unknown: list[str] = []
        self.duplicates: list[str] = []

    def fail(self, value: Any, go_path: str, go_type: str, text: str | None = None) -> Mismatch:
        shown = text if text is not None else go_kind(value)
        if not go_path:
            name = (
                f"v1.{self.root}"
                if self.root == "ObjectMeta" and go_type.endswith("ObjectMeta")
                else go_type
            )
            return Mismatch(f"json: cannot unmarshal {shown} into Go value of type {name}")
        return Mismatch(
            f"json: cannot unmarshal {shown} into Go struct field {self.root}.{go_path} of type {go_type}"
        )

    def visit(self, value: Any, node: Node, path: str, go_path: str) -> Any:
        """Return the decoded value; None means the zero value, to be left out."""
        if value is None:
            return None
        if node.int_or_string and not node.properties:
            return self.int_or_string(value, node, go_path)
        kind = node.types[0] if node.types else ""
        if kind == "object":
            return self.object(value, node, path, go_path)
        if kind == "array":
            return self.array(value, node, path, go_path)
        if kind == "string":
            return self.string(value, node, go_path)
        if kind == "boolean":
            if value is True or value is False:
                return value
            raise self.fail(value, go_path, "bool")
        if kind in ("integer", "number"):
            return self.number(value, node, kind, go_path)
        if kind == "schema":
            return self.schema(value, node, path, go_path)
        return value

    def schema(self, value: Any, node: Node, path: str, go_path: str) -> Any:
        """Decode a place in a JSON schema that holds a schema, or something else instead (a list, a boolean)."""
        if isinstance(value, dict) and node.items is not None:
            return self.object(value, node.items, path, go_path)
        if isinstance(value, list) and node.items is not None:
            items = node.items
            return [
                self.object(v, items, f"{path}[{i}]", go_path) if isinstance(v, dict) else v
                for i, v in enumerate(value)
            ]
        return value

    def int_or_string(self, value: Any, node: Node, go_path: str) -> Any:
        if isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fail(value, go_path, "int32" if node.format == "int-or-string" else "string")
        if node.format == "int-or-string":
            if not isinstance(value, int) or not -(2**31) <= value < 2**31:
                raise self.fail(value, go_path, "int32", f"number {value}")
            return value
        return str(value)

    def number(self, value: Any, node: Node, kind: str, go_path: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fail(value, go_path, self.go_type(node))
        if kind == "integer":
            limit = _RANGES.get(node.format, 2**63)
            if not isinstance(value, int) or not -limit <= value < limit:
                raise self.fail(value, go_path, self.go_type(node), f"number {value}")
        return value

    def string(self, value: Any, node: Node, go_path: str) -> Any:
        if not isinstance(value, str):
            if node.format == "date-time":
                raise self.fail(value, "", "string")
            raise self.fail(value, go_path, "[]uint8" if node.format == "byte" else "string")
        if node.format == "byte":
            return self.bytes(value)
        if node.format == "date-time":
            micro = node.schema.get("x-go-name") == "v1.MicroTime"
            return render_time(parse_time(value, micro=micro), micro=micro)
        return value

    def bytes(self, value: str) -> str:
        text = value.replace("\r", "").replace("\n", "")
        for index, char in enumerate(text):
            if not (char.isascii() and (char.isalnum() or char in "+/")):
                if char == "=" and set(text[index:]) == {"="} and len(text) % 4 == 0:
                    break
                raise Mismatch(f"illegal base64 data at input byte {index}")
        try:
            base64.b64decode(text, validate=True)
        except binascii.Error:
            raise Mismatch(f"illegal base64 data at input byte {len(text) // 4 * 4}") from None
        return value

    def array(self, value: Any, node: Node, path: str, go_path: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.fail(value, go_path, self.go_type(node))
        items = node.items
        if items is None:
            return value
        out = []
        for index, item in enumerate(value):
            made = self.visit(item, items, f"{path}[{index}]", go_path)
            out.append(self.zero(items) if made is None else made)
        return out

    def zero(self, node: Node) -> Any:
        kind = node.types[0] if node.types else ""
        return {"string": "", "integer": 0, "number": 0, "boolean": False, "object": {}}.get(kind)

    def object(self, value: Any, node: Node, path: str, go_path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(value, go_path, self.go_type(node))
        if isinstance(value, DuplicateKeys):
            self.duplicates.extend(f"{path}.{k}" if path else k for k in value.repeated)
        more = node.additional
        if not node.properties and not isinstance(more, Node):
            return value
        out: dict[str, Any] = {}
        for key, item in value.items():
            below = f"{path}.{key}" if path else key
            child = node.properties.get(key)
            if child is not None:
                made = self.visit(item, child, below, f"{go_path}.{key}" if go_path else key)
                if made is not None and (made or not _omitted(key, made, child, node)):
                    out[key] = made
            elif isinstance(more, Node):
                made = self.visit(item, more, below, go_path)
                out[key] = self.zero(more) if made is None else made
            elif not node.preserve:
                self.unknown.append(below)
            else:
                out[key] = item
        for key, child in node.fills:
            if key not in out:
                default = child.default
                out[key] = self.object({}, child, "", "") if default == {} else default
        if node.properties:
            for key in _ZERO_TIMES:
                child = node.properties.get(key)
                if child is not None and key not in out and child.format == "date-time":
                    out[key] = None
        return out

    def go_type(self, node: Node) -> str:
        kind = node.types[0] if node.types else ""
        if kind == "string":
            return "[]uint8" if node.format == "byte" else "string"
        if kind == "boolean":
            return "bool"
        if kind == "integer":
            return node.format or "int64"
        if kind == "number":
            return "float64"
        if kind == "array" and node.items is not None:
            return "[]" + self.go_type(node.items)
        if kind == "object" and isinstance(node.additional, Node):
            return "map[string]" + self.go_type(node.additional)
        name = str(node.schema.get("x-go-name", ""))
        return name or "map[string]interface {}"


def decode_struct(
    value: Any, node: Node, root: str, path: str = ""
) -> tuple[Any, list[str], list[str]]:
    """Return `value` as the struct `root` holds it, the paths of unknown keys, and those of repeated keys.

    Raises:
        Mismatch: a value has the wrong type.
    """
    decoder = _Decoder(root)
    out = decoder.visit(value, node, path, "")
    return out, decoder.unknown, decoder.duplicates


_RFC3339: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


def parse_time(text: str, *, micro: bool = False) -> datetime:
    """Parse a `Time` as Kubernetes does (RFC 3339), or a `MicroTime` (six digits wanted).

    Raises:
        Mismatch: worded as Go's time package words it.
    """
    layout = "2006-01-02T15:04:05.000000Z07:00" if micro else "2006-01-02T15:04:05Z07:00"
    found = _RFC3339.fullmatch(text)
    if not found:
        raise _unparsable(text, layout, text, "2006")
    digits, zone = found.group(7) or "", found.group(8)
    if micro and len(digits) < 7:
        raise _unparsable(text, layout, digits + zone, ".000000")
    if micro and len(digits) > 7:
        raise _unparsable(text, layout, digits[7:] + zone, "Z07:00")
    fraction = (digits or ".0")[1:7].ljust(6, "0")
    zone = "+00:00" if zone == "Z" else zone
    try:
        made = datetime.fromisoformat(f"{text[:19]}.{fraction}{zone}")
    except ValueError:
        raise Mismatch(f"parsing time {quote(text)}: day out of range") from None
    return made.astimezone(UTC)


def _unparsable(text: str, layout: str, rest: str, part: str) -> Mismatch:
    return Mismatch(
        f"parsing time {quote(text)} as {quote(layout)}: cannot parse {quote(rest)} as {quote(part)}"
    )


def render_time(moment: datetime, *, micro: bool = False) -> str:
    """Write a moment as a `Time` (whole seconds) or a `MicroTime` (six digits), in UTC."""
    utc = moment.astimezone(UTC)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if micro else "%Y-%m-%dT%H:%M:%SZ")
