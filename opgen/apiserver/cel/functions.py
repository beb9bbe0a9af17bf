"""Where CEL's functions register, and what they share.

A function takes Python values and dispatches on their types; what it can't take is `no such overload`, as in cel-go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from opgen.apiserver.cel.syntax import UInt
from opgen.apiserver.cel.values import INT64, CelError, Duration

__all__ = [
    "define",
    "Function",
    "FUNCTIONS",
    "in_range",
    "lists",
    "no_overload",
    "plain_int",
    "texts",
    "whole",
]

Function = Callable[..., Any]
Registered = TypeVar("Registered", bound=Function)
FUNCTIONS: Final[dict[tuple[str, bool], Function]] = {}


def no_overload() -> CelError:
    """Return the error of a call with values of the wrong types."""
    return CelError("no such overload")


def define(*names: str, member: bool = False) -> Callable[[Registered], Registered]:
    """Register a function under its names."""

    def register(function: Registered) -> Registered:
        for name in names:
            FUNCTIONS[name, member] = function
        return function

    return register


def plain_int(value: Any) -> bool:
    """Whether a value is an int, and nothing that is one in Python only."""
    return isinstance(value, int) and not isinstance(value, bool | Duration)


def texts(*values: Any) -> None:
    """Insist on strings."""
    for value in values:
        if not isinstance(value, str):
            raise no_overload()


def lists(*values: Any) -> None:
    """Insist on lists."""
    for value in values:
        if not isinstance(value, list):
            raise no_overload()


def whole(value: Any) -> int:
    """Insist on an int."""
    if not plain_int(value):
        raise no_overload()
    return int(value)


def in_range(value: int, kind: type) -> Any:
    """Return a number as one of `kind`; raises `CelError` where it does not fit."""
    if kind is UInt:
        if not 0 <= value < 2**64:
            raise CelError("unsigned integer overflow")
        return UInt(value)
    if value not in INT64:
        raise CelError("duration overflow" if kind is Duration else "integer overflow")
    return Duration(value) if kind is Duration else value
