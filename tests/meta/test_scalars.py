from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from opgen.meta import GoPattern, Int32, IntOrString, Model, Quantity, Time, UncheckedPattern
from opgen.meta.scalars import check_pattern


class Sample(Model):
    port: IntOrString | None = None
    small: Int32 | None = None
    count: Annotated[Int32, Field(ge=1, le=5)] | None = None
    memory: Quantity | None = None
    at: Time | None = None
    word: Annotated[str, GoPattern("^[a-z]+$")] | None = None


@pytest.mark.parametrize("value", [80, "80", "50%", 1.0, -1, 2**40])
def test_int_or_string_stays_what_it_is(value: Any) -> None:
    back = Sample.from_wire({"port": value}).to_wire()["port"]
    assert (type(back), back) == (type(value), value)


@pytest.mark.parametrize("value", [True, 1.5, {}, []])
def test_int_or_string_is_nothing_else(value: Any) -> None:
    with pytest.raises(ValidationError):
        Sample.from_wire({"port": value})


@pytest.mark.parametrize(
    ("value", "taken"), [(2**31 - 1, True), (2**31, False), (-(2**31) - 1, False), (1.0, True)]
)
def test_int32_has_a_range(value: Any, taken: bool) -> None:
    assert TypeAdapter(Sample).validator.isinstance_python({"small": value}) is taken


@pytest.mark.parametrize(
    ("value", "taken"), [(1, True), (5.0, True), (0, False), (6.0, False), ("1", False)]
)
def test_bounds_on_top_of_an_integer_hold_for_its_float_too(value: Any, taken: bool) -> None:
    assert TypeAdapter(Sample).validator.isinstance_python({"count": value}) is taken


def test_authoring_takes_plain_strings_for_scalars_and_gives_the_types() -> None:
    made = Sample.from_wire({"memory": "1Gi", "at": "2026-03-04T05:06:07Z"})
    assert isinstance(made.memory, Quantity)
    assert isinstance(made.at, Time)
    made.memory = Quantity("2Gi")
    assert made.to_wire() == {"memory": "2Gi", "at": "2026-03-04T05:06:07Z"}


def test_errors_name_what_was_expected() -> None:
    with pytest.raises(ValidationError, match='must be a quantity such as "500m"'):
        Sample.from_wire({"memory": "lots"})
    with pytest.raises(ValidationError, match="must be a time such as"):
        Sample.from_wire({"at": "yesterday"})
    with pytest.raises(ValidationError, match=r"should match '\^\[a-z\]\+\$'"):
        Sample.from_wire({"word": "A"})


@pytest.mark.parametrize(
    ("pattern", "usable"),
    [
        (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"),
        (r"^[[:print:]]+$", r"^[[:print:]]+$"),
        (r"^(?i)(abort|warn)?$", r"^(?i)(abort|warn)?$"),
        (r"^[^[]+$", r"^[^\[]+$"),
        (r"^[\w-_./]+$", r"^[0-9A-Z_a-z\-_./]+$"),
        (r"^\d{1,3}$", r"^[0-9]{1,3}$"),
        (r"\bword\b", r"(?-u:\b)word(?-u:\b)"),
        (r"a{,3}", r"a\{,3}"),
        (r"\<b\>", r"<b>"),
        (r"[a&&b]", r"[a\&\&b]"),
    ],
)
def test_a_pattern_is_rewritten_only_where_rust_reads_it_otherwise(
    pattern: str, usable: str
) -> None:
    assert check_pattern(pattern) == usable


@pytest.mark.parametrize(
    "pattern", [r"(?=a)", r"(a)\1", r"[z-a]", r"(", r"a**", r"[[:nope:]]", r"\y"]
)
def test_what_go_does_not_take_has_no_equal(pattern: str) -> None:
    assert check_pattern(pattern) is None


def test_a_pattern_too_large_for_rust_is_checked_all_the_same() -> None:
    pattern = r"^(?:[a-z]{1,1000}-){1,300}\d$"
    assert check_pattern(pattern) is None
    checked = TypeAdapter(Annotated[str, GoPattern(pattern)])
    assert checked.validate_python("ab-c-1") == "ab-c-1"
    with pytest.raises(ValidationError):
        checked.validate_python("ab-c-1\n")


def test_a_pattern_that_nothing_takes_fails_at_no_import_and_is_not_dropped_silently() -> None:
    unknown = GoPattern("(?=a)")
    assert repr(unknown) == "GoPattern('(?=a)')"
    with pytest.warns(UncheckedPattern, match=r'"\(\?=a\)" is not checked'):
        assert unknown.search("b")


def test_a_go_pattern_leaves_other_arms_of_a_union_alone() -> None:
    either = TypeAdapter(Annotated[IntOrString, GoPattern("^[0-9]+%$")])
    assert either.validate_python(5) == 5
    assert either.validate_python("5%") == "5%"
    with pytest.raises(ValidationError):
        either.validate_python("5")
