"""Rules for names, labels and the rest of `metadata`, with the server's messages.

Sources: `k8s.io/apimachinery/pkg/util/validation`, `pkg/api/validation` and `pkg/apis/meta/v1/validation`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from opgen.apiserver.status import (
    FieldError,
    forbidden_field,
    invalid_value,
    quote,
    required,
    too_long,
)

__all__ = [
    "annotation_errors",
    "dns_label",
    "dns_label_1035",
    "dns_subdomain",
    "finalizer_errors",
    "label_errors",
    "label_value",
    "NameRule",
    "owner_errors",
    "path_segment",
    "qualified_name",
    "validate_metadata",
    "validate_metadata_maps",
    "validate_metadata_update",
]

NameRule = Callable[[str, bool], list[str]]

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_NAME})?"
_LABEL_RE: Final = re.compile(_LABEL)
_LABEL_1035_RE: Final = re.compile(_LABEL_1035)
_SUBDOMAIN_RE: Final = re.compile(_SUBDOMAIN)
_NAME_RE: Final = re.compile(_NAME)
_ANNOTATIONS_LIMIT: Final = 256 * 1024


def _regex_message(message: str, pattern: str, *examples: str) -> str:
    listed = ",  or ".join(f"'{e}'" for e in examples)
    return f"{message} (e.g. {listed}, regex used for validation is '{pattern}')"


_LABEL_MESSAGE: Final = _regex_message(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an "
    "alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)
_LABEL_1035_MESSAGE: Final = _regex_message(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
    "an alphabetic character, and end "
    "with an alphanumeric character",
    _LABEL_1035,
    "my-name",
    "abc-123",
)
_SUBDOMAIN_MESSAGE: Final = _regex_message(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
    "or '.', and must start and end "
    "with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)
_NAME_MESSAGE: Final = _regex_message(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    _NAME,
    "MyName",
    "my.name",
    "123-abc",
)
_VALUE_MESSAGE: Final = _regex_message(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
    "or '.', and must start and end "
    "with an alphanumeric character",
    _VALUE,
    "MyValue",
    "my_value",
    "12345",
)


def _too_long(limit: int, unit: str = "characters") -> str:
    return f"must be no more than {limit} {unit}"


def _masked(name: str) -> str:
    """A generateName as it is checked: a trailing dash stands for what will be appended."""
    return name[:-1] + "a" if len(name) > 1 and name.endswith("-") else name


def dns_subdomain(name: str, prefix: bool = False) -> list[str]:
    """Check an RFC 1123 subdomain, the rule for most names; `prefix` if it is a generateName."""
    name = _masked(name) if prefix else name
    out = []
    if len(name.encode()) > 253:
        out.append(_too_long(253))
    if not _SUBDOMAIN_RE.fullmatch(name):
        out.append(_SUBDOMAIN_MESSAGE)
    return out


def dns_label(name: str, prefix: bool = False) -> list[str]:
    """Check an RFC 1123 label, the rule for namespaces."""
    name = _masked(name) if prefix else name
    out = []
    if len(name.encode()) > 63:
        out.append(_too_long(63))
    if not _LABEL_RE.fullmatch(name):
        out.append("must not contain dots" if _SUBDOMAIN_RE.fullmatch(name) else _LABEL_MESSAGE)
    return out


def dns_label_1035(name: str, prefix: bool = False) -> list[str]:
    """Check an RFC 1035 label, which starts with a letter."""
    name = _masked(name) if prefix else name
    out = []
    if len(name.encode()) > 63:
        out.append(_too_long(63))
    if not _LABEL_1035_RE.fullmatch(name):
        out.append(_LABEL_1035_MESSAGE)
    return out


def path_segment(name: str, prefix: bool = False) -> list[str]:
    """Check that a name can be a part of a path, the rule for RBAC kinds."""
    out = []
    if not prefix and name in (".", ".."):
        out.append(f"may not be '{name}'")
    out.extend(f"may not contain '{part}'" for part in ("/", "%") if part in name)
    return out


def qualified_name(name: str) -> list[str]:
    """Check a label key: an optional subdomain and a slash, then a name of at most 63 characters."""
    parts = name.split("/")
    out: list[str] = []
    if len(parts) == 1:
        plain = parts[0]
    elif len(parts) == 2:
        before, plain = parts
        if not before:
            out.append("prefix part must be non-empty")
        else:
            out.extend("prefix part " + text for text in dns_subdomain(before))
    else:
        return [
            f"a valid label key {_NAME_MESSAGE} with an optional DNS subdomain prefix and "
            "'/' (e.g. 'example.com/MyName')"
        ]
    if not plain:
        out.append("name part must be non-empty")
    elif len(plain.encode()) > 63:
        out.append("name part " + _too_long(63, "bytes"))
    if not _NAME_RE.fullmatch(plain):
        out.append("name part " + _NAME_MESSAGE)
    return out


def label_value(value: str) -> list[str]:
    """Check the value of a label."""
    out = []
    if len(value.encode()) > 63:
        out.append(_too_long(63, "bytes"))
    if value and not _NAME_RE.fullmatch(value):
        out.append(_VALUE_MESSAGE)
    return out


def label_errors(labels: Mapping[str, str], field: str) -> list[FieldError]:
    """Check a map of labels."""
    errors: list[FieldError] = []
    for key, value in labels.items():
        if not _PLAIN_KEY.fullmatch(key):
            errors.extend(invalid_value(field, key, text) for text in qualified_name(key))
        if value and not _PLAIN_VALUE.fullmatch(value):
            errors.extend(invalid_value(field, value, text) for text in label_value(value))
    return errors


_PLAIN_KEY: Final = re.compile(
    r"(?:[a-z0-9.-]{0,60}[a-z0-9]/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_PLAIN_VALUE: Final = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


def annotation_errors(annotations: Mapping[str, str], field: str) -> list[FieldError]:
    """Check a map of annotations: keys as labels have in lower case, 256 KiB in total."""
    errors: list[FieldError] = []
    total = 0
    for key, value in annotations.items():
        total += len(key.encode()) + len(value.encode())
        lower = key.lower()
        if not _PLAIN_KEY.fullmatch(lower):
            errors.extend(invalid_value(field, key, text) for text in qualified_name(lower))
    if total > _ANNOTATIONS_LIMIT:
        errors.append(too_long(field, _ANNOTATIONS_LIMIT))
    return errors


def finalizer_errors(finalizers: Sequence[str], field: str) -> list[FieldError]:
    """Check finalizer names; orphan and foregroundDeletion exclude each other."""
    errors = [
        invalid_value(field, name, text) for name in finalizers for text in qualified_name(name)
    ]
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid_value(field, list(finalizers), detail))
    return errors


def owner_errors(owners: Sequence[Mapping[str, Any]], field: str) -> list[FieldError]:
    """Check owner references: the four parts, no Event as owner, one controller at most."""
    errors: list[FieldError] = []
    controller: Mapping[str, Any] | None = None
    for ref in owners:
        api, kind = ref.get("apiVersion", ""), ref.get("kind", "")
        group, _, version = api.rpartition("/")
        if not version or api.count("/") > 1:
            errors.append(invalid_value(f"{field}.apiVersion", api, "version must not be empty"))
        for key in ("kind", "name", "uid"):
            if not ref.get(key):
                errors.append(
                    invalid_value(f"{field}.{key}", ref.get(key, ""), "must not be empty")
                )
        if kind == "Event" and version == "v1" and group in ("", "events.k8s.io"):
            detail = f"{group}/{version}, Kind=Event is disallowed from being an owner"
            errors.append(invalid_value(field, _owner(ref), detail))
        if ref.get("controller"):
            if controller is not None:
                first, second = (
                    f"{r.get('kind', '')}/{r.get('name', '')}" for r in (controller, ref)
                )
                detail = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {first} and {second}'
                )
                errors.append(invalid_value(field, [_owner(r) for r in owners], detail))
            controller = ref
    return errors


def _owner(ref: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")
    return {key: ref[key] for key in keys if key in ref}


def validate_metadata(
    meta: Mapping[str, Any], namespaced: bool, rule: NameRule, field: str = "metadata"
) -> list[FieldError]:
    """Check the metadata of an object that is to be stored."""
    errors: list[FieldError] = []
    prefix = meta.get("generateName")
    if prefix:
        errors.extend(invalid_value(f"{field}.generateName", prefix, t) for t in rule(prefix, True))
    name = meta.get("name")
    if not name:
        errors.append(required(f"{field}.name", "name or generateName is required"))
    else:
        errors.extend(invalid_value(f"{field}.name", name, t) for t in rule(name, False))
    namespace = meta.get("namespace")
    if namespaced:
        if not namespace:
            errors.append(required(f"{field}.namespace"))
        else:
            errors.extend(
                invalid_value(f"{field}.namespace", namespace, t) for t in dns_label(namespace)
            )
    elif namespace:
        errors.append(forbidden_field(f"{field}.namespace", "not allowed on this type"))
    generation = meta.get("generation")
    if generation is not None and generation < 0:
        errors.append(
            invalid_value(f"{field}.generation", generation, "must be greater than or equal to 0")
        )
    return errors + validate_metadata_maps(meta, field)


def validate_metadata_maps(meta: Mapping[str, Any], field: str = "metadata") -> list[FieldError]:
    """Check the labels, annotations, owner references and finalizers of metadata."""
    errors: list[FieldError] = []
    labels = meta.get("labels")
    if labels:
        errors.extend(label_errors(labels, f"{field}.labels"))
    annotations = meta.get("annotations")
    if annotations:
        errors.extend(annotation_errors(annotations, f"{field}.annotations"))
    owners = meta.get("ownerReferences")
    if owners:
        errors.extend(owner_errors(owners, f"{field}.ownerReferences"))
    finalizers = meta.get("finalizers")
    if finalizers:
        errors.extend(finalizer_errors(finalizers, f"{field}.finalizers"))
    return errors


def validate_metadata_update(
    new: Mapping[str, Any], old: Mapping[str, Any], field: str = "metadata"
) -> list[FieldError]:
    """Check what an update may not change in metadata, and its labels, annotations, owners and finalizers."""
    errors = validate_metadata_maps(new, field)
    if old.get("deletionTimestamp"):
        before = old.get("finalizers") or ()
        added = [f for f in new.get("finalizers") or () if f not in before]
        if added:
            shown = ", ".join(quote(name) for name in added)
            detail = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{shown}}}"
            )
            errors.append(forbidden_field(f"{field}.finalizers", detail))
    for key in (
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ):
        if new.get(key) != old.get(key):
            errors.append(invalid_value(f"{field}.{key}", new.get(key), "field is immutable"))
    return errors
