"""The command line: one module a verb, loaded when it is called; the only code that prints or exits.

Exit codes: 0 done, 1 the answer is no (drift, findings), 2 could not do it, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from opgen import __version__
from opgen.cli.ui import Ui
from opgen.errors import ConfigError, OpgenError, Problem

__all__ = ["main", "run"]

_EXTRA = frozenset(
    {"black", "click", "cookiecutter", "datamodel_code_generator", "jinja2", "watchfiles"}
)

_VERBS = {
    "completion": "Print the completion script of a shell.",
    "create": "Write a controller for a kind, once; it is yours then.",
    "explain": "Print the page of an error code.",
    "generate": "Rewrite what is generated, prune what is stale.",
    "init": "Start a project.",
    "show": "Print what opgen sees: crd, api, plan or manifest.",
}


class _Verbs(click.Group):
    """Knows the verbs by name and one line, and loads a module when its verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        command: click.Command = import_module(f"opgen.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_VERBS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and name not in _VERBS and not name.startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(name, _VERBS, 1)
            ctx.fail(
                f"no such command '{name}'." + (f" Did you mean '{close[0]}'?" if close else "")
            )
        return super().resolve_command(ctx, args)


@click.command(
    cls=_Verbs,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "OPGEN",
        "max_content_width": 100,
    },
)
@click.version_option(__version__, prog_name="opgen", message="%(prog)s %(version)s")
@click.option(
    "-C",
    "--directory",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Run as if started in DIR.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print unchanged files and notes, and tracebacks of faults.",
)
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    envvar="OPGEN_FORMAT",
)
@click.pass_context
def main(
    ctx: click.Context, directory: str | None, quiet: bool, verbose: bool, color: str, form: str
) -> None:
    """Typed Python for Kubernetes CRDs, and operators that use it.

    Each option is also read from the environment: OPGEN_COLOR, OPGEN_GENERATE_CHECK and so on.
    """
    try:
        cwd = (Path.cwd() / (directory or "")).resolve()
    except FileNotFoundError:
        raise ConfigError(
            "OPG008", "the current folder is gone", hint="change to another"
        ) from None
    if not cwd.is_dir():
        raise click.UsageError(f"-C: '{directory}' is no folder.")
    ctx.obj = Ui(cwd=cwd, quiet=quiet, verbose=verbose, color=color, form=form)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; never a traceback unless -v asks for it."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = main.main(arguments, prog_name="opgen", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("interrupted\n")
        return 130
    except OpgenError as error:
        Ui.of_arguments(arguments).errors(error.problems)
        return error.exit_code
    except BrokenPipeError:
        # the reader of our output has gone; let nothing complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        return _fault(error, arguments)


def _fault(error: Exception, arguments: Sequence[str]) -> int:
    """Say in one line what should not have happened."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] in _EXTRA:
        sys.stderr.write(
            f'error: "{error.name}" is not installed: run `pip install "opgen[cli]"`\n'
        )
        return 2
    if _is_verbose(arguments):
        traceback.print_exception(error)
    notes = "".join(f", {note}" for note in getattr(error, "__notes__", ()))
    problem = Problem(
        "OPG000",
        f"a fault of opgen itself: {type(error).__name__}: {error}{notes}",
        hint="run again with -v before the command and report what it prints",
    )
    Ui.of_arguments(arguments).errors([problem])
    return 2


def _is_verbose(arguments: Sequence[str]) -> bool:
    words = [word for word in arguments if word.startswith("-")]
    short = any(not word.startswith("--") and "v" in word for word in words)
    return short or "--verbose" in words or bool(os.environ.get("OPGEN_VERBOSE"))
