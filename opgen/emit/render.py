"""The jinja environment of the code templates: strict, sandboxed, one typed context a template."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from opgen import DATA
from opgen.emit.text import literal

__all__ = ["render"]


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(DATA / "templates" / "code"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # the output is Python and YAML; values go through the filter below
    )
    environment.filters["literal"] = literal
    return environment


def render(template: str, **context: Any) -> str:
    """Return `templates/code/<template>` filled in; raises jinja2.UndefinedError on a name that is not in `context`."""
    return _environment().get_template(template).render(context)
