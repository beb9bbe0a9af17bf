"""Conditions by the rules of apimachinery's `meta.SetStatusCondition`.

Guarantees: there is one condition of a type; `lastTransitionTime` moves only when `status` does; reason, message and
observedGeneration always follow what is set; nothing changes, and False is returned, where all is as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from opgen.meta.object import Model, Object
from opgen.meta.times import Clock, Time

__all__ = [
    "find_condition",
    "has_conditions",
    "is_condition_true",
    "remove_condition",
    "set_condition",
    "set_condition_of",
]

C = TypeVar("C", bound=Model)

_TYPE = r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_REASON = r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"


def find_condition(conditions: Sequence[C] | None, type_: str) -> C | None:
    """Return the condition of a type, None if there is none."""
    return next((one for one in conditions or () if getattr(one, "type", None) == type_), None)


def is_condition_true(conditions: Sequence[Model] | None, type_: str) -> bool:
    """Return whether there is a condition of a type and its status is True."""
    found = find_condition(conditions, type_)
    return found is not None and getattr(found, "status", None) == "True"


def remove_condition(conditions: list[Any], type_: str) -> bool:
    """Take the condition of a type out of a list; return whether there was one."""
    kept = [one for one in conditions if getattr(one, "type", None) != type_]
    removed = len(kept) < len(conditions)
    conditions[:] = kept
    return removed


def set_condition(
    conditions: list[Any],
    item: type[Any],
    type_: str,
    status: bool | str,
    *,
    reason: str,
    message: str = "",
    observed_generation: int | None = None,
    clock: Clock | None = None,
) -> bool:
    """Set a condition in a list whose items are of class `item`; return whether anything changed.

    `item` is any model with `type` and `status`; of reason, message, observedGeneration and lastTransitionTime the
    ones it has are kept up. `clock` tells the time, else the one of `use_clock`, else the system's.
    Raises ValueError, having changed nothing, where type, status or reason are not what the API server takes.
    """
    status = status if isinstance(status, str) else str(bool(status))
    if status not in ("True", "False", "Unknown"):
        raise ValueError(f'"{status}" is no condition status, expected True, False or Unknown')
    if not re.fullmatch(_TYPE, type_):
        raise ValueError(f'"{type_}" is no condition type, expected CamelCase such as "Ready"')
    if not re.fullmatch(_REASON, reason) or len(reason) > 1024:
        raise ValueError(
            f'"{reason}" is no condition reason, expected one CamelCase word such as "Available"'
        )
    fields: Mapping[str, Any] = item.__pydantic_fields__
    wanted: dict[str, Any] = {
        "reason": reason,
        "message": message,
        "observed_generation": observed_generation,
    }
    wanted = {name: value for name, value in wanted.items() if name in fields and value is not None}
    found = find_condition(conditions, type_)
    if found is None:
        if "last_transition_time" in fields:
            wanted["last_transition_time"] = Time.now(clock)
        conditions.append(item(type=type_, status=status, **wanted))
        return True
    changes = {name: value for name, value in wanted.items() if getattr(found, name) != value}
    if getattr(found, "status", None) != status:
        changes["status"] = status
        if "last_transition_time" in fields:
            changes["last_transition_time"] = Time.now(clock)
    for condition in (found.deepcopy(), found):  # on a copy first: an invalid value changes nothing
        for name, value in changes.items():
            setattr(condition, name, value)
    return bool(changes)


def set_condition_of(
    obj: Object,
    type_: str,
    status: bool | str,
    *,
    reason: str,
    message: str = "",
    clock: Clock | None = None,
) -> bool:
    """Set a condition of `obj.status.conditions`, made if it is absent; see `Object.set_condition`."""
    status_class = _class_of(type(obj), "status")
    item = _class_of(status_class, "conditions") if status_class else None
    if status_class is None or item is None:
        raise TypeError(f'"{type(obj).__name__}" has no status.conditions in its schema')
    holder: Any = getattr(obj, "status", None)
    conditions = None if holder is None else holder.conditions
    if conditions is None:
        conditions = []
    elif not isinstance(conditions, list):
        raise TypeError(f'"status.conditions" of "{type(obj).__name__}" is no list')
    before = len(conditions)
    changed = set_condition(
        conditions,
        item,
        type_,
        status,
        reason=reason,
        message=message,
        observed_generation=obj.metadata.generation,
        clock=clock,
    )
    if holder is None:
        obj.status = status_class.model_validate({"conditions": conditions}, by_name=True)  # type: ignore[attr-defined]
    elif len(conditions) != before:
        holder.conditions = conditions
    return changed


def has_conditions(kind: type[Object]) -> bool:
    """Return whether a kind's schema has a list `status.conditions`."""
    status = _class_of(kind, "status")
    return status is not None and _class_of(status, "conditions") is not None


def _class_of(owner: type[Model], name: str) -> type[Model] | None:
    """Return the model class within the annotation of a field, whatever list or None surrounds it."""
    field = owner.__pydantic_fields__.get(name)
    stack = [field.annotation] if field else []
    while stack:
        one = stack.pop()
        if isinstance(one, type) and issubclass(one, Model):
            return one
        stack.extend(getattr(one, "__args__", ()))
    return None
