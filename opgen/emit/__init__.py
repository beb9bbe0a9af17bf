"""Meaning to files in memory: a pure function from an `Api` to rendered text."""
