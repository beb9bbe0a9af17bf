"""Between the store and a version: conversion (strategy None), and cleaning of what was stored under another schema."""

from __future__ import annotations

from typing import Any

from opgen.apiserver.kinds import Kind
from opgen.apiserver.schema import clean, unknown_fields
from opgen.apiserver.schema.node import copy_json
from opgen.apiserver.status import StatusError
from opgen.apiserver.store import Store

__all__ = ["from_storage", "key_of", "lookup", "to_storage"]

Object = dict[str, Any]


def key_of(kind: Kind, namespace: str, name: str) -> str:
    """Return the store's key of an object."""
    return f"{namespace}/{name}" if kind.namespaced else f"/{name}"


def lookup(store: Store, kind: Kind, namespace: str, name: str) -> Object | None:
    """Return the stored object, or None."""
    return store.bucket(kind.resource).objects.get(key_of(kind, namespace, name))


def from_storage(stored: Object, kind: Kind) -> Object:
    """Return the object as `kind`'s version shows it; it may be the stored one itself, so do not change it.

    As in the real server, what an object lacks is filled in by the schema of the storage version, whatever
    version is read, and another version only takes away what it does not know.
    """
    if stored["apiVersion"] not in kind.known_versions and kind.known_versions:
        raise StatusError(
            500, "", f"request to convert CR from an invalid group/version: {stored['apiVersion']}"
        )
    stale = (
        kind.since and int(stored["metadata"].get("resourceVersion", kind.since + 1)) <= kind.since
    )
    if stored["apiVersion"] == kind.api_version and not stale:
        return stored
    out: Object = copy_json(stored)
    if not kind.custom:
        return kind.strategy.convert(out, kind)
    out["apiVersion"] = kind.api_version
    if stale:
        unknown_fields(out, kind.storage_schema)
        clean(out, kind.storage_schema)
    if kind.storage_schema is not kind.schema:
        unknown_fields(out, kind.schema)
    return out


def to_storage(obj: Object, kind: Kind) -> Object:
    """Return the object as it is stored; `obj` may become it, so do not change `obj` afterwards."""
    if obj["apiVersion"] == kind.storage_api_version:
        return obj
    if not kind.custom:
        return kind.strategy.unconvert(obj, kind)
    out: Object = copy_json(obj)
    out["apiVersion"] = kind.storage_api_version
    unknown_fields(out, kind.storage_schema)
    clean(out, kind.storage_schema)
    return out
