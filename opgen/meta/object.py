"""What every generated model inherits: the exact wire form, the deep copy, equality and conditions.

A model is a pydantic model with three differences, each for the sake of the wire:

- **Decoding keeps, authoring refuses.** `from_wire` keeps fields that the schema does not know (a newer server may
  send them) and writes them back; the constructor and attribute assignment refuse them, as `fieldValidation=Strict`
  of the API server does.
- **Nothing is coerced.** `"1"` is no integer, `True` is not 1, `1.0` stays `1.0` where an integer is asked for (the
  API server takes it), a time keeps its spelling.
- **Absent, null and default are three things.** Reading an absent field gives the schema's default, or None;
  `to_wire` sends what was set, and a default object or list that was changed in place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticUndefined, SchemaValidator, core_schema, from_json

from opgen.meta.exact import exact, without_required
from opgen.meta.quantity import Quantity
from opgen.meta.resource import Resource
from opgen.meta.rules import Rules, Validation, unique_items, unique_keys

if TYPE_CHECKING:
    from opgen.meta.types import ListMeta, ObjectMeta

__all__ = ["begin_copy", "camel", "copy_json", "ListObject", "Model", "Object"]

_ATOMS = frozenset({str, int, float, bool, type(None)})
_MISSING = object()


def camel(name: str) -> str:
    """Return the wire name that a snake_case attribute stands for: `dns_names` is `dnsNames`, `if_` is `if`."""
    head, *rest = name.rstrip("_").split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value; anything that is neither dict nor list is shared, since it can't change."""
    kind = type(value)
    if kind is dict:
        return {
            key: item if type(item) in _ATOMS else copy_json(item) for key, item in value.items()
        }
    if kind is list:
        return [item if type(item) in _ATOMS else copy_json(item) for item in value]
    if isinstance(value, Model):
        return value.deepcopy()
    return value


def _encode(value: Any, hint: Any, effective: bool) -> Any:
    """Return the wire form of any value a model may hold, keys in the order of `hint` where that has them."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is list:
        if type(hint) is list:
            known = len(hint)
            return [
                _encode(v, hint[i] if i < known else None, effective) for i, v in enumerate(value)
            ]
        return [_encode(v, None, effective) for v in value]
    if isinstance(value, Model):
        return value._encoded(hint, effective)
    if kind is dict:
        if type(hint) is dict:
            return {k: _encode(v, hint.get(k), effective) for k, v in value.items()}
        return {k: _encode(v, None, effective) for k, v in value.items()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Quantity):
        return value.wire
    return value


class _NullIsAbsent:
    """Takes null where the schema has a default: the API server drops such a null, then defaults."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        return schema if schema["type"] == "nullable" else core_schema.nullable_schema(schema)


_NULL_IS_ABSENT = _NullIsAbsent()


class Model(BaseModel):
    """An object of a schema; the base of every nested object and of `Object`.

    Guarantees
        `from_wire(w).to_wire() == w` for every `w` that the API server would store, key order included, also with
        fields that the schema does not know.
        `deepcopy` shares no mutable value with its origin.
    Assumptions
        The dict given to `from_wire` is not changed afterwards: open parts of it (unknown fields, free-form JSON)
        are shared with the model, and its key order is remembered. Decode JSON text with `from_json` to be free
        of this.

    Raises:
        pydantic.ValidationError from the constructor, assignment, `from_wire` and `from_json` where the value breaks
        the schema. Rules that span fields (oneOf, anyOf, not) are checked when an object is made or decoded, not at
        each assignment, so that one may switch from one branch to another.
    """

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        populate_by_name=True,
        alias_generator=camel,
        defer_build=True,
        protected_namespaces=(),
        ser_json_inf_nan="constants",
    )

    VALIDATIONS: ClassVar[tuple[Validation, ...]] = ()
    """The schema's `x-kubernetes-validations` (CEL); evaluated by the API server, not by the model."""

    LIST_MAP_KEYS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """`x-kubernetes-list-map-keys` of each list-type=map field, both by wire name; keys are unique in a list."""

    LIST_SETS: ClassVar[frozenset[str]] = frozenset()
    """Wire names of the list-type=set fields; their items are unique."""

    RULES: ClassVar[Rules] = Rules({})
    """What the schema's oneOf, anyOf, allOf and not say of the object; checked when one is made or decoded."""

    _plan: ClassVar[tuple[tuple[str, str, bool], ...] | None] = None
    _default_wire: ClassVar[dict[str, Any]] = {}
    _partial: ClassVar[SchemaValidator | None] = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Give each field what the class says of it: null for defaulted ones, uniqueness for sets and maps."""
        maps, sets = cls.__dict__.get("LIST_MAP_KEYS"), cls.__dict__.get("LIST_SETS")
        for name, field in cls.__pydantic_fields__.items():
            if (
                field.default is not PydanticUndefined and field.default is not None
            ) or field.default_factory is not None:
                field.metadata.append(_NULL_IS_ABSENT)
            if maps or sets:
                wire = field.alias or camel(name)
                if maps and wire in maps:
                    field.metadata.append(unique_keys(maps[wire]))
                elif sets and wire in sets:
                    field.metadata.append(unique_items())

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Make every number of the schema keep its spelling; see `opgen.meta.exact`."""
        return exact(handler(source))

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any], *, partial: bool = False) -> Self:
        """Decode a JSON object as the API server sends it.

        Keeps unknown fields, explicit nulls, spelling and key order. `partial` also takes an object in which required
        fields are absent, and reads those as None: the API server serves such objects where a kind has several versions
        without a conversion webhook, or its schema was tightened. Raises pydantic.ValidationError.
        """
        validator = cls._partial_validator() if partial else cls.__pydantic_validator__
        model = validator.validate_python(wire, extra="allow", by_alias=True, by_name=False)
        _set_private(model, {"wire": wire})
        return cast("Self", model)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Decode JSON text; as `from_wire`. Raises ValueError where it is no JSON."""
        return cls.from_wire(from_json(text, allow_inf_nan=False))

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object to send: what was set, in the order it came in; a copy that may be changed freely."""
        decoded = self.__pydantic_private__
        return self._encoded(decoded["wire"] if decoded else None, False)

    def to_json(self) -> str:
        """Return `to_wire` as compact JSON text."""
        return json.dumps(self.to_wire(), ensure_ascii=False, separators=(",", ":"))

    def effective(self) -> dict[str, Any]:
        """Return the wire form as the server would see it before validation: defaults in, nulls out."""
        return self._encoded(None, True)

    def deepcopy(self) -> Self:
        """Return a copy that shares no mutable value with this one; generated models override it, unrolled."""
        new, values = begin_copy(self)
        for name, value in values.items():
            if type(value) not in _ATOMS:
                values[name] = copy_json(value)
        return new

    @classmethod
    def _partial_validator(cls) -> SchemaValidator:
        known = cls.__dict__.get("_partial")
        if known is None:
            cls.model_rebuild()
            known = cls._partial = SchemaValidator(
                without_required(cls.__pydantic_core_schema__), _use_prebuilt=False
            )
        return cast("SchemaValidator", known)

    @classmethod
    def _fields(cls) -> tuple[tuple[str, str, bool], ...]:
        """Return (attribute, wire name, may the default change in place) of each field, made once a class."""
        plan = cls.__dict__.get("_plan")
        if plan is None:
            plan = tuple(
                (
                    name,
                    field.alias or camel(name),
                    field.default_factory is not None or isinstance(field.default, list | dict),
                )
                for name, field in cls.__pydantic_fields__.items()
            )
            cls._plan = plan
            cls._default_wire = {}
        return cast("tuple[tuple[str, str, bool], ...]", plan)

    @classmethod
    def _default_of(cls, name: str) -> Any:
        """Return the wire form of a container default."""
        known = cls._default_wire.get(name, _MISSING)
        if known is _MISSING:
            known = _encode(
                cls.__pydantic_fields__[name].get_default(call_default_factory=True), None, False
            )
            cls._default_wire[name] = known
        return known

    def _encoded(self, hint: Any, effective: bool) -> dict[str, Any]:
        values = self.__dict__
        given = self.__pydantic_fields_set__
        hints = hint if type(hint) is dict else None
        out: dict[str, Any] = {}
        for name, wire, container in type(self)._fields():
            value = values[name]
            if effective:
                if value is not None:
                    out[wire] = _encode(value, None, True)
            elif name in given:
                if type(value) in _ATOMS:
                    out[wire] = value
                else:
                    out[wire] = _encode(value, hints.get(wire) if hints else None, False)
            elif container and value is not None:
                changed = _encode(value, None, False)
                if changed != type(self)._default_of(name):
                    out[wire] = changed
        if extra := self.__pydantic_extra__:
            for key, value in extra.items():
                out[key] = value if type(value) in _ATOMS else copy_json(value)
        if hints is not None and list(hints) != list(out):
            ordered = {key: out.pop(key) for key in hints if key in out}
            ordered.update(out)
            return ordered
        return out

    if (
        not TYPE_CHECKING
    ):  # a visible __setattr__ would make every attribute legal for a type checker

        def __setattr__(self, name: str, value: Any) -> None:
            """Validate what is assigned; unlike pydantic's own `validate_assignment`, keep unknown fields."""
            # a copy shares the set of given fields with its origin until one of the two changes
            _set_fields_set(self, self.__pydantic_fields_set__.copy())
            if name in type(self).__pydantic_fields__:
                extra = self.__pydantic_extra__
                self.__pydantic_validator__.validate_assignment(self, name, value)
                if extra:
                    object.__setattr__(self, "__pydantic_extra__", extra)
            else:
                if self.__pydantic_extra__ is None and self.model_config.get("extra") == "allow":
                    _set_extra(self, {})  # a copy has none until it needs one
                super().__setattr__(name, value)

        def __getattr__(self, name: str) -> Any:
            """Read None from the slot that a copy leaves empty where there is nothing private."""
            if name == "__pydantic_private__":
                return None
            return super().__getattr__(name)

    @property
    def model_fields_set(self) -> set[str]:
        """Return the attributes that were set; a set of this model's own, which no copy shares."""
        return _own(self).__pydantic_fields_set__

    def __eq__(self, other: object) -> bool:
        """Two models are equal if they are of one class and would be sent the same, quantities by value."""
        if type(other) is not type(self):
            return NotImplemented
        if self.__dict__ != other.__dict__:
            return False
        if (self.__pydantic_extra__ or {}) != (other.__pydantic_extra__ or {}):
            return False
        if self.__pydantic_fields_set__ == other.__pydantic_fields_set__:
            return True
        return self.to_wire() == other.to_wire()

    __hash__ = None  # type: ignore[assignment]  # models can change

    def __copy__(self) -> Self:
        """Return a shallow copy: nested values are shared."""
        return _own(begin_copy(self)[0])

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Take the same path as `deepcopy`."""
        return _own(self.deepcopy())

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Show what was set; a kind with hundreds of optional fields stays readable."""
        given = self.__pydantic_fields_set__
        for name, value in self.__dict__.items():
            if name in given:
                yield name, value
        yield from (self.__pydantic_extra__ or {}).items()


_new: Any = object.__new__
_set_dict = BaseModel.__dict__["__dict__"].__set__
_set_fields_set = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__

M = TypeVar("M", bound=Model)


def begin_copy(model: M) -> tuple[M, dict[str, Any]]:
    """Return a copy of `model` that still shares its field values, and the dict that holds them.

    Generated `deepcopy` methods replace the mutable ones in that dict. pydantic's own `model_copy` costs five times as
    much, which is why this touches the slots of a pydantic model itself, and only those that say something: the set
    of given fields is shared until one of the two changes (`Model.__setattr__` replaces it), no unknown fields are
    None, and nothing private leaves that slot empty (`Model.__getattr__` reads it as None).
    """
    new = _new(type(model))
    values = model.__dict__.copy()
    _set_dict(new, values)
    _set_fields_set(new, model.__pydantic_fields_set__)
    extra = model.__pydantic_extra__
    _set_extra(new, copy_json(extra) if extra else None)
    if (private := model.__pydantic_private__) is not None:
        _set_private(new, private)
    return new, values


def _own(model: M) -> M:
    """Give a model a set of given fields of its own: pydantic's `model_copy(update=...)` changes it in place."""
    _set_fields_set(model, model.__pydantic_fields_set__.copy())
    return model


class Object(Model):
    """A kind: what has apiVersion, kind and metadata, and lives under a path of the API server.

    `apiVersion` and `kind` are always sent, whether given or not (a list's items come without them).
    """

    RESOURCE: ClassVar[Resource]
    """Group, version, kind, plural, scope and subresources."""

    if (
        TYPE_CHECKING
    ):  # each kind declares its own, the first two as literals, which no `str` admits
        api_version: Any
        kind: Any
        metadata: ObjectMeta

    def _encoded(self, hint: Any, effective: bool) -> dict[str, Any]:
        out = super()._encoded(hint, effective)
        if "apiVersion" in out and "kind" in out:
            return out
        return {"apiVersion": self.api_version, "kind": self.kind} | out

    def set_condition(
        self, type: str, status: bool | str, *, reason: str, message: str = ""
    ) -> bool:
        """Set a condition of `status.conditions` by apimachinery's rules; return whether anything changed.

        `status` is True, False, or one of "True", "False", "Unknown". observedGeneration is `metadata.generation`;
        lastTransitionTime moves only if the status does. Raises TypeError where the kind has no such list.
        """
        from opgen.meta.conditions import set_condition_of

        return set_condition_of(self, type, status, reason=reason, message=message)


class ListObject(Model):
    """A list of a kind as the API server serves it; each kind's own declares `items` with its type."""

    if TYPE_CHECKING:
        api_version: Any
        kind: Any
        metadata: ListMeta
        items: list[Any]

    def __len__(self) -> int:
        """Return how many items this page holds."""
        return len(self.items)
