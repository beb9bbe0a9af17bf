"""Types of the whole corpus, generated once for all tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from opgen.project.apply import apply
from opgen.project.generate import Request, generate
from tests.shared import SHARED

PACKAGE = "corpus_types"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep this folder in one process: what all its tests need takes half a minute to make."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("corpus"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of 815 real CRDs."""
    assert SHARED is not None
    return SHARED / "corpus" / "dev"


@pytest.fixture(scope="session")
def types(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A package of types of the whole corpus, importable while the tests run."""
    root = tmp_path_factory.mktemp("corpus") / PACKAGE
    apply(generate(Request(root, (str(corpus),)), cwd=corpus))
    sys.path.insert(0, str(root.parent))
    yield root
    sys.path.remove(str(root.parent))


@pytest.fixture(scope="session")
def smoke(corpus: Path) -> list[str]:
    """The 48 CRDs that hold nearly every construct of the corpus."""
    lines = (corpus.parent / "SMOKE.txt").read_text("utf-8").split()
    return [str(corpus.parent / line) for line in lines if line.endswith(".yaml")]
