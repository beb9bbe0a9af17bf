"""Folders of input and expected output: `crd.yaml` is generated as a user would, and the tree and stderr compared.

A case with `expected/` is generated; one without is refused with exit code 2 and nothing is written. `args.txt` holds
more arguments. `pytest tests/golden --update-golden` rewrites what is expected; read the diff before you commit it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opgen.cli import run
from opgen.testing import compare_tree, read_tree

HERE = Path(__file__).parent
CASES = sorted(path.parent.name for path in HERE.glob("*/crd.yaml"))


@pytest.mark.parametrize("case", CASES)
def test_case(
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    update_golden: bool,
) -> None:
    folder = HERE / case
    shutil.copy(folder / "crd.yaml", tmp_path)
    arguments = (
        (folder / "args.txt").read_text("utf-8").split() if (folder / "args.txt").exists() else []
    )
    monkeypatch.chdir(tmp_path)
    code = run(["--color", "never", "generate", "crd.yaml", "-o", "golden_types", *arguments])
    said = re.sub(r" in \d+\.\d\ds$", "", capsys.readouterr().err, flags=re.MULTILINE)
    stderr = folder / "stderr.txt"
    if update_golden:
        stderr.write_text(said, "utf-8")
    assert said == stderr.read_text("utf-8")
    if code == 0:
        compare_tree(
            folder / "expected", read_tree(tmp_path / "golden_types"), update=update_golden
        )
    else:
        assert code == 2
        assert not (folder / "expected").exists()
        assert [path.name for path in tmp_path.iterdir()] == ["crd.yaml"]


@pytest.mark.parametrize("case", [case for case in CASES if (HERE / case / "expected").is_dir()])
def test_expected_output_imports_and_changes_nothing_else(case: str, tmp_path: Path) -> None:
    """What is generated from hostile text is Python that does nothing but define classes."""
    shutil.copytree(HERE / case / "expected", tmp_path / "golden_types")
    before = set(tmp_path.rglob("*"))
    modules = [
        ".".join(path.relative_to(tmp_path).with_suffix("").parts)
        for path in (tmp_path / "golden_types").rglob("*.py")
        if path.name != "__init__.py"
    ]
    code = "import importlib\n" + "".join(
        f"importlib.import_module({name!r})\n" for name in modules
    )
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert set(tmp_path.rglob("*")) == before
