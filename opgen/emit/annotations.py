"""IR types as Python annotations and defaults: the text of one field, and which names it needs imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opgen.emit.text import LINE_LENGTH, literal, string
from opgen.ir.types import Default, Enum, Field, ListOf, MapOf, Nullable, Ref, Scalar, Type
from opgen.meta.object import camel
from opgen.meta.scalars import check_pattern

__all__ = ["Names", "Writer"]

_PLAIN = {
    "any": "Any",
    "boolean": "bool",
    "date-time": "Time",
    "duration": "Duration",
    "int-or-string": "IntOrString",
    "integer": "int",
    "micro-time": "MicroTime",
    "number": "float",
    "quantity": "Quantity",
    "string": "str",
}

_FIELD_KEYS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
}

_MODULES = {
    "Annotated": "typing", "Any": "typing", "ClassVar": "typing", "Literal": "typing", "TypeAlias": "typing",
    "Self": "typing", "ConfigDict": "pydantic", "Field": "pydantic",
    "NamespacedClient": "opgen.client.typed", "ClusterClient": "opgen.client.typed",
    "StatusVerbs": "opgen.client.typed", "ScaleVerbs": "opgen.client.typed",
}  # fmt: skip


class Names:
    """The names a module imports, each kept off the classes that the module defines itself.

    A kind may be called `Field`, `Any` or `ObjectMeta`: then the import gets an underscore, and the class keeps its
    name.
    """

    def __init__(self, own: frozenset[str]) -> None:
        """Take the names that the module defines."""
        self._own = own
        self._used: dict[str, tuple[str, str]] = {}

    def __call__(self, name: str, module: str = "") -> str:
        """Return what `name` is called in this module, and note that it is needed."""
        module = module or _MODULES.get(name, "opgen.meta")
        local = name + "_" if name in self._own else name
        self._used[local] = (module, name)
        return local

    def imports(self) -> dict[str, list[str]]:
        """Return the imported names by module, sorted, each as it stands in the statement."""
        found: dict[str, list[str]] = {}
        for local, (module, name) in self._used.items():
            found.setdefault(module, []).append(name if name == local else f"{name} as {local}")
        return {module: sorted(names, key=_isort_key) for module, names in sorted(found.items())}


def _isort_key(name: str) -> tuple[int, str]:
    bare = name.split(" ")[0]
    return (0 if bare.isupper() and len(bare) > 1 else 1 if bare[:1].isupper() else 2, bare)


class Writer:
    """Writes annotations for one module."""

    def __init__(self, names: Names) -> None:
        """Take where imports are noted."""
        self._names = names
        self.aliases: dict[str, str] = {}

    def annotation(self, type_: Type) -> str:
        """Return the annotation of a type."""
        match type_:
            case Nullable(of):
                return f"{self.annotation(of)} | None"
            case Enum(name, values, rules):
                text = f"{self._names('Literal')}[{', '.join(map(literal, values))}]"
                if len(text) > LINE_LENGTH // 2:
                    self.aliases[name] = text
                    text = name
                return self._annotated(text, [], rules)
            case Ref(name, module, rules):
                return self._annotated(self._names(name, module) if module else name, [], rules)
            case ListOf():
                sizes = {"min_length": type_.min_items, "max_length": type_.max_items}
                return self._annotated(
                    f"list[{self.annotation(type_.item)}]", self._sizes(sizes), type_.rules
                )
            case MapOf():
                sizes = {"min_length": type_.min_properties, "max_length": type_.max_properties}
                return self._annotated(
                    f"dict[str, {self.annotation(type_.value)}]", self._sizes(sizes), type_.rules
                )
            case Scalar(name, checks, rules):
                plain = "Int32" if _is_int32(name, checks) else _PLAIN[name]
                text = plain if plain.islower() else self._names(plain)
                return self._annotated(text, self._checks(name, checks or {}), rules)
        raise TypeError(type_)

    def field(self, field: Field) -> tuple[str, str]:
        """Return the annotation and the right-hand side of a field; the latter is empty if there is none."""
        text = self.annotation(field.type)
        optional = field.nullable or not (field.required or field.default)
        if optional and field.type != Scalar("any"):
            text += " | None"
        if field.wire != camel(field.name):
            alias = f"{self._names('Field')}(alias={string(field.wire)})"
            text = f"{self._names('Annotated')}[{text}, {alias}]"
        if field.default:
            return text, self._default(field.type, field.default)
        return text, "" if field.required else "None"

    def _default(self, type_: Type, default: Default) -> str:
        """Return the right-hand side; pydantic copies a list or dict for each object, a model needs a factory."""
        made = self._value(type_, default.value)
        if ".from_wire(" in made and not isinstance(default.value, str):
            return f"{self._names('Field')}(default_factory=lambda: {made})"
        return made

    def _value(self, type_: Type, value: Any) -> str:
        """Return a default as an expression of the field's type."""
        if value is None:
            return "None"
        match type_:
            case Nullable(of):
                return self._value(of, value)
            case Ref(name, module):
                return (
                    f"{self._names(name, module) if module else name}.from_wire({literal(value)})"
                )
            case ListOf(item):
                return f"[{', '.join(self._value(item, one) for one in value)}]"
            case MapOf(of):
                return (
                    "{"
                    + ", ".join(f"{string(k)}: {self._value(of, v)}" for k, v in value.items())
                    + "}"
                )
            case Scalar("quantity" | "date-time" | "duration" | "micro-time" as name):
                return f"{self._names(_PLAIN[name])}({literal(value)})"
        return literal(value)

    def _checks(self, name: str, checks: Mapping[str, Any]) -> list[str]:
        arguments = [f"{_FIELD_KEYS[key]}={checks[key]!r}" for key in checks if key in _FIELD_KEYS]
        out = []
        if pattern := checks.get("pattern"):
            usable = check_pattern(pattern)
            if usable is not None and name == "string":
                arguments.append(f"pattern={string(usable)}")
            else:
                out.append(f"{self._names('GoPattern')}({string(pattern)})")
        if name == "string" and (format_ := checks.get("format")):
            out.append(f"{self._names('Format')}({string(format_)})")
        if arguments and name == "int-or-string":
            lengths = {key: checks[key] for key in ("minLength", "maxLength") if key in checks}
            return [f"{self._names('Rules')}({literal(lengths)})", *out] if lengths else out
        return ([f"{self._names('Field')}({', '.join(arguments)})"] if arguments else []) + out

    def _sizes(self, sizes: Mapping[str, int | None]) -> list[str]:
        given = [f"{key}={value}" for key, value in sizes.items() if value is not None]
        return [f"{self._names('Field')}({', '.join(given)})"] if given else []

    def _annotated(self, text: str, checks: list[str], rules: Mapping[str, Any] | None) -> str:
        if rules:
            checks = [*checks, f"{self._names('Rules')}({literal(rules)})"]
        return f"{self._names('Annotated')}[{', '.join((text, *checks))}]" if checks else text


def _is_int32(name: str, checks: Mapping[str, Any] | None) -> bool:
    """Return whether the range of an int32 has to be checked: where the bounds don't lie within it already."""
    if name != "integer" or not checks or checks.get("format") != "int32":
        return False
    low = checks.get("minimum", checks.get("exclusiveMinimum"))
    high = checks.get("maximum", checks.get("exclusiveMaximum"))
    return low is None or high is None or low < -(2**31) or high > 2**31 - 1
