"""What generated models inherit, and the types that every kind shares."""

from opgen.meta.conditions import find_condition, is_condition_true, remove_condition, set_condition
from opgen.meta.formats import FORMATS, Format
from opgen.meta.object import ListObject, Model, Object, begin_copy, copy_json
from opgen.meta.quantity import Quantity
from opgen.meta.resource import GroupVersionKind, Resource
from opgen.meta.rules import Rules, Validation
from opgen.meta.scalars import GoPattern, Int32, IntOrString, UncheckedPattern
from opgen.meta.scheme import Scheme, UnknownKind, scheme
from opgen.meta.times import Clock, Duration, MicroTime, Time, use_clock
from opgen.meta.types import (
    Condition,
    EmbeddedResource,
    LabelSelector,
    LabelSelectorRequirement,
    ListMeta,
    ManagedFieldsEntry,
    ObjectMeta,
    OwnerReference,
    Status,
    StatusCause,
    StatusDetails,
)

__all__ = [
    "begin_copy",
    "Clock",
    "Condition",
    "copy_json",
    "Duration",
    "EmbeddedResource",
    "find_condition",
    "Format",
    "FORMATS",
    "GoPattern",
    "GroupVersionKind",
    "Int32",
    "IntOrString",
    "is_condition_true",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ListObject",
    "ManagedFieldsEntry",
    "MicroTime",
    "Model",
    "Object",
    "ObjectMeta",
    "OwnerReference",
    "Quantity",
    "remove_condition",
    "Resource",
    "Rules",
    "Scheme",
    "scheme",
    "set_condition",
    "Status",
    "StatusCause",
    "StatusDetails",
    "Time",
    "UncheckedPattern",
    "UnknownKind",
    "use_clock",
    "Validation",
]
