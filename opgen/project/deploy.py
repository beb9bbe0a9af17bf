"""The generated files around an operator's code: its CRDs as they are applied, and what it may touch.

config/crds/<plural>.<group>.yaml    each CRD in its v1 form, without what a cluster added
config/crds/kustomization.yaml       all of them
config/rbac/role.yaml                the operator's ClusterRole, read off its code by `opgen.project.rbac`
config/rbac/kind_roles.yaml          who may edit and view the kinds: added to the cluster's own edit and view
config/rbac/kustomization.yaml       both; the binding stands with the operator's service account, in config/manager
tests/api/test_<kind>_contract.py    what must hold of each kind
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from opgen.emit.outputs import Rendered
from opgen.emit.text import header
from opgen.ir import naming
from opgen.ir.types import Kind
from opgen.project.rbac import Use, find_uses, read_sources, role_rules
from opgen.project.yamltext import dump_yaml

__all__ = ["module_names", "Surroundings"]

_SERVED_META = ("annotations", "labels", "name")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True)
class Surroundings:
    """Makes what stands around the generated types of the operator `package`."""

    package: str

    def uses(self, root: Path, scaffolds: Sequence[Rendered] = ()) -> tuple[Use, ...]:
        """Return what the operator's code uses; `scaffolds` are files that this run will write."""
        sources = read_sources(root / self.package)
        for one in scaffolds:
            if one.path.parts[0] == self.package and one.path.suffix == ".py":
                sources.setdefault(PurePosixPath(*one.path.parts[1:]).as_posix(), one.text)
        uses = find_uses(sources.values())
        own = f"{self.package}."
        return tuple(
            use
            for use in uses
            if not use.module.startswith(own)
            or use.module.startswith(f"{own}api.")
            or use.module == f"{own}api"
        )

    def state(self, uses: Iterable[Use]) -> str:
        """Return what of the user's code the files depend on, as a text to compare with that of the last run."""
        return json.dumps(
            ["operator", self.package, [[use.module, use.name, use.writes] for use in uses]]
        )

    def render(
        self,
        kinds: Sequence[Kind],
        crds: Mapping[str, str],
        root: Path,
        uses: Sequence[Use] = (),
    ) -> Iterator[Rendered]:
        """Yield the files; `crds` are JSON texts by name, `uses` what the operator's code uses."""
        sources = {f"{kind.plural}.{kind.group}": kind.source for kind in kinds}
        files = sorted(name for name in crds if name in sources)
        for name in files:
            yield _file(f"crds/{name}.yaml", _served(json.loads(crds[name])), sources[name])
        every = (
            ", ".join(sorted(set(sources.values()))) if len(set(sources.values())) < 3 else "crds"
        )
        yield _file("crds/kustomization.yaml", _listing(f"{name}.yaml" for name in files), every)
        code = f"{self.package} and {every}"
        yield _file("rbac/role.yaml", self._role(kinds, root, uses), code)
        yield _file("rbac/kind_roles.yaml", list(self._kind_roles(kinds)), every)
        roles = ("role.yaml", "kind_roles.yaml")
        yield _file("rbac/kustomization.yaml", _listing(roles), every)
        modules = module_names(kinds)
        for kind in kinds:
            if kind.storage:
                yield self._contract(kind, modules[kind.group, kind.kind])

    @property
    def _slug(self) -> str:
        """What the roles are called after: they belong to the whole cluster."""
        return self.package.replace("_", "-").strip("-").lower()

    def _contract(self, kind: Kind, module: str) -> Rendered:
        from opgen.emit.format import format_module  # black: not for a run that changes nothing
        from opgen.emit.render import render

        folders = (
            self.package,
            "api",
            naming.group_package(kind.group),
            naming.version_package(kind.version),
        )
        text = render(
            "tests/contract.py.jinja",
            header=header(kind.source),
            kind=kind.kind,
            name=kind.name,
            module=module,
            api=".".join(folders),
        )
        path = PurePosixPath("tests", "api", f"test_{module}_contract.py")
        return Rendered(path, format_module(text), "generated", kind.source)

    def _role(self, kinds: Sequence[Kind], root: Path, uses: Sequence[Use]) -> dict[str, Any]:
        own = {(kind.group, kind.plural, kind.has_status) for kind in kinds}
        names = {kind.name: (kind.group, kind.plural) for kind in kinds}
        inside = {
            (use.module, use.name): names[use.name]
            for use in uses
            if use.module.startswith(f"{self.package}.api") and use.name in names
        }
        others = [
            use
            for use in uses
            if (use.module, use.name) in inside or not _is_inside(use, self.package)
        ]
        return {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": f"{self._slug}-manager"},
            "rules": role_rules(sorted(own), others, root, inside),
        }

    def _kind_roles(self, kinds: Sequence[Kind]) -> Iterable[dict[str, Any]]:
        resources: dict[str, set[str]] = {}
        for kind in kinds:
            resources.setdefault(kind.group, set()).add(kind.plural)
        verbs = {
            "edit": [
                "create",
                "delete",
                "deletecollection",
                "get",
                "list",
                "patch",
                "update",
                "watch",
            ],
            "view": ["get", "list", "watch"],
        }
        for role, allowed in verbs.items():
            yield {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {
                    "name": f"{self._slug}-{role}",
                    "labels": {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true"},
                },
                "rules": [
                    {"apiGroups": [group], "resources": sorted(names), "verbs": allowed}
                    for group, names in sorted(resources.items())
                ],
            }


def _listing(files: Iterable[str]) -> dict[str, Any]:
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(files),
    }


def module_names(kinds: Iterable[Kind]) -> dict[tuple[str, str], str]:
    """Return what the user's files about each kind are called, by group and kind.

    That is the kind's module, with the group in front where two groups have a kind of one name.
    """
    groups: dict[str, set[str]] = {}
    every = list(kinds)
    for kind in every:
        groups.setdefault(kind.module, set()).add(kind.group)
    return {
        (kind.group, kind.kind): kind.module
        if len(groups[kind.module]) == 1
        else f"{naming.group_package(kind.group)}_{kind.module}"
        for kind in every
    }


def _is_inside(use: Use, package: str) -> bool:
    return use.module == package or use.module.startswith(f"{package}.")


def _file(path: str, content: Any, source: str) -> Rendered:
    head = header(source) + "\n"
    documents = content if isinstance(content, list) else [content]
    return Rendered(
        PurePosixPath("config", path),
        head + "---\n".join(map(dump_yaml, documents)),
        "generated",
        source,
    )


def _served(crd: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD as one would write it: without status and what the API server adds to metadata."""
    metadata = {key: crd["metadata"][key] for key in _SERVED_META if crd["metadata"].get(key)}
    if annotations := metadata.get("annotations"):
        metadata["annotations"] = {
            key: value for key, value in annotations.items() if key != _LAST_APPLIED
        }
        if not metadata["annotations"]:
            del metadata["annotations"]
    return {
        "apiVersion": crd["apiVersion"],
        "kind": crd["kind"],
        "metadata": metadata,
        "spec": crd["spec"],
    }
