"""A copy and its origin: equal at first, and nothing that is done to one is seen in the other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ConfigDict

from opgen.meta import Model


class Open(Model):
    model_config = ConfigDict(extra="allow")

    a: int | None = None
    b: int | None = None


class Outer(Model):
    inner: Open | None = None
    names: list[str] | None = None


WIRE = {"inner": {"a": 1}, "names": ["x"]}


def outer() -> Outer:
    return Outer.from_wire(WIRE)


WAYS: list[Callable[[Model], Model]] = [
    Model.deepcopy,
    copy.copy,
    copy.deepcopy,
    Model.model_copy,
    lambda model: model.model_copy(deep=True),
    lambda model: pickle.loads(pickle.dumps(model.deepcopy())),
]


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_equal_and_written_the_same(way: Callable[[Model], Model]) -> None:
    origin = outer()
    made = way(origin)
    assert made == origin
    assert made.to_wire() == WIRE


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("turned", [False, True])
def test_what_is_set_on_one_is_not_given_on_the_other(
    way: Callable[[Any], Any], turned: bool
) -> None:
    one = Open.from_wire({"a": 1})
    other = way(one)
    if turned:
        one, other = other, one
    other.b = 2
    other.unknown = 3
    assert one.to_wire() == {"a": 1}
    assert other.to_wire() == {"a": 1, "b": 2, "unknown": 3}


@pytest.mark.parametrize("deep", [False, True])
def test_an_updated_copy_leaves_its_origin_alone(deep: bool) -> None:
    origin = Open.from_wire({"a": 1})
    assert origin.model_copy(update={"b": 2}, deep=deep).to_wire() == {"a": 1, "b": 2}
    assert origin.to_wire() == {"a": 1}


def test_the_set_of_given_fields_is_each_models_own() -> None:
    origin = Open.from_wire({"a": 1})
    origin.deepcopy().model_fields_set.add("b")
    assert origin.to_wire() == {"a": 1}


def test_a_part_of_a_copy_is_a_whole_model() -> None:
    inner = outer().deepcopy().inner
    assert inner is not None
    assert inner.to_wire() == {"a": 1}
    assert pickle.loads(pickle.dumps(inner)) == inner
