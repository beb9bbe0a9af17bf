"""The way from inputs to a plan: what a second run spares itself, and what makes it look again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from opgen.errors import Problems
from opgen.project import generate as module
from opgen.project.apply import apply
from opgen.project.deploy import Surroundings
from opgen.project.generate import Request, generate
from opgen.project.plan import Plan
from tests.cli.runner import crd, write_crds
from tests.project.files import tree
from tests.repo.tree import ROOT


def request_of(root: Path, **changes: object) -> Request:
    known = {"root": root, "inputs": ("crds",), "package": PurePosixPath("acme")}
    return Request(**{**known, **changes})  # type: ignore[arg-type]


def run(root: Path, **changes: object) -> Plan:
    made = generate(request_of(root, **changes), cwd=root)
    apply(made)
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a folder whose types are generated."""
    write_crds(tmp_path / "crds", "Gadget", "Widget")
    run(tmp_path)
    return tmp_path


def looks_again(root: Path, monkeypatch: pytest.MonkeyPatch, **changes: object) -> bool:
    """Return whether a run parses its inputs."""
    seen = False
    original = module._made

    def made(*arguments: object) -> object:
        nonlocal seen
        seen = True
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_made", made)
    generate(request_of(root, **changes), cwd=root)
    return seen


def test_a_second_run_plans_nothing(root: Path) -> None:
    before = tree(root, own=True)
    assert run(root).is_clean
    assert tree(root, own=True) == before


def test_a_second_run_neither_parses_nor_loads_the_generator(root: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path, PurePosixPath\n"
        "import opgen.crd.yaml\n"
        "def refuse(*_): raise SystemExit('parsed')\n"
        "opgen.crd.yaml.load_documents = refuse\n"
        "from opgen.project.generate import Request, generate\n"
        "root = Path(sys.argv[1])\n"
        "plan = generate(Request(root, ('crds',), PurePosixPath('acme')), cwd=root)\n"
        "assert plan.is_clean and len(plan.changes) == 6\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(root)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"black", "cookiecutter", "datamodel_code_generator", "jinja2", "pydantic"}
    assert not heavy & set(done.stdout.split())


def test_a_run_looks_again_where_anything_has_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not looks_again(root, monkeypatch)
    assert looks_again(root, monkeypatch, rename={"WidgetSpec.size": "how_many"})
    assert looks_again(root, monkeypatch, strict=True)
    assert looks_again(root, monkeypatch, package=PurePosixPath("other"))
    assert looks_again(root, monkeypatch, surroundings=Surroundings("acme"))
    module_file = root / "acme" / "example_com" / "v1" / "widget.py"
    text = module_file.read_text("utf-8")
    module_file.write_text(text + "# mine\n", "utf-8")
    assert looks_again(root, monkeypatch)
    module_file.write_text(text, "utf-8")
    assert not looks_again(root, monkeypatch)
    (root / "acme" / "py.typed").unlink()
    assert looks_again(root, monkeypatch)


def test_a_run_looks_again_after_an_input_has_changed_come_or_gone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "crds" / "widgets.yaml"
    text = path.read_text("utf-8")
    path.write_text(text + "# a remark\n", "utf-8")
    assert looks_again(root, monkeypatch)
    path.write_text(text, "utf-8")
    assert not looks_again(root, monkeypatch)
    (root / "crds" / "more.yaml").write_text(crd("Gizmo"), "utf-8")
    assert looks_again(root, monkeypatch)
    (root / "crds" / "more.yaml").unlink()
    path.unlink()
    assert looks_again(root, monkeypatch)


def test_another_generator_of_the_same_version_looks_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_generator", lambda: "another")
    assert looks_again(root, monkeypatch)
    assert run(root).is_clean
    assert not looks_again(root, monkeypatch)


def test_the_manifest_names_inputs_outputs_and_owners(root: Path) -> None:
    data = json.loads((root / ".opgen" / "manifest.json").read_text("utf-8"))
    assert data["inputs"].keys() == {"crds/gadgets.yaml", "crds/widgets.yaml"}
    assert data["files"].keys() == {path for path in tree(root) if path.startswith("acme/")}
    assert {entry["owner"] for entry in data["files"].values()} == {"generated"}


def test_one_kind_given_twice_is_said_if_equal_and_refused_if_not(root: Path) -> None:
    (root / "crds" / "copy.yaml").write_text(crd("Widget"), "utf-8")
    assert [problem.code for problem in run(root).problems] == ["OPG133"]
    (root / "crds" / "copy.yaml").write_text(crd("Widget", "color"), "utf-8")
    with pytest.raises(Problems, match="OPG112"):
        run(root)


def test_errors_of_all_inputs_come_at_once_and_write_nothing(root: Path) -> None:
    before = tree(root / "acme")
    for name in ("x", "y"):
        (root / "crds" / f"{name}.yaml").write_text("a: [\n", "utf-8")
    with pytest.raises(Problems) as caught:
        run(root)
    assert {str(one.location).split(":")[0] for one in caught.value.problems} == {
        "crds/x.yaml",
        "crds/y.yaml",
    }
    assert tree(root / "acme") == before


def test_an_operator_gets_crds_roles_contracts_and_samples(tmp_path: Path) -> None:
    write_crds(tmp_path / "crds", "Widget")
    made = run(tmp_path, package=PurePosixPath("acme", "api"), surroundings=Surroundings("acme"))
    owners = {change.path: change.owner for change in made.changes}
    assert {path: owner for path, owner in owners.items() if not path.startswith("acme/")} == {
        "config/crds/kustomization.yaml": "generated",
        "config/crds/widgets.example.com.yaml": "generated",
        "config/rbac/kind_roles.yaml": "generated",
        "config/rbac/kustomization.yaml": "generated",
        "config/rbac/role.yaml": "generated",
        "config/samples/widget.yaml": "scaffold",
        "tests/api/test_widget_contract.py": "generated",
    }


def test_the_code_of_an_operator_is_an_input_of_its_role(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_crds(tmp_path / "crds", "Widget")
    changes = {"package": PurePosixPath("acme", "api"), "surroundings": Surroundings("acme")}
    run(tmp_path, **changes)
    assert not looks_again(tmp_path, monkeypatch, **changes)
    (tmp_path / "acme" / "code.py").write_text("x = 1\n", "utf-8")
    assert not looks_again(tmp_path, monkeypatch, **changes)
    (tmp_path / "acme" / "code.py").write_text(
        "from opgen.k8s.apps.v1 import Deployment\n", "utf-8"
    )
    assert looks_again(tmp_path, monkeypatch, **changes)
    assert "deployments" in run(tmp_path, **changes).diff()
