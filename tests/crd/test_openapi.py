"""OpenAPI documents of a group version among the inputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opgen.crd.load import load_texts
from opgen.crd.sources import Text
from opgen.errors import Problems
from tests.crd.crds import codes, problems_of

GVK = "x-kubernetes-group-version-kind"


def document(paths: Any = None, schemas: Any = None, **more: Any) -> dict[str, Any]:
    schemas = {"com.example.v1.Teapot": {"type": "object"}} if schemas is None else schemas
    return {
        "openapi": "3.0.0",
        "info": {},
        "paths": paths or {},
        "components": {"schemas": schemas},
        **more,
    }


def found(value: dict[str, Any], name: str = "a.json") -> list[tuple[str, str]]:
    return [
        (one.group, one.version) for one in load_texts([Text(name, json.dumps(value))]).documents
    ]


def kind(group: str, version: str, *more: dict[str, str]) -> dict[str, Any]:
    return {"type": "object", GVK: [{"group": group, "version": version, "kind": "X"}, *more]}


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        (document({"/apis/apps/v1/": {}, "/apis/apps/v1/x": {}}), "a.json", ("apps", "v1")),
        (document({"/api/v1/pods": {}, "/api/v1/": {}}), "a.json", ("", "v1")),
        (document({"/apis/example.com/v1alpha1/x": {"get": {GVK: {"group": "other.io", "version": "v9"}}}}), "a.json",
         ("example.com", "v1alpha1")),
        (document({"/proxied": {"get": {GVK: {"group": "example.com", "version": "v1"}}, "parameters": []}}), "a.json",
         ("example.com", "v1")),
        (document({}, {"A": kind("example.com", "v1"), "B": kind("", "v1", {"group": "x", "version": "v1"})}), "a.json",
         ("example.com", "v1")),
        (document(), "dir/apis_apps_v1.json", ("apps", "v1")),
        (document(), "dir/apis__apps__v1_openapi.json", ("apps", "v1")),
        (document(), "api_v1.json", ("", "v1")),
        (document(), "api__v1_openapi.json", ("", "v1")),
        (document(), "x/apis_cert-manager.io_v1.yaml", ("cert-manager.io", "v1")),
        (document({"/apis/../v1": {}, "/apis/apps/v1": {}}), "a.json", ("apps", "v1")),
    ],
)  # fmt: skip
def test_the_group_and_version_are_found(
    value: dict[str, Any], name: str, expected: tuple[str, str]
) -> None:
    assert found(value, name) == [expected]


def test_yaml_is_taken_too() -> None:
    text = "openapi: 3.0.0\npaths: {/api/v1/: {}}\ncomponents: {schemas: {A: {type: object}}}\n"
    (one,) = load_texts([Text("a.yaml", text)]).documents
    assert (one.source, one.group, one.version) == ("a.yaml", "", "v1")
    assert one.raw["components"]["schemas"] == {"A": {"type": "object"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            document(),
            "OPG114: this OpenAPI document is not of one group and version, expected paths below /apis/GROUP/VERSION",
        ),
        (
            document({"/apis/../v1/": {}}),
            "OPG114: this OpenAPI document is not of one group and version",
        ),
        ({"openapi": "2.0", "components": {}}, 'OPG114: OpenAPI "2.0" is not known, expected 3'),
        (
            {"swagger": "2.0", "definitions": {}},
            "OPG114: this is a Swagger 2 document, expected OpenAPI v3",
        ),
        (document({"/api/v1/": {}}, {"A": 5}), 'OPG114: the schema "A" is no mapping'),
    ],
)
def test_what_is_none_of_a_group_version_is_an_error(value: dict[str, Any], expected: str) -> None:
    with pytest.raises(Problems) as caught:
        load_texts([Text("a.json", json.dumps(value))])
    assert str(caught.value.problem).startswith(f"a.json:1: {expected}")


@pytest.mark.parametrize(
    "value",
    [
        document(schemas={}),
        {"openapi": "3.0.0"},
        {"openapi": "3.0.0", "components": []},
        document(schemas=[1]),
    ],
)
def test_one_without_schemas_is_skipped_with_a_note(value: dict[str, Any]) -> None:
    assert codes(problems_of(json.dumps(value))) == [("OPG130", "note")]


@pytest.mark.parametrize(
    "value", [{"openapi": 3, "kind": "X"}, {"swagger": "2.0"}, {"paths": {"api/v1": {}}}]
)
def test_what_only_looks_like_one_is_skipped_like_the_rest(value: dict[str, Any]) -> None:
    assert codes(problems_of(json.dumps(value))) == [("OPG130", "note")]


def test_odd_members_are_no_reason_to_fail() -> None:
    value = document(
        {"/apis": 5, "/apis/example.com/v1": [], "": None, "/x": {"get": 5, "put": {GVK: 5}}}
    )
    assert found(value) == [("example.com", "v1")]
    assert found(
        document({"/x": {"get": {GVK: [5, {"group": 1}]}}}, {"A": kind("example.com", "v1")})
    ) == [("example.com", "v1")]
