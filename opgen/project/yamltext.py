"""JSON values as YAML that kubectl, PyYAML and every YAML 1.2 parser read alike.

Own code: PyYAML's dumper quotes what PyYAML would misread, which is not what kubectl would (`y`, `1e3`, `0o17`). Here a
string stands without quotes only where no dialect can take it for anything else.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

__all__ = ["dump_yaml"]

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*", re.ASCII)
_FLOW = 80
_WORDS = frozenset("false n no null off on true y yes".split())


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """libyaml's dumper where it is there: a large CRD takes seconds without it."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values out: an alias saves nothing that a reader wants saved."""
        return True


def _text(dumper: Any, text: str) -> Any:
    style = '"'
    if "\n" in text:
        style = "|"
    elif _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        style = ""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: Any, items: list[Any]) -> Any:
    """Write a short list of plain values on one line, as people do."""
    short = all(isinstance(item, str | int) and "\n" not in str(item) for item in items)
    flow = short and sum(len(str(item)) + 2 for item in items) <= _FLOW
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flow)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)


def dump_yaml(value: Any) -> str:
    """Return a JSON value as YAML in block style, keys in their order, newline at the end."""
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=1 << 30,
        default_flow_style=False,
    )
    return text
