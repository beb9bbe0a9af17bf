"""Which class stands for which kind.

A types package says at import what it provides, by name only; a class is loaded when it is first looked up. Several
versions of a kind stand side by side, each a kind of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from opgen.meta.object import Object
from opgen.meta.resource import GroupVersionKind

__all__ = ["Scheme", "scheme", "UnknownKind"]

_BUILT_IN = "opgen.k8s"


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

        Raises ValueError if another module has said so of this kind.
        """
        gvk = GroupVersionKind.of(api_version, kind)
        if self._places.setdefault(gvk, (module, name)) != (module, name):
            raise ValueError(
                f'"{gvk}" is provided by "{self._places[gvk][0]}" already, and now by "{module}"'
            )

    def register(self, cls: type[Object]) -> type[Object]:
        """Register a class by its `RESOURCE`; usable as a decorator. Raises ValueError as `provide`."""
        self.provide(cls.RESOURCE.api_version, cls.RESOURCE.kind, cls.__module__, cls.__qualname__)
        self._classes[cls.RESOURCE.gvk] = cls
        return cls

    def lookup(self, api_version: str, kind: str) -> type[Object]:
        """Return the class of a kind. Raises UnknownKind."""
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

        Raises UnknownKind, ValueError where `apiVersion` or `kind` is missing, and pydantic.ValidationError.
        """
        api_version, kind = wire.get("apiVersion"), wire.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str):
            raise ValueError('an object needs "apiVersion" and "kind"')
        return self.lookup(api_version, kind).from_wire(wire)

    def kinds(self) -> tuple[GroupVersionKind, ...]:
        """Return all kinds, sorted."""
        return tuple(sorted(self._places))

    def _hint(self, gvk: GroupVersionKind) -> str:
        versions = sorted(
            one.api_version
            for one in self._places
            if (one.group, one.kind) == (gvk.group, gvk.kind)
        )
        if versions:
            return f"it is there as {' and '.join(versions)}"
        siblings = {
            one.kind: module.split(".")[0]
            for one, (module, _) in self._places.items()
            if one.group == gvk.group
        }
        if siblings:
            close = get_close_matches(gvk.kind, siblings, 1)
            there = ", ".join(sorted(siblings)[:8])
            return (
                f'did you mean "{close[0]}"?'
                if close
                else f'kinds of "{gvk.group}" that are there: {there}'
            )
        if "." not in gvk.group or gvk.group.endswith(".k8s.io"):
            return f"import {_BUILT_IN} for the kinds of Kubernetes itself"
        there = ", ".join(sorted({one.group or "core" for one in self._places})[:8]) or "none"
        return f'import the package that was generated from the CRDs of "{gvk.group}"; groups that are there: {there}'


scheme = Scheme()
"""The scheme that generated packages register with."""
