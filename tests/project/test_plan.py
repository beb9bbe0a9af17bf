from __future__ import annotations

import os
from pathlib import Path

import pytest

from opgen.errors import Problems
from opgen.project.plan import Plan
from tests.project.files import HEAD, generated, plan_of, scaffold, tree, write


def actions(made: Plan) -> dict[str, str]:
    return {change.path: change.action for change in made.changes}


def codes(made: Plan) -> list[str]:
    with pytest.raises(Problems) as caught:
        made.raise_conflicts()
    return [problem.code for problem in caught.value.problems]


def test_a_new_file_is_created_a_known_one_updated_an_equal_one_left(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py", "1\n"), generated("b.py", "1\n"))
    made = plan_of(tmp_path, generated("a.py", "1\n"), generated("b.py", "2\n"), generated("c.py"))
    assert actions(made) == {"a.py": "unchanged", "b.py": "update", "c.py": "create"}
    assert not made.is_clean


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    plan_of(tmp_path / "new", generated("a.py"))
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_longer_rendered_is_deleted(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py"), generated("b.py"))
    made = plan_of(tmp_path, generated("a.py"))
    assert actions(made) == {"a.py": "unchanged", "b.py": "delete"}
    assert set(made.manifest.files) == {"a.py"}


def test_what_is_no_longer_rendered_stays_where_a_run_looks_at_a_part(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py"), inputs={"w.yaml": "1"})
    made = plan_of(tmp_path, scaffold("b.py"), prune=False)
    assert actions(made) == {"b.py": "create"}
    assert set(made.manifest.files) == {"a.py", "b.py"}
    assert made.manifest.inputs == {"w.yaml": "1"}


def test_a_file_changed_by_hand_is_refused(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py", "1\n"))
    (tmp_path / "a.py").write_text(HEAD + "mine\n", "utf-8")
    made = plan_of(tmp_path, generated("a.py", "2\n"))
    assert actions(made) == {"a.py": "conflict"}
    assert codes(made) == ["OPG301"]


def test_a_file_changed_by_hand_is_refused_even_where_the_run_would_not_touch_it(
    tmp_path: Path,
) -> None:
    write(tmp_path, generated("a.py", "1\n"))
    (tmp_path / "a.py").write_text(HEAD + "mine\n", "utf-8")
    assert codes(plan_of(tmp_path, generated("a.py", "1\n"))) == ["OPG301"]


def test_a_stale_file_changed_by_hand_is_refused_and_stays_known(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py", "1\n"), generated("b.py"))
    (tmp_path / "a.py").write_text("mine\n", "utf-8")
    made = plan_of(tmp_path, generated("b.py"))
    assert actions(made) == {"a.py": "conflict", "b.py": "unchanged"}
    assert codes(made) == ["OPG301"]
    assert "a.py" in made.manifest.files


def test_force_overwrites_and_prunes_what_was_changed_by_hand(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py", "1\n"), generated("b.py", "1\n"))
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("mine\n", "utf-8")
    made = plan_of(tmp_path, generated("a.py", "1\n"), force=True)
    assert actions(made) == {"a.py": "update", "b.py": "delete"}


def test_a_file_that_opgen_did_not_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("mine\n", "utf-8")
    made = plan_of(tmp_path, generated("a.py"))
    assert codes(made) == ["OPG302"]
    assert actions(plan_of(tmp_path, generated("a.py"), force=True)) == {"a.py": "update"}


def test_a_file_with_opgens_first_line_is_known_without_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(HEAD + "old\n", "utf-8")
    assert actions(plan_of(tmp_path, generated("a.py", "new\n"))) == {"a.py": "update"}


def test_an_equal_file_is_taken_over_without_a_manifest(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py"), generated("py.typed"))
    (tmp_path / ".opgen" / "manifest.json").unlink()
    made = plan_of(tmp_path, generated("a.py"), generated("py.typed"))
    assert made.is_clean
    assert set(made.manifest.files) == {"a.py", "py.typed"}


def test_a_scaffold_is_written_once(tmp_path: Path) -> None:
    write(tmp_path, scaffold("a.py", "1\n"))
    (tmp_path / "a.py").write_text("mine\n", "utf-8")
    assert plan_of(tmp_path, scaffold("a.py", "2\n")).is_clean


def test_a_scaffold_that_the_user_deleted_stays_deleted(tmp_path: Path) -> None:
    write(tmp_path, scaffold("a.py"))
    (tmp_path / "a.py").unlink()
    made = plan_of(tmp_path, scaffold("a.py"))
    assert made.is_clean
    assert made.manifest.files == plan_of(tmp_path).manifest.files


def test_a_scaffold_never_replaces_a_file_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("mine\n", "utf-8")
    assert plan_of(tmp_path, scaffold("a.py"), force=True).is_clean


def test_a_scaffold_is_never_pruned(tmp_path: Path) -> None:
    write(tmp_path, scaffold("a.py"), generated("b.py"))
    made = plan_of(tmp_path, generated("b.py"))
    assert made.is_clean
    assert "a.py" in made.manifest.files


def test_a_generated_file_that_the_user_deleted_comes_back(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py"))
    (tmp_path / "a.py").unlink()
    assert actions(plan_of(tmp_path, generated("a.py"))) == {"a.py": "create"}


def test_line_ends_that_a_checkout_changed_are_no_change(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py", "1\n"), generated("b.py", "1\n"))
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes().replace(b"\n", b"\r\n"))
    made = plan_of(tmp_path, generated("a.py", "1\n"), generated("b.py", "2\n"))
    assert actions(made) == {"a.py": "unchanged", "b.py": "update"}


def test_a_folder_where_a_file_goes_is_refused_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "a.py").mkdir()
    assert codes(plan_of(tmp_path, generated("a.py"), force=True)) == ["OPG302"]


def test_a_file_where_a_folder_goes_is_refused_even_with_force(tmp_path: Path) -> None:
    (tmp_path / "pkg").write_text("", "utf-8")
    made = plan_of(tmp_path, generated("pkg/a.py"), force=True)
    assert codes(made) == ["OPG302"]
    assert '"pkg" is a file' in made.changes[0].why


@pytest.mark.parametrize("path", ["../a.py", "/a.py", ".opgen/a.py", "a\\b.py", "x" * 300])
def test_a_path_that_leaves_the_folder_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(Problems) as caught:
        plan_of(tmp_path, generated(path))
    assert [problem.code for problem in caught.value.problems] == ["OPG303"]
    assert str(caught.value.problems[0].location) == "widgets.yaml"


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "pkg").symlink_to(tmp_path / "out")
    with pytest.raises(Problems, match="OPG303"):
        plan_of(tmp_path / "root", generated("pkg/a.py"))


def test_pruning_does_not_follow_a_link_that_leads_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, generated("pkg/a.py"), generated("b.py"))
    os.rename(root / "pkg", tmp_path / "out")
    (root / "pkg").symlink_to(tmp_path / "out")
    with pytest.raises(Problems, match="OPG303"):
        plan_of(root, generated("b.py"))
    assert set(tree(tmp_path / "out")) == {"a.py"}


def test_paths_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="are one file on some systems"):
        plan_of(tmp_path, generated("Foo.py"), generated("foo.py"))


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(Problems) as caught:
        plan_of(tmp_path, generated("../a", source="a.yaml"), generated("../b", source="b.yaml"))
    assert len(caught.value.problems) == 2


def test_a_diff_can_be_applied_by_patch(tmp_path: Path) -> None:
    write(tmp_path, generated("a.py", "1\n"), generated("gone.py", "x\n"))
    made = plan_of(tmp_path, generated("a.py", "2\nno end"), generated("new.py"))
    assert made.diff() == (
        f"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n {HEAD}-1\n+2\n+no end\n"
        "\\ No newline at end of file\n"
        f"--- a/gone.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-{HEAD}-x\n"
        f"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+{HEAD}"
    )
    assert made.changes[0].count() == (2, 1)


def test_a_diff_keeps_form_feeds_and_line_separators_within_lines(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\x0cy\u2028z\n", "utf-8")
    made = plan_of(tmp_path, generated("a.py"), force=True)
    assert "-x\x0cy\u2028z\n" in made.diff()


def test_a_file_that_is_no_text_is_a_conflict_with_a_diff_that_can_be_printed(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_bytes(b"\xff\xfe\x00binary\n")
    made = plan_of(tmp_path, generated("a.py"))
    assert actions(made) == {"a.py": "conflict"}
    made.diff().encode("utf-8")


def test_changes_are_in_the_order_of_their_paths(tmp_path: Path) -> None:
    made = plan_of(tmp_path, generated("b.py"), generated("a/z.py"), generated("a-b/c.py"))
    assert [change.path for change in made.changes] == ["a/z.py", "a-b/c.py", "b.py"]
