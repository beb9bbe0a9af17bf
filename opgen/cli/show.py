"""`opgen show`: what opgen sees, for people and scripts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from opgen.cli.ui import Ui
from opgen.config import find_project, read_config

__all__ = ["command"]


@click.command("show")
@click.argument("what", type=click.Choice(["api", "crd", "manifest", "plan"]))
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.pass_obj
def command(ui: Ui, what: str, inputs: tuple[str, ...]) -> int:
    """Print the CRDs that were read, the API made of them, the plan of the next run, or the manifest of the last.

    INPUT as in `opgen generate`; in a project, the inputs it names. --format json prints all there is.
    """
    project = find_project(ui.cwd)
    if what == "manifest":
        _manifest(ui, project or ui.cwd)
    elif what == "plan":
        _show_plan(ui, project)
    elif inputs:
        _show_api(ui, what, inputs, ui.cwd, {})
    elif project is not None:
        config = read_config(project)
        _show_api(ui, what, config.crds, project, config.rename)
    else:
        raise click.UsageError("show needs an INPUT outside of a project.")
    return 0


def _show_api(
    ui: Ui, what: str, inputs: tuple[str, ...], cwd: Path, rename: dict[str, str]
) -> None:
    from opgen.crd import load
    from opgen.ir.build import build
    from opgen.ir.types import to_json

    loaded = load(inputs, cwd=cwd, stdin=sys.stdin)
    ui.notes(loaded.problems)
    if what == "crd":
        if ui.json:
            ui.data({"version": 1, "crds": [crd.raw for crd in loaded.crds]})
            return
        for crd in loaded.crds:
            versions = ", ".join(version.name for version in crd.versions)
            ui.out(f"{crd.plural}.{crd.group}  {crd.kind}  {crd.scope}  {versions}  {crd.source}")
        return
    api = build(loaded.crds, rename)
    if ui.json:
        ui.data({"version": 1, **to_json(api)})
        return
    for gv in api.group_versions:
        for kind in gv.kinds:
            verbs = " ".join(["status"] * kind.has_status + ["scale"] * kind.has_scale)
            ui.out(
                f"{gv.api_version}  {kind.kind}  {kind.scope}  {len(kind.objects)} objects  {verbs}".rstrip()
            )
            for item in kind.objects:
                for field in item.fields:
                    mark = "required" if field.required else "optional"
                    ui.out(
                        f"    {item.name}.{field.name}  {field.wire}  {mark}  {json.dumps(to_json(field.type))}"
                    )


def _show_plan(ui: Ui, project: Path | None) -> None:
    from opgen.cli.generate import project_request
    from opgen.project.generate import generate

    if project is None:
        raise click.UsageError("there is no project here; see `opgen generate --dry-run -o DIR`.")
    plan = generate(project_request(project), cwd=project)
    if ui.json:
        ui.plan(plan)
    else:
        for change in plan.changes:
            ui.out(f"{change.action}  {change.path}  {change.owner}")


def _manifest(ui: Ui, root: Path) -> None:
    from opgen.project.manifest import read_manifest

    manifest = read_manifest(root)
    if ui.json:
        ui.out(manifest.text())
        return
    ui.out(f"opgen {manifest.version or 'has not run here'}")
    for path, entry in sorted(manifest.files.items()):
        ui.out(f"{entry.owner}  {entry.sha256[:12]}  {path}")
