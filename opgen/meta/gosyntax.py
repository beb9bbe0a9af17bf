"""Go's grammar of regular expressions, as `regexp/syntax` reads a pattern: one token at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["C_ESCAPES", "CharSet", "LAST", "Ranges", "Token", "tokens", "Untranslatable"]

LAST = 0x10FFFF
_PERL = {
    "d": ((0x30, 0x39),),
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
}
_POSIX = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": ((0x30, 0x39),),
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
C_ESCAPES = {"a": 0x07, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_REPEAT = re.compile(r"(?:[*+?]|\{(?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*)?)?\})\??")
_GROUP = re.compile(
    r"\(\?(?:(?P<named>P?<[0-9A-Za-z_]+>)|(?P<on>[imsU]*)(?P<off>-[imsU]+)?(?P<end>[:)]))"
)
_POSIX_CLASS = re.compile(r"\[:(\^?)([a-z]+):\]")
_PROPERTY = re.compile(r"\\([pP])(?:([A-Za-z])|\{(\^?)([A-Za-z_]+)\})")
_OCTAL = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_HEX = re.compile(r"x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})")

Ranges = tuple[tuple[int, int], ...]


class Untranslatable(ValueError):
    """A pattern that Go does not take, or of which no equal can be written for an engine."""


@dataclass(frozen=True, slots=True)
class CharSet:
    """Characters of a class: ranges, or a Unicode property by name; `negated` is all others."""

    ranges: Ranges = ()
    negated: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    r"""A piece of a pattern; `raw` is its text.

    `kind` is char, class, group (that sets flags), flags, repeat, or the text itself: `(`, `)`, `|`, `.`, `^`, `$`
    and escapes such as `\b`. `plain` tells whether Rust would read `raw` as Go does.
    """

    kind: str
    raw: str
    code: int = 0
    sets: tuple[CharSet, ...] = ()
    negated: bool = False
    plain: bool = True
    flags: str = ""


def tokens(pattern: str) -> Iterator[Token]:
    """Read a pattern. Raises Untranslatable where Go would not take it, though not in each such place."""
    i, last = 0, ""
    while i < len(pattern):
        char = pattern[i]
        token: Token | None = None
        if char == "\\":
            if pattern.startswith("\\Q", i):
                literal, _, _ = pattern[i + 2 :].partition("\\E")
                yield from (Token("char", one, ord(one), plain=False) for one in literal)
                i, last = i + 2 + len(literal) + 2, "char"
                continue
            token = _escape(pattern, i)
        elif char == "[":
            token = _class(pattern, i)
        elif char == "(" and pattern.startswith("(?", i):
            token = _opening(pattern, i)
        elif char in "*+?{" and (found := _REPEAT.match(pattern, i)):
            if last in ("", "(", "group", "flags", "|", "repeat"):
                raise Untranslatable(f'nothing to repeat before "{found[0]}"')
            token = Token("repeat", found[0])
        elif char in "().^$|":
            token = Token(char, char)
        else:
            token = Token("char", char, ord(char), plain=char != "{")
        yield token
        i, last = i + len(token.raw), token.kind


def _opening(pattern: str, i: int) -> Token:
    found = _GROUP.match(pattern, i)
    if found is None:
        raise Untranslatable(f'Go has no group "{pattern[i : i + 4]}"')
    if found["named"]:
        return Token("(", found[0])
    return Token("group" if found["end"] == ":" else "flags", found[0], flags=found[0][2:-1])


def _escape(pattern: str, i: int) -> Token:
    after = pattern[i + 1 : i + 2]
    if after and after in "AbBz":
        return Token(f"\\{after}", pattern[i : i + 2])
    if found := _PROPERTY.match(pattern, i):
        return Token("class", found[0], sets=(_property(found),))
    if after and after in "dDsSwW":
        return Token("class", pattern[i : i + 2], sets=(_perl(after),), plain=False)
    code, end = _character(pattern, i)
    return Token("char", pattern[i:end], code, plain=after not in tuple("<>01234567"))


def _property(found: re.Match[str]) -> CharSet:
    return CharSet(name=found[2] or found[4], negated=(found[1] == "P") != bool(found[3]))


def _perl(letter: str) -> CharSet:
    return CharSet(_PERL[letter.lower()], letter.isupper())


def _character(pattern: str, i: int) -> tuple[int, int]:
    """Return the code point at `i`, which may be escaped, and where what stands for it ends."""
    if pattern[i] != "\\":
        return ord(pattern[i]), i + 1
    after = pattern[i + 1 : i + 2]
    if after in C_ESCAPES:
        return C_ESCAPES[after], i + 2
    if found := _OCTAL.match(pattern, i + 1):
        return int(found[0], 8), found.end()
    if found := _HEX.match(pattern, i + 1):
        code = int(found[1] or found[2], 16)
        if code <= LAST:
            return code, found.end()
    elif after and after.isascii() and not after.isalnum():
        return ord(after), i + 2
    raise Untranslatable(f'Go has no escape "\\{after}"')


def _class(pattern: str, start: int) -> Token:
    i = start + 1
    negated = pattern.startswith("^", i)
    i += negated
    sets: list[CharSet] = []
    plain = True
    first = i
    while not pattern.startswith("]", i) or i == first:
        if i >= len(pattern):
            raise Untranslatable("a class is not closed")
        if found := _POSIX_CLASS.match(pattern, i):
            if found[2] not in _POSIX:
                raise Untranslatable(f'Go has no class "{found[0]}"')
            sets.append(CharSet(_POSIX[found[2]], bool(found[1])))
            i = found.end()
        elif found := _PROPERTY.match(pattern, i):
            sets.append(_property(found))
            i = found.end()
        elif pattern[i] == "\\" and pattern[i + 1 : i + 2] in tuple("dDsSwW"):
            sets.append(_perl(pattern[i + 1]))
            plain = False
            i += 2
        else:
            low, end = _character(pattern, i)
            high = low
            if pattern.startswith("-", end) and pattern[end + 1 : end + 2] not in ("", "]"):
                high, end = _character(pattern, end + 1)
                if high < low:
                    raise Untranslatable(f'the range "{pattern[i:end]}" is empty')
            plain = plain and not _has_meaning_in_rust(pattern, i, end, first)
            sets.append(CharSet(((low, high),)))
            i = end
    return Token("class", pattern[start : i + 1], 0, tuple(sets), negated, plain)


def _has_meaning_in_rust(pattern: str, i: int, end: int, first: int) -> bool:
    """Return whether Rust reads the characters of a class from `i` to `end` otherwise than Go does."""
    text = pattern[i:end]
    if len(text) > 1:
        # an escape that Rust has no or another meaning for, or a range whose ends are not what they seem
        return (
            re.search(r"\\[0-7<>]", text) is not None
            or "[" in text.replace("\\[", "")
            or text.startswith("]")
            or text.count("-") > 1
        )
    if text in "&~":
        return pattern.startswith(text, i + 1)
    if text == "-":
        # at either end, and nowhere else, a hyphen is itself in Rust too
        return i != first and not pattern.startswith("]", end)
    return text == "[" or (text == "]" and i != first)
