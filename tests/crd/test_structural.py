"""The rules of structural schemas: a warning for each fault, with its place, and nothing of what is right."""

from __future__ import annotations

from typing import Any

import pytest

from opgen.crd import from_objects
from opgen.crd.structural import check
from tests.crd.crds import TEXT, crd, faults, problems_of

FREE = "x-kubernetes-preserve-unknown-fields"
EITHER = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"
LIST, KEYS, MAP = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
RULES = "x-kubernetes-validations"
PAIR = [{"type": "integer"}, {"type": "string"}]
TYPES = "array, boolean, integer, number, object, string"
WITHIN = "within allOf, anyOf, oneOf and not"


def root(a: Any, **more: Any) -> dict[str, Any]:
    """Return a root with a field `a`."""
    return {"type": "object", "properties": {"a": a}, **more}


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def array(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def keyed(**more: Any) -> dict[str, Any]:
    """Return a list map with a key `k`."""
    field = {"type": "string", **more.pop("k", {})}
    items = {**fields(k=field), "required": ["k"], **more.pop("items", {})}
    return array(items, **{LIST: "map", KEYS: ["k"], **more})


STRUCTURAL: dict[str, Any] = {
    "the least": {"type": "object"},
    "every type": fields(
        a={"type": "string"},
        b={"type": "integer"},
        c={"type": "number"},
        d={"type": "boolean"},
        e=array({"type": "string"}),
        f={"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "any value": root({FREE: True}),
    "free at the root": {"type": "object", FREE: True},
    "free beside properties": root({**fields(b={"type": "string"}), FREE: True}),
    "free beside values": root(
        {"type": "object", "additionalProperties": {"type": "string"}, FREE: True}
    ),
    "int or string": root({EITHER: True}),
    "int or string by anyOf": root({EITHER: True, "anyOf": PAIR}),
    "int or string by allOf": root(
        {EITHER: True, "allOf": [{"anyOf": PAIR}, {"not": {"enum": [0]}}]}
    ),
    "int or string with a type": root({"type": "string", EITHER: True}),
    "anyOf: null beside int or string": root(
        {EITHER: True, "anyOf": None, "allOf": [{"not": {"enum": [""]}}]}
    ),
    "anyOf with null keywords": root(
        {EITHER: True, "anyOf": [{"type": "integer", "pattern": None}, {"type": "string"}]}
    ),
    "a list map": root(keyed()),
    "a list map by default": root(keyed(k={"default": "x"}, items={"required": []})),
    "a set of texts": root(array({"type": "string"}, **{LIST: "set"})),
    "a set of atomic objects": root(
        array({**fields(k={"type": "string"}), MAP: "atomic"}, **{LIST: "set"})
    ),
    "a set of arrays": root(array(array({"type": "string"}), **{LIST: "set"})),
    "an atomic list": root(array({"type": "string"}, **{LIST: "atomic"})),
    "map types": root({**fields(b={"type": "object", MAP: "granular"}), MAP: "atomic"}),
    "an embedded resource": root({"type": "object", EMBEDDED: True, FREE: True}),
    "an embedded resource with fields": root(
        {**fields(metadata={"type": "object"}, kind={"type": "string"}), EMBEDDED: True}
    ),
    "branches": root(
        {
            **fields(x={"type": "string"}, y=array({"type": "string"})),
            "oneOf": [{"required": ["x"]}, {"not": {"anyOf": [{"required": ["x"]}]}}],
            "anyOf": [{"properties": {"y": {"items": {"minLength": 1}}}}],
            "allOf": [{"properties": {"x": {"enum": ["a"], "format": "date"}}}],
        }
    ),
    "branches at the root": root(
        {"type": "string"}, anyOf=[{"required": ["a"], "properties": {"a": {"minLength": 1}}}]
    ),
    "metadata with rules for names": fields(
        metadata=fields(name={"type": "string", "pattern": "x"}, generateName={"type": "string"})
    ),
    "metadata, kind and apiVersion": fields(
        metadata={"type": "object"}, kind={"type": "string"}, apiVersion={"type": "string"}
    ),
    "metadata elsewhere": root(
        fields(metadata=fields(labels={"type": "object"}), kind={"type": "integer"})
    ),
    "words for people": root(
        {"type": "string", "title": "t", "example": "x", "externalDocs": {"url": "x"}},
        title="t",
        description="d",
    ),
    "words that are empty": root(
        {
            "type": "string",
            "$ref": "",
            "id": None,
            "patternProperties": {},
            "definitions": {},
            "format": "",
        }
    ),
    "values that make no sense": root(
        {"type": "integer", "minimum": 5, "maximum": 1, "minLength": -1, "nullable": True}
    ),
    "required without a field": {"type": "object", "required": ["zz"]},
    "defaults that fit": fields(
        a={"type": "number", "default": 1},
        b={"type": "boolean", "enum": [True, False], "default": False},
        c={"type": "string", "enum": ["", "a"], "default": ""},
        d={"type": "string", "nullable": True, "enum": ["a", None], "default": None},
        e={EITHER: True, "type": "string", "default": 5},
        f={FREE: True, "default": [1]},
    ),
    "a default": root({"type": "object", "default": {}, FREE: True}),
    "rules": root(
        {
            "type": "string",
            RULES: [{"rule": "self != ''", "message": "m", "reason": "FieldValueInvalid"}],
        }
    ),
    "a rule of several lines": root(
        {"type": "string", RULES: [{"rule": "a\n&& b", "message": "m"}, {"rule": "\n a \n"}]}
    ),
    "extensions of others": root(
        {"type": "string", "x-mine": 5, "x-kubernetes-group-version-kind": []}, **{"x-y": None}
    ),
    "additionalProperties beside fields": root(
        {**fields(b={"type": "string"}), "additionalProperties": True}
    ),
    "draft 4 bounds": root(
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "multipleOf": 0.5}
    ),
}


@pytest.mark.parametrize("schema", STRUCTURAL.values(), ids=STRUCTURAL)
def test_what_the_server_takes_is_not_told(schema: Any) -> None:
    assert faults(schema) == []


def _nested(key: str, value: Any, path: str) -> tuple[Any, str]:
    """Return a branch with a keyword that says nothing about values, and what is said of it."""
    branch = {key: value}
    text = f'"v1.a{path}": "{key}" is not allowed {WITHIN}'
    junctor = path.strip(".").partition("[")[0]
    return root({"type": "string", junctor: branch if junctor == "not" else [branch]}), text


NOT_STRUCTURAL: list[tuple[str, Any, str]] = [
    # types
    ("OPG120", {}, '"v1": there is no "type", expected object'),
    ("OPG120", {FREE: False, "type": ""}, '"v1": there is no "type", expected object'),
    (
        "OPG120",
        array({"type": "string"}),
        '"v1": the type is "array", expected "object" at the root',
    ),
    ("OPG120", root({}), f'"v1.a": there is no "type", expected one of {TYPES}'),
    ("OPG120", root({"type": None}), f'"v1.a": there is no "type", expected one of {TYPES}'),
    ("OPG120", root({"anyOf": PAIR}), f'"v1.a": there is no "type", expected one of {TYPES}'),
    ("OPG120", root(array({})), f'"v1.a[]": there is no "type", expected one of {TYPES}'),
    (
        "OPG120",
        root({"type": "object", "additionalProperties": {}}),
        f'"v1.a{{}}": there is no "type", expected one of {TYPES}',
    ),
    (
        "OPG120",
        root({"type": "array"}),
        '"v1.a": there is no "items", expected the schema of what the array holds',
    ),
    ("OPG120", root({"type": "text"}), f'"v1.a": the type is "text", expected one of {TYPES}'),
    ("OPG120", root({"type": "null"}), f'"v1.a": the type is "null", expected one of {TYPES}'),
    # forbidden keywords
    *[
        (
            "OPG121",
            root({"type": "string", key: value}),
            f'"v1.a": "{key}" is not allowed in a structural schema',
        )
        for key, value in {
            "$ref": "#/x",
            "$schema": "x",
            "id": "x",
            "additionalItems": False,
            "definitions": {"a": {}},
            "dependencies": {"a": ["b"]},
            "patternProperties": {"x": {}},
        }.items()
    ],
    (
        "OPG121",
        root({"type": "string", "anyOf": [{"$ref": "#/x"}]}),
        '"v1.a.anyOf[0]": "$ref" is not allowed in a structural schema',
    ),
    (
        "OPG121",
        root(array({"type": "string"}, uniqueItems=True)),
        '"v1.a": "uniqueItems" must not be true',
    ),
    (
        "OPG121",
        root({"type": "string", "not": {"uniqueItems": True}}),
        '"v1.a.not": "uniqueItems" must not be true',
    ),
    (
        "OPG121",
        root({"type": "object", FREE: False}),
        f'"v1.a": "{FREE}" is false, expected true or nothing',
    ),
    (
        "OPG121",
        root({"type": "array", "items": [{"type": "string"}]}),
        '"v1.a": "items" is a list, expected one schema for all items',
    ),
    (
        "OPG121",
        {"type": "object", "nullable": True},
        '"v1": "nullable" must not be true at the root',
    ),
    # properties and additionalProperties
    (
        "OPG122",
        {"type": "object", "additionalProperties": False},
        '"v1": "additionalProperties" is not allowed at the root',
    ),
    (
        "OPG122",
        root({**fields(x={"type": "string"}), "additionalProperties": {"type": "string"}}),
        '"v1.a": "properties" and "additionalProperties" exclude each other',
    ),
    (
        "OPG122",
        root({**fields(x={"type": "string"}), "additionalProperties": False}),
        '"v1.a": "properties" and "additionalProperties" exclude each other',
    ),
    # branches
    *[
        ("OPG123", *_nested(key, value, path))
        for key, value, path in [
            ("type", "string", ".allOf[0]"),
            ("title", "x", ".anyOf[0]"),
            ("description", "x", ".oneOf[0]"),
            ("default", 0, ".not"),
            ("additionalProperties", False, ".anyOf[0]"),
            ("nullable", True, ".anyOf[0]"),
            ("externalDocs", {"url": "x"}, ".anyOf[0]"),
            (FREE, True, ".anyOf[0]"),
            (EITHER, True, ".anyOf[0]"),
            (EMBEDDED, True, ".not"),
            (LIST, "set", ".anyOf[0]"),
            (KEYS, ["a"], ".anyOf[0]"),
            (MAP, "atomic", ".anyOf[0]"),
            (RULES, [{"rule": "a"}], ".allOf[0]"),
        ]
    ],
    (
        "OPG123",
        root({"type": "string", "anyOf": [{"allOf": [{"not": {"type": "string"}}]}]}),
        f'"v1.a.anyOf[0].allOf[0].not": "type" is not allowed {WITHIN}',
    ),
    (
        "OPG123",
        root(
            {**fields(x={"type": "string"}), "anyOf": [{"properties": {"x": {"type": "string"}}}]}
        ),
        f'"v1.a.anyOf[0].x": "type" is not allowed {WITHIN}',
    ),
    (
        "OPG123",
        root({**array({"type": "string"}), "anyOf": [{"items": {"type": "string"}}]}),
        f'"v1.a.anyOf[0][]": "type" is not allowed {WITHIN}',
    ),
    (
        "OPG123",
        root({"type": "string"}, anyOf=[{"properties": {"y": {"minLength": 1}}}]),
        f'"v1.anyOf[0].y": "y" is only named {WITHIN}, expected it outside as well',
    ),
    (
        "OPG123",
        root({"type": "string"}, anyOf=[{"properties": {"a": {"items": {"minLength": 1}}}}]),
        f'"v1.anyOf[0].a": "items" is only named {WITHIN}, expected it outside as well',
    ),
    (
        "OPG123",
        fields(metadata={"type": "object"})
        | {"not": {"properties": {"metadata": {"minProperties": 1}}}},
        f'"v1.not.metadata": metadata is not allowed {WITHIN}',
    ),
    ("OPG123", root({EITHER: True, "anyOf": [{"type": "string"}, {"type": "integer"}]}), None),
    # metadata
    (
        "OPG124",
        fields(metadata={"type": "object", "description": "x"}),
        '"v1.metadata": "description" is not allowed at metadata of the root',
    ),
    (
        "OPG124",
        fields(metadata={"type": "object", "minProperties": 1}),
        '"v1.metadata": "minProperties" is not allowed at metadata of the root',
    ),
    (
        "OPG124",
        fields(metadata={"type": "string"}),
        '"v1.metadata": the type of metadata is "string", expected object',
    ),
    (
        "OPG124",
        fields(metadata=fields(labels={"type": "object"})),
        '"v1.metadata.labels": "labels" is not allowed, expected only name and generateName in metadata of the root',
    ),
    (
        "OPG124",
        fields(kind={"type": "integer"}),
        '"v1.kind": the type of kind is "integer", expected string',
    ),
    (
        "OPG124",
        fields(kind={"type": "string", "default": "X"}),
        '"v1.kind": "default" is not allowed at kind of the root',
    ),
    (
        "OPG124",
        root({**fields(apiVersion={"type": "integer"}), EMBEDDED: True}),
        '"v1.a.apiVersion": the type of apiVersion is "integer", expected string',
    ),
    # int or string
    (
        "OPG125",
        root({EITHER: True, FREE: True}),
        f'"v1.a": "{FREE}" and "{EITHER}" exclude each other',
    ),
    # lists and maps
    (
        "OPG126",
        root(array({"type": "string"}, **{LIST: "bag"})),
        f'"v1.a": "{LIST}" is "bag", expected atomic, map or set',
    ),
    (
        "OPG126",
        root({"type": "string", LIST: "atomic"}),
        f'"v1.a": "{LIST}" is for arrays, the type is "string"',
    ),
    (
        "OPG126",
        root(array({"type": "string"}, **{KEYS: ["k"]})),
        f'"v1.a": "{KEYS}" stands without "{LIST}: map"',
    ),
    (
        "OPG126",
        root(array({"type": "string"}, **{KEYS: ["k"], LIST: "set"})),
        f'"v1.a": "{KEYS}" is for list-type map, this is set',
    ),
    (
        "OPG126",
        root(keyed(**{KEYS: []})),
        f'"v1.a": a list-type map has no "{KEYS}", expected the fields that tell items apart',
    ),
    ("OPG126", root(keyed(**{KEYS: ["k", "k"]})), '"v1.a": the key "k" stands twice'),
    ("OPG126", root(keyed(**{KEYS: ["k", "z"]})), '"v1.a": the key "z" is no field of the items'),
    ("OPG126", root(keyed(**{KEYS: ["k", 5]})), '"v1.a": the key 5 is no field of the items'),
    (
        "OPG126",
        root(keyed(items={"required": []})),
        '"v1.a[].k": the key of a list-type map is optional, expected it required or with a default',
    ),
    (
        "OPG126",
        root(keyed(k={"nullable": True})),
        '"v1.a[].k": the key of a list-type map must not be nullable',
    ),
    (
        "OPG126",
        root(keyed(k={"type": "object"})),
        '"v1.a[].k": the key of a list-type map is of type object, expected a scalar',
    ),
    (
        "OPG126",
        root(keyed(items={"nullable": True})),
        '"v1.a[]": items of a list-type map must not be nullable',
    ),
    (
        "OPG126",
        root(array({"type": "string"}, **{LIST: "map", KEYS: ["k"]})),
        '"v1.a[]": the type of items of a list-type map is "string", expected object',
    ),
    (
        "OPG126",
        root(array(fields(k={"type": "string"}), **{LIST: "set"})),
        f'"v1.a[]": objects in a list-type set need "{MAP}: atomic"',
    ),
    (
        "OPG126",
        root(array(array({"type": "string"}, **{LIST: "set"}), **{LIST: "set"})),
        '"v1.a[]": arrays in a list-type set must be atomic',
    ),
    (
        "OPG126",
        root({"type": "string", MAP: "atomic"}),
        f'"v1.a": "{MAP}" is for objects, the type is "string"',
    ),
    (
        "OPG126",
        root({"type": "object", MAP: "fluid"}),
        f'"v1.a": "{MAP}" is "fluid", expected atomic or granular',
    ),
    # embedded resources
    (
        "OPG127",
        root({"type": "object", EMBEDDED: True}),
        f'"v1.a": an embedded resource has neither properties nor "{FREE}: true", expected one of them',
    ),
    (
        "OPG127",
        root({EMBEDDED: True, FREE: True}),
        '"v1.a": the type of an embedded resource is missing, expected object',
    ),
    (
        "OPG127",
        root(
            {
                "type": "object",
                EMBEDDED: True,
                FREE: True,
                "additionalProperties": {"type": "string"},
            }
        ),
        '"v1.a": "additionalProperties" is not allowed at an embedded resource',
    ),
    (
        "OPG127",
        root(
            {
                **fields(metadata=fields(x={"type": "object", EMBEDDED: True, FREE: True})),
                EMBEDDED: True,
            }
        ),
        '"v1.a.metadata.x": an embedded resource is not allowed within metadata',
    ),
    # defaults
    (
        "OPG138",
        root({"type": "string", "default": True}),
        '"v1.a": the default is true, expected one of type string',
    ),
    (
        "OPG138",
        root({"type": "integer", "default": "1"}),
        '"v1.a": the default is "1", expected one of type integer',
    ),
    (
        "OPG138",
        root({"type": "integer", "default": True}),
        '"v1.a": the default is true, expected one of type integer',
    ),
    (
        "OPG138",
        root({"type": "integer", "default": 1.5}),
        '"v1.a": the default is 1.5, expected one of type integer',
    ),
    (
        "OPG138",
        root({"type": "boolean", "default": 1}),
        '"v1.a": the default is 1, expected one of type boolean',
    ),
    (
        "OPG138",
        root(array({"type": "string"}, default={})),
        '"v1.a": the default is a mapping, expected one of type array',
    ),
    (
        "OPG138",
        root({"type": "object", "default": []}),
        '"v1.a": the default is a list, expected one of type object',
    ),
    (
        "OPG138",
        root({"type": "string", "enum": ["a"], "default": "b"}),
        '"v1.a": the default is "b", expected one of the enum',
    ),
    (
        "OPG138",
        root({"enum": [1], "default": True, FREE: True}),
        '"v1.a": the default is true, expected one of the enum',
    ),
    # keywords that are not what they should be
    ("OPG129", root(5), '"v1.a": the schema is 5, expected a mapping'),
    ("OPG129", root(None), '"v1.a": the schema is missing, expected a mapping'),
    ("OPG129", root([]), '"v1.a": the schema is a list, expected a mapping'),
    (
        "OPG129",
        {"type": "object", "properties": []},
        '"v1": "properties" is a list, expected a mapping; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "allOf": {"minLength": 1}}),
        '"v1.a": "allOf" is a mapping, expected a list; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "anyOf": [5]}),
        '"v1.a.anyOf[0]": the schema is 5, expected a mapping',
    ),
    (
        "OPG129",
        root({"type": "string", "not": []}),
        '"v1.a": "not" is a list, expected a mapping; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "maxLength": "5"}),
        '"v1.a": "maxLength" is "5", expected an integer; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "maxLength": True}),
        '"v1.a": "maxLength" is true, expected an integer; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "number", "maximum": True}),
        '"v1.a": "maximum" is true, expected a number; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "nullable": "yes"}),
        '"v1.a": "nullable" is "yes", expected true or false; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "description": 5}),
        '"v1.a": "description" is 5, expected a string; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "string", "enum": "a"}),
        '"v1.a": "enum" is "a", expected a list; it is taken as absent',
    ),
    (
        "OPG129",
        root({"type": "object", "required": [1]}),
        '"v1.a": "required" has 1, expected names',
    ),
    (
        "OPG129",
        root({"type": "object", "additionalProperties": 5}),
        '"v1.a": "additionalProperties" is 5, expected a schema, true or false; it is taken as absent',
    ),
    ("OPG129", root({"type": "string", RULES: [5]}), '"v1.a": the rule is 5, expected a mapping'),
    (
        "OPG129",
        root({"type": "string", RULES: [{"rule": " "}]}),
        '"v1.a": "rule" is " ", expected an expression',
    ),
    (
        "OPG129",
        root({"type": "string", RULES: [{"rule": "a", "message": "b\nc"}]}),
        '"v1.a": "message" is not one line of text',
    ),
    (
        "OPG129",
        root({"type": "string", RULES: [{"rule": "a\nb"}]}),
        '"v1.a": there is no "message", expected one with a rule of several lines',
    ),
    (
        "OPG129",
        root({"type": "string", RULES: [{"rule": "a", "reason": "Bad"}]}),
        '"v1.a": "reason" is "Bad", expected one of FieldValueDuplicate, FieldValueForbidden,'
        " FieldValueInvalid, FieldValueRequired",
    ),
]


@pytest.mark.parametrize(
    ("code", "schema", "text"),
    NOT_STRUCTURAL,
    ids=[f"{code}-{text}" for code, _, text in NOT_STRUCTURAL],
)
def test_what_the_server_refuses_is_told(code: str, schema: Any, text: str | None) -> None:
    found = faults(schema)
    if text is None:
        assert {one[: len(code)] for one in found} == {code}
    else:
        assert f"{code} warning {text}" in found
    assert all(" note " not in one for one in found)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            root({"type": "string", "enum": ["auto", True]}),
            'OPG138 note "v1.a": the enum of type string has true, which never fits',
        ),
        (
            root({"type": "string", "enum": ["auto", None]}),
            'OPG138 note "v1.a": the enum of type string has null, which never fits',
        ),
        (
            root({"type": "string", "minlength": 3}),
            'OPG129 note "v1.a": the keyword "minlength" is not known, and ignored',
        ),
        (
            root({"type": "string", "anyOf": [{"optional": ["a"]}]}),
            'OPG129 note "v1.a.anyOf[0]": the keyword "optional" is not known, and ignored',
        ),
        (
            root({"type": "string", "readOnly": True}),
            'OPG121 note "v1.a": "readOnly" is not allowed in a structural schema',
        ),
        (
            root(
                {**fields(x={"type": "string"}), "anyOf": [{"properties": {"y": {"minLength": 1}}}]}
            ),
            f'OPG123 note "v1.a.anyOf[0].y": "y" is only named {WITHIN}, expected it outside as well',
        ),
        (
            root(
                {
                    **array({"type": "object"}),
                    "anyOf": [{"items": {"properties": {"z": {"minLength": 1}}}}],
                }
            ),
            f'OPG123 note "v1.a.anyOf[0][].z": "z" is only named {WITHIN}, expected it outside as well',
        ),
    ],
)
def test_what_the_server_takes_and_ignores_is_a_note(schema: Any, expected: str) -> None:
    assert faults(schema) == [expected]


def test_the_status_subresource_limits_the_root() -> None:
    schema = root(
        {"type": "string"},
        anyOf=[{"required": ["a"]}],
        minProperties=1,
        maxLength=1,
        description="d",
    )
    assert faults(schema) == []
    assert faults(schema, version={"subresources": {"status": {}}}) == [
        'OPG121 warning "v1": "anyOf" is not allowed at the root of a version with the status subresource',
        'OPG121 warning "v1": "minProperties" is not allowed at the root of a version with the status subresource',
    ]


def test_a_version_without_a_schema_is_told() -> None:
    text = 'the version "v1" of "Teapot" has no schema, its objects are taken as free-form'
    for schema in ({}, {"openAPIV3Schema": None}):
        raw = crd()
        raw["spec"]["versions"][0]["schema"] = schema
        assert [problem.text for problem in from_objects([raw], "x").problems] == [text]
    assert faults(None) == [f"OPG128 warning {text}"]


def test_a_schema_that_is_no_mapping_is_told_and_taken_as_absent() -> None:
    for schema in ([], "x", 5, True):
        assert {one.partition(" ")[0] for one in faults(schema)} == {"OPG136", "OPG128"}


def test_a_fault_has_the_place_of_its_keyword() -> None:
    text = TEXT.replace(
        "                  type: integer\n",
        "                  type: number\n"
        "                  x-kubernetes-list-type: set\n"
        "                  anyOf:\n"
        "                    - minimum: 1\n"
        "                      type: integer\n"
        "                nothing:\n"
        "                  description: x\n",
    )
    assert [str(problem) for problem in problems_of(text)] == [
        f'a.yaml:24:19: OPG126: warning: "v1.spec.litres": "{LIST}" is for arrays, the type is "number"',
        f'a.yaml:27:23: OPG123: warning: "v1.spec.litres.anyOf[0]": "type" is not allowed {WITHIN}'
        "\n  hint: say it outside of them",
        f'a.yaml:28:17: OPG120: warning: "v1.spec.nothing": there is no "type", expected one of {TYPES}',
    ]


def test_every_version_is_looked_at() -> None:
    raw = crd({"type": "object"})
    raw["spec"]["versions"].append(
        {"name": "v2", "served": False, "storage": False, "schema": {"openAPIV3Schema": {}}}
    )
    (loaded,) = from_objects([raw], "x").crds
    assert [problem.text for problem in check(loaded)] == [
        '"v2": there is no "type", expected object'
    ]


def test_a_schema_of_240_levels_is_read_and_looked_at() -> None:
    schema: dict[str, Any] = {"type": "string", "title": 5}
    for _ in range(240):
        schema = root(schema)
    (one,) = faults(schema)
    assert one.endswith('"title" is 5, expected a string; it is taken as absent')


def test_names_in_paths_are_shown_as_text() -> None:
    hostile = {"a\nb": {}, "x" * 200: {}, '"': {}, "\ud800": {}, "": {}}
    found = faults({"type": "object", "properties": hostile})
    assert {one.partition(": there")[0].removeprefix("OPG120 warning ") for one in found} == {
        '"v1.a\\nb"', '"v1.' + "x" * 77 + '..."', '"v1.""', '"v1.\\ud800"', '"v1."',
    }  # fmt: skip


def test_properties_that_are_named_like_keywords_are_fields() -> None:
    names = [
        "$ref",
        "properties",
        "items",
        "type",
        "allOf",
        "not",
        "default",
        "required",
        "additionalProperties",
        "metadata",
    ]
    assert faults(root(fields(**{name: {"type": "string"} for name in names}))) == []
