"""Inputs to a plan: read, hash, generate what changed on all cores, compare with the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TextIO

from opgen import DATA, __version__
from opgen.crd.load import nothing, same_kind
from opgen.crd.model import OpenApiDocument
from opgen.crd.sources import Text, read_inputs
from opgen.emit.outputs import Rendered
from opgen.errors import Location, Problem, Problems
from opgen.ir.types import Kind
from opgen.project.deploy import Surroundings, module_names
from opgen.project.manifest import Manifest, digest, read_manifest
from opgen.project.paths import FOLDER, STAMP
from opgen.project.plan import Change, Plan, plan, read_text
from opgen.project.pool import Progress, map_all
from opgen.project.rbac import Use
from opgen.project.sample import sample
from opgen.project.yamltext import dump_yaml

__all__ = ["generate", "Progress", "Request"]


@dataclass(frozen=True)
class Request:
    """What to generate: `package` is where the types go below `root`, `surroundings` make an operator's other files.

    `scaffolds` are files that are written in the same go, once: a controller, or all of a new project.
    """

    root: Path
    inputs: tuple[str, ...]
    package: PurePosixPath = field(default_factory=PurePosixPath)
    rename: Mapping[str, str] | None = None
    strict: bool = False
    force: bool = False
    surroundings: Surroundings | None = None
    scaffolds: tuple[Rendered, ...] = ()


@dataclass(frozen=True)
class _Made:
    """What one input gave; kinds without their objects, since those are in the text already."""

    kinds: tuple[Kind, ...]
    rendered: tuple[Rendered, ...]
    definitions: tuple[tuple[str, str, str, Location], ...]
    crds: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]
    documents: tuple[OpenApiDocument, ...] = ()
    samples: tuple[tuple[str, str, str], ...] = ()


def generate(
    request: Request,
    *,
    cwd: Path,
    stdin: TextIO | None = None,
    progress: Progress | None = None,
    texts: Sequence[Text] | None = None,
) -> Plan:
    """Return the plan of a run; nothing is written.

    Where no input, setting or output has changed since the last run this neither parses nor imports the generator.
    `texts` are the inputs where they have been read already. Raises Problems with every error of the run.
    """
    problems: list[Problem] = []
    if texts is None:
        texts = list(read_inputs(request.inputs, cwd, stdin, problems))
    manifest = read_manifest(request.root)
    inputs = {text.name: digest(text.text) for text in texts}
    around = ""
    uses: tuple[Use, ...] = ()
    if request.surroundings:
        uses = request.surroundings.uses(request.root, request.scaffolds)
        around = request.surroundings.state(uses)
    known = [str(request.package), dict(request.rename or {}), request.strict, around]
    settings = digest(json.dumps(known, sort_keys=True))
    if not request.scaffolds and not problems:
        unchanged = _unchanged(request, manifest, inputs, settings)
        if unchanged is not None:
            return unchanged
    made = _made(request, texts, progress)
    return _planned(request, made, manifest, inputs, settings, uses, problems)


def _unchanged(
    request: Request, old: Manifest, inputs: dict[str, str], settings: str
) -> Plan | None:
    """Return a plan without changes if all is as the last run left it."""
    if (old.version, old.settings, old.inputs) != (__version__, settings, inputs) or not old.files:
        return None
    if read_text(request.root / FOLDER / STAMP) != _generator():
        return None
    changes = []
    for path, entry in old.files.items():
        if entry.owner != "scaffold":
            try:
                data = (request.root / path).read_bytes()
            except OSError:
                return None
            if digest(data) != entry.sha256:
                return None
        changes.append(Change(path, "unchanged", entry.owner))
    return Plan(request.root, tuple(changes), old, old=old)


def _generator() -> str:
    """Return what stands for this very generator: between two releases its code changes and its version does not."""
    here = Path(__file__).parent.parent
    sources = [
        path for part in ("crd", "ir", "emit", "project") for path in (here / part).glob("*.py")
    ]
    sources += [path for path in (DATA / "templates" / "code").rglob("*") if path.is_file()]
    return digest("".join(digest(path.read_bytes()) for path in sorted(sources)))


def _made(request: Request, texts: Sequence[Text], progress: Progress | None) -> list[_Made]:
    return map_all(
        partial(
            _make,
            request.package,
            request.rename,
            request.strict,
            request.surroundings is not None,
        ),
        texts,
        weigh=lambda text: len(text.text),
        name=_name,
        warm=lambda: import_module("opgen.emit.packages"),
        progress=progress,
    )


def _name(text: Text) -> str:
    return text.name


def _make(
    package: PurePosixPath,
    rename: Mapping[str, str] | None,
    strict: bool,
    around: bool,
    text: Text,
) -> _Made:
    """Return the modules of one input; runs in a process of its own. Errors come back as problems."""
    from opgen.crd import load_texts
    from opgen.emit.packages import emit_kind
    from opgen.errors import OpgenError
    from opgen.ir import naming
    from opgen.ir.build import build_kind

    try:
        loaded = load_texts([text], strict=strict)
    except OpgenError as error:
        return _Made((), (), (), (), error.problems)
    kinds, rendered, definitions, crds, samples = [], [], [], [], []
    for crd in loaded.crds:
        raw = json.dumps(crd.raw, sort_keys=True)
        definition = json.dumps(crd.definition, sort_keys=True)
        definitions.append(
            (crd.group, crd.kind, digest(definition), crd.locate(("spec", "names", "kind")))
        )
        if around:
            crds.append((f"{crd.plural}.{crd.group}", raw))
        for version in crd.versions:
            kind = build_kind(crd, version, rename)
            folders = (naming.group_package(crd.group), naming.version_package(version.name))
            rendered.append(emit_kind(kind, folders, package))
            kinds.append(replace(kind, objects=()))
            if around and kind.storage:
                samples.append((kind.group, kind.kind, dump_yaml(sample(kind))))
    return _Made(
        tuple(kinds),
        tuple(rendered),
        tuple(definitions),
        tuple(crds),
        loaded.problems,
        loaded.documents,
        tuple(samples),
    )


def _planned(
    request: Request,
    made: Sequence[_Made],
    old: Manifest,
    inputs: dict[str, str],
    settings: str,
    uses: Sequence[Use],
    unread: Sequence[Problem],
) -> Plan:
    from opgen.emit.packages import emit_packages, emit_version
    from opgen.ir.build import assemble
    from opgen.ir.openapi import build_documents

    problems = [*unread, *(problem for one in made for problem in one.problems)]
    seen: dict[tuple[str, str], tuple[str, Location]] = {}
    kinds: dict[tuple[str, str, str], Kind] = {}
    for one in made:
        skip = set()
        for group, kind, sha, here in one.definitions:
            twin = seen.setdefault((group, kind), (sha, here))
            if twin != (sha, here):
                problems.append(same_kind(kind, group, here, twin[1], twin[0] == sha))
                skip.add((group, kind))
        for item in one.kinds:
            if (item.group, item.kind) not in skip:
                kinds[item.group, item.version, item.kind] = item
    documents = build_documents(document for one in made for document in one.documents)
    if (
        not kinds
        and not documents.group_versions
        and not any(problem.severity == "error" for problem in problems)
    ):
        problems.append(nothing(request.inputs, problems))
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise Problems(errors)
    grouped: dict[tuple[str, str], list[Kind]] = {}
    for (group, version, _), item in kinds.items():
        grouped.setdefault((group, version), []).append(item)
    api = assemble(grouped, documents)
    rendered = {one.path: one for made_one in made for one in made_one.rendered}
    rendered.update(
        {
            one.path: one
            for gv in documents.group_versions
            for one in emit_version(gv, request.package)
        }
    )
    rendered.update({one.path: one for one in emit_packages(api, request.package)})
    if request.surroundings:
        crds = {name: raw for one in made for name, raw in one.crds}
        every = [kind for gv in api.group_versions for kind in gv.kinds]
        extra = request.surroundings.render(every, crds, request.root, uses)
        rendered.update({one.path: one for one in extra})
        modules = module_names(every)
        for one in made:
            for group, name, text in one.samples:
                path = PurePosixPath("config", "samples", f"{modules[group, name]}.yaml")
                rendered.setdefault(path, Rendered(path, text, "scaffold", "the schema"))
    for file in request.scaffolds:
        rendered.setdefault(file.path, file)
    files = sorted(rendered.values(), key=lambda one: one.path.parts)
    result = plan(
        files,
        request.root,
        old,
        version=__version__,
        settings=settings,
        inputs=inputs,
        force=request.force,
    )
    notes = tuple(sorted(problems, key=lambda problem: problem.sort_key))
    return replace(result, problems=notes, stamp=_generator())
