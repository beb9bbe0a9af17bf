"""Label and field selectors: parse what stands in a query, match objects.

Grammar and messages are those of `k8s.io/apimachinery/pkg/labels` and `pkg/fields`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from opgen.apiserver.names import label_value, qualified_name
from opgen.apiserver.status import bad_request, quote

__all__ = ["FieldSelector", "LabelSelector", "parse_fields", "parse_labels"]


@dataclass(frozen=True)
class _Requirement:
    key: str
    operator: str
    values: tuple[str, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet the requirement."""
        has = self.key in labels
        if self.operator == "exists":
            return has
        if self.operator == "!":
            return not has
        value = labels.get(self.key, "")
        if self.operator in ("in", "=", "=="):
            return has and value in self.values
        if self.operator in ("notin", "!="):
            return not has or value not in self.values
        try:
            number, bound = int(value), int(self.values[0])
        except ValueError:
            return False
        return has and (number > bound if self.operator == "gt" else number < bound)


@dataclass(frozen=True)
class LabelSelector:
    """A parsed label selector; empty selects everything."""

    requirements: tuple[_Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Whether an object with these labels is selected."""
        have = labels or {}
        return all(r.matches(have) for r in self.requirements)

    def __bool__(self) -> bool:
        """Whether it selects less than everything."""
        return bool(self.requirements)


_SYMBOLS: Final = ("==", "!=", "=", "!", ">", "<", "(", ")", ",")


def _tokens(text: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
            continue
        for symbol in _SYMBOLS:
            if text.startswith(symbol, at):
                out.append((symbol, symbol))
                at += len(symbol)
                break
        else:
            end = at
            while end < len(text) and text[end] not in " \t\r\n=!<>(),":
                end += 1
            out.append(("id", text[at:end]))
            at = end
    out.append(("end", ""))
    return out


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0

    def look(self, values: bool = False) -> tuple[str, str]:
        kind, literal = self.tokens[self.at]
        if kind == "id" and not values and literal in ("in", "notin"):
            return literal, literal
        return kind, literal

    def take(self, values: bool = False) -> tuple[str, str]:
        found = self.look(values)
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return found

    def parse(self) -> tuple[_Requirement, ...]:
        out: list[_Requirement] = []
        while True:
            kind, literal = self.look()
            if kind in ("id", "!"):
                try:
                    out.append(self.requirement())
                except ValueError as error:
                    raise ValueError(f"unable to parse requirement: {error}") from None
                kind, literal = self.take()
                if kind == "end":
                    return tuple(out)
                if kind != ",":
                    raise ValueError(f"found '{literal}', expected: ',' or 'end of string'")
                kind, literal = self.look()
                if kind not in ("id", "!"):
                    raise ValueError(f"found '{literal}', expected: identifier after ','")
            elif kind == "end":
                return tuple(out)
            else:
                raise ValueError(f"found '{literal}', expected: !, identifier, or 'end of string'")

    def requirement(self) -> _Requirement:
        kind, literal = self.take()
        operator = ""
        if kind == "!":
            operator = "!"
            kind, literal = self.take()
        if kind != "id":
            raise ValueError(f"found '{literal}', expected: identifier")
        key = literal
        wrong = qualified_name(key)
        if wrong:
            raise ValueError(f"<nil>: Invalid value: {quote(key)}: {'; '.join(wrong)}")
        following = self.look()[0]
        if operator == "!" or following in ("end", ","):
            return _Requirement(key, operator or "exists", ())
        kind, literal = self.take()
        if kind not in ("in", "notin", "=", "==", "!=", ">", "<"):
            raise ValueError(f"found '{literal}', expected: in, notin, =, ==, !=, gt, lt")
        if kind in ("in", "notin"):
            values = self.values()
        else:
            found, literal = self.look(values=True)
            if found in ("end", ","):
                values = ("",)
            else:
                found, literal = self.take(values=True)
                if found != "id":
                    raise ValueError(f"found '{literal}', expected: identifier")
                values = (literal,)
        kind = {">": "gt", "<": "lt"}.get(kind, kind)
        return self.checked(_Requirement(key, kind, values))

    def checked(self, made: _Requirement) -> _Requirement:
        if made.operator in ("gt", "lt"):
            try:
                int(made.values[0])
            except ValueError:
                raise ValueError(
                    f"values[0]: Invalid value: {quote(made.values[0])}: for 'Gt', 'Lt' "
                    "operators, the value must be an integer"
                ) from None
        for index, value in enumerate(made.values):
            wrong = label_value(value)
            if wrong:
                raise ValueError(
                    f"values[{index}][{made.key}]: Invalid value: {quote(value)}: {'; '.join(wrong)}"
                )
        return made

    def values(self) -> tuple[str, ...]:
        kind, literal = self.take(values=True)
        if kind != "(":
            raise ValueError(f"found '{literal}' expected: '('")
        out: set[str] = set()
        kind, literal = self.look(values=True)
        if kind not in ("id", ",", ")"):
            raise ValueError(f"found '{literal}', expected: ',', ')' or identifier")
        if kind == ")":
            self.take(values=True)
            return ("",)
        last = ","
        while True:
            kind, literal = self.take(values=True)
            if kind == "id":
                if last == "id":
                    raise ValueError(f"found '{literal}', expected: ',' or ')'")
                out.add(literal)
            elif kind == ",":
                if last == ",":
                    out.add("")
            elif kind == ")":
                if last == ",":
                    out.add("")
                return tuple(sorted(out))
            elif last == "id":
                raise ValueError(f"found '{literal}', expected: ',' or ')'")
            else:
                raise ValueError(f"found '{literal}', expected: ',', or identifier")
            last = kind


def parse_labels(text: str) -> LabelSelector:
    """Parse a label selector; raises a 400 `StatusError`."""
    if not text:
        return LabelSelector()
    try:
        return LabelSelector(_Parser(text).parse())
    except ValueError as error:
        raise bad_request(str(error)) from None


@dataclass(frozen=True)
class FieldSelector:
    """A parsed field selector: `(path, operator, value)` terms."""

    terms: tuple[tuple[str, str, str], ...] = ()

    def matches(self, read: Callable[[str], str]) -> bool:
        """Whether an object is selected; `read` gives the value of a path as text."""
        return all((read(path) == value) == (op == "=") for path, op, value in self.terms)

    def __bool__(self) -> bool:
        """Whether it selects less than everything."""
        return bool(self.terms)


def _split(text: str) -> list[str]:
    parts, current, escaped = [], "", False
    for char in text:
        if escaped:
            current += "\\" + char
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == ",":
            parts.append(current)
            current = ""
        else:
            current += char
    return [*parts, current]


def _unescape(text: str) -> str:
    out, escaped = "", False
    for char in text:
        if escaped:
            if char not in "\\,=":
                raise ValueError
            out += char
            escaped = False
        elif char == "\\":
            escaped = True
        else:
            out += char
    return out


def parse_fields(text: str) -> FieldSelector:
    """Parse a field selector; raises a 400 `StatusError`."""
    terms: list[tuple[str, str, str]] = []
    if not text:
        return FieldSelector()
    for part in _split(text):
        if not part:
            continue
        found = re.search("!=|==|=", part)
        if found is None:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        path, operator, value = part[: found.start()], found.group(), part[found.end() :]
        terms.append((path, "!=" if operator == "!=" else "=", _unescape(value)))
    return FieldSelector(tuple(terms))
