from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from opgen.meta import Model, Quantity

FACTORS = {
    **{
        unit: Fraction(10) ** power
        for unit, power in zip(["n", "u", "m", "", *"kMGTPE"], range(-9, 21, 3), strict=True)
    },
    **{f"{unit}i": Fraction(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}

digits = st.text("0123456789", min_size=1, max_size=24)
numbers = st.one_of(
    digits,
    st.tuples(digits, st.text("0123456789", max_size=12)).map(".".join),
    digits.map(lambda text: "." + text),
)
suffixes = st.one_of(
    st.sampled_from(sorted(FACTORS)),
    st.tuples(st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 30)).map(
        lambda t: f"{t[0]}{t[1]}{t[2]}"
    ),
)
spellings = st.tuples(st.sampled_from(["", "+", "-"]), numbers, suffixes).map("".join)
quantities = spellings.map(Quantity)


def amount(spelling: str) -> Fraction:
    """Work the value of a spelling out another way: by rationals, from the right."""
    number = spelling.rstrip("EinumkKMGTPe" if not spelling[-1].isdigit() else "")
    if "e" in spelling.lower().removesuffix("e") and spelling[-1].isdigit():
        mantissa, _, exponent = spelling.lower().partition("e")
        return Fraction(mantissa.rstrip(".") or "0") * Fraction(10) ** int(exponent)
    return Fraction(number.rstrip(".")) * FACTORS[spelling[len(number) :]]


@pytest.mark.parametrize(
    ("wire", "canonical"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("1000m", "1"),
        ("1.5", "1500m"),
        ("1.2345", "1234500u"),
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("2000Ki", "2000Ki"),
        ("0.5Ki", "512"),
        ("1.1Ki", "1126400m"),
        ("-1.5Gi", "-1536Mi"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("1e4", "10e3"),
        ("129e6", "129e6"),
        ("1e-9", "1e-9"),
        ("1E", "1E"),
        ("1000E", "1e21"),
        ("1Ei", "1Ei"),
        ("8Ei", "9223372036854775807"),
        ("18446744073709551616", "18446744073709551616"),
        ("+1", "1"),
        (".5", "500m"),
        ("1.", "1"),
        ("1.G", "1G"),
        ("0.9n", "1n"),
        ("-0.1n", "-1n"),
        (1024, "1024"),
        (100000, "100k"),
        (1.0, "1"),
        (0.1, "100m"),
        (1e22, "10e21"),
    ],
)
def test_the_canonical_form_is_the_servers(wire: float | str, canonical: str) -> None:
    assert Quantity(wire).canonical() == canonical
    assert Quantity(wire).wire == wire


@pytest.mark.parametrize(
    "wire",
    [
        "",
        ".",
        "+",
        "abc",
        "1e",
        "1ee3",
        "1Kib",
        "1 ",
        "1\n",
        "Ki",
        "1e1.5",
        "1_0",
        "\u0661",
        "1i",
        "1.5.5",
    ],
)
def test_what_is_no_quantity_has_no_value(wire: str) -> None:
    broken = Quantity(wire)
    with pytest.raises(ValueError, match="is no quantity, expected a number with a suffix"):
        _ = broken.value
    assert broken == Quantity(wire)
    assert broken != Quantity("1")
    assert hash(broken) == hash(Quantity(wire))


@pytest.mark.parametrize("wire", [True, None, [], {}])
def test_only_strings_and_numbers_are_quantities(wire: object) -> None:
    with pytest.raises(TypeError, match="a quantity is a string or a number"):
        Quantity(wire)  # type: ignore[arg-type]


@given(spellings)
def test_the_value_is_exact(spelling: str) -> None:
    assert Fraction(Quantity(spelling).value) == amount(spelling)


@given(quantities)
def test_the_canonical_form_parses_to_the_value_and_is_its_own(quantity: Quantity) -> None:
    canonical = Quantity(quantity.canonical())
    assert canonical.canonical() == canonical.wire
    assert "." not in canonical.canonical()
    if abs(quantity.value) < 2**63 - 1:
        assert 0 <= abs(canonical.value) - abs(quantity.value) < Decimal("1e-9")


@given(quantities, quantities)
def test_order_equality_and_hash_go_by_value(left: Quantity, right: Quantity) -> None:
    a, b = Fraction(left.value), Fraction(right.value)
    assert (left == right, left < right, left <= right, left > right) == (
        a == b,
        a < b,
        a <= b,
        a > b,
    )
    assert left != right or hash(left) == hash(right)


whole = st.integers(-(10**15), 10**15)
coarse = st.tuples(whole, st.sampled_from(["n", "m", "", "k", "Ki", "Mi", "Gi"])).map(
    lambda t: Quantity(f"{t[0]}{t[1]}")
)


@given(coarse, coarse, st.integers(-1000, 1000))
def test_arithmetic_is_exact(left: Quantity, right: Quantity, factor: int) -> None:
    a, b = Fraction(left.value), Fraction(right.value)
    results = [left + right, left - right, left * factor, -left, abs(left), (left + right) - right]
    expected = [a + b, a - b, a * factor, -a, abs(a), a]
    for result, exact in zip(results, expected, strict=True):
        assert Fraction(result.value) == exact
        assert abs(exact) >= 2**63 or result.wire == result.canonical()


def test_arithmetic_keeps_the_family_of_suffixes() -> None:
    assert (Quantity("512Mi") + Quantity("512Mi")).wire == "1Gi"
    assert (Quantity("1Gi") * 3).wire == (3 * Quantity("1Gi")).wire == "3Gi"
    assert (Quantity("1Ki") - 1 + 1).wire == "1Ki"
    assert (Quantity("500m") + "500m").wire == "1"
    assert (Quantity("0") + Quantity("1Gi")).wire == "1Gi"
    assert (Quantity("1e3") + 1000).wire == "2e3"
    assert sum([Quantity("1Gi"), Quantity("2Gi")]) == "3Gi"


def test_arithmetic_with_anything_else_is_a_type_error() -> None:
    for other in (None, True, [], object()):
        with pytest.raises(TypeError):
            _ = Quantity("1") + other
    with pytest.raises(TypeError):
        _ = Quantity("1") * 1.5
    with pytest.raises(TypeError):
        _ = Quantity("1") < None


def test_numbers_and_strings_compare() -> None:
    assert Quantity("1") == 1 == Quantity("1000m")
    assert Quantity("1Ki") == "1024"
    assert Quantity("0.1") == 0.1
    assert Quantity("1") != "one"
    assert Quantity("1") != None  # noqa: E711
    assert Quantity("1") != True  # noqa: E712
    assert Quantity("1") < 2 < Quantity("3")
    assert {Quantity("5"): "five"}[Quantity("5000m")] == "five"
    assert {5: "five"}[Quantity("5")] == "five"  # type: ignore[index]


def test_an_integer_is_rounded_away_from_zero() -> None:
    assert (int(Quantity("1500m")), int(Quantity("-1500m")), float(Quantity("1500m"))) == (
        2,
        -2,
        1.5,
    )


def test_it_never_changes_and_copies_are_itself() -> None:
    quantity = Quantity("1Gi")
    with pytest.raises(AttributeError, match="can't be changed"):
        quantity.wire = "2Gi"
    assert copy.deepcopy(quantity) is quantity
    assert pickle.loads(pickle.dumps(quantity)).wire == "1Gi"
    assert (str(quantity), repr(quantity), bool(quantity), bool(Quantity("0m"))) == (
        "1Gi",
        "Quantity('1Gi')",
        True,
        False,
    )
    assert Quantity(quantity).wire == "1Gi"
    assert Quantity(Decimal("1E+3")).wire == "1000"
    with pytest.raises(ValueError, match="finite"):
        Quantity(Decimal("inf"))


class Limits(Model):
    memory: Quantity | None = None
    all: dict[str, Quantity] | None = None


@pytest.mark.parametrize("wire", ["1Gi", ".5", "+1", "1e3", 2, 2.0, "1e1.5"])
def test_decoding_keeps_the_spelling_and_parses_nothing(wire: float | str) -> None:
    decoded = Limits.from_wire({"memory": wire, "all": {"cpu": wire}})
    assert not hasattr(decoded.memory, "_value")
    back = decoded.to_wire()
    assert (type(back["memory"]), back) == (type(wire), {"memory": wire, "all": {"cpu": wire}})


@pytest.mark.parametrize("wire", ["", "1 Gi", "Gi", 1.5, True, [], "1gi"])
def test_decoding_refuses_what_the_pattern_of_kubernetes_refuses(wire: object) -> None:
    assert not TypeAdapter(Quantity).validator.isinstance_python(wire)


def test_models_compare_quantities_by_value() -> None:
    assert Limits.from_wire({"memory": "1Gi"}) == Limits.from_wire({"memory": "1024Mi"})
    assert Limits.from_wire({"memory": "1Gi"}) != Limits.from_wire({"memory": "1G"})
