"""Patches that do no harm: checked before they leave, and made from two states of an object.

A merge patch (RFC 7386) replaces lists whole, so that it takes away what others put there; a JSON patch (RFC 6902) can
say with `test` what it relies on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from opgen.client.calls import APPLY
from opgen.client.errors import Invalid
from opgen.client.model import PatchType
from opgen.client.shapes import Shape, shape_of
from opgen.meta import Model, Object

__all__ = ["applied", "check", "diff", "media_type", "outgoing"]

T = TypeVar("T", bound=Object)

Op = dict[str, Any]

_MEDIA: Mapping[PatchType, str] = {
    "apply": APPLY,
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
_BUILT_IN = frozenset(
    "apps autoscaling batch policy admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io "
    "authentication.k8s.io authorization.k8s.io certificates.k8s.io coordination.k8s.io discovery.k8s.io "
    "events.k8s.io flowcontrol.apiserver.k8s.io networking.k8s.io node.k8s.io rbac.authorization.k8s.io "
    "resource.k8s.io scheduling.k8s.io storage.k8s.io storagemigration.k8s.io".split()
) | {""}
_SHARED = (("metadata", "finalizers"), ("metadata", "ownerReferences"), ("status", "conditions"))
"""Lists that several writers have entries in."""


def media_type(type_: PatchType) -> str:
    """Return the media type of a kind of patch."""
    return _MEDIA[type_]


def check(kind: type[Object], name: str, patch: Any, type_: PatchType) -> None:
    """Raise where a patch of the object `name` can't be what was meant.

    ValueError where its form is wrong, where a merge patch replaces a list that several write, or for a strategic merge
    patch of a custom kind; Invalid where a merge patch or an apply breaks the model.
    """
    if type_ == "json":
        if not isinstance(patch, list) or not all(
            isinstance(op, Mapping) and "op" in op and "path" in op for op in patch
        ):
            raise ValueError('a JSON patch is a list of objects with "op" and "path"')
        return
    if not isinstance(patch, Mapping):
        raise ValueError(f"a patch of type {type_} is an object, got {type(patch).__name__}")
    if type_ == "strategic":
        if kind.RESOURCE.group not in _BUILT_IN:
            raise ValueError(
                f'"{kind.__name__}" is a custom kind, and the API server has no strategic merge patch for those; '
                "use a JSON patch, a merge patch or apply"
            )
        return  # has directives of its own, which no model knows
    if type_ == "merge":
        for holder, key in _SHARED:
            inner = patch.get(holder)
            if isinstance(inner, Mapping) and inner.get(key):
                raise ValueError(
                    f'a merge patch replaces all of "{holder}.{key}", others\' too; '
                    "use a JSON patch with a test, or modify"
                )
        patch = _without_nulls(patch)
    _valid(kind, name, patch, partial=True)


def _without_nulls(value: Any) -> Any:
    """Return a merge patch without its deletions."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


def outgoing(obj: Object) -> dict[str, Any]:
    """Return the body of an object to send, checked against its model.

    An object that was read may lack what its schema requires, and may be sent back so. Raises Invalid, as the server
    would: in-place changes of lists and dicts are not checked when they are made.
    """
    wire = obj.to_wire()
    partial = obj.metadata.resource_version is not None
    _valid(type(obj), obj.metadata.name or "", wire, partial=partial)
    return wire


def applied(obj: Object) -> dict[str, Any]:
    """Return the patch that applies an object: never with managedFields, which the server refuses."""
    wire = obj.to_wire()
    wire.get("metadata", {}).pop("managedFields", None)
    return wire


def _valid(kind: type[Object], name: str, wire: Mapping[str, Any], *, partial: bool) -> None:
    """Raise Invalid, with a cause for each field, where a body breaks its model."""
    try:
        kind.from_wire(wire, partial=partial)
    except ValidationError as error:
        causes: dict[str, str] = {}
        for fault in error.errors(include_url=False, include_input=False, include_context=False):
            causes.setdefault(_place(wire, fault), fault["msg"])
        said = ", ".join(f"{field}: {text}" for field, text in causes.items())
        status = {
            "kind": "Status",
            "status": "Failure",
            "code": 422,
            "reason": "Invalid",
            "message": f'{kind.RESOURCE.kind} "{name}" is invalid: {said}',
            "details": {
                "causes": [
                    {"field": field, "reason": "FieldValueInvalid", "message": text}
                    for field, text in causes.items()
                ]
            },
        }
        raise Invalid(status, "not sent: it breaks the model") from None


def _place(wire: Any, fault: ErrorDetails) -> str:
    """Return the path of a fault in a body, without the branches of unions that pydantic names in it."""
    found = []
    for part in fault["loc"]:
        inside = isinstance(wire, Mapping) and part in wire
        if inside or (isinstance(wire, list) and isinstance(part, int)):
            wire = wire[part]
            found.append(str(part))
    if fault["type"] == "missing":
        found.append(str(fault["loc"][-1]))
    return ".".join(found)


def diff(old: T, new: T) -> list[Op]:
    """Return the JSON patch that makes `new` of `old`; empty where they are the same.

    Items of a list with keys (x-kubernetes-list-type: map) are changed one by one, each with a `test` that it is still
    where it was; any other list that differs is tested to be as it was in `old`, then replaced.
    """
    ops: list[Op] = []
    _object(ops, "", old.to_wire(), new.to_wire(), type(old))
    return ops


def _object(ops: list[Op], path: str, old: Any, new: Any, model: type[Model] | None) -> None:
    for key in old:
        if key not in new:
            if isinstance(old[key], list):
                ops.append({"op": "test", "path": _at(path, key), "value": old[key]})
            ops.append({"op": "remove", "path": _at(path, key)})
    for key, value in new.items():
        if key not in old:
            ops.append({"op": "add", "path": _at(path, key), "value": value})
        else:
            _value(ops, _at(path, key), old[key], value, shape_of(model, key))


def _value(ops: list[Op], path: str, old: Any, new: Any, shape: Shape) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        _object(ops, path, old, new, shape.model)
    elif isinstance(old, list) and isinstance(new, list):
        if old != new and not (shape.keys and _keyed(ops, path, old, new, shape)):
            ops.append({"op": "test", "path": path, "value": old})
            ops.append({"op": "replace", "path": path, "value": new})
    elif old != new or type(old) is not type(new):
        ops.append({"op": "replace", "path": path, "value": new})


def _keyed(ops: list[Op], path: str, old: list[Any], new: list[Any], shape: Shape) -> bool:
    """Add what changes items one by one; False, and nothing added, where they came into another order."""

    def identity(item: Any) -> tuple[Any, ...]:
        return tuple(item.get(key) if isinstance(item, Mapping) else None for key in shape.keys)

    wanted = {identity(item): item for item in new}
    places = {identity(item): index for index, item in enumerate(old)}
    kept = [key for key in places if key in wanted]
    added = [key for key in wanted if key not in places]
    if len(wanted) < len(new) or len(places) < len(old) or [*kept, *added] != list(wanted):
        return False
    for key in kept:
        place = _at(path, str(places[key]))
        inner: list[Op] = []
        _value(inner, place, old[places[key]], wanted[key], Shape(shape.model))
        if inner:
            ops += [*_tests(place, shape.keys, key), *inner]
    for key in sorted((key for key in places if key not in wanted), key=lambda key: -places[key]):
        place = _at(path, str(places[key]))
        ops += [*_tests(place, shape.keys, key), {"op": "remove", "path": place}]
    ops += [{"op": "add", "path": _at(path, "-"), "value": wanted[key]} for key in added]
    return True


def _tests(place: str, keys: Sequence[str], values: Sequence[Any]) -> list[Op]:
    return [
        {"op": "test", "path": _at(place, key), "value": value}
        for key, value in zip(keys, values, strict=True)
        if value is not None
    ]


def _at(path: str, key: str) -> str:
    """Return a JSON pointer (RFC 6901)."""
    return f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
