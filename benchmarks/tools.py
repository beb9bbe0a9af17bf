"""The generators that are compared: how each is run on one CRD, as its users run it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from benchmarks.inputs import Input
from benchmarks.measure import Usage, environment, run
from benchmarks.peers import Env

__all__ = ["Cloudcoil", "Dcg", "lines", "module_of", "Opgen", "parse", "split", "Tool", "Unit"]


@dataclass(frozen=True)
class Unit:
    """One version of a CRD that has a schema."""

    file: str
    group: str
    version: str
    kind: str
    served: bool


class Tool(Protocol):
    """A generator."""

    @property
    def name(self) -> str: ...

    @property
    def python(self) -> str: ...

    def generate(self, crd: Input, units: Sequence[Unit], out: Path) -> Usage:
        """Generate from one CRD into the empty folder `out`."""
        ...


@dataclass(frozen=True)
class Opgen:
    name: str = "opgen"
    python: str = sys.executable

    def generate(self, crd: Input, units: Sequence[Unit], out: Path) -> Usage:
        return self.generate_all([crd.path], out)

    def generate_all(self, paths: Sequence[Path], out: Path) -> Usage:
        """Generate from many files or folders in one run."""
        command = [
            self.python,
            "-m",
            "opgen",
            "generate",
            *map(str, paths),
            "-o",
            str(out / "made_opgen"),
        ]
        return run(command, cwd=out)


@dataclass(frozen=True)
class Dcg:
    """Plain datamodel-code-generator: it takes a schema, so it runs once for each version."""

    env: Env

    @property
    def name(self) -> str:
        return "datamodel-code-generator"

    @property
    def python(self) -> str:
        return self.env.python

    def generate(self, crd: Input, units: Sequence[Unit], out: Path) -> Usage:
        total = Usage(True, 0.0, 0.0, 0.0, "", "")
        for unit in units:
            module = f"made_dcg_{re.sub('[^0-9a-z]', '_', unit.version.lower())}.py"
            one = self.one(unit.file, out / module, unit.kind)
            total = Usage(
                total.ok and one.ok,
                total.cpu + one.cpu,
                total.wall + one.wall,
                max(total.peak, one.peak),
                "",
                total.err if not total.ok else one.err,
            )
        return total

    def one(self, schema: str, module: Path, kind: str) -> Usage:
        """Generate the module of one schema."""
        command = [
            str(self.env.bin / "datamodel-codegen"),
            *("--input", schema, "--input-file-type", "jsonschema", "--output", str(module)),
            *("--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.11"),
            *("--class-name", kind, "--snake-case-field", "--use-annotated"),
            *("--enum-field-as-literal", "all", "--disable-timestamp"),
        ]
        return run(command, cwd=module.parent)


@dataclass(frozen=True)
class Cloudcoil:
    """cloudcoil's generator: it takes a CRD, and needs its ruff on PATH."""

    env: Env

    @property
    def name(self) -> str:
        return "cloudcoil"

    @property
    def python(self) -> str:
        return self.env.python

    def generate(self, crd: Input, units: Sequence[Unit], out: Path) -> Usage:
        if not any(unit.served for unit in units):
            return Usage(False, 0.0, 0.0, 0.0, "", "no version is served, and it takes only those")
        settings = {
            "namespace": "made_cloudcoil",
            "input": str(crd.path),
            "output": str(out),
            "crd-namespace": ".".join(reversed(units[0].group.split("."))),
            "mode": "resource",
        }
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        (out / "pyproject.toml").write_text(
            f"[[tool.cloudcoil.codegen.models]]\n{text}", encoding="utf-8"
        )
        command = [str(self.env.bin / "cloudcoil-model-codegen"), "--log-level", "ERROR"]
        done = run(command, cwd=out, env=environment(first=self.env.bin))
        finding = re.search(r"^[a-z-]+: .+", done.out, re.MULTILINE)  # of its ruff, on stdout
        return done if done.ok or not finding else replace(done, err=finding[0])


def split(crds: Sequence[Input], folder: Path) -> dict[str, list[Unit]]:
    """Write each schema as a file of its own below `folder`; return the versions of each CRD by its name."""
    shutil.rmtree(folder, ignore_errors=True)
    pairs = json.dumps([(str(crd.path), crd.name) for crd in crds])
    done = run([sys.executable, "-m", "benchmarks.workers.split", str(folder), pairs])
    if not done.ok:
        raise SystemExit(f"the CRDs could not be read: {done.why}")
    return {name: [Unit(**unit) for unit in units] for name, units in json.loads(done.out).items()}


def parse(env: Env, files: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return what datamodel-code-generator's own parse of each schema costs, all of them in one process."""
    done = run([env.python, "-m", "benchmarks.workers.dcg_parse", json.dumps(list(files))])
    if not done.ok:
        raise SystemExit(f"datamodel-code-generator's parse did not run: {done.why}")
    found: dict[str, dict[str, float]] = json.loads(done.out)
    return found


def lines(folder: Path) -> int:
    """Return how many lines of Python lie below a folder."""
    return sum(len(path.read_bytes().splitlines()) for path in folder.rglob("*.py"))


def module_of(folder: Path, unit: Unit) -> str | None:
    """Return the module below `folder` that holds the class of a kind's version, None if there is none."""
    head = re.compile(rf"^class {re.escape(unit.kind)}\(", re.MULTILINE)
    version = re.sub("[^0-9a-z]", "_", unit.version.lower())
    found = [path for path in sorted(folder.rglob("*.py")) if head.search(path.read_text("utf-8"))]
    names = [".".join(path.relative_to(folder).with_suffix("").parts) for path in found]
    of_version = [name for name in names if re.search(rf"(^|[._]){version}($|\.)", name)]
    return next(iter(of_version or names), None)
