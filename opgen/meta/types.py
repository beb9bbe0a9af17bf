"""The types of apimachinery's meta/v1 that every kind uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from opgen.meta.object import Model, begin_copy, copy_json
from opgen.meta.times import Time

__all__ = [
    "Condition",
    "EmbeddedResource",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Status",
    "StatusCause",
    "StatusDetails",
]


class OwnerReference(Model):
    """What an object belongs to; the garbage collector deletes it when its last owner is gone.

    The owner is of the same namespace or cluster-scoped (Kubernetes: owners and dependents).
    """

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        return begin_copy(self)[0]


class ManagedFieldsEntry(Model):
    """The fields that one manager set (KEP-555, server-side apply)."""

    manager: str | None = None
    operation: str | None = None
    api_version: str | None = None
    time: Time | None = None
    fields_type: str | None = None
    fields_v1: Annotated[dict[str, Any] | None, Field(alias="fieldsV1")] = None
    subresource: str | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["fields_v1"]) is not None:
            values["fields_v1"] = copy_json(value)
        return new


class ObjectMeta(Model):
    """The metadata of an object.

    Of these the API server sets creationTimestamp, deletionGracePeriodSeconds, deletionTimestamp, generation,
    managedFields, resourceVersion, selfLink and uid; the others are the user's.
    """

    name: str | None = None
    generate_name: str | None = None
    namespace: str | None = None
    self_link: str | None = None
    uid: str | None = None
    resource_version: str | None = None
    generation: int | None = None
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    finalizers: list[str] | None = None
    managed_fields: list[ManagedFieldsEntry] | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["labels"]) is not None:
            values["labels"] = value.copy()
        if (value := values["annotations"]) is not None:
            values["annotations"] = value.copy()
        if (value := values["owner_references"]) is not None:
            values["owner_references"] = [item.deepcopy() for item in value]
        if (value := values["finalizers"]) is not None:
            values["finalizers"] = value.copy()
        if (value := values["managed_fields"]) is not None:
            values["managed_fields"] = [item.deepcopy() for item in value]
        return new


class ListMeta(Model):
    """The metadata of a list: where to read on, and from which version to watch."""

    self_link: str | None = None
    resource_version: str | None = None
    continue_: str | None = None
    remaining_item_count: int | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        return begin_copy(self)[0]


class Condition(Model):
    """One observation of an object's state, as metav1.Condition (KEP-1623)."""

    type: str
    status: Literal["True", "False", "Unknown"]
    observed_generation: int | None = None
    last_transition_time: Time
    reason: str
    message: str

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        return begin_copy(self)[0]


class LabelSelectorRequirement(Model):
    """A rule on one label."""

    key: str
    operator: str
    values: list[str] | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["values"]) is not None:
            values["values"] = value.copy()
        return new

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether `labels` satisfy the rule; NotIn and DoesNotExist hold where the label is absent.

        Raises ValueError for an unknown operator.
        """
        present = self.key in labels
        match self.operator:
            case "In":
                return present and labels[self.key] in (self.values or ())
            case "NotIn":
                return not present or labels[self.key] not in (self.values or ())
            case "Exists":
                return present
            case "DoesNotExist":
                return not present
        raise _no_operator(self.operator)

    def __str__(self) -> str:
        """Return the rule as a label selector in a request has it. Raises ValueError for an unknown operator."""
        match self.operator:
            case "In" | "NotIn":
                return f"{self.key} {self.operator.lower()} ({','.join(sorted(self.values or ()))})"
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"
        raise _no_operator(self.operator)


def _no_operator(operator: str) -> ValueError:
    return ValueError(f'"{operator}" is no operator, expected In, NotIn, Exists or DoesNotExist')


class LabelSelector(Model):
    """A choice of objects by label; an empty one chooses all, None chooses none."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[LabelSelectorRequirement] | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["match_labels"]) is not None:
            values["match_labels"] = value.copy()
        if (value := values["match_expressions"]) is not None:
            values["match_expressions"] = [item.deepcopy() for item in value]
        return new

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Return whether an object with these labels is chosen. Raises ValueError for an unknown operator."""
        have = labels or {}
        return all(
            have.get(key) == value for key, value in (self.match_labels or {}).items()
        ) and all(rule.matches(have) for rule in self.match_expressions or ())

    def __str__(self) -> str:
        """Return the selector as the `labelSelector` of a request has it, by key; empty if it chooses all.

        Raises ValueError for an unknown operator.
        """
        equal = [(key, f"{key}={value}") for key, value in (self.match_labels or {}).items()]
        ruled = [(rule.key, str(rule)) for rule in self.match_expressions or ()]
        return ",".join(text for _, text in sorted(equal + ruled))


class EmbeddedResource(Model):
    """A whole object within another one (`x-kubernetes-embedded-resource`); its other fields are kept as they are."""

    model_config = ConfigDict(extra="allow")

    api_version: Annotated[str, Field(min_length=1, pattern="^[^/]*/?[^/]*$")]
    kind: Annotated[str, Field(max_length=63, pattern="^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$")]
    metadata: ObjectMeta = Field(default_factory=ObjectMeta)

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["metadata"]) is not None:
            values["metadata"] = value.deepcopy()
        return new


class StatusCause(Model):
    """One reason of a refusal; `field` is a path such as `spec.replicas`."""

    reason: str | None = None
    message: str | None = None
    field: str | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        return begin_copy(self)[0]


class StatusDetails(Model):
    """What a Status is about."""

    name: str | None = None
    group: str | None = None
    kind: str | None = None
    uid: str | None = None
    causes: list[StatusCause] | None = None
    retry_after_seconds: int | None = None

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["causes"]) is not None:
            values["causes"] = [item.deepcopy() for item in value]
        return new


class Status(Model):
    """What the API server answers where it does not answer with an object; `apiVersion` and `kind` are always sent."""

    api_version: Literal["v1"] = "v1"
    kind: Literal["Status"] = "Status"
    metadata: ListMeta = Field(default_factory=ListMeta)
    status: str | None = None
    message: str | None = None
    reason: str | None = None
    details: StatusDetails | None = None
    code: int | None = None

    def _encoded(self, hint: Any, effective: bool) -> dict[str, Any]:
        out = super()._encoded(hint, effective)
        if "apiVersion" in out and "kind" in out:
            return out
        return {"apiVersion": self.api_version, "kind": self.kind} | out

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one."""
        new, values = begin_copy(self)
        if (value := values["metadata"]) is not None:
            values["metadata"] = value.deepcopy()
        if (value := values["details"]) is not None:
            values["details"] = value.deepcopy()
        return new
