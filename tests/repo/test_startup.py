"""Importing is cheap: no verb and no generated type loads what it doesn't need."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterable

import pytest

from tests.repo.tree import ROOT

GENERATOR = {"black", "cookiecutter", "datamodel_code_generator", "jinja2", "watchfiles"}
TEST_TOOLS = {"hypothesis", "pytest", "_pytest"}
EVERYTHING = GENERATOR | TEST_TOOLS | {"aiohttp", "prometheus_client", "pydantic", "yaml"}

HELP_CPU_SECONDS = 0.2


def loaded_by(statements: str) -> set[str]:
    """Return the top-level modules that are loaded after `statements` ran in a new interpreter."""
    tail = "print(); print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    code = f"import json, sys\n{statements}\n{tail}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("statements", "unwanted"),
    [
        ("import opgen", EVERYTHING | {"click"}),
        ("from opgen.cli import run; run(['--help'])", EVERYTHING),
        ("from opgen.cli import run; run(['--version'])", EVERYTHING),
        ("from opgen.cli import run; run(['explain'])", EVERYTHING),
        (
            "import opgen.meta",
            GENERATOR | TEST_TOOLS | {"aiohttp", "click", "prometheus_client", "yaml"},
        ),
        (
            "import opgen.client.typed",
            GENERATOR | TEST_TOOLS | {"aiohttp", "click", "prometheus_client", "yaml"},
        ),
        ("import opgen.client", GENERATOR | TEST_TOOLS | {"click", "prometheus_client"}),
        ("import opgen.controller", GENERATOR | TEST_TOOLS | {"click"}),
        (
            "import opgen.apiserver",
            GENERATOR | TEST_TOOLS | {"aiohttp", "click", "prometheus_client"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_needed_is_not_loaded(statements: str, unwanted: Iterable[str]) -> None:
    assert not loaded_by(statements) & set(unwanted)


def test_help_costs_less_than_a_fifth_of_a_second() -> None:
    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "opgen", "--help"], cwd=ROOT, check=True, capture_output=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(once() for _ in range(5)) < HELP_CPU_SECONDS
