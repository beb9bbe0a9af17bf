from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from opgen.crd.yaml import load_documents
from opgen.project.yamltext import dump_yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ODD = st.sampled_from(
    ["", "y", "No", "on", "~", "null", "1e3", "0o17", "017", "1:30", "=", "2024-01-01", "- a", "a: b", "#x", "a #b",
     "0x1f", ".5", "+1", "1_000", "<<", "&a", "*a", "!x", "%y", "@z", "`", "'", '"', "a\nb", "a\n", "\na", " a", "a ",
     "\t", "?", "|", ">", "{}", "[]", "---", "...", "\ufeff", "\u2028", "\x85", "\x7f", "a: |\n  b", "True", "Yes"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | TEXT | ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | ODD, inner, max_size=4),
    max_leaves=12,
)


def read(text: str) -> Any:
    """Return what kubectl's dialect makes of a text."""
    (document,) = load_documents(text, "x")
    return document.value


@given(st.dictionaries(TEXT | ODD, JSON, min_size=1, max_size=4))
def test_kubectl_reads_what_was_written(value: dict[str, Any]) -> None:
    assert read(dump_yaml(value)) == value


@given(st.dictionaries(TEXT | ODD, JSON, min_size=1, max_size=4))
def test_python_reads_the_same(value: dict[str, Any]) -> None:
    assert yaml.safe_load(dump_yaml(value)) == value


@pytest.mark.parametrize(
    "text", ["y", "no", "On", "NULL", "1e3", "0o17", "1:30", "=", "2024-01-01", "1.0", "0644"]
)
def test_what_any_dialect_could_misread_is_quoted(text: str) -> None:
    assert dump_yaml({"a": text}) == f'a: "{text}"\n'


@pytest.mark.parametrize("text", ["example.com", "a b c", "apps/v1", "x_y-z", "Namespaced", "/a/b"])
def test_plain_words_stand_without_quotes(text: str) -> None:
    assert dump_yaml({"a": text}) == f"a: {text}\n"


def test_short_lists_of_words_stand_on_one_line_and_keys_in_their_order() -> None:
    assert dump_yaml({"b": ["get", "list"], "a": [{"x": 1}]}) == "b: [get, list]\na:\n- x: 1\n"


def test_texts_of_several_lines_are_blocks_and_equal_values_are_written_out() -> None:
    same = {"x": "one\ntwo\n"}
    assert (
        dump_yaml({"a": same, "b": same})
        == "a:\n  x: |\n    one\n    two\nb:\n  x: |\n    one\n    two\n"
    )
