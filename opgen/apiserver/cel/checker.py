"""The type checker: finds the overloads of each call and refuses what can't work, in cel-go's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from opgen.apiserver.cel.signatures import Signature, signatures
from opgen.apiserver.cel.syntax import (
    Call,
    Const,
    Expr,
    Ident,
    ListExpr,
    Macro,
    MapExpr,
    Select,
    UInt,
    pointed,
)
from opgen.apiserver.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    ERROR,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    list_of,
    map_of,
    optional_of,
)

__all__ = ["CelTypeError", "check"]

_TYPE_NAMES: Final = {
    repr(one): one for one in (BOOL, INT, UINT, DOUBLE, STRING, BYTES, NULL, TIMESTAMP, DURATION)
}
_NULLABLE: Final = frozenset(("object", "abstract", "timestamp", "duration", "optional"))


class CelTypeError(ValueError):
    """The expression can't be typed; the message shows each fault in its place."""


class _Checker:
    def __init__(self, text: str, variables: Mapping[str, Type]) -> None:
        self.text = text
        self.scopes: list[Mapping[str, Type]] = [variables]
        self.problems: list[tuple[int, str]] = []
        self.fresh = 0
        self.bound: dict[str, Type] = {}

    def fail(self, at: int, message: str) -> Type:
        self.problems.append((at, message))
        return ERROR

    def visit(self, tree: Expr) -> Type:
        found = self.find(tree)
        tree.type = found
        return found

    def find(self, tree: Expr) -> Type:
        if isinstance(tree, Const):
            return _constant(tree.value)
        if isinstance(tree, Ident):
            return self.ident(tree)
        if isinstance(tree, Select):
            return self.select(tree)
        if isinstance(tree, Call):
            return self.call(tree)
        if isinstance(tree, ListExpr):
            items = [self.item(tree, i) for i in range(len(tree.items))]
            return list_of(self.joined(items, [i.at for i in tree.items]))
        if isinstance(tree, MapExpr):
            keys = self.joined(
                [self.visit(k) for k, _, _ in tree.entries], [k.at for k, _, _ in tree.entries]
            )
            values = [
                self.unwrapped(self.visit(v), v.at) if o else self.visit(v)
                for _, v, o in tree.entries
            ]
            return map_of(keys, self.joined(values, [v.at for _, v, _ in tree.entries]))
        assert isinstance(tree, Macro)
        return self.macro(tree)

    def item(self, tree: ListExpr, index: int) -> Type:
        found = self.visit(tree.items[index])
        return self.unwrapped(found, tree.items[index].at) if index in tree.optional else found

    def unwrapped(self, found: Type, at: int) -> Type:
        found = self.resolved(found)
        if found.kind == "optional":
            return found.params[0]
        if found.kind in ("dyn", "error"):
            return DYN
        return self.fail(at, f"expected type 'optional_type' but found '{found!r}'")

    def joined(self, found: list[Type], places: list[int]) -> Type:
        """The type of the elements of a literal, which must agree."""
        if not found:
            self.fresh += 1
            return Type("param", name=f"#{self.fresh}")
        first = found[0]
        for other, at in zip(found[1:], places[1:], strict=True):
            saved = dict(self.bound)
            if not self.assignable(first, other):
                self.bound = saved
                shown = self.resolved(first, deep=True), self.resolved(other, deep=True)
                return self.fail(at, f"expected type '{shown[0]!r}' but found '{shown[1]!r}'")
            if self.resolved(other).kind == "dyn":
                first = other
        return first

    def lookup(self, name: str) -> Type | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def ident(self, tree: Ident) -> Type:
        found = self.lookup(tree.name)
        if found is not None:
            return found
        if tree.name in _TYPE_NAMES:
            return Type("type", (_TYPE_NAMES[tree.name],))
        if tree.name in ("list", "map"):
            inner = list_of(DYN) if tree.name == "list" else map_of(DYN, DYN)
            return Type("type", (inner,))
        return self.fail(tree.at, f"undeclared reference to '{tree.name}' (in container '')")

    def select(self, tree: Select) -> Type:
        operand = self.resolved(self.visit(tree.operand))
        optional = tree.optional
        if operand.kind == "optional":
            operand = self.resolved(operand.params[0])
            optional = not tree.test
        if operand.kind == "object":
            fields = operand.fields or {}
            found = fields.get(tree.name) or fields.get(f"__{tree.name}__")
            if found is None:
                found = self.fail(tree.at, f"undefined field '{tree.name}'")
        elif operand.kind == "map":
            found = operand.params[1]
        elif operand.kind in ("dyn", "error", "param"):
            found = DYN if operand.kind != "error" else ERROR
        else:
            found = self.fail(tree.at, f"type '{operand!r}' does not support field selection")
        if tree.test:
            return BOOL
        return optional_of(found) if optional and found is not ERROR else found

    def call(self, tree: Call) -> Type:
        args = tree.args
        name, target = tree.name, tree.target
        if target is not None:
            qualified = _namespace(target)
            if (
                qualified
                and self.lookup(qualified) is None
                and (f"{qualified}.{name}", False) in signatures()
            ):
                tree.name, tree.target, target = f"{qualified}.{name}", None, None
                name = tree.name
        types = [self.visit(target)] if target is not None else []
        types += [self.visit(a) for a in args]
        found = signatures().get((name, target is not None))
        if found is None:
            return self.fail(tree.at, f"undeclared reference to '{name}' (in container '')")
        if any(self.resolved(t) is ERROR for t in types):
            return ERROR
        return self.overload(tree, found, types)

    def overload(self, tree: Call, found: tuple[Signature, ...], types: list[Type]) -> Type:
        result: Type | None = None
        for signature in found:
            if len(signature.args) != len(types):
                continue
            saved = dict(self.bound)
            self.fresh += 1
            renamed = [_renamed(a, self.fresh) for a in signature.args]
            if all(self.assignable(want, have) for want, have in zip(renamed, types, strict=True)):
                made = self.resolved(_renamed(signature.result, self.fresh), deep=True)
                if result is None:
                    result = made
                elif made != result:
                    result = DYN
            else:
                self.bound = saved
        if result is not None:
            return result
        shown = ", ".join(repr(self.resolved(t, deep=True)) for t in types)
        if tree.target is not None:
            first, _, rest = shown.partition(", ")
            shown = f"{first}.({rest})"
        else:
            shown = f"({shown})"
        return self.fail(
            tree.at, f"found no matching overload for '{tree.name}' applied to '{shown}'"
        )

    def macro(self, tree: Macro) -> Type:
        over = self.resolved(self.visit(tree.range))
        if tree.name == "bind":
            return self.within({tree.variables[0]: over}, tree.args[0])
        if tree.name in ("optMap", "optFlatMap"):
            inner = over.params[0] if over.kind == "optional" else DYN
            if over.kind not in ("optional", "dyn", "error"):
                return self.fail(
                    tree.at, f"found no matching overload for 'hasValue' applied to '{over!r}.()'"
                )
            found = self.within({tree.variables[0]: inner}, tree.args[0])
            if tree.name == "optMap":
                return optional_of(found)
            return found if self.resolved(found).kind == "optional" else optional_of(DYN)
        return self.comprehension(tree, over)

    def comprehension(self, tree: Macro, over: Type) -> Type:
        two = len(tree.variables) == 2
        if over.kind == "list":
            first, second = (INT, over.params[0]) if two else (over.params[0], DYN)
        elif over.kind == "map":
            first, second = over.params
        elif over.kind in ("dyn", "error", "param"):
            first = second = DYN
        else:
            return self.fail(
                tree.range.at,
                f"expression of type '{over!r}' cannot be range of a comprehension (must be list, map, or dynamic)",
            )
        scope = {tree.variables[0]: first}
        if two:
            scope[tree.variables[1]] = second
        found = [self.within(scope, arg) for arg in tree.args]
        name = tree.name
        if name in ("all", "exists", "exists_one", "filter") or len(found) == 2:
            self.want_bool(found[0], tree.args[0].at)
        if name in ("all", "exists", "exists_one"):
            return BOOL
        if name in ("filter", "sortBy"):
            return list_of(first)
        if name in ("map", "transformList"):
            return list_of(found[-1])
        if name == "transformMap":
            return map_of(INT if over.kind == "list" else first, found[-1])
        made = self.resolved(found[-1])
        return made if made.kind == "map" else map_of(DYN, DYN)

    def want_bool(self, found: Type, at: int) -> None:
        if not self.assignable(BOOL, found) and self.resolved(found) is not ERROR:
            self.fail(at, f"expected type 'bool' but found '{self.resolved(found, deep=True)!r}'")

    def within(self, scope: Mapping[str, Type], tree: Expr) -> Type:
        self.scopes.append(scope)
        try:
            return self.visit(tree)
        finally:
            self.scopes.pop()

    def resolved(self, found: Type, deep: bool = False) -> Type:
        while found.kind == "param" and found.name in self.bound:
            found = self.bound[found.name]
        if deep and found.kind == "param":
            return DYN
        if deep and found.params:
            return Type(
                found.kind,
                tuple(self.resolved(p, deep=True) for p in found.params),
                name=found.name,
                size=found.size,
            )
        return found

    def assignable(self, want: Type, have: Type) -> bool:
        """Whether a value of type `have` may be where `want` is asked for; binds parameters."""
        want, have = self.resolved(want), self.resolved(have)
        if want is have or "dyn" in (want.kind, have.kind) or "error" in (want.kind, have.kind):
            if want.kind == "param" and have.kind == "dyn":
                self.bound[want.name] = DYN
            return True
        if want.kind == "param":
            self.bound[want.name] = have
            return True
        if have.kind == "param":
            self.bound[have.name] = want
            return True
        if have.kind == "null_type":
            return want.kind == "null_type" or want.kind in _NULLABLE
        if want.kind == "null_type":
            return have.kind in _NULLABLE
        if want.kind != have.kind:
            return False
        if want.kind == "object":
            return want.fields == have.fields
        if want.kind == "abstract":
            return want.name == have.name
        if want.kind == "type":
            return True
        return len(want.params) == len(have.params) and all(
            self.assignable(a, b) for a, b in zip(want.params, have.params, strict=True)
        )


def _namespace(tree: Expr) -> str:
    return tree.name if isinstance(tree, Ident) else ""


def _renamed(found: Type, number: int) -> Type:
    if found.kind == "param":
        return Type("param", name=f"{found.name}{number}")
    if found.params:
        return Type(found.kind, tuple(_renamed(p, number) for p in found.params), name=found.name)
    return found


def _constant(value: object) -> Type:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, UInt):
        return UINT
    if isinstance(value, int):
        return INT
    if isinstance(value, float):
        return DOUBLE
    return STRING if isinstance(value, str) else BYTES


def check(text: str, tree: Expr, variables: Mapping[str, Type]) -> Type:
    """Type a tree, in place, and return the type of the whole.

    Raises:
        CelTypeError: with all that is wrong.
    """
    checker = _Checker(text, variables)
    found = checker.resolved(checker.visit(tree), deep=True)
    if checker.problems:
        raise CelTypeError(
            "\n".join(pointed(text, at, message) for at, message in checker.problems)
        )
    return found
