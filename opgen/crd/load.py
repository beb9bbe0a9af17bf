"""Inputs to CRDs: every document looked at, every problem of a run collected.

A document that is neither a CRD, a list of them, nor an OpenAPI document is skipped with a note. What the API server
would refuse as a name (groups, kinds, versions become folders and modules) is an error, whatever else the run holds.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TextIO

from opgen.crd.model import Crd, Loaded, OpenApiDocument
from opgen.crd.model import Path as Trail
from opgen.crd.names import shown
from opgen.crd.openapi import read_openapi
from opgen.crd.positions import Positions
from opgen.crd.read import API_VERSIONS, read_crd
from opgen.crd.sources import Text, read_inputs
from opgen.crd.specrules import check_spec
from opgen.crd.structural import check
from opgen.crd.yaml import Document, read_documents
from opgen.errors import Location, Problem, Problems

__all__ = ["from_objects", "load", "load_texts", "nothing", "same_kind"]

_APPLY_LIMIT = 262_144
"""Bytes that all annotations of an object may have, of which client-side apply makes one of the whole object."""

_STORE_LIMIT = 1_048_576
"""Bytes at which a CRD comes near to what etcd takes in one request (1.5 MiB by default)."""

# A template's action at the start of a line or as a value: no YAML that says anything starts like that.
_HELM = re.compile(r"^[ \t]*(?:- )?\{\{|[:-][ \t]+\{\{", re.MULTILINE)

_Find = Callable[[Trail], Location]


def load(
    inputs: Sequence[str],
    *,
    strict: bool = False,
    stdin: TextIO | None = None,
    cwd: Path | None = None,
) -> Loaded:
    """Return all CRDs and OpenAPI documents of `inputs` (files, folders, `-`, http(s) URLs).

    `strict` turns all warnings into errors, those about schemas that are not structural among them.
    Raises Problems with every error of the run: what can't be read (OPG100), is no YAML (OPG101 to OPG106), is no CRD
    that an API server would take (OPG110 to OPG112), is no OpenAPI document of a group version (OPG114), or that there
    is nothing to generate (OPG113).
    """
    problems: list[Problem] = []
    stdin = stdin if stdin is not None else sys.stdin
    reader = _Reader(problems)
    for text in read_inputs(inputs, cwd or Path.cwd(), stdin, problems):
        reader.read(text)
    if (
        not reader.crds
        and not reader.documents
        and not any(one.severity == "error" for one in problems)
    ):
        problems.append(nothing(inputs, problems))
    return reader.finished(strict)


def load_texts(texts: Iterable[Text], *, strict: bool = False) -> Loaded:
    """Return what texts hold that have been read already, which may be nothing; else as `load`."""
    reader = _Reader([])
    for text in texts:
        reader.read(text)
    return reader.finished(strict)


def from_objects(
    objects: Iterable[Mapping[str, Any]], source: str, *, strict: bool = False
) -> Loaded:
    """Return CRDs that were fetched already, as `load` does; `source` is what to call where they came from."""
    reader = _Reader([])
    for value in objects:
        reader.take(value, source, 0, partial(_nowhere, source))
    reader.note_skipped()
    return reader.finished(strict)


def nothing(inputs: Sequence[str], problems: Iterable[Problem] = ()) -> Problem:
    """Return the problem of a run that found nothing to generate; `problems` are the notes of what it found instead."""
    named = ", ".join(f'"{shown(one)}"' for one in inputs) or "no input"
    skipped = [problem.text for problem in problems if problem.code == "OPG130"]
    more = f" and {len(skipped) - 3} more" if len(skipped) > 3 else ""
    return Problem(
        "OPG113",
        f"no CustomResourceDefinition in {named}"
        + (f" ({'; '.join(skipped[:3])}{more})" if skipped else ""),
        hint="give the files that hold them, or `-` to read standard input",
    )


def same_kind(kind: str, group: str, here: Location, there: Location, equal: bool) -> Problem:
    """Return what there is to say of a kind that is defined twice."""
    if equal:
        return Problem(
            "OPG133",
            f'"{kind}" of "{group}" is the same as at {there}, skipped',
            here,
            severity="note",
        )
    return Problem(
        "OPG112",
        f'"{kind}" of "{group}" is defined twice, and differently at {there}',
        here,
        "give one of them",
    )


class _Reader:
    """Takes text after text, and holds what was found."""

    def __init__(self, problems: list[Problem]) -> None:
        self.documents: list[OpenApiDocument] = []
        self._problems = problems
        self._by_kind: dict[tuple[str, str], Crd] = {}
        self._by_name: dict[str, Crd] = {}
        self._skipped: dict[tuple[str, str, str | None], list[Location]] = {}

    @property
    def crds(self) -> list[Crd]:
        return list(self._by_kind.values())

    def read(self, text: Text) -> None:
        """Take all documents of a text."""
        documents, faults = read_documents(text.text, text.name)
        self._problems += _helm(text, faults) or faults
        for document in documents:
            self._document(document, text)
        self.note_skipped()

    def _document(self, document: Document, text: Text) -> None:
        value = document.value
        if value is None:
            return
        found = read_openapi(value, text.name, document.line, self._problems)
        if isinstance(found, OpenApiDocument):
            self.documents.append(found)
        elif not found:
            # Only a text of some size can hold a CRD beyond the limits, which are worth counting for.
            size = len(text.text) if text.text.isascii() else len(text.text.encode())
            big = 2 * size > _APPLY_LIMIT
            self.take(value, text.name, document.line, partial(_find, text, document.index), big)

    def take(self, value: Any, source: str, line: int, find: _Find, big: bool = False) -> None:
        """Take the CRDs of a document."""
        for raw, prefix in self._crds_in(value, source, line):
            here = partial(_below, find, prefix) if prefix else find
            crd = read_crd(raw, source, here, self._problems)
            if crd is not None and self._is_new(crd):
                self._by_kind[crd.group, crd.kind] = crd
                self._by_name[crd.name] = crd
                if big:
                    self._problems += _size(crd, Location(source, line))

    def _crds_in(
        self, value: Any, source: str, line: int, path: Trail = ()
    ) -> Iterator[tuple[Mapping[str, Any], Trail]]:
        """Yield the CRDs of a document with their paths, looking into lists; note what else there is."""
        if isinstance(value, list) and not path:
            for i, item in enumerate(value):
                yield from self._crds_in(item, source, line, (i,))
            return
        where = Location(source, line)
        if not isinstance(value, Mapping):
            self._skip("what is no Kubernetes object", where)
            return
        kind, api_version = value.get("kind"), value.get("apiVersion")
        if kind == "CustomResourceDefinition" and api_version in API_VERSIONS:
            yield value, path
        elif kind in ("List", "CustomResourceDefinitionList") and isinstance(
            value.get("items"), list | None
        ):
            for i, item in enumerate(value.get("items") or ()):
                if kind != "List" and isinstance(item, Mapping) and "kind" not in item:
                    item = {"apiVersion": api_version, "kind": "CustomResourceDefinition", **item}
                yield from self._crds_in(item, source, line, (*path, "items", i))
        elif isinstance(kind, str) and kind:
            wrong = kind == "CustomResourceDefinition"
            hint = f'expected apiVersion "{API_VERSIONS[0]}"' if wrong else None
            named = (
                f"{shown(kind)} of {shown(api_version)}"
                if isinstance(api_version, str)
                else shown(kind)
            )
            self._skip(named, where, hint)
        else:
            self._skip("what has no kind", where)

    def _skip(self, what: str, where: Location, hint: str | None = None) -> None:
        self._skipped.setdefault((where.file, what, hint), []).append(where)

    def note_skipped(self) -> None:
        """Say once per text what was no CRD, however often."""
        for (_, what, hint), places in self._skipped.items():
            times = f" ({len(places)} times)" if len(places) > 1 else ""
            self._problems.append(
                Problem("OPG130", f"skipped {what}{times}", places[0], hint, severity="note")
            )
        self._skipped.clear()

    def _is_new(self, crd: Crd) -> bool:
        twin = self._by_kind.get((crd.group, crd.kind))
        other = self._by_name.get(crd.name)
        path = ("spec", "names", "kind")
        if twin is not None:
            equal = twin.definition == crd.definition
            self._problems.append(
                same_kind(crd.kind, crd.group, crd.locate(path), twin.locate(path), equal)
            )
        elif other is not None:
            text = f'"{crd.name}" is the name of "{crd.kind}" and of "{other.kind}" at {other.locate(path)}'
            self._problems.append(Problem("OPG112", text, crd.locate(path), "give one of them"))
        return twin is None and other is None

    def finished(self, strict: bool) -> Loaded:
        """Return what was found, with the warnings about it. Raises Problems if there was an error."""
        for crd in self.crds:
            self._problems += check_spec(crd)
            self._problems += check(crd)
        wanted = ("error", "warning") if strict else ("error",)
        errors = [problem for problem in self._problems if problem.severity in wanted]
        if errors:
            raise Problems(replace(problem, severity="error") for problem in errors)
        found = tuple(sorted(self._problems, key=lambda problem: problem.sort_key))
        return Loaded(tuple(self.crds), tuple(self.documents), found)


def _helm(text: Text, faults: list[Problem]) -> list[Problem]:
    """Return what to say instead of `faults` if one of them stands at an action of a Helm template."""
    if not faults or not _HELM.search(text.text):
        return []
    lines = text.text.split("\n")
    for fault in faults:
        line = fault.location.line if fault.location else 0
        if any("{{" in one for one in lines[max(line - 2, 0) : line + 1]):
            hint = "render it first: helm template CHART | opgen generate -"
            return [
                Problem("OPG106", "this is a template of Helm, expected YAML", fault.location, hint)
            ]
    return []


def _size(crd: Crd, where: Location) -> list[Problem]:
    size = len(json.dumps(crd.raw, separators=(",", ":"), ensure_ascii=False).encode())
    text = f'"{crd.kind}" has {size:,} bytes as JSON'
    if size > _STORE_LIMIT:
        text += ", near the 1.5 MiB that etcd takes"
        hint = "leave descriptions out of the CRD"
        return [Problem("OPG132", text, where, hint, severity="warning")]
    if size > _APPLY_LIMIT:
        text += f", too many for client-side apply ({_APPLY_LIMIT:,})"
        hint = "use kubectl apply --server-side"
        return [Problem("OPG132", text, where, hint, severity="note")]
    return []


@lru_cache(maxsize=2)
def _positions(text: str, source: str) -> Positions:
    """Return the places of a text; those of the last are kept, since one fault seldom comes alone."""
    return Positions(text, source)


def _find(text: Text, index: int, path: Trail) -> Location:
    return _positions(text.text, text.name).lookup(path, index)


def _nowhere(source: str, path: Trail) -> Location:
    return Location(source)


def _below(find: _Find, prefix: Trail, path: Trail) -> Location:
    return find((*prefix, *path))
