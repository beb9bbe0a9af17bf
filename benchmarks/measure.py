"""Run commands and say what they cost: CPU of a process and all that it waited for, wall time, peak memory."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import ROOT

__all__ = ["environment", "run", "Spread", "spread", "Usage"]

_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Usage:
    """What one run of a command cost. `peak` is that of its largest process, in MB."""

    ok: bool
    cpu: float
    wall: float
    peak: float
    out: str
    err: str

    @property
    def why(self) -> str:
        """The last line of what it said on standard error."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        return lines[-1].strip() if lines else "no message"


@dataclass(frozen=True)
class Spread:
    """The median of several runs, with the least and the most."""

    median: float
    least: float
    most: float

    def show(self, form: Callable[[float], str]) -> str:
        """Return `median (least-most)` in the form given."""
        return f"{form(self.median)} ({form(self.least)}-{form(self.most)})"


def spread(values: Sequence[float]) -> Spread:
    """Return the spread of at least one value."""
    return Spread(statistics.median(values), min(values), max(values))


def environment(*, first: Path | None = None) -> dict[str, str]:
    """Return the environment of a child: this tree importable, `first` at the head of PATH, no bytecode surprises."""
    child = dict(os.environ)
    child["PYTHONPATH"] = str(ROOT)
    child["PYTHONHASHSEED"] = "0"
    child.pop("VIRTUAL_ENV", None)
    child.pop("PYTHONDONTWRITEBYTECODE", None)
    if first is not None:
        child["PATH"] = f"{first}{os.pathsep}{child.get('PATH', '')}"
    return child


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 900,
) -> Usage:
    """Run a command to its end, or for `timeout` seconds, and return what it cost.

    The peak counts what this process held when it started the child (Linux), so callers keep their own memory small.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        child = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(env) if env is not None else environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        timer = threading.Timer(timeout, os.killpg, (child.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        wall = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Usage(
            ok=child.returncode == 0,
            cpu=usage.ru_utime + usage.ru_stime,
            wall=wall,
            peak=usage.ru_maxrss * _MAXRSS_UNIT / 1e6,
            out=out.read().decode(errors="replace"),
            err=err.read().decode(errors="replace"),
        )
