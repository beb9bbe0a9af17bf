"""Validation of an update: what was wrong before and did not change is tolerated (CRD validation ratcheting)."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.schema.explain import explain
from opgen.apiserver.schema.node import Node
from opgen.apiserver.status import FieldError

__all__ = ["explain_update"]


def explain_update(new: Any, old: Any, node: Node) -> list[FieldError]:
    """Return what is wrong with `new` and not excused by `old`."""
    return explain(new, node)
