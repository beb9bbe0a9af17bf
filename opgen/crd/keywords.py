"""The keywords of a schema node: which there are (JSONSchemaProps of apiextensions v1), and what each must be.

The API server decodes a schema into typed fields, so a keyword that is null is one that is absent, one of another type
is refused, and one that it does not know is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["expected", "FORBIDDEN", "IGNORED", "KNOWN", "PLAIN_TYPES"]

_TEXT = (str, "a string")
_FLAG = (bool, "true or false")
_COUNT = (int, "an integer")
_NUMBER = (int | float, "a number")
_LIST = (list, "a list")
_MAP = (Mapping, "a mapping")
_SCHEMA_OR_BOOL = (Mapping | bool, "a schema, true or false")

KNOWN: Mapping[str, tuple[Any, str] | None] = {
    **dict.fromkeys(
        ("$ref", "$schema", "id", "description", "type", "format", "title", "pattern"), _TEXT
    ),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "nullable", "uniqueItems"), _FLAG),
    **dict.fromkeys(
        ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), _COUNT
    ),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("enum", "required", "allOf", "anyOf", "oneOf"), _LIST),
    **dict.fromkeys(
        ("properties", "patternProperties", "dependencies", "definitions", "externalDocs", "not"),
        _MAP,
    ),
    **dict.fromkeys(("additionalItems", "additionalProperties"), _SCHEMA_OR_BOOL),
    "items": (Mapping | list, "a schema"),
    "default": None,
    "example": None,
    "x-kubernetes-embedded-resource": _FLAG,
    "x-kubernetes-int-or-string": _FLAG,
    "x-kubernetes-list-map-keys": _LIST,
    "x-kubernetes-list-type": _TEXT,
    "x-kubernetes-map-type": _TEXT,
    "x-kubernetes-preserve-unknown-fields": _FLAG,
    "x-kubernetes-validations": _LIST,
}
"""Each keyword with its type and what to call that; None where any JSON value will do."""

FORBIDDEN = frozenset(
    "$ref $schema additionalItems definitions dependencies deprecated discriminator id patternProperties readOnly"
    " writeOnly xml".split()
)
"""Keywords of JSON Schema and OpenAPI that a structural schema must not have (KEP-1979)."""

IGNORED = frozenset("deprecated discriminator readOnly writeOnly xml".split())
"""Those of them that the API server does not know, and therefore drops instead of refusing."""


_EXACT: Mapping[str, tuple[type, ...]] = {
    "a string": (str,),
    "true or false": (bool,),
    "an integer": (int,),
    "a number": (int, float),
    "a list": (list,),
    "a mapping": (dict,),
    "a schema": (dict,),
    "a schema, true or false": (dict, bool),
}
PLAIN_TYPES: Mapping[str, tuple[type, ...]] = {
    key: _EXACT[wanted[1]] if wanted else (str, bool, int, float, list, dict)
    for key, wanted in KNOWN.items()
    if key not in FORBIDDEN
}
"""The types that need no second look, by keyword: what nearly all nodes have, at the cost of one lookup each."""


def expected(key: str, value: Any) -> str | None:
    """Return what the value of a known keyword should have been, None if it is right."""
    wanted = KNOWN[key]
    if wanted is None:
        return None
    kind, name = wanted
    if (
        isinstance(value, bool)
        and kind is not bool
        and key not in ("additionalItems", "additionalProperties")
    ):
        return name
    return None if isinstance(value, kind) else name
