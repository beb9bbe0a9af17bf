"""Which class stands for which kind.

A types package says at import what it provides, by name only; a class is loaded when it is first looked up. Several
versions of a kind stand side by side, each a kind of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from opgen.meta.object import Object
from opgen.meta.resource import GroupVersionKind

__all__ = ["Scheme", "scheme", "UnknownKind"]

_BUILT_IN = "opgen.k8s"
_SHOWN = 8


class UnknownKind(LookupError):
    """No class is known for a kind; the message says which package to import, or which kinds there are."""

    def __init__(self, gvk: GroupVersionKind, hint: str) -> None:
        """Take the kind that was asked for."""
        self.gvk = gvk
        super().__init__(
            f'no class is registered for kind "{gvk.kind}" of "{gvk.api_version}": {hint}'
        )


class Scheme:
    """A register of kinds, as apimachinery's runtime.Scheme."""

    def __init__(self) -> None:
        """Start empty."""
        self._places: dict[GroupVersionKind, tuple[str, str]] = {}
        self._classes: dict[GroupVersionKind, type[Object]] = {}

    def provide(self, api_version: str, kind: str, module: str, name: str) -> None:
        """Say that class `name` of `module` stands for a kind; the module is not imported.

        Raises ValueError if another class has been said to stand for this kind.
        """
        gvk = GroupVersionKind.of(api_version, kind)
        known, other = self._places.setdefault(gvk, (module, name))
        if (known, other) != (module, name):
            raise ValueError(f'"{gvk}" is "{known}.{other}" already, and now "{module}.{name}"')

    def register(self, cls: type[Object]) -> type[Object]:
        """Register a class by its `RESOURCE`; usable as a decorator.

        Raises ValueError if another class has been registered, or provided, for this kind.
        """
        gvk, module, name = cls.RESOURCE.gvk, cls.__module__, cls.__qualname__
        known, other = self._places.get(gvk, (module, name))
        provided = name == other and f"{module}.".startswith(f"{known}.")
        if not provided or self._classes.get(gvk, cls) is not cls:
            raise ValueError(f'"{gvk}" is "{known}.{other}" already, and now "{module}.{name}"')
        self._places[gvk] = (known, other)
        self._classes[gvk] = cls
        return cls

    def lookup(self, api_version: str, kind: str) -> type[Object]:
        """Return the class of a kind. Raises UnknownKind, and ImportError if its module can't be loaded."""
        gvk = GroupVersionKind.of(api_version, kind)
        known = self._classes.get(gvk)
        if known is None:
            if gvk not in self._places:
                raise UnknownKind(gvk, self._hint(gvk))
            module, name = self._places[gvk]
            known = self._classes[gvk] = getattr(import_module(module), name)
        return known

    def decode(self, wire: Mapping[str, Any]) -> Object:
        """Return an object as the class of its kind.

        Raises UnknownKind, ValueError where `apiVersion` or `kind` is missing or no string, and
        pydantic.ValidationError.
        """
        api_version, kind = wire.get("apiVersion"), wire.get("kind")
        if not (isinstance(api_version, str) and isinstance(kind, str)):
            raise ValueError('an object needs "apiVersion" and "kind"')
        return self.lookup(api_version, kind).from_wire(wire)

    def kinds(self) -> tuple[GroupVersionKind, ...]:
        """Return all kinds, sorted."""
        return tuple(sorted(self._places))

    def __contains__(self, gvk: object) -> bool:
        """Return whether there is a class for a kind."""
        return gvk in self._places

    def _hint(self, gvk: GroupVersionKind) -> str:
        from difflib import get_close_matches  # every program loads this module, few need the hint

        versions = sorted(
            one.api_version
            for one in self._places
            if (one.group, one.kind) == (gvk.group, gvk.kind)
        )
        if versions:
            return f"it is there as {' and '.join(versions)}"
        siblings = sorted({one.kind for one in self._places if one.group == gvk.group})
        close = get_close_matches(gvk.kind, siblings, 1)
        meant = f'did you mean "{close[0]}"? ' if close else ""
        if siblings:
            return f'{meant}kinds of "{gvk.group or "core"}" that are there: {_first(siblings)}'
        if "." not in gvk.group or gvk.group.endswith(".k8s.io"):
            return f"import {_BUILT_IN} for the kinds of Kubernetes itself"
        there = sorted(
            {
                f'"{one.group or "core"}" ({module.split(".")[0]})'
                for one, (module, _) in self._places.items()
            }
        )
        return (
            f'import the package that was generated from the CRDs of "{gvk.group}"; '
            f"groups that are there: {_first(there) or 'none'}"
        )


def _first(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (
        f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    )


scheme = Scheme()
"""The scheme that generated packages register with."""
