"""The benchmarks' harness: what it reads, makes and writes. Nothing is timed here."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.inputs import Input
from benchmarks.measure import run, spread
from benchmarks.pod import pod
from benchmarks.report import section, table
from benchmarks.synth import Growth, path_of, sized, synthesise
from benchmarks.tools import Opgen, Unit, lines, module_of, split

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 3},
                "period": {"type": "string", "pattern": "^[0-9]+m$"},
                "odd": {"type": "string", "pattern": "^no candidate is like this$"},
                "mode": {"type": "string", "enum": ["Fast", "Slow"]},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "nodes": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": {"type": "string"},
                            "port": {"x-kubernetes-int-or-string": True},
                        },
                    },
                },
            },
        },
    },
}
HEAD = {"apiVersion": "bench.example.com/v1", "kind": "Track", "metadata": {"name": "a"}}


@pytest.fixture
def crd(tmp_path: Path) -> Input:
    document = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tracks.bench.example.com"},
        "spec": {
            "group": "bench.example.com",
            "scope": "Namespaced",
            "names": {
                "kind": "Track",
                "plural": "tracks",
                "singular": "track",
                "listKind": "TrackList",
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": SCHEMA},
                }
            ],
        },
    }
    path = tmp_path / "tracks.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return Input(path, "tracks")


def test_an_object_follows_its_schema() -> None:
    spec = synthesise(SCHEMA, Growth(items=3))["spec"]
    assert spec["size"] >= 3
    assert re.fullmatch("[0-9]+m", spec["period"])
    assert spec["mode"] == "Fast"
    assert len({node["name"] for node in spec["nodes"]}) == 3


def test_what_no_candidate_fits_and_what_is_skipped_is_left_out() -> None:
    assert "odd" not in synthesise(SCHEMA, Growth())["spec"]
    skip = frozenset({("spec", "nodes", "[]", "port")})
    assert synthesise(SCHEMA, Growth(), skip)["spec"]["nodes"] == [{"name": "a-name-0"}]


def test_a_place_in_an_error_is_found_in_the_schema() -> None:
    assert path_of(SCHEMA, ["spec", "nodes", 4, "port", "int"]) == ("spec", "nodes", "[]", "port")
    assert path_of(SCHEMA, ["spec", "labels", "any-key"]) == ("spec", "labels", "{}")


@pytest.mark.parametrize("target", [2_000, 40_000])
def test_objects_and_pods_come_near_the_size_asked_for(target: int) -> None:
    made = len(json.dumps(sized(SCHEMA, target, frozenset(), HEAD)))
    assert made == pytest.approx(target, rel=0.3)
    assert len(json.dumps(pod(20 * target))) == pytest.approx(20 * target, rel=0.1)


def test_an_object_starts_with_its_head() -> None:
    made = sized(SCHEMA, 2_000, frozenset(), HEAD)
    assert list(made)[:3] == ["apiVersion", "kind", "metadata"]
    assert made["metadata"] == {"name": "a"}


def test_a_section_replaces_only_itself() -> None:
    first = section("", "models", "## Models\n\nold")
    both = section(first, "generate", "## Generating\n\nkept")
    again = section(both, "models", "## Models\n\nnew")
    assert "old" not in again
    assert again.index("## Generating\n\nkept") < again.index("## Models\n\nnew")
    assert section(again, "models", "## Models\n\nnew") == again


def test_a_table_has_a_rule_below_its_head_and_escapes_bars() -> None:
    assert table(["a", "b"], [["x|y", "1"]]).splitlines() == [
        "| a | b |",
        "|---|---:|",
        "| x/y | 1 |",
    ]


def test_a_spread_shows_median_least_and_most() -> None:
    assert spread([3.0, 1.0, 2.0]).show("{:.1f}".format) == "2.0 (1.0-3.0)"


def test_a_failing_command_says_why() -> None:
    done = run([sys.executable, "-c", "import sys; sys.exit('the reason')"])
    assert not done.ok
    assert done.why == "the reason"


def test_schemas_are_split_by_version(crd: Input, tmp_path: Path) -> None:
    units = split([crd], tmp_path / "schemas")["tracks"]
    assert [(unit.group, unit.version, unit.kind) for unit in units] == [
        ("bench.example.com", "v1", "Track")
    ]
    assert json.loads(Path(units[0].file).read_text(encoding="utf-8")) == SCHEMA


def test_the_module_of_a_version_is_found(tmp_path: Path) -> None:
    for version in ("v1", "v1beta1"):
        folder = tmp_path / "made" / version
        folder.mkdir(parents=True)
        (folder / "track.py").write_text("class Track(Object):\n    pass\n", encoding="utf-8")
    unit = Unit("", "bench.example.com", "v1beta1", "Track", served=True)
    assert module_of(tmp_path, unit) == "made.v1beta1.track"
    assert lines(tmp_path) == 4


def test_generated_models_take_the_objects_made_for_them(crd: Input, tmp_path: Path) -> None:
    unit = Unit("", "bench.example.com", "v1", "Track", served=True)
    done = Opgen().generate(crd, [unit], tmp_path)
    assert done.ok, done.err
    module = module_of(tmp_path, unit)
    assert module
    model = {"folder": str(tmp_path), "module": module, "kind": "Track"}
    task = {
        "crd": str(crd.path),
        "version": "v1",
        "sizes": [2_000],
        "models": [model],
        "out": str(tmp_path),
    }
    worker = run([sys.executable, "-m", "benchmarks.workers.objects", json.dumps(task)])
    assert worker.ok, worker.err
    found = json.loads(worker.out)
    assert found["skipped"] == []
    assert [Path(one["file"]).name for one in found["objects"]] == ["track-2000.json"]
