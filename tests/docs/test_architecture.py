"""ARCHITECTURE.md shows the tree that there is, and the layers that are enforced."""

from __future__ import annotations

import re

from tests.repo.test_layers import contracts
from tests.repo.tree import ROOT, tracked

TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def drawn() -> dict[str, set[str]]:
    """Return the folders and files of the tree in the document: each top entry, and what is drawn under it."""
    block = re.search(r"## The tree\n.*?```text\n(.*?)```", TEXT, re.DOTALL)
    assert block
    tree: dict[str, set[str]] = {}
    top = ""
    for line in block[1].splitlines():
        name = line.split()[0].rstrip("/") if line.strip() else ""
        indent = len(line) - len(line.lstrip())
        if name and indent == 0:
            top = name
            tree[top] = set()
        elif name and indent == 2:
            tree[top].add(name)
    return tree


def real() -> dict[str, set[str]]:
    """Return the same of the repository, without dot files and package markers."""
    tree: dict[str, set[str]] = {}
    for path in tracked():
        top, *rest = path.parts
        if top.startswith("."):
            continue
        inside = tree.setdefault(top, set())
        if rest and rest[0] not in {"__init__.py", "__main__.py", "py.typed"}:
            inside.add(rest[0])
    return tree


def test_the_top_of_the_tree_is_as_drawn() -> None:
    assert set(drawn()) == set(real())


def test_the_second_level_is_as_drawn_where_it_is_drawn() -> None:
    have = real()
    assert {top: inside for top, inside in drawn().items() if inside} == {
        top: have[top] for top, inside in drawn().items() if inside
    }


def test_the_package_templates_tests_and_docs_are_drawn() -> None:
    assert all(drawn()[top] for top in ("docs", "examples", "opgen", "templates", "tests"))


def test_the_layers_are_those_that_are_enforced() -> None:
    pictured = re.search(r"## Layers\n.*?```text\n(.*?)```", TEXT, re.DOTALL)
    assert pictured
    enforced = [
        section["name"]
        for section in contracts().values()
        if section["name"] and section["type"] == "layers"
    ]
    rest = [section["name"] for section in contracts().values() if section["type"] != "layers"]
    lines = [line.strip() for line in pictured[1].splitlines() if line.strip()]
    assert lines == enforced + rest


def test_the_table_of_changes_names_paths_that_are_there() -> None:
    table = re.search(r"## To change something\n(.*?)\n## ", TEXT, re.DOTALL)
    assert table
    rows = [line for line in table[1].splitlines() if line.startswith("|")][2:]
    assert len(rows) >= 10
    missing = []
    for row in rows:
        for name in re.findall(r"`([\w./-]+)`", row.split("|")[2]):
            if not (ROOT / name).exists():
                missing.append(name)
    assert not missing
