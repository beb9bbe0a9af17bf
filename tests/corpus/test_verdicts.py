"""The models against a real API server's verdict on 17,908 generated objects.

docs/fidelity.md lists the classes of difference with their reasons.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from opgen.meta import Model, Object
from tests.corpus.conftest import PACKAGE
from tests.shared import SHARED, needs_shared

pytestmark = needs_shared

SCHEMA_REASONS = frozenset(
    "FieldValueTypeInvalid FieldValueRequired FieldValueNotSupported FieldValueDuplicate "
    "FieldValueTooLong FieldValueTooMany".split()
)


@dataclass(frozen=True)
class Recorded:
    """One object with what the server said of it; `label` is what was tried."""

    kind: type[Object]
    where: str
    label: str
    code: int
    sent: dict[str, Any]
    got: dict[str, Any]
    causes: list[list[str]]


def head(kind: type[Object]) -> dict[str, Any]:
    resource = kind.RESOURCE
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "x"}}


@pytest.fixture(scope="module")
def recorded(types: Path) -> list[Recorded]:
    assert SHARED is not None
    out = []
    by_crd: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(
        SHARED / "golden" / "verdicts" / "dev.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        for line in lines:
            record = json.loads(line)
            by_crd[record["crd"]].append(record)
    kinds = {}
    for path in types.rglob("*.py"):
        if path.name != "__init__.py":
            source = path.read_text("utf-8").partition("\n")[0]
            module = import_module(
                ".".join((PACKAGE, *path.relative_to(types).with_suffix("").parts))
            )
            for value in vars(module).values():
                if (
                    isinstance(value, type)
                    and issubclass(value, Object)
                    and value.__module__ == module.__name__
                ):
                    kinds[
                        source.split(" from ")[1].split(". DO NOT")[0].rsplit("/", 1)[-1],
                        value.RESOURCE.version,
                    ] = value
    for crd_file, records in by_crd.items():
        for record in records:
            if not isinstance(record["sent"], dict):
                continue
            kind = kinds[crd_file.rsplit("/", 1)[-1], record["version"]]
            sent = {**head(kind), **record["sent"]}
            got = {**head(kind), **record.get("got", record["sent"])}
            causes = record.get("causes") or []
            out.append(Recorded(kind, crd_file, record["label"], record["code"], sent, got, causes))
    assert len(out) > 17_000
    return out


def decoded(record: Recorded) -> Object:
    """Return the object that the server stored.

    74 of them lack fields that their schema requires: they were posted to a version that is not the stored one of a CRD
    whose conversion the recording left out. That is what `partial` is for.
    """
    return record.kind.from_wire(record.got, partial=not _strictly_valid(record))


def with_unknown(wire: Any, value: Any) -> Any:
    """Return the wire form of a decoded value with an unknown field added to every object of a schema."""
    if isinstance(value, Model):
        names = {wire_name: name for name, wire_name, _ in type(value)._fields()}
        out = {k: with_unknown(v, value.__dict__.get(names.get(k, ""))) for k, v in wire.items()}
        return {**out, "fromTheFuture": {"a": [1, None, 1.5]}}
    if isinstance(value, list):
        return [with_unknown(one, item) for one, item in zip(wire, value, strict=True)]
    if isinstance(value, dict):
        return {key: with_unknown(one, value[key]) for key, one in wire.items()}
    return wire


def mutable(value: Any) -> Iterator[int]:
    """Yield the identity of everything within a value that can change."""
    if isinstance(value, Model):
        yield id(value)
        for item in (*value.__dict__.values(), *(value.model_extra or {}).values()):
            yield from mutable(item)
    elif isinstance(value, dict | list):
        yield id(value)
        for item in value.values() if isinstance(value, dict) else value:
            yield from mutable(item)


def test_everything_the_server_stored_comes_back_to_the_letter(recorded: list[Recorded]) -> None:
    accepted = [record for record in recorded if record.code == 201]
    assert len(accepted) > 9_000
    partial = 0
    for record in accepted:
        text = json.dumps(record.got)
        obj = decoded(record)
        partial += not _strictly_valid(record)
        assert json.dumps(obj.to_wire()) == text, (record.where, record.label)
        assert json.dumps(json.loads(obj.to_json())) == text, (record.where, record.label)
        again = record.kind.from_wire(json.loads(text), partial=True)
        assert json.dumps(again.to_wire()) == text
    assert partial == 74


def _strictly_valid(record: Recorded) -> bool:
    try:
        record.kind.from_wire(record.got)
    except ValidationError as error:
        return {problem["type"] for problem in error.errors()} != {"missing"}
    return True


def test_unknown_fields_at_every_object_come_back(recorded: list[Recorded]) -> None:
    for record in recorded:
        if record.code == 201:
            obj = decoded(record)
            wire = with_unknown(record.got, obj)
            again = record.kind.from_wire(wire, partial=True)
            assert json.dumps(again.to_wire()) == json.dumps(wire), (record.where, record.label)


def test_deep_copies_are_equal_and_share_nothing_that_can_change(recorded: list[Recorded]) -> None:
    for record in recorded:
        if record.code == 201:
            obj = decoded(record)
            copy = obj.deepcopy()
            assert copy == obj
            assert not set(mutable(obj)) & set(mutable(copy)), (record.where, record.label)
            assert json.dumps(copy.to_wire()) == json.dumps(record.got)


def test_models_refuse_and_accept_as_the_server_does(recorded: list[Recorded]) -> None:
    """Faults under a status that the server drops, unknown fields (400) and CEL-only refusals left out."""
    counts: Counter[str] = Counter()
    different = []
    for record in recorded:
        status = record.kind.RESOURCE.status
        if record.code == 400 or (status and ":status" in record.label):
            continue
        if record.code == 422 and record.causes and not any(map(_is_schema_cause, record.causes)):
            continue
        sent = {
            key: value for key, value in record.sent.items() if not (status and key == "status")
        }
        try:
            record.kind.from_wire(sent)
            mine = 201
        except ValidationError:
            mine = 422
        counts["judged"] += 1
        if mine != record.code:
            different.append((record.where, record.label, record.code, record.causes[:2]))
    assert counts["judged"] > 11_000
    assert len(different) <= counts["judged"] // 1000, different[:20]


def _is_schema_cause(cause: list[str]) -> bool:
    _, reason, message = cause
    return reason in SCHEMA_REASONS or " in body" in message or "Checked value" in message
