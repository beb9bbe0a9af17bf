"""YAML as kubectl reads it, at the speed of libyaml, with a place for every fault.

kubectl decodes with goyaml.v2 and goes on in JSON. So `on`, `yes` and `y` are true, `1e3` is a number, `1:30`, `=` and
`2024-01-01` are strings, `017` and `0o17` are 15, `08` is 8, a key is always a string, and duplicate keys are an error.
PyYAML's own constructors agree with none of that, so only its parser is used: nodes are turned into JSON values here.
Anchors become equal but independent values; cycles and alias bombs are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from opgen.errors import CrdError, Location

__all__ = ["Document", "load_documents", "Positions"]

_STR = "tag:yaml.org,2002:str"
_PLAIN = "plain"
_MERGE = "tag:yaml.org,2002:merge"
_KNOWN_TAGS = {
    f"tag:yaml.org,2002:{name}": name
    for name in ("bool", "float", "int", "null", "str", "timestamp", "value", "merge")
}

_MAX_VALUES = 2_000_000
_MAX_DEPTH = 400

_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SUSPECT = re.compile(r"^ {800}|(?:- ){200}|(?:\? ){200}", re.MULTILINE)
_HELM = re.compile(r"^\s*\{\{-?\s|[:-]\s+\{\{-?\s", re.MULTILINE)

_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
for _word in ("y", "yes", "on", "true"):
    _WORDS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), True)
for _word in ("n", "no", "off", "false"):
    _WORDS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), False)
_NOT_JSON = frozenset(
    sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")
) | {".nan", ".NaN", ".NAN"}


@dataclass(frozen=True)
class Document:
    """One document of a file: its value, the line it starts at (from 1), and which one it is (from 0)."""

    value: Any
    line: int
    index: int


class _Loader(yaml.CSafeLoader):
    """libyaml's parser and composer; scalars are only marked as plain or quoted, and resolved by `_scalar`."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _STR
        return "tag:yaml.org,2002:seq" if kind is yaml.SequenceNode else "tag:yaml.org,2002:map"


def load_documents(text: str, source: str) -> list[Document]:
    """Return the documents of a YAML stream or a JSON text as JSON values.

    Raises CrdError with file, line and column: OPG101 (no YAML), OPG102 (duplicate key), OPG103 (anchor in itself),
    OPG104 (too deep or too many values), OPG105 (no JSON value), OPG106 (a Helm template).
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] == "{":
        value = _json(text, source)
        if value is not _NO_JSON:
            return [Document(value, 1, 0)]
    _refuse_deep(text, source)
    reader = _Reader(source)
    try:
        return [
            Document(reader.value(node), node.start_mark.line + 1, index)
            for index, node in enumerate(_nodes(text, source))
        ]
    except CrdError as error:
        if not _HELM.search(text):
            raise
        raise CrdError(
            "OPG106",
            "this is a Helm template, expected YAML",
            location=error.problem.location,
            hint="render it first: helm template CHART | opgen generate -",
        ) from None


def _nodes(text: str, source: str) -> Iterator[yaml.Node]:
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        raise _unreadable(error, text, source) from None
    try:
        while loader.check_node():
            node = loader.get_node()
            if node is not None:
                yield node
    except yaml.reader.ReaderError as error:
        raise _unreadable(error, text, source) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        location = Location(source, mark.line + 1, mark.column + 1) if mark else Location(source)
        what = " ".join(filter(None, (error.context, error.problem))) or "not YAML"
        raise CrdError("OPG101", f"not YAML: {what}", location=location) from None
    except RecursionError:
        raise _too_deep(source) from None
    finally:
        loader.dispose()


def _unreadable(error: yaml.reader.ReaderError, text: str, source: str) -> CrdError:
    before = text[: error.position] if isinstance(error.position, int) else ""
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    char = (
        error.character
        if isinstance(error.character, int)
        else ord(str(error.character)[:1] or "?")
    )
    return CrdError(
        "OPG101",
        f"not YAML: character U+{char:04X} is not allowed",
        location=Location(source, line, column),
    )


def _refuse_deep(text: str, source: str) -> None:
    """Refuse nesting that would exhaust the stack of libyaml's composer; looks closer only at a suspicious text."""
    if not _SUSPECT.search(text) and text.count("[") + text.count("{") < _MAX_DEPTH:
        return
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > _MAX_DEPTH:
                    mark = event.start_mark
                    raise _too_deep(
                        source, mark.line + 1 if mark else 0, mark.column + 1 if mark else 0
                    )
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.YAMLError:
        return  # the composer will say what is wrong, and where


def _too_deep(source: str, line: int = 0, column: int = 0) -> CrdError:
    return CrdError(
        "OPG104",
        f"nested more than {_MAX_DEPTH} levels deep",
        location=Location(source, line, column),
    )


_NO_JSON: Any = object()


def _json(text: str, source: str) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            raise _DuplicateError
        return found

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=_refuse_constant)
    except RecursionError:
        raise _too_deep(source) from None
    except ValueError:
        return _NO_JSON  # YAML's reader knows the place, and reads flow mappings that are no JSON


class _DuplicateError(ValueError):
    pass


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


class _Reader:
    """Turns nodes into JSON values."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._open: set[int] = set()
        self._count = 0

    def value(self, node: yaml.Node) -> Any:
        self._count += 1
        if self._count > _MAX_VALUES:
            raise self._error(
                "OPG104", f"more than {_MAX_VALUES} values, are aliases multiplying?", node
            )
        if isinstance(node, yaml.ScalarNode):
            return self._leaf(node)
        mark = id(node)
        if mark in self._open:
            raise self._error("OPG103", "an anchor stands within itself", node)
        self._open.add(mark)
        try:
            if isinstance(node, yaml.SequenceNode):
                self._check_tag(node, "seq")
                return [self.value(item) for item in node.value]
            assert isinstance(node, yaml.MappingNode)
            self._check_tag(node, "map")
            return self._mapping(node)
        except RecursionError:
            raise _too_deep(
                self._source, node.start_mark.line + 1, node.start_mark.column + 1
            ) from None
        finally:
            self._open.discard(mark)

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        out: dict[str, Any] = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE or (key_node.tag == _PLAIN and key_node.value == "<<"):
                merged += (
                    value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
                )
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(
                    "OPG105", "a key is a list or a mapping, expected a string", key_node
                )
            key = _key(self._leaf(key_node))
            if key in out:
                raise self._error("OPG102", f'duplicate key "{key}"', key_node)
            out[key] = self.value(value_node)
        for other in merged:
            if not isinstance(other, yaml.MappingNode):
                raise self._error("OPG105", 'the value of "<<" is no mapping', other)
            for key, value in self.value(other).items():
                out.setdefault(key, value)
        return out

    def _leaf(self, node: yaml.ScalarNode) -> Any:
        tag = node.tag
        if tag == _STR:
            return node.value
        if tag != _PLAIN:
            name = _KNOWN_TAGS.get(tag)
            if name is None:
                raise self._error("OPG105", f'the tag "{tag}" has no JSON value', node)
            if name in ("str", "timestamp", "value", "merge"):
                return node.value
        text = node.value
        if text in _NOT_JSON:
            raise self._error("OPG105", f'"{text}" has no JSON value', node)
        return _scalar(text)

    def _check_tag(self, node: yaml.Node, name: str) -> None:
        if node.tag not in (f"tag:yaml.org,2002:{name}", "!"):
            raise self._error("OPG105", f'the tag "{node.tag}" has no JSON value', node)

    def _error(self, code: str, text: str, node: yaml.Node) -> CrdError:
        mark = node.start_mark
        return CrdError(code, text, location=Location(self._source, mark.line + 1, mark.column + 1))


def _key(value: Any) -> str:
    """Return a key as kubectl's way to JSON has it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@lru_cache(maxsize=8192)
def _scalar(text: str) -> Any:
    """Return what a plain scalar stands for by goyaml.v2's rules, as JSON would carry it on."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "0123456789+-.":
        return text
    digits = text.replace("_", "")
    if _INTEGER.fullmatch(digits):
        sign, body = (-1, digits[1:]) if digits[0] == "-" else (1, digits.lstrip("+"))
        low = body.lower()
        if low[:2] in ("0x", "0b", "0o"):
            return sign * int(low, 0)
        return sign * int(body, 8 if len(body) > 1 and body[0] == "0" else 10)
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        if number in (float("inf"), float("-inf")):
            return text
        return int(number) if number.is_integer() and abs(number) < 1e21 else number
    return text


class Positions:
    """Where the values of a document stand; parses the text again, so it is for faults only."""

    def __init__(self, text: str, source: str, index: int = 0) -> None:
        """Take the text of a file and which of its documents is meant."""
        self._text, self._source, self._index = text, source, index
        self._root: yaml.Node | None = None

    def lookup(self, path: tuple[str | int, ...]) -> Location:
        """Return the place of a path's key or item, of its nearest ancestor where it is not there."""
        if self._root is None:
            for index, node in enumerate(_nodes(self._text.removeprefix("\ufeff"), self._source)):
                if index == self._index:
                    self._root = node
                    break
            else:
                return Location(self._source)
        node = self._root
        mark = node.start_mark
        for part in path:
            if isinstance(node, yaml.MappingNode):
                found = self._member(node, part)
                if found is None:
                    break
                mark, node = found[0].start_mark, found[1]
            elif (
                isinstance(node, yaml.SequenceNode)
                and isinstance(part, int)
                and part < len(node.value)
            ):
                node = node.value[part]
                mark = node.start_mark
            else:
                break
        return Location(self._source, mark.line + 1, mark.column + 1)

    def _member(
        self, node: yaml.MappingNode, name: str | int
    ) -> tuple[yaml.Node, yaml.Node] | None:
        merged = []
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value == "<<":
                    merged.append(value)
                elif key.value == name or (key.tag == _PLAIN and _key(_scalar(key.value)) == name):
                    return key, value
        for value in merged:
            others = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for other in others:
                if isinstance(other, yaml.MappingNode) and (found := self._member(other, name)):
                    return found
        return None
