from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from opgen.errors import ProjectError
from opgen.project import pool


def double(item: int) -> int:
    return 2 * item


def whoami(_: int) -> int:
    return os.getpid()


def fail(item: int) -> int:
    raise ValueError(f"no {item}")


def die(item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def mapped(work: Callable[[int], Any], items: list[int], **options: Any) -> list[Any]:
    return pool.map_all(
        work, items, weigh=lambda item: item, name=str, warm=lambda: None, **options
    )


@pytest.fixture(params=["here", "fork", "spawn"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let work be done in this process, or in others that are started in one of two ways."""
    way = str(request.param)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(pool, "_WORTH_IT", 1 << 40 if way == "here" else 0)
    if way != "here":
        monkeypatch.setattr(pool, "_context", lambda: pool.multiprocessing.get_context(way))
    return way


def test_results_come_in_the_order_of_the_items(ways: str) -> None:
    assert ways
    assert mapped(double, [3, 9, 1, 7]) == [6, 18, 2, 14]
    assert mapped(double, []) == []


def test_progress_ends_with_everything_done(ways: str) -> None:
    told: list[tuple[int, int]] = []
    mapped(double, [3, 9, 1], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (13, 13)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len(told) == 3, ways


def test_what_work_raises_names_the_item(ways: str) -> None:
    with pytest.raises(ValueError, match="no 5") as caught:
        mapped(fail, [5])
    assert "while working on 5" in caught.value.__notes__, ways


def test_large_work_is_done_elsewhere_and_small_work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    assert set(mapped(whoami, [1, 2])) == {os.getpid()}
    assert os.getpid() not in mapped(whoami, [2_000_000, 2])
    assert set(mapped(whoami, [2_000_000])) == {os.getpid()}


def test_a_process_that_dies_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    with pytest.raises(ProjectError) as caught:
        mapped(die, [2_000_000, 2])
    assert caught.value.problem.code == "OPG309"
