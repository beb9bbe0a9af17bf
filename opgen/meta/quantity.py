"""Kubernetes quantities: exact values that keep the spelling they came in.

The grammar and the canonical form are those of apimachinery's `resource.Quantity`: a signed decimal, then a binary
suffix (Ki .. Ei), a decimal one (n u m k M G T P E) or a decimal exponent (`1e3`; `1E` is a suffix, `1E3` an exponent).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import total_ordering
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["Quantity"]

_GRAMMAR = re.compile(
    r"([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE](?![0-9+-]))|[eE]([+-]?\d{1,4}))?",
    re.ASCII,
)
_BINARY = {f"{unit}i": Decimal(1024) ** (i + 1) for i, unit in enumerate("KMGTPE")}
_DECIMAL = {
    unit: Decimal(10) ** (3 * i)
    for i, unit in enumerate(("n", "u", "m", "", "k", "M", "G", "T", "P", "E"), -3)
}
_NANO = Decimal(10) ** -9


@total_ordering
class Quantity:
    """An amount such as `"500m"`, `"1.5Gi"` or `2`.

    Guarantees
        `wire` is exactly what was given. Equality, order and hash go by value, also against int and str:
        `Quantity("1") == Quantity("1000m") == 1`. Immutable. Parsing is put off until a value is needed.

    Raises:
        ValueError from whatever needs the value of a spelling that is none.
    """

    __slots__ = ("_value", "wire")

    wire: int | float | str
    _value: Decimal | None

    def __init__(self, wire: int | float | str | Decimal | Quantity) -> None:
        """Take a spelling; a Decimal is spelled out. Raises TypeError for anything else."""
        if isinstance(wire, Quantity):
            wire = wire.wire
        elif isinstance(wire, Decimal):
            wire = format(wire, "f")
        elif isinstance(wire, bool) or not isinstance(wire, int | float | str):
            raise TypeError(f"a quantity is a string or a number, not {type(wire).__name__}")
        object.__setattr__(self, "wire", wire)
        object.__setattr__(self, "_value", None)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: a quantity never changes."""
        raise AttributeError("a quantity can't be changed")

    @property
    def value(self) -> Decimal:
        """The exact amount. Raises ValueError if `wire` is no quantity."""
        known: Decimal | None = self._value
        if known is None:
            known = _parse(self.wire)
            object.__setattr__(self, "_value", known)
        return known

    def canonical(self) -> str:
        """Return the spelling that the API server would give: no fraction, the largest suffix, at most 9 decimals."""
        text = str(self.wire)
        value = self.value
        if value != (rounded := (value / _NANO).to_integral_value("ROUND_UP") * _NANO):
            value = rounded
        match = _GRAMMAR.fullmatch(text)
        if match and match[3] and abs(value) >= 1024 and value == value.to_integral_value():
            number, suffix = value, ""
            for unit, factor in _BINARY.items():
                if value % factor == 0:
                    number, suffix = value / factor, unit
            return f"{int(number)}{suffix}"
        exponent = bool(match and match[5])
        for unit, factor in reversed(_DECIMAL.items()):
            if value % factor == 0:
                power = factor.log10().to_integral_value()
                return f"{int(value / factor)}{(f'e{int(power)}' if power else '') if exponent else unit}"
        return format(value, "f")

    def __int__(self) -> int:
        """Return the amount rounded up, as apimachinery's `Value()` does."""
        return int(self.value.to_integral_value("ROUND_CEILING"))

    def __float__(self) -> float:
        """Return the nearest float."""
        return float(self.value)

    def __add__(self, other: object) -> Quantity:
        """Return the sum, spelled in the same family of suffixes."""
        return self._made(other, lambda a, b: a + b)

    def __sub__(self, other: object) -> Quantity:
        """Return the difference."""
        return self._made(other, lambda a, b: a - b)

    def __mul__(self, factor: int) -> Quantity:
        """Return the amount times an integer."""
        return self._made(factor, lambda a, b: a * b)

    def _made(self, other: object, of: Callable[[Decimal, Decimal], Decimal]) -> Quantity:
        amount = _amount(other)
        if amount is None:
            raise TypeError(f"no quantity: {other!r}")
        result = of(self.value, amount)
        match = _GRAMMAR.fullmatch(str(self.wire))
        binary = match and match[3] and result % 1024 == 0
        return Quantity(Quantity(f"{result / 1024:f}Ki" if binary else result).canonical())

    def __eq__(self, other: object) -> bool:
        """Compare by value; a spelling that is no quantity equals only itself."""
        if (
            isinstance(other, Quantity)
            and type(other.wire) is type(self.wire)
            and other.wire == self.wire
        ):
            return True
        try:
            amount = _amount(other)
            return NotImplemented if amount is None else self.value == amount
        except ValueError:
            return False

    def __lt__(self, other: object) -> bool:
        """Compare by value."""
        amount = _amount(other)
        return NotImplemented if amount is None else self.value < amount

    def __hash__(self) -> int:
        """Hash by value, as equality goes."""
        try:
            return hash(self.value)
        except ValueError:
            return hash(self.wire)

    def __bool__(self) -> bool:
        """Return whether the amount is not zero."""
        return bool(self.value)

    def __str__(self) -> str:
        """Return the spelling."""
        return str(self.wire)

    def __repr__(self) -> str:
        """Show the spelling."""
        return f"Quantity({self.wire!r})"

    def __reduce__(self) -> tuple[type[Quantity], tuple[int | float | str]]:
        """Pickle and copy by spelling."""
        return (Quantity, (self.wire,))

    def __deepcopy__(self, memo: object) -> Quantity:
        """Return itself: it can't change."""
        return self

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take what matches the pattern that Kubernetes gives quantities, an integer, or a Quantity."""
        text = core_schema.str_schema(strict=True, pattern=PATTERN)
        number = core_schema.int_schema(strict=True)
        whole = core_schema.float_schema(strict=True, multiple_of=1, allow_inf_nan=False)
        given = core_schema.no_info_after_validator_function(
            cls, core_schema.union_schema([text, number, whole], mode="left_to_right")
        )
        return core_schema.union_schema(
            [core_schema.is_instance_schema(cls), given],
            mode="left_to_right",
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda quantity: quantity.wire
            ),
        )


PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""The pattern that CRDs give quantities; wider than the grammar (`1e1.5`), and what the API server checks."""


def _amount(other: object) -> Decimal | None:
    if isinstance(other, Quantity):
        return other.value
    if isinstance(other, bool):
        return None
    if isinstance(other, int | Decimal):
        return Decimal(other)
    return _parse(other) if isinstance(other, str | float) else None


def _parse(wire: int | float | str) -> Decimal:
    if not isinstance(wire, str):
        return Decimal(wire)
    match = _GRAMMAR.fullmatch(wire)
    if match is None:
        raise ValueError(
            f'"{wire}" is no quantity, expected a number with a suffix such as "500m" or "1.5Gi"'
        )
    sign, number, binary, decimal, exponent = match.groups()
    value = Decimal(number)
    if binary:
        value *= _BINARY[binary]
    elif decimal:
        value *= _DECIMAL[decimal]
    elif exponent:
        value = value.scaleb(int(exponent))
    return -value if sign == "-" else value
