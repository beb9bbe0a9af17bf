"""CEL's types, and the types that a schema gives to the values that rules look at.

Sizes follow apiextensions' `schema/cel/model`: without limits in the schema a value may be as large as a request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from opgen.apiserver.cel.syntax import RESERVED
from opgen.apiserver.schema.node import Node

__all__ = [
    "BOOL",
    "BYTES",
    "DOUBLE",
    "DURATION",
    "DYN",
    "ERROR",
    "escape",
    "INT",
    "least_size",
    "list_of",
    "map_of",
    "MAX_REQUEST",
    "NULL",
    "optional_of",
    "parse_type",
    "split_outside",
    "STRING",
    "TIMESTAMP",
    "TYPE",
    "Type",
    "type_of_schema",
    "UINT",
]

MAX_REQUEST: Final = 3145728
_KEYWORDS: Final = RESERVED | {"true", "false", "null", "in"}
_PATTERN: Final = re.compile(r"[a-zA-Z_./-][a-zA-Z0-9_./-]*")
_ESCAPES: Final = (
    ("__", "__underscores__"),
    (".", "__dot__"),
    ("-", "__dash__"),
    ("/", "__slash__"),
)


def escape(name: str) -> str | None:
    """Return a property's name as rules write it; None if rules can't."""
    if not _PATTERN.fullmatch(name):
        return None
    if name in _KEYWORDS:
        return f"__{name}__"
    for plain, escaped in _ESCAPES:
        name = name.replace(plain, escaped)
    return name


class Type:
    """A type: `kind` and parameters; objects have `fields`; `size` is the most characters or entries of a value."""

    __slots__ = ("fields", "kind", "name", "params", "size")

    def __init__(
        self,
        kind: str,
        params: tuple[Type, ...] = (),
        *,
        name: str = "",
        fields: Mapping[str, Type] | None = None,
        size: int | None = None,
    ) -> None:
        """Make a type; scalars are made once, below."""
        self.kind = kind
        self.params = params
        self.name = name
        self.fields = fields
        self.size = size

    def __repr__(self) -> str:
        """Return the type as messages show it."""
        if self.kind == "object":
            return self.name or "object"
        if self.kind == "optional":
            return f"optional_type({self.params[0]!r})"
        if self.kind == "type":
            return f"type({self.params[0]!r})" if self.params else "type"
        if self.params:
            return f"{self.kind}({', '.join(map(repr, self.params))})"
        return self.name or self.kind

    def __eq__(self, other: object) -> bool:
        """Whether two types are the same; objects are themselves only."""
        if self is other:
            return True
        if not isinstance(other, Type) or self.kind != other.kind or self.kind == "object":
            return False
        return self.params == other.params and self.name == other.name

    def __hash__(self) -> int:
        """Hash by what equality looks at."""
        return id(self) if self.kind == "object" else hash((self.kind, self.params, self.name))


BOOL: Final = Type("bool", size=0)
INT: Final = Type("int", size=0)
UINT: Final = Type("uint", size=0)
DOUBLE: Final = Type("double", size=0)
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
NULL: Final = Type("null_type")
DYN: Final = Type("dyn")
ERROR: Final = Type("error", name="!error!")
TIMESTAMP: Final = Type("timestamp", name="google.protobuf.Timestamp")
DURATION: Final = Type("duration", name="google.protobuf.Duration")
TYPE: Final = Type("type")
_NAMED: Final = {
    "bool": BOOL,
    "int": INT,
    "uint": UINT,
    "double": DOUBLE,
    "string": STRING,
    "bytes": BYTES,
    "null": NULL,
    "dyn": DYN,
    "timestamp": TIMESTAMP,
    "duration": DURATION,
    "type": TYPE,
}


def list_of(item: Type, size: int | None = None) -> Type:
    """Return the type of lists of `item`."""
    return Type("list", (item,), size=size)


def map_of(key: Type, value: Type, size: int | None = None) -> Type:
    """Return the type of maps from `key` to `value`."""
    return Type("map", (key, value), size=size)


def optional_of(value: Type) -> Type:
    """Return the type of optional values."""
    return Type("optional", (value,))


def split_outside(text: str, mark: str) -> list[str]:
    """Split a text at each `mark` that stands in no parentheses."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == mark and not depth:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


def parse_type(text: str) -> Type:
    """Return the type that a signature writes: `list(A)`, `kubernetes.Quantity`; one capital is a parameter."""
    text = text.strip()
    if "(" in text:
        name, _, inner = text.partition("(")
        return Type(name, tuple(map(parse_type, split_outside(inner[:-1], ","))))
    if text in _NAMED:
        return _NAMED[text]
    if len(text) == 1 and text.isupper():
        return Type("param", name=text)
    return Type("abstract", name=text)


def _string_size(node: Node) -> int:
    if node.max_length is not None:
        return max(node.max_length, 0) * 4
    if node.enum:
        return max((len(str(v)) for v in node.enum), default=0)
    return {"duration": 32, "date": 12, "date-time": 35}.get(node.format, MAX_REQUEST - 2)


def least_size(node: Node) -> int:
    """Return the fewest bytes that a value takes in a request."""
    kind = node.types[0] if len(node.types) == 1 else ""
    if kind == "object" and not isinstance(node.additional, Node):
        out = 2
        for name in node.required:
            sub = node.properties.get(name)
            if sub is not None and not sub.has_default:
                out += len(name) + least_size(sub) + 4
        return out
    if kind == "string":
        return {"date": 12, "date-time": 21}.get(node.format, 2)
    if kind in ("object", "array"):
        return 2
    return 4 if kind == "boolean" else 1


def _most(declared: int | None, entry: Node, around: int) -> int:
    """The most entries of a list or map: as declared, else as fit a request with the bytes `around` each."""
    if declared is not None:
        return max(declared, 0)
    return (MAX_REQUEST - 2) // (least_size(entry) + around)


def type_of_schema(node: Node, resource: bool = False, name: str = "object") -> Type | None:
    """Return the type that rules see a value of this schema as; None where they can't look at it.

    `resource` says that it is a whole object, whose apiVersion, kind and name are always there.
    """
    if node.int_or_string:
        return Type("dyn", size=MAX_REQUEST - 2)
    kind = node.types[0] if node.types else ""
    if kind == "array":
        if node.items is None:
            return None
        item = type_of_schema(node.items, node.items.embedded, f"{name}.@idx")
        if item is None:
            return None
        return list_of(item, _most(node.max_items, node.items, 1))
    if kind == "object":
        return _object(node, resource or node.root, name)
    if kind == "string":
        size = _string_size(node)
        special = {
            "byte": "bytes",
            "duration": "duration",
            "date": "timestamp",
            "date-time": "timestamp",
        }
        base = _NAMED[special.get(node.format, "string")]
        return Type(base.kind, name=base.name, size=size)
    return {"boolean": BOOL, "number": DOUBLE, "integer": INT}.get(kind)


def _object(node: Node, resource: bool, name: str) -> Type | None:
    if isinstance(node.additional, Node):
        value = type_of_schema(node.additional, node.additional.embedded, f"{name}.@elem")
        if value is None:
            return None
        most = _most(node.max_properties, node.additional, 6)
        return map_of(Type("string", size=0), value, most)
    fields: dict[str, Type] = {}
    for key, sub in node.properties.items():
        escaped = escape(key)
        if escaped is None or (resource and key in ("apiVersion", "kind", "metadata")):
            continue
        found = type_of_schema(sub, sub.embedded, f"{name}.{escaped}")
        if found is not None:
            fields[escaped] = found
    if resource:
        plain = Type("string", size=MAX_REQUEST - 2)
        meta = Type(
            "object", name=f"{name}.metadata", fields={"name": plain, "generateName": plain}, size=0
        )
        fields |= {"apiVersion": plain, "kind": plain, "metadata": meta}
    return Type("object", name=name, fields=fields, size=0)
