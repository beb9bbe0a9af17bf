"""Schema nodes to types: each keyword, and what is done with those that make no sense."""

from __future__ import annotations

from typing import Any

import pytest

from opgen.ir.schema import QUANTITY_PATTERN, Reader, default_of, rules_of, validations_of
from opgen.ir.types import Default, Enum, ListOf, MapOf, Nullable, Ref, Rule, Scalar, Type

PATH = ("Foo", "spec", "x")


def read(schema: Any) -> Type:
    return Reader(lambda path, node: "".join(path)).read(schema, PATH)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, Scalar("string")),
        ({"type": "string", "maxLength": 3}, Scalar("string", {"maxLength": 3})),
        ({"type": "string", "pattern": "^a"}, Scalar("string", {"pattern": "^a"})),
        ({"type": "string", "format": "ipv4"}, Scalar("string", {"format": "ipv4"})),
        ({"type": "string", "format": ""}, Scalar("string")),
        ({"type": "string", "format": "date-time"}, Scalar("date-time")),
        ({"type": "string", "format": "duration"}, Scalar("duration")),
        ({"type": "integer", "minimum": 1}, Scalar("integer", {"minimum": 1})),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
            Scalar("integer", {"exclusiveMinimum": 0}),
        ),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": False},
            Scalar("integer", {"minimum": 0}),
        ),
        ({"type": "integer", "format": "int32"}, Scalar("integer", {"format": "int32"})),
        ({"type": "number", "format": "double"}, Scalar("number")),
        ({"type": "boolean"}, Scalar("boolean")),
        ({"type": "boolean", "enum": [True, False]}, Scalar("boolean")),
        ({"type": "boolean", "enum": [True]}, Scalar("boolean", None, {"enum": [True]})),
        ({"x-kubernetes-preserve-unknown-fields": True}, Scalar("any")),
        ({}, Scalar("any")),
        ("nonsense", Scalar("any")),
        (None, Scalar("any")),
    ],
)
def test_scalars(schema: Any, expected: Type) -> None:
    assert read(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"x-kubernetes-int-or-string": True}, Scalar("int-or-string")),
        (
            {
                "x-kubernetes-int-or-string": True,
                "anyOf": [{"type": "integer"}, {"type": "string"}],
            },
            Scalar("int-or-string"),
        ),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, Scalar("int-or-string")),
        (
            {
                "x-kubernetes-int-or-string": True,
                "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}],
            },
            Scalar("int-or-string"),
        ),
        (
            {"x-kubernetes-int-or-string": True, "anyOf": None, "allOf": [{"not": {"enum": [0]}}]},
            Scalar("int-or-string", None, {"allOf": [{"not": {"enum": [0]}}]}),
        ),
        ({"x-kubernetes-int-or-string": True, "pattern": QUANTITY_PATTERN}, Scalar("quantity")),
        (
            {"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+%$"},
            Scalar("int-or-string", {"pattern": "^[0-9]+%$"}),
        ),
        ({"type": "string", "x-kubernetes-int-or-string": True, "pattern": QUANTITY_PATTERN}, None),
    ],
)
def test_int_or_string(schema: Any, expected: Type | None) -> None:
    assert read(schema) == (expected or Scalar("string", {"pattern": QUANTITY_PATTERN}))


@pytest.mark.parametrize(
    ("schema", "values", "rules"),
    [
        ({"type": "string", "enum": ["", "on", "head", "HEAD"]}, ("", "on", "head", "HEAD"), None),
        ({"type": "integer", "enum": [4, 6]}, (4, 6), None),
        ({"type": "string", "nullable": True, "enum": ["a", None]}, ("a",), None),
        ({"type": "string", "enum": ["a", "a", "b"]}, ("a", "b"), None),
        ({"type": "string", "allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, ("b",), None),
        ({"type": "string", "enum": ["a"], "maxLength": 9}, ("a",), {"maxLength": 9}),
        (
            {"x-kubernetes-int-or-string": True, "pattern": "x", "enum": ["4Ki", 4]},
            ("4Ki", 4),
            None,
        ),
    ],
)
def test_enums(schema: Any, values: tuple[Any, ...], rules: Any) -> None:
    assert read(schema) == Enum("Foospecx", values, rules)


def test_enum_that_is_not_of_its_type_only_validates() -> None:
    assert read({"type": "string", "enum": ["a", 1]}) == Scalar("string", None, {"enum": ["a", 1]})


def test_lists() -> None:
    assert read({"type": "array", "items": {"type": "string"}}) == ListOf(Scalar("string"))
    assert read({"type": "array"}) == ListOf(Scalar("any"))
    assert read({"type": "array", "items": {"type": "string", "nullable": True}}) == ListOf(
        Nullable(Scalar("string"))
    )
    mapped = {
        "type": "array",
        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "minItems": 1,
        "maxItems": 9,
    }
    assert read(mapped) == ListOf(Ref("Foospecx"), "map", ("name",), 1, 9)


@pytest.mark.parametrize(
    "keyword", [{"maxLength": 63}, {"pattern": "a"}, {"format": "cidr"}, {"required": ["a"]}]
)
def test_keywords_that_do_not_fit_the_type_are_ignored(keyword: dict[str, Any]) -> None:
    assert read({"type": "array", "items": {"type": "string"}, **keyword}) == ListOf(
        Scalar("string")
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "additionalProperties": {"type": "string"}}, MapOf(Scalar("string"))),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, MapOf(Scalar("any"))),
        ({"type": "object", "additionalProperties": True}, MapOf(Scalar("any"))),
        ({"type": "object"}, Ref("Foospecx")),
        ({"type": "object", "properties": {}}, Ref("Foospecx")),
        ({"properties": {"a": {"type": "string"}}}, Ref("Foospecx")),
        (
            {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "x-kubernetes-preserve-unknown-fields": True,
            },
            MapOf(Scalar("string")),
        ),
        (
            {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
            },
            Ref("EmbeddedResource", "opgen.meta"),
        ),
    ],
)
def test_objects(schema: Any, expected: Type) -> None:
    assert read(schema) == expected


def test_junctors_become_rules_without_prose() -> None:
    schema = {
        "oneOf": [{"required": ["a"], "description": "no"}, {"not": {"required": ["b"]}}],
        "anyOf": None,
        "allOf": [{"properties": {"description": {"enum": ["x"]}}}],
    }
    assert rules_of(schema) == {
        "oneOf": [{"required": ["a"]}, {"not": {"required": ["b"]}}],
        "allOf": [{"properties": {"description": {"enum": ["x"]}}}],
    }


def test_cel_rules_keep_their_order_and_place() -> None:
    schema = {
        "x-kubernetes-validations": [
            {"rule": "self.x > 1", "message": "too small"},
            {"rule": "self == oldSelf", "reason": "FieldValueForbidden", "optionalOldSelf": True},
            {"message": "no rule"},
            "nonsense",
        ]
    }
    assert validations_of(schema, "x") == (
        Rule("self.x > 1", "too small", field="x"),
        Rule("self == oldSelf", reason="FieldValueForbidden", optional_old_self=True, field="x"),
    )


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "string", "default": "a"}, Default("a")),
        ({"type": "boolean", "default": False}, Default(False)),
        ({"type": "integer", "default": 0}, Default(0)),
        ({"type": "object", "default": {}}, Default({})),
        ({"type": "array", "items": {"type": "string"}, "default": ["a"]}, Default(["a"])),
        ({"type": "integer", "default": "1"}, None),
        ({"type": "boolean", "default": 1}, None),
        ({"type": "string", "enum": ["a"], "default": "b"}, None),
        ({"type": "string", "default": None}, None),
        ({"type": "string"}, None),
    ],
)
def test_default_is_taken_if_its_type_can_hold_it(schema: Any, default: Default | None) -> None:
    assert default_of(schema, read(schema)) == default
