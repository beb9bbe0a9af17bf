"""What a model says of the lists and objects under it, by wire name: diffs and merges follow the schema with it."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin

from opgen.meta import Model
from opgen.meta.object import camel

__all__ = ["NO_SHAPE", "Shape", "shape_of"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A field: `model` is the class of its value, of its items, or of its values by key.

    `keys` tell the items of a list apart (x-kubernetes-list-type: map); `is_set` says that items are unique scalars.
    """

    model: type[Model] | None = None
    keys: tuple[str, ...] = ()
    is_set: bool = False


NO_SHAPE = Shape()


def shape_of(model: type[Model] | None, wire: str) -> Shape:
    """Return the shape of a field, one that says nothing where the schema doesn't know it."""
    return _shapes(model).get(wire, NO_SHAPE) if model is not None else NO_SHAPE


@cache
def _shapes(model: type[Model]) -> Mapping[str, Shape]:
    model.model_rebuild()
    return {
        (wire := field.alias or camel(name)): Shape(
            _model_in(field.annotation),
            tuple(model.LIST_MAP_KEYS.get(wire, ())),
            wire in model.LIST_SETS,
        )
        for name, field in model.__pydantic_fields__.items()
    }


def _model_in(annotation: Any) -> type[Model] | None:
    """Return the model class within an annotation, whatever list, dict or None surrounds it."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType, list, dict):
        for argument in get_args(annotation):
            if (found := _model_in(argument)) is not None:
                return found
    elif get_origin(annotation) is not None and get_args(annotation):
        return _model_in(get_args(annotation)[0])
    return None
