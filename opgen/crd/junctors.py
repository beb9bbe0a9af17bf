"""Rules of allOf, anyOf, oneOf and not: they may only validate what the schema around them has (OPG123)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from opgen.crd.names import shown
from opgen.crd.nodes import EITHER, EMBEDDED, FREE, check_anywhere, usable
from opgen.crd.read import what_it_is
from opgen.crd.trail import Faults, Trail

__all__ = ["check_complete", "check_junctors", "JUNCTORS"]

JUNCTORS = ("allOf", "anyOf", "oneOf", "not")

_FORBIDDEN = (
    "type", "title", "description", "nullable", "externalDocs", FREE, EITHER, EMBEDDED, "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations", "default", "additionalProperties",
)  # fmt: skip
_EVEN_EMPTY = ("default", "additionalProperties")
_WITHIN = "within allOf, anyOf, oneOf and not"
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


def check_junctors(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    """Add what is wrong with the branches of a node of the skeleton.

    Types may stand in them in two forms only, which say int-or-string: as `anyOf`, and as the first of `allOf`.
    """
    either = _is_either(schema.get("anyOf"))
    several = schema.get("allOf")
    first = several[0] if isinstance(several, list) and several else None
    first_either = isinstance(first, Mapping) and _is_either(first.get("anyOf"))
    for key, i, branch, here in _branches(schema, trail):
        if not (key == "anyOf" and either):
            _check_nested(branch, here, faults, skip_any=key == "allOf" and i == 0 and first_either)


def _check_nested(schema: Any, trail: Trail, faults: Faults, *, skip_any: bool = False) -> None:
    if not isinstance(schema, Mapping):
        faults.add("OPG129", trail, f"the schema is {what_it_is(schema)}, expected a mapping")
        return
    schema = usable(schema, trail, faults)
    for key in _FORBIDDEN:
        value = schema.get(key)
        if value or (value is not None and key in _EVEN_EMPTY):
            faults.add(
                "OPG123",
                trail.at(key),
                f'"{key}" is not allowed {_WITHIN}',
                "say it outside of them",
            )
    check_anywhere(schema, trail, faults)
    for name, sub in (schema.get("properties") or {}).items():
        here = trail / "properties" / name
        if name == "metadata":
            faults.add("OPG123", here, f"metadata is not allowed {_WITHIN}")
        _check_nested(sub, here, faults)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            _check_nested(schema[key], trail / key, faults)
    for key, _, branch, here in _branches(schema, trail):
        if not (key == "anyOf" and skip_any):
            _check_nested(branch, here, faults)


def check_complete(
    schema: Any, skeleton: Mapping[str, Any], trail: Trail, faults: Faults, *, root: bool
) -> None:
    """Add the fields that the branches of a node name and its skeleton does not.

    The API server looks at the branches of the root only, so elsewhere it is a note.
    """
    if isinstance(schema, Mapping):
        for _, _, branch, here in _branches(schema, trail):
            _check_branch(branch, skeleton, here, faults, root)


def _check_branch(
    schema: Any, skeleton: Mapping[str, Any], trail: Trail, faults: Faults, root: bool
) -> None:
    if not isinstance(schema, Mapping):
        return
    check_complete(schema, skeleton, trail, faults, root=root)
    fields, known = schema.get("properties"), skeleton.get("properties")
    for name, sub in fields.items() if isinstance(fields, Mapping) else ():
        base = known.get(name) if isinstance(known, Mapping) else None
        if isinstance(base, Mapping):
            _check_branch(sub, base, trail / "properties" / name, faults, root)
        else:
            text = f'"{shown(name)}" is only named {_WITHIN}, expected it outside as well'
            faults.add("OPG123", trail / "properties" / name, text, note=not root)
    if isinstance(schema.get("items"), Mapping):
        if isinstance(skeleton.get("items"), Mapping):
            _check_branch(schema["items"], skeleton["items"], trail / "items", faults, root)
        else:
            text = f'"items" is only named {_WITHIN}, expected it outside as well'
            faults.add("OPG123", trail.at("items"), text, note=not root)


def _branches(schema: Mapping[str, Any], trail: Trail) -> Iterator[tuple[str, int, Any, Trail]]:
    for key in JUNCTORS:
        found = schema.get(key)
        if key == "not" and found is not None:
            yield key, 0, found, trail / key
        for i, branch in enumerate(found if isinstance(found, list) and key != "not" else ()):
            yield key, i, branch, trail / key / i


def _is_either(value: Any) -> bool:
    """Return whether a value is the anyOf of int-or-string; a keyword that is null is as good as absent."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    return [
        {key: said for key, said in one.items() if said is not None}
        if isinstance(one, Mapping)
        else one
        for one in value
    ] == _INT_OR_STRING
