"""Structural schemas at work: prune, default and validate objects as kube-apiserver does for custom resources.

A version's schema is compiled once (`compile_schema`) into a tree of `Node`; each node carries closures for the
common, good case, and the slow path with the server's exact causes runs only when something is wrong.
"""

from __future__ import annotations

from opgen.apiserver.schema.clean import clean, unknown_fields
from opgen.apiserver.schema.explain import explain
from opgen.apiserver.schema.node import Node, compile_schema

__all__ = ["clean", "compile_schema", "explain", "Node", "unknown_fields"]
