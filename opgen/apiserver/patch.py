"""JSON patch (RFC 6902) and merge patch (RFC 7396), with the error texts of the API server."""

from __future__ import annotations

import json
from typing import Any

from opgen.apiserver.jsonio import encode_text
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError, bad_request

__all__ = ["json_patch", "merge_patch"]


def merge_patch(target: Any, patch: Any) -> Any:
    """Return `target` with the merge patch applied; neither is changed."""
    if not isinstance(patch, dict):
        return copy_json(patch)
    out = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = merge_patch(out.get(key), value)
    return out


def _unprocessable(message: str) -> StatusError:
    return StatusError(
        422, "Invalid", f"the server rejected our request due to an error in our request: {message}", {}
    )


class _Missing(Exception):
    pass


def _parts(path: str) -> list[str]:
    if path == "":
        return []
    return [p.replace("~1", "/").replace("~0", "~") for p in path.split("/")[1:]]


def json_patch(target: Any, operations: Any) -> Any:
    """Return `target` with the JSON patch applied; the original is not changed.

    Raises:
        StatusError: 400 where it is no patch, 422 where it does not fit the object.
    """
    if not isinstance(operations, list):
        what = {dict: "object", str: "string", bool: "bool"}.get(type(operations), "number")
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {what} into Go value of type jsonpatch.Patch"
        )
    if len(operations) > 10000:
        raise StatusError(
            413,
            "RequestEntityTooLarge",
            f"Request entity too large: The allowed maximum operations in a JSON patch is 10000, got {len(operations)}",
        )
    doc = copy_json(target)
    for operation in operations:
        if not isinstance(operation, dict):
            raise bad_request("error decoding patch: json: cannot unmarshal into Go value of type jsonpatch.Operation")
        doc = _apply(doc, operation)
    return doc


def _apply(doc: Any, operation: dict[str, Any]) -> Any:
    op, path = operation.get("op", "unknown"), operation.get("path", "")
    if op == "add":
        _add(doc, path, operation.get("value"), "add")
    elif op == "remove":
        _remove(doc, path)
    elif op == "replace":
        _replace(doc, path, operation.get("value"))
    elif op == "move":
        source = operation.get("from", "")
        container, key = _find(doc, source, "move", source)
        value = _take(container, key, source)
        _add(doc, path, value, "move")
    elif op == "copy":
        source = operation.get("from", "")
        container, key = _find(doc, source, "copy", source)
        _add(doc, path, copy_json(_value(container, key, source)), "copy")
    elif op == "test":
        _test(doc, path, operation)
    else:
        raise _unprocessable(f"Unexpected kind: {op}")
    return doc


def _container(doc: Any, path: str) -> tuple[Any, str]:
    parts = _parts(path)
    if not parts:
        raise _Missing
    here = doc
    for part in parts[:-1]:
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif isinstance(here, list) and part.lstrip("-").isdigit() and int(part) < len(here):
            here = here[int(part)]
        else:
            raise _Missing
        if not isinstance(here, dict | list):
            raise _Missing
    return here, parts[-1]


def _find(doc: Any, path: str, op: str, shown: str) -> tuple[Any, str]:
    try:
        return _container(doc, path)
    except _Missing:
        raise _unprocessable(
            f'{op} operation does not apply: doc is missing {"from " if op in ("move", "copy") else ""}path: {shown}: missing value'
        ) from None


def _index(container: list[Any], key: str, *, adding: bool = False) -> int:
    if adding and key == "-":
        return len(container)
    try:
        index = int(key)
    except ValueError:
        raise _unprocessable(f"strconv.Atoi: parsing {json.dumps(key)}: invalid syntax") from None
    limit = len(container) + (1 if adding else 0)
    if index < 0:
        if index < -limit:
            raise _unprocessable(f"Unable to access invalid index: {index}: invalid index referenced")
        index += limit
    elif index >= limit:
        raise _unprocessable(f"Unable to access invalid index: {index}: invalid index referenced")
    return index


def _add(doc: Any, path: str, value: Any, op: str) -> None:
    try:
        container, key = _container(doc, path)
    except _Missing:
        raise _unprocessable(
            f'{op} operation does not apply: doc is missing path: "{path}": missing value'
        ) from None
    if isinstance(container, list):
        container.insert(_index(container, key, adding=True), copy_json(value))
    else:
        container[key] = copy_json(value)


def _value(container: Any, key: str, path: str) -> Any:
    if isinstance(container, list):
        return container[_index(container, key)]
    if key not in container:
        raise _unprocessable(f"unable to get nonexistent key: {key}: missing value")
    return container[key]


def _take(container: Any, key: str, path: str) -> Any:
    value = _value(container, key, path)
    if isinstance(container, list):
        del container[_index(container, key)]
    else:
        del container[key]
    return value


def _remove(doc: Any, path: str) -> None:
    try:
        container, key = _container(doc, path)
    except _Missing:
        raise _unprocessable(
            f'remove operation does not apply: doc is missing path: "{path}": missing value'
        ) from None
    if isinstance(container, list):
        del container[_index(container, key)]
    elif key not in container:
        raise _unprocessable(f"Unable to remove nonexistent key: {key}: missing value")
    else:
        del container[key]


def _replace(doc: Any, path: str, value: Any) -> None:
    try:
        container, key = _container(doc, path)
    except _Missing:
        raise _unprocessable(
            f"replace operation does not apply: doc is missing path: {path}: missing value"
        ) from None
    if isinstance(container, list):
        container[_index(container, key)] = copy_json(value)
    elif key not in container:
        raise _unprocessable(f"replace operation does not apply: doc is missing key: {path}: missing value")
    else:
        container[key] = copy_json(value)


def _test(doc: Any, path: str, operation: dict[str, Any]) -> None:
    wanted = operation.get("value")
    try:
        container, key = _container(doc, path)
    except _Missing:
        raise _unprocessable(f"test operation for path: {path} failed: missing value") from None
    found = None
    if isinstance(container, list):
        found = container[_index(container, key)]
    else:
        found = container.get(key)
    if found is None and wanted is None:
        return
    if encode_text(found) != encode_text(wanted) and found != wanted:
        raise _unprocessable(f"testing value {path} failed: test failed")
