"""What differs from kind to kind when objects are written: defaults, what a write may touch, rules beyond the schema.

The base class is the behaviour that most built-in kinds share; `CustomStrategy` is that of custom resources.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from opgen.apiserver.jsonpath import field_at
from opgen.apiserver.names import validate_metadata_update
from opgen.apiserver.schema import explain
from opgen.apiserver.schema.clean import fill
from opgen.apiserver.schema.embedded import embedded_errors
from opgen.apiserver.schema.lists import list_errors
from opgen.apiserver.schema.node import Node, copy_json
from opgen.apiserver.status import FieldError, go_float, invalid_value

if TYPE_CHECKING:
    from opgen.apiserver.cel.rules import Rules
    from opgen.apiserver.kinds import Kind

__all__ = ["CustomStrategy", "Strategy"]

_INT32 = 2**31 - 1
Object = dict[str, Any]


class Strategy:
    """How objects of a kind are written; all methods change objects in place or return field errors.

    `create_on_update`: a PUT of a missing object creates it. `unconditional_update`: a PUT needs no resourceVersion.
    `generation`: the kind counts changes of its spec. `immortal`: the names of objects that may not be deleted.
    """

    create_on_update = False
    unconditional_update = True
    generation = False
    immortal: frozenset[str] = frozenset()

    def defaults(self, obj: Object, kind: Kind) -> None:
        """Fill in what the API's defaulting does, on every decode."""

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Reset what a client can't set on create."""
        if self.generation:
            obj["metadata"]["generation"] = 1

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """Reset what a client can't set on update, through this door, and count the generation."""
        if subresource == "status":
            self.keep_all_but_status(new, old)
        elif kind.has_status:
            _copy(new, old, "status")
        if self.generation:
            meta = new["metadata"]
            generation = old["metadata"].get("generation", 0)
            if subresource != "status" and new.get("spec") != old.get("spec"):
                generation += 1
            meta["generation"] = generation

    def keep_all_but_status(self, new: Object, old: Object) -> None:
        """Undo in `new`, written through the status subresource, all but its status."""
        for key in {**new, **old}:
            if key not in ("status", "metadata", "apiVersion", "kind"):
                _copy(new, old, key)
        new["metadata"]["labels"] = old["metadata"].get("labels")
        if new["metadata"]["labels"] is None:
            del new["metadata"]["labels"]

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Return what is wrong with an object that is to be created."""
        return []

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Return what is wrong with an update."""
        return []

    def canonical(self, obj: Object, kind: Kind) -> None:
        """Fill in what the server computes last (addresses, derived fields)."""

    def warnings(self, obj: Object, kind: Kind) -> list[str]:
        """Return what to warn the client of."""
        return []

    def grace(self, obj: Object, options: Object) -> int:
        """Return how many seconds a deletion waits for the object to end; 0 where nothing runs."""
        return 0

    def held(self, obj: Object) -> bool:
        """Whether more than its finalizers and its grace period keep an object that is being deleted."""
        return False

    def begin_delete(self, obj: Object, now: str) -> Object | None:
        """Return the object as a DELETE leaves it where the server itself has to do something first, else None."""
        return None

    def convert(self, obj: Object, kind: Kind) -> Object:
        """Return a stored object as another API of the same objects shows it."""
        return obj

    def unconvert(self, obj: Object, kind: Kind) -> Object:
        """Return an object as it is stored."""
        return obj


def _copy(new: Object, old: Object, key: str) -> None:
    if key in old:
        new[key] = old[key]
    else:
        new.pop(key, None)


def _go_value(value: Any) -> str:
    """A value and its type as Go's accessor errors show them."""
    if isinstance(value, str):
        return f"{value} is of the type string"
    if isinstance(value, bool):
        return f"{'true' if value else 'false'} is of the type bool"
    if isinstance(value, float):
        return f"{go_float(value)} is of the type float64"
    if isinstance(value, int):
        return f"{value} is of the type int64"
    if isinstance(value, list):
        return f"{value} is of the type []interface {{}}"
    return f"{value} is of the type map[string]interface {{}}"


def _has_rules(node: Node) -> bool:
    if node.rules:
        return True
    below = (*node.properties.values(), node.items, node.additional)
    return any(_has_rules(sub) for sub in below if isinstance(sub, Node))


_BLOCKING = frozenset(
    (
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    )
)


class CustomStrategy(Strategy):
    """How custom resources are written."""

    unconditional_update = False
    generation = True

    def __init__(self, node: Node | None = None) -> None:
        """Take the schema whose CEL rules are to be run; they are compiled when an object is written first."""
        self._ruled = node if node is not None and _has_rules(node) else None
        self._warnings: list[str] = []

    @cached_property
    def _cel(self) -> Rules | None:
        from opgen.apiserver.cel.rules import rules_of

        return rules_of(self._ruled) if self._ruled is not None else None

    def warnings(self, obj: Object, kind: Kind) -> list[str]:
        """Return what the rules complained of but let pass, once."""
        found, self._warnings = self._warnings, []
        return found

    def prepare_create(self, obj: Object, kind: Kind) -> None:
        """Drop the status where only the subresource may write it; generation starts at 1."""
        if kind.has_status:
            obj.pop("status", None)
        obj["metadata"]["generation"] = 1

    def prepare_update(self, new: Object, old: Object, kind: Kind, subresource: str) -> None:
        """Keep what this door may not write; any change outside metadata (and status) counts the generation."""
        generation = old["metadata"].get("generation", 0)
        if subresource == "status":
            status = new.get("status")
            has = "status" in new
            meta = {**old["metadata"]}
            for key in ("managedFields", "resourceVersion"):
                if key in new["metadata"]:
                    meta[key] = new["metadata"][key]
            new.clear()
            new.update(old)
            new["metadata"] = meta
            if has:
                new["status"] = status
            else:
                new.pop("status", None)
        else:
            if kind.has_status:
                _copy(new, old, "status")
            ignored = {"metadata", "status"} if kind.has_status else {"metadata"}
            if {k: v for k, v in new.items() if k not in ignored} != {
                k: v for k, v in old.items() if k not in ignored
            }:
                generation += 1
        new["metadata"]["generation"] = generation

    def validate(self, obj: Object, kind: Kind) -> list[FieldError]:
        """Check against the schema, the list invariants and the CEL rules."""
        node = kind.schema
        errors: list[FieldError] = [] if node.check(obj) else explain(obj, node)
        errors += self._scale(obj, kind)
        errors += embedded_errors(obj, node)
        errors += list_errors(obj, node)
        return self._rules(errors, obj, None)

    def validate_update(
        self, new: Object, old: Object, kind: Kind, subresource: str
    ) -> list[FieldError]:
        """Check as `validate`, but tolerate what was wrong before and did not change."""
        node = kind.schema
        errors = validate_metadata_update(new["metadata"], old["metadata"])
        if subresource == "status":
            errors += self._status_errors(new, old, node)
            errors += self._scale(new, kind, ("statusReplicasPath",))
        else:
            errors += [] if node.check(new) else explain(new, node, old=old)
            errors += self._scale(new, kind)
            errors += embedded_errors(new, node)
        if not list_errors(old, node):
            errors += list_errors(new, node)
        return self._rules(errors, new, old)

    def _status_errors(self, new: Object, old: Object, node: Node) -> list[FieldError]:
        below = node.child("status")
        if below is None or "status" not in new or below.check(new["status"]):
            return []
        found = explain(new["status"], below, old=old.get("status"))
        return [
            e
            if e.field is None and e.value == ""
            else replace(e, field=f"status.{e.field}" if e.field else "status")
            for e in found
        ]

    def canonical(self, obj: Object, kind: Kind) -> None:
        """Fill in the default of a status that was dropped, as reading the object back does."""
        if "status" not in obj:
            node = kind.storage_schema.properties.get("status")
            if node is not None and node.has_default:
                obj["status"] = copy_json(node.default)
                fill(obj["status"], node)

    def _rules(self, errors: list[FieldError], new: Object, old: Object | None) -> list[FieldError]:
        self._warnings.clear()
        if self._ruled is None:
            return errors
        if any(e.reason in _BLOCKING for e in errors):
            errors.append(
                invalid_value(
                    None,
                    None,
                    "some validation rules were not checked because the object was invalid; "
                    "correct the existing errors to "
                    "complete validation",
                )
            )
            return errors
        if self._cel is not None:
            errors.extend(self._cel(new, old, self._warnings.append))
        return errors

    def _scale(
        self,
        obj: Object,
        kind: Kind,
        keys: tuple[str, ...] = ("specReplicasPath", "statusReplicasPath"),
    ) -> list[FieldError]:
        if not kind.scale:
            return []
        errors = []
        for key in keys:
            path = kind.scale.get(key, "")
            value = field_at(obj, path)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                text = f"{path} accessor error: {_go_value(value)}, expected int64"
                errors.append(invalid_value(path, 0, text))
            elif value < 0:
                errors.append(invalid_value(path, value, "should be a non-negative integer"))
            elif value > _INT32:
                errors.append(
                    invalid_value(path, value, f"should be less than or equal to {_INT32}")
                )
        return errors
