"""A wheel made from a clean checkout, by way of the source distribution, works where only Python is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import opgen
from tests.repo.tree import ROOT, tracked

# One worker builds and installs for all of these.
pytestmark = pytest.mark.xdist_group("wheel")


def run(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with nothing of this checkout on its path, and hold its exit code."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def environment(folder: Path, requirement: str) -> Path:
    """Make a virtual environment with one requirement in it; return its folder of commands."""
    venv.create(folder, with_pip=True)
    commands = folder / "bin"
    run(commands / "python", "-m", "pip", "install", "--quiet", requirement, cwd=folder)
    return commands


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution of the tracked files, and the wheel from that."""
    source, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("dist")
    for path in tracked():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, source / path)
    run(sys.executable, "-m", "build", "--outdir", out, source, cwd=out)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel without extras."""
    return environment(tmp_path_factory.mktemp("plain"), str(wheel))


@pytest.fixture(scope="module")
def with_cli(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel with its command line."""
    return environment(tmp_path_factory.mktemp("cli"), f"opgen[cli] @ {wheel.as_uri()}")


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in names} == {
        "opgen",
        f"opgen-{opgen.__version__}.dist-info",
    }
    assert "opgen/py.typed" in names
    data = {
        path
        for path in tracked()
        if path.parts[0] == "templates" or path.parts[:2] == ("docs", "errors")
    }
    assert not {f"opgen/_data/{path}" for path in [*data, Path("cookiecutter.json")]} - names


def test_without_the_extra_the_command_says_what_to_install(plain: Path, tmp_path: Path) -> None:
    done = run(plain / "opgen", "--help", cwd=tmp_path, code=2)
    assert done.stderr == "error: the command line needs more packages: pip install 'opgen[cli]'\n"


def test_without_the_extra_everything_that_an_operator_imports_is_there(
    plain: Path, tmp_path: Path
) -> None:
    imports = "import opgen.meta, opgen.client, opgen.controller, opgen.k8s, opgen.apiserver"
    run(plain / "python", "-W", "error", "-c", imports, cwd=tmp_path)


def test_the_installed_command_knows_its_version(with_cli: Path, tmp_path: Path) -> None:
    assert (
        run(with_cli / "opgen", "--version", cwd=tmp_path).stdout == f"opgen {opgen.__version__}\n"
    )


def test_the_installed_command_finds_its_error_pages(with_cli: Path, tmp_path: Path) -> None:
    listed = run(with_cli / "opgen", "explain", cwd=tmp_path).stdout.splitlines()
    assert len(listed) == len(list((ROOT / "docs" / "errors").glob("*.md")))


def test_the_installed_command_finds_its_templates(with_cli: Path, tmp_path: Path) -> None:
    run(with_cli / "opgen", "init", "my-operator", "--defaults", cwd=tmp_path)
    files = {path.name for path in (tmp_path / "my-operator").rglob("*")}
    assert {"opgen.toml", "my_operator", "Dockerfile", ".gitignore", "controllers"} <= files


def test_the_installed_command_generates(with_cli: Path, tmp_path: Path) -> None:
    crd = ROOT / "examples" / "01-memcached" / "crds"
    run(with_cli / "opgen", "generate", crd, "-o", "kinds", cwd=tmp_path)
    run(with_cli / "python", "-W", "error", "-c", "import kinds.cache_example_com", cwd=tmp_path)
