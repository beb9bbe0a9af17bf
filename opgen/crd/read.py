"""One CRD document to a `Crd`: what can't be generated around is an error, all else a warning and taken as absent.

Required is what names need: group, kind, plural, scope, versions. Names that the API server would refuse are errors
(OPG111), since they become folders and code; so is a missing or malformed part that nothing can stand in for (OPG110).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opgen.crd.model import Crd, CrdVersion, Path
from opgen.crd.names import MAX_NAME, group_fault, kind_fault, label_fault, shown
from opgen.crd.v1beta1 import V1, as_v1, original_path
from opgen.errors import Location, Problem, Severity

__all__ = ["API_VERSIONS", "read_crd", "what_it_is"]

V1BETA1 = "apiextensions.k8s.io/v1beta1"
API_VERSIONS = (V1, V1BETA1)


def read_crd(
    raw: Mapping[str, Any],
    source: str,
    find: Callable[[Path], Location] | None,
    problems: list[Problem],
) -> Crd | None:
    """Return the CRD of a document of one of `API_VERSIONS`, None if it has an error.

    `find` says where a path of the document as it was given stands. Problems are added with codes OPG110, OPG111,
    OPG131 and OPG134 to OPG136.
    """
    return _Reader(raw, source, find, problems).crd()


def what_it_is(value: Any) -> str:
    """Return a value as a message names it: a short text in quotes, else what sort of thing it is."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f'"{shown(value)}"' if value else "empty"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return "a list" if isinstance(value, list) else "a mapping"


class _Reader:
    def __init__(
        self,
        raw: Mapping[str, Any],
        source: str,
        find: Callable[[Path], Location] | None,
        problems: list[Problem],
    ) -> None:
        self._given, self._source, self._given_find, self._problems = raw, source, find, problems
        self._old = raw.get("apiVersion") != V1
        self._raw = as_v1(raw) if self._old else raw
        self._failed = False

    def _find(self, path: Path) -> Location:
        if self._given_find is None:
            return Location(self._source)
        return self._given_find(original_path(self._given, path) if self._old else path)

    def crd(self) -> Crd | None:
        spec = self._map(self._raw, "spec", ())
        if spec is None:
            return None
        spec = self._preserving(spec)
        names = self._map(spec, "names", ("spec",)) or {}
        inside: Path = ("spec", "names")
        group = self._name(spec, "group", ("spec",), group_fault)
        kind = self._name(names, "kind", inside, kind_fault) if names else ""
        plural = (
            self._name(names, "plural", inside, lambda one: label_fault(one, "memcacheds"))
            if names
            else ""
        )
        singular = self._optional_name(names, "singular", lambda one: label_fault(one, "memcached"))
        list_kind = self._optional_name(names, "listKind", kind_fault)
        if kind and kind == list_kind:
            self._fail(
                "OPG111",
                f'listKind "{shown(kind)}" is the kind, expected another',
                (*inside, "listKind"),
            )
        short_names, categories = (
            self._labels(names, "shortNames"),
            self._labels(names, "categories"),
        )
        if group and plural and not self._failed and len(plural) + 1 + len(group) > MAX_NAME:
            text = f"plural and group have {len(plural) + 1 + len(group)} characters together"
            self._fail("OPG111", f"{text}, expected at most {MAX_NAME}", ("spec", "group"))
        scope = spec.get("scope")
        if scope not in ("Namespaced", "Cluster"):
            text = f'"scope" is {what_it_is(scope)}, expected "Namespaced" or "Cluster"'
            self._fail("OPG110", text, ("spec", "scope"))
        versions = self._versions(spec)
        if self._failed:
            return None
        if self._old:
            text = f'"{kind}" is of apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 dropped, and is read as v1'
            self._say("OPG135", text, ("apiVersion",), "note")
        self._name_of_object(f"{plural}.{group}")
        self._storage(kind, versions)
        return Crd(
            group=group,
            kind=kind,
            plural=plural,
            singular=singular or kind.lower(),
            list_kind=list_kind or f"{kind}List",
            short_names=short_names,
            categories=categories,
            scope="Cluster" if scope == "Cluster" else "Namespaced",
            versions=tuple(versions),
            raw=self._raw,
            source=self._source,
            find=self._find if self._given_find else None,
        )

    def _versions(self, spec: Mapping[str, Any]) -> list[CrdVersion]:
        entries = spec.get("versions")
        if not isinstance(entries, list) or not entries:
            found = "empty" if entries == [] else what_it_is(entries)
            self._fail(
                "OPG110",
                f'"versions" is {found}, expected a list of versions',
                ("spec", "versions"),
            )
            return []
        out: dict[str, CrdVersion] = {}
        for i, entry in enumerate(entries):
            path = ("spec", "versions", i)
            if not isinstance(entry, Mapping):
                self._fail("OPG110", f"a version is {what_it_is(entry)}, expected a mapping", path)
                continue
            name = self._name(entry, "name", path, lambda one: label_fault(one, "v1alpha1"))
            if name in out and name:
                self._fail(
                    "OPG110",
                    f'the version "{name}" stands twice, expected one of each',
                    (*path, "name"),
                )
            out[name] = self._version(name, entry, path)
        return list(out.values())

    def _version(self, name: str, entry: Mapping[str, Any], path: Path) -> CrdVersion:
        validation = self._typed(entry, "schema", Mapping, path) or {}
        subresources = self._typed(entry, "subresources", Mapping, path) or {}
        inside = (*path, "subresources")
        # The server decodes `status: {}` into a pointer: null and absent are the same, anything else must be a mapping.
        status = self._typed(subresources, "status", Mapping, inside)
        columns = self._typed(entry, "additionalPrinterColumns", list, path) or []
        fields = self._typed(entry, "selectableFields", list, path) or []
        served = self._typed(entry, "served", bool, path)
        return CrdVersion(
            name=name,
            served=served is not False,
            storage=self._typed(entry, "storage", bool, path) is True,
            deprecated=self._typed(entry, "deprecated", bool, path) is True,
            deprecation_warning=self._typed(entry, "deprecationWarning", str, path),
            schema=self._typed(validation, "openAPIV3Schema", Mapping, (*path, "schema")),
            has_status=status is not None,
            scale=self._typed(subresources, "scale", Mapping, inside),
            printer_columns=tuple(column for column in columns if isinstance(column, Mapping)),
            selectable_fields=tuple(
                one["jsonPath"]
                for one in fields
                if isinstance(one, Mapping) and isinstance(one.get("jsonPath"), str)
            ),
        )

    def _preserving(self, spec: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the spec with a `preserveUnknownFields: true` where v1 has it: at the objects of the schemas."""
        if self._old or spec.get("preserveUnknownFields") is not True:
            return spec
        text = '"preserveUnknownFields" is true, expected x-kubernetes-preserve-unknown-fields in the schemas'
        self._say("OPG134", text, ("spec", "preserveUnknownFields"))
        moved: Mapping[str, Any] = as_v1({"spec": {"scope": None, **spec}})["spec"]
        self._raw = {**self._raw, "spec": moved}
        return moved

    def _name_of_object(self, expected: str) -> None:
        metadata = self._raw.get("metadata")
        name = metadata.get("name") if isinstance(metadata, Mapping) else None
        if name != expected:
            text = f'metadata.name is {what_it_is(name)}, expected "{expected}"'
            self._say("OPG131", text, ("metadata", "name"))

    def _storage(self, kind: str, versions: list[CrdVersion]) -> None:
        stored = [version.name for version in versions if version.storage]
        if len(stored) != 1:
            found = " and ".join(f'"{name}"' for name in stored) or "no version"
            text = f'"{kind}" is stored as {found}, expected exactly one version with storage: true'
            self._say("OPG134", text, ("spec", "versions"))

    def _map(self, holder: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any] | None:
        value = holder.get(key)
        if isinstance(value, Mapping) and value:
            return value
        found = "empty" if value == {} else what_it_is(value)
        self._fail("OPG110", f'"{key}" is {found}, expected a mapping', (*path, key))
        return None

    def _name(
        self, holder: Mapping[str, Any], key: str, path: Path, fault: Callable[[str], str | None]
    ) -> str:
        value = holder.get(key)
        if not isinstance(value, str) or not value:
            self._fail("OPG110", f'"{key}" is {what_it_is(value)}, expected a string', (*path, key))
            return ""
        if (reason := fault(value)) is not None:
            hint = "render the Helm chart first: helm template CHART" if "{{" in value else None
            what = "version" if key == "name" else key
            self._fail("OPG111", f'{what} "{shown(value)}" {reason}', (*path, key), hint)
        return value

    def _optional_name(
        self, names: Mapping[str, Any], key: str, fault: Callable[[str], str | None]
    ) -> str:
        if names.get(key) in (None, ""):
            return ""
        return self._name(names, key, ("spec", "names"), fault)

    def _labels(self, names: Mapping[str, Any], key: str) -> tuple[str, ...]:
        found = self._typed(names, key, list, ("spec", "names")) or []
        for i, item in enumerate(found):
            reason = label_fault(item, "mc") if isinstance(item, str) else "is no string"
            if reason is not None:
                text = f"{key} has {what_it_is(item)}, which {reason}"
                self._fail("OPG111", text, ("spec", "names", key, i))
        return tuple(item for item in found if isinstance(item, str))

    def _typed(self, holder: Mapping[str, Any], key: str, kind: type, path: Path) -> Any:
        """Return a member if it is of the kind, else None, with a warning if there is something else."""
        value = holder.get(key)
        if value is None or isinstance(value, kind):
            return value
        names = {Mapping: "a mapping", list: "a list", bool: "true or false", str: "a string"}
        text = f'"{key}" is {what_it_is(value)}, expected {names[kind]}; it is taken as absent'
        self._say("OPG136", text, (*path, key))
        return None

    def _fail(self, code: str, text: str, path: Path, hint: str | None = None) -> None:
        self._failed = True
        self._problems.append(Problem(code, text, self._find(path), hint))

    def _say(self, code: str, text: str, path: Path, severity: Severity = "warning") -> None:
        self._problems.append(Problem(code, text, self._find(path), severity=severity))
