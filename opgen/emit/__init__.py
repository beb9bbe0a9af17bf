"""Meaning to files in memory: a pure function from an `Api` to rendered text."""

from opgen.emit.outputs import Owner, Rendered

__all__ = ["Owner", "Rendered"]
