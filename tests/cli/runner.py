"""Runs the command line in this process or in one of its own, and a CRD to run it on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from opgen.cli import run
from tests.repo.tree import ROOT

__all__ = ["Outcome", "crd", "opgen", "process", "write_crds"]

_CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {plural}.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: {kind}, plural: {plural}, singular: {singular}, listKind: {kind}List}}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {{status: {{}}}}
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: {{type: integer, minimum: 1, description: How many.}}
{fields}
            status:
              type: object
              properties:
                conditions:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [type]
                  items:
                    type: object
                    required: [type, status]
                    properties:
                      type: {{type: string}}
                      status: {{type: string, enum: ["True", "False", Unknown]}}
                      reason: {{type: string}}
                      message: {{type: string}}
                      observedGeneration: {{type: integer, format: int64}}
                      lastTransitionTime: {{type: string, format: date-time}}
"""


def crd(kind: str = "Widget", *fields: str) -> str:
    """Return a CRD of a kind of ours, with more string fields in its spec."""
    singular = kind.lower()
    more = "\n".join(f"                {field}: {{type: string}}" for field in fields)
    return _CRD.format(kind=kind, plural=f"{singular}s", singular=singular, fields=more)


def write_crds(folder: Path, *kinds: str, fields: tuple[str, ...] = ()) -> Path:
    """Write a CRD for each kind into `folder`, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        (folder / f"{kind.lower()}s.yaml").write_text(crd(kind, *fields), "utf-8")
    return folder


@dataclass(frozen=True)
class Outcome:
    """What a run returned and printed."""

    code: int
    out: str
    err: str


def opgen(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> Outcome:
    """Run the command line in this process, as if started in `folder`."""
    capsys.readouterr()
    code = run(["-C", str(folder), *arguments])
    printed = capsys.readouterr()
    return Outcome(code, printed.out, printed.err)


def process(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, text: str = ""
) -> Outcome:
    """Run the command line in a process of its own, started in `folder`."""
    known = {key: value for key, value in os.environ.items() if not key.startswith("OPGEN_")}
    done = subprocess.run(
        [sys.executable, "-m", "opgen", *arguments],
        cwd=folder,
        env={**known, "PYTHONPATH": str(ROOT), **(environment or {})},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
