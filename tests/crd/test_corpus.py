"""Real CRDs, and what a real API server said of CRDs: read in place, skipped where they are not there."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from opgen.crd import from_objects, load, load_texts
from opgen.crd.positions import Positions
from opgen.crd.sources import Text
from opgen.crd.yaml import load_documents
from opgen.errors import OpgenError
from tests.shared import SHARED, needs_shared

pytestmark = [pytest.mark.corpus, needs_shared]

CORPUS = (SHARED or Path()) / "corpus"


def smoke() -> list[Path]:
    names = (CORPUS / "SMOKE.txt").read_text().split() if SHARED else []
    return [CORPUS / name for name in sorted(names)]


def test_all_crds_load_without_a_word_about_their_schemas() -> None:
    loaded = load([str(CORPUS / "dev")], cwd=CORPUS)
    assert len(loaded.crds) == 815
    assert sum(len(crd.versions) for crd in loaded.crds) == 960
    assert all(version.schema is not None for crd in loaded.crds for version in crd.versions)
    # The API server took all of these; what is said of them is advice.
    assert Counter((problem.code, problem.severity) for problem in loaded.problems) == {
        ("OPG129", "note"): 1,
        ("OPG132", "note"): 23,
        ("OPG132", "warning"): 2,
    }


class _Plain(yaml.CSafeLoader):
    """PyYAML's loader without the resolvers that it fails over, or that know types without JSON."""


_Plain.yaml_implicit_resolvers = {
    key: [pair for pair in pairs if not pair[0].endswith((":value", ":timestamp"))]
    for key, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


@pytest.mark.parametrize("path", smoke(), ids=lambda path: path.stem)
def test_values_are_those_of_pyyaml_where_the_dialects_agree(path: Path) -> None:
    text = path.read_text()
    assert [one.value for one in load_documents(text, "x")] == list(
        yaml.load_all(text, Loader=_Plain)
    )


@pytest.mark.parametrize("path", smoke()[::8], ids=lambda path: path.stem)
def test_places_are_those_of_pyyaml(path: Path) -> None:
    text = path.read_text()
    positions = Positions(text, "x")

    def visit(node: yaml.Node, place: tuple[str | int, ...], depth: int) -> None:
        if isinstance(node, yaml.MappingNode):
            pairs: list[Any] = [(key.value, key, value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            pairs = [(i, item, item) for i, item in enumerate(node.value)]
        else:
            return
        for name, marked, value in pairs:
            if name != "<<":
                found, mark = positions.lookup((*place, name)), marked.start_mark
                assert (found.line, found.column) == (mark.line + 1, mark.column + 1)
                if depth < 12:
                    visit(value, (*place, name), depth + 1)

    root = next(yaml.compose_all(text, Loader=_Plain))
    visit(root, (), 0)


# What reading does not look at: CEL, the insides of defaults, Go's regular expressions, conversion, who owns a group.
OUT_OF_SCOPE = {
    "crd/k8s-group",
    "crd/schema-bad-cel",
    "crd/schema-bad-pattern",
    "crd/schema-cel-cost",
    "crd/schema-cel-message-string-concat",
    "crd/schema-cel-not-bool",
    "crd/schema-cel-oldself-in-atomic-list",
    "crd/schema-cel-syntax",
    "crd/schema-default-lacks-required-default",
    "crd/schema-lookahead-pattern",
    "crd/schema-unpruned-default",
    "crd/webhook-conversion-invalid",
}


def verdicts() -> list[tuple[str, Any, int]]:
    """Return the CRDs that were posted to a real API server, with its verdict."""
    if SHARED is None:
        return []
    found = []
    for line in (SHARED / "golden" / "apiserver" / "scenarios.jsonl").read_text().splitlines():
        scenario = json.loads(line)
        for step in scenario["steps"] if scenario["name"].startswith("crd/") else ():
            request = step.get("request", {})
            if request.get("method") == "POST" and request["path"].endswith(
                "/customresourcedefinitions"
            ):
                status = step["response"]["status"]
                if status in (201, 422) and isinstance(request.get("body"), dict):
                    found.append((scenario["name"], request["body"], status))
    return found


@pytest.mark.parametrize(("name", "body", "status"), verdicts(), ids=[one[0] for one in verdicts()])
def test_strict_agrees_with_a_real_api_server(name: str, body: Any, status: int) -> None:
    if name in OUT_OF_SCOPE:
        pytest.skip("not a matter of reading")
    read = partial(from_objects, [body], "x", strict=True)
    if status == 201:
        assert len(read().crds) == 1
    else:
        with pytest.raises(OpgenError):
            read()


@pytest.mark.parametrize("name", sorted(OUT_OF_SCOPE))
def test_what_is_out_of_scope_is_there(name: str) -> None:
    assert name in {one[0] for one in verdicts()}


def test_the_built_in_kinds_are_recognised() -> None:
    folder = CORPUS.parent / "golden" / "openapi"
    loaded = load([str(folder)], cwd=folder)
    named = {(one.group, one.version, Path(one.source).name) for one in loaded.documents}
    expected = set()
    for path in folder.glob("*.json"):
        parts = path.stem.split("_")
        expected.add(("" if parts[0] == "api" else parts[1], parts[-1], path.name))
    assert named == expected
    assert len(named) == 16
    assert not loaded.crds


def test_a_text_can_be_given_instead_of_a_file() -> None:
    path = smoke()[0]
    assert (
        load_texts([Text("x", path.read_text())]).crds[0].versions
        == load([str(path)]).crds[0].versions
    )
