"""Black, for the few statements that don't fit one line; the emitters write everything else as black would.

Formatting whole modules costs several times what making them does (about 0.5 ms a line). A statement that fits the
line length, without brackets to explode, is stable as written; only longer ones come here, each once, since the same
fields stand in many CRDs. A test holds whole generated files against black.
"""

from __future__ import annotations

from functools import lru_cache

import black
from black.mode import TargetVersion

from opgen.emit.text import LINE_LENGTH

__all__ = ["format_module", "statement"]

_MODE = black.Mode(line_length=LINE_LENGTH, target_versions={TargetVersion.PY311})


def statement(text: str, indent: int = 0) -> str:
    """Return one statement, which will stand indented by `indent` spaces, in lines of at most the line length.

    The first line of the answer carries no indentation, the others do. Raises black.InvalidInput on what is no Python.
    """
    if indent + len(text) <= LINE_LENGTH and "\n" not in text:
        return text
    return _formatted(text, indent)


@lru_cache(maxsize=16384)
def _formatted(text: str, indent: int) -> str:
    levels = indent // 4
    lines = [f"{'    ' * level}class _:" for level in range(levels)] + [" " * indent + text]
    formatted = black.format_str("\n".join(lines) + "\n", mode=_MODE)
    return "\n".join(formatted.rstrip("\n").split("\n")[levels:])[indent:]


def format_module(text: str) -> str:
    """Return a whole module as black formats it; for small files made from templates."""
    return black.format_str(text, mode=_MODE)
