from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opgen.crd import load
from opgen.ir.build import build
from opgen.project.sample import sample
from tests.cli.runner import crd


def sample_of(spec: dict[str, Any], folder: Path) -> dict[str, Any]:
    text = crd().replace(
        "                size: {type: integer, minimum: 1, description: How many.}",
        f"                size: {json.dumps(spec)}",
    )
    (folder / "x.yaml").write_text(text, "utf-8")
    kind = build(load(["x.yaml"], cwd=folder).crds).group_versions[0].kinds[0]
    return sample(kind)


def test_a_sample_has_what_is_required_and_no_more(tmp_path: Path) -> None:
    assert sample_of({"type": "integer", "minimum": 1}, tmp_path) == {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "widget-sample"},
        "spec": {"size": 1},
    }


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "integer", "maximum": 0}, 0),
        ({"type": "integer", "minimum": 3, "multipleOf": 5}, 5),
        ({"type": "string", "enum": ["b", "a"]}, "b"),
        ({"type": "string", "minLength": 20}, "example" * 3),
        ({"type": "string", "pattern": "^v[0-9]+$"}, "v1"),
        ({"type": "string", "format": "ipv4"}, "10.0.0.1"),
        ({"type": "boolean"}, True),
        ({"type": "array", "minItems": 2, "items": {"type": "string"}}, ["example", "example"]),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {}),
        (
            {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
            {"example-0": "example"},
        ),
        (
            {
                "anyOf": [{"type": "integer"}, {"type": "string"}],
                "x-kubernetes-int-or-string": True,
            },
            None,
        ),
    ],
)
def test_a_value_is_what_its_schema_takes(
    schema: dict[str, Any], value: Any, tmp_path: Path
) -> None:
    found = sample_of(schema, tmp_path)["spec"]["size"]
    if value is None:
        assert isinstance(found, int | str)
    else:
        assert found == value
