"""Inputs to CRDs: every document looked at, every problem of a run collected.

A document that is neither a CRD, a list of them, nor an OpenAPI document is skipped with a note. What the API server
would refuse as a name (groups, kinds, versions become folders and modules) is an error, whatever else the run holds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from opgen.crd.model import Crd, CrdVersion, Loaded, OpenApiDocument
from opgen.crd.sources import Text, read_inputs
from opgen.crd.structural import check
from opgen.crd.yaml import Positions, load_documents
from opgen.errors import CrdError, Location, Problem, Problems

__all__ = ["from_objects", "load", "load_texts", "nothing", "same_kind"]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_API_VERSIONS = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")
_APPLY_LIMIT = 262_144
_STORE_LIMIT = 1_048_576

Found = tuple[Mapping[str, Any], Text | None, int, tuple[str | int, ...]]


def load(
    inputs: Sequence[str],
    *,
    strict: bool = False,
    stdin: TextIO | None = None,
    cwd: Path | None = None,
) -> Loaded:
    """Return all CRDs and OpenAPI documents of `inputs` (files, folders, `-`, http(s) URLs).

    `strict` turns the warnings about schemas that are not structural into errors. Raises Problems with every error of
    the run: what can't be read (OPG100), is no YAML (OPG101 to OPG106), is no CRD that an API server would take
    (OPG110 to OPG112), or if there is nothing to generate (OPG113).
    """
    problems: list[Problem] = []
    texts = read_inputs(
        inputs, cwd or Path.cwd(), stdin if stdin is not None else sys.stdin, problems
    )
    crds, documents = _parsed(texts, problems)
    if not crds and not documents and not any(problem.severity == "error" for problem in problems):
        problems.append(nothing(inputs))
    return _finished(crds, documents, problems, strict)


def load_texts(texts: Iterable[Text], *, strict: bool = False) -> Loaded:
    """Return what texts hold that have been read already, which may be nothing; else as `load`."""
    problems: list[Problem] = []
    crds, documents = _parsed(texts, problems)
    return _finished(crds, documents, problems, strict)


def _parsed(
    texts: Iterable[Text], problems: list[Problem]
) -> tuple[list[Crd], list[OpenApiDocument]]:
    found: list[Found] = []
    documents: list[OpenApiDocument] = []
    for text in texts:
        try:
            for document in load_documents(text.text, text.name):
                if document.value is None:
                    continue
                if (api := _openapi(document.value, text.name)) is not None:
                    documents.append(api)
                else:
                    found += _crds_in(document.value, text, document.index, document.line, problems)
        except CrdError as error:
            problems.extend(error.problems)
    return _read_all(found, problems), documents


def nothing(inputs: Sequence[str]) -> Problem:
    """Return the problem of a run that found nothing to generate."""
    return Problem(
        "OPG113",
        "no CustomResourceDefinition in " + (", ".join(f'"{one}"' for one in inputs) or "no input"),
        hint="give the files that hold them, or `-` to read standard input",
    )


def same_kind(kind: str, group: str, here: Location, there: Location, equal: bool) -> Problem:
    """Return what there is to say of a kind that is defined twice."""
    if equal:
        return Problem(
            "OPG133", f'"{kind}" is the same as in {there.file}, skipped', here, severity="note"
        )
    return Problem(
        "OPG112",
        f'"{kind}" of "{group}" is defined twice, and differently at {there}',
        here,
        "give one of them",
    )


def from_objects(
    objects: Iterable[Mapping[str, Any]], source: str, *, strict: bool = False
) -> Loaded:
    """Return CRDs that were fetched already, as `load` does; `source` is what to call where they came from."""
    problems: list[Problem] = []
    crds = _read_all([(value, Text(source, ""), 0, ()) for value in objects], problems)
    return _finished(crds, [], problems, strict)


def _finished(
    crds: list[Crd], documents: list[OpenApiDocument], problems: list[Problem], strict: bool
) -> Loaded:
    for crd in crds:
        problems += check(crd)
    errors = [problem for problem in problems if problem.severity == "error"]
    if strict:
        errors += [problem for problem in problems if problem.severity == "warning"]
    if errors:
        raise Problems(errors)
    return Loaded(
        tuple(crds), tuple(documents), tuple(sorted(problems, key=lambda problem: problem.sort_key))
    )


def _openapi(value: Any, source: str) -> OpenApiDocument | None:
    if not isinstance(value, Mapping) or not str(value.get("openapi", "")).startswith("3."):
        return None
    components = value.get("components")
    schemas = components.get("schemas") if isinstance(components, Mapping) else None
    if not isinstance(schemas, Mapping):
        raise CrdError(
            "OPG110", 'an OpenAPI document needs "components.schemas"', location=Location(source)
        )
    for path in value.get("paths") or {}:
        parts = str(path).strip("/").split("/")
        if parts[0] == "api" and len(parts) >= 2:
            return OpenApiDocument(source, "", parts[1], value)
        if parts[0] == "apis" and len(parts) >= 3:
            if not _is_dns_name(parts[1]) or not _LABEL.fullmatch(parts[2]):
                break
            return OpenApiDocument(source, parts[1], parts[2], value)
    raise CrdError(
        "OPG110",
        "an OpenAPI document needs paths below /api/VERSION or /apis/GROUP/VERSION",
        location=Location(source),
        hint="fetch it from a cluster: kubectl get --raw /openapi/v3/apis/GROUP/VERSION",
    )


def _crds_in(
    value: Any,
    text: Text,
    index: int,
    line: int,
    problems: list[Problem],
    path: tuple[str | int, ...] = (),
) -> Iterator[Found]:
    """Yield the CRDs of a document, looking into lists; note what else there is."""
    where = Location(text.name, line)
    if isinstance(value, list) and not path:
        for i, item in enumerate(value):
            yield from _crds_in(item, text, index, line, problems, (i,))
        return
    if not isinstance(value, Mapping):
        problems.append(
            Problem(
                "OPG130", "skipped a document that is no Kubernetes object", where, severity="note"
            )
        )
        return
    kind, api_version = value.get("kind"), value.get("apiVersion")
    if kind == "CustomResourceDefinition" and api_version in _API_VERSIONS:
        yield value, text, index, path
    elif kind in ("List", "CustomResourceDefinitionList") and isinstance(value.get("items"), list):
        for i, item in enumerate(value["items"]):
            if (
                kind == "CustomResourceDefinitionList"
                and isinstance(item, Mapping)
                and "kind" not in item
            ):
                item = {"apiVersion": api_version, "kind": "CustomResourceDefinition", **item}
            yield from _crds_in(item, text, index, line, problems, (*path, "items", i))
    else:
        what = f"{kind} of {api_version}" if isinstance(kind, str) else "a document without kind"
        hint = None
        if kind == "CustomResourceDefinition":
            hint = 'expected apiVersion "apiextensions.k8s.io/v1"'
        problems.append(Problem("OPG130", f"skipped {what}", where, hint, severity="note"))


def _read_all(found: Iterable[Found], problems: list[Problem]) -> list[Crd]:
    crds: dict[tuple[str, str], Crd] = {}
    for raw, text, index, prefix in found:
        source = text.name if text else ""
        find = partial(_find, text, index, prefix) if text and text.text else None
        crd = _Checked(raw, source, find, problems).crd()
        if crd is None:
            continue
        twin = crds.setdefault((crd.group, crd.kind), crd)
        if twin is crd:
            if text and not prefix and len(text.text) > _APPLY_LIMIT:
                problems += _size(crd, len(text.text))
        else:
            here, there = (
                crd.locate(("spec", "names", "kind")),
                twin.locate(("spec", "names", "kind")),
            )
            problems.append(same_kind(crd.kind, crd.group, here, there, twin.raw == crd.raw))
    return list(crds.values())


def _size(crd: Crd, size: int) -> list[Problem]:
    if size > _STORE_LIMIT:
        return [
            Problem("OPG132", f'"{crd.kind}" is {size:,} bytes, near the limit of what etcd stores', crd.locate(),
                    "leave descriptions out of the CRD", severity="warning")
        ]  # fmt: skip
    return [
        Problem("OPG132", f'"{crd.kind}" is {size:,} bytes, too large for client-side apply', crd.locate(),
                "use kubectl apply --server-side", severity="note")
    ]  # fmt: skip


def _find(
    text: Text, index: int, prefix: tuple[str | int, ...], path: tuple[str | int, ...]
) -> Location:
    return Positions(text.text, text.name, index).lookup((*prefix, *path))


def _is_dns_name(text: str) -> bool:
    return 0 < len(text) <= 253 and all(
        _LABEL.fullmatch(part) and len(part) <= 63 for part in text.split(".")
    )


class _Checked:
    """Reads one CRD document, collecting what is wrong with it."""

    def __init__(
        self, raw: Mapping[str, Any], source: str, find: Any, problems: list[Problem]
    ) -> None:
        self._raw = raw if raw.get("apiVersion") == _API_VERSIONS[0] else _as_v1(raw)
        self._source, self._find, self._problems = source, find, problems
        self._failed = False

    def crd(self) -> Crd | None:
        """Return the CRD, None if something is wrong that can't be generated around."""
        spec = self._map(self._raw, "spec", ())
        names = self._map(spec, "names", ("spec",))
        group = self._text(spec, "group", ("spec",))
        kind = self._text(names, "kind", ("spec", "names"))
        plural = self._text(names, "plural", ("spec", "names"))
        if group and not _is_dns_name(group):
            self._fail(
                "OPG111",
                f'group "{_cut(group)}" is no DNS name',
                ("spec", "group"),
                'expected such as "cache.example.com"',
            )
        if kind and not (_LABEL_1035.fullmatch(kind.lower()) and len(kind) <= 63):
            self._fail(
                "OPG111",
                f'kind "{_cut(kind)}" is no name of a kind',
                ("spec", "names", "kind"),
                "expected CamelCase letters and digits",
            )
        if plural and not (_LABEL_1035.fullmatch(plural) and len(plural) <= 63):
            self._fail(
                "OPG111",
                f'plural "{_cut(plural)}" is no DNS label',
                ("spec", "names", "plural"),
                "expected lower-case letters, digits and -",
            )
        scope: Any = spec.get("scope")
        if scope not in ("Namespaced", "Cluster"):
            self._fail(
                "OPG110",
                f'scope is {_show(scope)}, expected "Namespaced" or "Cluster"',
                ("spec", "scope"),
            )
        versions = self._versions(spec)
        if self._failed:
            return None
        self._warn_of_name(f"{plural}.{group}")
        return Crd(
            group=group,
            kind=kind,
            plural=plural,
            singular=_text_of(names, "singular") or kind.lower(),
            list_kind=_text_of(names, "listKind") or kind + "List",
            short_names=_texts(names.get("shortNames")),
            categories=_texts(names.get("categories")),
            scope=scope,
            versions=tuple(versions),
            raw=self._raw,
            source=self._source,
            find=self._find,
        )

    def _versions(self, spec: Mapping[str, Any]) -> list[CrdVersion]:
        entries = spec.get("versions")
        if not isinstance(entries, list) or not entries:
            self._fail(
                "OPG110",
                "there are no versions",
                ("spec",),
                'expected a list "versions" with a name each',
            )
            return []
        out: list[CrdVersion] = []
        for i, entry in enumerate(entries):
            path = ("spec", "versions", i)
            if not isinstance(entry, Mapping):
                self._fail("OPG110", f"a version is {_show(entry)}, expected a mapping", path)
                continue
            name = self._text(entry, "name", path)
            if name and not (_LABEL_1035.fullmatch(name) and len(name) <= 63):
                self._fail(
                    "OPG111",
                    f'version "{_cut(name)}" is no DNS label',
                    (*path, "name"),
                    'expected such as "v1alpha1"',
                )
            if any(version.name == name for version in out):
                self._fail("OPG110", f'version "{name}" stands twice', (*path, "name"))
            schema = entry.get("schema")
            schema = schema.get("openAPIV3Schema") if isinstance(schema, Mapping) else None
            subresources = entry.get("subresources")
            subresources = subresources if isinstance(subresources, Mapping) else {}
            scale = subresources.get("scale")
            warning = entry.get("deprecationWarning")
            columns = entry.get("additionalPrinterColumns")
            fields = entry.get("selectableFields")
            out.append(
                CrdVersion(
                    name=name,
                    served=entry.get("served") is not False,
                    storage=entry.get("storage") is True,
                    deprecated=entry.get("deprecated") is True,
                    deprecation_warning=warning if isinstance(warning, str) else None,
                    schema=schema if isinstance(schema, Mapping) else None,
                    has_status="status" in subresources,
                    scale=scale if isinstance(scale, Mapping) else None,
                    printer_columns=tuple(c for c in columns if isinstance(c, Mapping))
                    if isinstance(columns, list)
                    else (),
                    selectable_fields=tuple(
                        field["jsonPath"]
                        for field in (fields if isinstance(fields, list) else ())
                        if isinstance(field, Mapping) and isinstance(field.get("jsonPath"), str)
                    ),
                )
            )
        return out

    def _warn_of_name(self, expected: str) -> None:
        metadata = self._raw.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        if name is not None and name != expected:
            self._problems.append(
                Problem(
                    "OPG131",
                    f'metadata.name is {_show(name)}, expected "{expected}"',
                    self._at(("metadata", "name")),
                    severity="warning",
                )
            )

    def _map(
        self, holder: Mapping[str, Any], key: str, path: tuple[str | int, ...]
    ) -> Mapping[str, Any]:
        value = holder.get(key)
        if isinstance(value, Mapping):
            return value
        if not self._failed:
            self._fail("OPG110", f'"{key}" is {_show(value)}, expected a mapping', (*path, key))
        return {}

    def _text(self, holder: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> str:
        value = holder.get(key)
        if isinstance(value, str) and value:
            return value
        if holder:
            self._fail("OPG110", f'"{key}" is {_show(value)}, expected a string', (*path, key))
        return ""

    def _fail(
        self, code: str, text: str, path: tuple[str | int, ...], hint: str | None = None
    ) -> None:
        self._failed = True
        self._problems.append(Problem(code, text, self._at(path), hint))

    def _at(self, path: tuple[str | int, ...]) -> Location:
        return self._find(path) if self._find else Location(self._source)


def _cut(text: str) -> str:
    shown = text if text.isprintable() else repr(text)[1:-1]
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _show(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f'"{_cut(value)}"' if value else "empty"
    names = {bool: "a boolean", list: "a list", dict: "a mapping"}
    return names.get(type(value), "a number")


def _text_of(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _as_v1(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a v1beta1 document in the form of v1: what stood at the top goes to each version that lacks it."""
    spec = raw.get("spec")
    if not isinstance(spec, Mapping):
        return {**raw, "apiVersion": _API_VERSIONS[0]}
    top = {key: spec[key] for key in ("subresources", "additionalPrinterColumns") if key in spec}
    if isinstance(spec.get("validation"), Mapping):
        top["schema"] = spec["validation"]
    entries = spec.get("versions")
    if not entries and isinstance(spec.get("version"), str):
        entries = [{"name": spec["version"], "served": True, "storage": True}]
    versions = []
    for entry in entries if isinstance(entries, list) else ():
        made = {**top, **entry} if isinstance(entry, Mapping) else entry
        if isinstance(made, dict) and isinstance(made.get("additionalPrinterColumns"), list):
            made["additionalPrinterColumns"] = [
                {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()}
                for column in made["additionalPrinterColumns"]
                if isinstance(column, Mapping)
            ]
        schema = made.get("schema") if isinstance(made, dict) else None
        if isinstance(schema, Mapping) and spec.get("preserveUnknownFields") is not False:
            root = schema.get("openAPIV3Schema")
            if isinstance(root, Mapping):
                made["schema"] = {
                    "openAPIV3Schema": {**root, "x-kubernetes-preserve-unknown-fields": True}
                }
        versions.append(made)
    kept = {
        key: value
        for key, value in spec.items()
        if key
        not in (
            "additionalPrinterColumns",
            "preserveUnknownFields",
            "subresources",
            "validation",
            "version",
        )
    }
    kept.setdefault("scope", "Namespaced")
    return {**raw, "apiVersion": _API_VERSIONS[0], "spec": {**kept, "versions": versions}}
