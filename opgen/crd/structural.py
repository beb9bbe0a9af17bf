"""What makes a schema structural, by Kubernetes' rules: a warning for each fault, with its place.

The rules are those of KEP-1979 and of apiextensions v1 (ValidateStructural and the validation of OpenAPI schemas),
without those that need CEL, defaulting or Go's regular expressions. Clusters hold CRDs that break them, from before
they were enforced, so a fault never stops generation by itself; `load(strict=True)` makes it an error. What the API
server takes although it means nothing is a note.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from opgen.crd.junctors import JUNCTORS, check_complete, check_junctors
from opgen.crd.keywords import KNOWN
from opgen.crd.listrules import check_list, check_map_type
from opgen.crd.model import Crd, CrdVersion, Path
from opgen.crd.names import shown
from opgen.crd.nodes import (
    EMBEDDED,
    FREE,
    check_anywhere,
    check_fit,
    check_rules,
    check_type,
    check_values,
    usable,
)
from opgen.crd.read import what_it_is
from opgen.crd.trail import Faults, Trail
from opgen.errors import Problem

__all__ = ["check"]

_META = ("apiVersion", "kind", "metadata")
_AT_METADATA = ("type", "properties", "default", "example")
_ROOT_WITH_STATUS = frozenset(
    "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern"
    " maxItems minItems uniqueItems multipleOf required items properties externalDocs example".split()
) | {FREE, "x-kubernetes-validations"}
# Most nodes have none of these, and then most rules have nothing to say.
_RARE = frozenset(
    (
        "additionalProperties",
        "default",
        "enum",
        "items",
        "nullable",
        "required",
        "uniqueItems",
        *JUNCTORS,
    )
) | {key for key in KNOWN if key.startswith("x-")}


def check(crd: Crd) -> tuple[Problem, ...]:
    """Return the faults of all schemas (OPG120 to OPG129, OPG138); notes where the API server ignores them."""
    found: list[Problem] = []
    for i, version in enumerate(crd.versions):
        path: Path = ("spec", "versions", i)
        if version.schema is None:
            text = f'the version "{version.name}" of "{crd.kind}" has no schema, its objects are taken as free-form'
            found.append(Problem("OPG128", text, crd.locate(path), severity="warning"))
            continue
        faults = Faults()
        trail = Trail((*path, "schema", "openAPIV3Schema"), version.name)
        _check_node(version.schema, trail, faults, root=True)
        _check_root(version, trail, faults)
        for fault in faults:
            found.append(
                Problem(fault.code, fault.text, crd.locate(fault.path), fault.hint, fault.severity)
            )
    return tuple(found)


def _check_node(
    schema: Any, trail: Trail, faults: Faults, *, root: bool = False, inside_meta: bool = False
) -> None:
    """Look at a node outside of allOf, anyOf, oneOf and not, and at all below it."""
    if not isinstance(schema, Mapping):
        faults.add("OPG129", trail, f"the schema is {what_it_is(schema)}, expected a mapping")
        return
    schema = usable(schema, trail, faults)
    check_type(schema, trail, faults, root=root)
    embedded = False
    if not _RARE.isdisjoint(schema):
        check_values(schema, trail, faults, root=root)
        check_anywhere(schema, trail, faults)
        check_rules(schema, trail, faults)
        check_fit(schema, trail, faults)
        check_list(schema, trail, faults)
        check_map_type(schema, trail, faults)
        check_junctors(schema, trail, faults)
        check_complete(schema, schema, trail, faults, root=root)
        embedded = schema.get(EMBEDDED) is True
        if embedded:
            _check_embedded(schema, trail, faults, inside_meta)
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), Mapping):
                _check_node(schema[key], trail / key, faults, inside_meta=inside_meta)
    properties = schema.get("properties")
    if properties:
        below = trail / "properties"
        for name, sub in properties.items():
            is_meta = (root or embedded) and name in _META
            _check_node(sub, Trail(below, name), faults, inside_meta=inside_meta or is_meta)
            if is_meta and isinstance(sub, Mapping):
                _check_meta(name, sub, below / name, faults, root)


def _check_embedded(
    schema: Mapping[str, Any], trail: Trail, faults: Faults, inside_meta: bool
) -> None:
    kind = schema.get("type")
    if kind != "object":
        text = f"the type of an embedded resource is {what_it_is(kind)}, expected object"
        faults.add("OPG127", trail, text)
    if schema.get("additionalProperties") is not None:
        text = '"additionalProperties" is not allowed at an embedded resource'
        faults.add("OPG127", trail.at("additionalProperties"), text)
    if not schema.get("properties") and schema.get(FREE) is not True:
        text = (
            f'an embedded resource has neither properties nor "{FREE}: true", expected one of them'
        )
        faults.add("OPG127", trail, text)
    if inside_meta:
        faults.add(
            "OPG127", trail / EMBEDDED, "an embedded resource is not allowed within metadata"
        )


def _check_meta(
    name: str, schema: Mapping[str, Any], trail: Trail, faults: Faults, root: bool
) -> None:
    """Look at apiVersion, kind and metadata of an object, which the API server defines itself."""
    wanted, kind = "object" if name == "metadata" else "string", schema.get("type")
    if kind != wanted:
        faults.add("OPG124", trail, f"the type of {name} is {what_it_is(kind)}, expected {wanted}")
    if root and schema.get("default") is not None:
        faults.add("OPG124", trail.at("default"), f'"default" is not allowed at {name} of the root')
    if not root or name != "metadata":
        return
    for key in _beyond(schema, _AT_METADATA):
        faults.add("OPG124", trail.at(key), f'"{key}" is not allowed at metadata of the root')
    properties = schema.get("properties")
    for sub in properties if isinstance(properties, Mapping) else ():
        if sub not in ("name", "generateName"):
            text = f'"{shown(sub)}" is not allowed, expected only name and generateName in metadata of the root'
            faults.add("OPG124", trail / "properties" / sub, text)


def _check_root(version: CrdVersion, trail: Trail, faults: Faults) -> None:
    """Look at what would be lost of the root when status is validated by itself."""
    if version.has_status:
        for key in _beyond(version.schema or {}, _ROOT_WITH_STATUS):
            text = f'"{key}" is not allowed at the root of a version with the status subresource'
            faults.add("OPG121", trail.at(key), text)


def _beyond(schema: Mapping[str, Any], allowed: Container[str]) -> Iterator[str]:
    """Yield the keywords of a node that are not `allowed` and say something, as additionalProperties always does."""
    for key, value in schema.items():
        if key in KNOWN and key not in allowed and (value or key == "additionalProperties"):
            yield key
