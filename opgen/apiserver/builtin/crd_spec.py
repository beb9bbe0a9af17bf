"""The rules of a CustomResourceDefinition's spec: group, names, versions with their schemas and columns, conversion."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from opgen.apiserver.names import dns_label_1035, dns_subdomain
from opgen.apiserver.schema_rules import schema_errors
from opgen.apiserver.status import (
    FieldError,
    Raw,
    duplicate,
    forbidden_field,
    invalid_value,
    not_supported,
    required,
)

__all__ = ["spec_errors"]

Object = dict[str, Any]
_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = (
    "int32",
    "int64",
    "float",
    "double",
    "byte",
    "date",
    "date-time",
    "password",
)
_SELECTABLE: Final = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings "
    "with formats are allowed."
)


def _same(versions: list[Object], key: str) -> bool:
    """Whether all versions agree in a field; the server then speaks of it as one of the whole spec."""
    return all(v.get(key) == versions[0].get(key) for v in versions)


def _internal(versions: list[Object]) -> Raw:
    """Show versions as the server's internal type, fields on which all agree left out."""
    hoisted = [
        k
        for k in ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
        if _same(versions, k)
    ]
    out = []
    for version in versions:
        made: Object = {
            "Name": version.get("name", ""),
            "Served": bool(version.get("served")),
            "Storage": bool(version.get("storage")),
            "Deprecated": bool(version.get("deprecated")),
            "DeprecationWarning": version.get("deprecationWarning"),
        }
        for key in ("schema", "subresources", "additionalPrinterColumns", "selectableFields"):
            made[key[0].upper() + key[1:]] = None if key in hoisted else version.get(key)
        out.append(made)
    return Raw(json.dumps(out, separators=(",", ":"), ensure_ascii=False))


def spec_errors(spec: Object) -> list[FieldError]:
    """Return what is wrong with the spec of a CRD."""
    errors: list[FieldError] = []
    group = spec.get("group", "")
    if not group:
        errors.append(required("spec.group"))
    elif dns_subdomain(group):
        errors.append(invalid_value("spec.group", group, ",".join(dns_subdomain(group))))
    elif "." not in group:
        errors.append(
            invalid_value("spec.group", group, "should be a domain with at least one dot")
        )
    scope = spec.get("scope", "")
    if not scope:
        errors.append(required("spec.scope"))
    elif scope not in ("Cluster", "Namespaced"):
        errors.append(not_supported("spec.scope", scope, ["Cluster", "Namespaced"]))
    versions: list[Object] = spec.get("versions") or []
    errors += _versions(versions)
    names = spec["names"]
    errors += [
        required(f"spec.names.{k}")
        for k in ("plural", "singular", "kind", "listKind")
        if not names.get(k)
    ]
    errors += _names(names)
    errors += _contents(versions)
    errors += _conversion(spec.get("conversion") or {})
    return errors


def _versions(versions: list[Object]) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    unique = True
    for index, version in enumerate(versions):
        name = version.get("name", "")
        unique = unique and name not in seen
        seen.add(name)
        wrong = dns_label_1035(name)
        if wrong:
            errors.append(invalid_value(f"spec.versions[{index}].name", name, ",".join(wrong)))
        if not (version.get("schema") or {}).get("openAPIV3Schema"):
            errors.append(required(f"spec.versions[{index}].schema.openAPIV3Schema"))
        warning = version.get("deprecationWarning")
        if warning is not None and not version.get("deprecated"):
            text = "can only be set for deprecated versions"
            errors.append(
                invalid_value(f"spec.versions[{index}].deprecationWarning", warning, text)
            )
    if not unique:
        errors.append(
            invalid_value("spec.versions", _internal(versions), "must contain unique version names")
        )
    if sum(1 for v in versions if v.get("storage")) != 1:
        text = "must have exactly one version marked as storage version"
        errors.append(
            invalid_value("spec.versions", _internal(versions) if versions else Raw("[]"), text)
        )
    if versions:
        name = versions[0].get("name", "")
        wrong = dns_label_1035(name)
        if name and wrong:
            errors.append(invalid_value("spec.version", name, ",".join(wrong)))
    return errors


def _names(names: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in ("plural", "singular"):
        value = names.get(key, "")
        wrong = dns_label_1035(value) if value else []
        if wrong:
            errors.append(invalid_value(f"spec.names.{key}", value, ",".join(wrong)))
    for key in ("kind", "listKind"):
        value = names.get(key, "")
        wrong = dns_label_1035(value.lower()) if value else []
        if wrong:
            text = "may have mixed case, but should otherwise match: " + ",".join(wrong)
            errors.append(invalid_value(f"spec.names.{key}", value, text))
    for key in ("shortNames", "categories"):
        for index, value in enumerate(names.get(key) or ()):
            wrong = dns_label_1035(value)
            if wrong:
                errors.append(invalid_value(f"spec.names.{key}[{index}]", value, ",".join(wrong)))
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        errors.append(
            invalid_value(
                "spec.names.listKind", names["listKind"], "kind and listKind may not be the same"
            )
        )
    return errors


def _contents(versions: list[Object]) -> list[FieldError]:
    """Check schemas, subresources, columns and selectable fields, once where all versions agree."""
    if not versions:
        return []
    errors: list[FieldError] = []
    same = {
        k: _same(versions, k)
        for k in ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
    }
    any_status = any("status" in (v.get("subresources") or {}) for v in versions)
    for index, version in enumerate(versions):
        at = f"spec.versions[{index}]"
        first = index == 0
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        status = "status" in (version.get("subresources") or {})
        if schema and (first or not same["schema"]):
            base = "spec.validation" if same["schema"] else f"{at}.schema"
            errors += _schema(
                schema, f"{base}.openAPIV3Schema", any_status if same["schema"] else status
            )
        if first or not same["subresources"]:
            base = "spec" if same["subresources"] else at
            errors += _scale(version.get("subresources") or {}, f"{base}.subresources")
        if first or not same["additionalPrinterColumns"]:
            base = "spec" if same["additionalPrinterColumns"] else at
            errors += _columns(
                version.get("additionalPrinterColumns") or (), f"{base}.additionalPrinterColumns"
            )
        if first or not same["selectableFields"]:
            base = "spec" if same["selectableFields"] else at
            errors += _selectable(
                version.get("selectableFields") or (), schema or {}, f"{base}.selectableFields"
            )
    return errors


def _schema(schema: Object, path: str, status: bool) -> list[FieldError]:
    from opgen.apiserver.cel.install import rule_errors

    return schema_errors(schema, path, status=status, rules=rule_errors)


def _scale(subresources: Object, path: str) -> list[FieldError]:
    scale = subresources.get("scale")
    if scale is None:
        return []
    errors: list[FieldError] = []
    for key, under, needed in (
        ("specReplicasPath", ".spec", True),
        ("statusReplicasPath", ".status", True),
        ("labelSelectorPath", "", False),
    ):
        value = scale.get(key, "")
        at = f"{path}.scale.{key}"
        if not value:
            if needed:
                errors.append(required(at))
        elif not re.fullmatch(r"(\.[A-Za-z_][\w-]*)+", value):
            errors.append(
                invalid_value(
                    at,
                    value,
                    "should be a json path without array notation"
                    if "[" in value
                    else "must be a simple json path starting with .",
                )
            )
        elif under and not value.startswith(f"{under}."):
            errors.append(invalid_value(at, value, f"should be a json path under {under}"))
        elif not under and not value.startswith((".spec.", ".status.")):
            errors.append(
                invalid_value(at, value, "should be a json path under either .spec or .status")
            )
    return errors


def _columns(columns: Any, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, column in enumerate(columns):
        at = f"{path}[{index}]"
        if not column.get("name"):
            errors.append(required(f"{at}.name"))
        kind = column.get("type", "")
        if not kind:
            errors.append(required(f"{at}.type", f"must be one of {','.join(_COLUMN_TYPES)}"))
        elif kind not in _COLUMN_TYPES:
            errors.append(
                invalid_value(f"{at}.type", kind, f"must be one of {','.join(_COLUMN_TYPES)}")
            )
        form = column.get("format", "")
        if form and form not in _COLUMN_FORMATS:
            errors.append(
                invalid_value(f"{at}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
            )
        target = column.get("jsonPath", "")
        if not target:
            errors.append(required(f"{at}.JSONPath"))
        elif not target.startswith("."):
            errors.append(
                invalid_value(
                    f"{at}.JSONPath", target, "must be a simple json path starting with ."
                )
            )
    return errors


def _selectable(fields: Any, schema: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, field in enumerate(fields):
        target = field.get("jsonPath", "")
        at = f"{path}[{index}].jsonPath"
        if not target:
            errors.append(required(at))
            continue
        if target in seen:
            errors.append(duplicate(at, target))
        seen.add(target)
        if "[" in target:
            errors.append(
                invalid_value(at, target, "is an invalid path: array notation is not allowed")
            )
            continue
        here: Any = schema
        for part in target.removeprefix(".").split("."):
            here = (here.get("properties") or {}).get(part) if isinstance(here, dict) else None
        if here is None or target.startswith(".metadata."):
            errors.append(
                invalid_value(at, target, "is an invalid path: does not refer to a valid field")
            )
        elif here.get("type") not in ("string", "boolean", "integer"):
            errors.append(invalid_value(at, target, _SELECTABLE))
    return errors


def _conversion(conversion: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    strategy = conversion.get("strategy", "")
    if strategy not in ("None", "Webhook"):
        errors.append(not_supported("spec.conversion.strategy", strategy, ["None", "Webhook"]))
    webhook = conversion.get("webhook") or {}
    client = webhook.get("clientConfig")
    if strategy == "Webhook":
        if client is None:
            text = "required when strategy is set to Webhook"
            errors.append(required("spec.conversion.webhookClientConfig", text))
        elif ("url" in client) == ("service" in client):
            text = "exactly one of url or service is required"
            errors.append(required("spec.conversion.webhookClientConfig", text))
        versions = webhook.get("conversionReviewVersions") or []
        if not versions:
            errors.append(required("spec.conversion.conversionReviewVersions"))
        elif not {"v1", "v1beta1"} & set(versions):
            text = "must include at least one of v1, v1beta1"
            errors.append(invalid_value("spec.conversion.conversionReviewVersions", versions, text))
    elif client is not None:
        text = "should not be set when strategy is not set to Webhook"
        errors.append(forbidden_field("spec.conversion.webhookClientConfig", text))
    return errors
