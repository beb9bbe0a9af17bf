"""`opgen create`: write a controller for a kind, once."""

from __future__ import annotations

import time
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import click

from opgen.cli.ui import Ui
from opgen.config import FILE_NAME, find_project, read_config
from opgen.errors import ConfigError
from opgen.ir.types import Kind

__all__ = ["command", "create_controllers"]


@click.group("create")
def command() -> None:
    """Write files that are yours from then on."""


@command.command("controller")
@click.argument("kind")
@click.option(
    "--finalizer/--no-finalizer",
    default=False,
    show_default=True,
    help="Clean up outside of the cluster.",
)
@click.pass_obj
def controller(ui: Ui, kind: str, finalizer: bool) -> int:
    """Write the controller of KIND: reconciler, desired children, tests and a sample."""
    project = find_project(ui.cwd)
    if project is None:
        raise ConfigError(
            "OPG003",
            f"there is no {FILE_NAME} here or above",
            hint="make a project with `opgen init`",
        )
    create_controllers(ui, project, kind, finalizer=finalizer)
    return 0


def create_controllers(
    ui: Ui, project: Path, wanted: str | None, *, finalizer: bool = False
) -> None:
    """Write the controller of a kind, of every kind if `wanted` is None. Raises ConfigError (OPG006)."""
    from opgen.crd import load
    from opgen.ir.build import build
    from opgen.project.apply import apply
    from opgen.project.manifest import read_manifest
    from opgen.project.plan import plan
    from opgen.project.scaffold import controller_files

    started = time.monotonic()
    config = read_config(project)
    if config.kind != "operator":
        raise ConfigError(
            "OPG006",
            "a types library has no controllers",
            hint='set kind = "operator" in opgen.toml',
        )
    api = build(load(config.crds, cwd=project).crds, config.rename)
    newest: dict[tuple[str, str], Kind] = {}
    for gv in api.group_versions:
        for one in gv.kinds:
            if one.storage or (one.group, one.kind) not in newest:
                newest[one.group, one.kind] = one
    chosen = [
        one for one in newest.values() if wanted is None or one.kind.lower() == wanted.lower()
    ]
    if not chosen:
        kinds = sorted(one.kind for one in newest.values())
        close = get_close_matches(wanted or "", kinds, 1)
        hint = (
            f'did you mean "{close[0]}"?' if close else f"kinds that are there: {', '.join(kinds)}"
        )
        raise ConfigError(
            "OPG006", f'there is no kind "{wanted}" in the CRDs of this project', hint=hint
        )
    files = [
        file
        for one in chosen
        for file in controller_files(one, config.package, finalizer=finalizer)
    ]
    old = read_manifest(project)
    made = plan(
        files,
        project,
        old,
        version=old.version,
        settings=old.settings,
        inputs=old.inputs,
        prune=False,
    )
    # the new code may use kinds that the operator's role has to name: the next `generate` looks again
    apply(replace(made, manifest=replace(made.manifest, settings="")))
    ui.changes(made, started, future=False)
