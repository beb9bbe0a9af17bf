"""Each error code has one page that explains it, and each page a code that is raised."""

from __future__ import annotations

import re

from tests.repo.tree import ROOT, library_modules

PAGES = ROOT / "docs" / "errors"

# Configuration and command line, reading CRDs, names and code, files of a project, evolution, what runs.
RANGES = "012345"


def codes() -> dict[str, str]:
    """Return each code that the library mentions as a code, with a module that does."""
    found: dict[str, str] = {}
    for path in library_modules():
        for code in re.findall(r"""["' ](OPG\d{3})\b""", (ROOT / path).read_text("utf-8")):
            found.setdefault(code, str(path))
    return found


def pages() -> set[str]:
    return {path.stem for path in PAGES.glob("*.md")}


def test_every_code_has_a_page() -> None:
    assert not {code: path for code, path in sorted(codes().items()) if code not in pages()}


def test_every_page_has_a_code() -> None:
    assert not sorted(pages() - set(codes()))


def test_codes_lie_in_a_known_range() -> None:
    assert {code[3] for code in codes()} <= set(RANGES)


def test_a_page_says_what_it_means_with_an_example_and_what_to_do() -> None:
    wrong = {}
    for code in sorted(pages()):
        first, _, rest = (PAGES / f"{code}.md").read_text("utf-8").partition("\n")
        prose, *fences = rest.split("```")
        if not re.fullmatch(rf"# {code}: \S.*[^.]", first):
            wrong[code] = f"the first line is not `# {code}: short title`"
        elif not prose.strip():
            wrong[code] = "what it means comes before the example"
        elif not fences or len(fences) % 2:
            wrong[code] = "an example stands in a fenced block"
        elif not fences[-1].strip():
            wrong[code] = "what to do comes last"
    assert not wrong
