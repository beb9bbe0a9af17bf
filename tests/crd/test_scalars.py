"""goyaml.v2's scalars, as JSON carries them on."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opgen.crd.scalars import BadScalar, float_value, key_text, plain, tagged

SAME: list[tuple[str, Any]] = [
    # words
    *[(word, True) for word in "y Y yes Yes YES on On ON true True TRUE".split()],
    *[(word, False) for word in "n N no No NO off Off OFF false False FALSE".split()],
    *[(word, None) for word in ["", "~", "null", "Null", "NULL"]],
    *[(word, word) for word in "yEs oN nO tRUE nULL Yess none None nan inf =".split()],
    # integers
    ("0", 0),
    ("-0", 0),
    ("+12", 12),
    ("685_230", 685230),
    ("+685_230", 685230),
    ("1__0_", 10),
    ("017", 15),
    ("-017", -15),
    ("0o17", 15),
    ("0O17", 15),
    ("02472256", 685230),
    ("0x_0A_74_AE", 685230),
    ("0XfF", 255),
    ("-0x10", -16),
    ("0b1010_0111", 167),
    ("-0b101010", -42),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("18446744073709551615", 2**64 - 1),
    ("0x10000000000000000", 2**64),
    # floats, of which the whole ones are integers in JSON
    ("1.5", 1.5),
    ("-1.5", -1.5),
    (".5", 0.5),
    ("-.5", -0.5),
    ("1.0", 1),
    ("1.", 1),
    ("1e3", 1000),
    ("1E3", 1000),
    ("1e-3", 0.001),
    ("123456e1", 1234560),
    ("685.230_15e+03", 685230.15),
    ("08", 8),
    ("09.5", 9.5),
    ("1.10", 1.1),
    ("18446744073709551616", 1.8446744073709552e19),
    ("1e21", 1e21),
    ("1234567890123456789.0", 1234567890123456800),
    # strings
    *[
        (text, text)
        for text in [
            "1:30", "12:30:00", "190:20:30.15", "2024-01-01", "2024-01-01T00:00:00Z", "2001-12-14 21:59:43.10 -5",
            "1.2.3", "0x", "0b", "0b2", "0o8", "0xg", "1e", "e3", ".", "..", "-", "+", "+-1", "-_", ".5_0", ".e3",
            "1e999", "-1e999", "_1", "1k", "50cent_of_dollar", "-b_c", "+.nan", "-.nan", ".infinity", "<<", "@", "٣",
            "1٣", "0644x", "1,000", "0 1", "--1",
        ]
    ],
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SAME, ids=[repr(text) for text, _ in SAME])
def test_a_plain_scalar_is_what_kubectl_makes_of_it(text: str, value: Any) -> None:
    found = plain(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"])
def test_what_json_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(BadScalar, match=f'"{text.replace("+", "[+]")}" has no JSON value'):
        plain(text)


def test_a_number_of_many_digits_is_no_reason_to_fail() -> None:
    assert plain("9" * 300) == float("9" * 300)
    assert plain("9" * 10_000) == "9" * 10_000
    assert plain("0x" + "f" * 5000) == int("f" * 5000, 16)


@given(st.integers(-(2**63), 2**64 - 1))
def test_an_integer_is_itself(number: int) -> None:
    assert plain(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_itself(number: float) -> None:
    assert float(plain(repr(number))) == number
    found = float_value(repr(number))
    assert found is not None
    assert float(json.dumps(found)) == number


@given(st.text(max_size=20))
def test_any_text_is_a_json_value_or_refused(text: str) -> None:
    try:
        value = plain(text)
    except BadScalar:
        return
    assert value is None or isinstance(value, bool | int | float | str)
    if isinstance(value, str):
        assert value == text


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        ("str", "1", "1"),
        ("str", "", ""),
        ("int", "1", 1),
        ("int", "0x1_0", 16),
        ("float", "1", 1),
        ("float", "1.1", 1.1),
        ("bool", "yes", True),
        ("null", "", None),
        ("null", "~", None),
        ("timestamp", "2024-01-01", "2024-01-01"),
        ("value", "=", "="),
        ("merge", "x", "x"),
    ],
)
def test_a_tag_says_what_a_scalar_is(tag: str, text: str, value: Any) -> None:
    found = tagged(f"tag:yaml.org,2002:{tag}", text)
    assert found == value
    assert type(found) is type(value)


def test_the_tag_of_no_kind_makes_a_string() -> None:
    assert tagged("!", "1") == "1"


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("int", "x"), ("int", "1.5"), ("int", "1e3"), ("int", ""), ("int", "yes"),
        ("float", "x"), ("float", "on"), ("bool", "1"), ("bool", ""), ("null", "0"),
    ],
)  # fmt: skip
def test_a_tag_that_does_not_fit_is_refused(tag: str, text: str) -> None:
    with pytest.raises(BadScalar, match=f'"{text}" is no !!{tag}'):
        tagged(f"tag:yaml.org,2002:{tag}", text)


@pytest.mark.parametrize(
    ("tag", "shown"),
    [
        ("tag:yaml.org,2002:binary", "!!binary"),
        ("tag:yaml.org,2002:python/object/apply:os.system", "!!python/object/apply:os.system"),
        ("!Ref", "!Ref"),
        ("str", "str"),
    ],
)
def test_a_tag_without_json_is_refused(tag: str, shown: str) -> None:
    with pytest.raises(BadScalar, match=f'the tag "{shown}" has no JSON value'):
        tagged(tag, "x")


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ("x", "x"),
        ("", ""),
        (1, "1"),
        (-(2**63), "-9223372036854775808"),
        (True, "true"),
        (False, "false"),
        (1.5, "1.5"),
        (-0.5, "-0.5"),
        (0.1234567891, "0.12345679"),
        (1234567.5, "1.2345675e+06"),
        (0.00001, "1e-05"),
        (0.0001, "0.0001"),
        (1e300, ".inf"),
        (-1e300, "-.inf"),
    ],
)
def test_a_key_becomes_the_string_that_kubectl_makes(value: Any, key: str) -> None:
    assert key_text(value) == key


@pytest.mark.parametrize(
    ("value", "what"),
    [(None, "null"), ({}, "a mapping"), ([], "a list"), (2**63, "a number of more than 64 bits")],
)
def test_a_key_that_kubectl_refuses_is_refused(value: Any, what: str) -> None:
    with pytest.raises(BadScalar, match=f"a key is {what}, expected a string"):
        key_text(value)
