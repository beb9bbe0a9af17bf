"""Which names become folders, modules and classes."""

from __future__ import annotations

import pytest

from opgen.crd.names import group_fault, is_group, is_label, kind_fault, label_fault, shown

HOSTILE = [
    "", ".", "..", "../x", "a/b", "a\\b", "a b", "a\nb", "a\n", "a\x00b", "A.b", "ä.b", "a..b", ".a.b", "a.b.", "-a.b",
    "a-.b", "a_b.c", "a.b$", "{{ x }}", "con:", "~", "%2e%2e", "a.b\u200b", "\uff41.b", "\u212a.b",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_group_is_refused(text: str) -> None:
    assert group_fault(text)
    assert not is_group(text)


@pytest.mark.parametrize("text", ["example.com", "a.b", "1.2", "x-y.z-1.io", "a" * 100 + ".b"])
def test_a_dns_name_is_a_group(text: str) -> None:
    assert group_fault(text) is None


def test_only_built_in_groups_have_no_dot() -> None:
    assert is_group("apps")
    assert group_fault("apps") == 'has no dot, expected a domain such as "cache.example.com"'


def test_a_group_has_at_most_253_characters() -> None:
    assert group_fault("a." + "b" * 251) is None
    assert group_fault("a." + "b" * 252) == "has 254 characters, expected at most 253"


@pytest.mark.parametrize("text", [*HOSTILE, "a.b", "1a", "a-", "V1", "v1_x"])
def test_a_hostile_label_is_refused(text: str) -> None:
    assert label_fault(text, "v1")
    assert not is_label(text)


@pytest.mark.parametrize("text", ["v1", "v1alpha1", "a", "a-b", "x" * 63])
def test_a_label_starts_with_a_letter(text: str) -> None:
    assert label_fault(text, "v1") is None


@pytest.mark.parametrize("text", [*HOSTILE, "a.b", "1a", "A-", "My Kind", "\u212aind", "K\u0131nd"])
def test_a_hostile_kind_is_refused(text: str) -> None:
    assert kind_fault(text)


@pytest.mark.parametrize("text", ["Memcached", "VMAgent", "memcached", "My-Kind", "K8s", "x" * 63])
def test_a_kind_is_a_label_in_any_case(text: str) -> None:
    assert kind_fault(text) is None


def test_long_names_are_refused() -> None:
    assert kind_fault("K" * 64) == "has 64 characters, expected at most 63"
    assert label_fault("k" * 300, "v1") == "has 300 characters, expected at most 63"


def test_what_is_shown_is_one_short_printable_line() -> None:
    assert shown("a\nb\x1b[31m\u202e\ud800é") == "a\\nb\\x1b[31m\\u202e\\ud800é"
    assert shown("x" * 80) == "x" * 80
    assert shown("x" * 10_000) == "x" * 77 + "..."
