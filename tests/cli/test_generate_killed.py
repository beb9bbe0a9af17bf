"""kill -9 while `opgen generate` runs: what is left is the old tree or the new one."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.runner import process, write_crds
from tests.project.files import tree
from tests.repo.tree import ROOT

KINDS = [f"Thing{chr(ord('a') + i)}{chr(ord('a') + j)}" for i in range(4) for j in range(10)]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Give a project as generated before a change of every CRD, and as generated after it."""
    folder = tmp_path_factory.mktemp("states")
    for name, fields in (("old", ()), ("new", ("color",))):
        write_crds(folder / name / "crds", *KINDS, fields=fields)
        text = 'package = "acme"\nkind = "operator"\ncrds = ["crds"]\n'
        (folder / name / "opgen.toml").write_text(text, "utf-8")
        outcome = process(folder / name, "-q", "generate")
        assert outcome.code == 0, outcome.err
    # fewer kinds than before, so that files are deleted too
    for kind in KINDS[:5]:
        (folder / "new" / "crds" / f"{kind.lower()}s.yaml").unlink()
    assert process(folder / "new", "-q", "generate").code == 0
    return folder / "old", folder / "new"


def at(seconds: float) -> Callable[[Path], bool]:
    until = time.monotonic() + seconds
    return lambda _: time.monotonic() >= until


def staged(count: int) -> Callable[[Path], bool]:
    def moment(root: Path) -> bool:
        try:
            return len(os.listdir(root / ".opgen" / "stage" / "new")) >= count
        except OSError:
            return False

    return moment


def committed(root: Path) -> bool:
    return (root / ".opgen" / "journal.json").exists()


def test_every_kill_leaves_the_old_or_the_new_tree(
    states: tuple[Path, Path], tmp_path: Path
) -> None:
    old, new = states
    before, after = tree(old / "acme"), tree(new / "acme")
    started = time.monotonic()
    shutil.copytree(old, tmp_path / "measured")
    _change(tmp_path / "measured", new)
    assert process(tmp_path / "measured", "-q", "generate").code == 0
    assert tree(tmp_path / "measured" / "acme") == after
    whole = time.monotonic() - started
    chance = random.Random(3)
    moments: list[Callable[[], Callable[[Path], bool]]] = [
        lambda: at(0.2 * whole),
        lambda: at(0.5 * whole),
        lambda: at(chance.uniform(0.3, 0.9) * whole),
        lambda: at(chance.uniform(0.6, 1.0) * whole),
        lambda: staged(1),
        lambda: staged(30),
        lambda: staged(chance.randrange(1, 60)),
        lambda: committed,
        lambda: committed,
        lambda: committed,
    ]
    for number, moment in enumerate(moments):
        root = tmp_path / str(number)
        shutil.copytree(old, root)
        _change(root, new)
        run = subprocess.Popen(
            [sys.executable, "-m", "opgen", "-q", "generate"],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        has_come = moment()
        while run.poll() is None and not has_come(root):
            time.sleep(0.0005)
        run.kill()
        run.wait()
        was_committed = committed(root)
        if not was_committed:
            assert tree(root / "acme") in (before, after)
        if was_committed or tree(root / "acme") == after:
            # the next run has nothing left to decide
            assert process(root, "generate", "--check").code == 0
            assert tree(root / "acme") == after
        assert process(root, "-q", "generate").code == 0
        assert _noted(root) == _noted(new)


def _noted(root: Path) -> dict[str, str]:
    """Return every file but the mark of the generator, which somebody may be changing."""
    return {path: text for path, text in tree(root, own=True).items() if path != ".opgen/stamp"}


def _change(root: Path, new: Path) -> None:
    shutil.rmtree(root / "crds")
    shutil.copytree(new / "crds", root / "crds")
