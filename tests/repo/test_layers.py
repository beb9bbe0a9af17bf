"""Lower layers never import upper ones, and each third party has one door: the contracts of .importlinter hold."""

from __future__ import annotations

import configparser
import subprocess
import sys

from tests.repo.tree import ROOT


def contracts() -> dict[str, configparser.SectionProxy]:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    mark = "importlinter:contract:"
    return {
        name.removeprefix(mark): parser[name] for name in parser.sections() if name.startswith(mark)
    }


def test_the_import_contracts_are_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()",
         "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_contract_is_named_as_the_layers_it_holds() -> None:
    layered = [section for section in contracts().values() if section["type"] == "layers"]
    assert layered
    for section in layered:
        layers = [line.strip().removeprefix("opgen.") for line in section["layers"].split() if line]
        assert section["name"] == " > ".join(layers)


def test_no_import_is_excused() -> None:
    assert not [name for name, section in contracts().items() if "ignore_imports" in section]


def test_every_package_of_the_library_is_under_a_contract() -> None:
    text = (ROOT / ".importlinter").read_text("utf-8")
    packages = {path.parent.name for path in (ROOT / "opgen").glob("*/__init__.py")}
    assert not {name for name in packages if f"opgen.{name}" not in text}
