"""What is written once and is the user's then: whole projects by cookiecutter, controllers by template.

Both come as files in memory, so that they are written in one go with what is generated, or not at all.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from opgen import DATA
from opgen.config import is_package_name
from opgen.emit.format import format_module
from opgen.emit.outputs import Rendered
from opgen.emit.render import render
from opgen.errors import ConfigError, ProjectError
from opgen.ir import naming
from opgen.ir.types import Kind, ListOf, Ref

__all__ = ["controller_files", "project_files", "Template", "template_settings"]

Template = Literal["operator", "types"]

_ODD = re.compile(r'["\\{}\x00-\x1f\x7f]')
_TAKEN = frozenset(sys.stdlib_module_names) | {"crds", "config", "opgen", "tests"}


def template_settings(template: Template) -> dict[str, str]:
    """Return the settings that a project template asks for, with their defaults (which may be Jinja)."""
    text = (DATA / "templates" / "projects" / template / "cookiecutter.json").read_text("utf-8")
    return {key: str(value) for key, value in json.loads(text).items() if not key.startswith("_")}


def project_files(
    template: Template, name: str, settings: Mapping[str, str]
) -> tuple[Rendered, ...]:
    """Return the files of a new project called `name`, sorted by path; all scaffolds.

    Raises ConfigError OPG005 for settings that the template does not have or that would break its files, and for a
    package name that Python does not take; ProjectError OPG305 if there is no room to make them in.
    """
    merged = _settings(template, name, settings)
    from cookiecutter.exceptions import CookiecutterException
    from cookiecutter.main import cookiecutter

    with tempfile.TemporaryDirectory(prefix="opgen-") as folder:
        # a configuration of our own: the user's must not change what is made, and nothing goes to the home folder
        config = Path(folder, "config.json")
        places = {"cookiecutters_dir": f"{folder}/cloned", "replay_dir": f"{folder}/replay"}
        try:
            config.write_text(json.dumps(places), "utf-8")
            made = cookiecutter(
                str(DATA / "templates" / "projects" / template),
                no_input=True,
                output_dir=f"{folder}/out",
                config_file=str(config),
                extra_context=merged,
                accept_hooks=False,  # making files in memory runs nothing
            )
            # an installer compiles the templates' Python files, where they lie
            found = [
                path
                for path in sorted(Path(made).rglob("*"))
                if path.is_file() and "__pycache__" not in path.parts
            ]
            return tuple(
                Rendered(
                    PurePosixPath(path.relative_to(made).as_posix()),
                    path.read_text("utf-8"),
                    "scaffold",
                    f"the {template} template",
                )
                for path in found
            )
        except (CookiecutterException, OSError) as error:
            raise ProjectError("OPG305", f"can't make the project: {error}") from None


def _settings(template: Template, name: str, settings: Mapping[str, str]) -> dict[str, str]:
    known = template_settings(template)
    for key, value in settings.items():
        if key not in known:
            raise ConfigError(
                "OPG005",
                f'the template has no setting "{key}"',
                hint=f"settings: {', '.join(sorted(known))}",
            )
        if found := _ODD.search(value):
            raise ConfigError(
                "OPG005",
                f'setting "{key}" holds {found[0]!r}, expected plain text',
                hint="quotes, braces, backslashes and line ends would break the files it is put into",
            )
    slug = re.sub(r"[^a-z0-9]+", "-", settings.get("project_slug", name).lower()).strip("-")
    merged = {
        "project_name": name,
        "package": slug.replace("-", "_"),
        **settings,
        "project_slug": slug,
    }
    package = merged["package"]
    if not is_package_name(package) or package in _TAKEN:
        reason = "would hide another" if package in _TAKEN else "is no name of a Python package"
        raise ConfigError(
            "OPG005",
            f'"{package}" {reason}, expected one such as "memcached_operator"',
            hint="set one: --set package=my_operator",
        )
    return merged


def controller_files(
    kind: Kind, package: str, module: str, *, finalizer: bool = False
) -> tuple[Rendered, ...]:
    """Return the files of a controller for a kind: reconciler, desired children, tests; all scaffolds.

    `module` is what they are called, from `opgen.project.deploy.module_names`. The sample that the tests use is written
    by every run that meets a kind for the first time.
    """
    folders = (naming.group_package(kind.group), naming.version_package(kind.version))
    context = {
        "kind": kind.kind,
        "name": kind.name,
        "module": module,
        "package": package,
        "api": ".".join((package, "api", *folders)),
        "namespaced": kind.scope == "Namespaced",
        "conditions": _has_conditions(kind),
        "finalizer": finalizer,
    }
    made = {
        f"{package}/controllers/{module}.py": "controllers/kind.py.jinja",
        f"{package}/controllers/{module}_desired.py": "controllers/kind_desired.py.jinja",
        f"tests/test_{module}_controller.py": "tests/test_kind_controller.py.jinja",
    }
    return tuple(
        Rendered(
            PurePosixPath(path), format_module(render(template, **context)), "scaffold", kind.source
        )
        for path, template in made.items()
    )


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
