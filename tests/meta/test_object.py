"""Models: the exact wire form, strict authoring, deep copies, equality, rules."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, ValidationError

from opgen.meta import (
    Condition,
    Model,
    Object,
    ObjectMeta,
    Quantity,
    Resource,
    Rules,
    Time,
    set_condition,
)


class Part(Model):
    name: str
    weight: float | None = None


class Spec(Model):
    LIST_MAP_KEYS = {"parts": ("name",)}  # noqa: RUF012 - the base says it is a ClassVar
    LIST_SETS = frozenset(["tags"])
    size: int
    bits: Literal[32, 64] | None = None
    color: str = "red"
    if_: bool | None = None
    limits: dict[str, Quantity] | None = None
    parts: list[Part] | None = None
    tags: list[str] = ["a"]  # noqa: RUF012 - pydantic copies it
    nested: Part = Field(default_factory=lambda: Part(name="made"))
    ca_crt: Annotated[str | None, Field(alias="ca.crt")] = None
    free: Any = None


class Either(Model):
    RULES = Rules({"oneOf": [{"required": ["left"]}, {"required": ["right"]}]})
    left: str | None = None
    right: str | None = None

    def model_post_init(self, context: Any, /) -> None:
        self.RULES.check(self)


class Status(Model):
    conditions: list[Condition] | None = None


class Thing(Object):
    RESOURCE = Resource(
        group="example.com", version="v1", kind="Thing", plural="things", status=True
    )
    api_version: Literal["example.com/v1"] = "example.com/v1"
    kind: Literal["Thing"] = "Thing"
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)
    spec: Spec
    status: Status | None = None


def thing(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a"},
        "spec": {"size": 1, **spec},
    }


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"size": 1.0},
        {"parts": [{"name": "x", "weight": 1}, {"weight": 1.0, "name": "y"}]},
        {"unknown": {"a": [1, None]}, "color": "blue", "another": 1},
        {"color": None, "if": True, "ca.crt": ""},
        {"tags": [], "parts": [], "limits": {}},
        {"limits": {"memory": "1.50Gi", "cpu": 1, "odd": None}},
        {"free": {"deep": [{"a": None}]}},
        {"bits": 64.0},
    ],
)
def test_what_was_decoded_is_encoded_to_the_letter(spec: dict[str, Any]) -> None:
    text = json.dumps({**thing(**spec), "extra": True})
    assert json.dumps(Thing.from_json(text).to_wire()) == text
    assert json.dumps(Thing.from_json(text).deepcopy().to_wire()) == text


def test_key_order_of_the_wire_is_kept_and_new_fields_come_last() -> None:
    obj = Thing.from_wire(
        {
            "spec": {"color": "blue", "zzz": 1, "size": 2},
            "kind": "Thing",
            "apiVersion": "example.com/v1",
        }
    )
    obj.spec.if_ = True
    assert json.dumps(obj.to_wire()["spec"]) == '{"color": "blue", "zzz": 1, "size": 2, "if": true}'


@pytest.mark.parametrize(
    "wrong", ["1", True, 1.5, None, Decimal(1), Quantity("1"), float("inf"), float("nan")]
)
def test_nothing_is_coerced_to_an_integer(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Spec(size=wrong)
    with pytest.raises(ValidationError):
        Spec.from_wire({"size": wrong})
    spec = Spec(size=1)
    with pytest.raises(ValidationError):
        spec.size = wrong
    assert spec.size == 1


@pytest.mark.parametrize("wrong", ["1", True, Decimal(1), float("inf")])
def test_nothing_is_coerced_to_a_number(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Part(name="a", weight=wrong)


def test_unknown_names_are_refused_where_one_writes_and_kept_where_one_reads() -> None:
    with pytest.raises(ValidationError):
        Spec(size=1, colour="red")  # type: ignore[call-arg]
    spec = Spec.from_wire({"size": 1, "colour": "red"})
    with pytest.raises(ValueError, match="colour"):
        spec.colour = "blue"  # type: ignore[attr-defined]
    with pytest.raises(ValidationError):
        spec.nested = {"name": "a", "nmae": "b"}  # type: ignore[assignment]
    spec.color = "blue"
    assert spec.to_wire() == {"size": 1, "colour": "red", "color": "blue"}


def test_absent_null_and_default_are_three_things() -> None:
    assert Spec.from_wire({"size": 1}).to_wire() == {"size": 1}
    assert Spec.from_wire({"size": 1, "color": None}).to_wire() == {"size": 1, "color": None}
    assert Spec.from_wire({"size": 1, "color": "red"}).to_wire() == {"size": 1, "color": "red"}
    assert Spec.from_wire({"size": 1}).color == "red"


def test_a_default_that_is_changed_in_place_is_sent() -> None:
    spec = Spec(size=1)
    assert spec.to_wire() == {"size": 1}
    spec.tags.append("b")
    spec.nested.weight = 2
    assert spec.to_wire() == {
        "size": 1,
        "tags": ["a", "b"],
        "nested": {"name": "made", "weight": 2},
    }
    assert Spec(size=1).tags == ["a"]


def test_absent_required_fields_can_be_read_on_purpose() -> None:
    wire = {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a"},
        "spec": {"later": 1},
    }
    with pytest.raises(ValidationError):
        Thing.from_wire(wire)
    obj = Thing.from_wire(wire, partial=True)
    assert obj.spec.size is None
    assert obj.to_wire() == wire
    with pytest.raises(ValidationError):
        Thing.from_wire({**wire, "spec": {"size": "1"}}, partial=True)


def test_list_maps_and_sets_hold_each_once() -> None:
    with pytest.raises(ValidationError, match="name"):
        Spec.from_wire({"size": 1, "parts": [{"name": "a"}, {"name": "a", "weight": 1}]})
    with pytest.raises(ValidationError, match="value"):
        Spec.from_wire({"size": 1, "tags": ["a", "a"]})


def test_rules_hold_when_made_and_decoded_and_let_one_switch() -> None:
    with pytest.raises(ValidationError):
        Either()
    with pytest.raises(ValidationError):
        Either.from_wire({"left": "a", "right": "b"})
    either = Either(left="a")
    either.left = None
    either.right = "b"
    assert either.to_wire() == {"left": None, "right": "b"}
    Either.from_wire(either.to_wire())


def test_deep_copies_are_equal_and_apart() -> None:
    obj = Thing.from_wire({**thing(parts=[{"name": "a"}], free={"x": [1]}), "more": {"y": []}})
    twin = obj.deepcopy()
    assert twin == obj
    assert copy.deepcopy(obj) == obj
    obj.spec.parts[0].name = "b"  # type: ignore[index]
    obj.spec.free["x"].append(2)
    obj.model_extra["more"]["y"].append(1)  # type: ignore[index]
    obj.metadata.name = "c"
    assert twin.to_wire() == {**thing(parts=[{"name": "a"}], free={"x": [1]}), "more": {"y": []}}


def test_equality_is_of_what_would_be_sent() -> None:
    assert Spec(size=1) != Spec(size=1, color="red")
    assert Spec(size=1) == Spec(size=1)
    assert Spec(size=1, limits={"a": Quantity("1")}) == Spec(
        size=1, limits={"a": Quantity("1000m")}
    )
    assert Spec.from_wire({"size": 1, "x": 1}) != Spec.from_wire({"size": 1, "x": 2})
    assert Spec(size=1) != object()


def test_models_go_through_pickle() -> None:
    obj = Thing.from_wire(thing(unknown=1, limits={"a": "1Gi"}))
    again = pickle.loads(pickle.dumps(obj))
    assert again == obj
    assert json.dumps(again.to_wire()) == json.dumps(obj.to_wire())


def test_repr_shows_what_was_set() -> None:
    assert repr(Spec(size=1)) == "Spec(size=1)"


def test_condition_time_moves_with_the_status_only() -> None:
    obj = Thing.from_wire({**thing(), "metadata": {"name": "a", "generation": 3}})
    assert obj.set_condition("Ready", False, reason="Starting")
    assert obj.status is not None
    assert obj.status.conditions is not None
    first = obj.status.conditions[0]
    first.last_transition_time = Time("2020-01-01T00:00:00Z")
    assert not obj.set_condition("Ready", False, reason="Starting")
    assert obj.set_condition("Ready", False, reason="Waiting", message="for pods")
    assert obj.status.conditions[0].last_transition_time == "2020-01-01T00:00:00Z"
    assert obj.set_condition("Ready", True, reason="Done")
    assert obj.status.conditions[0].last_transition_time > "2020-01-01T00:00:00Z"
    assert obj.status.conditions[0].observed_generation == 3
    with pytest.raises(ValueError, match="status"):
        set_condition([], Condition, "Ready", "Perhaps", reason="No")


def test_paths_of_a_kind() -> None:
    assert (
        Thing.RESOURCE.path("web", "a", "status")
        == "/apis/example.com/v1/namespaces/web/things/a/status"
    )
    assert Thing.RESOURCE.path() == "/apis/example.com/v1/things"


def test_building_a_class_again_does_not_wrap_its_numbers_again() -> None:
    first = json.dumps(Spec.__pydantic_core_schema__, default=str)
    for _ in range(3):
        Thing.model_rebuild(force=True)
    assert json.dumps(Spec.__pydantic_core_schema__, default=str) == first
    assert Thing.from_wire(thing(), partial=True).spec.size == 1
