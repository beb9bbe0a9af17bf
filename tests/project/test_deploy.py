from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from opgen.crd import load
from opgen.crd.yaml import load_documents
from opgen.ir.build import build
from opgen.ir.types import Kind
from opgen.project.deploy import Surroundings, module_names
from tests.cli.runner import crd


def kinds_of(*texts: str, folder: Path) -> tuple[list[Kind], dict[str, str]]:
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text, "utf-8")
    loaded = load([str(path) for path in sorted(folder.glob("*.yaml"))], cwd=folder)
    api = build(loaded.crds)
    raw = {f"{one.plural}.{one.group}": json.dumps(one.raw) for one in loaded.crds}
    return [kind for gv in api.group_versions for kind in gv.kinds], raw


def rendered(folder: Path, *texts: str) -> dict[str, Any]:
    kinds, raw = kinds_of(*texts, folder=folder)
    files = Surroundings("my_op").render(kinds, raw, folder)
    return {str(one.path): one.text for one in files}


def test_a_crd_is_applied_as_it_was_written_without_what_a_cluster_added(tmp_path: Path) -> None:
    text = crd().replace(
        "metadata:\n  name: widgets.example.com\n",
        "metadata:\n  name: widgets.example.com\n  uid: abc\n  resourceVersion: '7'\n  labels: {a: b}\n"
        "  annotations: {kubectl.kubernetes.io/last-applied-configuration: x, keep: 'yes'}\n",
    )
    made = rendered(tmp_path, text + "status: {conditions: []}\n")[
        "config/crds/widgets.example.com.yaml"
    ]
    (document,) = load_documents(made, "x")
    assert document.value["metadata"] == {
        "annotations": {"keep": "yes"},
        "labels": {"a": "b"},
        "name": "widgets.example.com",
    }
    (original,) = load_documents(text, "x")
    assert document.value["spec"].items() >= original.value["spec"].items()
    assert list(document.value) == ["apiVersion", "kind", "metadata", "spec"]


def test_roles_are_named_after_the_operator_since_a_cluster_has_many(tmp_path: Path) -> None:
    made = rendered(tmp_path, crd())
    assert "name: my-op-manager\n" in made["config/rbac/role.yaml"]
    edit, view = load_documents(made["config/rbac/kind_roles.yaml"], "x")
    assert edit.value["metadata"]["name"] == "my-op-edit"
    assert edit.value["metadata"]["labels"] == {
        "rbac.authorization.k8s.io/aggregate-to-edit": "true"
    }
    assert view.value["rules"] == [
        {"apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["get", "list", "watch"]}
    ]


def test_kinds_of_one_name_get_the_group_in_front(tmp_path: Path) -> None:
    kinds, _ = kinds_of(
        crd(), crd().replace("example.com", "other.example"), crd("Gadget"), folder=tmp_path
    )
    assert module_names(kinds) == {
        ("example.com", "Gadget"): "gadget",
        ("example.com", "Widget"): "example_com_widget",
        ("other.example", "Widget"): "other_example_widget",
    }


def test_the_order_of_inputs_does_not_matter(tmp_path: Path) -> None:
    for name, texts in (("a", (crd(), crd("Gadget"))), ("b", (crd("Gadget"), crd()))):
        (tmp_path / name).mkdir()
        kinds, raw = kinds_of(*texts, folder=tmp_path / name)
        made = [
            (one.path, one.text.split("\n", 1)[1])
            for one in Surroundings("x").render(kinds, raw, tmp_path)
        ]
        (tmp_path / f"{name}.txt").write_text(repr(made), "utf-8")
    assert (tmp_path / "a.txt").read_text("utf-8") == (tmp_path / "b.txt").read_text("utf-8")


def test_kustomize_builds_what_stands_there(tmp_path: Path) -> None:
    if not shutil.which("kubectl"):
        pytest.skip("kubectl is not on PATH")
    for path, text in rendered(tmp_path, crd()).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    for folder, count in (("config/crds", 1), ("config/rbac", 3)):
        done = subprocess.run(
            ["kubectl", "kustomize", str(tmp_path / folder)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.count("\nkind: ") + done.stdout.startswith("kind: ") == count
