"""`opgen create`: write a controller for a kind, once."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches

import click

from opgen.cli.ui import Ui
from opgen.config import FILE_NAME, find_project, read_config
from opgen.errors import ConfigError
from opgen.ir.types import Api, Kind

__all__ = ["command", "controller", "stored_kinds"]


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
    """Write the controller of KIND: reconciler, desired children and tests.

    Files that are there already stay as they are. What is generated is brought up to date in the same go, since the
    operator's role names what its controllers use.
    """
    from opgen.cli.generate import request_of
    from opgen.crd import load
    from opgen.ir.build import build
    from opgen.project.apply import apply, recover
    from opgen.project.deploy import module_names
    from opgen.project.generate import generate
    from opgen.project.scaffold import controller_files

    started = time.monotonic()
    project = find_project(ui.cwd)
    if project is None:
        raise ConfigError(
            "OPG003",
            f"there is no {FILE_NAME} here or above",
            hint="make a project with `opgen init`",
        )
    config = read_config(project)
    if config.kind != "operator":
        raise ConfigError(
            "OPG006",
            "a types library has no controllers",
            hint=f'set kind = "operator" in {FILE_NAME}',
        )
    recover(project)
    kinds = stored_kinds(build(load(config.crds, cwd=project).crds, config.rename))
    chosen = _chosen(kinds, kind)
    module = module_names(kinds)[chosen.group, chosen.kind]
    files = controller_files(chosen, config.package, module, finalizer=finalizer)
    plan = generate(replace(request_of(config), scaffolds=files), cwd=project)
    apply(plan)
    if ui.json:
        ui.plan(plan)
    ui.changes(plan, started, future=False)
    return 0


def stored_kinds(api: Api) -> list[Kind]:
    """Return each kind once: the version that is stored, else the last."""
    found: dict[tuple[str, str], Kind] = {}
    for gv in api.group_versions:
        for one in gv.kinds:
            known = found.get((one.group, one.kind))
            if known is None or not known.storage:
                found[one.group, one.kind] = one
    return list(found.values())


def _chosen(kinds: Iterable[Kind], wanted: str) -> Kind:
    """Return the kind that is meant by `Kind` or `Kind.group`, in any case."""
    names = {f"{one.kind}.{one.group}": one for one in kinds}
    found = [
        one
        for name, one in names.items()
        if wanted.casefold() in (one.kind.casefold(), name.casefold())
    ]
    if len(found) == 1:
        return found[0]
    if found:
        text = f'"{wanted}" is a kind of several groups'
        hint = f"name one: {', '.join(sorted(f'{one.kind}.{one.group}' for one in found))}"
        raise ConfigError("OPG006", text, hint=hint)
    there = sorted({one.kind for one in names.values()})
    folded = {name.casefold(): name for name in there}
    close = get_close_matches(wanted.casefold(), folded, 1)
    hint = (
        f'did you mean "{folded[close[0]]}"?'
        if close
        else f"kinds that are there: {', '.join(there)}"
    )
    raise ConfigError(
        "OPG006", f'there is no kind "{wanted}" in the CRDs of this project', hint=hint
    )
