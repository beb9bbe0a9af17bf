"""Where values stand, in YAML and in JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opgen.crd.positions import Positions
from opgen.crd.yaml import load_documents

YAML = """\
# Source: x
a: 1
b:
  - c: x
    d: [1, {e: 2}]
  - >-
    text
"f g": &anchor
  h: 1
i:
  <<: *anchor
  j: 2
k: *anchor
---
- l
--- {m: n}
"""


@pytest.mark.parametrize(
    ("path", "document", "place"),
    [
        ((), 0, "2:1"),
        (("a",), 0, "2:1"),
        (("b",), 0, "3:1"),
        (("b", 0), 0, "4:5"),
        (("b", 0, "c"), 0, "4:5"),
        (("b", 0, "d"), 0, "5:5"),
        (("b", 0, "d", 1), 0, "5:12"),
        (("b", 0, "d", 1, "e"), 0, "5:13"),
        (("b", 1), 0, "6:5"),
        (("f g",), 0, "8:1"),
        (("i", "j"), 0, "12:3"),
        (("i", "h"), 0, "9:3"),
        (("k",), 0, "13:1"),
        (("k", "h"), 0, "9:3"),
        ((0,), 1, "15:3"),
        ((), 1, "15:1"),
        (("m",), 2, "16:6"),
        # what is not there has the place of what would hold it
        (("b", 2), 0, "3:1"),
        (("b", "x"), 0, "3:1"),
        (("b", 0, "d", 1, "x", "y"), 0, "5:12"),
        (("a", "x"), 0, "2:1"),
        (("b", -1), 0, "3:1"),
        (("x",), 0, "2:1"),
    ],
)
def test_a_path_has_its_place(path: tuple[str | int, ...], document: int, place: str) -> None:
    assert str(Positions(YAML, "a.yaml").lookup(path, document)) == f"a.yaml:{place}"


def test_a_document_that_is_not_there_is_the_file() -> None:
    assert str(Positions(YAML, "a.yaml").lookup(("a",), 9)) == "a.yaml"
    assert str(Positions("", "a.yaml").lookup(())) == "a.yaml"
    assert str(Positions("a: [", "a.yaml").lookup(("a",))) == "a.yaml:1:1"


def test_documents_are_counted_as_when_they_are_read() -> None:
    text = "a: [\n---\nb: 1\n---\nc: 'x\n---\nd: 1\n"
    assert str(Positions(text, "x").lookup(("b",), 1)) == "x:3:1"
    assert str(Positions(text, "x").lookup(("d",), 3)) == "x:7:1"


@pytest.mark.parametrize(
    ("path", "document", "place"),
    [
        ((), 0, "1:1"),
        (("a",), 0, "1:2"),
        (("é", 1, "b"), 0, "2:16"),
        (("é", 1), 0, "2:15"),
        (("é", 2), 0, "2:26"),
        (("q:}",), 0, "3:2"),
        (("long" * 500,), 0, "4:1"),
        (("é", 3), 0, "2:2"),
        (("x",), 1, "5:2"),
    ],
)
def test_json_has_places(path: tuple[str | int, ...], document: int, place: str) -> None:
    text = (
        '{"a": "\\ud83d\\ude00",\n "\\u00e9": [1,{"b": {}}, "]"],\n "q:}": "\\"",\n"'
        + "long" * 500
        + '": 1}\n{"x": 1}'
    )
    assert str(Positions(text, "a.json").lookup(path, document)) == f"a.json:{place}"


def test_a_byte_order_mark_takes_no_column() -> None:
    assert str(Positions("\ufeffa: 1", "x").lookup(("a",))) == "x:1:1"


def test_keys_that_are_no_strings_are_found_by_their_strings() -> None:
    text = "1: a\non: b\n!!str 2: c\n.inf: d\n? {x: y}\n: e\n"
    positions = Positions(text, "x")
    assert [positions.lookup((key,)).line for key in ("1", "true", "2", ".inf")] == [1, 2, 3, 4]


def test_merging_without_end_is_given_up() -> None:
    lines = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(500)) + "}"]
    lines += [f"b{i}: {{<<: *a0, x: 1}}" for i in range(1000)]
    positions = Positions("\n".join(lines), "x")
    assert positions.lookup(("b700", "k1")).line == 1
    assert positions.lookup(("b999", "k1")).line == 1001
    assert positions.lookup(("b999", "x")) > positions.lookup(("b999", "k1"))


VALUES = st.recursive(
    st.integers() | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text("abc é{}[]:,\"'#&*", max_size=4), inner, min_size=1, max_size=3)
    ),
)


@given(st.dictionaries(st.text(max_size=3), VALUES, min_size=1), st.sampled_from([None, 1]))
def test_every_member_of_json_is_found_where_it_stands(
    value: dict[str, object], indent: int | None
) -> None:
    text = json.dumps(value, indent=indent)
    positions, lines = Positions(text, "x"), text.split("\n")

    def visit(one: object, path: tuple[str | int, ...]) -> None:
        pairs = (
            list(one.items())
            if isinstance(one, dict)
            else list(enumerate(one))
            if isinstance(one, list)
            else []
        )
        for key, inner in pairs:
            place = positions.lookup((*path, key))
            start = json.dumps(key if isinstance(one, dict) else inner)[:1]
            assert lines[place.line - 1][place.column - 1] == start
            if isinstance(one, dict):
                assert lines[place.line - 1][place.column - 1 :].startswith(json.dumps(key) + ": ")
            visit(inner, (*path, key))

    visit(load_documents(text, "x")[0].value, ())
