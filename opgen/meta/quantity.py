"""Kubernetes quantities: exact values that keep the spelling they came in.

The grammar and the canonical form are those of apimachinery's `resource.Quantity`: a signed decimal, then a binary
suffix (Ki .. Ei), a decimal one (n u m k M G T P E) or a decimal exponent (`1e3`; `1E` is a suffix, `1E3` an exponent).
Own code: the published packages compute in binary floating point or know no exponents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Context, Decimal
from functools import total_ordering
from typing import TYPE_CHECKING, Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["PATTERN", "Quantity"]

_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
PATTERN = rf"^(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?$"
"""The pattern that CRDs give quantities; wider than the grammar (`1e1.5`), and what the API server checks."""

_GRAMMAR = (
    r"([+-]?)([0-9]+)?(?:\.([0-9]*))?(?<=[0-9.])"
    r"(?:([KMGTPE]i)|([numkMGTPE](?![0-9+-]))|[eE]([+-]?0*[0-9]{1,4}))?"
)
_BINARY = {f"{unit}i": 1024**power for power, unit in enumerate("KMGTPE", 1)}
_DECIMAL = {
    unit: power
    for power, unit in zip(range(-9, 21, 3), ["n", "u", "m", "", *"kMGTPE"], strict=True)
}
_DECIMAL_UNITS = {power: unit for unit, power in _DECIMAL.items()}
_BINARY_CAP = 2**63 - 1
_EXACT = Context(prec=100_000, Emin=-999_999, Emax=999_999)


@total_ordering
class Quantity:
    """An amount such as `"500m"`, `"1.5Gi"` or `2`.

    Guarantees
        `wire` is exactly what was given. Equality, order and hash go by value, also against int and str:
        `Quantity("1") == Quantity("1000m") == 1`. Immutable. Parsing is put off until a value is needed, and exact.
    Caveats
        A str or float that equals a quantity does not hash like it; look quantities up by int or Quantity.
        What the API server stores of a built-in kind is `canonical()`, of a custom one the spelling.
    Raises
        ValueError from whatever needs the value of a spelling that is none. Comparing for equality does not raise.
    """

    __slots__ = ("_family", "_value", "wire")

    wire: int | float | str
    _family: str
    _value: Decimal

    def __init__(self, wire: float | str | Decimal | Quantity) -> None:
        """Take a spelling; a Decimal is spelled out. Raises TypeError for anything else."""
        if isinstance(wire, Quantity):
            wire = wire.wire
        elif isinstance(wire, Decimal):
            if not wire.is_finite():
                raise ValueError(f"a quantity is finite, not {wire}")
            wire = format(wire, "f")
        elif isinstance(wire, bool) or not isinstance(wire, int | float | str):
            raise TypeError(f"a quantity is a string or a number, not {type(wire).__name__}")
        _set_wire(self, wire)

    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            """Refuse: a quantity never changes."""
            raise AttributeError("a quantity can't be changed")

    @property
    def value(self) -> Decimal:
        """The exact amount. Raises ValueError if `wire` is no quantity."""
        try:
            return self._value
        except AttributeError:
            value, family = _parse(self.wire)
            _set_value(self, value)
            if not hasattr(self, "_family"):
                _set_family(self, family)
            return value

    def canonical(self) -> str:
        """Return the spelling that the API server gives it: no fraction, and the largest suffix that allows this.

        What is finer than nano is rounded away from zero, and a binary amount is at most 2^63-1, as apimachinery's
        `ParseQuantity` does. Raises ValueError if `wire` is no quantity.
        """
        value = self.value
        if self._family == "binary" and abs(value) > _BINARY_CAP:
            value = Decimal(_BINARY_CAP).copy_sign(value)
        return _canonical(value, self._family)

    def __int__(self) -> int:
        """Return the amount rounded away from zero, as apimachinery's `Value()` does."""
        return int(self.value.to_integral_value("ROUND_UP"))

    def __float__(self) -> float:
        """Return the nearest float."""
        return float(self.value)

    def __add__(self, other: object) -> Quantity:
        """Return the sum, in the family of suffixes of this one, or of the other if this one is zero."""
        operand = _quantity(other)
        return NotImplemented if operand is None else self._made(operand, _EXACT.add)

    __radd__ = __add__  # so that `sum()` works

    def __sub__(self, other: object) -> Quantity:
        """Return the difference, in the family of suffixes of this one, or of the other if this one is zero."""
        operand = _quantity(other)
        return NotImplemented if operand is None else self._made(operand, _EXACT.subtract)

    def __mul__(self, factor: object) -> Quantity:
        """Return the amount times an integer."""
        if isinstance(factor, bool) or not isinstance(factor, int):
            return NotImplemented
        return _spelled(_EXACT.multiply(self.value, Decimal(factor)), self._family)

    __rmul__ = __mul__

    def __neg__(self) -> Quantity:
        """Return the amount with the other sign."""
        return _spelled(self.value.copy_negate(), self._family)

    def __abs__(self) -> Quantity:
        """Return the amount without its sign."""
        return _spelled(self.value.copy_abs(), self._family)

    def _made(self, operand: Quantity, of: Callable[[Decimal, Decimal], Decimal]) -> Quantity:
        result = of(self.value, operand.value)
        return _spelled(result, self._family if self.value else operand._family)

    def __eq__(self, other: object) -> bool:
        """Compare by value; a spelling that is no quantity equals only itself."""
        if (
            isinstance(other, Quantity)
            and type(other.wire) is type(self.wire)
            and other.wire == self.wire
        ):
            return True
        operand = _quantity(other)
        if operand is None:
            return NotImplemented
        try:
            return self.value == operand.value
        except ValueError:
            return False

    def __lt__(self, other: object) -> bool:
        """Compare by value."""
        operand = _quantity(other)
        return NotImplemented if operand is None else self.value < operand.value

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
        """Take what matches the pattern that Kubernetes gives quantities, an integral number, or a Quantity."""
        given = core_schema.no_info_after_validator_function(
            _unparsed,
            core_schema.union_schema(
                [
                    core_schema.str_schema(strict=True, pattern=PATTERN),
                    core_schema.is_instance_schema(
                        cls
                    ),  # before float, which takes whatever has __float__
                    core_schema.int_schema(strict=True),
                    core_schema.float_schema(strict=True, multiple_of=1, allow_inf_nan=False),
                ],
                mode="left_to_right",
            ),
        )
        return core_schema.custom_error_schema(
            given,
            custom_error_type="quantity",
            custom_error_message='must be a quantity such as "500m", "1.5Gi" or 2',
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda quantity: quantity.wire
            ),
        )


_set_wire = Quantity.__dict__["wire"].__set__
_set_value = Quantity.__dict__["_value"].__set__
_set_family = Quantity.__dict__["_family"].__set__
_new = object.__new__


def _unparsed(wire: Any) -> Quantity:
    """Return the quantity of a spelling that has been checked."""
    if type(wire) is Quantity:
        return wire
    quantity = _new(Quantity)
    _set_wire(quantity, wire)
    return quantity


def _spelled(value: Decimal, family: str) -> Quantity:
    quantity = Quantity(_canonical(value, family))
    _set_family(quantity, family)
    return quantity


def _quantity(other: object) -> Quantity | None:
    if isinstance(other, Quantity):
        return other
    if isinstance(other, bool) or not isinstance(other, int | float | str | Decimal):
        return None
    return Quantity(other)


def _parse(wire: float | str) -> tuple[Decimal, str]:
    """Return the exact amount of a spelling, and its family: binary, decimal or exponent."""
    text = wire if isinstance(wire, str) else repr(wire)
    match = re.fullmatch(_GRAMMAR, text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(
            f'"{wire}" is no quantity, expected a number with a suffix such as "500m" or "1.5Gi"'
        )
    sign, whole, fraction, binary, decimal, exponent = match.groups()
    digits, power = int((whole or "") + (fraction or "")), -len(fraction or "")
    if binary:
        digits *= _BINARY[binary]
    elif decimal:
        power += _DECIMAL[decimal]
    elif exponent:
        power += int(exponent)
    value = Decimal(f"{sign}{digits}e{power}")
    return value, "binary" if binary else "exponent" if exponent else "decimal"


def _canonical(value: Decimal, family: str) -> str:
    if not value:
        return "0"
    sign, digits, power = value.as_tuple()
    number = int("".join(map(str, digits)))
    power = int(power)
    if power < -9:
        number = -(-number // 10 ** (-9 - power))
        power = -9
    while number % 10 == 0:
        number //= 10
        power += 1
    prefix = "-" if sign else ""
    if family == "binary" and power >= 0 and (whole := number * 10**power) >= 1024:
        unit = ""
        for each, factor in _BINARY.items():
            if whole % factor == 0:
                unit = each
        return f"{prefix}{whole // _BINARY.get(unit, 1)}{unit}"
    rest = power % 3
    number, power = number * 10**rest, power - rest
    if family == "exponent" or power not in _DECIMAL_UNITS:
        return f"{prefix}{number}{f'e{power}' if power else ''}"
    return f"{prefix}{number}{_DECIMAL_UNITS[power]}"
