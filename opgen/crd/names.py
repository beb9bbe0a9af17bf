"""Which names the API server takes: they become folders, modules, classes and paths, so nothing else may pass.

The rules are those of apimachinery's `IsDNS1123Subdomain` and `IsDNS1035Label` (RFC 1123 and 1035), and of the
validation of CustomResourceDefinitions that uses them.
"""

from __future__ import annotations

import re

__all__ = ["group_fault", "is_group", "is_label", "kind_fault", "label_fault", "MAX_NAME", "shown"]

MAX_NAME = 253
"""Characters of a DNS name, and of the name of an object."""

_MAX_LABEL = 63
_PART_1123 = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_KIND = re.compile(r"[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?", re.ASCII)


def shown(text: str) -> str:
    """Return a text as it may stand in a message: printable, in one line, at most 80 characters."""
    clean = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[:81])
    return clean if len(clean) <= 80 else clean[:77] + "..."


def is_group(text: str) -> bool:
    """Return whether a text can be the name of an API group; built-in ones need no dot."""
    return 0 < len(text) <= MAX_NAME and all(_PART_1123.fullmatch(part) for part in text.split("."))


def is_label(text: str) -> bool:
    """Return whether a text is a DNS label that starts with a letter, as versions and plurals are."""
    return len(text) <= _MAX_LABEL and _LABEL_1035.fullmatch(text) is not None


def group_fault(text: str) -> str | None:
    """Return what keeps a text from being the group of a CRD, None if nothing does."""
    if len(text) > MAX_NAME:
        return f"has {len(text)} characters, expected at most {MAX_NAME}"
    if not is_group(text):
        return 'is no DNS name, expected lower-case letters, digits, "-" and "." such as "cache.example.com"'
    return None if "." in text else 'has no dot, expected a domain such as "cache.example.com"'


def label_fault(text: str, such_as: str) -> str | None:
    """Return what keeps a text from being a DNS label, None if nothing does."""
    if len(text) > _MAX_LABEL:
        return f"has {len(text)} characters, expected at most {_MAX_LABEL}"
    if is_label(text):
        return None
    return f'is no DNS label, expected lower-case letters, digits and "-" such as "{such_as}"'


def kind_fault(text: str) -> str | None:
    """Return what keeps a text from being a kind, None if nothing does.

    The API server lower-cases it by Unicode's rules first, which lets a Kelvin sign pass; only ASCII passes here.
    """
    if len(text) > _MAX_LABEL:
        return f"has {len(text)} characters, expected at most {_MAX_LABEL}"
    return (
        None
        if _KIND.fullmatch(text)
        else 'is no name of a kind, expected letters and digits such as "Memcached"'
    )
