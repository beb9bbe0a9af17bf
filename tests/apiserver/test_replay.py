"""Every recorded scenario replays exactly through both doors, but for those that docs/fidelity-server.md explains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.apiserver import recordings
from tests.apiserver.doors import http_door, in_process_door
from tests.apiserver.replayer import Replay, differences, without_managed_fields
from tests.shared import needs_shared

pytestmark = [needs_shared, pytest.mark.asyncio]

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "fidelity-server.md"
ALLOWED = 3


def exceptions() -> set[str]:
    """Return the scenarios that the document lists as exceptions."""
    return set(re.findall(r"^\| `([a-z-]+/[a-z0-9-]+)` \|", DOCUMENT.read_text(), re.MULTILINE))


async def replayed(replay: Replay, names: list[str]) -> dict[str, list[str]]:
    """Replay scenarios and return the differences of each that has some."""
    out: dict[str, list[str]] = {}
    for name in names:
        recorded = recordings.scenario(name)
        have = await replay.run(recorded)
        want = [step.get("response") for step in recorded["steps"]]
        if not recorded.get("managed_fields"):
            want, have = without_managed_fields(want), without_managed_fields(have)
        found = [
            f"step {i}{d}"
            for i, (a, b) in enumerate(zip(want, have, strict=True))
            for d in differences(a, b)
        ]
        if found:
            out[name] = found
    return out


def told(found: dict[str, list[str]]) -> str:
    """Return differences as text, a few of each scenario."""
    return "\n".join(f"{name}\n    " + "\n    ".join(lines[:5]) for name, lines in found.items())


async def test_scenarios_replay_in_process() -> None:
    async with in_process_door(recordings.version(), recordings.crds()) as replay:
        found = await replayed(replay, recordings.names())
    assert set(found) <= exceptions(), told(
        {k: v for k, v in found.items() if k not in exceptions()}
    )


async def test_scenarios_replay_over_http() -> None:
    async with http_door(recordings.version(), recordings.crds()) as replay:
        found = await replayed(replay, recordings.names())
    assert set(found) <= exceptions(), told(
        {k: v for k, v in found.items() if k not in exceptions()}
    )


async def test_few_exceptions_are_listed() -> None:
    listed = exceptions()
    assert listed <= set(recordings.names())
    assert len(listed) <= ALLOWED


async def test_replays_repeat() -> None:
    names = [n for n in recordings.names() if n.startswith(("apply/", "watch/"))]
    async with in_process_door(recordings.version(), recordings.crds()) as replay:
        first = await replayed(replay, names)
        second = await replayed(replay, names)
    assert first == second
