"""JSON patch (RFC 6902, with the leniencies of the library that Kubernetes uses) and merge patch (RFC 7396)."""

from __future__ import annotations

from typing import Any, Final

from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError, bad_request
from opgen.apiserver.typed import go_kind

__all__ = ["json_patch", "merge_patch"]

_MAX_OPERATIONS: Final = 10_000


def merge_patch(target: Any, patch: Any) -> Any:
    """Return `target` with the merge patch applied; neither is changed, parts may be shared.

    Raises:
        StatusError: 400 where the patch is no object.
    """
    if not isinstance(patch, dict):
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {go_kind(patch)} into Go value of "
            f"type map[string]interface {{}}"
        )
    return _merged(target, patch)


def _merged(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = _merged(out.get(key), value)
    return out


class _Unfit(Exception):
    """The patch does not fit the object."""


def json_patch(target: Any, operations: Any) -> Any:
    """Return `target` with the JSON patch applied; the original is not changed.

    Raises:
        StatusError: 400 where it is no patch, 413 where it is too long, 422 where it does not fit the object.
    """
    if not isinstance(operations, list):
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {go_kind(operations)} into Go value "
            "of type []handlers.jsonPatchOp"
        )
    if len(operations) > _MAX_OPERATIONS:
        raise StatusError(
            413,
            "RequestEntityTooLarge",
            f"Request entity too large: The allowed maximum operations in a JSON patch is {_MAX_OPERATIONS}, "
            f"got {len(operations)}",
        )
    doc = copy_json(target)
    try:
        for operation in operations:
            if not isinstance(operation, dict):
                raise _Unfit
            _apply(doc, operation)
    except _Unfit:
        raise StatusError(
            422, "Invalid", "the server rejected our request due to an error in our request", {}
        ) from None
    return doc


def _apply(doc: Any, operation: dict[str, Any]) -> None:
    op, path = operation.get("op"), operation.get("path")
    if not isinstance(path, str):
        raise _Unfit
    if op == "add":
        _add(doc, path, operation.get("value"))
    elif op == "remove":
        _take(doc, path)
    elif op == "replace":
        container, key = _find(doc, path)
        if isinstance(container, list):
            container[_index(container, key)] = copy_json(operation.get("value"))
        else:
            container[key] = copy_json(operation.get("value"))
    elif op == "move":
        _add(doc, path, _take(doc, str(operation.get("from", ""))))
    elif op == "copy":
        container, key = _find(doc, str(operation.get("from", "")))
        _add(doc, path, _value(container, key))
    elif op == "test":
        container, key = _find(doc, path)
        found = (
            container[_index(container, key)] if isinstance(container, list) else container.get(key)
        )
        wanted = operation.get("value")
        if found != wanted or (found is True or found is False) != (
            wanted is True or wanted is False
        ):
            raise _Unfit
    else:
        raise _Unfit


def _find(doc: Any, path: str) -> tuple[Any, str]:
    """Return the container that a path ends in, and the key in it."""
    if not path.startswith("/"):
        raise _Unfit
    *way, last = (p.replace("~1", "/").replace("~0", "~") for p in path.split("/")[1:])
    here = doc
    for part in way:
        here = _value(here, part)
        if not isinstance(here, dict | list):
            raise _Unfit
    return here, last


def _index(container: list[Any], key: str, *, adding: bool = False) -> int:
    if adding and key == "-":
        return len(container)
    if not key.lstrip("-").isdigit():
        raise _Unfit
    index = int(key)
    limit = len(container) + (1 if adding else 0)
    if index < 0:
        index += limit
    if not 0 <= index < limit:
        raise _Unfit
    return index


def _value(container: Any, key: str) -> Any:
    if isinstance(container, list):
        return container[_index(container, key)]
    if key not in container:
        raise _Unfit
    return container[key]


def _add(doc: Any, path: str, value: Any) -> None:
    container, key = _find(doc, path)
    if isinstance(container, list):
        container.insert(_index(container, key, adding=True), copy_json(value))
    else:
        container[key] = copy_json(value)


def _take(doc: Any, path: str) -> Any:
    container, key = _find(doc, path)
    if isinstance(container, list):
        return container.pop(_index(container, key))
    if key not in container:
        raise _Unfit
    return container.pop(key)
