"""What the documents tell a reader to type works, and prints what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import blocks_of, run_document


@pytest.mark.parametrize("document", ["README.md", "docs/types-library.md", "docs/operator.md"])
def test_every_block_of_a_walk_through_runs(document: str, tmp_path: Path) -> None:
    assert run_document(Path(document), tmp_path) > 5


def test_a_newcomer_needs_two_commands() -> None:
    first = next(block for block in blocks_of(Path("README.md")) if block.language == "sh")
    assert [line.split("#")[0].split() for line in first.text.splitlines()] == [
        ["make", "demo"],
        ["make", "test"],
    ]
