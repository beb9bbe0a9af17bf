from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from opgen.errors import OpgenError, Problems, ProjectError
from opgen.project import apply as module
from opgen.project.apply import apply, recover
from opgen.project.manifest import read_manifest
from tests.project.files import HEAD, generated, plan_of, scaffold, tree, write
from tests.repo.tree import ROOT

OLD = (generated("pkg/a.py", "1\n"), generated("pkg/b.py", "1\n"), generated("old/c.py"))
NEW = (
    generated("pkg/a.py", "2\n"),
    generated("pkg/sub/d.py"),
    scaffold("mine.py"),
    generated("z.py"),
)


def code_of(run: Callable[[], Any]) -> str:
    with pytest.raises(OpgenError) as caught:
        run()
    return caught.value.problem.code


def test_a_plan_becomes_the_tree(tmp_path: Path) -> None:
    write(tmp_path / "new" / "root", *OLD)
    write(tmp_path / "new" / "root", *NEW)
    assert tree(tmp_path / "new" / "root") == {str(one.path): one.text for one in NEW}


def test_a_run_leaves_nothing_but_the_manifest_and_the_bases(tmp_path: Path) -> None:
    write(tmp_path, *NEW)
    own = {path for path in tree(tmp_path, own=True) if path.startswith(".opgen/")}
    assert own == {".opgen/base/mine.py", ".opgen/manifest.json"}


def test_the_base_of_a_scaffold_stays_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path, scaffold("mine.py", "1\n"))
    (tmp_path / "mine.py").write_text("changed\n", "utf-8")
    write(tmp_path, scaffold("mine.py", "2\n"), generated("a.py"))
    assert (tmp_path / ".opgen" / "base" / "mine.py").read_text("utf-8") == "1\n"
    assert (tmp_path / "mine.py").read_text("utf-8") == "changed\n"


def test_a_clean_plan_touches_nothing(tmp_path: Path) -> None:
    write(tmp_path, *OLD)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    write(tmp_path, *OLD)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_conflicts_are_raised_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "z.py").write_text("mine\n", "utf-8")
    with pytest.raises(Problems, match="OPG302"):
        write(tmp_path, *NEW)
    assert tree(tmp_path, own=True) == {"z.py": "mine\n"}


def test_folders_that_pruning_left_empty_go_with_their_byte_code(tmp_path: Path) -> None:
    write(tmp_path, generated("pkg/sub/a.py"), generated("pkg/b.py"))
    (tmp_path / "pkg" / "sub" / "__pycache__").mkdir()
    (tmp_path / "pkg" / "sub" / "__pycache__" / "a.pyc").write_bytes(b"")
    write(tmp_path, generated("pkg/b.py"))
    assert sorted(path.name for path in (tmp_path / "pkg").iterdir()) == ["b.py"]


def test_a_folder_with_something_of_the_user_stays(tmp_path: Path) -> None:
    write(tmp_path, generated("pkg/sub/a.py"), generated("b.py"))
    (tmp_path / "pkg" / "sub" / "notes.txt").write_text("", "utf-8")
    write(tmp_path, generated("b.py"))
    assert (tmp_path / "pkg" / "sub" / "notes.txt").exists()


def test_permissions_of_a_file_are_kept(tmp_path: Path) -> None:
    write(tmp_path, *OLD)
    (tmp_path / "pkg" / "a.py").chmod(0o600)
    write(tmp_path, *NEW)
    assert (tmp_path / "pkg" / "a.py").stat().st_mode & 0o777 == 0o600


def test_a_hard_link_of_the_user_keeps_the_old_text(tmp_path: Path) -> None:
    write(tmp_path, *OLD)
    os.link(tmp_path / "pkg" / "a.py", tmp_path / "copy.py")
    write(tmp_path, *NEW)
    assert (tmp_path / "copy.py").read_text("utf-8") == HEAD + "1\n"


def test_two_folders_get_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, *OLD)
        write(tmp_path / name, *reversed(NEW))
    assert tree(tmp_path / "one", own=True) == tree(tmp_path / "two", own=True)


# --- the disk refuses ----------------------------------------------------------------------------


def failing(monkeypatch: pytest.MonkeyPatch, name: str, nth: int, code: int) -> None:
    """Let the nth call of a function of `os`, and no other, fail."""
    original = getattr(os, name)
    calls = iter(range(1, 1 << 30))

    def call(*arguments: Any, **options: Any) -> Any:
        if next(calls) == nth:
            raise OSError(code, os.strerror(code), str(arguments[0]))
        return original(*arguments, **options)

    monkeypatch.setattr(module.os, name, call)


def calls_of(name: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often a run from OLD to NEW calls a function of `os`."""
    original, count = getattr(os, name), 0

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        return original(*arguments, **options)

    write(root, *OLD)
    with monkeypatch.context() as patch:
        patch.setattr(module.os, name, call)
        write(root, *NEW)
    return count


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_refusal_at_any_step_leaves_the_old_tree_and_one_error(
    name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for nth in range(1, calls_of(name, tmp_path / "count", monkeypatch) + 1):
        root = tmp_path / str(nth)
        write(root, *OLD)
        before = tree(root, own=True)
        plan = plan_of(root, *NEW)
        with monkeypatch.context() as patch:
            failing(patch, name, nth, code)
            with pytest.raises(ProjectError) as caught:
                apply(plan)
        assert caught.value.problem.code == "OPG305"
        assert os.strerror(code) in caught.value.problem.text
        assert "nothing was changed" in str(caught.value.problem.hint)
        assert tree(root, own=True) == before
        assert not (root / "pkg" / "sub").exists()
        write(root, *NEW)
        assert tree(root) == {str(one.path): one.text for one in NEW}


def test_without_hard_links_a_copy_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(module.os, "link", refuse)
    write(tmp_path, *OLD)
    before = tree(tmp_path, own=True)
    plan = plan_of(tmp_path, *NEW)
    with monkeypatch.context() as patch:
        failing(patch, "replace", 4, errno.ENOSPC)
        assert code_of(lambda: apply(plan)) == "OPG305"
    assert tree(tmp_path, own=True) == before
    write(tmp_path, *NEW)
    assert tree(tmp_path) == {str(one.path): one.text for one in NEW}


def test_an_interrupt_while_files_are_moved_leaves_the_old_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *OLD)
    before = tree(tmp_path, own=True)
    original = shutil.copymode

    def interrupt(*arguments: Any) -> None:
        original(*arguments)
        raise KeyboardInterrupt

    plan = plan_of(tmp_path, *NEW)
    with monkeypatch.context() as patch:
        patch.setattr(module.shutil, "copymode", interrupt)
        with pytest.raises(KeyboardInterrupt):
            apply(plan)
    assert tree(tmp_path, own=True) == before


def test_a_run_that_fails_in_a_new_folder_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "fsync", 2, errno.ENOSPC)
    assert code_of(lambda: write(tmp_path / "a" / "b", *NEW)) == "OPG305"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 256 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_error_and_leaves_the_old_tree(small_disk: Path) -> None:
    root = small_disk / "project"
    write(root, *OLD)
    before = tree(root, own=True)
    large = [generated(f"pkg/m{i}.py", "x" * 30_000) for i in range(20)]
    with pytest.raises(ProjectError) as caught:
        write(root, *large)
    assert str(caught.value) == (
        f"{root}: OPG305: can't write: No space left on device\n  hint: make room and run again; nothing was changed"
    )
    assert tree(root, own=True) == before
    assert not (root / ".opgen" / "stage").exists()
    write(root, *NEW)


def test_a_read_only_disk_is_one_error_and_leaves_the_old_tree(small_disk: Path) -> None:
    root = small_disk / "project"
    write(root, *OLD)
    before = tree(root, own=True)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(ProjectError) as caught:
        write(root, *NEW)
    assert "Read-only file system" in caught.value.problem.text
    assert "nothing was changed" in str(caught.value.problem.hint)
    assert tree(root, own=True) == before


def test_a_folder_that_refuses_one_file_refuses_all(small_disk: Path) -> None:
    root = small_disk.parent / "project"
    write(root, *OLD)
    shutil.rmtree(root / "old")
    (root / "old").mkdir()
    (root / "old" / "c.py").write_text(OLD[2].text, "utf-8")
    subprocess.run(["mount", "--bind", str(root / "old"), str(root / "old")], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", str(root / "old")], check=True)
    try:
        before = tree(root, own=True)
        assert code_of(lambda: write(root, *NEW)) == "OPG305"
        assert tree(root, own=True) == before
    finally:
        subprocess.run(["umount", str(root / "old")], check=True)


def test_a_folder_without_permission_is_one_error(tmp_path: Path) -> None:
    if not os.geteuid():
        pytest.skip("permissions do not hold for root")
    tmp_path.chmod(0o500)
    assert code_of(lambda: write(tmp_path, *NEW)) == "OPG305"
    tmp_path.chmod(0o700)
    assert tree(tmp_path, own=True) == {}


def test_a_folder_that_vanished_is_made_again_or_refused_never_a_traceback(tmp_path: Path) -> None:
    write(tmp_path / "root", *OLD)
    plan = plan_of(tmp_path / "root", *NEW)
    shutil.rmtree(tmp_path / "root")
    assert code_of(lambda: apply(plan)) == "OPG304"
    assert not (tmp_path / "root").exists()


def test_a_root_that_is_a_file_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("", "utf-8")
    plan = plan_of(tmp_path / "root", *NEW)
    assert code_of(lambda: apply(plan)) == "OPG305"
    assert (tmp_path / "root").read_text("utf-8") == ""


# --- links and journals of others ----------------------------------------------------------------


@pytest.mark.parametrize("name", [".opgen", ".opgen/stage", ".opgen/base"])
def test_a_link_in_the_place_of_opgens_own_folder_is_refused(name: str, tmp_path: Path) -> None:
    out, root = tmp_path / "out", tmp_path / "root"
    out.mkdir()
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to(out)
    assert code_of(lambda: write(root, *NEW)) in ("OPG303", "OPG305")
    assert list(out.iterdir()) == []
    assert tree(root) == {}


@pytest.mark.parametrize(
    "journal",
    [
        "",
        "{}",
        "[]",
        '{"direction": "forward", "folders": [], "steps": [["create", "../out"]]}',
        '{"direction": "back", "folders": [], "steps": [["create", "/etc/hostname"]]}',
        '{"direction": "forward", "folders": ["../out"], "steps": []}',
        '{"direction": "forward", "folders": [], "steps": [["delete", ".opgen/base/../../../out"]]}',
    ],
)
def test_a_journal_that_is_damaged_or_leads_out_is_refused(journal: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / ".opgen" / "stage" / "new").mkdir(parents=True)
    (root / ".opgen" / "stage" / "new" / "0").write_text("x", "utf-8")
    (root / ".opgen" / "journal.json").write_text(journal, "utf-8")
    assert code_of(lambda: recover(root)) == "OPG308"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["root"]


# --- two runs ------------------------------------------------------------------------------------


def test_a_run_waits_for_another_and_then_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.0)
    write(tmp_path, *OLD)
    plan = plan_of(tmp_path, *NEW)
    with module._locked(tmp_path):
        assert code_of(lambda: apply(plan)) == "OPG304"
    assert tree(tmp_path) == {str(one.path): one.text for one in OLD}
    apply(plan)


def test_a_plan_of_an_older_state_is_refused(tmp_path: Path) -> None:
    write(tmp_path, *OLD)
    plan = plan_of(tmp_path, *NEW)
    write(tmp_path, generated("pkg/a.py", "3\n"))
    assert code_of(lambda: apply(plan)) == "OPG304"
    assert tree(tmp_path) == {"pkg/a.py": HEAD + "3\n"}


def test_a_file_that_changed_after_the_plan_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path, *OLD)
    plan = plan_of(tmp_path, *NEW)
    (tmp_path / "pkg" / "a.py").write_text("mine\n", "utf-8")
    assert code_of(lambda: apply(plan)) == "OPG304"
    assert (tmp_path / "pkg" / "a.py").read_text("utf-8") == "mine\n"


def test_two_runs_that_want_the_same_both_succeed(tmp_path: Path) -> None:
    write(tmp_path, *OLD)
    first, second = plan_of(tmp_path, *NEW), plan_of(tmp_path, *NEW)
    apply(first)
    apply(second)
    assert tree(tmp_path) == {str(one.path): one.text for one in NEW}


def test_many_runs_at_once_leave_one_whole_tree(tmp_path: Path) -> None:
    runs = [start(tmp_path / "root", str(number), files=60) for number in range(4)]
    codes = [run.wait() for run in runs]
    assert set(codes) <= {0, 3}
    assert 0 in codes
    texts = set(tree(tmp_path / "root").values())
    assert len(texts) == 1
    assert not (tmp_path / "root" / ".opgen" / "stage").exists()


# --- kill -9 -------------------------------------------------------------------------------------

CHILD = """
import sys
from pathlib import Path
from opgen.errors import ProjectError
from tests.project.files import generated, write
root, text, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
try:
    write(root, *(generated(f"p{i % 7}/m{i}.py", text) for i in range(count)))
except ProjectError as error:
    sys.exit(3 if error.problem.code == "OPG304" else str(error))
"""


def start(root: Path, text: str, files: int) -> subprocess.Popen[bytes]:
    """Start a process that writes files with a text."""
    return subprocess.Popen([sys.executable, "-c", CHILD, str(root), text, str(files)], cwd=ROOT)


def content(text: str, files: int) -> dict[str, str]:
    return {f"p{i % 7}/m{i}.py": HEAD + text for i in range(files)}


def has_staged(root: Path, count: int) -> bool:
    try:
        return len(os.listdir(root / ".opgen" / "stage" / "new")) >= count
    except OSError:
        return False


def has_journal(root: Path) -> bool:
    return (root / ".opgen" / "journal.json").exists()


def has_moved(root: Path, count: int) -> bool:
    """Return whether so many files have left the stage after the commitment."""
    try:
        return (
            has_journal(root) and len(os.listdir(root / ".opgen" / "stage" / "new")) <= 400 - count
        )
    except OSError:
        return False


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "at the first staged file": lambda root: has_staged(root, 1),
    "at the 50th staged file": lambda root: has_staged(root, 50),
    "at the 200th staged file": lambda root: has_staged(root, 200),
    "with all files staged": lambda root: has_staged(root, 400),
    "at the commitment": has_journal,
    "after 1 move": lambda root: has_moved(root, 1),
    "after 50 moves": lambda root: has_moved(root, 50),
    "after 200 moves": lambda root: has_moved(root, 200),
    "after 350 moves": lambda root: has_moved(root, 350),
}


def kill_when(run: subprocess.Popen[bytes], moment: Callable[[], bool]) -> bool:
    """Kill a process when something is seen from outside; return whether it was still alive."""
    while run.poll() is None and not moment():
        time.sleep(0.0002)
    alive = run.poll() is None
    run.kill()
    run.wait()
    return alive


def check_after_kill(root: Path, before: dict[str, str], after: dict[str, str]) -> None:
    """Hold what a killed run left: the old tree before its commitment, the new one after the next run."""
    if not has_journal(root):
        assert tree(root) in (before, after)
    committed = has_journal(root) or tree(root) == after
    recover(root)
    assert tree(root) == (after if committed else before)
    assert not (root / ".opgen" / "stage").exists()
    assert not has_journal(root)
    manifest = read_manifest(root)
    assert set(manifest.files) == set(tree(root))


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_killed_run_leaves_the_old_or_the_new_tree(
    moment: Callable[[Path], bool], tmp_path: Path
) -> None:
    write(
        tmp_path,
        *(generated(f"p{i % 7}/m{i}.py", "old") for i in range(399)),
        generated("gone.py", "old"),
    )
    before = tree(tmp_path)
    kill_when(start(tmp_path, "new", 399), lambda: moment(tmp_path))
    check_after_kill(tmp_path, before, content("new", 399))


def test_runs_killed_at_random_never_mix_two_trees(tmp_path: Path) -> None:
    chance = random.Random(20301)
    write(tmp_path, *(generated(f"p{i % 7}/m{i}.py", "0") for i in range(399)))
    before = content("0", 399)
    for number in range(1, 7):
        after = content(str(number), 399)
        run = start(tmp_path, str(number), 399)
        delay = chance.uniform(0.0, 0.08)
        began: list[float] = []

        def moment(delay: float = delay, began: list[float] = began) -> bool:
            if not began and (tmp_path / ".opgen" / "stage").exists():
                began.append(time.monotonic())
            return bool(began) and time.monotonic() - began[0] >= delay

        kill_when(run, moment)
        check_after_kill(tmp_path, before, after)
        before = tree(tmp_path)


def test_a_journal_that_turned_back_is_turned_back_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *OLD)
    before = tree(tmp_path, own=True)
    plan = plan_of(tmp_path, *NEW)
    original = os.replace

    def replace(source: Any, target: Any) -> None:
        taking_back = Path(source).parent.name == "old"
        if Path(target).name == "z.py" or (taking_back and Path(target).name == "a.py"):
            raise OSError(errno.EIO, "Input/output error", str(source))
        original(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "replace", replace)
        with pytest.raises(ProjectError, match="nor take back"):
            apply(plan)
    assert (
        json.loads((tmp_path / ".opgen" / "journal.json").read_text("utf-8"))["direction"] == "back"
    )
    recover(tmp_path)
    assert tree(tmp_path, own=True) == before
