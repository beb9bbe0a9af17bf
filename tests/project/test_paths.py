from __future__ import annotations

from pathlib import Path

import pytest

from opgen.project.paths import find_collisions, why_outside, why_unsafe


@pytest.mark.parametrize(
    "path",
    [
        "../a",
        "a/../../b",
        "/etc/passwd",
        "",
        ".",
        "a\\b",
        ".opgen/manifest.json",
        ".OPGEN/x",
        ".git/hooks/x",
        "a\0b",
    ],
)
def test_a_path_that_leaves_the_output_is_refused(path: str) -> None:
    assert why_outside(path)


@pytest.mark.parametrize("path", ["a", "a/b/c.py", "..a/b", ".gitignore", "a/.opgen/b"])
def test_a_path_below_the_root_is_taken(path: str, tmp_path: Path) -> None:
    assert why_unsafe(path, tmp_path) is None


def test_a_name_longer_than_file_systems_take_is_refused_in_short() -> None:
    reason = why_outside("a" * 256)
    assert reason is not None
    assert "longer than 255 bytes" in reason
    assert len(reason) < 200
    assert why_outside("ä" * 128)
    assert why_outside("a" * 255) is None


def test_a_link_on_the_way_is_refused_and_named(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pkg").symlink_to(tmp_path / "out")
    reason = why_unsafe("pkg/a.py", tmp_path / "root")
    assert reason == '"pkg/a.py" is or lies behind a link, "pkg"'


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").symlink_to(tmp_path / "missing")
    assert why_unsafe("a.py", tmp_path)


def test_a_root_that_is_a_link_itself_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    assert why_unsafe("a.py", tmp_path / "root") is None


def test_paths_that_differ_in_case_or_composition_collide() -> None:
    assert find_collisions(["a/Foo.py", "a/foo.py"]) == [("a/foo.py", "a/Foo.py")]
    assert find_collisions(["\u00e9.py", "e\u0301.py"])
    assert find_collisions(["a/b.py", "a/c.py"]) == []


def test_a_file_where_another_needs_a_folder_collides() -> None:
    assert find_collisions(["a/b", "a/b/c"]) == [("a/b", "a/b/c")]
