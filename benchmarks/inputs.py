"""Which CRDs are measured: those of a shared corpus where there is one, else those of this tree's examples."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import ROOT

__all__ = ["corpus", "everything", "Input", "kinds", "shared", "smoke"]


@dataclass(frozen=True)
class Input:
    """A file that holds a CRD, and the name it goes by in tables."""

    path: Path
    name: str


def shared() -> Path | None:
    """Return the folder of the shared corpus: `OPGEN_SHARED`, or `shared` beside the checkout; None if it is absent."""
    named = os.environ.get("OPGEN_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder / "corpus" if (folder / "corpus").is_dir() else None


def _examples() -> list[Input]:
    found = [
        path
        for path in sorted((ROOT / "examples").rglob("*.yaml"))
        if "kind: CustomResourceDefinition" in path.read_text(encoding="utf-8")
    ]
    return [Input(path, path.stem) for path in found]


def corpus() -> str:
    """Return a line that says which CRDs these are."""
    return "the shared corpus" if shared() else "the CRDs of examples/ (no shared corpus here)"


def smoke(limit: int | None = None) -> list[Input]:
    """Return the CRDs that each peer is given one by one."""
    folder = shared()
    if folder is None:
        return _examples()[:limit]
    lines = (folder / "SMOKE.txt").read_text(encoding="utf-8").split()
    return [Input(folder / line, Path(line).stem) for line in lines][:limit]


def everything() -> Path | None:
    """Return the folder of all CRDs, for the whole run and the second run; None without a shared corpus."""
    folder = shared()
    return folder / "dev" if folder else None


def kinds() -> list[Input]:
    """Return the CRDs whose models are measured."""
    folder = shared()
    if folder is None:
        return _examples()
    names = (
        "cert-manager.io_certificates",
        "ray.io_rayclusters",
        "monitoring.coreos.com_prometheuses",
        "argoproj.io_workflows",
    )
    return [Input(folder / "wellknown" / f"{name}.yaml", name) for name in names]
