from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opgen.meta import goparse


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1ns", 1),
        ("1.5us", 1500),
        ("1.0000000001s", 10**9),
        ("1h2m3s4ms5µs6ns", 3723004005006),
        ("9223372036854775807ns", 2**63 - 1),
        ("9223372036854775808ns", None),
        ("-9223372036854775808ns", -(2**63)),
        ("-9223372036854775809ns", None),
        ("0", 0),
        ("0h", 0),
        (".s", None),
        ("1", None),
        ("", None),
        ("+", None),
        ("1s ", None),
        ("1s1", None),
        ("\uff11s", None),
    ],
)
def test_durations(text: str, nanoseconds: int | None) -> None:
    assert goparse.duration_nanoseconds(text) == nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        "a@b",
        " a@b ",
        "é@ü.example",
        '"x" <a@b>',
        "a b c <a@b> (note)",
        "<a@b>",
        "a@b (x (y) \\) z)",
        "a@ b",
        "g: a@b;",
        "g: N <a@b> ; (c)",
        "a@[::1]",
        '"a\\"b"@c',
        "a(b) <c@d>",
    ],
)
def test_mail_addresses(text: str) -> None:
    assert goparse.is_mail_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "a@b.",
        ".a@b",
        "a.@b",
        '""@c',
        "a@b>",
        "x <a@b",
        "<a@b",
        "a@b (x",
        "a@[x]",
        "a@[1.2.3.4",
        "g: a@b",
        "g: a@b,;",
        "g: a@b, c@d;",
        "g:;",
        "x (y <a@b>",
        '"x <a@b>',
        "<>",
        "@",
        "a@",
        "a@\nb",
        "g: h: a@b;;",
        "a@b (c) d",
    ],
)
def test_what_is_no_mail_address(text: str) -> None:
    assert not goparse.is_mail_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "http://h",
        "//x",
        "HTTP://h:",
        "x+y.z-1:opaque",
        "http:/path",
        "http://h/#frag ment",
        "http://[fe80::1%25en0]:1/",
        "http://é/",
        "http://h%e4/",
        "http://u%41@h/",
        "/%41",
        "http://h?%zz",
        "s3://bucket/key",
    ],
)
def test_request_uris(text: str) -> None:
    assert goparse.is_request_uri(text)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a/b",
        "1http://x",
        "http://u^@h",
        "http://u%zz@h",
        "http://h|/",
        "http://[::1]x/",
        "http://[]/",
        "http://[::1%25]/",
        "http://h\x7f/",
        "é://h",
    ],
)
def test_what_is_no_request_uri(text: str) -> None:
    assert not goparse.is_request_uri(text)


@given(st.text('aé0123:./%@<>[]()"\\;, \n-_', max_size=20))
def test_no_text_makes_a_parser_fail(text: str) -> None:
    for check in (
        goparse.is_cidr,
        goparse.is_ipv4,
        goparse.is_ipv6,
        goparse.is_mac,
        goparse.is_mail_address,
        goparse.is_request_uri,
    ):
        assert check(text) in (True, False)
    goparse.duration_nanoseconds(text)
