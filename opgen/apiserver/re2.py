"""Go's regular expressions: checked with Go's messages, run by Rust's engine, which is linear too.

The dialects differ in small ways, so a pattern is read as RE2 does and written anew for the engine that
pydantic-core brings. Python's own `re` would backtrack without bound on a hostile pattern, and reads several
constructs differently.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

__all__ = ["compile_pattern", "PatternError", "translate"]

_PERL: Final = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": r"\t\n\f\r ",
}
_SIMPLE: Final = frozenset("aftnrv")
_ANCHORS: Final = {"A": r"\A", "z": r"\z", "b": r"(?-u:\b)", "B": r"(?-u:\B)"}
_REPEAT: Final = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_POSIX: Final = re.compile(
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]"
)
_UNICODE: Final = re.compile(r"[pP](?:[A-Z]|\{\^?\w+\})")
_HEX: Final = re.compile(r"x(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})")
_OCTAL: Final = re.compile(r"[1-7][0-7]{1,2}|0[0-7]{0,2}")
_NAME: Final = re.compile(r"\?P?<(\w+)>")
_FLAGS: Final = re.compile(r"\?([imsU]*(?:-[imsU]+)?)([:)])")
_ENGINE_SPECIAL: Final = frozenset("\\.+*?()|[]{}^$#&-~")


class PatternError(ValueError):
    """The pattern is no RE2 expression; the message is Go's."""

    def __init__(self, what: str, part: str) -> None:
        """Say what is wrong with which part."""
        super().__init__(f"error parsing regexp: {what}: `{part}`")


def _literal(char: str) -> str:
    return "\\" + char if char in _ENGINE_SPECIAL else char


class _Translator:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.out: list[str] = []
        self.depth = 0

    def run(self) -> str:
        """Return the pattern for the engine."""
        can_repeat = False
        last_repeat = ""
        while self.at < len(self.text):
            char = self.text[self.at]
            start = self.at
            if char == "(":
                can_repeat = self.open()
                last_repeat = ""
                continue
            if char == ")":
                if not self.depth:
                    raise PatternError("unexpected )", self.text)
                self.depth -= 1
                self.put(")", 1)
                can_repeat, last_repeat = True, ""
                continue
            if char == "|":
                self.put("|", 1)
                can_repeat, last_repeat = False, ""
                continue
            found = _REPEAT.match(self.text, self.at) if char == "{" else None
            if char in "*+?" or found:
                last_repeat = self.repeat(found, can_repeat, last_repeat)
                can_repeat = True
                continue
            last_repeat = ""
            if char == "[":
                self.char_class()
            elif char == "\\":
                self.escape()
            elif char in ".^$":
                self.put(char, 1)
            else:
                self.put(_literal(char), 1)
            can_repeat = self.at > start
        if self.depth:
            raise PatternError("missing closing )", self.text)
        return "".join(self.out)

    def put(self, text: str, taken: int) -> None:
        self.out.append(text)
        self.at += taken

    def open(self) -> bool:
        rest = self.text[self.at + 1 :]
        if not rest.startswith("?"):
            self.depth += 1
            self.put("(", 1)
            return False
        named = _NAME.match(rest)
        if named:
            self.depth += 1
            self.put(f"(?P<{named.group(1)}>", 1 + named.end())
            return False
        flags = _FLAGS.match(rest)
        if flags is None or flags.group(1) in ("-",):
            shown = re.match(r"\(\?(?:P?<?)?.?", self.text[self.at :])
            raise PatternError(
                "invalid or unsupported Perl syntax",
                shown.group(0)[:3] if shown else self.text[self.at :],
            )
        if flags.group(2) == ":":
            self.depth += 1
        self.put("(" + flags.group(0), 1 + flags.end())
        return flags.group(2) == ")"

    def repeat(self, found: re.Match[str] | None, can_repeat: bool, last: str) -> str:
        text = found.group(0) if found else self.text[self.at]
        if found:
            low, high = int(found.group(1)), found.group(3)
            if low > 1000 or (high and (int(high) > 1000 or int(high) < low)):
                raise PatternError("invalid repeat count", text)
        if not can_repeat:
            raise PatternError("missing argument to repetition operator", text)
        after = self.at + len(text)
        if after < len(self.text) and self.text[after] == "?":
            text += "?"
        if last:
            raise PatternError("invalid nested repetition operator", last + text)
        self.put(text, len(text))
        return text

    def escape(self) -> None:
        if self.at + 1 >= len(self.text):
            raise PatternError("trailing backslash at end of expression", "")
        rest = self.text[self.at + 1 :]
        char = rest[0]
        if char == "Q":
            end = rest.find("\\E")
            quoted = rest[1:] if end < 0 else rest[1:end]
            self.put("".join(_literal(c) for c in quoted), 2 + len(quoted) + (2 if end >= 0 else 0))
        elif char in _ANCHORS:
            self.put(_ANCHORS[char], 2)
        elif char.lower() in _PERL:
            self.put(f"[{'^' if char.isupper() else ''}{_PERL[char.lower()]}]", 2)
        else:
            text, taken = self.character(rest)
            self.put(text, taken + 1)

    def character(self, rest: str) -> tuple[str, int]:
        """Translate what stands after a backslash for one character (or a Unicode class)."""
        char = rest[0]
        for pattern in (_UNICODE, _HEX):
            found = pattern.match(rest)
            if found:
                return "\\" + found.group(0), found.end()
        octal = _OCTAL.match(rest)
        if octal:
            return f"\\x{{{int(octal.group(0), 8):x}}}", octal.end()
        if char in _SIMPLE:
            return "\\" + char, 1
        if char.isascii() and not char.isalnum() and char != "_":
            return _literal(char), 1
        raise PatternError("invalid escape sequence", "\\" + char)

    def char_class(self) -> None:
        start = self.at
        out = ["["]
        self.at += 1
        if self.text.startswith("^", self.at):
            out.append("^")
            self.at += 1
        first = True
        while True:
            if self.at >= len(self.text):
                raise PatternError("missing closing ]", self.text[start:])
            char = self.text[self.at]
            if char == "]" and not first:
                self.at += 1
                break
            first = False
            posix = _POSIX.match(self.text, self.at)
            if posix:
                out.append(posix.group(0))
                self.at = posix.end()
                continue
            if char == "[" and self.text.startswith("[:", self.at) and ":]" in self.text[self.at :]:
                end = self.text.index(":]", self.at) + 2
                raise PatternError("invalid character class range", self.text[self.at : end])
            if (
                char == "\\"
                and self.at + 1 < len(self.text)
                and self.text[self.at + 1].lower() in _PERL
            ):
                name = self.text[self.at + 1]
                out.append(f"[{'^' if name.isupper() else ''}{_PERL[name.lower()]}]")
                self.at += 2
                continue
            out.append(self.range())
        self.out.append("".join(out) + "]")

    def range(self) -> str:
        start = self.at
        low = self.member()
        if (
            self.text.startswith("-", self.at)
            and self.at + 1 < len(self.text)
            and self.text[self.at + 1] != "]"
        ):
            self.at += 1
            if (
                self.text.startswith("\\", self.at)
                and self.text[self.at + 1 : self.at + 2].lower() in _PERL
            ):
                raise PatternError("invalid character class range", self.text[start : self.at + 2])
            high = self.member()
            if _code(low) > _code(high):
                raise PatternError("invalid character class range", self.text[start : self.at])
            return f"{low}-{high}"
        return low

    def member(self) -> str:
        char = self.text[self.at]
        if char != "\\":
            self.at += 1
            return _literal(char)
        if self.at + 1 >= len(self.text):
            raise PatternError("missing closing ]", self.text[self.at :])
        text, taken = self.character(self.text[self.at + 1 :])
        self.at += 1 + taken
        return text


def _code(text: str) -> int:
    if not text.startswith("\\"):
        return ord(text)
    body = text[1:]
    if body[0] == "x" and len(body) > 1:
        return int(body[1:].strip("{}"), 16)
    return {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}.get(
        body, ord(body[0]) if body else 0
    )


def translate(pattern: str) -> str:
    """Return `pattern` in the engine's dialect; raises `PatternError` if Go would not take it."""
    return _Translator(pattern).run()


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a text has a match of `pattern`, anywhere in it.

    Raises:
        PatternError: Go would not take the pattern.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    text = translate(pattern)
    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=text, strict=True))
    except SchemaError as error:
        raise PatternError("expression nests too deeply or is too large", pattern) from error
    matches: Callable[[str], bool] = validator.isinstance_python
    return matches
