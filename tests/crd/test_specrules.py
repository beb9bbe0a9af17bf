"""What the API server asks of a CRD outside of its schemas."""

from __future__ import annotations

from typing import Any

import pytest

from tests.crd.crds import TEXT, faults, problems_of

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "l": {"type": "array", "items": {"type": "string"}},
                **{f"f{i}": {"type": "integer"} for i in range(9)},
            },
        }
    },
}


def said(version: dict[str, Any]) -> list[str]:
    return [one.removeprefix("OPG137 warning ") for one in faults(SCHEMA, version=version)]


def column(**changed: Any) -> dict[str, Any]:
    return {
        "additionalPrinterColumns": [
            {"name": "A", "type": "string", "jsonPath": ".spec.a", **changed}
        ]
    }


def scale(**changed: Any) -> dict[str, Any]:
    paths = {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a", **changed}
    return {"subresources": {"scale": paths}}


@pytest.mark.parametrize(
    "version",
    [
        {},
        column(),
        column(format="date-time", type="date"),
        scale(),
        scale(labelSelectorPath=".status.s"),
        scale(labelSelectorPath=""),
        {"selectableFields": [{"jsonPath": ".spec.a"}, {"jsonPath": ".spec.f1"}]},
        {"deprecated": True, "deprecationWarning": "use v2"},
    ],
)
def test_what_is_right_is_not_told(version: dict[str, Any]) -> None:
    assert said(version) == []


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (
            {"deprecationWarning": "x"},
            'the version "v1" has a deprecationWarning, expected deprecated: true with it',
        ),
        (
            {"deprecated": True, "deprecationWarning": "a\nb"},
            "deprecationWarning is not one printable line, expected 1 to 256 bytes",
        ),
        (
            {"deprecated": True, "deprecationWarning": "x" * 257},
            "deprecationWarning is not one printable line, expected 1 to 256 bytes",
        ),
        (column(name=""), '"name" of a printer column is empty, expected a string'),
        (
            column(type="text"),
            '"type" of a printer column is "text", expected "boolean" or "date" or "integer" or "number" or "string"',
        ),
        (
            column(format="money"),
            '"format" of a printer column is "money", expected "byte" or "date" or "date-time" or "double" or'
            ' "float" or "int32" or "int64" or "password"',
        ),
        (
            column(jsonPath="spec.a"),
            '"jsonPath" of a printer column is "spec.a", expected a path such as ".spec.replicas"',
        ),
        ({"additionalPrinterColumns": [5]}, "a printer column is 5, expected a mapping"),
        (
            scale(specReplicasPath=".replicas"),
            '"specReplicasPath" is ".replicas", expected a path that starts with ".spec."',
        ),
        (
            scale(statusReplicasPath=None),
            '"statusReplicasPath" is missing, expected a path that starts with ".status."',
        ),
        (
            scale(labelSelectorPath=".x"),
            '"labelSelectorPath" is ".x", expected a path that starts with ".spec." or ".status."',
        ),
        (
            {"selectableFields": [{"jsonPath": ""}]},
            '"jsonPath" of a selectable field is empty, expected a path',
        ),
        ({"selectableFields": [5]}, '"jsonPath" of a selectable field is missing, expected a path'),
        (
            {"selectableFields": [{"jsonPath": ".spec.a"}] * 2},
            'the selectable field ".spec.a" stands twice',
        ),
        (
            {"selectableFields": [{"jsonPath": f".spec.f{i}"} for i in range(9)]},
            "there are 9 selectable fields, expected at most 8",
        ),
        *[
            (
                {"selectableFields": [{"jsonPath": path}]},
                f'the selectable field "{path}" is none, expected the path of a string, boolean or integer'
                " of the schema, not in lists or metadata",
            )
            for path in (
                ".spec",
                ".spec.zz",
                ".spec.a[0]",
                ".spec.l",
                ".metadata.name",
                "spec.a",
                ".",
                ".spec.a.b",
            )
        ],
    ],
)
def test_what_the_server_refuses_is_told(version: dict[str, Any], expected: str) -> None:
    assert said(version) == [expected]


def test_the_place_is_told() -> None:
    text = TEXT.replace(
        "      served: true\n",
        "      served: true\n      additionalPrinterColumns:\n        - name: A\n          type: x\n",
    )
    assert [str(one).split(": ")[0] for one in problems_of(text)] == [
        "a.yaml:15:11",
        "a.yaml:16:11",
    ]
