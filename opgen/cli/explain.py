"""`opgen explain`: the page of an error code."""

from __future__ import annotations

from difflib import get_close_matches

import click

from opgen import DATA
from opgen.cli.ui import Ui
from opgen.errors import ConfigError

__all__ = ["command"]


@click.command("explain")
@click.argument("code", required=False)
@click.pass_obj
def command(ui: Ui, code: str | None) -> int:
    """Print what an error CODE means and what to do; without CODE, list all."""
    pages = {path.stem: path for path in sorted((DATA / "docs" / "errors").glob("OPG*.md"))}
    if code is None:
        titles = {
            name: path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
            for name, path in pages.items()
        }
        if ui.json:
            ui.data({"version": 1, "codes": titles})
        else:
            ui.out("\n".join(titles.values()))
        return 0
    page = pages.get(code.upper())
    if page is None:
        close = get_close_matches(code.upper(), pages, 1)
        hint = f'did you mean "{close[0]}"?' if close else "list all codes with `opgen explain`"
        raise ConfigError("OPG004", f'there is no error code "{code}"', hint=hint)
    ui.out(page.read_text("utf-8"))
    return 0
