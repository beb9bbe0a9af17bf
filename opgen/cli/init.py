"""`opgen init`: start a project, in one go or not at all."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

import click

from opgen.cli.create import stored_kinds
from opgen.cli.ui import Ui
from opgen.config import FILE_NAME, Config, parse_config
from opgen.errors import ConfigError, Location, Problem, Problems, ProjectError

if TYPE_CHECKING:
    from opgen.crd.sources import Text
    from opgen.emit.outputs import Rendered
    from opgen.project.plan import Plan

__all__ = ["command"]

_ASKED = ("package", "description", "image")
_WELCOME = re.compile(r"\..*|README.*|LICENSE.*|COPYING.*|NOTICE.*|CODEOWNERS|crds", re.IGNORECASE)
"""What a folder may hold before it becomes a project: what a new repository has, and the CRDs."""


@click.command("init")
@click.argument("directory", metavar="[DIR]", default=".")
@click.option(
    "--template",
    type=click.Choice(["operator", "types"]),
    default="operator",
    show_default=True,
    help="An operator, or a library of types.",
)
@click.option(
    "--crd",
    "crds",
    multiple=True,
    metavar="FILE",
    help="Copy a CRD into the project; a file, a folder, a URL or -, may be repeated.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set what the template asks for; may be repeated.",
)
@click.option("--defaults", is_flag=True, help="Ask nothing.")
@click.pass_obj
def command(
    ui: Ui,
    directory: str,
    template: Literal["operator", "types"],
    crds: tuple[str, ...],
    settings: tuple[str, ...],
    defaults: bool,
) -> int:
    """Make a project in DIR, here if none is given.

    With --crd the types are generated at once, and for an operator a controller of each kind is written. Without
    --defaults, and on a terminal, the settings of the template are asked for. Files that are there stay.
    """
    from opgen.project.apply import apply
    from opgen.project.scaffold import project_files

    started = time.monotonic()
    folder = (ui.cwd / directory).resolve()
    _check_folder(folder, directory)
    values = dict(_pair(one) for one in settings)
    if not defaults and sys.stdin.isatty() and not ui.quiet:
        _ask(template, values)
    files = project_files(template, folder.name, values)
    texts = _texts(ui, crds)
    plan = _plan(ui, folder, files, texts, _config(files, folder))
    apply(plan)
    _report(ui, plan, directory, started, bool(texts))
    return 0


def _check_folder(folder: Path, given: str) -> None:
    try:
        there = sorted(item.name for item in folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise ProjectError(
            "OPG307", f'"{given}" can\'t be a project: {error.strerror}', location=Location(given)
        ) from None
    if FILE_NAME in there:
        text, hint = f'"{given}" is a project already', "bring it up to date with `opgen generate`"
    elif odd := [name for name in there if not _WELCOME.fullmatch(name)]:
        text = f'"{given}" holds other things, such as "{odd[0]}"'
        hint = "name a new folder, or one with nothing but a repository's first files"
    else:
        return
    raise ProjectError("OPG307", text, location=Location(given), hint=hint)


def _pair(given: str) -> tuple[str, str]:
    key, separator, value = given.partition("=")
    if not separator:
        raise click.UsageError(f"--set takes KEY=VALUE, got '{given}'.")
    return key.strip(), value


def _ask(template: Literal["operator", "types"], values: dict[str, str]) -> None:
    """Ask for what the template leaves open; an empty answer takes the default."""
    from opgen.project.scaffold import template_settings

    for key, default in template_settings(template).items():
        if key in _ASKED and key not in values:
            shown = default if "{{" not in default else ""
            answer = click.prompt(f"{key} (--set {key}=…)", default=shown, err=True)
            if answer:
                values[key] = answer


def _texts(ui: Ui, crds: Sequence[str]) -> list[Text]:
    """Return the texts of the CRDs under the names that they will have in the project."""
    from opgen.crd.load import load_texts
    from opgen.crd.sources import Text, read_inputs

    problems: list[Problem] = []
    given = list(read_inputs(crds, ui.cwd, sys.stdin, problems))
    if problems:
        raise Problems(problems)
    load_texts(given)  # what is wrong is told by the names that the user gave
    named: dict[str, Text] = {}
    for text in given:
        name = re.split(r"[/\\?#]", text.name.split("?")[0].rstrip("/"))[-1] or "crd"
        name = re.sub(r"[^A-Za-z0-9._-]", "_", "crds" if name == "-" else name).lstrip(".") or "crd"
        if not name.endswith((".json", ".yaml", ".yml")):
            name += ".yaml"
        if name in named:
            raise ConfigError(
                "OPG007",
                f'two CRD files would both be "crds/{name}"',
                location=Location(text.name),
                hint="rename one",
            )
        named[name] = Text(f"crds/{name}", text.text)
    return [named[name] for name in sorted(named)]


def _config(files: Sequence[Rendered], folder: Path) -> Config:
    (text,) = (one.text for one in files if str(one.path) == FILE_NAME)
    return parse_config(text, folder)


def _plan(
    ui: Ui, folder: Path, files: Sequence[Rendered], texts: Sequence[Text], config: Config
) -> Plan:
    """Return the plan of everything: template, CRDs, what is generated from them, controllers."""
    from opgen.cli.generate import request_of
    from opgen.crd.load import load_texts
    from opgen.emit.outputs import Rendered
    from opgen.ir.build import build
    from opgen.project.deploy import module_names
    from opgen.project.generate import generate
    from opgen.project.manifest import read_manifest
    from opgen.project.plan import plan
    from opgen.project.scaffold import controller_files

    if not texts:
        old = read_manifest(folder)
        return plan(files, folder, old, version=old.version, settings=old.settings, prune=False)
    scaffolds = [one for one in files if one.path != PurePosixPath("crds/.gitkeep")]
    scaffolds += [Rendered(PurePosixPath(t.name), t.text, "scaffold", t.name) for t in texts]
    if config.kind == "operator":
        kinds = stored_kinds(build(load_texts(texts).crds, config.rename))
        modules = module_names(kinds)
        for kind in kinds:
            module = modules[kind.group, kind.kind]
            scaffolds += controller_files(kind, config.package, module)
    made = generate(
        replace(request_of(config), scaffolds=tuple(scaffolds)),
        cwd=folder,
        progress=ui.progress,
        texts=texts,
    )
    ui.notes(made.problems)
    return made


def _report(ui: Ui, plan: Plan, directory: str, started: float, generated: bool) -> None:
    if ui.json:
        ui.plan(plan)
    created = plan.of("create")
    for change in created:
        ui.verb("create", change.path)
    ours = sum(change.owner == "generated" for change in created)
    ui.say(
        f"created {len(created)} files in {directory} ({ours} generated, {len(created) - ours} yours)"
        f" in {time.monotonic() - started:.2f}s"
    )
    there = "" if directory == "." else f"cd {directory} && "
    ui.say(
        f"next: {there}make test"
        if generated
        else f"next: {there}put CRDs into crds/ and run `opgen generate`"
    )
