"""Projects by cookiecutter, through opgen and through cookiecutter itself, from the root and from each template."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cookiecutter.main import cookiecutter

import opgen
from opgen.config import read_config
from opgen.errors import OpgenError
from opgen.project.scaffold import Template, project_files, template_settings
from tests.project.files import tree


def bake(folder: Path, **options: Any) -> Path:
    """Run cookiecutter as its command line does, without a question and without the user's settings."""
    config = folder / "config.json"
    places = {"cookiecutters_dir": str(folder / "cloned"), "replay_dir": str(folder / "replay")}
    config.write_text(json.dumps(places), "utf-8")
    out = folder / "out"
    made = cookiecutter(
        str(opgen.DATA), no_input=True, output_dir=str(out), config_file=str(config), **options
    )
    return Path(made)


def test_the_repository_is_a_template_whose_first_choice_is_the_operator(tmp_path: Path) -> None:
    project = bake(tmp_path)
    assert project.name == "my-operator"
    assert read_config(project).kind == "operator"
    assert (project / "my_operator" / "controllers" / "__init__.py").exists()


@pytest.mark.parametrize("template", ["operator", "types"])
def test_a_template_can_be_picked_by_its_directory(template: Template, tmp_path: Path) -> None:
    directory = f"templates/projects/{template}"
    context = {"project_name": "Great Thing"}
    project = bake(tmp_path, directory=directory, extra_context=context)
    assert project.name == "great-thing"
    assert read_config(project).kind == template
    assert read_config(project).package == "great_thing"


@pytest.mark.parametrize("template", ["operator", "types"])
def test_opgen_makes_what_cookiecutter_makes(template: Template, tmp_path: Path) -> None:
    directory = f"templates/projects/{template}"
    project = bake(tmp_path, directory=directory, extra_context={"project_name": "my-thing"})
    files = project_files(template, "my-thing", {})
    assert {str(one.path): one.text for one in files} == tree(project)
    assert {one.owner for one in files} == {"scaffold"}
    assert [one.path.parts for one in files] == sorted(one.path.parts for one in files)


def test_every_template_of_the_root_is_there() -> None:
    data = json.loads((opgen.DATA / "cookiecutter.json").read_text("utf-8"))
    for one in data["templates"].values():
        assert (opgen.DATA / one["path"] / "cookiecutter.json").is_file()
        assert one["title"]
        assert one["description"]


def test_workflows_are_copied_as_they_are() -> None:
    settings = json.loads(
        (opgen.DATA / "templates/projects/operator/cookiecutter.json").read_text("utf-8")
    )
    assert settings["_copy_without_render"] == [".github/workflows/*"]


@pytest.mark.parametrize("template", ["operator", "types"])
def test_settings_are_those_of_the_template(template: Template) -> None:
    assert {"description", "package", "project_name", "project_slug"} <= set(
        template_settings(template)
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"nonsense": "x"},
        {"package": "1a"},
        {"package": "class"},
        {"package": "os"},
        {"package": "tests"},
        {"description": 'a"b'},
        {"description": "a\nb"},
        {"description": "{{ cookiecutter }}"},
        {"image": "{% raw %}"},
        {"description": "a\\b"},
    ],
)
def test_settings_that_would_break_the_files_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(OpgenError) as caught:
        project_files("operator", "my-thing", settings)
    assert caught.value.problem.code == "OPG005"


def test_a_name_that_makes_no_package_asks_for_one() -> None:
    with pytest.raises(OpgenError, match="OPG005") as caught:
        project_files("operator", "42", {})
    assert "--set package=" in str(caught.value.problem.hint)
