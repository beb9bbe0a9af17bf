"""`opgen init`: start a project."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from opgen.cli.create import create_controllers
from opgen.cli.generate import project_request
from opgen.cli.ui import Ui
from opgen.errors import ConfigError
from opgen.project.apply import apply
from opgen.project.generate import generate

__all__ = ["command"]


@click.command("init")
@click.argument("directory", metavar="DIR")
@click.option(
    "--template", type=click.Choice(["operator", "types"]), default="operator", show_default=True
)
@click.option(
    "--crd",
    "crds",
    multiple=True,
    metavar="FILE",
    help="Copy a CRD into the project; may be repeated.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Set what the template asks for."
)
@click.option("--defaults", is_flag=True, help="Ask nothing.")
@click.pass_obj
def command(
    ui: Ui,
    directory: str,
    template: str,
    crds: tuple[str, ...],
    settings: tuple[str, ...],
    defaults: bool,
) -> int:
    """Make a project in DIR, which must be empty or new.

    With --crd the types are generated at once, and for an operator a controller of each kind is written. Without
    --defaults, and on a terminal, the settings of the template are asked for.
    """
    from opgen.crd import load
    from opgen.project.scaffold import make_project, template_settings

    values: dict[str, str] = {}
    for one in settings:
        key, separator, value = one.partition("=")
        if not separator:
            raise click.UsageError(f"--set takes KEY=VALUE, got '{one}'.")
        values[key] = value
    if crds:
        load(
            crds, cwd=ui.cwd, stdin=sys.stdin
        )  # refuse what can't be generated before anything is written
    folder = (ui.cwd / directory).resolve()
    if not defaults and sys.stdin.isatty():
        for key in template_settings("types" if template == "types" else "operator"):
            if key not in values and key in ("description", "package"):
                default = folder.name.lower().replace("-", "_") if key == "package" else ""
                values[key] = click.prompt(key, default=default, err=True) or values.get(key, "")
                if not values[key]:
                    del values[key]
    make_project("types" if template == "types" else "operator", folder, values)
    _copy(ui, crds, folder)
    made = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in made:
        ui.verb("create", path.relative_to(folder).as_posix())
    if crds:
        if template == "operator":
            create_controllers(ui, folder, None)
        plan = generate(project_request(folder), cwd=folder, progress=ui.progress)
        ui.notes(plan.problems)
        apply(plan)
        for change in plan.of("create"):
            ui.verb("create", change.path)
    then = "make test" if crds else "put CRDs into crds/ and run `opgen generate`"
    ui.say(f"next: cd {directory} && {then}" if crds else f"next: cd {directory}; {then}")
    return 0


def _copy(ui: Ui, crds: tuple[str, ...], folder: Path) -> None:
    for given in crds:
        source = ui.cwd / given
        if given == "-" or given.startswith(("http://", "https://")) or not source.exists():
            raise ConfigError("OPG007", f'"{given}" is no file to copy', hint="download it first")
        for path in [source] if source.is_file() else sorted(source.glob("*.y*ml")):
            shutil.copyfile(path, folder / "crds" / path.name)
    if crds:
        (folder / "crds" / ".gitkeep").unlink(missing_ok=True)
