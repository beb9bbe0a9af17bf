"""Files, folders and standard input; what can't be read is told, and the rest goes on."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from opgen.crd import sources
from opgen.crd.sources import Text, decoded, read_inputs
from opgen.errors import CrdError, Problem


def read(cwd: Path, *inputs: str, stdin: Any = None) -> tuple[list[Text], list[str]]:
    problems: list[Problem] = []
    return list(read_inputs(inputs, cwd, stdin, problems)), [str(problem) for problem in problems]


def test_a_file_is_named_as_it_was_given_below_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "a.yaml").write_text("a: 1")
    for given in ("crds/a.yaml", "./crds//a.yaml", str(tmp_path / "crds" / "a.yaml")):
        assert read(tmp_path, given) == ([Text("crds/a.yaml", "a: 1")], [])
    assert read(tmp_path / "crds", "../crds/a.yaml")[0][0].name == "../crds/a.yaml"


def test_a_file_far_away_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1")
    far = tmp_path / "x" / "y" / "z"
    far.mkdir(parents=True)
    assert read(far, str(tmp_path / "a.yaml"))[0][0].name == (tmp_path / "a.yaml").as_posix()


def test_a_folder_gives_its_yaml_and_json_sorted(tmp_path: Path) -> None:
    for name in (
        "b.yaml",
        "a.yml",
        "c.JSON",
        "d.txt",
        "z/a.yaml",
        "a/b.yaml",
        "a-b.yaml",
        ".git/x.yaml",
        ".x.yaml",
    ):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    texts, problems = read(tmp_path, "in")
    assert [text.name for text in texts] == [
        "in/a/b.yaml", "in/a-b.yaml", "in/a.yml", "in/b.yaml", "in/c.JSON", "in/z/a.yaml",
    ]  # fmt: skip
    assert not problems


def test_a_folder_that_is_named_yaml_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").mkdir()
    (tmp_path / "x.yaml" / "a.yaml").write_text("a")
    assert [text.name for text in read(tmp_path, ".")[0]] == ["x.yaml/a.yaml"]


def test_links_to_files_are_read_once_and_links_to_folders_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in" / "real").mkdir(parents=True)
    (tmp_path / "in" / "real" / "a.yaml").write_text("a")
    (tmp_path / "in" / "b.yaml").symlink_to("real/a.yaml")
    (tmp_path / "in" / "loop").symlink_to("..")
    (tmp_path / "in" / "dead.yaml").symlink_to("nothing")
    assert [text.name for text in read(tmp_path, "in", "in/real")[0]] == ["in/b.yaml"]


def test_a_file_that_two_inputs_name_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a")
    assert len(read(tmp_path, "a.yaml", ".", "./a.yaml")[0]) == 1


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    out, into = os.pipe()
    with os.fdopen(into, "w") as writer:
        writer.write("a: 1")
    texts, problems = read(tmp_path, f"/dev/fd/{out}")
    os.close(out)
    assert (texts[0].text, problems) == ("a: 1", [])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("nothing.yaml", 'nothing.yaml: OPG100: "nothing.yaml" does not exist'),
        ("*.yaml", '*.yaml: OPG100: "*.yaml" does not exist\n  hint: the shell found nothing that fits the pattern'),
        ("empty", 'empty: OPG100: "empty" holds no file, expected some that end in .yaml, .yml or .json'),
        ("a.yaml/b", 'a.yaml/b: OPG100: "a.yaml/b" does not exist'),
        ("a\x00b", 'a\x00b: OPG100: "a\\x00b" does not exist'),
        ("", 'OPG100: an input is "", expected a file, a folder, a URL or "-"'),
        ("x" * 300, "x" * 300 + ": OPG100: "),
        ("s3://b/x.yaml", 's3://b/x.yaml: OPG100: "s3://b/x.yaml" has the scheme "s3", expected http or https'),
        ("file:///etc/x", 'file:///etc/x: OPG100: "file:///etc/x" has the scheme "file", expected http or https'),
    ],
    ids=["missing", "pattern", "empty folder", "file as folder", "null", "nothing", "long", "s3", "file url"],
)  # fmt: skip
def test_what_cannot_be_read_is_told_and_the_rest_goes_on(
    tmp_path: Path, given: str, expected: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.yaml").write_text("a")
    texts, problems = read(tmp_path, given, "a.yaml")
    assert [text.name for text in texts] == ["a.yaml"]
    assert problems[0].startswith(expected)
    assert len(problems) == 1


def test_a_file_without_permission_does_not_hide_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(name)
    real = sources._read

    def guarded(path: Path, name: str) -> bytes:
        if path.name == "b.yaml":
            raise PermissionError(13, "Permission denied")
        return real(path, name)

    monkeypatch.setattr(sources, "_read", guarded)
    texts, problems = read(tmp_path, ".")
    assert [text.name for text in texts] == ["a.yaml", "c.yaml"]
    assert problems == ['b.yaml: OPG100: "b.yaml" can\'t be read: permission denied']


def test_a_folder_without_permission_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()

    def walk(top: Any, onerror: Any) -> Any:
        onerror(PermissionError(13, "Permission denied", str(tmp_path / "in" / "secret")))
        return iter([(top, [], [])])

    monkeypatch.setattr(sources.os, "walk", walk)
    _, problems = read(tmp_path, "in")
    assert 'in/secret: OPG100: "in/secret" can\'t be read: permission denied' in problems


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 1 << 20)
    (tmp_path / "a.yaml").write_bytes(b"#" * ((1 << 20) + 1))
    (tmp_path / "b.yaml").write_bytes(b"#" * (1 << 20))
    texts, problems = read(tmp_path, "a.yaml", "b.yaml")
    assert problems == ['a.yaml: OPG100: "a.yaml" is too large, expected at most 1 MiB']
    assert [text.name for text in texts] == ["b.yaml"]


def test_a_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"\xff.yaml")
    with open(path, "w") as file:
        file.write("a")
    assert [text.name for text in read(tmp_path, ".")[0]] == ["\\xff.yaml"]


class TestDecoding:
    """Bytes become text, or say where they are none."""

    @pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
    def test_utf8_and_marked_utf16_are_text(self, codec: str) -> None:
        assert decoded("é: 😀".encode(codec), "x").removeprefix("\ufeff") == "é: 😀"

    @pytest.mark.parametrize(
        ("data", "place", "byte"),
        [
            (b"a: \xff", "x:1:4", "FF"),
            ("é: 1\nöö: ".encode() + b"\xe9", "x:2:5", "E9"),
            (b"a: \xed\xa0\x80", "x:1:4", "ED"),
            (b"\xc3", "x:1:1", "C3"),
        ],
    )
    def test_other_bytes_have_their_place(self, data: bytes, place: str, byte: str) -> None:
        with pytest.raises(CrdError) as caught:
            decoded(data, "x")
        assert str(caught.value.problem).startswith(
            f"{place}: OPG101: not YAML: the byte 0x{byte} is not UTF-8"
        )


class TestStandardInput:
    """`-` is standard input."""

    def test_text_is_taken(self, tmp_path: Path) -> None:
        assert read(tmp_path, "-", stdin=io.StringIO("a: 1")) == ([Text("-", "a: 1")], [])

    def test_bytes_are_taken_where_they_are(self, tmp_path: Path) -> None:
        stdin = io.TextIOWrapper(
            io.BytesIO("é".encode()), encoding="ascii", errors="surrogateescape"
        )
        assert read(tmp_path, "-", stdin=stdin) == ([Text("-", "é")], [])

    def test_it_is_read_once(self, tmp_path: Path) -> None:
        assert len(read(tmp_path, "-", "-", stdin=io.StringIO("a"))[0]) == 1

    def test_bad_bytes_have_their_place(self, tmp_path: Path) -> None:
        stdin = io.TextIOWrapper(io.BytesIO(b"a\nb\xff"), encoding="latin-1")
        assert read(tmp_path, "-", stdin=stdin)[1][0].startswith("-:2:2: OPG101: ")

    def test_there_may_be_none(self, tmp_path: Path) -> None:
        assert read(tmp_path, "-") == ([], ["-: OPG100: there is no standard input to read"])

    def test_a_closed_one_is_told(self, tmp_path: Path) -> None:
        stdin = io.StringIO()
        stdin.close()
        assert read(tmp_path, "-", stdin=stdin)[1] == [
            '-: OPG100: "-" can\'t be read: i/O operation on closed file'
        ]

    def test_text_that_was_decoded_strictly_is_told(self, tmp_path: Path) -> None:
        class Strict:
            def read(self) -> str:
                return b"\xff".decode()

        assert read(tmp_path, "-", stdin=Strict())[1] == [
            "-: OPG101: not YAML: standard input is not UTF-8"
        ]
