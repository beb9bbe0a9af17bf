"""Which schemas a CustomResourceDefinition may have: OpenAPI v3 as far as supported, structural, with valid defaults.

Follows `apiextensions-apiserver/pkg/apis/apiextensions/validation` and `pkg/apiserver/schema` in order and wording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from opgen.apiserver.re2 import PatternError, compile_pattern
from opgen.apiserver.schema import explain, unknown_fields
from opgen.apiserver.schema.node import Node, copy_json
from opgen.apiserver.status import (
    FieldError,
    Raw,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)

__all__ = ["schema_errors"]

Schema = Mapping[str, Any]
_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_NOT_CONVERTIBLE: Final = frozenset(
    ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
)
_REASONS: Final = (
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
)
_EMPTY_IN_NESTED: Final = (
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]


def schema_errors(
    schema: Schema,
    path: str,
    *,
    status: bool,
    rules: Callable[[Schema, str], list[FieldError]] | None = None,
) -> list[FieldError]:
    """Return what is wrong with the schema of a version.

    `status` says whether the version has the status subresource; `rules` checks the CEL rules, and is asked
    only when nothing else is wrong.
    """
    errors: list[FieldError] = []
    if status:
        errors += _root_for_status(schema, path)
    if schema.get("nullable"):
        errors.append(forbidden_field(f"{path}.nullable", "nullable cannot be true at the root"))
    found: list[FieldError] = []
    _supported(schema, path, found, _Place())
    errors += found
    if not found and rules is not None:
        errors += rules(schema, path)
    structural: list[FieldError] = []
    if any(e.field is not None and e.field.rpartition(".")[2] in _NOT_CONVERTIBLE for e in found):
        return errors
    _invariants(schema, "root", path, structural)
    _completeness(schema, path, structural)
    if structural:
        return errors + sorted(structural, key=lambda e: e.text)
    if not errors:
        _defaults(schema, path, errors)
    return errors


def _root_for_status(schema: Schema, path: str) -> list[FieldError]:
    for key, value in schema.items():
        if key == "type" and value != "object":
            text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
            return [invalid_value(f"{path}.type", value, text)]
    return []


@dataclass(frozen=True)
class _Place:
    """Where in a schema a subschema stands."""

    metadata: bool = False
    no_defaults: str = ""


def _supported(
    schema: Schema, path: str, errors: list[FieldError], place: _Place, root: bool = True
) -> None:
    """Check what OpenAPI allows and Kubernetes does not support."""
    kind = schema.get("type")
    if kind and kind not in _TYPES:
        errors.append(not_supported(f"{path}.type", kind, _TYPES))
    _pattern(schema, path, errors)
    if schema.get("id"):
        errors.append(forbidden_field(f"{path}.id", "id is not supported"))
    for key in ("additionalItems", "patternProperties", "definitions", "dependencies", "$ref"):
        if schema.get(key) is not None:
            errors.append(forbidden_field(f"{path}.{key}", f"{key} is not supported"))
    if isinstance(schema.get("items"), list):
        errors.append(
            forbidden_field(f"{path}.items", "items must be a schema object and not an array")
        )
    if schema.get("default") is not None and place.no_defaults:
        errors.append(forbidden_field(f"{path}.default", f"must not be set {place.no_defaults}"))
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        errors.append(forbidden_field(f"{path}.uniqueItems", text))
    more = schema.get("additionalProperties")
    if more is not None and schema.get("properties") and more is not True:
        text = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden_field(f"{path}.additionalProperties", text))
    if isinstance(more, Mapping):
        below = (
            replace(place, no_defaults="inside additionalProperties applying to object metadata")
            if place.metadata
            else place
        )
        _supported(more, f"{path}.additionalProperties", errors, below, False)
    embedded = root or bool(schema.get("x-kubernetes-embedded-resource"))
    for name, sub in (schema.get("properties") or {}).items():
        inside = _Place(metadata=True) if embedded and name == "metadata" else place
        _supported(sub, f"{path}.properties[{name}]", errors, inside, False)
    if schema.get("not"):
        _supported(schema["not"], f"{path}.not", errors, place, False)
    for key in ("allOf", "oneOf", "anyOf"):
        for index, sub in enumerate(schema.get(key) or ()):
            _supported(sub, f"{path}.{key}[{index}]", errors, place, False)
    items = schema.get("items")
    if isinstance(items, Mapping):
        _supported(items, f"{path}.items", errors, place, False)
    _extensions(schema, path, errors)
    _rule_fields(schema, path, errors)


def _pattern(schema: Schema, path: str, errors: list[FieldError]) -> None:
    pattern = schema.get("pattern")
    if pattern:
        try:
            compile_pattern(pattern)
        except PatternError as error:
            text = f"must be a valid regular expression, but isn't: {error}"
            errors.append(invalid_value(f"{path}.pattern", pattern, text))


def _wrong_type(schema: Schema, path: str, text: str) -> FieldError:
    kind = schema.get("type")
    return invalid_value(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)


def _extensions(schema: Schema, path: str, errors: list[FieldError]) -> None:
    key = f"{path}.x-kubernetes-preserve-unknown-fields"
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        errors.append(invalid_value(key, False, "must be true or undefined"))
    map_type = schema.get("x-kubernetes-map-type")
    if map_type is not None:
        if schema.get("type") != "object":
            errors.append(
                _wrong_type(schema, path, "must be object if x-kubernetes-map-type is specified")
            )
        if map_type not in ("atomic", "granular"):
            errors.append(
                not_supported(f"{path}.x-kubernetes-map-type", map_type, ["atomic", "granular"])
            )
    list_type = schema.get("x-kubernetes-list-type")
    keys = schema.get("x-kubernetes-list-map-keys") or []
    items = schema.get("items")
    if list_type is not None:
        if schema.get("type") != "array":
            errors.append(
                _wrong_type(schema, path, "must be array if x-kubernetes-list-type is specified")
            )
        elif list_type == "set" and isinstance(items, Mapping):
            _set_items(items, f"{path}.items", errors)
        if list_type not in ("atomic", "map", "set"):
            errors.append(
                not_supported(f"{path}.x-kubernetes-list-type", list_type, ["atomic", "map", "set"])
            )
    if keys and list_type != "map":
        text = "must be map if x-kubernetes-list-map-keys is non-empty"
        field = f"{path}.x-kubernetes-list-type"
        errors.append(
            required(field, text) if list_type is None else invalid_value(field, list_type, text)
        )
    if list_type == "map":
        _map_list(items, list(keys), path, errors)


def _set_items(items: Schema, path: str, errors: list[FieldError]) -> None:
    text = "must be atomic as item of a list with x-kubernetes-list-type=set"
    if items.get("type") == "array" and items.get("x-kubernetes-list-type") not in (None, "atomic"):
        errors.append(
            invalid_value(f"{path}.x-kubernetes-list-type", items["x-kubernetes-list-type"], text)
        )
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        found = items.get("x-kubernetes-map-type")
        errors.append(
            invalid_value(
                f"{path}.x-kubernetes-map-type", Raw("null") if found is None else found, text
            )
        )


def _map_list(items: Any, keys: list[str], path: str, errors: list[FieldError]) -> None:
    field = f"{path}.x-kubernetes-list-map-keys"
    if not keys:
        errors.append(required(field, "must not be empty if x-kubernetes-list-type is map"))
    if items is None:
        errors.append(
            required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map")
        )
        return
    if not isinstance(items, Mapping):
        return
    if items.get("type") != "object":
        text = "must be object if parent array's x-kubernetes-list-type is map"
        errors.append(invalid_value(f"{path}.items.type", items.get("type", ""), text))
        return
    properties = items.get("properties") or {}
    seen: set[str] = set()
    needed = items.get("required") or ()
    for key in keys:
        sub = properties.get(key)
        if sub is None:
            errors.append(
                invalid_value(field, keys, "entries must all be names of item properties")
            )
        elif sub.get("type") in ("array", "object"):
            text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            errors.append(invalid_value(f"{path}.items.properties[{key}].type", sub["type"], text))
        if key in seen:
            errors.append(invalid_value(field, keys, "must not contain duplicate entries"))
        seen.add(key)
        if sub is not None:
            at = f"{path}.items.properties[{key}]"
            if sub.get("default") is None and key not in needed:
                text = (
                    "this property is in x-kubernetes-list-map-keys, so it must have a default "
                    "or be a required property"
                )
                errors.append(required(f"{at}.default", text))
            if sub.get("nullable"):
                text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
                errors.append(forbidden_field(f"{at}.nullable", text))


def _rule_fields(schema: Schema, path: str, errors: list[FieldError]) -> None:
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        at = f"{path}.x-kubernetes-validations[{index}]"
        text, message = rule.get("rule", ""), rule.get("message", "")
        if not text.strip():
            errors.append(required(f"{at}.rule", "rule is not specified"))
        elif message and not message.strip():
            errors.append(
                invalid_value(f"{at}.message", message, "message must be non-empty if specified")
            )
        elif "\n" in message.strip():
            errors.append(
                invalid_value(f"{at}.message", message, "message must not contain line breaks")
            )
        elif "\n" in text.strip() and not message.strip():
            errors.append(
                required(f"{at}.message", "message must be specified if rule contains line breaks")
            )
        expression = rule.get("messageExpression", "")
        if expression and not expression.strip():
            errors.append(
                required(
                    f"{at}.messageExpression", "messageExpression must be non-empty if specified"
                )
            )
        reason = rule.get("reason")
        if reason is not None and reason not in _REASONS:
            errors.append(not_supported(f"{at}.reason", reason, _REASONS))
        field = rule.get("fieldPath", "")
        if field and not field.strip():
            errors.append(
                invalid_value(f"{at}.fieldPath", field, "fieldPath must be non-empty if specified")
            )
        elif "\n" in field:
            errors.append(
                invalid_value(f"{at}.fieldPath", field, "fieldPath must not contain line breaks")
            )


def _invariants(schema: Schema, level: str, path: str, errors: list[FieldError]) -> None:
    """Check that a schema is structural (KEP-1180)."""
    kind = schema.get("type", "")
    items, more = schema.get("items"), schema.get("additionalProperties")
    if kind == "array" and items is None:
        errors.append(required(f"{path}.items", "must be specified"))
    if isinstance(items, Mapping):
        _invariants(items, "item", f"{path}.items", errors)
    for name, sub in (schema.get("properties") or {}).items():
        _invariants(sub, "field", f"{path}.properties[{name}]", errors)
    if more is not None and level == "root":
        errors.append(
            forbidden_field(f"{path}.additionalProperties", "must not be used at the root")
        )
    if isinstance(more, Mapping):
        _invariants(more, "field", f"{path}.additionalProperties", errors)
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
    preserve = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    if int_or_string:
        text = "must be false if x-kubernetes-int-or-string is true"
        for key, wrong in (("preserve-unknown-fields", preserve), ("embedded-resource", embedded)):
            if wrong:
                errors.append(invalid_value(f"{path}.x-kubernetes-{key}", True, text))
    _value_validation(schema, path, errors, int_or_string)
    if embedded and kind != "object":
        errors.append(
            _wrong_type(schema, path, "must be object if x-kubernetes-embedded-resource is true")
        )
    elif not kind and not int_or_string and not preserve:
        where = {
            "root": "at the root",
            "item": "for specified array items",
            "field": "for specified object fields",
        }[level]
        errors.append(required(f"{path}.type", f"must not be empty {where}"))
    if embedded and more is not None:
        text = "must not be used if x-kubernetes-embedded-resource is set"
        errors.append(forbidden_field(f"{path}.additionalProperties", text))
    if level == "root" and kind and kind != "object":
        errors.append(invalid_value(f"{path}.type", kind, "must be object at the root"))
    if level == "root" or embedded:
        _own_fields(schema, path, errors)
    if embedded and not preserve and not schema.get("properties"):
        text = (
            "must not be empty if x-kubernetes-embedded-resource is true without "
            "x-kubernetes-preserve-unknown-fields"
        )
        errors.append(required(f"{path}.properties", text))


def _own_fields(schema: Schema, path: str, errors: list[FieldError]) -> None:
    properties = schema.get("properties") or {}
    for name, kind in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        sub = properties.get(name)
        if sub is not None and sub.get("type") != kind:
            errors.append(
                invalid_value(
                    f"{path}.properties[{name}].type", sub.get("type", ""), f"must be {kind}"
                )
            )
    meta = properties.get("metadata")
    if meta is not None and (
        {k for k in meta if k not in ("type", "properties", "description")}
        or set(meta.get("properties") or ()) - {"name", "generateName"}
    ):
        text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        errors.append(forbidden_field(f"{path}.properties[metadata]", text))


def _value_validation(
    schema: Schema, path: str, errors: list[FieldError], int_or_string: bool
) -> None:
    any_of, all_of = schema.get("anyOf") or [], schema.get("allOf") or []
    skip_any = int_or_string and any_of == _INT_OR_STRING
    skip_all = int_or_string and bool(all_of) and (all_of[0].get("anyOf") or []) == _INT_OR_STRING
    if not skip_any:
        for index, sub in enumerate(any_of):
            _nested(sub, f"{path}.anyOf[{index}]", errors)
    for index, sub in enumerate(all_of):
        _nested(sub, f"{path}.allOf[{index}]", errors, skip_any=skip_all and index == 0)
    for index, sub in enumerate(schema.get("oneOf") or ()):
        _nested(sub, f"{path}.oneOf[{index}]", errors)
    if schema.get("not"):
        _nested(schema["not"], f"{path}.not", errors)


def _nested(schema: Schema, path: str, errors: list[FieldError], *, skip_any: bool = False) -> None:
    if skip_any:
        schema = {k: v for k, v in schema.items() if k != "anyOf"}
    _value_validation(schema, path, errors, False)
    items = schema.get("items")
    if isinstance(items, Mapping):
        _nested(items, f"{path}.items", errors)
    for name, sub in (schema.get("properties") or {}).items():
        _nested(sub, f"{path}.properties[{name}]", errors)
    if schema.get("type"):
        errors.append(forbidden_field(f"{path}.type", "must be empty to be structural"))
    for key in ("additionalProperties", "default"):
        if schema.get(key) is not None:
            errors.append(forbidden_field(f"{path}.{key}", "must be undefined to be structural"))
    for key, text in _EMPTY_IN_NESTED:
        if schema.get(key):
            errors.append(forbidden_field(f"{path}.{key}", text))


def _completeness(schema: Schema, path: str, errors: list[FieldError]) -> None:
    """Check that what a combination at the root speaks of is declared outside of it.

    The server means to look deeper too, but does not, and accepts what is undeclared further down.
    """
    for key in ("allOf", "anyOf", "oneOf"):
        for index, sub in enumerate(schema.get(key) or ()):
            _declared(sub, f"{path}.{key}[{index}]", schema, path, errors)
    if schema.get("not"):
        _declared(schema["not"], f"{path}.not", schema, path, errors)


def _declared(
    nested: Schema, at: str, schema: Schema | None, path: str, errors: list[FieldError]
) -> None:
    for name, sub in (nested.get("properties") or {}).items():
        found = ((schema or {}).get("properties") or {}).get(name)
        more = (schema or {}).get("additionalProperties")
        below = f"{path}.properties[{name}]"
        if found is None and not more:
            errors.append(required(below, f"because it is defined in {at}.properties[{name}]"))
        else:
            _declared(
                sub, f"{at}.properties[{name}]", found if found is not None else None, below, errors
            )
    items = nested.get("items")
    if isinstance(items, Mapping):
        found = (schema or {}).get("items")
        if found is None:
            errors.append(required(f"{path}.items", f"because it is defined in {at}.items"))
        else:
            _declared(items, f"{at}.items", found, f"{path}.items", errors)
    for key in ("allOf", "anyOf", "oneOf"):
        for index, sub in enumerate(nested.get(key) or ()):
            _declared(sub, f"{at}.{key}[{index}]", schema, path, errors)
    if nested.get("not"):
        _declared(nested["not"], f"{at}.not", schema, path, errors)


def _defaults(schema: Schema, path: str, errors: list[FieldError]) -> None:
    """Check that each default is valid under the schema that it stands in."""
    default = schema.get("default")
    if default is not None:
        from opgen.apiserver.schema.check import compile_check

        node = Node(schema)
        compile_check(node)
        if unknown_fields(copy_json(default), node):
            errors.append(invalid_value(f"{path}.default", default, "must not have unknown fields"))
        elif not node.check(default):
            for error in explain(default, node):
                field = f"{path}.default.{error.field}" if error.field else f"{path}.default"
                errors.append(replace(error, field=field))
        return
    for name, sub in (schema.get("properties") or {}).items():
        _defaults(sub, f"{path}.properties[{name}]", errors)
    for key in ("items", "additionalProperties"):
        sub = schema.get(key)
        if isinstance(sub, Mapping):
            _defaults(sub, f"{path}.{key}", errors)
