"""The rules of a whole schema, run over an object: which place has which rules, old values beside new ones, errors.

Follows `apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opgen.apiserver.cel.rule import CompiledRule, RuleError, compile_rule
from opgen.apiserver.cel.types import type_of_schema
from opgen.apiserver.cel.values import CelError, Optional, convert
from opgen.apiserver.schema.node import Node
from opgen.apiserver.status import (
    OMITTED,
    FieldError,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
)

__all__ = ["Rules", "rules_of"]

_LONGEST: Final = 5 * 1024


class _Place:
    """A schema's own rules and the places below it that have some."""

    __slots__ = (
        "additional",
        "convert",
        "items",
        "keep_maps",
        "keys",
        "kind",
        "properties",
        "rules",
    )

    def __init__(self, node: Node) -> None:
        self.kind = node.types[0] if len(node.types) == 1 else ""
        self.keep_maps = node.map_type != "atomic"
        self.keys = node.map_keys if node.list_type == "map" else ()
        self.convert = convert(node)
        self.rules = _compiled(node)
        self.properties = {
            n: p for n, sub in node.properties.items() if (p := _place(sub)) is not None
        }
        self.additional = _place(node.additional) if isinstance(node.additional, Node) else None
        self.items = _place(node.items) if node.items is not None else None


def _place(node: Node) -> _Place | None:
    made = _Place(node)
    return made if made.rules or made.properties or made.additional or made.items else None


def _compiled(node: Node) -> list[CompiledRule]:
    if not node.rules:
        return []
    type_ = type_of_schema(node, node.root or node.embedded)
    if type_ is None:
        return []
    out = []
    for spec in node.rules:
        try:
            rule = compile_rule(spec, type_, node)
        except RuleError:
            continue
        if rule is not None:
            out.append(rule)
    return out


class Rules:
    """The rules of a schema, ready to run."""

    def __init__(self, place: _Place) -> None:
        """Keep the compiled tree of places."""
        self._root = place

    def __call__(self, new: Any, old: Any, warn: Callable[[str], None]) -> list[FieldError]:
        """Run all rules; `old` is the object before an update, None on create.

        What fails without having changed since is only warned of, unless the rule is about the change itself.
        """
        errors: list[FieldError] = []
        _Run(errors, warn).visit(self._root, new, old, "", (new, None))
        return errors


def rules_of(node: Node) -> Rules | None:
    """Compile the rules of a schema; None if it has none."""
    place = _place(node)
    return Rules(place) if place is not None else None


class _Run:
    """One pass over an object."""

    def __init__(self, errors: list[FieldError], warn: Callable[[str], None]) -> None:
        self.errors = errors
        self.warn = warn

    def visit(self, place: _Place, value: Any, old: Any, path: str, above: tuple[Any, Any]) -> None:
        """Run a place's rules and those below.

        `old` is the value that rules may compare with. `above` are the new and the old value that tell whether
        anything changed where this place has no old value: those of the nearest one above it that has one.
        """
        if value is None:
            return
        pair = above if old is None else (value, old)
        if place.rules:
            self.rules(place, value, old, path, pair)
        if isinstance(value, dict):
            self.entries(place, value, old, path, pair)
        elif isinstance(value, list) and place.items is not None:
            before = _by_key(old, place.keys)
            for index, item in enumerate(value):
                was = before.get(_key(item, place.keys)) if before else None
                self.visit(place.items, item, was, f"{path}[{index}]", pair)

    def entries(
        self, place: _Place, value: dict[str, Any], old: Any, path: str, pair: tuple[Any, Any]
    ) -> None:
        before = old if isinstance(old, dict) and place.keep_maps else {}
        if place.additional is not None:
            for key, item in value.items():
                self.visit(place.additional, item, before.get(key), f"{path}[{key}]", pair)
        for key, sub in place.properties.items():
            if key in value:
                below = f"{path}.{key}" if path else key
                self.visit(sub, value[key], before.get(key), below, pair)

    def rules(self, place: _Place, value: Any, old: Any, path: str, pair: tuple[Any, Any]) -> None:
        look = place.convert
        env: dict[str, Any] = {"self": look(value) if look is not None else value}
        before = None if old is None else look(old) if look is not None else old
        for rule in place.rules:
            if rule.uses_old:
                if rule.optional_old:
                    env["oldSelf"] = Optional(old is not None, before)
                elif old is None:
                    continue
                else:
                    env["oldSelf"] = before
            try:
                passed = rule.run(env)
            except CelError as error:
                self.errors.append(invalid_value(path or None, place.kind, _runtime(error, rule)))
                continue
            if passed is not True:
                made = _failure(rule, place, value, path, _message(rule, env))
                if not rule.uses_old and pair[1] is not None and pair[0] == pair[1]:
                    self.warn(made.text)
                else:
                    self.errors.append(made)


def _by_key(old: Any, keys: tuple[str, ...]) -> dict[tuple[Any, ...], Any]:
    if not keys or not isinstance(old, list):
        return {}
    return {_key(item, keys): item for item in old}


def _key(item: Any, keys: tuple[str, ...]) -> tuple[Any, ...]:
    if not isinstance(item, dict):
        return (id(item),)
    return tuple(
        value if not isinstance(value := item.get(k), dict | list) else id(value) for k in keys
    )


def _runtime(error: CelError, rule: CompiledRule) -> str:
    text = str(error)
    if text.startswith("no such overload"):
        return (
            f"'{text}': call arguments did not match a supported operator, function or macro "
            f"signature for rule: {_said(rule)}"
        )
    return f"{text} evaluating rule: {_said(rule)}"


def _said(rule: CompiledRule) -> str:
    """What stands for a rule in a message about an evaluation that went wrong."""
    return str(rule.spec.get("message", "")).strip() or str(rule.spec["rule"]).strip()


def _message(rule: CompiledRule, env: dict[str, Any]) -> str:
    if rule.message is not None:
        try:
            made = rule.message(env)
        except CelError:
            made = None
        if isinstance(made, str):
            made = made.strip()
            if made and "\n" not in made and len(made.encode()) <= _LONGEST:
                return made
    text = str(rule.spec.get("message", "")).strip()
    return text or f"failed rule: {str(rule.spec['rule']).strip()}"


def _failure(rule: CompiledRule, place: _Place, value: Any, path: str, text: str) -> FieldError:
    field: str | None = path
    if rule.path:
        field = f"{path}.{rule.path}" if path else rule.path
    field = field or None
    reason = rule.spec.get("reason") or "FieldValueInvalid"
    if reason == "FieldValueForbidden":
        return forbidden_field(field, text)
    if reason == "FieldValueRequired":
        return required(field, text)
    shown = OMITTED if place.kind in ("object", "array") else value
    if reason == "FieldValueDuplicate":
        return duplicate(field, shown)
    return invalid_value(field, shown, text)
