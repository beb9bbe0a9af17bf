"""The commands of the Makefile and of CI are what the documents say they are."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib

import opgen
from tests.repo.tree import ROOT

TARGETS = {"bench", "clean", "demo", "examples", "format", "golden", "help", "lint", "test"}


def test_make_alone_lists_every_target() -> None:
    done = subprocess.run(["make", "-s"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert {line.split()[1] for line in done.stdout.splitlines()} == TARGETS


def test_ci_lints_and_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "make lint test" in script.read_text("utf-8")


def test_the_runtime_needs_four_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[^\w-]", each)[0] for each in project["dependencies"]}
    assert names == {"aiohttp", "prometheus-client", "pydantic", "PyYAML"}


def test_the_changelog_has_a_section_for_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## \[?([^\]\s]+)", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert opgen.__version__ in headings or len(headings) == 1
