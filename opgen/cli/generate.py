"""`opgen generate`: rewrite generated files, prune stale ones."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import click

from opgen.cli.ui import Ui
from opgen.config import FILE_NAME, Config, find_project, is_package_name, read_config
from opgen.errors import ConfigError, OpgenError, Problem
from opgen.project.apply import apply, recover
from opgen.project.deploy import Surroundings
from opgen.project.generate import Request, generate
from opgen.project.paths import FOLDER
from opgen.project.plan import Plan, is_generated

__all__ = ["command", "project_request", "request_of"]


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
        return _watch(ui, lambda: _request(ui, inputs, output, force, strict))
    return _once(ui, request, check=check, diff=diff, dry=dry_run)


def _request(
    ui: Ui, inputs: tuple[str, ...], output: str | None, force: bool, strict: bool
) -> Request:
    if output is not None:
        if not inputs:
            raise click.UsageError("-o needs an INPUT: a file, a folder, a URL or -.")
        root = (ui.cwd / output).resolve()
        if not is_package_name(root.name):
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
    return request_of(read_config(project), force=force, strict=strict)


def request_of(config: Config, *, force: bool = False, strict: bool = False) -> Request:
    """Return what to generate by the settings of a project."""
    types = config.kind == "types"
    return Request(
        config.root,
        config.crds,
        PurePosixPath(config.package) if types else PurePosixPath(config.package, "api"),
        config.rename,
        strict,
        force,
        None if types else Surroundings(config.package),
    )


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
    recover(request.root)  # what a killed run had decided is done, also before looking
    plan = _plan(ui, request)
    plan.raise_conflicts()
    if not looking:
        apply(plan)
    if ui.json:
        ui.plan(plan, diff=diff)
    elif diff:
        ui.out(plan.diff())
    ui.changes(plan, started, future=looking)
    return 1 if check and not plan.is_clean else 0


def _watch(ui: Ui, make: Callable[[], Request]) -> int:
    """Generate, and again after each change of an input, of the settings or of the operator's code.

    Each run is made while a watcher is at work, so that no change falls between two of them. After a change the
    watcher is made anew: editors replace files, and a watcher stays with the old one.
    """
    from watchfiles import watch

    last: list[Problem] | None = []

    def run() -> tuple[frozenset[Path], Callable[[object, str], bool]]:
        nonlocal last
        request = None
        try:
            request = make()
            recover(request.root)
            started = time.monotonic()
            plan = _plan(ui, request)
            apply(plan)
            if not plan.is_clean or last is not None:
                ui.changes(plan, started, future=False)
                ui.say("watching; stop with Ctrl-C")
            last = None
        except OpgenError as error:
            if last != list(error.problems):
                ui.errors(error.problems)
            last = list(error.problems)
        return _watched(ui, request)

    places, matters = _watched(ui, None)
    while True:
        ran = False
        for changes in watch(
            *places,
            watch_filter=matters,
            rust_timeout=100,
            yield_on_timeout=True,
            raise_interrupt=True,
        ):
            if changes or not ran:
                known = places
                places, matters = run()
                if changes or places != known:
                    break
                ran = True


def _watched(
    ui: Ui, request: Request | None
) -> tuple[frozenset[Path], Callable[[object, str], bool]]:
    """Return the files and folders whose change means work, and what tells such a change.

    Of a place that is gone the nearest folder above is watched, until it comes back.
    """
    wanted = set()
    project = find_project(ui.cwd)
    if project is not None:
        wanted.add(project / FILE_NAME)
    if request is not None:
        base = request.root if request.package.parts else ui.cwd
        wanted |= {base / one for one in request.inputs if "://" not in one}
        if request.surroundings:
            wanted.add(request.root / request.surroundings.package)
    places = set()
    for place in wanted or {ui.cwd}:
        while not place.exists():
            place = place.parent
        places.add(place.resolve())
    known = frozenset(places)

    def matters(_change: object, path: str) -> bool:
        changed = Path(path)
        return (
            changed.suffix in (".json", ".py", ".toml", ".yaml", ".yml")
            and FOLDER not in changed.parts
            and any(changed == place or changed.is_relative_to(place) for place in known)
            and not (changed.suffix == ".py" and is_generated(changed))
        )

    return known, matters
