"""What an operator may touch, read off its code: the kinds that it imports, and whether it only reads them.

Least privilege without annotations to keep in step: a kind that the code makes (`Deployment(...)`) or hands to a verb
that writes (`ctx.delete(Deployment, ...)`) is granted in full, one that it only names (`owns`, `ctx.get`) for reading.
Nothing of the project is imported or run: its files are parsed, and the plural of a kind is read from the generated
module that defines it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from opgen.project.plan import has_header

__all__ = ["find_uses", "read_sources", "role_rules", "Use"]

_READ = ("get", "list", "watch")
_WRITE = ("create", "delete", "get", "list", "patch", "update", "watch")
_OWN = ("get", "list", "patch", "update", "watch")
_WRITERS = frozenset("apply create create_or_patch delete delete_collection patch".split())
_MAKERS = frozenset("from_json from_wire model_construct".split())


@dataclass(frozen=True, order=True)
class Use:
    """A class that the code names by its module, and whether it makes or changes objects of it."""

    module: str
    name: str
    writes: bool


def read_sources(package: Path) -> dict[str, str]:
    """Return the Python files of a package that are the user's, by path; its `api` folder is opgen's."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        relative = path.relative_to(package)
        if relative.parts[0] != "api" and path.is_file():
            found[relative.as_posix()] = path.read_text("utf-8", errors="replace")
    return found


def find_uses(sources: Iterable[str]) -> tuple[Use, ...]:
    """Return the imported classes that `sources` name, sorted; a text that is no Python yet counts for nothing."""
    found: dict[tuple[str, str], bool] = {}
    for text in sources:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for module, name, writes in _Names(tree).uses():
            found[module, name] = found.get((module, name), False) or writes
    return tuple(sorted(Use(module, name, writes) for (module, name), writes in found.items()))


class _Names:
    """The imported names of one module, and what is done with them."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._names: dict[str, tuple[str, str]] = {}
        self._modules: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self._names[alias.asname or alias.name] = (node.module, alias.name)
                    self._modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self._modules[alias.asname or alias.name] = alias.name

    def uses(self) -> Iterator[tuple[str, str, bool]]:
        for module, name in self._names.values():
            yield module, name, False
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Attribute) and (found := self._resolved(node)):
                yield *found, False
            if not isinstance(node, ast.Call):
                continue
            made = node.func
            if isinstance(made, ast.Attribute) and made.attr in _MAKERS:
                made = made.value
            if found := self._resolved(made):
                yield *found, True
            if isinstance(node.func, ast.Attribute) and node.func.attr in _WRITERS:
                for argument in node.args[:1]:
                    if found := self._resolved(argument):
                        yield *found, True

    def _resolved(self, node: ast.expr) -> tuple[str, str] | None:
        """Return the module and name that an expression stands for, None if it is none of an import."""
        if isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute):
            module = self._modules.get(ast.unparse(node.value))
            return (module, node.attr) if module else None
        return None


def role_rules(
    own: Iterable[tuple[str, str, bool]],
    uses: Iterable[Use],
    root: Path,
    inside: Mapping[tuple[str, str], tuple[str, str]],
) -> list[dict[str, Any]]:
    """Return the rules of a ClusterRole (rbac.authorization.k8s.io/v1), sorted, one for each group and set of verbs.

    `own` are group, plural and whether there is a status subresource, of the kinds that the operator reconciles;
    `inside` gives group and plural of the classes of the project itself, by (module, name) with the package's own
    modules under every name that they are imported by.
    """
    granted: dict[tuple[str, str], tuple[str, ...]] = {}
    for group, plural, has_status in own:
        granted[group, plural] = _OWN
        granted[group, f"{plural}/finalizers"] = ("update",)
        if has_status:
            granted[group, f"{plural}/status"] = ("get", "patch", "update")
    for use in uses:
        resource = inside.get((use.module, use.name)) or _resource(
            use.module, use.name, (str(root), *sys.path)
        )
        if resource:
            verbs: tuple[str, ...] = _WRITE if use.writes else _READ
            granted[resource] = tuple(sorted({*granted.get(resource, ()), *verbs}))
    for group in ("", "events.k8s.io"):
        granted[group, "events"] = tuple(
            sorted({*granted.get((group, "events"), ()), "create", "patch"})
        )
    rules: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (group, resource_name), allowed in sorted(granted.items()):
        rules.setdefault((group, allowed), []).append(resource_name)
    return [
        {"apiGroups": [group], "resources": names, "verbs": list(verbs)}
        for (group, verbs), names in sorted(rules.items(), key=lambda item: (item[0][0], item[1]))
    ]


def _resource(module: str, name: str, path: Sequence[str]) -> tuple[str, str] | None:
    """Return group and plural of a generated class, None if the module is none that opgen wrote."""
    for file in _files(module, path):
        try:
            text = file.read_text("utf-8", errors="replace")
        except OSError:
            continue
        if not has_header(text):
            continue
        start = re.search(rf"^class {re.escape(name)}\(", text, re.MULTILINE)
        found = re.compile(r"^    RESOURCE = (Resource_?\(.*?^    \))", re.MULTILINE | re.DOTALL)
        match = found.search(text, start.end()) if start else None
        if (
            match is None
            or start is None
            or re.search(r"^class ", text[start.end() : match.start()], re.MULTILINE)
        ):
            continue
        call = ast.parse(match[1], mode="eval").body
        assert isinstance(call, ast.Call)
        given = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
        return str(given["group"]), str(given["plural"])
    return None


def _files(module: str, path: Sequence[str]) -> list[Path]:
    """Return the files that may define the names of a module, found without importing it."""
    top, *rest = module.split(".")
    spec = PathFinder.find_spec(top, list(path))
    if spec is None or not spec.submodule_search_locations:
        return []
    for location in spec.submodule_search_locations:
        place = Path(location, *rest)
        if place.is_dir():
            return sorted(place.glob("*.py"))
        if place.with_suffix(".py").is_file():
            return [place.with_suffix(".py")]
    return []
