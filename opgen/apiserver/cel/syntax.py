"""From text to a tree: CEL's lexer and parser, with the error texts of the parser that cel-go uses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = [
    "Call",
    "CelSyntaxError",
    "Const",
    "Expr",
    "Ident",
    "ListExpr",
    "Macro",
    "MapExpr",
    "parse",
    "pointed",
    "RESERVED",
    "Select",
    "UInt",
]

RESERVED: Final = frozenset(
    """as break const continue else for function if import let loop package namespace return var void
    while""".split()
)
_EXPECTED: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
    "STRING, BYTES, IDENTIFIER}"
)
_TOKEN: Final = re.compile(
    r"""
    (?P<space>[ \t\r\n\f]+|//[^\n]*)
  | (?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)
  | (?P<uint>(?:0x[0-9a-fA-F]+|\d+)[uU])
  | (?P<int>0x[0-9a-fA-F]+|\d+)
  | (?P<text>(?:[rR]?[bB]?|[bB][rR])(?:\"\"\".*?(?<!\\)(?:\\\\)*\"\"\"|'''.*?(?<!\\)(?:\\\\)*'''
        |"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'))
  | (?P<ident>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_./ -]+`)
  | (?P<op>&&|\|\||==|!=|<=|>=|[-+*/%<>!?:,.()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_RAW_TEXT: Final = re.compile(
    r"""[rR][bB]?(?:\"\"\".*?\"\"\"|'''.*?'''|"[^"\n\r]*"|'[^'\n\r]*')""", re.DOTALL
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([abfnrtv\\'\"`?]))",
    re.DOTALL,
)
_SIMPLE: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

_RELATIONS: Final = {**{o: f"_{o}_" for o in ("<", "<=", ">", ">=", "==", "!=")}, "in": "@in"}
# How many arguments the macros over a range take, by how many variables the first of them name.
_ONE_VARIABLE: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(("all", "exists", "exists_one", "filter", "optMap", "optFlatMap"), (2,)),
    "map": (2, 3),
    "sortBy": (2,),
}
_TWO_VARIABLES: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(("all", "exists", "exists_one"), (3,)),
    **dict.fromkeys(("transformList", "transformMap", "transformMapEntry"), (3, 4)),
}


class UInt(int):
    """An unsigned integer value."""


class CelSyntaxError(ValueError):
    """The text is no CEL; `problems` are (offset, message) pairs."""

    def __init__(self, text: str, problems: list[tuple[int, str]]) -> None:
        """Word the problems as cel-go's parser does."""
        super().__init__("\n".join(pointed(text, at, message) for at, message in problems))
        self.problems = problems


def pointed(text: str, at: int, message: str) -> str:
    """Return a message with the line it is about and a mark under the place."""
    before = text[:at]
    line = before.count("\n")
    column = at - (before.rfind("\n") + 1)
    shown = text.split("\n")[line] if text else ""
    return f"ERROR: <input>:{line + 1}:{column + 1}: {message}\n | {shown}\n | {'.' * column}^"


@dataclass(eq=False)
class Expr:
    """A node of the tree; `at` is its offset in the text, `type` what the checker finds."""

    at: int
    type: Any = field(default=None, init=False)


@dataclass(eq=False)
class Const(Expr):
    """A literal."""

    value: Any


@dataclass(eq=False)
class Ident(Expr):
    """A variable, or a type's name."""

    name: str


@dataclass(eq=False)
class Select(Expr):
    """`operand.field`; `test` for `has()`, `optional` for `.?`."""

    operand: Expr
    name: str
    test: bool = False
    optional: bool = False


@dataclass(eq=False)
class Call(Expr):
    """A function or operator (`_+_`), with the target that it is called on, if any."""

    name: str
    target: Expr | None
    args: list[Expr]


@dataclass(eq=False)
class ListExpr(Expr):
    """A list literal; `optional` are the indices of `?element`s."""

    items: list[Expr]
    optional: frozenset[int] = frozenset()


@dataclass(eq=False)
class MapExpr(Expr):
    """A map literal; the third part of an entry says whether it is `?key: value`."""

    entries: list[tuple[Expr, Expr, bool]]


@dataclass(eq=False)
class Macro(Expr):
    """A macro over a range: `range.name(variables..., arguments...)`."""

    name: str
    range: Expr
    variables: list[str]
    args: list[Expr]


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


def _lex(text: str) -> tuple[list[_Token], list[tuple[int, str]]]:
    tokens: list[_Token] = []
    problems: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        raw = _RAW_TEXT.match(text, at)
        found = raw or _TOKEN.match(text, at)
        if found is None:
            bad = text[at]
            if bad in "\"'":
                end = text.find("\n", at)
                bad = text[at:] if end < 0 else text[at:end]
            problems.append((at, f"Syntax error: token recognition error at: '{bad}'"))
            at += len(bad)
            continue
        kind = "text" if raw else str(_TOKEN.match(text, at).lastgroup)  # type: ignore[union-attr]
        if kind != "space":
            tokens.append(_Token(kind, found.group(0), at))
        at = found.end()
    tokens.append(_Token("end", "<EOF>", len(text)))
    return tokens, problems


class _Stop(Exception):
    """Parsing can't go on."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens, self.problems = _lex(text)
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def take(self, *texts: str) -> _Token | None:
        token = self.token
        if token.kind in ("op", "ident") and token.text in texts:
            self.at += 1
            return token
        return None

    def fail(self, message: str, at: int | None = None) -> _Stop:
        self.problems.append((self.token.at if at is None else at, message))
        return _Stop()

    def expect(self, text: str) -> _Token:
        found = self.take(text)
        if found is None:
            shown = self.token.text
            raise self.fail(f"Syntax error: mismatched input '{shown}' expecting '{text}'")
        return found

    def whole(self) -> Expr:
        tree = self.expr()
        if self.token.kind != "end":
            last = self.tokens[self.at + 1].kind == "end"
            how = "extraneous" if last else "mismatched"
            raise self.fail(f"Syntax error: {how} input '{self.token.text}' expecting <EOF>")
        return tree

    def expr(self) -> Expr:
        self.depth += 1
        if self.depth > 250:
            raise self.fail("expression recursion limit exceeded: 250")
        tree = self.either()
        mark = self.take("?")
        if mark:
            first = self.either()
            self.expect(":")
            tree = Call(mark.at, "_?_:_", None, [tree, first, self.expr()])
        self.depth -= 1
        return tree

    def either(self) -> Expr:
        return self.chain(self.both, {"||": "_||_"})

    def both(self) -> Expr:
        return self.chain(self.relation, {"&&": "_&&_"})

    def relation(self) -> Expr:
        return self.chain(self.sum, _RELATIONS)

    def sum(self) -> Expr:
        return self.chain(self.product, {"+": "_+_", "-": "_-_"})

    def product(self) -> Expr:
        return self.chain(self.unary, {"*": "_*_", "/": "_/_", "%": "_%_"})

    def chain(self, below: Any, names: dict[str, str]) -> Expr:
        tree: Expr = below()
        while True:
            mark = self.take(*names)
            if mark is None:
                return tree
            tree = Call(mark.at, names[mark.text], None, [tree, below()])

    def unary(self) -> Expr:
        mark = self.take("!", "-")
        if mark is None:
            return self.member()
        count = 1
        while self.take(mark.text):
            count += 1
        if mark.text == "-" and count == 1 and self.token.kind in ("int", "float"):
            token = self.tokens[self.at]
            if token.kind == "int" and int(token.text, 0 if "x" in token.text else 10) == 2**63:
                self.at += 1
                return self.tail(Const(mark.at, -(2**63)))
            literal = self.primary()
            assert isinstance(literal, Const)
            return self.tail(Const(mark.at, -literal.value))
        tree = self.member()
        name = "!_" if mark.text == "!" else "-_"
        return Call(mark.at, name, None, [tree]) if count % 2 else tree

    def member(self) -> Expr:
        return self.tail(self.primary())

    def tail(self, tree: Expr) -> Expr:
        while True:
            dot = self.take(".")
            if dot:
                optional = self.take("?") is not None
                token = self.token
                if token.kind not in ("ident", "quoted") or token.text in (
                    "in",
                    "true",
                    "false",
                    "null",
                ):
                    raise self.fail(f"Syntax error: no viable alternative at input '.{token.text}'")
                self.at += 1
                name = token.text.strip("`")
                paren = self.take("(") if not optional and token.kind == "ident" else None
                if paren:
                    tree = self.called(paren.at, name, tree, self.arguments())
                else:
                    tree = Select(dot.at, tree, name, optional=optional)
                continue
            bracket = self.take("[")
            if bracket:
                optional = self.take("?") is not None
                index = self.expr()
                self.expect("]")
                tree = Call(bracket.at, "_[?_]" if optional else "_[_]", None, [tree, index])
                continue
            return tree

    def arguments(self) -> list[Expr]:
        out: list[Expr] = []
        if self.take(")"):
            return out
        while True:
            out.append(self.expr())
            if self.take(")"):
                return out
            if self.take(",") is None:
                raise self.fail(
                    f"Syntax error: mismatched input '{self.token.text}' expecting {{')', ','}}"
                )

    def primary(self) -> Expr:
        token = self.token
        if token.kind == "int":
            self.at += 1
            value = int(token.text, 16 if token.text.startswith("0x") else 10)
            if value >= 2**63:
                raise self.fail("invalid int literal", token.at)
            return Const(token.at, value)
        if token.kind == "uint":
            self.at += 1
            digits = token.text[:-1]
            return Const(token.at, UInt(int(digits, 16 if digits.startswith("0x") else 10)))
        if token.kind == "float":
            self.at += 1
            return Const(token.at, float(token.text))
        if token.kind == "text":
            self.at += 1
            return Const(token.at, self.literal(token))
        if token.text == "(" and token.kind == "op":
            self.at += 1
            tree = self.expr()
            self.expect(")")
            return tree
        if token.text == "[" and token.kind == "op":
            return self.list_literal()
        if token.text == "{" and token.kind == "op":
            return self.map_literal()
        return self.name()

    def name(self) -> Expr:
        dot = self.take(".")
        token = self.token
        if token.kind != "ident" or token.text == "in":
            raise self.fail(f"Syntax error: mismatched input '{token.text}' expecting {_EXPECTED}")
        self.at += 1
        if token.text in ("true", "false", "null") and not dot:
            return Const(token.at, {"true": True, "false": False, "null": None}[token.text])
        if token.text in RESERVED:
            raise self.fail(f"reserved identifier: {token.text}", token.at)
        paren = self.take("(")
        if paren:
            return self.called(paren.at, token.text, None, self.arguments())
        return Ident(token.at, token.text)

    def list_literal(self) -> Expr:
        start = self.expect("[")
        items: list[Expr] = []
        optional: set[int] = set()
        while not self.take("]"):
            if self.take("?"):
                optional.add(len(items))
            items.append(self.expr())
            if not self.take(","):
                self.expect("]")
                break
        return ListExpr(start.at, items, frozenset(optional))

    def map_literal(self) -> Expr:
        start = self.expect("{")
        entries: list[tuple[Expr, Expr, bool]] = []
        while not self.take("}"):
            optional = self.take("?") is not None
            key = self.expr()
            self.expect(":")
            entries.append((key, self.expr(), optional))
            if not self.take(","):
                self.expect("}")
                break
        return MapExpr(start.at, entries)

    def literal(self, token: _Token) -> Any:
        text = token.text
        prefix = re.match(r"[rRbB]*", text).group(0).lower()  # type: ignore[union-attr]
        body = text[len(prefix) :]
        body = body[3:-3] if body[:3] in ('"""', "'''") and len(body) >= 6 else body[1:-1]
        if "r" in prefix:
            return body.encode() if "b" in prefix else body
        return self.unescaped(body, token.at, "b" in prefix)

    def unescaped(self, body: str, at: int, as_bytes: bool) -> Any:
        parts: list[Any] = []
        last = 0
        while True:
            found = body.find("\\", last)
            if found < 0:
                parts.append(body[last:])
                break
            parts.append(body[last:found])
            escape = _ESCAPE.match(body, found)
            if escape is None:
                raise self.fail("invalid string literal", at)
            number = escape.group(1) or escape.group(2) or escape.group(3) or escape.group(4)
            if number:
                parts.append(_code(int(number, 16), as_bytes and not escape.group(3)))
            elif escape.group(5):
                parts.append(_code(int(escape.group(5), 8), as_bytes))
            else:
                parts.append(_SIMPLE.get(escape.group(6), escape.group(6)))
            last = escape.end()
        if as_bytes:
            return b"".join(p if isinstance(p, bytes) else p.encode() for p in parts)
        return "".join(parts)

    def called(self, at: int, name: str, target: Expr | None, args: list[Expr]) -> Expr:
        """Return a call, or the macro that it is."""
        made = (
            self.global_macro(at, name, args)
            if target is None
            else self.macro(at, name, target, args)
        )
        return made if made is not None else Call(at, name, target, args)

    def global_macro(self, at: int, name: str, args: list[Expr]) -> Expr | None:
        if name != "has" or len(args) != 1:
            return None
        inner = args[0]
        if not isinstance(inner, Select) or inner.test:
            raise self.fail("invalid argument to has() macro", inner.at)
        return Select(at, inner.operand, inner.name, test=True, optional=inner.optional)

    def macro(self, at: int, name: str, target: Expr, args: list[Expr]) -> Expr | None:
        if name == "bind" and isinstance(target, Ident) and target.name == "cel" and len(args) == 3:
            variable = self.variable(args[0])
            return Macro(at, "bind", args[1], [variable], [args[2]])
        short = "exists_one" if name == "existsOne" else name
        if len(args) in _ONE_VARIABLE.get(short, ()):
            return Macro(at, short, target, [self.variable(args[0])], args[1:])
        if len(args) in _TWO_VARIABLES.get(short, ()):
            variables = [self.variable(args[0]), self.variable(args[1])]
            if variables[0] == variables[1]:
                raise self.fail("second variable name must not match first", args[1].at)
            return Macro(at, short, target, variables, args[2:])
        return None

    def variable(self, tree: Expr) -> str:
        if not isinstance(tree, Ident):
            raise self.fail("argument must be a simple name", tree.at)
        return tree.name


def _code(number: int, as_byte: bool) -> Any:
    return bytes([number & 0xFF]) if as_byte and number < 256 else chr(number)


def parse(text: str) -> Expr:
    """Parse an expression.

    Raises:
        CelSyntaxError: it is no CEL.
    """
    parser = _Parser(text)
    try:
        tree = parser.whole()
    except _Stop:
        raise CelSyntaxError(text, sorted(parser.problems)) from None
    except RecursionError:
        raise CelSyntaxError(text, [(0, "expression recursion limit exceeded: 250")]) from None
    if parser.problems:
        raise CelSyntaxError(text, parser.problems)
    return tree
