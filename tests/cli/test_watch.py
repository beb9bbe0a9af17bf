"""`opgen generate --watch`: again after each change, on after each error."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from tests.cli.runner import crd, write_crds
from tests.repo.tree import ROOT

PATIENCE = 30.0
"""Seconds to wait for a line before the test fails."""


class Watcher:
    """A run that watches, and what it tells."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        """Start it."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "opgen", "generate", "--watch", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line.rstrip("\n"))

    def until(self, part: str) -> list[str]:
        """Return the lines up to the first that holds a text."""
        seen: list[str] = []
        while not seen or part not in seen[-1]:
            seen.append(self._lines.get(timeout=PATIENCE))
        return seen


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watcher]:
    """Give a run that watches an operator project."""
    write_crds(tmp_path / "crds", "Widget")
    (tmp_path / "acme").mkdir()
    text = 'package = "acme"\nkind = "operator"\ncrds = ["crds"]\n'
    (tmp_path / "opgen.toml").write_text(text, "utf-8")
    made = Watcher(tmp_path)
    yield made
    made.process.kill()
    made.process.wait()
    assert made.process.stderr is not None
    made.process.stderr.close()


def test_a_watch_follows_inputs_settings_and_code_and_survives_errors(
    watcher: Watcher, tmp_path: Path
) -> None:
    watcher.until("watching; stop with Ctrl-C")
    module = tmp_path / "acme" / "api" / "example_com" / "v1" / "widget.py"
    assert module.exists()

    write_crds(tmp_path / "crds", "Widget", fields=("color",))
    assert any(
        "update  acme/api/example_com/v1/widget.py" in line for line in watcher.until("watching")
    )

    (tmp_path / "crds" / "widgets.yaml").write_text("a: [\n", "utf-8")
    assert any("crds/widgets.yaml:" in line for line in watcher.until("nothing was written"))

    write_crds(tmp_path / "crds", "Widget", fields=("color", "shape"))
    watcher.until("watching")
    assert "shape" in module.read_text("utf-8")

    # as editors save: a new file takes the place of the old one
    (tmp_path / "new.toml").write_text(
        (tmp_path / "opgen.toml").read_text("utf-8") + "x = 1\n", "utf-8"
    )
    os.replace(tmp_path / "new.toml", tmp_path / "opgen.toml")
    assert any('unknown key "x"' in line for line in watcher.until("nothing was written"))
    text = 'package = "acme"\nkind = "operator"\ncrds = ["crds"]\n'
    (tmp_path / "opgen.toml").write_text(
        text + '[models.rename]\n"WidgetSpec.shape" = "form"\n', "utf-8"
    )
    watcher.until("watching")
    assert "form:" in module.read_text("utf-8")

    (tmp_path / "acme" / "code.py").write_text(
        "from opgen.k8s.apps.v1 import Deployment\n", "utf-8"
    )
    assert any("config/rbac/role.yaml" in line for line in watcher.until("watching"))

    (tmp_path / "crds" / "gadgets.yaml").write_text(crd("Gadget"), "utf-8")
    assert any(
        "create  acme/api/example_com/v1/gadget.py" in line for line in watcher.until("watching")
    )

    watcher.process.send_signal(signal.SIGINT)
    watcher.until("interrupted")
    assert watcher.process.wait(timeout=PATIENCE) == 130
