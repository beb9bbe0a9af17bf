"""Every CRD of the corpus becomes Python that imports, type-checks and is the same each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from opgen.crd import load
from opgen.ir.build import build
from opgen.project.generate import Request, generate
from opgen.testing import read_tree
from tests.corpus.conftest import PACKAGE
from tests.shared import needs_shared

pytestmark = needs_shared


def test_every_version_of_every_crd_gets_a_module(types: Path) -> None:
    modules = [path for path in types.rglob("*.py") if path.name != "__init__.py"]
    assert len(modules) == 960


def test_every_module_imports_without_a_warning(types: Path) -> None:
    code = (
        "import importlib, pkgutil, sys\n"
        f"import {PACKAGE} as package\n"
        "count = 0\n"
        "for one in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "    importlib.import_module(one.name)\n"
        "    count += not one.ispkg\n"
        "print(count)\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=types.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout.strip(), run.stderr) == ("960", "")


def test_a_second_run_finds_nothing_to_do_in_no_time(types: Path, corpus: Path) -> None:
    before = time.process_time()
    plan = generate(Request(types, (str(corpus),)), cwd=corpus)
    assert plan.is_clean
    assert len(plan.of("unchanged")) > 960
    # parsing the corpus alone takes twice that: the second run did not
    assert time.process_time() - before < 5


def test_no_class_is_told_apart_by_a_counter(corpus: Path) -> None:
    for gv in build(load([str(corpus)]).crds).group_versions:
        for kind in gv.kinds:
            for item in kind.objects:
                digits = re.search(r"[0-9]+$", item.name)
                last = item.path.rsplit(".", 1)[-1] or kind.kind
                assert not digits or last.endswith(digits[0]), (kind.source, item.path, item.name)


def test_hash_seed_and_folder_change_nothing(smoke: list[str], tmp_path: Path) -> None:
    trees = []
    for seed in ("1", "2"):
        folder = tmp_path / f"run{seed}"
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-m", "opgen", "-q", "generate", *smoke, "-o", "smoke_types"],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        trees.append(read_tree(folder / "smoke_types"))
    assert len(trees[0]) > 100
    assert trees[0] == trees[1]


@pytest.fixture(scope="module")
def smoke_types(smoke: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smoke")
    command = [
        sys.executable,
        "-m",
        "opgen",
        "-q",
        "generate",
        *smoke,
        "-o",
        str(folder / "smoke_types"),
    ]
    subprocess.run(command, check=True)
    return folder


def test_mypy_strict_has_nothing_to_say(smoke_types: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "-p", "smoke_types"],
        cwd=smoke_types,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.startswith("Success"), run.stdout[-3000:]


def test_black_would_change_nothing(smoke_types: Path) -> None:
    command = [sys.executable, "-m", "black", "--check", "--quiet", "--diff", str(smoke_types)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout[:3000] == ""
    assert run.returncode == 0


def test_built_in_kinds_are_as_generated(tmp_path: Path, corpus: Path) -> None:
    documents = corpus.parent.parent / "golden" / "openapi"
    command = [sys.executable, "-m", "opgen", "-q", "generate", ".", "-o", str(tmp_path / "k8s")]
    subprocess.run(command, cwd=documents, check=True)
    here = Path(__file__).parents[2] / "opgen" / "k8s"
    assert read_tree(tmp_path / "k8s") == read_tree(here)
