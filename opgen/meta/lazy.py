"""Names of a package that are loaded when they are first used.

A group may have dozens of kinds with hundreds of classes each; a program uses a few.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["exports"]


def exports(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose public names lie in its modules (PEP 562).

    `modules` maps the class of each kind to its module; every other name of a module starts with that class name, so
    the module to load for a name is the one with the longest class name that the name starts with.
    """
    longest_first = sorted(modules, key=len, reverse=True)

    def __getattr__(name: str) -> Any:
        if not name.startswith("_"):
            for prefix in longest_first:
                if name.startswith(prefix):
                    found = getattr(import_module(f"{package}.{modules[prefix]}"), name, None)
                    if found is not None:
                        setattr(sys.modules[package], name, found)
                        return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        names: set[str] = set()
        for module in modules.values():
            names.update(import_module(f"{package}.{module}").__all__)
        return sorted(names)

    return __getattr__, __dir__
