"""What holds for every verb: exit codes, streams, colour, environment, faults."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import opgen as library
from opgen.cli import run
from tests.cli.runner import opgen, process, write_crds
from tests.repo.tree import ROOT


def test_help_lists_every_verb_without_loading_one(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = opgen(capsys, Path(), "--help")
    assert outcome.code == 0
    for verb in ("completion", "create", "explain", "generate", "init", "show"):
        assert f"\n  {verb} " in outcome.out
    code = (
        "import sys\nfrom opgen.cli import run\nrun(['--help'])\n"
        "print([m for m in sys.modules if m.startswith('opgen.cli.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "['opgen.cli.ui']"


def test_help_needs_few_modules_and_little_time(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom opgen.cli import run\nrun(['--help'])\n"
        "print(len(sys.modules), *sorted({n.partition('.')[0] for n in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    count, *names = done.stdout.splitlines()[-1].split()
    heavy = "aiohttp black cookiecutter datamodel_code_generator jinja2 pydantic watchfiles yaml"
    assert not set(heavy.split()) & set(names)
    assert int(count) < 220
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process(tmp_path, "--help").code == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.2


def test_the_version_is_the_librarys(capsys: pytest.CaptureFixture[str]) -> None:
    assert opgen(capsys, Path(), "--version").out == f"opgen {library.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["generat"], "Did you mean 'generate'?"),
        (["nonsense"], "no such command 'nonsense'"),
        (["generate", "--chek"], "--check"),
        (["--format", "xml", "show", "api"], "xml"),
        (["-C", "/does/not/exist", "show", "api"], "is no folder"),
        (["explain", "OPG999"], "OPG004"),
        (["show"], "Missing argument"),
        (["create", "controller"], "Missing argument"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_nothing_on_stdout(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert told in printed.err


def test_another_folder_works_as_if_started_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_crds(tmp_path / "a" / "crds", "Widget")
    outcome = opgen(capsys, tmp_path / "a", "generate", "crds", "-o", "kinds")
    assert outcome.code == 0
    assert (tmp_path / "a" / "kinds" / "__init__.py").exists()


def test_every_option_is_read_from_the_environment(tmp_path: Path) -> None:
    write_crds(tmp_path, "Widget")
    environment = {
        "OPGEN_GENERATE_CHECK": "1",
        "OPGEN_GENERATE_OUTPUT": "kinds",
        "OPGEN_FORMAT": "json",
    }
    outcome = process(tmp_path, "generate", "widgets.yaml", environment=environment)
    assert outcome.code == 1
    assert json.loads(outcome.out)["changes"]
    assert not (tmp_path / "kinds").exists()


def test_a_flag_goes_before_the_environment(tmp_path: Path) -> None:
    outcome = process(tmp_path, "--format", "text", "explain", environment={"OPGEN_FORMAT": "json"})
    assert not outcome.out.startswith("{")


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color=always"], {}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"OPGEN_COLOR": "always"}, True),
    ],
)
def test_colour_is_for_terminals_unless_asked_for(
    arguments: list[str], environment: dict[str, str], coloured: bool, tmp_path: Path
) -> None:
    (tmp_path / "bad.yaml").write_text("a: [", "utf-8")
    outcome = process(
        tmp_path, *arguments, "generate", "bad.yaml", "-o", "kinds", environment=environment
    )
    assert outcome.code == 2
    assert ("\x1b[" in outcome.err) is coloured
    assert "\x1b[" not in outcome.out


def test_errors_are_json_too_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.yaml").write_text("a: 1\na: 2\n", "utf-8")
    outcome = opgen(capsys, tmp_path, "--format", "json", "generate", "bad.yaml", "-o", "kinds")
    assert outcome.code == 2
    data = json.loads(outcome.out)
    assert data["version"] == 1
    (problem,) = data["problems"]
    assert problem.keys() == {"code", "column", "file", "hint", "line", "severity", "text"}
    assert (problem["file"], problem["line"], problem["severity"]) == ("bad.yaml", 2, "error")
    assert problem["code"] in outcome.err


def test_a_problem_is_one_line_with_its_place_and_the_hint_under_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "opgen.toml").write_text('pakage = "a"\n', "utf-8")
    outcome = opgen(capsys, tmp_path, "generate")
    assert outcome.err.splitlines()[1:3] == [
        'opgen.toml:1:1: OPG002: unknown key "pakage"',
        '  hint: did you mean "package"?',
    ]


def test_a_fault_is_one_line_and_a_traceback_only_with_v(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh no")

    monkeypatch.setattr("opgen.project.generate.read_inputs", fail)
    outcome = opgen(capsys, tmp_path, "generate", "x.yaml", "-o", "kinds")
    assert outcome.code == 2
    assert outcome.err.startswith(
        "OPG000: a fault of opgen itself: ZeroDivisionError: oh no\n  hint: "
    )
    assert "Traceback" not in outcome.err
    assert "Traceback" in opgen(capsys, tmp_path, "-v", "generate", "x.yaml", "-o", "kinds").err


def test_a_fault_names_the_input_that_it_was_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh no")

    write_crds(tmp_path, "Widget")
    monkeypatch.setattr("opgen.ir.build.build_kind", fail)
    outcome = opgen(capsys, tmp_path, "generate", "widgets.yaml", "-o", "kinds")
    assert "oh no, while working on widgets.yaml" in outcome.err


def test_without_the_extra_the_command_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise ImportError('hidden')", "utf-8")
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    outcome = process(tmp_path, "generate", environment={"PYTHONPATH": paths})
    assert outcome.code == 2
    assert outcome.err == "error: the command line needs more packages: pip install 'opgen[cli]'\n"


def test_with_a_part_of_the_extra_the_command_says_what_is_missing(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "jinja2.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'jinja2'\", name='jinja2')", "utf-8"
    )
    write_crds(tmp_path, "Widget")
    paths = os.pathsep.join([str(hidden), str(ROOT)])
    outcome = process(
        tmp_path, "generate", "widgets.yaml", "-o", "kinds", environment={"PYTHONPATH": paths}
    )
    assert outcome.code == 2
    assert outcome.err == 'error: "jinja2" is not installed: run `pip install "opgen[cli]"`\n'


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    write_crds(tmp_path, *(f"Widget{chr(ord('a') + i)}" for i in range(12)))
    command = f"{sys.executable} -m opgen --format json show crd . | head -c 100"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout) == 100
    assert done.stderr == ""


def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    ended = subprocess.Popen(
        [sys.executable, "-m", "opgen", "generate", "-", "-o", "kinds"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert ended.stdin is not None
    # more than a pipe holds: when it is all written, the run has begun to read, and waits for the end
    ended.stdin.write("# nothing\n" * 30_000)
    ended.stdin.flush()
    ended.send_signal(signal.SIGINT)
    _, told = ended.communicate()
    assert ended.returncode == 130
    assert told.strip() == "interrupted"


def test_a_folder_that_is_gone_is_one_error(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'rmdir "{gone}"; {sys.executable} -m opgen generate'
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=gone,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "OPG008: the current folder is gone" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_prints_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = opgen(capsys, Path(), "completion", shell)
    assert outcome.code == 0
    assert "_OPGEN_COMPLETE" in outcome.out


def test_the_script_of_bash_completes_verbs(tmp_path: Path) -> None:
    environment = {"_OPGEN_COMPLETE": "bash_complete", "COMP_WORDS": "opgen ge", "COMP_CWORD": "1"}
    assert process(tmp_path, environment=environment).out == "plain,generate\n"


def test_explain_prints_a_page_and_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert opgen(capsys, Path(), "explain", "opg301").out.startswith("# OPG301: ")
    listed = opgen(capsys, Path(), "explain").out
    assert "OPG002: " in listed
    data = json.loads(opgen(capsys, Path(), "--format", "json", "explain").out)
    assert len(data["codes"]) == len(listed.splitlines())
