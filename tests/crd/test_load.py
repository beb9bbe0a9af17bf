"""Everything that may come together in one run."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from opgen.crd import from_objects, load, load_texts
from opgen.crd.load import nothing, same_kind
from opgen.crd.sources import Text
from opgen.errors import Location, OpgenError, Problems
from tests.crd.crds import TEXT, codes, crd, problems_of

OTHER = TEXT.replace("Teapot", "Kettle").replace("teapots", "kettles")


def kinds(*texts: str) -> list[str]:
    named = [Text(f"{i}.yaml", text) for i, text in enumerate(texts)]
    return [one.kind for one in load_texts(named).crds]


class TestForms:
    """What a CRD may be wrapped in."""

    def test_several_documents(self) -> None:
        assert kinds(f"# Source: x\n{TEXT}---\n---\n# nothing\n---\n{OTHER}") == [
            "Teapot",
            "Kettle",
        ]

    def test_json(self) -> None:
        assert kinds(json.dumps(crd({"type": "object"}))) == ["Teapot"]
        assert kinds(
            json.dumps(crd({"type": "object"})) + "\n" + json.dumps(crd({"type": "object"}))
        ) == ["Teapot"]

    def test_lists(self) -> None:
        items = [crd({"type": "object"}), {"kind": "Pod", "apiVersion": "v1"}]
        for kind, version in (
            ("List", "v1"),
            ("CustomResourceDefinitionList", "apiextensions.k8s.io/v1"),
        ):
            assert kinds(json.dumps({"apiVersion": version, "kind": kind, "items": items})) == [
                "Teapot"
            ]
        assert kinds(json.dumps(items)) == ["Teapot"]
        assert kinds(json.dumps({"kind": "List", "items": [{"kind": "List", "items": items}]})) == [
            "Teapot"
        ]

    def test_items_of_a_list_of_crds_need_no_kind(self) -> None:
        item = {
            key: value
            for key, value in crd({"type": "object"}).items()
            if key not in ("kind", "apiVersion")
        }
        value = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinitionList",
            "items": [item],
        }
        assert kinds(json.dumps(value)) == ["Teapot"]

    def test_an_empty_list_is_nothing(self) -> None:
        assert kinds("kind: List\nitems: []\n", "kind: List\n", "kind: List\nitems:\n") == []

    def test_the_order_is_that_of_the_inputs(self) -> None:
        assert kinds(OTHER, TEXT) == ["Kettle", "Teapot"]

    def test_places_within_lists_and_later_documents(self) -> None:
        text = "kind: List\nitems:\n- a: 1\n- " + TEXT.replace("\n", "\n  ") + "\n---\n" + OTHER
        first, second = load_texts([Text("a.yaml", text)]).crds
        assert str(first.locate(("spec", "group"))) == "a.yaml:9:5"
        assert str(first.locate()) == "a.yaml:4:3"
        assert (
            str(second.locate(("spec", "names", "kind")))
            == f"a.yaml:{5 + TEXT.count(chr(10)) + 9}:5"
        )


class TestSkipping:
    """What is no CRD is skipped, with one note for all of a sort."""

    def test_other_kinds_are_counted(self) -> None:
        text = (
            "kind: Service\napiVersion: v1\n---\nkind: Service\napiVersion: v1\n---\nreplicas: 3\n---\njust text\n"
            + "---\n"
            + TEXT
        )
        assert [str(one) for one in problems_of(text)] == [
            "a.yaml:1: OPG130: note: skipped Service of v1 (2 times)",
            "a.yaml:7: OPG130: note: skipped what has no kind",
            "a.yaml:9: OPG130: note: skipped what is no Kubernetes object",
        ]

    def test_a_crd_of_an_unknown_version_says_what_was_expected(self) -> None:
        (note,) = problems_of(TEXT.replace("k8s.io/v1", "k8s.io/v2"))
        assert note.text == "skipped CustomResourceDefinition of apiextensions.k8s.io/v2"
        assert note.hint == 'expected apiVersion "apiextensions.k8s.io/v1"'

    def test_hostile_kinds_are_shown_in_one_line(self) -> None:
        (note,) = problems_of(json.dumps({"kind": "a\nb" * 100, "apiVersion": "\x1b"}))
        assert note.text == "skipped " + ("a\\nb" * 20)[:77] + "... of \\x1b"

    def test_objects_that_are_none_are_skipped(self) -> None:
        loaded = from_objects([crd({"type": "object"}), 5, None, [], {"kind": 5}], "x")  # type: ignore[list-item]
        assert len(loaded.crds) == 1
        assert codes(list(loaded.problems)) == [("OPG130", "note"), ("OPG130", "note")]


class TestTwice:
    """A kind may be defined once."""

    def test_the_same_again_is_a_note(self) -> None:
        again = TEXT.replace("metadata:\n", "metadata:\n  labels: {a: b}\n").replace(
            "group: example.com", "group:   example.com"
        )
        assert [str(one) for one in problems_of(TEXT, again)] == [
            'b.yaml:10:5: OPG133: note: "Teapot" of "example.com" is the same as at a.yaml:9:5, skipped'
        ]

    def test_another_definition_is_an_error_at_both_places(self) -> None:
        (error,) = problems_of(TEXT, "\n" + TEXT.replace("integer", "string"))
        assert str(error) == (
            'b.yaml:10:5: OPG112: "Teapot" of "example.com" is defined twice, and differently at a.yaml:9:5'
            "\n  hint: give one of them"
        )

    def test_two_kinds_of_one_name_are_an_error(self) -> None:
        (error,) = problems_of(TEXT, TEXT.replace("kind: Teapot", "kind: Pot"))
        assert str(error).startswith(
            'b.yaml:9:5: OPG112: "teapots.example.com" is the name of "Pot" and of "Teapot" at a.yaml:9:5'
        )

    def test_the_same_kind_of_another_group_is_another(self) -> None:
        assert kinds(TEXT, TEXT.replace("example.com", "example.org")) == ["Teapot", "Teapot"]

    def test_what_a_caller_with_many_processes_says(self) -> None:
        here, there = Location("b", 2, 3), Location("a", 1)
        assert (
            same_kind("K", "g.x", here, there, True).code,
            same_kind("K", "g.x", here, there, False).code,
        ) == ("OPG133", "OPG112")


class TestHelm:
    """A template of Helm is told from broken YAML."""

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("{{- if .Values.crds.enabled }}\n" + TEXT + "{{- end }}\n", "1:3"),
            (TEXT.replace("name: teapots.example.com", "name: {{ .Values.name }}.example.com"), "4:31"),
            (TEXT.replace("group: example.com", "group: {{ .Values.group }}"), "6:11"),
            (TEXT.replace("metadata:\n", "metadata:\n  labels:\n    {{- include \"x\" . | nindent 4 }}\n"), "5:6"),
        ],
    )  # fmt: skip
    def test_it_hints_at_helm_template(self, text: str, place: str) -> None:
        (error,) = problems_of(text)
        assert error.code == "OPG106"
        assert str(error.location).startswith(f"a.yaml:{place.split(':')[0]}:")
        assert error.hint == "render it first: helm template CHART | opgen generate -"

    def test_braces_elsewhere_do_not_hide_a_fault(self) -> None:
        text = "a: |\n  {{ x }}\nb: '{{ y }}'\nc: 1\nd: 1\ne: 1\nc: 2\n"
        assert codes(problems_of(text)) == [("OPG102", "error")]

    def test_output_of_helm_is_read(self) -> None:
        text = f"---\n# Source: chart/crds/x.yaml\n{TEXT}---\n# Source: chart/templates/y.yaml\n"
        text += "---\n# Source: z\nkind: Service\napiVersion: v1\n"
        assert kinds(text) == ["Teapot"]


class TestRun:
    """`load`: files, folders, standard input, all problems."""

    def test_everything_together(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a.yaml").write_text(TEXT)
        (tmp_path / "in" / "b.json").write_text(
            json.dumps(
                json.loads(
                    json.dumps(crd({"type": "object"}, names={"kind": "Cup", "plural": "cups"}))
                )
            )
        )
        loaded = load(["in", "-"], cwd=tmp_path, stdin=io.StringIO(OTHER))
        assert [(one.kind, one.source) for one in loaded.crds] == [
            ("Teapot", "in/a.yaml"),
            ("Cup", "in/b.json"),
            ("Kettle", "-"),
        ]
        assert str(loaded.crds[2].locate(("spec", "group"))) == "-:6:3"

    def test_the_working_folder_and_standard_input_are_those_of_the_process(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.stdin", io.StringIO(OTHER))
        (tmp_path / "a.yaml").write_text(TEXT)
        assert [one.source for one in load(["a.yaml", "-"]).crds] == ["a.yaml", "-"]

    def test_all_problems_of_all_inputs_are_told(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text("a: [")
        (tmp_path / "b.yaml").write_text(TEXT.replace("Namespaced", "X"))
        (tmp_path / "c.yaml").write_bytes(b"\xff\xff")
        (tmp_path / "d.yaml").write_text(TEXT + "---\n" + TEXT.replace("integer", "string"))
        with pytest.raises(Problems) as caught:
            load(["nothing", "a.yaml", "b.yaml", "c.yaml", "d.yaml"], cwd=tmp_path)
        assert [(one.code, str(one.location)) for one in caught.value.problems] == [
            ("OPG101", "a.yaml:1:5"),
            ("OPG110", "b.yaml:7:3"),
            ("OPG101", "c.yaml:1:1"),
            ("OPG112", "d.yaml:33:5"),
            ("OPG100", "nothing"),
        ]

    def test_nothing_to_generate_says_what_there_was(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text("kind: Service\napiVersion: v1\n---\nkind: Role\n")
        with pytest.raises(Problems) as caught:
            load(["a.yaml"], cwd=tmp_path)
        (problem,) = caught.value.problems
        assert problem.code == "OPG113"
        assert (
            problem.text
            == 'no CustomResourceDefinition in "a.yaml" (skipped Service of v1; skipped Role)'
        )

    def test_nothing_at_all_says_so(self) -> None:
        with pytest.raises(Problems) as caught:
            load([])
        assert caught.value.problem.text == "no CustomResourceDefinition in no input"
        many = [problem for i in range(5) for problem in problems_of(f"kind: K{i}")]
        assert nothing(["a\nb"], many).text == (
            'no CustomResourceDefinition in "a\\nb" (skipped K0; skipped K1; skipped K2 and 2 more)'
        )

    def test_an_openapi_document_is_something(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text(
            "openapi: 3.0.0\npaths: {/api/v1/: {}}\ncomponents: {schemas: {A: {type: object}}}\n"
        )
        assert load(["a.yaml"], cwd=tmp_path).documents[0].version == "v1"

    def test_problems_are_sorted_by_place(self) -> None:
        found = problems_of(
            OTHER.replace("type: integer", "x: 1"), TEXT.replace("type: integer", "y: 1")
        )
        assert [str(one.location) for one in found] == [
            "a.yaml:22:17",
            "a.yaml:23:19",
            "b.yaml:22:17",
            "b.yaml:23:19",
        ]

    def test_strict_refuses_what_is_not_structural(self) -> None:
        text = TEXT.replace("type: integer", "nullable: true")
        assert codes(problems_of(text)) == [("OPG120", "warning")]
        with pytest.raises(OpgenError):
            load_texts([Text("a.yaml", text)], strict=True)

    def test_notes_are_no_errors_when_strict(self) -> None:
        loaded = load_texts([Text("a.yaml", TEXT + "---\nkind: Service\n")], strict=True)
        assert codes(list(loaded.problems)) == [("OPG130", "note")]


class TestSize:
    """Large CRDs get a word of advice."""

    def large(self, size: int) -> str:
        text = TEXT.replace(
            "type: integer",
            "type: integer\n                  description: >-\n                    D",
        )
        return text.replace("                    D", "                    " + "é " * (size // 3))

    def test_client_side_apply_has_a_limit(self) -> None:
        (note,) = problems_of("# first\n" + self.large(270_000))
        assert str(note).startswith('a.yaml:2: OPG132: note: "Teapot" has 270,4')
        assert note.hint == "use kubectl apply --server-side"

    def test_etcd_has_one_too(self) -> None:
        (warning,) = problems_of(self.large(1_100_000))
        assert (warning.code, warning.severity) == ("OPG132", "warning")
        assert "near the 1.5 MiB that etcd takes" in warning.text

    def test_a_large_file_of_small_crds_is_fine(self) -> None:
        filler = "---\nkind: ConfigMap\napiVersion: v1\ndata: {a: '" + "x" * 300_000 + "'}\n"
        assert codes(problems_of(TEXT + filler)) == [("OPG130", "note")]
