"""The most that a rule may cost, estimated from the limits in its schema; too costly rules are kept out of CRDs.

Follows cel-go's `checker/cost.go` and Kubernetes' `apiserver/pkg/cel/library/cost.go`; only upper bounds are
computed, because only they are compared with a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from opgen.apiserver.cel.syntax import Call, Const, Expr, Ident, ListExpr, Macro, MapExpr, Select
from opgen.apiserver.cel.types import Type

__all__ = ["CRD_LIMIT", "estimate", "MOST", "RULE_LIMIT", "times", "within"]

MOST: Final = 2**64 - 1
RULE_LIMIT: Final = 10_000_000
CRD_LIMIT: Final = 100_000_000
_TRAVERSE: Final = 0.1
_REGEX: Final = 0.25
_LIST: Final = 10
_MAP: Final = 30
_SCALARS: Final = frozenset(("bool", "double", "duration", "int", "timestamp", "uint", "type"))
_SAME_SIZE: Final = frozenset(("lowerAscii", "upperAscii", "substring", "trim"))
_ELEMENTWISE: Final = frozenset(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"))
_PARSING: Final = frozenset(
    (
        "url",
        "isURL",
        "quantity",
        "isQuantity",
        "ip",
        "isIP",
        "cidr",
        "isCIDR",
        "semver",
        "isSemver",
        "validate",
    )
)
_MATCHING: Final = frozenset(("matches", "find", "findAll"))
_COMPARISONS: Final = frozenset(f"_{op}_" for op in ("==", "!=", "<", "<=", ">", ">="))


def within(number: int) -> int:
    """Return `number`, or the largest that the server counts to."""
    return min(number, MOST)


def times(a: int, b: int) -> int:
    """Multiply, up to the largest number that the server counts to."""
    return within(a * b)


def _part(size: int, factor: float) -> int:
    """A share of a size, rounded up."""
    if size >= MOST:
        return MOST if factor >= 1 else math.ceil(MOST * factor)
    return within(math.ceil(size * factor))


class _Estimate:
    def __init__(self, root: Type) -> None:
        self.root = root
        self.sizes: dict[int, int] = {}
        self.locals: dict[str, list[int | None]] = {}

    def cost(self, tree: Expr) -> int:
        if isinstance(tree, Const):
            return 0
        if isinstance(tree, Ident):
            return 1
        if isinstance(tree, Select):
            return self.select(tree)
        if isinstance(tree, ListExpr):
            return within(_LIST + sum(self.cost(i) for i in tree.items))
        if isinstance(tree, MapExpr):
            return within(_MAP + sum(self.cost(k) + self.cost(v) for k, v, _ in tree.entries))
        if isinstance(tree, Macro):
            return self.macro(tree)
        assert isinstance(tree, Call)
        return self.call(tree)

    def select(self, tree: Select) -> int:
        cost = self.cost(tree.operand)
        if tree.test:
            return cost
        kind = tree.operand.type.kind
        return within(cost + (kind in ("map", "object", "param", "optional") or tree.optional))

    def size(self, tree: Expr) -> int:
        """The most entries or characters that a value may have."""
        known = self.sizes.get(id(tree))
        if known is not None:
            return known
        if isinstance(tree, Const):
            return len(tree.value) if isinstance(tree.value, str | bytes) else 1
        if isinstance(tree, ListExpr):
            return len(tree.items)
        if isinstance(tree, MapExpr):
            return len(tree.entries)
        if isinstance(tree, Ident):
            found = self.locals.get(tree.name)
            if found and found[-1] is not None:
                return found[-1]
        if isinstance(tree, Call) and tree.name == "dyn":
            return self.size(tree.args[0])
        indexed = isinstance(tree, Call) and tree.name == "_[_]"
        if (isinstance(tree, Ident | Select) or indexed) and tree.type.size is not None:
            return int(tree.type.size)
        if tree.type.kind in _SCALARS:
            return 1
        # What the server takes for an item of a list that no schema declares.
        return self.root.size if indexed and self.root.size is not None else MOST

    def call(self, tree: Call) -> int:
        args = tree.args if tree.target is None else [tree.target, *tree.args]
        costs = [self.cost(a) for a in args]
        if tree.name == "_?_:_":
            self.sizes[id(tree)] = max(self.size(args[1]), self.size(args[2]))
            return within(costs[0] + max(costs[1:]))
        return within(sum(costs) + self.own(tree, args))

    def own(self, tree: Call, args: list[Expr]) -> int:
        """What a call costs beyond its arguments; notes the size of its result."""
        name = tree.name
        if name in ("_&&_", "_||_"):
            return 0
        if name in _COMPARISONS:
            return _part(min(self.size(args[0]), self.size(args[1])), _TRAVERSE)
        if name == "_+_":
            return self.plus(tree, args)
        if name == "@in":
            return self.size(args[1]) if args[1].type.kind == "list" else 1
        if name == "matches" and tree.target is None:
            return 1  # the server forgets to count the function, it counts the method
        if name in _MATCHING:
            self.sizes[id(tree)] = self.size(args[0])
            text = _part(within(self.size(args[0]) + 1), _TRAVERSE)
            return times(text, _part(self.size(args[1]), _REGEX))
        if name == "contains":
            return times(_part(self.size(args[0]), _TRAVERSE), _part(self.size(args[1]), _TRAVERSE))
        if name in ("startsWith", "endsWith"):
            return _part(self.size(args[1]), _TRAVERSE)
        if name == "format":
            return _part(self.size(args[0]), _TRAVERSE)
        if name in _SAME_SIZE or name in _PARSING:
            return self.traversal(tree, args)
        if name in ("replace", "split", "join"):
            return {"replace": self.replace, "split": self.split, "join": self.join}[name](
                tree, args
            )
        if name in _ELEMENTWISE:
            return self.elements(args[0])
        if name.startswith("sets."):
            product = times(self.size(args[0]), self.size(args[1]))
            return within(times(product, 2 if name == "sets.equivalent" else 1) + 1)
        if (
            name in ("bytes", "string")
            and args[0].type.kind in ("string", "bytes")
            and name != args[0].type.kind
        ):
            size = self.size(args[0])
            self.sizes[id(tree)] = times(size, 4) if name == "bytes" else size
            return _part(size, _TRAVERSE)
        return 1

    def plus(self, tree: Call, args: list[Expr]) -> int:
        kinds = {a.type.kind for a in args}
        if not kinds & {"string", "bytes", "list", "dyn"}:
            return 1
        size = within(self.size(args[0]) + self.size(args[1]))
        self.sizes[id(tree)] = size
        return 1 if "list" in kinds else _part(size, _TRAVERSE)

    def traversal(self, tree: Call, args: list[Expr]) -> int:
        name = tree.name
        if name == "ip" and tree.target is not None:
            return 1
        size = self.size(args[1] if name == "validate" else args[0])
        if name in _SAME_SIZE or name == "url":
            self.sizes[id(tree)] = size
        return _part(size, _TRAVERSE)

    def replace(self, tree: Call, args: list[Expr]) -> int:
        size, wanted, new = self.size(args[0]), args[1], self.size(args[2])
        least = (
            len(wanted.value) if isinstance(wanted, Const) and isinstance(wanted.value, str) else 0
        )
        if least == 0:
            made = within(times(within(size + 1), new) + size)
        elif new <= least:
            made = size
        else:
            made = times(-(-size // least), new)
        self.sizes[id(tree)] = made
        return _part(size, 2 * _TRAVERSE)

    def split(self, tree: Call, args: list[Expr]) -> int:
        size = self.size(args[0])
        limit = args[2] if len(args) > 2 else None
        most = limit.value if isinstance(limit, Const) and isinstance(limit.value, int) else size
        self.sizes[id(tree)] = most if most >= 0 else size
        return _part(size, 2 * _TRAVERSE)

    def join(self, tree: Call, args: list[Expr]) -> int:
        count = self.size(args[0])
        size = times(count, self.element(args[0]))
        if len(args) > 1:
            size = within(size + times(max(count - 1, 0), self.size(args[1])))
        self.sizes[id(tree)] = size
        return _part(size, _TRAVERSE)

    def element(self, tree: Expr) -> int:
        """The size of a list's elements."""
        inner = tree.type.params[0] if tree.type.params else None
        if inner is not None and inner.kind in _SCALARS:
            return 1
        return inner.size if inner is not None and inner.size is not None else MOST

    def elements(self, tree: Expr) -> int:
        if tree.type.kind != "list":
            return _part(self.size(tree), _TRAVERSE)
        inner = tree.type.params[0].kind
        each = 1 + (_part(self.element(tree), _TRAVERSE) if inner in ("string", "bytes") else 0)
        return times(self.size(tree), each)

    def macro(self, tree: Macro) -> int:
        over = self.cost(tree.range)
        if tree.name == "bind":
            return within(over + self.inside(tree, [self.size(tree.range)])[0])
        if tree.name in ("optMap", "optFlatMap"):
            return within(over + 1 + max(over + 2 + self.inside(tree, [None])[0], 1))
        counted = self.size(tree.range)
        self.sizes[id(tree)] = counted
        costs = self.inside(tree, self.entries(tree))
        return within(over + _AROUND[tree.name] + times(counted, within(_EACH[tree.name](costs))))

    def entries(self, tree: Macro) -> list[int | None]:
        """The sizes of the variables of a comprehension; where nothing is declared, the server takes that of `self`."""
        kind = tree.range.type
        params = kind.params or (kind, kind)
        found: list[int | None] = [
            self.root.size if p.size is None and p.kind not in _SCALARS else p.size for p in params
        ]
        return [1, found[0]] if kind.kind == "list" and len(tree.variables) == 2 else found

    def inside(self, tree: Macro, sizes: list[int | None]) -> list[int]:
        for name, size in zip(tree.variables, sizes, strict=False):
            self.locals.setdefault(name, []).append(size)
        try:
            return [self.cost(a) for a in tree.args]
        finally:
            for name, _ in zip(tree.variables, sizes, strict=False):
                self.locals[name].pop()


def _collect(costs: list[int]) -> int:
    """The step of a macro that makes a list: append one, if it is wanted."""
    return costs[0] + 12 if len(costs) == 1 else costs[0] + max(costs[1] + 12, 1)


def _insert(costs: list[int]) -> int:
    return costs[0] + 3 if len(costs) == 1 else costs[0] + max(costs[1] + 3, 1)


_EACH: Final[dict[str, Callable[[list[int]], int]]] = {
    "all": lambda c: c[0] + 3,
    "exists": lambda c: c[0] + 4,
    "exists_one": lambda c: c[0] + 2,
    "filter": lambda c: c[0] + 13,
    "map": _collect,
    "transformList": _collect,
    "transformMap": _insert,
    "transformMapEntry": _insert,
    "sortBy": _collect,
}
_AROUND: Final = {
    "all": 1,
    "exists": 1,
    "exists_one": 2,
    "filter": _LIST + 1,
    "map": _LIST + 1,
    "transformList": _LIST + 1,
    "transformMap": _MAP + 1,
    "transformMapEntry": _MAP + 1,
    "sortBy": _LIST + 1,
}


def estimate(tree: Expr, root: Type) -> int:
    """Return the most that evaluating a checked tree may cost; `root` is the type of `self`."""
    return _Estimate(root).cost(tree)
