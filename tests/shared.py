"""Where the recorded behaviour of a real API server and the corpus of real CRDs lie, when they are there.

They are other people's work, so they are read in place and never copied; a checkout without them skips those tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["SHARED", "needs_shared"]


def _find() -> Path | None:
    named = os.environ.get("OPGEN_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    return folder if (folder / "corpus").is_dir() else None


SHARED = _find()

needs_shared = pytest.mark.skipif(
    SHARED is None,
    reason="the shared corpus and recordings are not here; set OPGEN_SHARED to their folder",
)
