"""YAML and JSON as kubectl reads them, at the speed of libyaml, with a place for every fault.

PyYAML's constructors follow YAML 1.1, so only its parser is used: values are built from its events here, by the rules
of `opgen.crd.scalars`. That needs no recursion, so no nesting is too deep for the stack; and no node tree, so it is
faster than `yaml.load`. Keys are always strings, and a key that stands twice is an error. An alias gives a value that
is equal and independent; anchors that hold themselves and aliases that multiply are refused. `<<` merges where it
stands, as goyaml.v2 does: it overrides what stands above it and is overridden by what follows.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from opgen.crd.jsontext import read_json
from opgen.crd.scalars import HINTS, BadScalar, key_text, plain, tagged
from opgen.crd.stream import MAX_DEPTH, Stream, is_merge
from opgen.errors import CrdError, Problem, Problems

__all__ = ["Document", "load_documents", "read_documents"]

_MAX_ALIASED = 400_000
_COLLECTIONS = ("!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(frozen=True)
class Document:
    """One document of a file: its JSON value, the line it starts at (from 1), and which one it is (from 0)."""

    value: Any
    line: int
    index: int


def load_documents(text: str, source: str) -> list[Document]:
    """Return the documents of a YAML stream or a JSON text as JSON values; `source` is what to call it in errors.

    Raises CrdError, or Problems where there are several faults, with file, line and column: OPG101 (no YAML), OPG102
    (duplicate key), OPG103 (anchor within itself), OPG104 (too deep, or aliases multiply), OPG105 (no JSON value).
    """
    documents, problems = read_documents(text, source)
    if len(problems) == 1:
        one = problems[0]
        raise CrdError(one.code, one.text, location=one.location, hint=one.hint)
    if problems:
        raise Problems(problems)
    return documents


def read_documents(text: str, source: str) -> tuple[list[Document], list[Problem]]:
    """Return the documents that can be read and what is wrong with the others; else as `load_documents`."""
    text = text.removeprefix("\ufeff")
    found = read_json(text, source)
    if found is not None:
        values, problems = found
        return [
            Document(value, line, index) for index, (value, line) in enumerate(values)
        ], problems
    builder = _Builder(Stream(text, source))
    builder.run()
    return builder.documents, builder.problems


class _TooMuch(Exception):
    """Ends the reading of a file: going on would cost more than it could tell."""


# What stands in the place of a key: none yet, one that is merged, one that was refused (as a value may be too).
_NO_KEY: Any = object()
_MERGED: Any = object()
_REFUSED: Any = object()
_OPEN: Any = object()


class _Builder:
    """Builds values from events; faults are collected, and the document that has one is left out."""

    def __init__(self, stream: Stream) -> None:
        self.documents: list[Document] = []
        self.problems: list[Problem] = []
        self._stream = stream
        self._index = -1
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        self._aliased = 0

    def run(self) -> None:
        """Read all documents that can be read."""
        more = True
        while more:
            try:
                self._documents()
                more = False
            except yaml.YAMLError as error:
                problem, more = self._stream.recover(error)
                self.problems.append(problem)
            except _TooMuch:
                more = False

    def _documents(self) -> None:
        get = self._stream.get
        # The collections around the current one, each with its pending key and the event it started with.
        stack: list[tuple[Any, Any, Any]] = []
        inside: Any = None
        key: Any = _NO_KEY
        start: Any = None
        root: Any = None
        line = faults = 0
        # Keys of the open mappings, by depth, that came from a merge and may be given again.
        merged: dict[int, set[str]] = {}
        while True:
            event = get()
            kind = type(event)
            if kind is ScalarEvent:
                value: Any = event.value
                if event.tag is not None:
                    value = self._tagged(event)
                elif event.implicit[0] and (not value or value[0] in HINTS):
                    value = self._plain(event)
                if event.anchor is not None:
                    self._anchors[event.anchor] = (value, 1, 0)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                stack.append((inside, key, start))
                inside, key, start = {} if kind is MappingStartEvent else [], _NO_KEY, event
                self._start(event, len(stack))
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value, event = inside, start
                merged.pop(len(stack), None)
                inside, key, start = stack.pop()
                if event.anchor is not None:
                    self._anchors[event.anchor] = (value, *_measure(value))
            elif kind is AliasEvent:
                value = self._alias(event, len(stack))
            elif kind is DocumentStartEvent:
                self._index += 1
                self._anchors.clear()
                faults = len(self.problems)
                continue
            elif kind is DocumentEndEvent:
                if faults == len(self.problems):
                    self.documents.append(Document(root, line, self._index))
                continue
            elif kind is StreamEndEvent:
                return
            else:
                continue
            if type(inside) is list:
                inside.append(value)
            elif inside is None:
                root, line = value, self._stream.at(event.start_mark).line
            elif key is _NO_KEY:
                if type(value) is str and value not in inside and value != "<<":
                    key = value
                else:
                    key = self._key(value, event, inside, merged.get(len(stack)))
            else:
                if type(key) is str:
                    inside[key] = value
                elif key is _MERGED:
                    merged.setdefault(len(stack), set()).update(self._merge(value, event, inside))
                key = _NO_KEY

    def _start(self, event: Any, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._problem("OPG104", f"nested more than {MAX_DEPTH} levels deep", event)
            raise _TooMuch
        if event.anchor is not None:
            self._anchors[event.anchor] = (_OPEN, 0, 0)
        if event.tag is not None and event.tag not in _COLLECTIONS:
            name = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._problem("OPG105", f'the tag "{name}" has no JSON value, expected none', event)

    def _key(self, value: Any, event: Any, inside: dict[str, Any], merged: set[str] | None) -> Any:
        if type(event) is ScalarEvent and is_merge(event):
            return _MERGED
        if value is _REFUSED:
            return value
        if type(value) is not str:
            try:
                value = key_text(value)
            except BadScalar as error:
                self._problem("OPG105", str(error), event)
                return _REFUSED
        if value in inside:
            if merged and value in merged:
                merged.discard(value)
            else:
                self._problem(
                    "OPG102",
                    f'the key "{value}" stands twice in one mapping',
                    event,
                    "keep one of them",
                )
        return value

    def _merge(self, value: Any, event: Any, inside: dict[str, Any]) -> set[str]:
        """Put the keys of a mapping, or of several of which the first counts most, into another; return them."""
        several = value if isinstance(value, list) else [value]
        names: set[str] = set()
        for one in reversed(several):
            if one is _REFUSED:
                continue
            if not isinstance(one, dict):
                self._problem(
                    "OPG105",
                    'the value of "<<" is no mapping, expected one or a list of them',
                    event,
                )
                return names
            inside.update(one)
            names.update(one)
        return names

    def _plain(self, event: Any) -> Any:
        try:
            return plain(event.value)
        except BadScalar as error:
            self._problem("OPG105", str(error), event)
            return event.value

    def _tagged(self, event: Any) -> Any:
        try:
            return tagged(event.tag, event.value)
        except BadScalar as error:
            self._problem("OPG105", str(error), event)
            return event.value

    def _alias(self, event: Any, depth: int) -> Any:
        if event.anchor not in self._anchors:
            self._problem("OPG101", f'not YAML: there is no anchor "{event.anchor}" above', event)
            return _REFUSED
        value, size, height = self._anchors[event.anchor]
        if value is _OPEN:
            self._problem(
                "OPG103",
                f'the anchor "{event.anchor}" stands within itself, expected a value that ends',
                event,
                "write the inner part out, or leave it open with x-kubernetes-preserve-unknown-fields: true",
            )
            return _REFUSED
        self._aliased += size
        if self._aliased > _MAX_ALIASED:
            self._problem("OPG104", f"aliases multiply to more than {_MAX_ALIASED:,} values", event)
            raise _TooMuch
        if depth + height > MAX_DEPTH:
            self._problem("OPG104", f"nested more than {MAX_DEPTH} levels deep by aliases", event)
            raise _TooMuch
        # The quickest deep copy of JSON values there is; format 2 has no references, so nothing stays shared.
        return marshal.loads(marshal.dumps(value, 2)) if height else value

    def _problem(self, code: str, text: str, event: Any, hint: str | None = None) -> None:
        self.problems.append(Problem(code, text, self._stream.at(event.start_mark), hint))


def _measure(value: Any) -> tuple[int, int]:
    """Return how many values a value holds with itself, and how many levels of lists and mappings."""
    size = height = 0
    level = [value]
    while level:
        size += len(level)
        inner: list[Any] = []
        collections = False
        for one in level:
            if isinstance(one, dict | list):
                collections = True
                inner.extend(one.values() if isinstance(one, dict) else one)
        height += collections
        level = inner
    return size, height
