"""Makes `kinds.json.gz`, the schemas and paths of the built-in kinds, from the OpenAPI v3 documents of a real server.

Run `python -m opgen.apiserver.builtin._regenerate FOLDER`, where FOLDER holds one document a group version as
`/openapi/v3/...` serves them. Only structure is kept, no prose. A `default` of `{}`, `""`, `0` or `false` tells
that Go always writes the field; other defaults are those that the API declares. The result does not change if
the input does not.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any, Final

__all__ = ["main", "read", "short", "strip"]

_KEYS: Final = (
    "type",
    "format",
    "required",
    "default",
    "enum",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-group-version-kind",
    "x-kubernetes-unions",
)
_PREFIXES: Final = (
    ("io.k8s.api.", ""),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.", "meta.v1."),
    ("io.k8s.apimachinery.pkg.api.resource.", "resource."),
    ("io.k8s.apimachinery.pkg.util.intstr.", "intstr."),
    ("io.k8s.apimachinery.pkg.runtime.", "runtime."),
    ("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.", "apiextensions.v1."),
)
_VERBS: Final = {
    "list": ("list", "watch"),
    "post": ("create",),
    "put": ("update",),
    "patch": ("patch",),
    "delete": ("delete",),
    "deletecollection": ("deletecollection",),
    "get": ("get",),
}
_CONNECT: Final = {
    "get": "get",
    "post": "create",
    "put": "update",
    "patch": "patch",
    "delete": "delete",
}


def short(name: str) -> str:
    """Return a schema's name without the Go package that it comes from."""
    for prefix, instead in _PREFIXES:
        if name.startswith(prefix):
            return instead + name[len(prefix) :]
    return name


def _ref(schema: dict[str, Any]) -> str | None:
    found = schema.get("$ref")
    if found is None and len(schema.get("allOf") or ()) == 1:
        found = schema["allOf"][0].get("$ref")
    return short(found.rsplit("/", 1)[1]) if found else None


def strip(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` without prose, references shortened to `{"$ref": name}`."""
    out: dict[str, Any] = {key: schema[key] for key in _KEYS if key in schema}
    name = _ref(schema)
    if name:
        out["$ref"] = name
    if "oneOf" in schema and {s.get("type") for s in schema["oneOf"]} <= {
        "string",
        "integer",
        "number",
    }:
        out["x-kubernetes-int-or-string"] = True
    if "properties" in schema:
        out["properties"] = {k: strip(v) for k, v in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            out[key] = strip(schema[key])
    return out


def read(folder: Path) -> dict[str, Any]:
    """Return the data for all documents in `folder`: `defs` by short name, `resources` by path."""
    defs: dict[str, Any] = {}
    resources: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.json")):
        document = json.loads(file.read_text())
        for name, schema in document["components"]["schemas"].items():
            defs[short(name)] = strip(schema)
        for path, item in document["paths"].items():
            _path(path, item, resources)
    return {
        "defs": dict(sorted(defs.items())),
        "resources": [resources[k] for k in sorted(resources)],
    }


def _path(path: str, item: dict[str, Any], resources: dict[str, dict[str, Any]]) -> None:
    parts = path.strip("/").split("/")
    group, version, rest = (
        ("", parts[1], parts[2:]) if parts[0] == "api" else (parts[1], parts[2], parts[3:])
    )
    namespaced = rest[:2] == ["namespaces", "{namespace}"]
    if namespaced:
        rest = rest[2:]
    if not rest or rest[0] == "watch" or "{path}" in rest:
        return
    name = "/".join(p for p in rest if p != "{name}")
    key = f"{group}/{version}/{name}"
    found = resources.setdefault(
        key, {"group": group, "version": version, "name": name, "namespaced": False, "verbs": []}
    )
    found["namespaced"] = found["namespaced"] or namespaced
    for method, operation in item.items():
        if not isinstance(operation, dict):
            continue
        action = operation.get("x-kubernetes-action")
        gvk = operation.get("x-kubernetes-group-version-kind")
        verbs = (
            (_CONNECT[method],)
            if action == "connect" and method in _CONNECT
            else _VERBS.get(action or "", ())
        )
        if gvk and not (action == "list" and "kind" in found):
            found["kind"] = [gvk["group"], gvk["version"], gvk["kind"]]
        found["verbs"] = sorted({*found["verbs"], *verbs})


def main(folder: str) -> None:
    """Write the data file beside this module."""
    data = json.dumps(read(Path(folder)), separators=(",", ":"), sort_keys=True).encode()
    target = Path(__file__).with_name("kinds.json.gz")
    target.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{target.name}: {len(data)} bytes, {target.stat().st_size} packed")


if __name__ == "__main__":
    main(sys.argv[1])
