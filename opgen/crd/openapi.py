"""OpenAPI v3 documents of a group version: told from what else there is, with the group and version they are of.

A cluster serves one for each group version below /openapi/v3; Kubernetes keeps the same under api/openapi-spec/v3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from opgen.crd.model import OpenApiDocument
from opgen.crd.names import is_group, is_label
from opgen.errors import Location, Problem

__all__ = ["read_openapi"]

_GVK = "x-kubernetes-group-version-kind"
_FETCH = "fetch one from a cluster: kubectl get --raw /openapi/v3/apis/GROUP/VERSION"
# api_v1.json, apis_apps_v1.json, apis__apps__v1_openapi.json
_FILE = re.compile(
    r"(?:.*/)?(?:api__?|apis__?(?P<group>[a-z0-9.-]+?)__?)(?P<version>v[0-9][a-z0-9]*)(?:_openapi)?\.\w+"
)


def read_openapi(
    value: Any, source: str, line: int, problems: list[Problem]
) -> OpenApiDocument | bool:
    """Return the document if `value` is one, whether it was something of OpenAPI's at all if not.

    Faults are added to `problems` with code OPG114, notes with OPG130.
    """
    if not isinstance(value, Mapping):
        return False
    where = Location(source, line)
    if isinstance(value.get("swagger"), str) and "definitions" in value:
        problems.append(
            Problem("OPG114", "this is a Swagger 2 document, expected OpenAPI v3", where, _FETCH)
        )
        return True
    if not isinstance(value.get("openapi"), str):
        return False
    if not value["openapi"].startswith("3."):
        problems.append(
            Problem(
                "OPG114",
                f'OpenAPI "{value["openapi"][:20]}" is not known, expected 3',
                where,
                _FETCH,
            )
        )
        return True
    components = value.get("components")
    schemas = components.get("schemas") if isinstance(components, Mapping) else None
    found = _group_version(value, schemas if isinstance(schemas, Mapping) else {}, source)
    if not isinstance(schemas, Mapping) or not schemas:
        text = "skipped an OpenAPI document without schemas"
        problems.append(Problem("OPG130", text, where, severity="note"))
        return True
    if found is None:
        text = "this OpenAPI document is not of one group and version, expected paths below /apis/GROUP/VERSION"
        problems.append(Problem("OPG114", text, where, _FETCH))
        return True
    broken = sorted(
        str(name) for name, schema in schemas.items() if not isinstance(schema, Mapping)
    )
    if broken:
        problems.append(Problem("OPG114", f'the schema "{broken[0][:80]}" is no mapping', where))
        return True
    return OpenApiDocument(source, found[0], found[1], value)


def _group_version(
    value: Mapping[str, Any], schemas: Mapping[str, Any], source: str
) -> tuple[str, str] | None:
    """Return what most of the document is about: operations, else schemas of kinds, else its file's name."""
    paths = value.get("paths")
    named: Counter[tuple[str, str]] = Counter()
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        parts = str(path).strip("/").split("/")
        if parts[0] == "apis" and len(parts) > 2:
            named[parts[1], parts[2]] += 1
        elif parts[0] == "api" and len(parts) > 1:
            named["", parts[1]] += 1
        for operation in item.values() if isinstance(item, Mapping) and not named else ():
            if isinstance(operation, Mapping):
                named.update(_kinds(operation.get(_GVK)))
    if not named:
        for schema in schemas.values():
            # A schema of many group versions (DeleteOptions, WatchEvent) says nothing about the document.
            kinds = _kinds(schema.get(_GVK)) if isinstance(schema, Mapping) else []
            named.update(kinds if len(kinds) == 1 else ())
    usable = [(count, found) for found, count in named.items() if _is_usable(*found)]
    if usable:
        return max(usable)[1]
    match = _FILE.fullmatch(source)
    return (
        (match["group"] or "", match["version"])
        if match and _is_usable(match["group"] or "", match["version"])
        else None
    )


def _kinds(value: Any) -> list[tuple[str, str]]:
    several = value if isinstance(value, list) else [value]
    found = [
        (one.get("group", ""), one.get("version")) for one in several if isinstance(one, Mapping)
    ]
    return [
        (group, version)
        for group, version in found
        if isinstance(group, str) and isinstance(version, str)
    ]


def _is_usable(group: str, version: str) -> bool:
    return (not group or is_group(group)) and is_label(version)
