from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from opgen.meta import (
    Condition,
    EmbeddedResource,
    LabelSelector,
    LabelSelectorRequirement,
    ListMeta,
    ManagedFieldsEntry,
    Model,
    ObjectMeta,
    OwnerReference,
    Status,
    StatusCause,
    StatusDetails,
)

META = {
    "name": "a",
    "generateName": "a-",
    "namespace": "web",
    "selfLink": "/x",
    "uid": "u-1",
    "resourceVersion": "12",
    "generation": 3,
    "creationTimestamp": "2026-03-04T05:06:07Z",
    "deletionTimestamp": "2026-03-04T05:06:08Z",
    "deletionGracePeriodSeconds": 30,
    "labels": {"b": "1", "a": "2"},
    "annotations": {"note": "é"},
    "ownerReferences": [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "p",
            "uid": "u",
            "controller": True,
            "blockOwnerDeletion": False,
            "new": [1],
        }
    ],
    "finalizers": ["example.com/hold"],
    "managedFields": [
        {
            "manager": "kubectl",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": "2026-03-04T05:06:07Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {".": {}}}},
            "subresource": "status",
        }
    ],
    "tomorrow": {"deep": [{"er": None}]},
}
FULL: list[tuple[type[Model], dict[str, Any]]] = [
    (ObjectMeta, META),
    (
        ListMeta,
        {
            "selfLink": "",
            "resourceVersion": "1",
            "continue": "abc",
            "remainingItemCount": 5,
            "x": {"y": 1},
        },
    ),
    (OwnerReference, META["ownerReferences"][0]),  # type: ignore[index]
    (ManagedFieldsEntry, META["managedFields"][0]),  # type: ignore[index]
    (
        Condition,
        {
            "type": "Ready",
            "status": "True",
            "lastTransitionTime": "2026-03-04T05:06:07Z",
            "reason": "Up",
            "message": "",
            "observedGeneration": 1,
        },
    ),
    (
        LabelSelector,
        {
            "matchLabels": {"a": "b"},
            "matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}],
        },
    ),
    (LabelSelectorRequirement, {"key": "k", "operator": "Exists", "z": [[1]]}),
    (
        EmbeddedResource,
        {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": META,
            "spec": {"containers": [{"name": "c"}]},
        },
    ),
    (EmbeddedResource, {"kind": "Pod", "apiVersion": "v1", "metadata": None}),
    (StatusCause, {"reason": "FieldValueInvalid", "message": "no", "field": "spec.a"}),
    (
        StatusDetails,
        {
            "name": "a",
            "group": "g",
            "kind": "k",
            "uid": "u",
            "causes": [{"field": "spec.a"}],
            "retryAfterSeconds": 1,
        },
    ),
    (
        Status,
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "m",
            "reason": "Invalid",
            "details": {"causes": [{"reason": "r"}]},
            "code": 422,
        },
    ),
    (Status, {"kind": "Status", "apiVersion": "v1", "metadata": None, "details": None}),
]

each_full = pytest.mark.parametrize(
    ("cls", "wire"), FULL, ids=[f"{cls.__name__}-{i}" for i, (cls, _) in enumerate(FULL)]
)


def containers(value: Any) -> Iterator[Any]:
    """Yield every mutable value within a model, dict or list, and itself."""
    if isinstance(value, Model):
        yield value
        for item in [*value.__dict__.values(), *(value.__pydantic_extra__ or {}).values()]:
            yield from containers(item)
    elif isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


@each_full
def test_what_a_server_sends_comes_back_as_it_was(cls: type[Model], wire: dict[str, Any]) -> None:
    back = cls.from_wire(copy.deepcopy(wire)).to_wire()
    assert back == wire
    assert list(back) == list(wire)


@each_full
def test_every_field_can_be_given_under_its_wire_name_and_is_covered(
    cls: type[Model], wire: dict[str, Any]
) -> None:
    assert {name for name in cls.model_fields if getattr(cls.from_wire(wire), name) is None} <= {
        "values",
        "metadata",
        "details",
        "status",
        "message",
        "reason",
        "code",
    }


@each_full
def test_a_copy_is_equal_and_shares_nothing_mutable(cls: type[Model], wire: dict[str, Any]) -> None:
    original = cls.from_wire(copy.deepcopy(wire))
    for made in (original.deepcopy(), copy.deepcopy(original)):
        assert made == original
        assert made.to_wire() == wire
        assert not {id(one) for one in containers(made)} & {id(one) for one in containers(original)}


def test_metadata_is_strict_in_authoring() -> None:
    assert ObjectMeta(name="a", labels={"a": "b"}).to_wire() == {"name": "a", "labels": {"a": "b"}}
    for wrong in (
        {"nome": "a"},
        {"generation": "1"},
        {"labels": {"a": 1}},
        {"creation_timestamp": "yesterday"},
    ):
        with pytest.raises(ValidationError):
            ObjectMeta(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wire", "taken"),
    [
        ({"apiVersion": "v1", "kind": "Pod"}, True),
        (
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "Bad Name"},
                "x": 1,
            },
            True,
        ),
        ({}, False),
        ({"kind": "Pod"}, False),
        ({"apiVersion": "v1"}, False),
        ({"apiVersion": "v1/2/3", "kind": "Pod"}, False),
        ({"apiVersion": "v1", "kind": "pod!"}, False),
        ({"apiVersion": "", "kind": "Pod"}, False),
        ({"apiVersion": "v1", "kind": ""}, False),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 5}}}, False),
    ],
)
def test_an_embedded_resource_needs_a_kind_as_the_server_says(
    wire: dict[str, Any], taken: bool
) -> None:
    if taken:
        assert EmbeddedResource.from_wire(wire).to_wire() == wire
    else:
        with pytest.raises(ValidationError):
            EmbeddedResource.from_wire(wire)


def test_an_embedded_resource_takes_any_field_when_made() -> None:
    made = EmbeddedResource.model_validate({"apiVersion": "v1", "kind": "Pod", "spec": {"a": [1]}})
    assert made.to_wire() == {"apiVersion": "v1", "kind": "Pod", "spec": {"a": [1]}}


def test_a_status_made_here_says_what_it_is() -> None:
    made = Status(status="Failure", code=404, details=StatusDetails(name="a"))
    assert made.to_wire() == {
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "code": 404,
        "details": {"name": "a"},
    }


SELECTORS: list[tuple[dict[str, Any], str, list[dict[str, str]], list[dict[str, str]]]] = [
    ({}, "", [{}, {"a": "b"}], []),
    (
        {"matchLabels": {"b": "2", "a": "1"}},
        "a=1,b=2",
        [{"a": "1", "b": "2", "c": "3"}],
        [{}, {"a": "1"}, {"a": "1", "b": "3"}],
    ),
    (
        {"matchExpressions": [{"key": "k", "operator": "In", "values": ["y", "x"]}]},
        "k in (x,y)",
        [{"k": "x"}],
        [{}, {"k": "z"}],
    ),
    (
        {"matchExpressions": [{"key": "k", "operator": "NotIn", "values": ["x"]}]},
        "k notin (x)",
        [{}, {"k": "z"}],
        [{"k": "x"}],
    ),
    ({"matchExpressions": [{"key": "k", "operator": "Exists"}]}, "k", [{"k": ""}], [{}]),
    ({"matchExpressions": [{"key": "k", "operator": "DoesNotExist"}]}, "!k", [{}], [{"k": ""}]),
    (
        {
            "matchLabels": {"z": "1"},
            "matchExpressions": [
                {"key": "a", "operator": "Exists"},
                {"key": "z", "operator": "In", "values": ["1"]},
            ],
        },
        "a,z in (1),z=1",
        [{"a": "", "z": "1"}],
        [{"z": "1"}, {"a": ""}],
    ),
]


@pytest.mark.parametrize(
    ("wire", "text", "chosen", "others"),
    SELECTORS,
    ids=[text or "all" for _, text, _, _ in SELECTORS],
)
def test_a_selector_chooses_and_is_written_for_a_request(
    wire: dict[str, Any], text: str, chosen: list[dict[str, str]], others: list[dict[str, str]]
) -> None:
    selector = LabelSelector.from_wire(wire)
    assert str(selector) == text
    assert [labels for labels in chosen if not selector.matches(labels)] == []
    assert [labels for labels in others if selector.matches(labels)] == []
    assert selector.matches(None) == selector.matches({})


def test_an_unknown_operator_is_an_error() -> None:
    rule = LabelSelectorRequirement(key="k", operator="Like")
    for use in (str, lambda each: each.matches({"k": ""})):
        with pytest.raises(
            ValueError, match='"Like" is no operator, expected In, NotIn, Exists or DoesNotExist'
        ):
            use(rule)
