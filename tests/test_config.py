from __future__ import annotations

from pathlib import Path

import pytest

from opgen.config import Config, find_project, parse_config, read_config
from opgen.errors import OpgenError

GOOD = """\
package = "acme"
kind = "operator"
crds = ["crds", "more/x.yaml"]

[models.rename]
"FooSpec.max" = "most"
"""


def problems(text: str) -> list[str]:
    with pytest.raises(OpgenError) as caught:
        parse_config(text, Path())
    return [str(problem) for problem in caught.value.problems]


def test_every_key_is_read() -> None:
    assert parse_config(GOOD, Path("x")) == Config(
        Path("x"), "acme", "operator", ("crds", "more/x.yaml"), {"FooSpec.max": "most"}
    )


def test_a_types_library_with_a_folder_of_crds_is_the_default() -> None:
    assert parse_config('package = "acme"', Path()) == Config(Path(), "acme", "types", ("crds",))


def test_an_unknown_key_is_named_with_its_place_and_what_was_meant() -> None:
    assert problems('package = "a"\n  pakage = "b"\n') == [
        'opgen.toml:2:3: OPG002: unknown key "pakage"\n  hint: did you mean "package"?'
    ]


def test_an_unknown_key_that_resembles_none_lists_the_known() -> None:
    assert problems('package = "a"\nzzz = 1\n') == [
        'opgen.toml:2:1: OPG002: unknown key "zzz"\n  hint: known keys: crds, kind, models, package'
    ]


def test_a_key_is_found_in_its_own_table() -> None:
    text = '# renam = 1\npackage = "a"\n[models]\n  renam = 1\n'
    assert problems(text)[0].startswith('opgen.toml:4:3: OPG002: unknown key "models.renam"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 'opgen.toml:1:1: OPG002: "package" is missing, expected the name of a Python package'),
        ('package = "a-b"', "opgen.toml:1:1: OPG002: \"package\" is 'a-b', expected the name"),
        ('package = "class"', "opgen.toml:1:1: OPG002: \"package\" is 'class'"),
        ("package = 3", 'opgen.toml:1:1: OPG002: "package" is 3'),
        (
            'package = "a"\nkind = "x"',
            'opgen.toml:2:1: OPG002: "kind" is \'x\', expected "operator"',
        ),
        ('package = "a"\ncrds = "c"', "opgen.toml:2:1: OPG002: \"crds\" is 'c', expected a list"),
        ('package = "a"\ncrds = []', 'opgen.toml:2:1: OPG002: "crds" is []'),
        ('package = "a"\nmodels = 1', 'opgen.toml:2:1: OPG002: "models" is 1, expected a table'),
        ('package = "a"\nmodels = {rename = 1}', 'opgen.toml:2:1: OPG002: "rename" is 1'),
        (
            'package = "a"\n[models.rename]\n"A" = "b"',
            "opgen.toml:3:1: OPG002: \"A\" is 'b', expected a key of the form",
        ),
        (
            'package = "a"\n[models.rename]\n"A.b" = "1b"',
            "opgen.toml:3:1: OPG002: \"A.b\" is '1b', expected a Python name",
        ),
        ('package = "a"\n[models.rename]\n"A.b" = "_c"', "opgen.toml:3:1: OPG002: \"A.b\" is '_c'"),
        (
            'package = "a"\n[models.rename]\nA.b = "c"',
            "opgen.toml:3:1: OPG002: \"A\" is {'b': 'c'}",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_place_and_what_was_expected(
    text: str, expected: str
) -> None:
    (found,) = problems(text)
    assert found.startswith(expected)


def test_all_problems_are_told_at_once() -> None:
    assert len(problems("kind = 1\ncrds = 2\nfoo = 3\nmodels = 4\n")) == 5


@pytest.mark.parametrize(
    ("text", "place"),
    [('a = "\n', "1:6"), ("a = 1\na = 2\n", "2:6"), ("a = [1,\n", "2:1"), ("]", "1:1")],
)
def test_what_is_no_toml_is_named_with_its_place(text: str, place: str) -> None:
    (found,) = problems(text)
    assert found.startswith(f"opgen.toml:{place}: OPG001: not TOML: ")


def test_deep_nesting_is_an_error_and_no_traceback() -> None:
    (found,) = problems("a = " + "[" * 100_000)
    assert "OPG001" in found


def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "opgen.toml").write_bytes(b'package = "\xff"')
    with pytest.raises(OpgenError, match=r"OPG001: .*not UTF-8"):
        read_config(tmp_path)


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "opgen.toml").mkdir()
    with pytest.raises(OpgenError, match="OPG001"):
        read_config(tmp_path)


def test_the_nearest_project_above_is_found(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "opgen.toml").write_text(GOOD, "utf-8")
    (tmp_path / "a" / "b" / "opgen.toml").write_text(GOOD, "utf-8")
    assert find_project(tmp_path / "a" / "b" / "c") == tmp_path / "a" / "b"
    assert find_project(tmp_path / "a") == tmp_path
