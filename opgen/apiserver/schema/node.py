"""The compiled form of a structural schema: one `Node` a schema object."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opgen.apiserver.re2 import PatternError, compile_pattern

__all__ = ["compile_schema", "copy_json", "json_key", "Node", "References"]


def copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    if type(value) is list:
        return [copy_json(item) for item in value]
    return value


def json_key(value: Any) -> str:
    """Return what two JSON values have in common if they are the same; in Python 1, 1.0 and True are equal."""
    return json.dumps(value, sort_keys=True)


def _pattern(text: str) -> Callable[[str], bool] | None:
    """Return what matches a pattern; None if it is no valid one, and then nothing matches."""
    try:
        return compile_pattern(text)
    except PatternError:
        return None


class Node:
    """A schema object, compiled. Attributes are named after the keywords; absent ones are None, empty or False.

    `types` is what the value may be: `["integer", "string"]` for int-or-string, empty for anything. `check` and
    `converter` are for `compile_check` and `opgen.apiserver.cel.values` to set.
    """

    __slots__ = (
        "additional",
        "all_of",
        "any_of",
        "check",
        "converter",
        "default",
        "embedded",
        "enum",
        "enum_keys",
        "exclusive_maximum",
        "exclusive_minimum",
        "fills",
        "format",
        "has_default",
        "has_defaults",
        "has_embedded",
        "int_or_string",
        "items",
        "list_type",
        "map_keys",
        "map_type",
        "max_items",
        "max_length",
        "max_properties",
        "maximum",
        "min_items",
        "min_length",
        "min_properties",
        "minimum",
        "multiple_of",
        "not_",
        "nullable",
        "one_of",
        "pattern",
        "pattern_text",
        "preserve",
        "properties",
        "required",
        "root",
        "rules",
        "schema",
        "types",
        "unique_items",
    )

    additional: Node | bool | None
    check: Callable[[Any], bool]
    converter: Callable[[Any], Any] | None

    def __init__(
        self, schema: Mapping[str, Any], root: bool = False, refs: References | None = None
    ) -> None:
        """Compile `schema`; a `root` node is that of a whole object, whose metadata the server checks itself.

        `refs` knows what `$ref` in the schema of a built-in kind stands for.
        """
        get = schema.get

        def sub(below: Mapping[str, Any]) -> Node:
            return refs.below(below) if refs is not None else Node(below)

        self.schema = schema
        self.root = root
        self.int_or_string: bool = bool(get("x-kubernetes-int-or-string"))
        kind = get("type")
        self.types: tuple[str, ...] = (kind,) if isinstance(kind, str) and kind else ()
        if self.int_or_string and not self.types:
            self.types = ("integer", "string")
        self.nullable: bool = bool(get("nullable"))
        self.preserve: bool = bool(get("x-kubernetes-preserve-unknown-fields"))
        self.embedded: bool = bool(get("x-kubernetes-embedded-resource"))
        self.list_type: str | None = get("x-kubernetes-list-type")
        self.map_keys: tuple[str, ...] = tuple(get("x-kubernetes-list-map-keys") or ())
        self.map_type: str | None = get("x-kubernetes-map-type")
        self.rules: Sequence[Mapping[str, Any]] = get("x-kubernetes-validations") or ()
        self.has_default = get("default") is not None
        self.default = get("default")
        self.properties: dict[str, Node] = {
            name: sub(below)
            for name, below in (get("properties") or {}).items()
            if isinstance(below, Mapping)
        }
        more = get("additionalProperties")
        if isinstance(more, Mapping):
            self.additional = sub(more)
        else:
            self.additional = more if isinstance(more, bool) else None
        items = get("items")
        self.items: Node | None = sub(items) if isinstance(items, Mapping) else None
        self._read_validations(get)
        self.fills = (
            tuple((n, c) for n, c in self.properties.items() if c.schema.get("default") is not None)
            if refs is not None
            else ()
        )
        below = [
            n
            for n in (*self.properties.values(), self.items, self.additional)
            if isinstance(n, Node)
        ]
        # Of a definition that refers to itself the nodes within are not ready yet.
        self.has_defaults = self.has_default or any(
            getattr(n, "has_defaults", False) for n in below
        )
        self.has_embedded: bool = any(
            getattr(n, "embedded", False) or getattr(n, "has_embedded", False) for n in below
        )

    def _read_validations(self, get: Callable[..., Any]) -> None:
        self.enum: list[Any] | None = get("enum") or None
        self.enum_keys: frozenset[str] | None = (
            frozenset(json_key(v) for v in self.enum) if self.enum else None
        )
        self.minimum = get("minimum")
        self.exclusive_minimum = bool(get("exclusiveMinimum"))
        self.maximum = get("maximum")
        self.exclusive_maximum = bool(get("exclusiveMaximum"))
        self.multiple_of = get("multipleOf")
        self.min_length: int | None = get("minLength")
        self.max_length: int | None = get("maxLength")
        self.pattern_text: str = get("pattern") or ""
        self.pattern = _pattern(self.pattern_text) if self.pattern_text else None
        self.format: str = get("format") or ""
        self.min_items: int | None = get("minItems")
        self.max_items: int | None = get("maxItems")
        self.unique_items = bool(get("uniqueItems"))
        self.min_properties: int | None = get("minProperties")
        self.max_properties: int | None = get("maxProperties")
        self.required: tuple[str, ...] = tuple(get("required") or ())
        self.all_of = tuple(Node(s) for s in get("allOf") or ())
        self.any_of = tuple(Node(s) for s in get("anyOf") or ())
        self.one_of = tuple(Node(s) for s in get("oneOf") or ())
        negated = get("not")
        self.not_: Node | None = Node(negated) if negated else None

    def child(self, name: str) -> Node | None:
        """Return the node of the property `name`, or that of additional properties, or None."""
        found = self.properties.get(name)
        if found is not None:
            return found
        return self.additional if isinstance(self.additional, Node) else None


class References:
    """The named schemas of the built-in kinds; each is compiled once, when first needed, so they may be circular."""

    def __init__(self, definitions: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep `definitions` by name."""
        self.definitions = definitions
        self._made: dict[str, Node] = {}

    def node(self, name: str) -> Node:
        """Return the node of the definition `name`; raises KeyError."""
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = Node.__new__(Node)
            Node.__init__(found, self.definitions[name], refs=self)
        return found

    def below(self, schema: Mapping[str, Any]) -> Node:
        """Return the node of a schema that stands in another."""
        name = schema.get("$ref")
        if name is None:
            return Node(schema, refs=self)
        if len(schema) == 1:
            return self.node(name)
        extra = {k: v for k, v in schema.items() if k != "$ref"}
        return self.node_with(name, extra)

    def node_with(self, name: str, extra: Mapping[str, Any]) -> Node:
        """Return the node of `name` with more keywords, which only concern how it is patched."""
        key = name + repr(sorted(extra.items()))
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Node.__new__(Node)
            Node.__init__(found, {**self.definitions[name], **extra}, refs=self)
        return found


def compile_schema(schema: Mapping[str, Any] | None) -> Node:
    """Compile the `openAPIV3Schema` of a version; without one, anything goes."""
    from opgen.apiserver.schema.check import compile_check

    node = Node(
        schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, root=True
    )
    compile_check(node)
    return node
