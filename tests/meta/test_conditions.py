"""The rules of apimachinery's SetStatusCondition."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import Field, ValidationError

from opgen.meta import (
    Condition,
    Model,
    Object,
    ObjectMeta,
    Resource,
    Time,
    find_condition,
    is_condition_true,
    remove_condition,
    set_condition,
    use_clock,
)
from opgen.meta.conditions import has_conditions, set_condition_of

START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def step(self, seconds: float = 60) -> str:
        self.now += timedelta(seconds=seconds)
        return str(Time.of(self.now))


class Loose(Model):
    """A condition of a vendor's own making: no reason, no times."""

    type: str
    status: str


class Sailing(Model):
    type: Annotated[str, Field(max_length=20)]
    status: Literal["True", "False", "Unknown"]
    reason: Annotated[str, Field(pattern="^[A-Z]")]
    message: Annotated[str, Field(max_length=10)] | None = None
    last_transition_time: Time
    severity: str | None = None


class BoatStatus(Model):
    conditions: list[Sailing] | None = None
    knots: int | None = None


class Boat(Object):
    RESOURCE: ClassVar[Resource] = Resource("sea.example.com", "v1", "Boat", "boats", status=True)
    api_version: Literal["sea.example.com/v1"] = "sea.example.com/v1"
    kind: Literal["Boat"] = "Boat"
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)
    status: BoatStatus | None = None


class Raft(Boat):
    status: None = None  # type: ignore[assignment]


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_new_condition_is_of_the_class_of_the_list(clock: Clock) -> None:
    conditions: list[Condition] = []
    assert set_condition(
        conditions, Condition, "Ready", True, reason="Up", observed_generation=3, clock=clock
    )
    assert [one.to_wire() for one in conditions] == [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Up",
            "message": "",
            "observedGeneration": 3,
            "lastTransitionTime": "2026-03-04T05:06:07Z",
        }
    ]


def test_the_time_moves_only_with_the_status(clock: Clock) -> None:
    conditions: list[Condition] = []
    set_condition(
        conditions, Condition, "Ready", True, reason="Up", observed_generation=1, clock=clock
    )
    before = clock.now
    clock.step()
    assert not set_condition(
        conditions, Condition, "Ready", True, reason="Up", observed_generation=1, clock=clock
    )
    for change in ({"reason": "Still"}, {"message": "fine"}, {"observed_generation": 2}):
        wanted = {"reason": "Up", "message": "", "observed_generation": 1} | change
        assert set_condition(conditions, Condition, "Ready", "True", clock=clock, **wanted)  # type: ignore[arg-type]
        assert conditions[0].last_transition_time == Time.of(before)
        assert getattr(conditions[0], next(iter(change))) == next(iter(change.values()))
    then = clock.step()
    assert set_condition(conditions, Condition, "Ready", False, reason="Down", clock=clock)
    assert conditions[0].last_transition_time == then
    assert len(conditions) == 1


def test_an_unknown_generation_leaves_the_observed_one() -> None:
    conditions: list[Condition] = []
    set_condition(conditions, Condition, "Ready", True, reason="Up", observed_generation=4)
    assert not set_condition(conditions, Condition, "Ready", True, reason="Up")
    assert conditions[0].observed_generation == 4


def test_setting_the_same_again_is_no_change_whatever_the_clock_says(clock: Clock) -> None:
    boat = Boat(metadata=ObjectMeta(name="a", generation=1))
    with use_clock(clock):
        assert boat.set_condition("Ready", True, reason="Afloat")
        before = boat.to_wire()
        for _ in range(5):
            clock.step(1.1)
            assert not boat.set_condition("Ready", True, reason="Afloat")
        assert boat.to_wire() == before


def test_other_conditions_keep_their_place() -> None:
    conditions: list[Condition] = []
    for name in ("A", "B", "C"):
        set_condition(conditions, Condition, name, "Unknown", reason="Waiting")
    set_condition(conditions, Condition, "B", True, reason="Done")
    assert [(one.type, one.status) for one in conditions] == [
        ("A", "Unknown"),
        ("B", "True"),
        ("C", "Unknown"),
    ]
    assert is_condition_true(conditions, "B")
    assert not is_condition_true(conditions, "A")
    assert not is_condition_true(None, "A")
    assert find_condition(conditions, "C") is conditions[2]
    assert find_condition(None, "C") is None
    assert remove_condition(conditions, "B")
    assert not remove_condition(conditions, "B")
    assert [one.type for one in conditions] == ["A", "C"]


def test_a_class_without_reason_and_times_gets_what_it_has() -> None:
    conditions: list[Loose] = []
    assert set_condition(
        conditions, Loose, "Ready", False, reason="Down", message="x", observed_generation=1
    )
    assert not set_condition(conditions, Loose, "Ready", False, reason="Other")
    assert [one.to_wire() for one in conditions] == [{"type": "Ready", "status": "False"}]


@pytest.mark.parametrize("reason", ["", "not one word", "1st", "Ends-", "a\n", "x" * 1025])
def test_a_reason_is_what_the_server_takes(reason: str) -> None:
    with pytest.raises(ValueError, match="is no condition reason, expected one CamelCase word"):
        set_condition([], Condition, "Ready", True, reason=reason)


@pytest.mark.parametrize(
    ("type_", "status"), [("", True), ("not ready", True), ("Ready", "true"), ("Ready", "Maybe")]
)
def test_a_type_and_a_status_are_what_the_server_takes(type_: str, status: bool | str) -> None:
    with pytest.raises(ValueError, match=r"is no condition (type|status), expected"):
        set_condition([], Condition, type_, status, reason="Up")


def test_names_with_a_domain_are_types() -> None:
    conditions: list[Condition] = []
    assert set_condition(
        conditions, Condition, "sea.example.com/Afloat", True, reason="Up:Now,then_1"
    )


def test_a_refused_value_changes_nothing(clock: Clock) -> None:
    boat = Boat.from_wire(
        {
            "status": {
                "conditions": [
                    {
                        "type": "Ready",
                        "status": "False",
                        "reason": "Down",
                        "lastTransitionTime": "2020-01-01T00:00:00Z",
                        "x": 1,
                    }
                ]
            }
        }
    )
    before = boat.to_wire()
    with pytest.raises(ValidationError):
        boat.set_condition("Ready", True, reason="Up", message="far too long for this kind")
    with pytest.raises(ValidationError):
        boat.set_condition("Other", True, reason="lower")
    assert boat.to_wire() == before
    assert set_condition_of(boat, "Ready", True, reason="Up", message="fine", clock=clock)
    assert boat.to_wire()["status"]["conditions"] == [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Up",
            "lastTransitionTime": "2026-03-04T05:06:07Z",
            "x": 1,
            "message": "fine",
        }
    ]


def test_an_object_gets_a_status_when_it_has_none(clock: Clock) -> None:
    boat = Boat(metadata=ObjectMeta(name="a", generation=7))
    assert set_condition_of(boat, "Ready", True, reason="Afloat", clock=clock)
    assert boat.to_wire()["status"] == {
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "Afloat",
                "message": "",
                "lastTransitionTime": "2026-03-04T05:06:07Z",
            }
        ]
    }
    boat.status = BoatStatus(knots=3)
    assert set_condition_of(boat, "Ready", False, reason="Sunk", clock=clock)
    assert boat.to_wire()["status"]["knots"] == 3
    assert is_condition_true(boat.status.conditions, "Ready") is False


def test_a_kind_without_conditions_says_so() -> None:
    assert has_conditions(Boat)
    assert not has_conditions(Raft)
    with pytest.raises(TypeError, match=r'"Raft" has no status\.conditions in its schema'):
        Raft(metadata=ObjectMeta(name="a")).set_condition("Ready", True, reason="Up")
