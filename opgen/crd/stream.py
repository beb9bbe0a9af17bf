"""libyaml's events of a text, with a place for every fault, going on at the next document after one."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial
from typing import Any

import yaml

from opgen.errors import Location, Problem

__all__ = ["is_merge", "MAX_DEPTH", "Places", "Stream"]

MAX_DEPTH = 500
"""How deep lists and mappings may nest, in YAML and in JSON; a schema takes two levels for each of its own."""

# Going on costs a look at all that is left, so it is not done without end.
_MAX_RECOVERED = 100

# PyYAML can be built without libyaml; reading is then ten times slower, and otherwise the same.
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE_TAG = "tag:yaml.org,2002:merge"
_NEXT_DOCUMENT = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_NEWLINE = re.compile("\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Where what is wrong began is nearer to the mistake than where the parser gave up.
_BEGAN_BEFORE = ("could not find expected", "found unexpected")
_HINTS = {
    "mapping values are not allowed": 'quote a value that holds ": "',
    "could not find expected ':'": "a key needs a colon and a space after it",
    "did not find expected key": "compare the indentation with the lines above",
    "did not find expected '-' indicator": "compare the indentation with the lines above",
    "found unexpected document indicator": "the quote that starts here is never closed",
    "found unexpected end of stream": "the quote that starts here is never closed",
}


class Places:
    """Turns the index of a character into a place, as an editor counts lines and columns."""

    def __init__(self, text: str, source: str) -> None:
        """Take a text, whose lines are counted when the first place is asked for."""
        self._text, self._source = text, source
        self._starts: list[int] | None = None

    def at(self, index: int) -> Location:
        """Return the place of the character at `index`, of the end of the text where there is none."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _NEWLINE.finditer(self._text))]
        index = min(index, len(self._text))
        line = bisect_right(self._starts, index)
        return Location(self._source, line, index - self._starts[line - 1] + 1)


def is_merge(scalar: Any) -> bool:
    """Return whether the event of a scalar is the key that merges, `<<`, and not a text of these two characters."""
    return bool(scalar.value == "<<" and (scalar.implicit[0] or scalar.tag == _MERGE_TAG))


def _raise(error: yaml.YAMLError) -> Any:
    raise error


class Stream:
    """The events of a YAML text; `get` is the next one, `recover` is what to do when it raises."""

    def __init__(self, text: str, source: str) -> None:
        """Take a text without a byte order mark; marks of events count from `offset`, which `recover` moves."""
        self._text, self._source = text, source
        self._places = Places(text, source)
        self._recovered = 0
        self.get: Any = None
        self._open(0)

    def _open(self, offset: int) -> None:
        self.offset = offset
        # What UTF-8 can't carry is made something that the parser refuses by itself, with its place.
        text = _SURROGATE.sub("\x00", self._text[offset:])
        try:
            self.get = _PARSER(text).get_event
        except yaml.YAMLError as error:  # without libyaml a bad character is found at once
            self.get = partial(_raise, error)

    def at(self, mark: Any) -> Location:
        """Return the place of a mark of an event."""
        return self._places.at(self.offset + mark.index)

    def recover(self, error: yaml.YAMLError) -> tuple[Problem, bool]:
        """Return what is wrong, and whether there is another document to go on with."""
        if isinstance(error, yaml.reader.ReaderError):
            return self._unreadable(error), False
        if not isinstance(error, yaml.MarkedYAMLError):
            return Problem("OPG101", f"not YAML: {error}", Location(self._source)), False
        what = error.problem or "it can't be parsed"
        mark = error.problem_mark or error.context_mark
        nearer = (
            error.context_mark if what.startswith(_BEGAN_BEFORE) and error.context_mark else mark
        )
        here = self.at(nearer) if nearer else Location(self._source)
        if "nesting depth" in what:
            problem = Problem("OPG104", f"nested more than {MAX_DEPTH} levels deep", here)
        else:
            more = f" ({error.context})" if error.context else ""
            problem = Problem("OPG101", f"not YAML: {what}{more}", here, self._hint(what, nearer))
        after = self.offset + (mark.index if mark else 0)
        following = _NEXT_DOCUMENT.search(self._text, max(after, self.offset + 1))
        self._recovered += 1
        if following is None or self._recovered > _MAX_RECOVERED:
            return problem, False
        self._open(following.start())
        return problem, True

    def _hint(self, what: str, mark: Any) -> str | None:
        if what.startswith("found character that cannot start"):
            char = self._text[self.offset + mark.index : self.offset + mark.index + 1]
            return (
                "indent with spaces, not tabs"
                if char == "\t"
                else f'quote a value that starts with "{char}"'
            )
        return next((hint for start, hint in _HINTS.items() if what.startswith(start)), None)

    def _unreadable(self, error: Any) -> Problem:
        data = self._text[self.offset :].encode("utf-8", "replace")
        position = error.position if isinstance(error.position, int) else 0
        if error.encoding != "unicode":  # from libyaml, which counts bytes
            position = len(data[:position].decode("utf-8", "ignore"))
        index = self.offset + position
        char = ord(self._text[index : index + 1] or "\x00")
        return Problem(
            "OPG101",
            f"not YAML: the character U+{char:04X} is not allowed",
            self._places.at(index),
            "save the file as UTF-8 text" if char != 0xFEFF else None,
        )
