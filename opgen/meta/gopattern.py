r"""Go's regular expressions for the engines that Python has.

The API server compiles patterns with Go's `regexp/syntax`. pydantic's Rust engine is nearest to it, Python's `re`
farther off, and neither reads all of it the same: Rust's `\d`, `\w`, `\s` and `\b` go by Unicode, its classes nest
and have operators (`&&`, `--`, `~~`), `\<` is an assertion; Python's `$` stops before a final newline, POSIX classes
and `\z` are unknown to it. So a pattern is read by Go's grammar and written anew where an engine would read it
otherwise. Own code, because no library does this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from opgen.meta.gosyntax import C_ESCAPES, LAST, CharSet, Ranges, Token, Untranslatable, tokens

__all__ = ["to_python", "to_rust", "Untranslatable"]

_META = frozenset("\\.+*?()|[]{}^$")
_CLASS_META = frozenset("\\[]^-&~")
_C_NAMES = {code: letter for letter, code in C_ESCAPES.items()}


def to_rust(pattern: str) -> str:
    """Return the pattern for pydantic's engine, as it stands wherever that reads it the same.

    Raises Untranslatable. The result may still be too large for the engine.
    """
    return "".join(_rust(token) for token in tokens(pattern))


def to_python(pattern: str) -> str:
    """Return the pattern for Python's `re`. Raises Untranslatable, also for Unicode properties."""
    out: list[str] = []
    flags = frozenset[str]()
    outer: list[frozenset[str]] = []
    for token in tokens(pattern):
        match token.kind:
            case "(":
                outer.append(flags)
                out.append("(?:")
            case "group":
                outer.append(flags)
                flags = _switched(flags, token.flags)
                out.append("(?:")
            case "flags":
                flags = _switched(flags, token.flags)
            case ")":
                if not outer:
                    raise Untranslatable("a group is closed that was not opened")
                flags = outer.pop()
                out.append(")")
            case "char":
                out.append(_python_class((CharSet(((token.code, token.code),)),), False, flags))
            case "class":
                out.append(_python_class(token.sets, token.negated, flags))
            case ".":
                out.append("(?s:.)" if "s" in flags else r"[^\n]")
            case "^":
                out.append("(?m:^)" if "m" in flags else r"(?:\A)")
            case "$":
                out.append("(?m:$)" if "m" in flags else r"(?:\Z)")
            case r"\z":
                out.append(r"(?:\Z)")
            case r"\b" | r"\B":
                # Python's own \B is not found in an empty string
                word = r"(?<=\w)(?=\w)|(?<!\w)(?!\w)" if token.kind == r"\B" else r"\b"
                out.append(f"(?a:{word})")
            case r"\A":
                out.append(r"(?:\A)")
            case _:
                out.append(token.raw)
    return "".join(out)


def _rust(token: Token) -> str:
    match token.kind:
        case "char":
            return token.raw if token.plain else _written(token.code)
        case "class":
            if token.plain and not any(each.name for each in token.sets):
                return token.raw
            if len(token.sets) == 1 and not token.raw.startswith("["):
                return _rust_set(token.sets[0], alone=True)
            inner = "".join(_rust_set(each) for each in token.sets)
            return f"[{'^' if token.negated else ''}{inner}]"
        case r"\b" | r"\B":
            return f"(?-u:{token.kind})"
    return token.raw


def _rust_set(each: CharSet, alone: bool = False) -> str:
    if each.name:
        return rf"\{'P' if each.negated else 'p'}{{{each.name}}}"
    text = _written_ranges(each.ranges)
    if each.negated:
        return f"[^{text}]"
    return f"[{text}]" if alone else text


def _written_ranges(ranges: Ranges) -> str:
    return "".join(
        _written(low, _CLASS_META)
        + (f"{'-' * (high > low + 1)}{_written(high, _CLASS_META)}" if high > low else "")
        for low, high in ranges
    )


def _written(code: int, meta: frozenset[str] = _META) -> str:
    """Return a character as Rust takes it, where the characters in `meta` mean something else."""
    char = chr(code)
    if char in meta:
        return "\\" + char
    if char.isprintable():
        return char
    if code in _C_NAMES:
        return f"\\{_C_NAMES[code]}"
    return f"\\x{code:02X}" if code < 0x100 else f"\\x{{{code:X}}}"


def _switched(flags: frozenset[str], change: str) -> frozenset[str]:
    on, _, off = change.partition("-")
    return (flags | set(on)) - set(off)


def _python_class(sets: tuple[CharSet, ...], negated: bool, flags: frozenset[str]) -> str:
    ranges: list[tuple[int, int]] = []
    for each in sets:
        if each.name:
            raise Untranslatable(f'"\\p{{{each.name}}}" is unknown to Python')
        own = list(each.ranges)
        if "i" in flags:
            own += [pair for low, high in each.ranges for pair in _other_cases(low, high)]
        ranges += _complement(own) if each.negated else own
    if negated:
        ranges = _complement(ranges)
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return re.escape(chr(ranges[0][0]))
    if not ranges:
        return "(?!)"
    return f"[{''.join(f'{_python_char(low)}-{_python_char(high)}' for low, high in ranges)}]"


def _python_char(code: int) -> str:
    return chr(code) if chr(code).isalnum() and code < 0x80 else f"\\U{code:08X}"


def _complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out, following = [], 0
    for low, high in sorted(ranges):
        if low > following:
            out.append((following, low - 1))
        following = max(following, high + 1)
    if following <= LAST:
        out.append((following, LAST))
    return out


def _other_cases(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield what case folding adds to a range. Raises Untranslatable where that needs Unicode's tables."""
    if high >= 0x80 and high < LAST:
        raise Untranslatable("case folding beyond ASCII")
    for code in range(low, min(high, 0x7F) + 1):
        if chr(code).isalpha():
            yield code ^ 0x20, code ^ 0x20
            if chr(code) in "kK":
                yield 0x212A, 0x212A
            elif chr(code) in "sS":
                yield 0x17F, 0x17F
    if high == LAST:
        if low > 0x80:
            raise Untranslatable("case folding beyond ASCII")
        yield from ((ord(char), ord(char)) for char in "kKsS")
