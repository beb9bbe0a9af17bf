"""What is found, and what is not, by the rules of Go's regexp; both engines must agree."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import SchemaValidator, core_schema

from opgen.meta.gopattern import Untranslatable, to_python, to_rust

CASES = [
    # pattern, found in, not found in
    (r"^\d+$", ["0", "42"], ["\u0663", "1\n", ""]),
    (r"^\w+$", ["a_Z9"], ["é", "a-b"]),
    (r"\s", ["\t", "\n", "\f", "\r", " "], ["\v", "\u00a0", "\u2003"]),
    (r"^[[:space:]]$", ["\v", " "], ["\u00a0"]),
    (r"^\S\W\D$", ["\v-\u00e9"], ["a-1"]),
    (r"\bx\b", ["x", "a x", "éxé"], ["ax", "_x"]),
    (r"^a\Bb$", ["ab"], ["a b"]),
    (r"^\B$", [""], ["a"]),
    (r"a$", ["a", "ba"], ["a\n"]),
    (r"(?m)^b$", ["a\nb\nc", "b"], ["ab"]),
    (r"^.$", ["a", "\r", "é"], ["\n"]),
    (r"(?s)^.$", ["\n"], [""]),
    (r"(?s:.)x(?-s).", ["\nxa"], ["\nx\n"]),
    (r"^[^a]$", ["\n", "b"], ["a"]),
    (r"^[]a]+$", ["]a"], ["b"]),
    (r"^[^]a]+$", ["b"], ["]"]),
    (r"^[-a]+$", ["-a"], ["b"]),
    (r"^[a-]+$", ["-a"], ["b"]),
    (r"^[+--]+$", ["+,-"], ["."]),
    (r"^[--/]+$", ["-./"], ["+"]),
    (r"^[\w-_./]+$", ["a-_./"], ["é", ","]),
    (r"^[a&&b]+$", ["a&b"], ["c"]),
    (r"^[a~~[]+$", ["~a["], ["]"]),
    (r"^[[a]+$", ["[a"], ["]"]),
    (r"^[[:^digit:]]+$", ["ab"], ["1"]),
    (r"^[^\d[:alpha:]]+$", ["-", "é"], ["1", "a"]),
    (r"^[\D]$", ["é", "\n"], ["5"]),
    (r"^a{,2}$", ["a{,2}"], ["aa"]),
    (r"^a{2}{$", ["aa{"], ["a"]),
    (r"^\x41\x{42}\103\0?$", ["ABC", "ABC\0"], ["abc"]),
    (r"^\Qa.b[\E+$", ["a.b[", "a.b[["], ["axb["]),
    (r"^\<\>\_\-\/$", ["<>_-/"], []),
    (r"\Aab\z", ["ab"], ["ab\n"]),
    (r"(?i)^k[s-t]$", ["K\u017f", "\u212aT", "ks"], ["kr"]),
    (r"(?i)^[^k]$", ["a"], ["K", "\u212a"]),
    (r"(?i)^a(?-i:b)$", ["Ab"], ["AB"]),
    (r"(?P<n>a)(?<m>b)", ["ab"], ["a"]),
    (r"(?U)^a+$", ["aa"], ["b"]),
    (r"(|a)b||c", ["b", ""], []),
]
RUST_ONLY = [
    (r"^\pL$", ["é", "a"], ["1"]),
    (r"^\p{^L}$", ["1"], ["é"]),
    (r"^[\P{Greek}x]$", ["a"], ["\u03b1"]),
    (r"^[^\p{Lu}-]$", ["a"], ["A", "-"]),
    (r"(?i)^é$", ["É"], ["e"]),
]


@pytest.mark.parametrize(
    ("pattern", "there", "not_there"), [*CASES, *RUST_ONLY], ids=lambda value: str(value)[:30]
)
def test_rust_finds_what_go_finds(pattern: str, there: list[str], not_there: list[str]) -> None:
    found = SchemaValidator(core_schema.str_schema(pattern=to_rust(pattern))).isinstance_python
    assert [text for text in there if not found(text)] == []
    assert [text for text in not_there if found(text)] == []


@pytest.mark.parametrize(
    ("pattern", "there", "not_there"), CASES, ids=lambda value: str(value)[:30]
)
def test_python_finds_what_go_finds(pattern: str, there: list[str], not_there: list[str]) -> None:
    found = re.compile(to_python(pattern)).search
    assert [text for text in there if not found(text)] == []
    assert [text for text in not_there if found(text)] == []


@pytest.mark.parametrize("pattern", [pattern for pattern, _, _ in RUST_ONLY])
def test_what_needs_the_tables_of_unicode_is_nothing_for_python(pattern: str) -> None:
    with pytest.raises(Untranslatable):
        to_python(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?=a)",
        r"(?!a)",
        r"(?<=a)b",
        r"(a)\1",
        r"*a",
        r"a**",
        r"(|*)",
        r"[a",
        r"[b-a]",
        r"\q",
        "a\\",
        r"[\b]",
        r"\x{110000}",
    ],
)
def test_what_go_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(Untranslatable):
        to_rust(pattern)


PIECES = st.sampled_from(
    [
        "a",
        "k",
        "é",
        ".",
        "^",
        "$",
        r"\d",
        r"\W",
        r"\s",
        r"\b",
        r"\x41",
        r"\-",
        "{",
        "[a-k]",
        "[^é]",
        "[a&&k]",
        "[--/]",
        r"[\w-.]",
        "[[:alpha:]]",
        "[^[:^digit:]]",
        "(a|b)",
        "(?i:K)",
        "(?s:.)",
        "(?m:^a$)",
        "a*",
        "(?:ab)+?",
        "b{1,2}",
        "|",
        r"\Q.\E",
    ]
)


@given(
    st.lists(PIECES, min_size=1, max_size=5),
    st.lists(st.text("aAbkK\u212aé.-&5_ \n\t{/", max_size=6), max_size=6),
)
def test_both_engines_agree(pieces: list[str], texts: list[str]) -> None:
    pattern = "".join(pieces)
    rust = SchemaValidator(core_schema.str_schema(pattern=to_rust(pattern))).isinstance_python
    python = re.compile(to_python(pattern)).search
    assert [rust(text) for text in texts] == [python(text) is not None for text in texts]
