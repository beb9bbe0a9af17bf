"""The files around the kinds: the package that registers them, and a package for each group and version."""

from __future__ import annotations

from pathlib import PurePosixPath

from opgen.emit.format import format_module
from opgen.emit.models import kind_module, shared_module
from opgen.emit.outputs import Rendered
from opgen.emit.render import render
from opgen.emit.text import comment, header, string
from opgen.ir.types import Api, GroupVersion, Kind

__all__ = ["emit", "emit_kind", "emit_packages", "emit_version", "MINIMUM"]

HERE = PurePosixPath()

MINIMUM = "0.1"
"""The oldest opgen library that runs what this version generates; generated packages check it at import."""


def emit(api: Api, root: PurePosixPath = HERE) -> tuple[Rendered, ...]:
    """Return every file of a types package under `root`, sorted by path; pure."""
    out = list(emit_packages(api, root))
    for gv in api.group_versions:
        out += emit_version(gv, root)
    return tuple(sorted(out, key=lambda one: one.path.parts))


def emit_version(gv: GroupVersion, root: PurePosixPath = HERE) -> list[Rendered]:
    """Return the modules of one group and version: one a kind, or one for all where they share their objects."""
    if gv.flat:
        path = root.joinpath(gv.package[0], f"{gv.package[1]}.py")
        return [Rendered(path, shared_module(gv), "generated", gv.kinds[0].source)]
    return [emit_kind(kind, gv.package, root) for kind in gv.kinds]


def emit_kind(kind: Kind, package: tuple[str, str], root: PurePosixPath = HERE) -> Rendered:
    """Return the module of one kind; independent of all others, so that kinds can be made in parallel."""
    return Rendered(
        root.joinpath(*package, f"{kind.module}.py"), kind_module(kind), "generated", kind.source
    )


def emit_packages(api: Api, root: PurePosixPath = HERE) -> tuple[Rendered, ...]:
    """Return the packages around the kinds; looks at names only, not at the objects of a kind."""
    everything = [kind for gv in api.group_versions for kind in gv.kinds]
    out = [
        _rendered(root / "__init__.py", _root(api), everything),
        Rendered(root / "py.typed", "", "generated", _sources(everything)),
    ]
    groups: dict[str, list[GroupVersion]] = {}
    for gv in api.group_versions:
        groups.setdefault(gv.package[0], []).append(gv)
    for folder, members in groups.items():
        kinds = [kind for gv in members for kind in gv.kinds]
        group = comment(members[0].group) or "the core group"
        versions = ", ".join(comment(gv.version) for gv in members)
        text = f'{header(_sources(kinds))}\n"""{group}: {versions}."""\n'
        out.append(_rendered(root / folder / "__init__.py", text, kinds))
        for gv in members:
            if gv.flat:
                continue
            path = root.joinpath(*gv.package, "__init__.py")
            out.append(_rendered(path, _version(gv), list(gv.kinds)))
    return tuple(out)


def _rendered(path: PurePosixPath, text: str, kinds: list[Kind]) -> Rendered:
    return Rendered(path, text, "generated", _sources(kinds))


def _sources(kinds: list[Kind]) -> str:
    """Return what the kinds were made from: the file, or how many there are."""
    found = sorted({kind.source for kind in kinds})
    return found[0] if len(found) == 1 else f"{len(found)} files"


def _root(api: Api) -> str:
    entries = [
        {
            "api_version": string(gv.api_version),
            "kind": string(kind.kind),
            "module": ".".join(filter(None, (*gv.package, kind.module))),
            "name": string(kind.name),
        }
        for gv in api.group_versions
        for kind in gv.kinds
    ]
    groups = ", ".join(dict.fromkeys(comment(gv.group) or "core" for gv in api.group_versions))
    doc = f"Typed Kubernetes kinds of {groups}." if len(groups) < 60 else "Typed Kubernetes kinds."
    sources = _sources([kind for gv in api.group_versions for kind in gv.kinds])
    text = render(
        "package/__init__.py.jinja",
        header=header(sources),
        doc=doc,
        minimum=MINIMUM,
        entries=entries,
    )
    return format_module(text)


def _version(gv: GroupVersion) -> str:
    text = render(
        "package/version.py.jinja",
        header=header(_sources(list(gv.kinds))),
        doc=f"Kinds of {comment(gv.api_version)}.",
        modules={kind.name: kind.module for kind in gv.kinds},
    )
    return format_module(text)
