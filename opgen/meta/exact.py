"""Makes a pydantic core schema take and keep JSON as the API server does: numbers as spelled, null in maps.

JSON knows one number type. The API server takes `1.0` where a schema says integer, and keeps `1` where it says number;
pydantic would write the first as `1` and the second as `1.0`. Both are changed here once a class, in the core schema,
so that generated code reads `int` and `float` and decoding stays in pydantic's compiled code.

A null value of a map whose values are not nullable is dropped by the API server, so decoding takes and keeps it; a null
item of a list is refused, as there.
"""

from __future__ import annotations

from typing import Any, cast

from pydantic_core import CoreSchema, core_schema

__all__ = ["exact", "without_required"]

_DONE = "opgen_exact"
_NUMBER_KEYS = ("ge", "gt", "le", "lt", "multiple_of")


def exact(schema: CoreSchema) -> CoreSchema:
    """Return `schema` with each int also taking an integral float, and each float also an int, as they are.

    Stops at nested models, which have been through here themselves. Changes the dicts in place where it can.
    """
    model = cast("dict[str, Any]", schema)
    while model["type"].startswith("function-"):
        model = model["schema"]
    # pydantic hands out the schema of a finished class again for each class that refers to it
    notes = model.setdefault("metadata", {})
    if not notes.get(_DONE):
        notes[_DONE] = True
        _walk(model)
    return schema


def without_required(schema: CoreSchema) -> CoreSchema:
    """Return a copy of `schema` in which no field of any model is required: an absent one is None."""

    def relaxed(value: Any) -> Any:
        if isinstance(value, list):
            return [relaxed(item) for item in value]
        if not isinstance(value, dict):
            return value
        made = {key: relaxed(item) for key, item in value.items() if key != "post_init"}
        if made.get("type") == "model-field" and made["schema"].get("type") != "default":
            made["schema"] = core_schema.with_default_schema(made["schema"], default=None)
        return made

    return cast("CoreSchema", relaxed(schema))


def _walk(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema["type"]
    if kind == "int":
        return _either(schema, schema, _json_float({"multiple_of": 1, **_bounds(schema)}))
    if kind == "float":
        integer = {**_bounds(schema), "type": "int", "strict": True}
        return _either(schema, integer, _json_float(_bounds(schema)))
    if kind == "literal" and any(type(value) is int for value in schema["expected"]):
        numbers = frozenset(value for value in schema["expected"] if type(value) is int)
        return _either(schema, _float_of(numbers), schema)  # a literal takes 64.0 and makes it 64
    if kind == "model" and schema["schema"]["type"] == "model-fields":
        for field in schema["schema"]["fields"].values():
            field["schema"] = _walk(field["schema"])
        return schema
    if kind == "union":
        schema["choices"] = [_choice(choice) for choice in schema["choices"]]
        return schema
    for key in ("schema", "items_schema", "values_schema"):
        inner = schema.get(key)
        if isinstance(inner, dict) and inner["type"] not in ("model", "definition-ref"):
            schema[key] = _walk(inner)
    if kind == "dict" and schema.get("values_schema", {"type": "any"})["type"] not in (
        "any",
        "nullable",
    ):
        schema["values_schema"] = core_schema.nullable_schema(schema["values_schema"])
    return schema


def _choice(choice: Any) -> Any:
    if isinstance(choice, tuple):
        return (_walk(choice[0]), choice[1])
    return choice if choice["type"] == "model" else _walk(choice)


def _bounds(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in _NUMBER_KEYS if key in schema}


def _either(original: dict[str, Any], *choices: dict[str, Any]) -> dict[str, Any]:
    """Return the union, with the original's serialisation kept; an int is tried first, so it is never a float."""
    union = core_schema.union_schema(
        [cast("CoreSchema", choice) for choice in choices], mode="left_to_right"
    )
    if "metadata" in original:
        union["metadata"] = original["metadata"]
    return cast("dict[str, Any]", union)


def _json_float(bounds: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a float as JSON has it: finite, and no other class that could become one."""
    number = {**bounds, "type": "float", "strict": True, "allow_inf_nan": False}
    return cast(
        "dict[str, Any]",
        core_schema.chain_schema(
            [core_schema.is_instance_schema(float), cast("CoreSchema", number)]
        ),
    )


def _float_of(numbers: frozenset[int]) -> dict[str, Any]:
    def one_of(value: float) -> float:
        if value not in numbers:
            raise ValueError(f"must be one of {sorted(numbers)}")
        return value

    inner = cast("CoreSchema", _json_float({}))
    return cast("dict[str, Any]", core_schema.no_info_after_validator_function(one_of, inner))
