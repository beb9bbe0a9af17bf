"""Runs the fenced blocks of a document in order, as a reader would, in a folder of its own.

    ```yaml title=crds/backup.yaml     the block is written to that file (any language)
    ```sh                              runs in bash; `cd` lasts to the next block
    ```python                          runs in one interpreter for the whole document
    ```text output                     must be what the block before it printed; durations may differ
    ```text                            is only shown

A `sh` block of `make` targets speaks of a checkout: it is held against the Makefile instead of being run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.repo.tree import ROOT

__all__ = ["Block", "Session", "blocks_of", "run_document"]

_FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DURATION = re.compile(r"\b\d+(\.\d+)? ?(ms|s)\b")

_INTERPRETER = """
import contextlib, io, json, sys, traceback
sys.path.insert(0, "")
names = {"__name__": "__main__"}
for line in sys.stdin:
    block, printed, error = json.loads(line), io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile("\\n" * block["line"] + block["text"], block["file"], "exec"), names)
        except BaseException:
            error = traceback.format_exc()
    print(json.dumps({"printed": printed.getvalue(), "error": error}), flush=True)
"""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, what follows it on the fence, its text, and the line it starts on."""

    language: str
    info: str
    text: str
    file: str
    line: int

    @property
    def title(self) -> str | None:
        """The file that the block is written to."""
        found = re.search(r"title=(\S+)", self.info)
        return found[1] if found else None

    @property
    def where(self) -> str:
        """The place of the block, for messages."""
        return f"{self.file}:{self.line}"


def blocks_of(document: Path) -> Iterator[Block]:
    """Yield the blocks of a document, relative to the root of the repository, in order."""
    text = (ROOT / document).read_text("utf-8")
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(found[1], found[2].strip(), found[3], str(document), line)


class Session:
    """A folder, a shell that remembers where it is, and an interpreter."""

    def __init__(self, folder: Path) -> None:
        """Start in `folder`."""
        self.folder = self.cwd = folder
        commands = str(Path(sys.executable).parent)
        self._environment = {
            **{
                k: v
                for k, v in os.environ.items()
                if not k.startswith(("OPGEN_", "PYTEST_", "PYTHON"))
            },
            "PATH": os.pathsep.join([commands, os.environ["PATH"]]),
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "NO_COLOR": "1",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "user.name",
            "GIT_CONFIG_VALUE_0": "reader",
            "GIT_CONFIG_KEY_1": "user.email",
            "GIT_CONFIG_VALUE_1": "reader@example.com",
        }
        self._python: subprocess.Popen[str] | None = None

    def __enter__(self) -> Session:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the interpreter."""
        if self._python is not None:
            self._python.communicate()

    def write(self, block: Block) -> str:
        """Write a block to its file."""
        target = self.cwd / str(block.title)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, "utf-8")
        return ""

    def shell(self, block: Block) -> str:
        """Run a block in bash and return what it printed on either stream."""
        remember = self.folder / ".cwd"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"trap 'pwd > \"{remember}\"' EXIT\n{block.text}"],
            cwd=self.cwd,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{block.where}: exit {done.returncode}\n{done.stdout}"
        self.cwd = Path(remember.read_text("utf-8").strip())
        return done.stdout

    def python(self, block: Block) -> str:
        """Run a block in the interpreter, which starts where the shell is, and return what it printed."""
        if self._python is None:
            self._python = subprocess.Popen(
                [sys.executable, "-W", "error", "-c", _INTERPRETER],
                cwd=self.cwd,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        order = {"text": block.text, "file": block.file, "line": block.line}
        self._python.stdin.write(json.dumps(order) + "\n")
        self._python.stdin.flush()
        answer = json.loads(self._python.stdout.readline())
        assert answer["error"] is None, f"{block.where}\n{answer['error']}"
        return str(answer["printed"])


def _targets_exist(block: Block) -> str:
    for line in block.text.splitlines():
        subprocess.run(
            ["make", "-n", *line.split("#")[0].split()[1:]],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
    return ""


def run_document(document: Path, folder: Path) -> int:
    """Run every block of a document and return how many there were. Raises AssertionError at the first that fails."""
    printed, count = "", 0
    with Session(folder) as session:
        for block in blocks_of(document):
            count += 1
            if block.title:
                printed = session.write(block)
            elif block.language == "sh":
                of_checkout = all(line.startswith("make ") for line in block.text.splitlines())
                printed = _targets_exist(block) if of_checkout else session.shell(block)
            elif block.language == "python":
                printed = session.python(block)
            elif block.info == "output":
                wanted, got = (_DURATION.sub("…", text).rstrip() for text in (block.text, printed))
                assert got == wanted, (
                    f"{block.where}: printed\n{got}\nand the document says\n{wanted}"
                )
            else:
                assert block.language in {"text", "toml", "yaml"}, (
                    f"{block.where}: {block.language} is not run"
                )
    return count
