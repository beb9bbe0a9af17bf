"""Make each peer's own virtual environment, at exact versions, outside of the tree's tracked files.

A peer that can't be installed here (no network, no wheel for this Python) is reported as absent.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

__all__ = ["cache", "CLOUDCOIL", "DCG", "Env", "ensure", "KUBERNETES", "LIGHTKUBE", "Peer", "ROOT"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Peer:
    """A peer and what its environment holds, exactly."""

    name: str
    requirements: tuple[str, ...]
    imports: str
    """A module that must be importable, or the peer counts as absent."""


@dataclass(frozen=True)
class Env:
    """A peer's environment; `why` says why there is none."""

    peer: Peer
    folder: Path
    why: str = ""

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def python(self) -> str:
        return str(self.bin / "python")

    @property
    def present(self) -> bool:
        return not self.why


# The pydantic of the environment that opgen runs in: models are compared on one engine.
_PYDANTIC = f"pydantic=={metadata.version('pydantic')}"

DCG = Peer(
    "datamodel-code-generator 0.89.0",
    (
        "datamodel-code-generator==0.89.0",
        _PYDANTIC,
        "black==26.10.1",
        "isort==8.0.1",
        "PyYAML==6.0.4",
    ),
    "datamodel_code_generator",
)
CLOUDCOIL = Peer(
    "cloudcoil 0.6.0",
    ("cloudcoil[codegen]==0.6.0", "datamodel-code-generator==0.26.5", _PYDANTIC, "ruff==0.17.6"),
    "cloudcoil.codegen.generator",
)
KUBERNETES = Peer("kubernetes 37.0.2", ("kubernetes==37.0.2",), "kubernetes.client")
LIGHTKUBE = Peer(
    "lightkube 1.0.1",
    ("lightkube==1.0.1", "lightkube-models==1.37.0.8"),
    "lightkube.models.core_v1",
)


def cache() -> Path:
    """Return the folder for environments and work: `OPGEN_BENCH_CACHE`, or `.benchmarks` here."""
    return Path(os.environ.get("OPGEN_BENCH_CACHE") or ROOT / ".benchmarks")


def ensure(peers: Iterable[Peer]) -> dict[str, Env]:
    """Return the environment of each peer by its name, made where it isn't there yet."""
    return {peer.name: _ensure(peer) for peer in peers}


def _ensure(peer: Peer) -> Env:
    key = "\n".join([sys.version, *peer.requirements])
    label = peer.name.replace(" ", "-")
    folder = cache() / "envs" / f"{label}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    env = Env(peer, folder)
    stamp = folder / "complete"
    if stamp.exists():
        return env
    sys.stderr.write(f"installing {peer.name}\n")
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    pip = [env.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([*pip, *peer.requirements], [env.python, "-c", f"import {peer.imports}"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no message"]
            shutil.rmtree(folder, ignore_errors=True)
            return Env(peer, folder, lines[-1][:200])
    stamp.touch()
    return env
