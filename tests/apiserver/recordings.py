"""The recorded behaviour of a real API server, read where it lies."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import yaml

from tests.shared import SHARED

__all__ = ["crds", "names", "scenario", "version"]


@cache
def _scenarios() -> dict[str, dict[str, Any]]:
    if SHARED is None or not (SHARED / "golden" / "apiserver").is_dir():
        return {}
    lines = (SHARED / "golden" / "apiserver" / "scenarios.jsonl").read_text().splitlines()
    return {s["name"]: s for s in map(json.loads, lines)}


def names() -> list[str]:
    """Return the names of all scenarios, in order."""
    return list(_scenarios())


def scenario(name: str) -> dict[str, Any]:
    """Return a scenario with what was recorded."""
    return _scenarios()[name]


@cache
def crds() -> list[dict[str, Any]]:
    """Return the CRDs that must be there before."""
    assert SHARED is not None
    return [
        yaml.safe_load(f.read_text())
        for f in sorted((SHARED / "golden" / "apiserver" / "crds").glob("*.yaml"))
    ]


@cache
def version() -> dict[str, str]:
    """Return what the recorded server says of its build, which no other server can say of itself."""
    for found in _scenarios().values():
        for step in found["steps"]:
            if (step.get("request") or {}).get("path") == "/version" and "body" in step.get(
                "response", {}
            ):
                return dict(step["response"]["body"])
    return {}
