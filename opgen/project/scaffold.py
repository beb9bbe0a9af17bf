"""What is written once and is the user's then: whole projects by cookiecutter, controllers by template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from opgen import DATA
from opgen.emit.format import format_module
from opgen.emit.outputs import Rendered
from opgen.emit.render import render
from opgen.errors import ConfigError, Location, ProjectError
from opgen.ir import naming
from opgen.ir.types import Kind, ListOf, Ref
from opgen.project.sample import sample
from opgen.project.yamltext import dump_yaml

__all__ = ["controller_files", "make_project", "template_settings"]

Template = Literal["operator", "types"]


def template_settings(template: Template) -> dict[str, Any]:
    """Return the settings that a project template asks for, with their defaults."""
    text = (DATA / "templates" / "projects" / template / "cookiecutter.json").read_text("utf-8")
    return {key: value for key, value in json.loads(text).items() if not key.startswith("_")}


def make_project(template: Template, folder: Path, settings: Mapping[str, str]) -> Path:
    """Make a project in `folder`, which must be empty or not there yet; return it.

    Raises ProjectError (OPG307) if something is there; ConfigError (OPG005) for settings the template doesn't have, or
    a package name that Python doesn't take.
    """
    known = template_settings(template)
    for key in settings:
        if key not in known:
            raise ConfigError(
                "OPG005",
                f'the template has no setting "{key}"',
                hint=f"settings: {', '.join(sorted(known))}",
            )
    slug = folder.name.lower().replace("_", "-").replace(" ", "-")
    merged = {
        "project_name": folder.name,
        "project_slug": folder.name,
        "package": slug.replace("-", "_"),
        **settings,
    }
    if not merged["package"].isidentifier():
        raise ConfigError(
            "OPG005",
            f'"{merged["package"]}" is no name of a Python package',
            hint="set one: --set package=my_operator",
        )
    if folder.exists() and any(folder.iterdir()):
        raise ProjectError(
            "OPG307",
            f'"{folder.name}" exists and is not empty',
            location=Location(str(folder)),
            hint="name a new folder",
        )
    from cookiecutter.exceptions import CookiecutterException
    from cookiecutter.main import cookiecutter

    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.rmdir()
    try:
        cookiecutter(
            str(DATA / "templates" / "projects" / template),
            no_input=True,
            output_dir=str(folder.parent),
            extra_context={**merged, "project_slug": folder.name},
        )
    except (CookiecutterException, OSError) as error:
        raise ProjectError(
            "OPG305", f"can't make the project: {error}", location=Location(str(folder))
        ) from None
    return folder


def controller_files(kind: Kind, package: str, *, finalizer: bool = False) -> tuple[Rendered, ...]:
    """Return the files of a controller for a kind: reconciler, desired children, tests, a sample; all scaffolds."""
    folders = (naming.group_package(kind.group), naming.version_package(kind.version))
    context = {
        "kind": kind.kind,
        "name": kind.name,
        "module": kind.module,
        "package": package,
        "api": ".".join((package, "api", *folders)),
        "namespaced": kind.scope == "Namespaced",
        "conditions": _has_conditions(kind),
        "finalizer": finalizer,
    }
    made = {
        f"{package}/controllers/{kind.module}.py": "controllers/kind.py.jinja",
        f"{package}/controllers/{kind.module}_desired.py": "controllers/kind_desired.py.jinja",
        f"tests/test_{kind.module}_controller.py": "tests/test_kind_controller.py.jinja",
    }
    out = [
        Rendered(
            PurePosixPath(path), format_module(render(template, **context)), "scaffold", kind.source
        )
        for path, template in made.items()
    ]
    text = dump_yaml(sample(kind))
    out.append(
        Rendered(PurePosixPath(f"config/samples/{kind.module}.yaml"), text, "scaffold", kind.source)
    )
    return tuple(out)


def _has_conditions(kind: Kind) -> bool:
    """Return whether a kind has a status subresource with a list of conditions."""
    objects = {item.name: item for item in kind.objects}

    def fields(name: str) -> dict[str, Any]:
        item = objects[name]
        item = objects.get(item.same_as, item)
        return {field.wire: field.type for field in item.fields}

    status = fields(kind.name).get("status")
    if not kind.has_status or not isinstance(status, Ref) or status.module:
        return False
    conditions = fields(status.name).get("conditions")
    if (
        not isinstance(conditions, ListOf)
        or not isinstance(conditions.item, Ref)
        or conditions.item.module
    ):
        return False
    return {"type", "status"} <= fields(conditions.item.name).keys()
