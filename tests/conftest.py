"""What every test of this repository gets: a Hypothesis profile, and a mark where it reads the shared corpus."""

from __future__ import annotations

import os
import signal

import hypothesis
import pytest

from tests.shared import SHARED

# No deadline: a busy machine is no bug. In CI the examples are the same each time, so a red run can be repeated.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")

# A shell that starts a command in the background without job control has it ignore SIGINT, and so does nohup. Tests
# that interrupt a program they have started would wait for ever: what we start takes over what we ignore.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    """Say at the top whether the shared corpus was found, since its tests skip without it."""
    return f"shared corpus: {'found' if SHARED else 'not here, its tests are skipped'}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything under tests/corpus, so that `-m 'not corpus'` leaves it out."""
    for item in items:
        if "corpus" in item.path.parts:
            item.add_marker(pytest.mark.corpus)
