"""`opgen show`: the same things for people and for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.runner import crd, opgen, process, write_crds

Capsys = pytest.CaptureFixture[str]


def test_crds_are_a_line_each_and_json_in_full(tmp_path: Path, capsys: Capsys) -> None:
    write_crds(tmp_path, "Widget")
    outcome = opgen(capsys, tmp_path, "show", "crd", "widgets.yaml")
    assert outcome.out == "widgets.example.com  Widget  Namespaced  v1  widgets.yaml\n"
    data = json.loads(
        opgen(capsys, tmp_path, "--format", "json", "show", "crd", "widgets.yaml").out
    )
    assert data["version"] == 1
    assert data["crds"][0]["spec"]["names"]["kind"] == "Widget"


def test_the_api_is_what_the_generator_sees(tmp_path: Path, capsys: Capsys) -> None:
    write_crds(tmp_path, "Widget")
    text = opgen(capsys, tmp_path, "show", "api", "widgets.yaml").out
    assert "example.com/v1  Widget  Namespaced" in text
    assert "WidgetSpec.size" in text
    data = json.loads(
        opgen(capsys, tmp_path, "--format", "json", "show", "api", "widgets.yaml").out
    )
    assert data["group_versions"][0]["kinds"][0]["kind"] == "Widget"


def test_standard_input_can_be_shown(tmp_path: Path) -> None:
    assert process(tmp_path, "show", "crd", "-", text=crd()).out.endswith("  v1  -\n")


def test_plan_and_manifest_of_a_project(tmp_path: Path, capsys: Capsys) -> None:
    write_crds(tmp_path / "crds", "Widget")
    (tmp_path / "opgen.toml").write_text('package = "acme"\n', "utf-8")
    assert "create  acme/py.typed  generated\n" in opgen(capsys, tmp_path, "show", "plan").out
    assert opgen(capsys, tmp_path, "show", "manifest").out == "opgen has not run here\n"
    opgen(capsys, tmp_path, "generate")
    assert "unchanged  acme/py.typed  generated\n" in opgen(capsys, tmp_path, "show", "plan").out
    data = json.loads(opgen(capsys, tmp_path, "--format", "json", "show", "plan").out)
    assert {change["action"] for change in data["changes"]} == {"unchanged"}
    assert "  acme/py.typed\n" in opgen(capsys, tmp_path, "show", "manifest").out
    manifest = json.loads(opgen(capsys, tmp_path, "--format", "json", "show", "manifest").out)
    assert manifest["files"]["acme/py.typed"]["owner"] == "generated"
    assert manifest["inputs"].keys() == {"crds/widgets.yaml"}


def test_a_conflict_is_part_of_the_plan(tmp_path: Path, capsys: Capsys) -> None:
    write_crds(tmp_path / "crds", "Widget")
    (tmp_path / "opgen.toml").write_text('package = "acme"\n', "utf-8")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text("mine\n", "utf-8")
    assert "conflict  acme/__init__.py  generated\n" in opgen(capsys, tmp_path, "show", "plan").out


@pytest.mark.parametrize("what", ["api", "crd", "plan"])
def test_in_a_folder_of_a_project_inputs_are_those_of_the_project(
    what: str, tmp_path: Path, capsys: Capsys
) -> None:
    write_crds(tmp_path / "crds", "Widget")
    (tmp_path / "opgen.toml").write_text('package = "acme"\n', "utf-8")
    (tmp_path / "docs").mkdir()
    outcome = opgen(capsys, tmp_path / "docs", "show", what)
    assert outcome.code == 0
    assert outcome.out == opgen(capsys, tmp_path, "show", what).out


@pytest.mark.parametrize("what", ["api", "crd", "plan"])
def test_outside_of_a_project_an_input_is_asked_for(
    what: str, tmp_path: Path, capsys: Capsys
) -> None:
    outcome = opgen(capsys, tmp_path, "show", what)
    assert outcome.code == 2
    assert outcome.out == ""
