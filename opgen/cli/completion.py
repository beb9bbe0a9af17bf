"""`opgen completion`: the script that makes a shell complete opgen's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from opgen.cli.ui import Ui

__all__ = ["command"]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "fish", "zsh"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of SHELL; bash: eval "$(opgen completion bash)"."""
    ui: Ui = ctx.obj
    made = get_completion_class(shell)
    assert made is not None
    root = ctx.find_root()
    ui.out(made(root.command, {}, "opgen", "_OPGEN_COMPLETE").source())
    return 0
