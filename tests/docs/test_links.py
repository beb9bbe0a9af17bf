"""Links between documents lead somewhere, and every page of docs/ can be reached from its index."""

from __future__ import annotations

import re
from pathlib import Path

from tests.repo.tree import ROOT, tracked

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

DOCUMENTS = [
    path
    for path in tracked()
    if path.suffix == ".md" and path.parts[0] not in {"examples", "templates"}
]


def anchors(document: Path) -> set[str]:
    """Return the anchors of the headings of a document, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", (ROOT / document).read_text("utf-8"), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.replace(" ", "-"))
    return found


def links(document: Path) -> list[tuple[Path, str]]:
    """Return where a document points within the repository: the file, and the anchor or nothing."""
    prose = re.sub(
        r"^```.*?^```$", "", (ROOT / document).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    out = []
    for target in _LINK.findall(prose):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / document).parent / name if name else ROOT / document
        out.append((path.resolve(), anchor))
    return out


def test_links_lead_somewhere() -> None:
    broken = []
    for document in DOCUMENTS:
        if "golden" in document.parts:
            continue
        for path, anchor in links(document):
            if not path.exists():
                broken.append(f"{document}: {path.name} is not there")
            elif anchor and anchor not in anchors(path.relative_to(ROOT)):
                broken.append(f"{document}: {path.name} has no heading #{anchor}")
    assert not broken


def test_every_page_is_linked_from_the_index() -> None:
    index = Path("docs/index.md")
    linked = {path for path, _ in links(index)}
    pages = {
        (ROOT / path)
        for path in DOCUMENTS
        if path.parts[0] == "docs" and "errors" not in path.parts
    }
    assert not {str(page.relative_to(ROOT)) for page in pages - linked if page != ROOT / index}


def test_the_comparison_in_the_readme_is_what_was_measured() -> None:
    section = (ROOT / "README.md").read_text("utf-8").split("## How it compares")[1].split("## ")[0]
    measured = (ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8")
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    figures = re.findall(r"\d+ of \d+|\d\.\d\d", table)
    assert figures
    assert not [figure for figure in figures if figure not in measured]
