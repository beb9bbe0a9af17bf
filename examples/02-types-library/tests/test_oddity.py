"""What the types of an odd CRD are like to use."""

import json
from typing import Any

import pytest
from curio.curio_example_com.v1 import (
    Oddity,
    OdditySpec,
    OdditySpecNames,
    OdditySpecRequired,
    OdditySpecSwitch,
    OdditySpecTwins,
)
from pydantic import ValidationError

from opgen.meta import ObjectMeta, Quantity


def make(**more: Any) -> Oddity:
    return Oddity(
        metadata=ObjectMeta(name="one"),
        spec=OdditySpec(
            names=OdditySpecNames(class_="a", from_="b", list_=["c"]),
            required=OdditySpecRequired(),
            switch=OdditySpecSwitch(left="on"),
            **more,
        ),
    )


def test_only_what_was_set_is_sent() -> None:
    assert make().to_wire() == {
        "apiVersion": "curio.example.com/v1",
        "kind": "Oddity",
        "metadata": {"name": "one"},
        "spec": {
            "names": {"class": "a", "from": "b", "list": ["c"]},
            "required": {},
            "switch": {"left": "on"},
        },
    }


def test_defaults_are_read_and_sent_once_they_are_changed() -> None:
    obj = make()
    assert obj.spec.quota.memory == Quantity("1024Mi")
    assert "quota" not in obj.to_wire()["spec"]
    obj.spec.quota.max = 20
    assert obj.to_wire()["spec"]["quota"] == {"max": 20}


def test_twins_both_keep_their_wire_names() -> None:
    twins = OdditySpecTwins.from_wire({"proxyURL": "a", "proxyUrl": "b"})
    assert (twins.proxyURL, twins.proxy_url) == ("a", "b")
    assert twins.to_wire() == {"proxyURL": "a", "proxyUrl": "b"}


@pytest.mark.parametrize(
    "spec",
    [
        {"enums": {"case": "hEAD"}},
        {"enums": {"bits": "32"}},
        {"enums": {"comparator": "<="}},
        {"numbers": {"small": 2**31}},
        {"numbers": {"exclusive": 0}},
        {"numbers": {"port": True}},
        {"strings": {"ip": "not one"}},
        {"strings": {"inline": "other"}},
        {"switch": {"left": "a", "right": {}}},
        {"lists": {"tags": ["a", "a"]}},
        {"lists": {"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]}},
    ],
)
def test_what_the_server_refuses_is_refused(spec: dict[str, Any]) -> None:
    wire = make().to_wire()
    wire["spec"].update(spec)
    with pytest.raises(ValidationError):
        Oddity.from_wire(wire)


@pytest.mark.parametrize(
    "spec",
    [
        {"enums": {"case": "head", "words": "on", "stripe": 0, "quoted": 'say "so"'}},
        {"numbers": {"small": 1.0, "port": "http", "ratio": 1}},
        {
            "strings": {
                "ip": "",
                "letters": "é",
                "set-like": "a-b_[",
                "at": "2030-01-01T00:00:00.5+02:00",
            }
        },
        {"maps": {"limits": {"cpu": "0.50", "memory": 5}}, "required": None},
        {
            "open": {
                "anything": [1, None],
                "embedded": {"apiVersion": "v1", "kind": "A", "x": 1},
                "empty": {},
            }
        },
        {"open": {"known": {"typed": 1, "other": {"a": None}}}},
    ],
)
def test_what_the_server_takes_comes_back_to_the_letter(spec: dict[str, Any]) -> None:
    wire = make().to_wire()
    wire["spec"].update(spec)
    wire["spec"]["fromTheFuture"] = {"kept": True}
    obj = Oddity.from_json(json.dumps(wire))
    assert json.dumps(obj.to_wire()) == json.dumps(wire)
    assert json.dumps(obj.deepcopy().to_wire()) == json.dumps(wire)


def test_versions_stand_side_by_side() -> None:
    from curio.curio_example_com.v1alpha1 import Oddity as Early

    early = Early.from_wire({"metadata": {"name": "one"}, "spec": {"whatever": 1}})
    assert early.to_wire()["apiVersion"] == "curio.example.com/v1alpha1"
    assert early.spec == {"whatever": 1}


def test_client_has_the_verbs_that_the_crd_allows() -> None:
    from curio.curio_example_com.v1 import OddityClient
    from curio.curio_example_com.v1alpha1 import OddityClient as EarlyClient

    assert hasattr(OddityClient, "update_status")
    assert not hasattr(EarlyClient, "update_status")
    assert not hasattr(OddityClient, "scale")
