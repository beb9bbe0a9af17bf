"""YAML documents as kubectl reads them, and the place of each fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from opgen.crd import stream
from opgen.crd.positions import Positions
from opgen.crd.yaml import Document, load_documents, read_documents
from opgen.errors import CrdError, Location, Problems

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abyn0129.:-_ ", max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)  # fmt: skip


def value(text: str) -> Any:
    """Return the one value of a text."""
    (document,) = load_documents(text, "a.yaml")
    return document.value


def fault(text: str) -> str:
    """Return the one fault of a text as `line:column: CODE: text`."""
    with pytest.raises(CrdError) as caught:
        load_documents(text, "a.yaml")
    problem = caught.value.problem
    assert problem.location is not None
    assert problem.location.file == "a.yaml"
    return f"{problem.location.line}:{problem.location.column}: {problem.code}: {problem.text}"


def same(found: Any, expected: Any) -> bool:
    """Return whether two values are equal as Go's JSON has them, where a large float is an integer of its digits."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            same(found[key], expected[key]) for key in expected
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return (
        float(found) == expected
        if isinstance(expected, float)
        else found is expected or found == expected
    )


@given(JSON)
def test_json_values_come_back_through_yaml(expected: Any) -> None:
    found = value(yaml.safe_dump(expected, allow_unicode=True, default_style='"'))
    assert same(found, expected)


@given(JSON)
def test_json_values_come_back_through_json(expected: Any) -> None:
    assert same(value(json.dumps({"x": expected})), {"x": expected})


def test_quoted_words_stay_strings() -> None:
    assert value("[\"on\", 'yes', \"1\", '', \"null\", '~', \"1e3\", '2024-01-01']") == [
        "on", "yes", "1", "", "null", "~", "1e3", "2024-01-01",
    ]  # fmt: skip


def test_an_enum_of_comparisons_with_a_bare_equals_sign() -> None:
    assert value("enum: ['!=', =, =~, '!~']") == {"enum": ["!=", "=", "=~", "!~"]}


def test_an_enum_of_switches_is_booleans_for_the_api_server_too() -> None:
    assert value("enum: [on, off, YES, no, auto]") == {"enum": [True, False, True, False, "auto"]}


def test_block_scalars_are_strings() -> None:
    assert value("a: |\n  1\nb: >-\n  yes\n") == {"a": "1\n", "b": "yes"}


def test_keys_are_strings() -> None:
    found = value("1: a\ntrue: b\n1.5: c\n'2': d\n0x10: e\nno: f\n2024-01-01: g\n")
    assert found == {
        "1": "a",
        "true": "b",
        "1.5": "c",
        "2": "d",
        "16": "e",
        "false": "f",
        "2024-01-01": "g",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~: 1", "1:1: OPG105: a key is null, expected a string"),
        ("a: 1\n? [b]\n: 1\n", "2:3: OPG105: a key is a list, expected a string"),
        ("{a: {{x: 1}: 2}}", "1:6: OPG105: a key is a mapping, expected a string"),
        ("x:\n  .inf: 1", "2:3: OPG105: \".inf\" has no JSON value, expected a finite number"),
        ("x:\n  - 1\n  - .nan", "3:5: OPG105: \".nan\" has no JSON value, expected a finite number"),
        ("x: !!int y", "1:4: OPG105: \"y\" is no !!int"),
        ("a: 1\nb: 2\na: 3\n", "3:1: OPG102: the key \"a\" stands twice in one mapping"),
        ("a:\n  - {b: 1, 'b': 2}", "2:12: OPG102: the key \"b\" stands twice in one mapping"),
        ("1: a\n'1': b", "2:1: OPG102: the key \"1\" stands twice in one mapping"),
        ("yes: a\non: b", "2:1: OPG102: the key \"true\" stands twice in one mapping"),
        ("a: *b", "1:4: OPG101: not YAML: there is no anchor \"b\" above"),
        ("a: &x 1\n---\nb: *x", "3:4: OPG101: not YAML: there is no anchor \"x\" above"),
        ("<<: 1", "1:5: OPG105: the value of \"<<\" is no mapping, expected one or a list of them"),
        ("<<: [{a: 1}, 2]", "1:5: OPG105: the value of \"<<\" is no mapping, expected one or a list of them"),
        ("x: !!set {a}", "1:4: OPG105: the tag \"!!set\" has no JSON value, expected none"),
        ("x: !Sub [a]", "1:4: OPG105: the tag \"!Sub\" has no JSON value, expected none"),
        ("x: !!python/object:a {b: 1}", "1:4: OPG105: the tag \"!!python/object:a\" has no JSON value, expected none"),
    ],
)  # fmt: skip
def test_what_has_no_json_is_refused_with_its_place(text: str, expected: str) -> None:
    assert fault(text) == expected


@pytest.mark.parametrize("tag", ["!!binary", "!!python/name:os.system", "!Ref"])
def test_a_scalar_with_a_strange_tag_is_refused(tag: str) -> None:
    assert fault(f"a:\n  b: {tag} aGk=").startswith(
        f'2:6: OPG105: the tag "{tag}" has no JSON value'
    )


def test_tags_of_json_are_taken() -> None:
    text = "%TAG !y! tag:yaml.org,2002:\n---\na: !y!int '1'\nb: !!str 1\nc: !!map {d: 1}\ne: !!seq [1]\n"
    text += "f: ! 1\ng: ! [1]"
    assert value(text) == {"a": 1, "b": "1", "c": {"d": 1}, "e": [1], "f": "1", "g": [1]}


class TestSyntax:
    """The place and the hint of what the parser refuses."""

    @pytest.mark.parametrize(
        ("text", "place", "hint"),
        [
            ("a: b: c", "1:5", 'quote a value that holds ": "'),
            ("a:\n\t- x", "2:1", "indent with spaces, not tabs"),
            ("a: @x", "1:4", 'quote a value that starts with "@"'),
            ("a: `x`", "1:4", 'quote a value that starts with "`"'),
            ("a: 1\nbcd\n", "2:1", "a key needs a colon and a space after it"),
            ("a: 1\nb: 'x\nc: 2\n", "2:4", "the quote that starts here is never closed"),
            ("a: 'x\n---\nb: 1", "1:4", "the quote that starts here is never closed"),
            ("a: 1\n  b: 2", "2:4", 'quote a value that holds ": "'),
            ("- a\nb: c", "2:1", "compare the indentation with the lines above"),
            ("a:\n  b: 1\n c: 2", "3:2", "compare the indentation with the lines above"),
            ("a: [1, 2", "1:9", None),
            ('a: "\\q"', "1:5", None),
            ("%YAML 2.0\n---\na", "1:1", None),
            ("a: 1\nb: \x01", "2:4", "save the file as UTF-8 text"),
            ("ä: ö\nö: é\x00", "2:5", "save the file as UTF-8 text"),
            ("a: \ud800", "1:4", "save the file as UTF-8 text"),
            ("é: \ud800", "1:4", "save the file as UTF-8 text"),
            ("a: b\n\ufeffc: d\n", "2:2", "compare the indentation with the lines above"),
        ],
    )
    def test_a_fault_has_its_place_and_a_hint(
        self, text: str, place: str, hint: str | None
    ) -> None:
        with pytest.raises(CrdError) as caught:
            load_documents(text, "a.yaml")
        problem = caught.value.problem
        assert problem.code == "OPG101"
        assert problem.text.startswith("not YAML: ")
        assert (str(problem.location), problem.hint) == (f"a.yaml:{place}", hint)

    def test_a_character_that_is_not_allowed_is_named(self) -> None:
        assert fault("a: \x07") == "1:4: OPG101: not YAML: the character U+0007 is not allowed"

    def test_columns_count_characters(self) -> None:
        assert fault("ääää: [é, *x]") == '1:11: OPG101: not YAML: there is no anchor "x" above'

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_lines_count_as_editors_do(self, end: str) -> None:
        text = end.join(["a: 1", "b: 'x\u2028y\u0085z'", "", "c: *x"])
        assert fault(text) == '4:4: OPG101: not YAML: there is no anchor "x" above'

    def test_a_parser_without_libyaml_reads_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stream, "_PARSER", yaml.SafeLoader)
        assert value("a: &x [on, 1e3, =]\nb: *x\n<<: {c: 017}") == {
            "a": [True, 1000, "="], "b": [True, 1000, "="], "c": 15,
        }  # fmt: skip
        assert fault("a: b: c").startswith("1:5: OPG101: ")
        assert fault("é: \x07") == "1:4: OPG101: not YAML: the character U+0007 is not allowed"


class TestDocuments:
    """Several documents in one text."""

    def test_each_has_its_value_its_line_and_its_number(self) -> None:
        text = "# Source: x\na: 1\n---\n# nothing\n---\n\n- b\n...\n---\nplain\n"
        assert load_documents(text, "a.yaml") == [
            Document({"a": 1}, 2, 0),
            Document(None, 5, 1),
            Document(["b"], 7, 2),
            Document("plain", 10, 3),
        ]

    @pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "\ufeff", "---\n", "--- # x\n...\n"])
    def test_nothing_is_nothing(self, text: str) -> None:
        assert [document.value for document in load_documents(text, "a.yaml")] in ([], [None])

    def test_a_byte_order_mark_is_no_character(self) -> None:
        assert value("\ufeffa: 1") == {"a": 1}
        assert value('\ufeff{"a": 1}') == {"a": 1}
        assert fault("\ufeffa: *x").startswith("1:4: ")

    def test_a_byte_order_mark_may_start_a_later_document(self) -> None:
        assert [one.value for one in load_documents("a: 1\n---\n\ufeffb: 2\n", "x")] == [
            {"a": 1},
            {"b": 2},
        ]

    def test_windows_lines_are_lines(self) -> None:
        assert value("a: |\r\n  x\r\n  y\r\nb:\r\n  - 1\r\n") == {"a": "x\ny\n", "b": [1]}

    def test_all_faults_of_all_documents_are_told_and_the_others_read(self) -> None:
        text = "a: 1\na: 2\nb: .inf\n---\nc: [\n---\nd: 1\n---\ne: 'x\n---\nf: *x\n---\ng: 2\n"
        documents, problems = read_documents(text, "x")
        assert [(one.value, one.line, one.index) for one in documents] == [
            ({"d": 1}, 7, 2),
            ({"g": 2}, 13, 5),
        ]
        assert [(one.code, str(one.location)) for one in problems] == [
            ("OPG102", "x:2:1"), ("OPG105", "x:3:4"), ("OPG101", "x:6:1"), ("OPG101", "x:9:4"), ("OPG101", "x:11:4"),
        ]  # fmt: skip
        with pytest.raises(Problems) as caught:
            load_documents(text, "x")
        assert len(caught.value.problems) == 5

    def test_a_text_of_nothing_but_faults_is_given_up(self) -> None:
        documents, problems = read_documents("a: [\n---\n" * 1000 + "b: 1\n", "x")
        assert not documents
        assert len(problems) == 101
        assert Positions("a: [\n---\n" * 1000 + "b: 1\n", "x").lookup(("b",), 1000) == Location("x")

    def test_a_document_sign_within_a_value_is_none(self) -> None:
        assert value("a: |\n  ---\n  b\n") == {"a": "---\nb\n"}


class TestAnchors:
    """Anchors and merge keys become equal but independent values."""

    def test_an_alias_is_equal_and_independent(self) -> None:
        found = value("a: &x {b: [1, {c: 2}]}\nd: *x\ne: [*x, *x]\n")
        assert found["a"] == found["d"] == found["e"][0] == found["e"][1]
        found["a"]["b"][1]["c"] = 3
        assert found["d"] == found["e"][0] == {"b": [1, {"c": 2}]}
        found["e"][0]["b"].clear()
        assert found["e"][1] == {"b": [1, {"c": 2}]}

    def test_no_value_of_a_document_is_shared(self) -> None:
        found = value(
            "a: &x {b: &y [1], c: {}}\nd: *x\ne: {<<: *x}\nf: {<<: [*x, {g: *y}]}\nh: *y\n"
        )
        seen: set[int] = set()

        def visit(one: Any) -> None:
            if isinstance(one, dict | list):
                assert id(one) not in seen
                seen.add(id(one))
                for inner in one.values() if isinstance(one, dict) else one:
                    visit(inner)

        visit(found)
        assert found["f"] == {"b": [1], "c": {}, "g": [1]}

    def test_a_scalar_can_be_an_anchor_and_a_key_an_alias(self) -> None:
        assert value("a: &k key\n*k : &n 1\nb: *n\nc: &null\nd: *null") == {
            "a": "key", "key": 1, "b": 1, "c": None, "d": None,
        }  # fmt: skip

    def test_an_anchor_can_be_set_again(self) -> None:
        assert value("a: &x 1\nb: *x\nc: &x 2\nd: *x") == {"a": 1, "b": 1, "c": 2, "d": 2}

    def test_merged_keys_are_overridden_by_those_below(self) -> None:
        assert value("p: &p {a: 1, b: 1}\nq:\n  <<: *p\n  b: 2\n  c: 3\n")["q"] == {
            "a": 1,
            "b": 2,
            "c": 3,
        }

    def test_merged_keys_override_those_above_as_kubectl_has_it(self) -> None:
        assert value("p: &p {a: 1, b: 1}\nq:\n  b: 2\n  <<: *p\n")["q"] == {"b": 1, "a": 1}

    def test_of_several_merged_mappings_the_first_counts_most(self) -> None:
        assert value("<<: [{a: 1}, {a: 2, b: 2}]") == {"a": 1, "b": 2}

    def test_merging_twice_is_merging_both(self) -> None:
        assert value("<<: {a: 1}\n<<: {b: 2}") == {"a": 1, "b": 2}

    def test_a_tag_says_merge_too(self) -> None:
        assert value("p: &p {a: 1}\nq:\n  !!merge <<: *p\n  b: 2")["q"] == {"a": 1, "b": 2}

    def test_a_quoted_merge_key_is_a_key(self) -> None:
        assert value('"<<": {a: 1}') == {"<<": {"a": 1}}
        assert value("a: <<\nb: [<<]") == {"a": "<<", "b": ["<<"]}

    def test_a_key_that_was_overridden_once_can_not_be_again(self) -> None:
        assert (
            fault("<<: {a: 1}\na: 2\na: 3")
            == '3:1: OPG102: the key "a" stands twice in one mapping'
        )

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("a: &x {b: *x}", "1:11"),
            ("a: &x [1, *x]", "1:11"),
            ("a: &x\n  b: &y\n    - *y\n    - 1", "3:7"),
            ("a: &x\n  <<: *x\n", "2:7"),
            ("a: &x {*x : 1}", "1:8"),
        ],
    )
    def test_an_anchor_within_itself_is_an_error(self, text: str, place: str) -> None:
        with pytest.raises(CrdError) as caught:
            load_documents(text, "a.yaml")
        first = caught.value.problems[0]
        assert (first.code, str(first.location)) == ("OPG103", f"a.yaml:{place}")
        assert first.text.endswith("stands within itself, expected a value that ends")
        assert first.hint

    def test_aliases_that_multiply_are_refused(self) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 10)]
        text = fault("\n".join(lines))
        assert text.startswith("6:")
        assert text.endswith("OPG104: aliases multiply to more than 400,000 values")

    def test_merges_that_multiply_are_refused(self) -> None:
        lines = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(500)) + "}"]
        lines += [f"b{i}: {{<<: *a0}}" for i in range(1000)]
        assert "OPG104" in fault("\n".join(lines))

    def test_aliases_of_texts_cost_nothing(self) -> None:
        found = value("a: &x '" + "x" * 100_000 + "'\nb: [" + ", ".join(["*x"] * 10_000) + "]")
        assert len(found["b"]) == 10_000


class TestDepth:
    """Deep nesting is a clear error, never a crash."""

    @pytest.mark.parametrize(
        "text",
        [
            "[" * 501 + "]" * 501,
            "[" * 100_000,
            '{"a":' * 501 + "1" + "}" * 501,
            "{a: " * 5000,
            "- " * 501 + "x",
            "".join("  " * i + "a:\n" for i in range(502)),
            "a:\n" + "- " * 2000,
        ],
        ids=["list", "open", "json", "flow", "dashes", "block", "many"],
    )
    def test_more_than_500_levels_are_refused(self, text: str) -> None:
        assert "OPG104: nested more than 500 levels deep" in fault(text)

    @pytest.mark.parametrize(
        "text",
        [
            "[" * 500 + "]" * 500,
            '{"a":' * 500 + "1" + "}" * 500,
            "- " * 500 + "x",
            "".join("  " * i + "a:\n" for i in range(500)),
        ],
    )
    def test_500_levels_are_read(self, text: str) -> None:
        depth, found = 0, value(text)
        while isinstance(found, dict | list) and found:
            found = found["a"] if isinstance(found, dict) else found[0]
            depth += 1
        assert depth >= 499

    def test_the_place_of_json_too_deep_is_told(self) -> None:
        assert fault('{"x": 1,\n"a":' + '{"a":' * 500 + "1" + "}" * 501).startswith(
            "2:2500: OPG104"
        )

    def test_aliases_do_not_nest_beyond_it(self) -> None:
        lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [[[[[*a{i - 1}]]]]]" for i in range(1, 150)]
        assert "OPG104: nested more than 500 levels deep by aliases" in fault("\n".join(lines))
