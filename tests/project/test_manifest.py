from __future__ import annotations

import json
from pathlib import Path

import pytest

from opgen.errors import ProjectError
from opgen.project.manifest import Entry, Manifest, digest, read_manifest

SAMPLE = Manifest(
    "1.2.0",
    "abc",
    {"z.yaml": "1", "a.yaml": "2"},
    {"pkg/b.py": Entry("3", "generated"), "a.txt": Entry("4", "scaffold")},
)


def put(root: Path, text: str) -> None:
    (root / ".opgen").mkdir(exist_ok=True)
    (root / ".opgen" / "manifest.json").write_text(text, "utf-8")


def refused(root: Path, text: str) -> ProjectError:
    put(root, text)
    with pytest.raises(ProjectError) as caught:
        read_manifest(root)
    assert caught.value.problem.code == "OPG306"
    assert str(caught.value.problem.location) == ".opgen/manifest.json"
    return caught.value


def test_a_folder_without_a_manifest_has_an_empty_one(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) == Manifest()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    put(tmp_path, SAMPLE.text())
    assert read_manifest(tmp_path) == SAMPLE


def test_line_ends_of_a_checkout_do_not_matter(tmp_path: Path) -> None:
    put(tmp_path, SAMPLE.text().replace("\n", "\r\n"))
    assert read_manifest(tmp_path) == SAMPLE


def test_the_text_is_sorted_whatever_the_order_of_the_run() -> None:
    turned = Manifest(
        SAMPLE.version,
        SAMPLE.settings,
        dict(reversed(SAMPLE.inputs.items())),
        dict(reversed(SAMPLE.files.items())),
    )
    assert turned.text() == SAMPLE.text()
    assert SAMPLE.text().endswith("}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": 1}',
        '{"format": 1, "files": 3}',
        "\ud83d".encode("utf-8", "replace").decode(),
    ],
)
def test_a_damaged_manifest_is_named_with_a_way_out(text: str, tmp_path: Path) -> None:
    assert "version control" in str(refused(tmp_path, text).problem.hint)


def test_a_manifest_of_a_later_opgen_asks_for_that(tmp_path: Path) -> None:
    data = {**json.loads(SAMPLE.text()), "format": 99}
    error = refused(tmp_path, json.dumps(data))
    assert "has format 99" in error.problem.text
    assert "later" in str(error.problem.hint)


def test_a_manifest_that_names_files_elsewhere_is_refused(tmp_path: Path) -> None:
    data = json.loads(SAMPLE.text())
    data["files"]["../../etc/passwd"] = {"owner": "generated", "sha256": "0"}
    assert "would leave" in refused(tmp_path, json.dumps(data)).problem.text


def test_bytes_that_are_no_text_are_a_damaged_manifest(tmp_path: Path) -> None:
    put(tmp_path, "")
    (tmp_path / ".opgen" / "manifest.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProjectError, match="OPG306"):
        read_manifest(tmp_path)


def test_a_digest_is_the_same_of_text_and_its_bytes() -> None:
    assert digest("ä\n") == digest("ä\n".encode())
