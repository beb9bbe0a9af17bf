"""CRDs of apiextensions.k8s.io/v1beta1, read as v1."""

from __future__ import annotations

from opgen.crd.load import load_texts
from opgen.crd.sources import Text
from opgen.errors import Problems
from tests.crd.crds import codes, problems_of

OLD = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: teapots.example.com
spec:
  group: example.com
  version: v1
  preserveUnknownFields: false
  names:
    kind: Teapot
    plural: teapots
  subresources:
    status: {}
  additionalPrinterColumns:
    - name: Litres
      type: integer
      JSONPath: .spec.litres
  validation:
    openAPIV3Schema:
      type: object
      properties:
        spec:
          type: object
          properties:
            litres:
              type: integer
"""

NOTE = (
    'a.yaml:1:1: OPG135: note: "Teapot" is of apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 dropped, and is'
    " read as v1"
)


def test_what_stood_at_the_top_stands_at_the_version() -> None:
    loaded = load_texts([Text("a.yaml", OLD)])
    (crd,) = loaded.crds
    (version,) = crd.versions
    assert (crd.scope, version.name, version.served, version.storage) == (
        "Namespaced",
        "v1",
        True,
        True,
    )
    assert version.has_status
    assert version.printer_columns == (
        {"name": "Litres", "type": "integer", "jsonPath": ".spec.litres"},
    )
    assert version.schema is not None
    assert version.schema["properties"]["spec"]["properties"] == {"litres": {"type": "integer"}}
    assert [str(problem) for problem in loaded.problems] == [NOTE]


def test_the_raw_form_is_v1() -> None:
    (crd,) = load_texts([Text("a.yaml", OLD)]).crds
    assert crd.raw["apiVersion"] == "apiextensions.k8s.io/v1"
    assert set(crd.raw["spec"]) == {"group", "names", "scope", "versions"}
    again = load_texts([Text("b.json", __import__("json").dumps(crd.raw))])
    assert again.crds[0].versions == crd.versions


def test_places_are_those_of_the_text() -> None:
    (crd,) = load_texts([Text("a.yaml", OLD)]).crds
    version = ("spec", "versions", 0)
    places = {
        ("spec", "group"): "6:3",
        (*version, "name"): "7:3",
        (*version, "schema"): "18:3",
        (*version, "schema", "openAPIV3Schema", "properties", "spec"): "22:9",
        (*version, "subresources", "status"): "13:5",
        (*version, "additionalPrinterColumns", 0, "jsonPath"): "17:7",
        (*version, "served"): "5:1",
    }
    assert {path: str(crd.locate(path)) for path in places} == {
        path: f"a.yaml:{place}" for path, place in places.items()
    }


def test_faults_have_the_places_of_the_text() -> None:
    text = OLD.replace(
        "type: integer\n      JSONPath: .spec.litres", "type: int\n      JSONPath: spec"
    )
    text = text.replace("              type: integer", "              default: 1")
    assert [str(one).split(": ")[0] for one in problems_of(text)] == [
        "a.yaml:1:1",
        "a.yaml:16:7",
        "a.yaml:17:7",
        "a.yaml:25:13",
    ]
    assert str(problems_of(OLD.replace("version: v1", "version: V.1"))[0]).startswith(
        "a.yaml:7:3: OPG111: version"
    )


def test_versions_may_have_their_own() -> None:
    text = OLD.replace(
        "  version: v1\n",
        "  versions:\n"
        "    - {name: v2, served: true, storage: true}\n"
        "    - name: v1\n"
        "      served: true\n"
        "      storage: false\n"
        "      schema: {openAPIV3Schema: {type: object, properties: {x: {}}}}\n",
    )
    (crd,) = load_texts([Text("a.yaml", text)]).crds
    first, second = crd.versions
    assert first.schema is not None
    assert second.schema is not None
    assert set(first.schema["properties"]) == {"spec"}
    assert set(second.schema["properties"]) == {"x"}
    assert first.has_status
    assert second.has_status
    path = ("spec", "versions", 1, "schema", "openAPIV3Schema", "properties", "x")
    assert str(crd.locate(path)) == "a.yaml:12:61"


def test_unknown_fields_are_kept_everywhere_unless_told_otherwise() -> None:
    (crd,) = load_texts([Text("a.yaml", OLD.replace("  preserveUnknownFields: false\n", ""))]).crds
    free = "x-kubernetes-preserve-unknown-fields"
    schema = crd.versions[0].schema
    assert schema is not None
    assert (schema[free], schema["properties"]["spec"][free]) == (True, True)
    assert free not in schema["properties"]["spec"]["properties"]["litres"]


def test_no_schema_is_free_form_with_a_warning() -> None:
    text = OLD[: OLD.index("  validation:")]
    loaded = load_texts([Text("a.yaml", text)])
    assert loaded.crds[0].versions[0].schema is None
    assert codes(list(loaded.problems)) == [("OPG135", "note"), ("OPG128", "warning")]


def test_what_is_malformed_is_told_as_in_v1() -> None:
    for text, expected in {
        OLD[: OLD.index("spec:")] + "spec: 5\n": '"spec" is 5, expected a mapping',
        OLD.replace("  version: v1\n", ""): '"versions" is missing, expected a list of versions',
        OLD.replace("version: v1", "versions: 5"): '"versions" is 5, expected a list of versions',
        OLD.replace("version: v1", "versions: [5]"): "a version is 5, expected a mapping",
    }.items():
        assert expected in [problem.text for problem in problems_of(text)]


def test_malformed_parts_are_no_reason_to_fail() -> None:
    text = OLD.replace(
        "- name: Litres\n      type: integer\n      JSONPath: .spec.litres", "- 5"
    ).replace("status: {}", "status: 1")
    assert ("OPG137", "warning") in codes(problems_of(text))
    try:
        load_texts(
            [Text("a.yaml", OLD[: OLD.index("    openAPIV3Schema")] + "    openAPIV3Schema: [1]\n")]
        )
    except Problems as error:
        raise AssertionError(error) from error
