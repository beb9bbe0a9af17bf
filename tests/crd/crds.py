"""CRDs of our own for the tests of this folder, as text and as objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opgen.crd import from_objects
from opgen.crd.load import load_texts
from opgen.crd.sources import Text
from opgen.errors import OpgenError, Problem

__all__ = ["codes", "crd", "faults", "problems_of", "TEXT"]

TEXT = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: teapots.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    kind: Teapot
    plural: teapots
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                litres:
                  type: integer
"""


def crd(schema: Any = None, **spec: Any) -> dict[str, Any]:
    """Return a CRD with the schema of its one version, or with other members of its spec."""
    version = {"name": "v1", "served": True, "storage": True}
    if schema is not None:
        version["schema"] = {"openAPIV3Schema": schema}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "teapots.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Teapot", "plural": "teapots"},
            "versions": [version],
            **spec,
        },
    }


def problems_of(*texts: str, strict: bool = False) -> list[Problem]:
    """Return what is said about texts, errors and all; the first is named a.yaml, the second b.yaml."""
    named = [Text(f"{chr(ord('a') + i)}.yaml", text) for i, text in enumerate(texts)]
    try:
        return list(load_texts(named, strict=strict).problems)
    except OpgenError as error:
        return list(error.problems)


def codes(problems: list[Problem]) -> list[tuple[str, str]]:
    """Return the codes and severities of problems."""
    return [(problem.code, problem.severity) for problem in problems]


def faults(schema: Any, *, version: Mapping[str, Any] | None = None) -> list[str]:
    """Return what is said about a schema, as `CODE severity path: text`."""
    raw = crd(schema)
    raw["spec"]["versions"][0].update(version or {})
    return [
        f"{problem.code} {problem.severity} {problem.text}"
        for problem in from_objects([raw], "cluster").problems
    ]
