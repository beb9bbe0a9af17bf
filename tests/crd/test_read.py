"""One CRD document: what is required, what is refused, what is only warned of."""

from __future__ import annotations

from typing import Any

import pytest

from opgen.crd import Crd, from_objects
from opgen.errors import Problem, Problems
from tests.crd.crds import TEXT, codes, crd, problems_of

HELM = "render the Helm chart first: helm template CHART"


def read(text: str) -> list[str]:
    return [str(problem).removeprefix("a.yaml:") for problem in problems_of(text)]


def only(raw: dict[str, Any]) -> Crd:
    (found,) = from_objects([raw], "cluster").crds
    return found


def changed(old: str, new: str) -> str:
    assert old in TEXT
    return TEXT.replace(old, new, 1)


def test_a_crd_is_what_its_text_says() -> None:
    raw = crd(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}},
        scope="Cluster",
        names={
            "kind": "Teapot", "plural": "teapots", "singular": "pot", "listKind": "Teapots",
            "shortNames": ["tp"], "categories": ["all", "kitchen"],
        },
    )  # fmt: skip
    raw["spec"]["versions"][0].update(
        deprecated=True,
        deprecationWarning="use v2",
        subresources={
            "status": {},
            "scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"},
        },
        additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": ".spec.a"}],
        selectableFields=[{"jsonPath": ".spec.a"}],
    )
    raw["spec"]["versions"].append(
        {
            "name": "v2",
            "served": False,
            "storage": False,
            "schema": {"openAPIV3Schema": {"type": "object"}},
        }
    )
    found = only(raw)
    assert (found.group, found.kind, found.plural, found.singular) == (
        "example.com",
        "Teapot",
        "teapots",
        "pot",
    )
    assert (found.list_kind, found.short_names, found.categories) == (
        "Teapots",
        ("tp",),
        ("all", "kitchen"),
    )
    assert (found.scope, found.source, found.name) == ("Cluster", "cluster", "teapots.example.com")
    assert found.raw == raw
    assert found.definition == raw["spec"]
    first, second = found.versions
    assert (first.name, first.served, first.storage, first.deprecated) == ("v1", True, True, True)
    assert (first.deprecation_warning, first.has_status) == ("use v2", True)
    assert first.scale == {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}
    assert first.printer_columns == ({"name": "A", "type": "string", "jsonPath": ".spec.a"},)
    assert first.selectable_fields == (".spec.a",)
    assert first.schema is raw["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert (second.served, second.storage, second.has_status, second.scale) == (
        False,
        False,
        False,
        None,
    )
    assert (second.deprecation_warning, second.printer_columns, second.selectable_fields) == (
        None,
        (),
        (),
    )


def test_names_that_the_server_defaults_are_defaulted() -> None:
    found = only(
        crd(
            {"type": "object"},
            names={"kind": "VMAgent", "plural": "vmagents", "singular": "", "listKind": None},
            group="example.com",
        )
    )
    assert (found.singular, found.list_kind) == ("vmagent", "VMAgentList")


def test_unknown_members_are_kept_in_raw() -> None:
    raw = crd({"type": "object", "x-mine": {"a": [1]}})
    raw["x-other"] = {"b": 1}
    assert only(raw).raw == raw


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  group: example.com\n", "", '5:1: OPG110: "group" is missing, expected a string'),
        ("group: example.com", "group: 5", '6:3: OPG110: "group" is 5, expected a string'),
        ("group: example.com", "group: ''", '6:3: OPG110: "group" is empty, expected a string'),
        ("group: example.com", "group: [a]", '6:3: OPG110: "group" is a list, expected a string'),
        ("    kind: Teapot\n", "", '8:3: OPG110: "kind" is missing, expected a string'),
        ("    plural: teapots\n", "", '8:3: OPG110: "plural" is missing, expected a string'),
        ("kind: Teapot", "kind: on", '9:5: OPG110: "kind" is true, expected a string'),
        (
            "  scope: Namespaced\n",
            "",
            '5:1: OPG110: "scope" is missing, expected "Namespaced" or "Cluster"',
        ),
        (
            "scope: Namespaced",
            "scope: Global",
            '7:3: OPG110: "scope" is "Global", expected "Namespaced" or "Cluster"',
        ),
        ("- name: v1", "- name: ''", '12:7: OPG110: "name" is empty, expected a string'),
        ("- name: v1", "- x\n    - name: v1", '12:7: OPG110: a version is "x", expected a mapping'),
        (
            "- name: v1",
            "- name: v1\n    - name: v1",
            '13:7: OPG110: the version "v1" stands twice, expected one of each',
        ),
        (
            "group: example.com",
            "group: ../../etc",
            '6:3: OPG111: group "../../etc" is no DNS name, expected lower-case letters, digits, "-" and "."'
            ' such as "cache.example.com"',
        ),
        (
            "group: example.com",
            "group: apps",
            '6:3: OPG111: group "apps" has no dot, expected a domain such as "cache.example.com"',
        ),
        (
            "group: example.com",
            "group: Example.com",
            '6:3: OPG111: group "Example.com" is no DNS name',
        ),
        (
            "group: example.com",
            'group: "example.com\\0"',
            '6:3: OPG111: group "example.com\\x00" is no DNS name',
        ),
        (
            "group: example.com",
            "group: " + "a." * 126 + "bb",
            '6:3: OPG111: group "' + ("a." * 39)[:77] + '..." has 254 characters',
        ),
        (
            "kind: Teapot",
            "kind: Tea Pot",
            '9:5: OPG111: kind "Tea Pot" is no name of a kind, expected letters and digits',
        ),
        ("kind: Teapot", "kind: ../Teapot", '9:5: OPG111: kind "../Teapot" is no name of a kind'),
        (
            "kind: Teapot",
            "kind: " + "T" * 300,
            '9:5: OPG111: kind "' + "T" * 77 + '..." has 300 characters, expected at most 63',
        ),
        ("plural: teapots", "plural: Teapots", '10:5: OPG111: plural "Teapots" is no DNS label'),
        ("plural: teapots", "plural: tea/pots", '10:5: OPG111: plural "tea/pots" is no DNS label'),
        (
            "- name: v1",
            "- name: ../v1",
            '12:7: OPG111: version "../v1" is no DNS label, expected lower-case letters, digits',
        ),
        ("- name: v1", "- name: V1", '12:7: OPG111: version "V1" is no DNS label'),
        ("- name: v1", "- name: 1.2", '12:7: OPG110: "name" is 1.2, expected a string'),
        (
            "plural: teapots",
            "plural: teapots\n    singular: Tea.pot",
            '11:5: OPG111: singular "Tea.pot" is no DNS label',
        ),
        (
            "plural: teapots",
            'plural: teapots\n    listKind: \'x"""\'',
            '11:5: OPG111: listKind "x"""" is no name of a kind',
        ),
        (
            "plural: teapots",
            "plural: teapots\n    listKind: Teapot",
            '11:5: OPG111: listKind "Teapot" is the kind, expected another',
        ),
        (
            "plural: teapots",
            "plural: teapots\n    shortNames: [tp, T]",
            '11:22: OPG111: shortNames has "T", which is no DNS label',
        ),
        (
            "plural: teapots",
            "plural: teapots\n    categories: [1]",
            "11:18: OPG111: categories has 1, which is no string",
        ),
    ],
)
def test_what_nothing_can_stand_in_for_is_an_error_with_its_place(
    old: str, new: str, expected: str
) -> None:
    found = read(changed(old, new))
    assert any(one.startswith(expected) for one in found), found


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", '1:1: OPG110: "spec" is missing, expected a mapping'),
        ("spec: 5\n", '5:1: OPG110: "spec" is 5, expected a mapping'),
        ("spec: {}\n", '5:1: OPG110: "spec" is empty, expected a mapping'),
        ("spec:\n  - a\n", '5:1: OPG110: "spec" is a list, expected a mapping'),
    ],
)
def test_a_crd_without_spec_has_one_fault(spec: str, expected: str) -> None:
    assert read(TEXT[: TEXT.index("spec:")] + spec) == [expected]


def test_versions_are_required() -> None:
    head = TEXT[: TEXT.index("  versions:")]
    assert read(head) == ['5:1: OPG110: "versions" is missing, expected a list of versions']
    assert read(head + "  versions: []\n") == [
        '11:3: OPG110: "versions" is empty, expected a list of versions'
    ]
    assert read(head + "  versions: {v1: {}}\n") == [
        '11:3: OPG110: "versions" is a mapping, expected a list of versions'
    ]


def test_all_faults_of_a_document_are_told() -> None:
    text = (
        changed("group: example.com", "group: X")
        .replace("plural: teapots", "plural: X")
        .replace("name: v1", "name: X")
    )
    assert [one.split(": ")[0] for one in read(text.replace("Namespaced", "X"))] == [
        "6:3",
        "7:3",
        "10:5",
        "12:7",
    ]


def test_a_name_with_a_template_hints_at_helm() -> None:
    (problem,) = problems_of(changed("group: example.com", "group: '{{ .Values.group }}'"))
    assert (problem.code, problem.hint) == ("OPG111", HELM)


def test_plural_and_group_must_fit_into_one_name() -> None:
    text = changed("group: example.com", "group: " + "a" * 200 + ".b").replace(
        "plural: teapots", "plural: " + "p" * 60
    )
    assert read(text) == [
        "6:3: OPG111: plural and group have 263 characters together, expected at most 253"
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "name: teapots.example.com",
            "name: pots.example.com",
            '4:3: OPG131: warning: metadata.name is "pots.example.com", expected "teapots.example.com"',
        ),
        (
            "metadata:\n  name: teapots.example.com\n",
            "",
            '1:1: OPG131: warning: metadata.name is missing, expected "teapots.example.com"',
        ),
        (
            "storage: true",
            "storage: false",
            '11:3: OPG134: warning: "Teapot" is stored as no version, expected exactly one version with storage: true',
        ),
        (
            "- name: v1",
            "- name: v2\n      storage: true\n      schema: {openAPIV3Schema: {type: object}}\n    - name: v1",
            '11:3: OPG134: warning: "Teapot" is stored as "v2" and "v1",'
            " expected exactly one version with storage: true",
        ),
        (
            "served: true",
            "served: 'yes'",
            '13:7: OPG136: warning: "served" is "yes", expected true or false; it is taken as absent',
        ),
        (
            "served: true",
            "served: true\n      subresources: [status]",
            '14:7: OPG136: warning: "subresources" is a list, expected a mapping; it is taken as absent',
        ),
        (
            "served: true",
            "served: true\n      subresources: {status: true}",
            '14:22: OPG136: warning: "status" is true, expected a mapping; it is taken as absent',
        ),
        (
            "served: true",
            "served: true\n      deprecated: true\n      deprecationWarning: {a: b}",
            '15:7: OPG136: warning: "deprecationWarning" is a mapping, expected a string; it is taken as absent',
        ),
        (
            "plural: teapots",
            "plural: teapots\n    shortNames: tp",
            '11:5: OPG136: warning: "shortNames" is "tp", expected a list; it is taken as absent',
        ),
        (
            "scope: Namespaced",
            "scope: Namespaced\n  preserveUnknownFields: true",
            '8:3: OPG134: warning: "preserveUnknownFields" is true,'
            " expected x-kubernetes-preserve-unknown-fields in the schemas",
        ),
    ],
)
def test_what_can_be_read_all_the_same_is_a_warning_with_its_place(
    old: str, new: str, expected: str
) -> None:
    assert expected in read(changed(old, new))


def test_null_is_absent() -> None:
    text = changed(
        "served: true",
        "served: null\n      subresources: {status: null, scale: ~}\n      selectableFields:",
    )
    assert read(text) == []


def test_what_preserves_unknown_fields_says_so_in_its_schemas() -> None:
    raw = crd(
        {"type": "object", "properties": {"spec": {"type": "object"}}}, preserveUnknownFields=True
    )
    found = only(raw)
    schema = found.versions[0].schema
    assert schema is not None
    assert schema["x-kubernetes-preserve-unknown-fields"] is True
    assert schema["properties"]["spec"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }
    assert "preserveUnknownFields" not in found.raw["spec"]
    assert "x-kubernetes-preserve-unknown-fields" not in str(raw["spec"]["versions"])


def test_a_warning_is_an_error_when_strict() -> None:
    text = changed("name: teapots.example.com", "name: x")
    assert codes(problems_of(text)) == [("OPG131", "warning")]
    assert codes(problems_of(text, strict=True)) == [("OPG131", "error")]
    with pytest.raises(Problems):
        from_objects([crd({"type": "object"}, group="other.com")], "x", strict=True)


def test_objects_of_a_cluster_have_its_name_for_a_place() -> None:
    with pytest.raises(Problems) as caught:
        from_objects([crd(group="X")], "cluster kind")
    assert str(caught.value.problems[0]).startswith(
        'cluster kind: OPG111: group "X" is no DNS name'
    )
    assert all(isinstance(one, Problem) for one in caught.value.problems)
