"""From a tree to closures: evaluating a rule is calling one Python function on its variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opgen.apiserver.cel.library import FUNCTIONS, Function
from opgen.apiserver.cel.syntax import Call, Const, Expr, Ident, ListExpr, Macro, MapExpr, Select
from opgen.apiserver.cel.values import CelError, CelObject, Optional, TypeValue, equal

__all__ = ["compile_tree", "Env", "has", "Program", "select"]

Env = dict[str, Any]
Program = Callable[[Env], Any]
_NO_OVERLOAD: Final = "no such overload"
_MISSING: Final = object()


def compile_tree(tree: Expr) -> Program:
    """Compile a tree; the program takes a dict of variables, which it may change while it runs."""
    if isinstance(tree, Const):
        value = tree.value
        return lambda env: value
    if isinstance(tree, Ident):
        return _ident(tree)
    if isinstance(tree, Select):
        return _select(tree)
    if isinstance(tree, ListExpr):
        return _list(tree)
    if isinstance(tree, MapExpr):
        return _map(tree)
    if isinstance(tree, Macro):
        return _macro(tree)
    assert isinstance(tree, Call)
    return _call(tree)


def _ident(tree: Ident) -> Program:
    name = tree.name
    if tree.type is not None and tree.type.kind == "type" and tree.type.params:
        inner = tree.type.params[0]
        constant = TypeValue(inner.name or inner.kind)
        return lambda env: env.get(name, constant)

    def read(env: Env) -> Any:
        try:
            return env[name]
        except KeyError:
            raise CelError(f"no such attribute(s): {name}") from None

    return read


def select(value: Any, name: str) -> Any:
    """Return a field of an object or an entry of a map."""
    if isinstance(value, CelObject):
        return value.get(name)
    if isinstance(value, dict):
        found = value.get(name, _MISSING)
        if found is _MISSING:
            raise CelError(f"no such key: {name}")
        return found
    raise CelError(_NO_OVERLOAD)


def has(value: Any, name: str) -> bool:
    """Whether a field or an entry is there."""
    if isinstance(value, CelObject):
        return value.has(name)
    if isinstance(value, dict):
        return name in value
    raise CelError(_NO_OVERLOAD)


def _select(tree: Select) -> Program:
    operand, name = compile_tree(tree.operand), tree.name
    if tree.test:

        def test(env: Env) -> bool:
            value = operand(env)
            if isinstance(value, Optional):
                return value.present and has(value.value, name)
            return has(value, name)

        return test

    def read(env: Env) -> Any:
        value = operand(env)
        if isinstance(value, CelObject):
            return value.get(name)
        if isinstance(value, Optional):
            return _maybe(value, name)
        return select(value, name)

    def maybe(env: Env) -> Any:
        value = operand(env)
        return _maybe(value if isinstance(value, Optional) else Optional(True, value), name)

    return maybe if tree.optional else read


def _maybe(value: Optional, name: str) -> Optional:
    if not value.present or not has(value.value, name):
        return Optional()
    return Optional(True, select(value.value, name))


def _list(tree: ListExpr) -> Program:
    items = [compile_tree(i) for i in tree.items]
    if not tree.optional:
        if all(isinstance(i, Const) for i in tree.items):
            constant = [i.value for i in tree.items if isinstance(i, Const)]
            return lambda env: constant
        return lambda env: [item(env) for item in items]

    def make(env: Env) -> list[Any]:
        out: list[Any] = []
        for index, item in enumerate(items):
            value = item(env)
            if index in tree.optional:
                if not isinstance(value, Optional):
                    raise CelError(_NO_OVERLOAD)
                if value.present:
                    out.append(value.value)
            else:
                out.append(value)
        return out

    return make


def _map(tree: MapExpr) -> Program:
    entries = [(compile_tree(k), compile_tree(v), o) for k, v, o in tree.entries]

    def make(env: Env) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for key, value, optional in entries:
            name, made = key(env), value(env)
            if optional:
                if not isinstance(made, Optional):
                    raise CelError(_NO_OVERLOAD)
                if not made.present:
                    continue
                made = made.value
            if name in out:
                raise CelError("Failed with repeated key")
            out[name] = made
        return out

    return make


def _truth(value: Any) -> bool:
    if value is True or value is False:
        return bool(value)
    raise CelError(_NO_OVERLOAD)


def _call(tree: Call) -> Program:
    args = [
        compile_tree(a)
        for a in ([tree.target, *tree.args] if tree.target is not None else tree.args)
    ]
    name = tree.name
    if name in ("_&&_", "_||_"):
        return _logic(args[0], args[1], name == "_||_")
    if name == "_?_:_":
        condition, first, second = args
        return lambda env: first(env) if _truth(condition(env)) else second(env)
    if name == "_==_":
        left, right = args
        return lambda env: equal(left(env), right(env))
    if name == "_!=_":
        left, right = args
        return lambda env: not equal(left(env), right(env))
    if name == "!_":
        operand = args[0]
        return lambda env: not _truth(operand(env))
    if name in ("or", "orValue") and tree.target is not None and len(args) == 2:
        return _or(args[0], args[1], name == "orValue")
    found = FUNCTIONS.get((name, tree.target is not None))
    if found is None:
        raise CelError(f"unknown function: {name}")
    return _apply(found, args)


def _apply(function: Function, args: list[Program]) -> Program:
    if len(args) == 1:
        only = args[0]
        return lambda env: function(only(env))
    if len(args) == 2:
        first, second = args
        return lambda env: function(first(env), second(env))
    return lambda env: function(*[a(env) for a in args])


def _or(first: Program, second: Program, value: bool) -> Program:
    def choose(env: Env) -> Any:
        found = first(env)
        if not isinstance(found, Optional):
            raise CelError(_NO_OVERLOAD)
        if found.present:
            return found.value if value else found
        return second(env)

    return choose


def _logic(left: Program, right: Program, decides: bool) -> Program:
    """`&&` or `||`: one side that decides outweighs an error on the other."""

    def run(env: Env) -> Any:
        try:
            first = left(env)
            if first is decides:
                return decides
            if first is not (not decides):
                raise CelError(_NO_OVERLOAD)
        except CelError as error:
            try:
                second = right(env)
            except CelError:
                raise error from None
            if second is decides:
                return decides
            raise
        return _truth(right(env))

    return run


def _pairs(value: Any, two: bool) -> Any:
    """Iterate over a range: elements or keys, or both index and element (key and value)."""
    if isinstance(value, list):
        return enumerate(value) if two else ((v, None) for v in value)
    if isinstance(value, dict):
        return iter(value.items())
    if isinstance(value, CelObject):
        return ((n, value.get(n)) for n in value.fields if value.has(n))
    raise CelError(_NO_OVERLOAD)


def _macro(tree: Macro) -> Program:
    over = compile_tree(tree.range)
    args = [compile_tree(a) for a in tree.args]
    name, variables = tree.name, tree.variables
    if name == "bind":
        return _bind(over, variables[0], args[0])
    if name in ("optMap", "optFlatMap"):
        return _opt_map(over, variables[0], args[0], name == "optFlatMap")
    loop = _Loop(over, variables)
    if name in ("all", "exists"):
        return _quantifier(loop, args[0], name == "exists")
    if name == "exists_one":

        def one(env: Env) -> bool:
            return sum(1 for _ in loop.each(env) if _truth(args[0](env))) == 1

        return one
    if name == "filter":
        return lambda env: [first for first, _ in loop.each(env) if _truth(args[0](env))]
    if name == "sortBy":
        return _sort_by(loop, args[0])
    keep, made = (args[0], args[1]) if len(args) == 2 else (None, args[0])
    if name in ("map", "transformList"):
        return lambda env: [made(env) for _ in loop.each(env) if keep is None or _truth(keep(env))]
    if name == "transformMap":
        return lambda env: {
            k: made(env) for k, _ in loop.each(env) if keep is None or _truth(keep(env))
        }

    def entries(env: Env) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for _ in loop.each(env):
            if keep is None or _truth(keep(env)):
                for key, value in made(env).items():
                    if key in out:
                        raise CelError(f"insert failed: key {key} already exists")
                    out[key] = value
        return out

    return entries


class _Loop:
    """A range and the variables that take its elements in turn."""

    def __init__(self, over: Program, variables: list[str]) -> None:
        self.over = over
        self.variables = variables

    def each(self, env: Env) -> Any:
        """Yield the elements, with the variables set to each in turn; what the variables were comes back."""
        first = self.variables[0]
        second = self.variables[1] if len(self.variables) == 2 else None
        pairs = _pairs(self.over(env), second is not None)
        saved = env.get(first, _MISSING)
        saved_second = env.get(second, _MISSING) if second else _MISSING
        try:
            for a, b in pairs:
                env[first] = a
                if second:
                    env[second] = b
                yield a, b
        finally:
            _restore(env, first, saved)
            if second:
                _restore(env, second, saved_second)


def _restore(env: Env, name: str, saved: Any) -> None:
    if saved is _MISSING:
        env.pop(name, None)
    else:
        env[name] = saved


def _quantifier(loop: _Loop, condition: Program, decides: bool) -> Program:
    def run(env: Env) -> Any:
        problem: CelError | None = None
        each = loop.each(env)
        try:
            for _ in each:
                try:
                    found = condition(env)
                except CelError as error:
                    problem = problem or error
                    continue
                if found is decides:
                    return decides
                if found is not (not decides):
                    problem = problem or CelError(_NO_OVERLOAD)
        finally:
            each.close()
        if problem is not None:
            raise problem
        return not decides

    return run


def _bind(value: Program, name: str, body: Program) -> Program:
    def run(env: Env) -> Any:
        made = value(env)
        saved = env.get(name, _MISSING)
        env[name] = made
        try:
            return body(env)
        finally:
            _restore(env, name, saved)

    return run


def _opt_map(value: Program, name: str, body: Program, flat: bool) -> Program:
    def run(env: Env) -> Any:
        found = value(env)
        if not isinstance(found, Optional):
            raise CelError(_NO_OVERLOAD)
        if not found.present:
            return found
        saved = env.get(name, _MISSING)
        env[name] = found.value
        try:
            made = body(env)
        finally:
            _restore(env, name, saved)
        return made if flat else Optional(True, made)

    return run


def _sort_by(loop: _Loop, key: Program) -> Program:
    def run(env: Env) -> list[Any]:
        pairs = [(key(env), item) for item, _ in loop.each(env)]
        try:
            pairs.sort(key=lambda p: p[0])
        except TypeError:
            raise CelError(_NO_OVERLOAD) from None
        return [item for _, item in pairs]

    return run
