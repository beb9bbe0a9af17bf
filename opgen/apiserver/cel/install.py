"""What is wrong with the rules of a CustomResourceDefinition when it is written: types, costs, use of `oldSelf`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from opgen.apiserver.cel.cost import CRD_LIMIT, RULE_LIMIT, times, within
from opgen.apiserver.cel.rule import CompiledRule, RuleError, compile_rule
from opgen.apiserver.cel.types import MAX_REQUEST, least_size, type_of_schema
from opgen.apiserver.schema.node import Node
from opgen.apiserver.status import FieldError, Raw, forbidden_field, invalid_value

__all__ = ["rule_errors"]

Schema = Mapping[str, Any]


@dataclass
class _Total:
    """The costs of all rules of a schema."""

    cost: int = 0
    parts: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: str, cost: int) -> None:
        self.cost = within(self.cost + cost)
        if cost >= CRD_LIMIT // 100:
            self.parts.append((cost, path))


@dataclass(frozen=True)
class _Place:
    """Where a schema stands: how many values it may have (None: as many as fit), and below what `oldSelf` is lost."""

    count: int | None = 1
    uncorrelated: str = ""


def rule_errors(schema: Schema, path: str) -> list[FieldError]:
    """Return what is wrong with the rules of a version's schema."""
    if not _any_rules(schema):
        return []
    errors: list[FieldError] = []
    total = _Total()
    _visit(Node(schema, root=True), path, _Place(), errors, total)
    if total.cost > CRD_LIMIT:
        text = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        worst = sorted(total.parts, key=lambda p: -p[0])[:4]
        errors += [forbidden_field(at, text) for _, at in worst]
        what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        errors.append(forbidden_field(path, _too_costly(what, total.cost, CRD_LIMIT)))
    return errors


def _any_rules(schema: Any) -> bool:
    if isinstance(schema, Mapping):
        return bool(schema.get("x-kubernetes-validations")) or any(
            _any_rules(v) for v in schema.values()
        )
    return False


def _too_costly(what: str, cost: int, limit: int) -> str:
    factor = cost / limit
    shown = (
        "more than 100x" if factor > 100 else f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    )
    return (
        f"{what} exceeds budget by factor of {shown} (try simplifying the rule, or adding "
        "maxItems, maxProperties, and maxLength "
        "where arrays, maps, and strings are declared)"
    )


def _visit(node: Node, path: str, place: _Place, errors: list[FieldError], total: _Total) -> None:
    if node.rules:
        _rules(node, path, place, errors, total)
    below = place if node.map_type != "atomic" else replace(place, uncorrelated=path)
    for name, sub in node.properties.items():
        _visit(sub, f"{path}.properties[{name}]", below, errors, total)
    if isinstance(node.additional, Node):
        entries = replace(below, count=_multiplied(place.count, node.max_properties))
        _visit(node.additional, f"{path}.additionalProperties", entries, errors, total)
    if node.items is not None:
        items = replace(place, count=_multiplied(place.count, node.max_items))
        if node.list_type != "map":
            items = replace(items, uncorrelated=path)
        _visit(node.items, f"{path}.items", items, errors, total)


def _multiplied(count: int | None, limit: int | None) -> int | None:
    return None if count is None or limit is None else times(count, max(limit, 0))


def _rules(node: Node, path: str, place: _Place, errors: list[FieldError], total: _Total) -> None:
    type_ = type_of_schema(node, node.root or node.embedded)
    if type_ is None:
        text = "internal error: failed to retrieve type information for x-kubernetes-validations"
        errors.append(FieldError("InternalError", f"{path}.x-kubernetes-validations", detail=text))
        return
    count = place.count if place.count is not None else MAX_REQUEST // (least_size(node) + 1)
    for index, spec in enumerate(node.rules):
        at = f"{path}.x-kubernetes-validations[{index}]"
        try:
            rule = compile_rule(spec, type_, node)
        except RuleError as error:
            errors.append(invalid_value(f"{at}.rule", _internal(spec), str(error)))
            continue
        if rule is not None:
            _compiled(rule, at, count, place, errors, total)


def _compiled(
    rule: CompiledRule, at: str, count: int, place: _Place, errors: list[FieldError], total: _Total
) -> None:
    cost = times(rule.cost, count)
    if cost > RULE_LIMIT:
        errors.append(
            forbidden_field(f"{at}.rule", _too_costly("estimated rule cost", cost, RULE_LIMIT))
        )
    total.add(f"{at}.rule", cost)
    if rule.message_error:
        errors.append(
            invalid_value(f"{at}.messageExpression", _internal(rule.spec), rule.message_error)
        )
    elif rule.message_tree is not None:
        cost = rule.message_cost
        if cost > RULE_LIMIT:
            text = _too_costly("estimated messageExpression cost", cost, RULE_LIMIT)
            errors.append(forbidden_field(f"{at}.messageExpression", text))
        total.add(f"{at}.messageExpression", cost)
    if rule.uses_old and place.uncorrelated:
        text = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.uncorrelated}"
        errors.append(invalid_value(f"{at}.rule", rule.spec["rule"], text))
    if not rule.uses_old and rule.spec.get("optionalOldSelf") is not None:
        text = "may not be set if oldSelf is not used in rule"
        errors.append(invalid_value(f"{at}.optionalOldSelf", rule.spec["optionalOldSelf"], text))


def _internal(spec: Mapping[str, Any]) -> Raw:
    """A rule as the server's internal type shows it."""
    shown = {
        "Rule": spec.get("rule", ""),
        "Message": spec.get("message", ""),
        "MessageExpression": spec.get("messageExpression", ""),
        "Reason": spec.get("reason"),
        "FieldPath": spec.get("fieldPath", ""),
        "OptionalOldSelf": spec.get("optionalOldSelf"),
    }
    text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Raw(text)
