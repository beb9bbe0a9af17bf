from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar, Literal

import pytest
from pydantic import Field

from opgen.meta import GroupVersionKind, Object, ObjectMeta, Resource, Scheme, UnknownKind, scheme


class Boat(Object):
    RESOURCE: ClassVar[Resource] = Resource("sea.example.com", "v1", "Boat", "boats")
    api_version: Literal["sea.example.com/v1"] = "sea.example.com/v1"
    kind: Literal["Boat"] = "Boat"
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)


class BoatV2(Object):
    RESOURCE: ClassVar[Resource] = Resource("sea.example.com", "v2", "Boat", "boats")
    api_version: Literal["sea.example.com/v2"] = "sea.example.com/v2"
    kind: Literal["Boat"] = "Boat"
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)


@pytest.fixture
def known() -> Scheme:
    made = Scheme()
    made.register(Boat)
    made.register(BoatV2)
    return made


def test_versions_of_a_kind_stand_side_by_side(known: Scheme) -> None:
    assert known.lookup("sea.example.com/v1", "Boat") is Boat
    assert known.lookup("sea.example.com/v2", "Boat") is BoatV2
    assert known.kinds() == (Boat.RESOURCE.gvk, BoatV2.RESOURCE.gvk)
    assert Boat.RESOURCE.gvk in known
    assert GroupVersionKind.of("v1", "Boat") not in known


def test_decoding_finds_the_class(known: Scheme) -> None:
    wire = {"apiVersion": "sea.example.com/v2", "kind": "Boat", "metadata": {"name": "a"}, "new": 1}
    boat = known.decode(wire)
    assert type(boat) is BoatV2
    assert boat.to_wire() == wire


@pytest.mark.parametrize(
    "wire", [{}, {"kind": "Boat"}, {"apiVersion": "v1"}, {"apiVersion": 1, "kind": "Boat"}]
)
def test_an_object_without_a_kind_is_refused(known: Scheme, wire: dict[str, object]) -> None:
    with pytest.raises(ValueError, match='an object needs "apiVersion" and "kind"'):
        known.decode(wire)


@pytest.mark.parametrize(
    ("api_version", "kind", "message"),
    [
        ("sea.example.com/v3", "Boat", "it is there as sea.example.com/v1 and sea.example.com/v2"),
        (
            "sea.example.com/v1",
            "Boot",
            'did you mean "Boat"? kinds of "sea.example.com" that are there: Boat',
        ),
        ("sea.example.com/v1", "Whale", 'kinds of "sea.example.com" that are there: Boat'),
        ("apps/v1", "Deployment", "import opgen.k8s for the kinds of Kubernetes itself"),
        ("v1", "Pod", "import opgen.k8s for the kinds of Kubernetes itself"),
        ("policy.networking.k8s.io/v1", "X", "import opgen.k8s for the kinds of Kubernetes itself"),
        (
            "air.example.com/v1",
            "Plane",
            'import the package that was generated from the CRDs of "air.example.com"; '
            f'groups that are there: "sea.example.com" ({__name__.split(".")[0]})',
        ),
    ],
)
def test_an_unknown_kind_says_what_to_do(
    known: Scheme, api_version: str, kind: str, message: str
) -> None:
    with pytest.raises(UnknownKind) as caught:
        known.lookup(api_version, kind)
    assert (
        str(caught.value)
        == f'no class is registered for kind "{kind}" of "{api_version}": {message}'
    )
    assert caught.value.gvk == GroupVersionKind.of(api_version, kind)


def test_an_empty_scheme_and_a_crowded_group() -> None:
    with pytest.raises(UnknownKind, match="groups that are there: none"):
        Scheme().lookup("air.example.com/v1", "Plane")
    crowded = Scheme()
    for number in range(12):
        crowded.provide("air.example.com/v1", f"Kind{number:02}", "air", f"Kind{number:02}")
    with pytest.raises(UnknownKind, match=r"Kind00, .*, Kind07 and 4 more"):
        crowded.lookup("air.example.com/v1", "Zeppelin")


def test_two_classes_for_one_kind_are_an_error_that_names_both(known: Scheme) -> None:
    class Other(Object):
        RESOURCE: ClassVar[Resource] = Boat.RESOURCE

    with pytest.raises(
        ValueError, match=rf'"{__name__}.Boat" already, and now "{__name__}.\S*Other"'
    ):
        known.register(Other)
    with pytest.raises(
        ValueError, match=rf'"{__name__}.Boat" already, and now "elsewhere.v1.Boat"'
    ):
        known.provide("sea.example.com/v1", "Boat", "elsewhere.v1", "Boat")
    known.register(Boat)
    known.provide("sea.example.com/v1", "Boat", __name__, "Boat")


def test_a_module_is_imported_at_the_first_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "lazy_types"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "boat.py").write_text(
        "from typing import ClassVar\nfrom opgen.meta import Object, Resource\n\n"
        "class Boat(Object):\n    RESOURCE: ClassVar = Resource('sea.example.com', 'v1', 'Boat', 'boats')\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    lazy = Scheme()
    lazy.provide("sea.example.com/v1", "Boat", "lazy_types.boat", "Boat")
    assert "lazy_types" not in sys.modules
    found = lazy.lookup("sea.example.com/v1", "Boat")
    assert (found.__module__, found) == (
        "lazy_types.boat",
        lazy.lookup("sea.example.com/v1", "Boat"),
    )
    again = Scheme()
    again.provide("sea.example.com/v1", "Boat", "lazy_types", "Boat")
    assert again.register(found) is found


def test_generated_packages_share_one_scheme() -> None:
    import opgen.k8s  # noqa: F401

    assert scheme.lookup("apps/v1", "Deployment").RESOURCE.plural == "deployments"
