"""What generation produces: rendered files in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

__all__ = ["Owner", "Rendered"]

Owner = Literal["generated", "scaffold"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """One file in memory.

    `path` is relative to the output root and never leaves it; `text` is the whole file, newline at the end;
    `owner` says who may change it later: opgen (`generated`, rewritten and pruned) or the user (`scaffold`,
    written once); `source` is the input it was made from, as the user named it.
    """

    path: PurePosixPath
    text: str
    owner: Owner
    source: str
