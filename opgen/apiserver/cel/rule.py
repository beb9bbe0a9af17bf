"""One rule of `x-kubernetes-validations`, parsed and checked against the type of its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from opgen.apiserver.cel.checker import CelTypeError, check
from opgen.apiserver.cel.compiler import Program, compile_tree
from opgen.apiserver.cel.cost import estimate
from opgen.apiserver.cel.syntax import (
    Call,
    CelSyntaxError,
    Const,
    Expr,
    Ident,
    ListExpr,
    Macro,
    MapExpr,
    Select,
    parse,
)
from opgen.apiserver.cel.types import Type, optional_of
from opgen.apiserver.re2 import PatternError, compile_pattern
from opgen.apiserver.schema.node import Node

__all__ = ["compile_rule", "CompiledRule", "field_path", "RuleError"]

_PATH_PART: Final = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]")


class RuleError(ValueError):
    """A rule, or its messageExpression, can't be compiled; the message is the server's."""


def _below(tree: Expr) -> Iterator[Expr]:
    yield tree
    parts: list[Expr] = []
    if isinstance(tree, Select):
        parts = [tree.operand]
    elif isinstance(tree, Call):
        parts = [*([tree.target] if tree.target is not None else []), *tree.args]
    elif isinstance(tree, ListExpr):
        parts = tree.items
    elif isinstance(tree, MapExpr):
        parts = [part for key, value, _ in tree.entries for part in (key, value)]
    elif isinstance(tree, Macro):
        parts = [tree.range, *tree.args]
    for part in parts:
        yield from _below(part)


@dataclass(eq=False)
class CompiledRule:
    """A rule that can run: `spec` is the item of the schema, `path` where failures are said to be, below the value."""

    spec: Mapping[str, Any]
    tree: Expr
    type: Type
    message_tree: Expr | None
    message_error: str
    path: str

    @cached_property
    def run(self) -> Program:
        """The rule as a function of its variables."""
        return compile_tree(self.tree)

    @cached_property
    def message(self) -> Program | None:
        """The messageExpression, if there is one, as a function of its variables."""
        return compile_tree(self.message_tree) if self.message_tree is not None else None

    @cached_property
    def uses_old(self) -> bool:
        """Whether the rule compares with the value before the update."""
        return any(isinstance(e, Ident) and e.name == "oldSelf" for e in _below(self.tree))

    @property
    def optional_old(self) -> bool:
        """Whether the rule runs where there is no old value too, and gets it as an optional."""
        return bool(self.spec.get("optionalOldSelf"))

    @property
    def cost(self) -> int:
        """The most that the rule may cost."""
        return estimate(self.tree, self.type)

    @property
    def message_cost(self) -> int:
        """The most that the messageExpression may cost."""
        return 0 if self.message_tree is None else estimate(self.message_tree, self.type)


def field_path(path: str, node: Node) -> str | None:
    """Return a `fieldPath` as a path of fields, or None if the schema has no such place."""
    out, at = "", 0
    here: Node | None = node
    while at < len(path):
        found = _PATH_PART.match(path, at)
        if found is None or here is None:
            return None
        name = (
            found.group(1)
            if found.group(1) is not None
            else re.sub(r"\\(.)", r"\1", found.group(2))
        )
        if name in here.properties:
            out, here = f"{out}.{name}", here.properties[name]
        elif isinstance(here.additional, Node):
            out, here = f"{out}[{name}]", here.additional
        else:
            return None
        at = found.end()
    return out.removeprefix(".")


def _compile(text: str, variables: Mapping[str, Type], prefix: str) -> tuple[Expr, Type]:
    try:
        tree = parse(text)
        return tree, check(text, tree, variables)
    except (CelSyntaxError, CelTypeError) as error:
        raise RuleError(f"{prefix}compilation failed: {error}") from None


def _check_patterns(tree: Expr) -> None:
    for part in _below(tree):
        if isinstance(part, Call) and part.name in ("matches", "find", "findAll") and part.args:
            pattern = part.args[0] if part.target is not None else part.args[-1]
            if isinstance(pattern, Const) and isinstance(pattern.value, str):
                try:
                    compile_pattern(pattern.value)
                except PatternError as error:
                    raise RuleError(f"program instantiation failed: {error}") from None


def compile_rule(spec: Mapping[str, Any], type_: Type, node: Node) -> CompiledRule | None:
    """Compile a rule about values of `type_`; None for an empty rule.

    Raises:
        RuleError: the rule itself is wrong; a wrong messageExpression is noted in the result.
    """
    text = spec.get("rule", "")
    if not text.strip():
        return None
    variables = {
        "self": type_,
        "oldSelf": optional_of(type_) if spec.get("optionalOldSelf") else type_,
    }
    tree, found = _compile(text, variables, "")
    if found.kind != "bool":
        raise RuleError("cel expression must evaluate to a bool")
    _check_patterns(tree)
    message, problem = None, ""
    expression = spec.get("messageExpression", "")
    if expression.strip():
        try:
            message, kind = _compile(expression, variables, "messageExpression ")
            if kind.kind != "string":
                raise RuleError("messageExpression must evaluate to a string")
        except RuleError as error:
            message, problem = None, str(error)
    return CompiledRule(
        spec, tree, type_, message, problem, field_path(spec.get("fieldPath", ""), node) or ""
    )
