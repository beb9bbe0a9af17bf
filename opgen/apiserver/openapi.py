"""The schemas of all served kinds as OpenAPI documents, which kubectl and other clients read: version 3, and version 2.

The documents have every schema and every path with its verbs, but no prose: no parameters, no descriptions of
operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from opgen.apiserver.kinds import Kind

__all__ = ["document_v2", "document_v3"]

Object = dict[str, Any]
_PREFIXES: Final = {
    "meta.v1.": "io.k8s.apimachinery.pkg.apis.",
    "resource.": "io.k8s.apimachinery.pkg.api.",
    "intstr.": "io.k8s.apimachinery.pkg.util.",
    "runtime.": "io.k8s.apimachinery.pkg.",
    "apiextensions.v1.": "io.k8s.apiextensions-apiserver.pkg.apis.",
}
_V3: Final = "#/components/schemas/"
_V2: Final = "#/definitions/"
_ACTIONS: Final = (
    ("", "get", "list", "list"),
    ("", "post", "create", "post"),
    ("", "delete", "deletecollection", "deletecollection"),
    ("/{name}", "get", "get", "get"),
    ("/{name}", "put", "update", "put"),
    ("/{name}", "patch", "patch", "patch"),
    ("/{name}", "delete", "delete", "delete"),
)


def _long(name: str) -> str:
    """The name of a built-in schema with the Go package that it comes from."""
    if name.startswith("io."):
        return name
    prefix = next((p for start, p in _PREFIXES.items() if name.startswith(start)), "io.k8s.api.")
    return prefix + name


def _rendered(schema: Mapping[str, Any], base: str) -> Object:
    """A built-in schema as OpenAPI writes it; `base` is where references point."""
    out: Object = {k: v for k, v in schema.items() if k not in ("x-go-name", "$ref")}
    if out.get("type") == "schema":
        return {}
    name = schema.get("$ref")
    if name is not None:
        target = {"$ref": base + _long(name)}
        if not out:
            return target
        out["allOf"] = [target]
    if "properties" in out:
        out["properties"] = {k: _rendered(v, base) for k, v in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _rendered(out[key], base)
    return out


@cache
def _names() -> dict[tuple[str, str, str], str]:
    """The names of the built-in schemas by group, version and kind."""
    from opgen.apiserver.builtin.registry import definitions

    return {
        (g["group"], g["version"], g["kind"]): name
        for name, schema in definitions().items()
        for g in schema.get("x-kubernetes-group-version-kind") or ()
    }


def _references(schema: Any, found: set[str]) -> None:
    if isinstance(schema, Mapping):
        name = schema.get("$ref")
        if isinstance(name, str):
            found.add(name)
        for value in schema.values():
            _references(value, found)
    elif isinstance(schema, list):
        for value in schema:
            _references(value, found)


def _closure(names: Iterable[str], base: str) -> Object:
    """Render built-in schemas and all that they refer to."""
    from opgen.apiserver.builtin.registry import definitions

    known = definitions()
    out: Object = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if _long(name) in out or name not in known:
            continue
        out[_long(name)] = _rendered(known[name], base)
        below: set[str] = set()
        _references(known[name], below)
        todo += below
    return out


def _custom_name(kind: Kind) -> str:
    return ".".join([*reversed(kind.group.split(".")), kind.version, kind.kind])


def _gvk(kind: Kind, name: str) -> list[Object]:
    return [{"group": kind.group, "version": kind.version, "kind": name}]


def _wrapped(name: str, base: str) -> Object:
    target = {"$ref": base + _long(name)}
    return {"allOf": [target]} if base == _V3 else target


def _custom(kind: Kind, base: str) -> Object:
    """The schemas of a custom kind and of its list."""
    own = {
        k: v
        for k, v in kind.schema.schema.items()
        if k != "x-kubernetes-validations" or base == _V3
    }
    own["properties"] = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        **(own.get("properties") or {}),
        "metadata": _wrapped("meta.v1.ObjectMeta", base),
    }
    own["x-kubernetes-group-version-kind"] = _gvk(kind, kind.kind)
    if base == _V2:
        own = _downgraded(own)
    many = {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "items": {"type": "array", "items": {"$ref": base + _custom_name(kind)}},
            "kind": {"type": "string"},
            "metadata": _wrapped("meta.v1.ListMeta", base),
        },
        "x-kubernetes-group-version-kind": _gvk(kind, kind.list_kind),
    }
    return {_custom_name(kind): own, f"{_custom_name(kind)}List": many}


def _downgraded(schema: Mapping[str, Any]) -> Object:
    """A schema as far as version 2 can say it: no alternatives, nothing nullable, no rules."""
    dropped = ("anyOf", "oneOf", "not", "nullable", "x-kubernetes-validations", "allOf")
    out: Object = {k: v for k, v in schema.items() if k not in dropped}
    if schema.get("nullable") or schema.get("x-kubernetes-preserve-unknown-fields"):
        out.pop("type", None)
        out.pop("items", None)
        out.pop("properties", None)
    if isinstance(out.get("properties"), Mapping):
        out["properties"] = {k: _downgraded(v) for k, v in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _downgraded(out[key])
    return out


def _schemas(kinds: Iterable[Kind], base: str) -> Object:
    out: Object = {}
    needed = {"meta.v1.ObjectMeta", "meta.v1.ListMeta", "meta.v1.Status", "meta.v1.DeleteOptions"}
    for kind in kinds:
        if kind.custom:
            out.update(_custom(kind, base))
        else:
            for name in (kind.kind, kind.list_kind):
                found = _names().get((kind.group, kind.version, name))
                if found is not None:
                    needed.add(found)
    return dict(sorted({**_closure(needed, base), **out}.items()))


def _operation(kind: Kind, action: str, where: str) -> Object:
    group = "".join(p.capitalize() for p in re.split(r"[.-]", kind.group)) or "Core"
    scope = "Namespaced" if "{namespace}" in where else ""
    return {
        "operationId": f"{action}{group}{kind.version.capitalize()}{scope}{kind.kind}",
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _gvk(kind, kind.kind)[0],
    }


def _paths(kinds: Iterable[Kind]) -> Object:
    out: Object = {}
    for kind in kinds:
        root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
        own = (
            f"{root}/namespaces/{{namespace}}/{kind.plural}"
            if kind.namespaced
            else f"{root}/{kind.plural}"
        )
        for below, method, verb, action in _ACTIONS:
            if verb in kind.verbs:
                out.setdefault(own + below, {})[method] = _operation(kind, action, own)
        if kind.namespaced and "list" in kind.verbs:
            out[f"{root}/{kind.plural}"] = {"get": _operation(kind, "list", root)}
        for sub, verbs in kind.subresources.items():
            for _, method, verb, action in _ACTIONS[3:]:
                if verb in verbs:
                    out.setdefault(f"{own}/{{name}}/{sub}", {})[method] = _operation(
                        kind, action, own
                    )
    return dict(sorted(out.items()))


def document_v3(kinds: list[Kind]) -> Object:
    """Return the document of one group version."""
    custom = any(k.custom for k in kinds)
    return {
        "openapi": "3.0.0",
        "info": {
            "title": "Kubernetes CRD Swagger" if custom else "Kubernetes",
            "version": "v0.1.0" if custom else "v1.36.2",
        },
        "paths": _paths(kinds),
        "components": {"schemas": _schemas(kinds, _V3)},
    }


def document_v2(kinds: list[Kind]) -> Object:
    """Return the document of everything."""
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1.36.2"},
        "paths": _paths(kinds),
        "definitions": _schemas(kinds, _V2),
    }
