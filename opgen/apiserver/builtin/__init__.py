"""The built-in kinds: their schemas (data without prose, see `_regenerate`) and how each is written."""

from __future__ import annotations

from opgen.apiserver.builtin.registry import built_in_kinds, definitions, object_meta

__all__ = ["built_in_kinds", "definitions", "object_meta"]
