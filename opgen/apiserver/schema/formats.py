"""The string formats that are checked, found lazily so that a server without such schemas does not pay for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["known_formats"]


def known_formats() -> Mapping[str, Callable[[str], bool]]:
    """Return the check of each format that the server knows; others are not checked."""
    from opgen.meta.formats import FORMATS

    return FORMATS
