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
    required,
    too_long,
)

__all__ = [
    "NameRule",
    "dns_label",
    "dns_label_1035",
    "dns_subdomain",
    "label_errors",
    "label_value",
    "path_segment",
    "qualified_name",
    "validate_metadata",
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
    if not examples:
        return f"{message} (regex used for validation is '{pattern}')"
    listed = "or ".join(f"'{e}', " if i < len(examples) - 1 else f"'{e}', " for i, e in enumerate(examples))
    listed = ",  or ".join(f"'{e}'" for e in examples)
    return f"{message} (e.g. {listed}, regex used for validation is '{pattern}')"


_LABEL_MESSAGE: Final = _regex_message(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "
    "alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)
_LABEL_1035_MESSAGE: Final = _regex_message(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end "
    "with an alphanumeric character",
    _LABEL_1035,
    "my-name",
    "abc-123",
)
_SUBDOMAIN_MESSAGE: Final = _regex_message(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end "
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
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character",
    _VALUE,
    "MyValue",
    "my_value",
    "12345",
)


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


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
        message = _NAME_MESSAGE.replace(
            "must consist of", "a qualified name must consist of", 1
        )
        return [
            message + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    if not plain:
        out.append("name part must be non-empty")
    elif len(plain.encode()) > 63:
        out.append("name part " + _too_long(63))
    if not _NAME_RE.fullmatch(plain):
        out.append("name part " + _NAME_MESSAGE)
    return out


def label_value(value: str) -> list[str]:
    """Check the value of a label."""
    out = []
    if len(value.encode()) > 63:
        out.append(_too_long(63))
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


_PLAIN_KEY: Final = re.compile(r"(?:[a-z0-9.-]{0,60}[a-z0-9]/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
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
    errors: list[FieldError] = []
    for index, name in enumerate(finalizers):
        at = f"{field}[{index}]"
        del at
        errors.extend(invalid_value(field, name, text) for text in qualified_name(name))
        if not qualified_name(name) and "/" not in name and name not in (
            "orphan",
            "foregroundDeletion",
            "kubernetes",
        ):
            pass
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        errors.append(
            invalid_value(
                field,
                list(finalizers),
                "finalizer orphan and foregroundDeletion cannot be both set",
            )
        )
    return errors


def owner_errors(owners: Sequence[Mapping[str, Any]], field: str) -> list[FieldError]:
    """Check owner references: the four parts, no Event as owner, one controller at most."""
    errors: list[FieldError] = []
    controller = ""
    for index, ref in enumerate(owners):
        at = f"{field}[{index}]"
        api = ref.get("apiVersion", "")
        group, _, version = api.rpartition("/")
        if api.count("/") > 1:
            errors.append(
                invalid_value(f"{at}.apiVersion", api, f"unexpected GroupVersion string: {api}")
            )
        elif not version:
            errors.append(invalid_value(f"{at}.apiVersion", api, "version must not be empty"))
        kind = ref.get("kind", "")
        if not kind:
            errors.append(invalid_value(f"{at}.kind", kind, "must not be empty"))
        if not ref.get("name"):
            errors.append(invalid_value(f"{at}.name", "", "must not be empty"))
        if not ref.get("uid"):
            errors.append(invalid_value(f"{at}.uid", "", "must not be empty"))
        if kind == "Event" and version == "v1" and not group:
            errors.append(
                invalid_value(at, dict(ref), f"{api}, Kind=Event is disallowed from being an owner")
            )
        if ref.get("controller"):
            if controller:
                errors.append(
                    invalid_value(
                        field,
                        list(owners),
                        "Only one reference can have Controller set to true. Found \"true\" in references for "
                        f"{controller} and {ref.get('name', '')}",
                    )
                )
            else:
                controller = str(ref.get("name", ""))
    return errors


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
        errors.append(
            forbidden_field(f"{field}.namespace", "not allowed on this type")
        )
    generation = meta.get("generation")
    if generation is not None and generation < 0:
        errors.append(
            invalid_value(f"{field}.generation", generation, "must be greater than or equal to 0")
        )
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
    """Check what an update may not change in metadata."""
    errors: list[FieldError] = []
    if old.get("deletionTimestamp"):
        added = [f for f in new.get("finalizers") or () if f not in (old.get("finalizers") or ())]
        if added:
            listed = " ".join(added)
            detail = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{', '.join(chr(34) + a + chr(34) for a in added)}}}"
            del listed
            errors.append(forbidden_field(f"{field}.finalizers", detail))
    for key in ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"):
        if new.get(key) != old.get(key):
            errors.append(
                invalid_value(f"{field}.{key}", new.get(key), "field is immutable")
            )
    return errors
