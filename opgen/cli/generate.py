"""`opgen generate`: rewrite generated files, prune stale ones."""

from __future__ import annotations

import sys
import time
from pathlib import Path, PurePosixPath

import click

from opgen.cli.ui import Ui, as_json
from opgen.config import FILE_NAME, find_project, read_config
from opgen.errors import ConfigError, OpgenError
from opgen.project.apply import apply, recover
from opgen.project.deploy import Surroundings
from opgen.project.generate import Request, generate
from opgen.project.plan import Plan

__all__ = ["command", "project_request"]


@click.command("generate")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.option(
    "-o", "--output", metavar="DIR", help="Write a types package there; needs no project."
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if something would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print the changes.")
@click.option("--dry-run", is_flag=True, help="Write nothing; list the changes.")
@click.option("--force", is_flag=True, help="Overwrite generated files that were changed by hand.")
@click.option("--strict", is_flag=True, help="Refuse schemas that are not structural.")
@click.option("--watch", is_flag=True, help="Stay, and generate again when an input changes.")
@click.pass_obj
def command(
    ui: Ui,
    inputs: tuple[str, ...],
    output: str | None,
    check: bool,
    diff: bool,
    dry_run: bool,
    force: bool,
    strict: bool,
    watch: bool,
) -> int:
    """Generate typed Python from CRDs.

    INPUT is a file, a folder, an http(s) URL or - for standard input. In a project (opgen.toml here or above) the
    inputs are those it names; with -o a types package is made of the given ones, with no project at all.
    """
    request = _request(ui, inputs, output, force, strict)
    if watch:
        if check or diff or dry_run or "-" in request.inputs:
            raise click.UsageError("--watch writes, and can't watch standard input.")
        return _watch(ui, request)
    return _once(ui, request, check=check, diff=diff, dry=dry_run)


def _request(
    ui: Ui, inputs: tuple[str, ...], output: str | None, force: bool, strict: bool
) -> Request:
    if output is not None:
        if not inputs:
            raise click.UsageError("-o needs an INPUT: a file, a folder, a URL or -.")
        root = (ui.cwd / output).resolve()
        if not root.name.isidentifier():
            raise ConfigError(
                "OPG003",
                f'"{root.name}" is no name of a Python package',
                hint=f'use letters, digits and "_", such as "{_identifier(root.name)}"',
            )
        if root.name in sys.stdlib_module_names:
            raise ConfigError(
                "OPG003",
                f'a package named "{root.name}" would stand in the way of Python\'s own module',
                hint=f'name it otherwise, such as "{root.name}_api"',
            )
        return Request(root, inputs, force=force, strict=strict)
    project = find_project(ui.cwd)
    if project is None:
        raise ConfigError(
            "OPG003",
            f'there is no {FILE_NAME} in "{ui.cwd.name}" or above, and no -o',
            hint="make a types package with `opgen generate crds/ -o mytypes`, or a project with `opgen init`",
        )
    if inputs:
        raise click.UsageError(
            f"inputs are set by {FILE_NAME} here; give -o to generate others elsewhere."
        )
    return project_request(project, force=force, strict=strict)


def project_request(project: Path, *, force: bool = False, strict: bool = False) -> Request:
    """Return what to generate for the project in a folder. Raises Problems if its settings are wrong."""
    config = read_config(project)
    if config.kind == "types":
        package = PurePosixPath(config.package)
        return Request(project, config.crds, package, config.rename, strict, force)
    package = PurePosixPath(config.package, "api")
    around = Surroundings(config.package)
    return Request(project, config.crds, package, config.rename, strict, force, around)


def _identifier(name: str) -> str:
    made = "".join(char if char.isascii() and char.isalnum() else "_" for char in name)
    return made if made[:1].isalpha() else f"types_{made.strip('_')}"


def _plan(ui: Ui, request: Request) -> Plan:
    cwd = request.root if request.package.parts else ui.cwd
    plan = generate(request, cwd=cwd, stdin=sys.stdin, progress=ui.progress)
    ui.notes(plan.problems)
    return plan


def _once(
    ui: Ui, request: Request, *, check: bool = False, diff: bool = False, dry: bool = False
) -> int:
    started = time.monotonic()
    looking = check or diff or dry
    if not looking:
        recover(request.root)
    plan = _plan(ui, request)
    plan.raise_conflicts()
    if ui.json:
        ui.data(
            {
                "version": 1,
                "changes": [
                    {
                        "path": c.path,
                        "action": c.action,
                        "owner": c.owner,
                        **({"diff": c.diff()} if diff else {}),
                    }
                    for c in plan.changes
                ],
                "problems": [as_json(problem) for problem in plan.problems],
            }
        )
    elif diff:
        ui.out("".join(change.diff() for change in plan.changes))
    if looking:
        ui.changes(plan, started, future=True)
        return 1 if check and not plan.is_clean else 0
    apply(plan)
    ui.changes(plan, started, future=False)
    return 0


def _watch(ui: Ui, request: Request) -> int:
    from watchfiles import watch

    base = request.root if request.package.parts else ui.cwd
    places = [base / one for one in request.inputs if not one.startswith(("http://", "https://"))]
    folders = {place if place.is_dir() else place.parent for place in places}

    def again() -> None:
        try:
            _once(ui, request)
        except OpgenError as error:
            ui.errors(error.problems)

    again()
    ui.say(f"watching {', '.join(request.inputs)}; stop with Ctrl-C")
    for _ in watch(*folders, raise_interrupt=True):
        again()
    return 0
