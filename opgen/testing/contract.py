"""Tests that hold for every kind; generated tests inherit them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from opgen.apiserver import ApiServer
from opgen.client import Client
from opgen.crd.yaml import load_documents
from opgen.meta import Model, Object

__all__ = ["Contract", "read_sample"]

T = TypeVar("T", bound=Object)


def read_sample(kind: type[T], folder: Path = Path("config/samples")) -> T:
    """Return the first sample of a kind in a folder. Raises LookupError if there is none."""
    for path in sorted(folder.glob("*.yaml")):
        for document in load_documents(path.read_text("utf-8"), str(path)):
            wire = document.value
            if not isinstance(wire, dict):
                continue
            if (wire.get("apiVersion"), wire.get("kind")) == (
                kind.RESOURCE.api_version,
                kind.RESOURCE.kind,
            ):
                return kind.from_wire(wire)
    raise LookupError(f"{folder} has no sample of {kind.RESOURCE.gvk}")


class Contract:
    """What must hold of a kind: subclasses say which, and are collected by pytest."""

    kind: type[Object]

    def test_sample_comes_back_as_it_was(self) -> None:
        """Decoding and encoding change nothing."""
        wire = read_sample(self.kind).to_wire()
        assert json.dumps(self.kind.from_wire(wire).to_wire()) == json.dumps(wire)

    def test_unknown_fields_survive(self) -> None:
        """What a newer server sends is written back."""
        wire = {**read_sample(self.kind).to_wire(), "fromTheFuture": {"a": [1, None]}}
        assert self.kind.from_wire(wire).to_wire() == wire

    def test_deep_copy_shares_nothing_that_can_change(self) -> None:
        """Neither of two copies sees what happens to the other."""
        obj = read_sample(self.kind)
        copy = obj.deepcopy()
        assert copy == obj
        assert not _mutable(obj) & _mutable(copy)

    async def test_server_accepts_the_sample(self, client: Client, cluster: ApiServer) -> None:
        """The sample is valid by the CRD, CEL rules included, and can be applied twice."""
        obj = read_sample(self.kind)
        if self.kind.RESOURCE.namespaced:
            obj.metadata.namespace = obj.metadata.namespace or "default"
        first = await client.apply(obj, field_manager="contract")
        again = await client.apply(obj, field_manager="contract")
        assert first.metadata.resource_version == again.metadata.resource_version


def _mutable(value: Any) -> set[int]:
    """Return the identities of everything within a value that can change."""
    if isinstance(value, Model):
        inner = [*value.__dict__.values(), *(value.model_extra or {}).values()]
    elif isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    else:
        return set()
    return {id(value)}.union(*map(_mutable, inner))
