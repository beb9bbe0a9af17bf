"""Where the values of a text stand: parsed again, since places are asked for only where something is wrong."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from opgen.crd.jsontext import Mark, json_marks, read_json
from opgen.crd.scalars import BadScalar, key_text, plain, tagged
from opgen.crd.stream import MAX_DEPTH, Places, Stream, is_merge
from opgen.errors import Location

__all__ = ["Positions"]

_MERGE: Any = object()
_MAX_MERGED = 400_000


class Positions:
    """Places in a YAML or JSON text; the text is parsed at the first question."""

    def __init__(self, text: str, source: str = "") -> None:
        """Take the text of a file and what to call it."""
        self._text, self._source = text.removeprefix("\ufeff"), source
        self._places = Places(self._text, source)
        self._roots: dict[int, Mark] | None = None

    def lookup(self, path: tuple[str | int, ...], document: int = 0) -> Location:
        """Return the place of a path's key or list item in a document (from 0).

        Of a path that is not there it is that of its nearest ancestor, of a document that is not there it is the file.
        """
        if self._roots is None:
            self._roots = self._marks()
        mark = self._roots.get(document)
        if mark is None:
            return Location(self._source)
        index = mark.index
        for part in path:
            if isinstance(part, str) and mark.members is not None and part in mark.members:
                index, mark = mark.members[part]
            elif isinstance(part, int) and mark.items is not None and 0 <= part < len(mark.items):
                mark = mark.items[part]
                index = mark.index
            else:
                break
        return self._places.at(index)

    def _marks(self) -> dict[int, Mark]:
        if read_json(self._text, self._source) is not None:
            return dict(enumerate(json_marks(self._text)))
        roots: dict[int, Mark] = {}
        reader = _Marks(Stream(self._text, self._source), roots)
        more = True
        while more:
            try:
                reader.run()
                more = False
            except yaml.YAMLError as error:
                _, more = reader.stream.recover(error)
        return roots


class _Marks:
    """Builds marks from events, as `opgen.crd.yaml` builds values."""

    def __init__(self, stream: Stream, roots: dict[int, Mark]) -> None:
        self.stream = stream
        self._roots = roots
        self._index = -1
        self._merged = 0

    def run(self) -> None:
        get, offset = self.stream.get, self.stream.offset
        anchors: dict[str, tuple[Mark, Any]] = {}
        stack: list[tuple[Mark, tuple[Any, int] | None]] = []
        while True:
            event = get()
            kind = type(event)
            if kind is DocumentStartEvent:
                self._index += 1
                anchors.clear()
            elif kind is StreamEndEvent:
                return
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                stack.pop()
            elif kind in (ScalarEvent, AliasEvent, MappingStartEvent, SequenceStartEvent):
                index = offset + event.start_mark.index
                scalar = None
                mark = Mark(index)
                if kind is AliasEvent:
                    target, scalar = anchors.get(event.anchor, (mark, None))
                    mark.members, mark.items = target.members, target.items
                elif event.anchor is not None or kind is ScalarEvent:
                    scalar = _scalar(event) if kind is ScalarEvent else None
                    anchors[event.anchor] = (mark, scalar)
                if not stack:
                    self._roots[self._index] = mark
                else:
                    self._place(stack, mark, scalar, index)
                if kind is MappingStartEvent:
                    mark.members = {}
                    stack.append((mark, None))
                elif kind is SequenceStartEvent:
                    mark.items = []
                    stack.append((mark, None))
                if len(stack) > MAX_DEPTH:
                    return

    def _place(
        self, stack: list[tuple[Mark, tuple[Any, int] | None]], mark: Mark, scalar: Any, index: int
    ) -> None:
        around, key = stack[-1]
        if around.items is not None:
            around.items.append(mark)
        elif around.members is not None:
            if key is None:
                stack[-1] = (around, (scalar, index))
                return
            stack[-1] = (around, None)
            if key[0] is _MERGE:
                for one in reversed(mark.items if mark.items is not None else [mark]):
                    self._merged += len(one.members or ())
                    # A text that merges without end has been refused, so no place in it is needed exactly.
                    if self._merged <= _MAX_MERGED:
                        around.members.update(one.members or {})
            else:
                around.members[str(key[0])] = (key[1], mark)


def _scalar(event: Any) -> Any:
    if is_merge(event):
        return _MERGE
    try:
        if event.tag is not None:
            return key_text(tagged(event.tag, event.value))
        return key_text(plain(event.value)) if event.implicit[0] else event.value
    except BadScalar:
        return event.value
