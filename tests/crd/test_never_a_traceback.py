"""Whatever is read, the only exceptions are opgen's own, and what is read is fit to go on with."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opgen.crd import from_objects, load_texts
from opgen.crd.positions import Positions
from opgen.crd.sources import Text, decoded
from opgen.crd.yaml import read_documents
from opgen.errors import OpgenError, Problem
from tests.crd.crds import TEXT, crd
from tests.crd.test_v1beta1 import OLD

SCHEMA_WORDS = (
    "type properties items additionalProperties allOf anyOf oneOf not enum required default nullable format pattern"
    " minimum maxLength $ref x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type"
    " x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields x-kubernetes-embedded-resource"
    " x-kubernetes-validations metadata kind rule message reason string object array integer map set atomic"
).split()

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats()
    | st.sampled_from([*SCHEMA_WORDS, "", "{{ x }}"])
)
ANY = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(SCHEMA_WORDS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=12,
)


def is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(type(key) is str and is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(is_json, value))
    return value is None or type(value) in (str, bool, int, float)


def read(text: str) -> None:
    """Read a text in every way there is; raises what is no OpgenError."""
    documents, problems = read_documents(text, "x")
    assert all(is_json(document.value) for document in documents)
    for problem in problems:
        assert isinstance(problem, Problem)
        assert problem.location is not None
        assert problem.location.line > 0
    positions = Positions(text, "x")
    for document in documents:
        assert positions.lookup(("spec", "versions", 0, "name"), document.index).line > 0
    try:
        loaded = load_texts([Text("x", text)])
    except OpgenError as error:
        found = list(error.problems)
    else:
        found = list(loaded.problems)
        for one in loaded.crds:
            json.dumps(one.raw).encode()
    for problem in found:
        assert "\n" not in problem.text
        str(problem).encode("utf-8", "surrogateescape" if problem.code == "OPG106" else "strict")


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    try:
        text = decoded(data, "x")
    except OpgenError:
        return
    read(text)


@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    read(text)


@given(st.text("abc01:-?&*!<>|{}[],#'\"%@`~. \n\t\\_=+eyonN", max_size=60))
def test_any_punctuation(text: str) -> None:
    read(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "&a ",
                "*a",
                "<<: ",
                "a: ",
                "b: ",
                "- ",
                "\n",
                "  ",
                "[",
                "]",
                "{",
                "}",
                ", ",
                "!!x ",
                "---\n",
                "1",
                "? ",
            ]
        )
    )
)
def test_any_words_of_yaml(words: list[str]) -> None:
    read("".join(words))


@pytest.mark.parametrize(
    "original",
    [TEXT, OLD, json.dumps(crd({"type": "object"}), indent=1)],
    ids=["v1", "v1beta1", "json"],
)
@settings(max_examples=200)
@given(data=st.data())
def test_any_damage_to_a_crd(original: str, data: st.DataObject) -> None:
    text = original
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(at, min(at + 12, len(text))))
        put = data.draw(
            st.sampled_from(
                [
                    "",
                    "\n",
                    "  ",
                    "\t",
                    "{{ x }}",
                    "[",
                    "}",
                    "&a *a",
                    "*b",
                    "<<: ",
                    "\x00",
                    "null",
                    "on",
                    ": ",
                    "- ",
                    "'",
                    "5",
                ]
            )
            | st.text(max_size=3)
        )
        text = text[:at] + put + text[end:]
    read(text)


@given(ANY)
def test_any_schema(schema: Any) -> None:
    try:
        loaded = from_objects([crd(schema)], "x")
    except OpgenError:
        return
    assert len(loaded.crds) == 1


@given(st.dictionaries(st.sampled_from(SCHEMA_WORDS), ANY, max_size=6))
def test_any_keywords(schema: dict[str, Any]) -> None:
    for problem in from_objects(
        [crd({"type": "object", "properties": {"a": schema}, "anyOf": [schema]})], "x"
    ).problems:
        assert "\n" not in problem.text


SPEC_WORDS = (
    "group scope names kind plural singular listKind shortNames categories versions name served storage schema"
    " openAPIV3Schema subresources status scale specReplicasPath additionalPrinterColumns jsonPath selectableFields"
    " deprecated deprecationWarning preserveUnknownFields validation version metadata spec items"
).split()
ANY_SPEC = st.recursive(
    LEAVES | st.sampled_from(["example.com", "Teapot", "teapots", "v1", "Namespaced"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(SPEC_WORDS), inner, max_size=6)
    ),
    max_leaves=15,
)


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
@given(spec=ANY_SPEC, metadata=ANY_SPEC)
def test_any_spec(version: str, spec: Any, metadata: Any) -> None:
    raw = crd({"type": "object"})
    raw["apiVersion"] = f"apiextensions.k8s.io/{version}"
    raw["metadata"] = metadata
    whole = raw["spec"]
    for candidate in (spec, {**whole, **spec} if isinstance(spec, dict) else whole):
        raw["spec"] = candidate
        with contextlib.suppress(OpgenError):
            from_objects([raw], "x")


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
@given(version_entry=st.dictionaries(st.sampled_from(SPEC_WORDS), ANY_SPEC, max_size=6))
def test_any_version(version: str, version_entry: dict[str, Any]) -> None:
    raw = crd({"type": "object"})
    raw["apiVersion"] = f"apiextensions.k8s.io/{version}"
    raw["spec"]["versions"][0].update(version_entry)
    try:
        (found,) = from_objects([raw], "x").crds
    except OpgenError:
        return
    assert found.locate(("spec", "versions", 0)).file == "x"


@given(
    st.dictionaries(
        st.sampled_from(["openapi", "paths", "components", "swagger", "definitions", "schemas"]),
        ANY,
        max_size=5,
    )
)
def test_any_openapi_document(value: dict[str, Any]) -> None:
    read(json.dumps({"openapi": "3.0", **value}))


def test_a_great_deal_of_noise() -> None:
    noise = random.Random(7)
    words = TEXT.split()
    for _ in range(50):
        read(" ".join(noise.choice([*words, "\n", "\n  ", "\n- ", ": "]) for _ in range(40)))
