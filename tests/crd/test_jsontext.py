"""JSON texts, as files and as what kubectl prints."""

from __future__ import annotations

from typing import Any

import pytest

from opgen.crd.jsontext import read_json
from opgen.crd.yaml import load_documents
from opgen.errors import CrdError


def values(text: str) -> list[Any] | None:
    found = read_json(text, "a.json")
    return None if found is None else [value for value, _ in found[0]]


def fault(text: str) -> str:
    with pytest.raises(CrdError) as caught:
        load_documents(text, "a.json")
    return str(caught.value.problem)


def test_json_is_read_as_it_stands() -> None:
    text = ' {"a": [1, 1.5, true, null, "on", "1e3"], "b\\u00e9": {}}\n'
    assert values(text) == [{"a": [1, 1.5, True, None, "on", "1e3"], "bé": {}}]


def test_numbers_are_as_the_api_server_has_them() -> None:
    assert values("[1.0, 1e3, -0, 9223372036854775807, 1E400]") is None
    found = values("[1.0, 1e3, -0, 9223372036854775807, 1.5e-3]")
    assert found == [[1, 1000, 0, 2**63 - 1, 0.0015]]
    assert [type(one) for one in found[0]] == [int, int, int, int, float]


def test_several_values_are_several_documents_with_lines() -> None:
    documents = load_documents('{"a": 1}\n\n{"b":\n 2}[3]\n', "a.json")
    assert [(one.value, one.line, one.index) for one in documents] == [
        ({"a": 1}, 1, 0),
        ({"b": 2}, 3, 1),
        ([3], 4, 2),
    ]


@pytest.mark.parametrize(
    "text", ["{a: 1}", "{'a': 1}", '{"a": 1,}', "{}\n---\n{}", "[on]", "{} x", "[1]: 2", "1", ""]
)
def test_what_is_no_json_is_left_to_yaml(text: str) -> None:
    assert values(text) is None


def test_a_flow_mapping_is_read_as_yaml() -> None:
    assert load_documents('{"a": on, b: 1,}', "x")[0].value == {"a": True, "b": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"a": 1,\n "b": {"c": 1, "c": 2}}',
            'a.json:2:16: OPG102: the key "c" stands twice in one mapping',
        ),
        (
            '{"é": "\\ud83d\\ude00", "é": 1}',
            'a.json:1:23: OPG102: the key "é" stands twice in one mapping',
        ),
        (
            '{"a": "{\\"", "\\u0061": 1}',
            'a.json:1:14: OPG102: the key "a" stands twice in one mapping',
        ),
        ('{"a": NaN}', None),
        ('{"a": .nan}', 'a.json:1:7: OPG105: ".nan" has no JSON value'),
        ('{"a": 1 "b": 2}', "a.json:1:12: OPG101: not YAML: did not find expected ',' or '}'"),
        ('{"a": [1, 2}', "a.json:1:12: OPG101: not YAML: did not find expected ',' or ']'"),
    ],
)
def test_a_fault_has_its_place(text: str, expected: str | None) -> None:
    if expected is None:
        assert load_documents(text, "x")[0].value == {"a": "NaN"}
    else:
        assert fault(text).startswith(expected)


def test_all_second_keys_are_told() -> None:
    found = read_json('[{"a": 1, "a": 2}, {"b": [{"c": 1, "c": 1}], "b": 2}]', "x")
    assert found is not None
    assert [str(one.location) for one in found[1]] == ["x:1:11", "x:1:36", "x:1:46"]


def test_pairs_of_surrogates_are_characters_and_lone_ones_are_replaced_as_in_go() -> None:
    assert values('{"a": "\\ud83d\\ude00"}') == [{"a": "😀"}]
    assert values('{"\\ud83d": ["\\ude00x", {"b": "y\\uD800"}], "c": 1}') == [
        {"\ufffd": ["\ufffdx", {"b": "y\ufffd"}], "c": 1}
    ]


def test_brackets_within_strings_do_not_nest() -> None:
    text = '{"a": "' + "[{" * 2000 + '"}'
    assert values(text) == [{"a": "[{" * 2000}]
