"""Rules of a single node of a schema: its keywords, its type, what may not stand together, what rules it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opgen.crd.keywords import FORBIDDEN, IGNORED, KNOWN, PLAIN_TYPES, expected
from opgen.crd.names import shown
from opgen.crd.read import what_it_is
from opgen.crd.trail import Faults, Trail

__all__ = [
    "check_anywhere",
    "check_fit",
    "check_rules",
    "check_type",
    "check_values",
    "EITHER",
    "EMBEDDED",
    "FREE",
    "usable",
]

FREE = "x-kubernetes-preserve-unknown-fields"
EITHER = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"

_OF: Mapping[str, Any] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": int | float,
    "object": Mapping,
    "string": str,
}
_TYPES = tuple(_OF)
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


def usable(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> Mapping[str, Any]:
    """Return a node with only those keywords that are of the right type; add what is wrong with the others."""
    odd = [key for key, value in schema.items() if type(value) not in PLAIN_TYPES.get(key, ())]
    if not odd:
        return schema
    broken: list[str] = []
    for key in odd:
        value = schema[key]
        if value is None:
            continue
        if key in FORBIDDEN and value not in ("", {}, []):
            text = f'"{key}" is not allowed in a structural schema'
            faults.add("OPG121", trail.at(key), text, note=key in IGNORED)
        if key in KNOWN:
            wanted = expected(key, value)
            if wanted is not None:
                broken.append(key)
                text = f'"{key}" is {what_it_is(value)}, expected {wanted}; it is taken as absent'
                faults.add("OPG129", trail.at(key), text)
        elif key not in IGNORED and not key.startswith("x-"):
            text = f'the keyword "{shown(key)}" is not known, and ignored'
            hint = "has the indentation slipped, or is it a typing mistake?"
            faults.add("OPG129", trail.at(key), text, hint, note=True)
    return {key: value for key, value in schema.items() if key not in broken} if broken else schema


def check_type(schema: Mapping[str, Any], trail: Trail, faults: Faults, *, root: bool) -> None:
    """Add what is wrong with the type of a node of the skeleton."""
    kind = schema.get("type")
    if not kind:
        if not (
            schema.get(FREE) is True or schema.get(EITHER) is True or schema.get(EMBEDDED) is True
        ):
            wanted = "object" if root else f"one of {', '.join(_TYPES)}"
            faults.add("OPG120", trail, f'there is no "type", expected {wanted}')
    elif kind not in _TYPES:
        hint = "use nullable: true" if kind == "null" else None
        text = f'the type is "{shown(kind)}", expected one of {", ".join(_TYPES)}'
        faults.add("OPG120", trail.at("type"), text, hint)
    elif root and kind != "object":
        faults.add(
            "OPG120", trail.at("type"), f'the type is "{kind}", expected "object" at the root'
        )
    elif kind == "array" and schema.get("items") is None:
        faults.add(
            "OPG120", trail, 'there is no "items", expected the schema of what the array holds'
        )


def check_values(schema: Mapping[str, Any], trail: Trail, faults: Faults, *, root: bool) -> None:
    """Add what does not go together in a node of the skeleton."""
    extra = schema.get("additionalProperties")
    here = trail.at("additionalProperties")
    if extra is not None and root:
        faults.add("OPG122", here, '"additionalProperties" is not allowed at the root')
    if schema.get("properties") and (extra is False or isinstance(extra, Mapping)):
        text = '"properties" and "additionalProperties" exclude each other'
        faults.add("OPG122", here, text, "an object has either fixed fields or free keys")
    if root and schema.get("nullable") is True:
        faults.add("OPG121", trail.at("nullable"), '"nullable" must not be true at the root')
    if schema.get(EITHER) is True:
        for key in (FREE, EMBEDDED):
            if schema.get(key) is True:
                faults.add("OPG125", trail.at(key), f'"{key}" and "{EITHER}" exclude each other')


def check_fit(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    """Add what a default and an enum hold that is not of the node's own type, most often a word that YAML made a bool.

    The API server refuses such a default. It takes such an enum, of which that value then never fits.
    """
    kind, default, enum = schema.get("type"), schema.get("default"), schema.get("enum") or ()
    if schema.get(EITHER) is True:
        kind = None
    for i, value in enumerate(enum):
        if not _is_of(kind, value) and not (value is None and schema.get("nullable") is True):
            text = f"the enum of type {kind} has {_said(value)}, which never fits"
            faults.add("OPG138", trail / "enum" / i, text, _hint(kind, value), note=True)
    if default is None:
        return
    if not _is_of(kind, default):
        text = f"the default is {what_it_is(default)}, expected one of type {kind}"
        faults.add("OPG138", trail.at("default"), text, _hint(kind, default))
    elif enum and not any(one == default and type(one) is type(default) for one in enum):
        text = f"the default is {what_it_is(default)}, expected one of the enum"
        faults.add("OPG138", trail.at("default"), text)


def _said(value: Any) -> str:
    return "null" if value is None else what_it_is(value)


def _is_of(kind: Any, value: Any) -> bool:
    wanted = _OF.get(kind) if isinstance(kind, str) else None
    if wanted is None:
        return True
    return isinstance(value, wanted) and (kind == "boolean" or not isinstance(value, bool))


def _hint(kind: Any, value: Any) -> str | None:
    quote = kind == "string" and isinstance(value, bool | int | float)
    return "quote it: YAML takes on, off, yes, no, y and n for true and false" if quote else None


def check_anywhere(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    """Add what is wrong with a node wherever it stands, within allOf, anyOf, oneOf and not as well."""
    if schema.get("uniqueItems") is True:
        text = '"uniqueItems" must not be true'
        faults.add("OPG121", trail.at("uniqueItems"), text, "use x-kubernetes-list-type: set")
    if schema.get(FREE) is False:
        faults.add("OPG121", trail.at(FREE), f'"{FREE}" is false, expected true or nothing')
    if isinstance(schema.get("items"), list):
        faults.add(
            "OPG121", trail.at("items"), '"items" is a list, expected one schema for all items'
        )
    for i, name in enumerate(schema.get("required") or ()):
        if type(name) is not str:
            faults.add(
                "OPG129",
                trail / "required" / i,
                f'"required" has {what_it_is(name)}, expected names',
            )


def check_rules(schema: Mapping[str, Any], trail: Trail, faults: Faults) -> None:
    """Add what is wrong with x-kubernetes-validations apart from its CEL, which is not read here."""
    for i, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        here = trail / "x-kubernetes-validations" / i
        if not isinstance(rule, Mapping):
            faults.add("OPG129", here, f"the rule is {what_it_is(rule)}, expected a mapping")
            continue
        text, message, reason = rule.get("rule"), rule.get("message") or "", rule.get("reason")
        if not isinstance(text, str) or not text.strip():
            faults.add(
                "OPG129", here / "rule", f'"rule" is {what_it_is(text)}, expected an expression'
            )
        elif (
            not isinstance(message, str)
            or "\n" in message.strip()
            or (message and not message.strip())
        ):
            faults.add("OPG129", here / "message", '"message" is not one line of text')
        elif "\n" in text.strip() and not message:
            faults.add(
                "OPG129", here, 'there is no "message", expected one with a rule of several lines'
            )
        if reason is not None and reason not in _REASONS:
            said = f'"reason" is {what_it_is(reason)}, expected one of {", ".join(_REASONS)}'
            faults.add("OPG129", here / "reason", said)
