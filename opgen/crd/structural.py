"""What makes a schema structural, by Kubernetes' rules (KEP-1979, apiextensions v1): a warning for each fault.

Real clusters hold CRDs that break these rules, from before they were enforced, so a fault never stops generation by
itself; `load(strict=True)` makes it an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from opgen.crd.model import Crd
from opgen.errors import Problem

__all__ = ["check"]

Path = tuple[str | int, ...]

_FORBIDDEN = frozenset(
    "$ref definitions dependencies deprecated discriminator id patternProperties readOnly writeOnly xml".split()
)
_NOT_IN_JUNCTORS = frozenset("type title description default additionalProperties nullable".split())
_TYPES = frozenset("array boolean integer number object string".split())
_INT_OR_STRING = ([{"type": "integer"}, {"type": "string"}],)
_SCHEMA_KEYWORDS = ("items", "additionalProperties", "not")
_MAX_DEPTH = 400


def check(crd: Crd) -> list[Problem]:
    """Return the faults of every version's schema, each with its place."""
    found: list[Problem] = []
    for i, version in enumerate(crd.versions):
        path: Path = ("spec", "versions", i)
        if version.schema is None:
            found.append(
                Problem(
                    "OPG128",
                    f'version "{version.name}" of "{crd.kind}" has no schema, its objects are taken as free-form',
                    crd.locate(path),
                    severity="warning",
                )
            )
            continue
        for code, text, where in _schema(
            (*path, "schema", "openAPIV3Schema"), version.schema, root=True
        ):
            dotted = _dotted(where[5:])
            found.append(Problem(code, f"{dotted}: {text}", crd.locate(where), severity="warning"))
    return found


def _dotted(path: Path) -> str:
    return "." + ".".join(str(part) for part in path) if path else "."


Fault = tuple[str, str, Path]


def _schema(
    path: Path, schema: Any, root: bool = False, item_of: Mapping[str, Any] | None = None
) -> Iterator[Fault]:
    """Yield the faults of a node of the skeleton and all below it."""
    if not isinstance(schema, Mapping):
        yield "OPG129", f"a schema is {_kind(schema)}, expected a mapping", path
        return
    if len(path) > _MAX_DEPTH:
        yield "OPG129", f"nested more than {_MAX_DEPTH} levels deep, taken as free-form below", path
        return
    for key in sorted(_FORBIDDEN & schema.keys()):
        yield "OPG121", f'"{key}" is not allowed in a structural schema', (*path, key)
    if schema.get("uniqueItems") is True:
        yield "OPG121", '"uniqueItems" must not be true', (*path, "uniqueItems")
    yield from _type(path, schema, root)
    yield from _extensions(path, schema, root)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        if isinstance(schema.get("additionalProperties"), Mapping) and properties:
            yield (
                "OPG122",
                "properties and additionalProperties exclude each other",
                (*path, "additionalProperties"),
            )
        for name, sub in properties.items():
            if root and name == "metadata":
                yield from _metadata((*path, "properties", name), sub)
            else:
                yield from _schema((*path, "properties", name), sub)
    elif properties is not None:
        yield (
            "OPG129",
            f'"properties" is {_kind(properties)}, expected a mapping',
            (*path, "properties"),
        )
    for key in ("items", "additionalProperties"):
        sub = schema.get(key)
        if isinstance(sub, list):
            yield "OPG129", f'"{key}" is a list, expected a schema', (*path, key)
        elif isinstance(sub, Mapping):
            yield from _schema((*path, key), sub)
    if schema.get("type") == "array" and schema.get("items") is None:
        yield "OPG120", 'an array needs "items"', path
    yield from _junctors(path, schema, schema, schema.get("x-kubernetes-int-or-string") is True)


def _type(path: Path, schema: Mapping[str, Any], root: bool) -> Iterator[Fault]:
    kind = schema.get("type")
    free = schema.get("x-kubernetes-preserve-unknown-fields") is True
    mixed = schema.get("x-kubernetes-int-or-string") is True
    if kind is None:
        if root or not (free or mixed):
            yield "OPG120", 'there is no "type"', path
    elif kind not in _TYPES:
        yield (
            "OPG120",
            f"type is {kind!r}, expected one of {', '.join(sorted(_TYPES))}",
            (*path, "type"),
        )
    elif root and kind != "object":
        yield "OPG120", f'the root has type "{kind}", expected "object"', (*path, "type")
    if mixed and kind is not None:
        yield "OPG125", "x-kubernetes-int-or-string takes no type", (*path, "type")


def _extensions(path: Path, schema: Mapping[str, Any], root: bool) -> Iterator[Fault]:
    key = "x-kubernetes-preserve-unknown-fields"
    if schema.get(key) is False:
        yield "OPG121", f'"{key}" must be true or absent', (*path, key)
    if schema.get("x-kubernetes-embedded-resource") is True:
        if schema.get("type") != "object":
            yield "OPG127", 'an embedded resource needs type "object"', path
        if not schema.get("properties") and schema.get(key) is not True:
            yield "OPG127", f'an embedded resource needs properties or "{key}"', path
    list_type = schema.get("x-kubernetes-list-type")
    keys = schema.get("x-kubernetes-list-map-keys")
    if list_type is not None:
        if list_type not in ("atomic", "map", "set"):
            yield (
                "OPG126",
                f"list-type is {list_type!r}, expected atomic, map or set",
                (*path, "x-kubernetes-list-type"),
            )
        elif schema.get("type") != "array":
            yield "OPG126", "list-type is for arrays", (*path, "x-kubernetes-list-type")
    if list_type == "map":
        if not isinstance(keys, list) or not keys:
            yield "OPG126", "a list-type=map needs list-map-keys", path
        else:
            items = schema.get("items")
            known = items.get("properties") if isinstance(items, Mapping) else None
            for name in keys:
                if not isinstance(known, Mapping) or name not in known:
                    yield (
                        "OPG126",
                        f'list-map-key "{name}" is no property of the items',
                        (*path, "x-kubernetes-list-map-keys"),
                    )
    elif keys is not None:
        yield "OPG126", "list-map-keys are for list-type=map", (*path, "x-kubernetes-list-map-keys")


def _metadata(path: Path, schema: Any) -> Iterator[Fault]:
    if not isinstance(schema, Mapping):
        yield "OPG129", f"a schema is {_kind(schema)}, expected a mapping", path
        return
    allowed = {"type", "description", "properties", "title", "allOf", "anyOf", "oneOf", "not"}
    for key in sorted(schema.keys() - allowed):
        yield "OPG124", f'"{key}" is not allowed at metadata', (*path, key)
    properties = schema.get("properties")
    for name in properties if isinstance(properties, Mapping) else ():
        if name not in ("name", "generateName"):
            yield (
                "OPG124",
                f'only name and generateName of metadata can be restricted, not "{name}"',
                (*path, "properties", name),
            )


def _junctors(
    path: Path, schema: Mapping[str, Any], skeleton: Any, int_or_string: bool
) -> Iterator[Fault]:
    """Yield the faults of allOf, anyOf, oneOf and not: they may only validate what the skeleton has."""
    for key in ("allOf", "anyOf", "oneOf"):
        branches = schema.get(key)
        if branches is None:
            continue
        if not isinstance(branches, list):
            yield "OPG129", f'"{key}" is {_kind(branches)}, expected a list', (*path, key)
            continue
        if int_or_string and key == "anyOf" and branches in _INT_OR_STRING:
            continue
        for i, branch in enumerate(branches):
            yield from _validation(
                (*path, key, i), branch, skeleton, int_or_string and key == "allOf" and i == 0
            )
    branch = schema.get("not")
    if branch is not None:
        yield from _validation((*path, "not"), branch, skeleton, False)


def _validation(path: Path, schema: Any, skeleton: Any, int_or_string: bool) -> Iterator[Fault]:
    if not isinstance(schema, Mapping):
        yield "OPG129", f"a schema is {_kind(schema)}, expected a mapping", path
        return
    if int_or_string and schema.get("anyOf") in _INT_OR_STRING:
        return
    for key in sorted(_NOT_IN_JUNCTORS & schema.keys()):
        yield "OPG123", f'"{key}" is not allowed within allOf, anyOf, oneOf and not', (*path, key)
    for key in sorted(
        k for k in schema if k.startswith("x-kubernetes-") and k != "x-kubernetes-validations"
    ):
        yield "OPG123", f'"{key}" is not allowed within allOf, anyOf, oneOf and not', (*path, key)
    known = skeleton.get("properties") if isinstance(skeleton, Mapping) else None
    properties = schema.get("properties")
    for name, sub in properties.items() if isinstance(properties, Mapping) else ():
        where = (*path, "properties", name)
        if not isinstance(known, Mapping) or name not in known:
            extra = skeleton.get("additionalProperties") if isinstance(skeleton, Mapping) else None
            if not isinstance(extra, Mapping):
                yield (
                    "OPG123",
                    f'"{name}" is no property outside of allOf, anyOf, oneOf and not',
                    where,
                )
            yield from _validation(where, sub, extra if isinstance(extra, Mapping) else {}, False)
        else:
            yield from _validation(where, sub, known[name], False)
    if isinstance(schema.get("items"), Mapping):
        items = skeleton.get("items") if isinstance(skeleton, Mapping) else None
        yield from _validation((*path, "items"), schema["items"], items or {}, False)
    yield from _junctors(path, schema, skeleton, False)


def _kind(value: Any) -> str:
    if value is None:
        return "missing"
    names = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "a mapping")
