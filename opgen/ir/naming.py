"""The only place that makes Python names.

Rules, each for one purpose: **a name depends on the property and its siblings, never on a counter**, so that a field
added to a schema renames nothing.

- An attribute is the snake_case of the property: `dnsNames` -> `dns_names`, `podIPs` -> `pod_ips`, `ca.crt` ->
  `ca_crt`, `3scale` -> `field_3scale`.
- Keywords, `self`, the builtins that annotations use and everything a model already has get an underscore: `if_`,
  `list_`, `copy_`.
- If two properties of one object come to one name, the one that is spelled like it keeps it (`host_aliases`), else
  the one whose camelCase it is (`proxyUrl`), else the first that starts in lower case; the others keep their wire
  spelling (`hostAliases`, `proxyURL`), with punctuation spelled out where that is what tells them apart
  (`dollar_action`).
- A class is the kind and the path to it: `.spec.template` of Foo is `FooSpecTemplate`. If two paths come to one name,
  the shorter path keeps it and the other shows its parts: `Foo_spec_foo_bar`.
"""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

__all__ = [
    "attribute_names",
    "class_names",
    "group_package",
    "kind_class",
    "module_name",
    "RESERVED",
    "snake",
    "version_package",
]

RESERVED = frozenset(
    # builtins that generated annotations use: a field of that name would shadow them for the fields after it
    "bool dict float int list str "
    # read as the instance by people, and by generated methods
    "self cls "
    # attributes of pydantic's BaseModel and its metaclass, of opgen's Model and Object
    "begin_copy construct copy deepcopy dict effective from_json from_orm from_wire json model_computed_fields "
    "model_config model_construct model_copy model_dump model_dump_json model_extra model_fields model_fields_set "
    "model_json_schema model_parametrized_name model_post_init model_rebuild model_validate model_validate_json "
    "model_validate_strings mro parse_file parse_obj parse_raw register schema schema_json set_condition to_json "
    "to_wire update_forward_refs validate".split()
)
"""Names that no attribute may have; a test holds it against the base class."""

_WORDS = re.compile(
    r"IPv[46](?![a-z])|OAuth2?(?![a-z])"  # written as one word everywhere
    r"|[A-Z]{2,}s(?![a-z])"  # IDs, URLs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP of HTTPRoute
    r"|[A-Z]?[a-z][a-z0-9]*|[A-Z]+[0-9]*|[0-9]+[a-z]*"
)

_SPELLED = {
    "!": "bang", "#": "hash", "$": "dollar", "%": "percent", "&": "and", "*": "star", "+": "plus", "-": "dash",
    ".": "dot", "/": "slash", ":": "colon", "<": "lt", "=": "eq", ">": "gt", "?": "question", "@": "at",
    "_": "underscore", "|": "pipe", "~": "tilde", " ": "space",
}  # fmt: skip

_ASCII = re.compile(r"[A-Za-z0-9]+")

K = TypeVar("K", bound=Hashable)


def snake(text: str) -> str:
    """Return the words of `text` in lower case, joined by underscores; empty if it has no ASCII letter or digit."""
    return "_".join(
        word.lower() for chunk in _ASCII.findall(text) for word in _WORDS.findall(chunk)
    )


def _safe(name: str) -> str:
    """Return `name` as an identifier that is neither reserved nor private."""
    if not name:
        return "field"
    name = _usable(name, "field_")
    return name + "_" if name in RESERVED else name


def _usable(name: str, before: str) -> str:
    """Return `name` as an identifier: with `before` where it starts with a digit, kept off the keywords."""
    if name[0].isdigit():
        name = before + name
    return name + "_" if keyword.iskeyword(name) else name


def _spell(text: str) -> str:
    """Return `text` with each character that no identifier can have spelled out."""
    out = ""
    for char in text:
        if char.isascii() and char.isalnum():
            out += char
        else:
            word = _SPELLED.get(char, f"u{ord(char):04x}")
            out += ("" if not out or out.endswith("_") else "_") + word + "_"
    return out.rstrip("_")


def _digest(text: str) -> str:
    """Return six letters that stand for `text`; letters, since a digit at the end would look like a counter."""
    number = int.from_bytes(
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big"
    )
    return "".join(chr(ord("a") + number // 26**i % 26) for i in range(6))


def _unique(
    items: Iterable[K],
    plain: Callable[[K], str],
    rank: Callable[[K, str], Hashable],
    others: Sequence[Callable[[K], str]],
) -> dict[K, str]:
    """Give each item a name of its own.

    Of those that share a `plain` name the best ranked gets it, the rest the first of `others` that is free.
    """
    wanted: dict[str, list[K]] = {}
    for item in items:
        wanted.setdefault(plain(item), []).append(item)
    names: dict[K, str] = {}
    losers: list[K] = []
    for name, group in wanted.items():
        best, *rest = sorted(group, key=lambda item: rank(item, name))  # type: ignore[arg-type,return-value]
        names[best] = name
        losers += rest
    taken = set(wanted)
    for item in losers:
        for make in others:
            name = make(item)
            if name and name not in taken:
                break
        else:
            name = f"{plain(item)}_{_digest(repr(item))}"
        taken.add(name)
        names[item] = name
    return names


def attribute_names(
    wires: Iterable[str], renames: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the attribute of each property of one object, all different.

    `renames` are the user's own, by wire name; they win, and a name they take is free to nobody else.
    """
    renames = renames or {}
    own = set(renames.values())

    def plain(wire: str) -> str:
        name = _safe(snake(wire) or _spell(wire))
        return name if name not in own else f"{name}_{_digest(wire)}"

    def rank(wire: str, name: str) -> tuple[bool, bool, bool, str]:
        head, *rest = name.rstrip("_").split("_")
        camel = head + "".join(map(str.capitalize, rest))
        return (wire != name, wire != camel, not wire[:1].islower(), wire)

    def spelled_as_is(wire: str) -> str:
        bare = wire.lstrip("_")
        return _safe(bare) if bare.isascii() and bare.isidentifier() else ""

    rest = sorted(wire for wire in set(wires) if wire not in renames)
    return {
        **_unique(rest, plain, rank, [spelled_as_is, lambda wire: _safe(_spell(wire))]),
        **renames,
    }


def _pascal(part: str) -> str:
    """Return a path part as it goes into a class name: `issuerRef` -> `IssuerRef`, `ca.crt` -> `CaCrt`."""
    chunks = _ASCII.findall(part)
    if not chunks:
        return _spell(part).title().replace("_", "")
    return "".join(chunk[:1].upper() + chunk[1:] for chunk in chunks)


def kind_class(kind: str) -> str:
    """Return the class name of a kind: the kind itself, capitalised, kept off the keywords."""
    return _usable(_pascal(kind) or "Kind", "Kind")


def class_names(
    paths: Iterable[tuple[str, ...]], reserved: Iterable[str] = ()
) -> dict[tuple[str, ...], str]:
    """Return the class name of each path, all different and none of `reserved`.

    A path starts with the class name of the kind; a path of that one part always gets it.
    """
    kept = frozenset(reserved)

    def plain(path: tuple[str, ...]) -> str:
        name = path[0] + "".join(map(_pascal, path[1:]))
        return name if name not in kept or len(path) == 1 else shown(path)

    def shown(path: tuple[str, ...]) -> str:
        return "_".join((path[0], *map(_identifier, path[1:])))

    def spelled(path: tuple[str, ...]) -> str:
        return "_".join((path[0], *map(_spell, path[1:])))

    def rank(path: tuple[str, ...], _: str) -> tuple[int, bool, tuple[str, ...]]:
        return (len(path), any(_pascal(part)[1:] != part[1:] for part in path[1:]), path)

    return _unique(sorted(set(paths)), plain, rank, [shown, spelled])


def _identifier(part: str) -> str:
    return part if part.isascii() and part.isidentifier() else _spell(part)


def module_name(kind: str) -> str:
    """Return the module of a kind: `CertificateRequest` -> `certificate_request`."""
    return _usable(snake(kind) or _spell(kind).lower() or "kind", "kind_")


def group_package(group: str) -> str:
    """Return the folder of an API group: `cert-manager.io` -> `cert_manager_io`, the core group -> `core`."""
    return _usable(re.sub(r"[^a-z0-9]", "_", group.lower()) or "core", "g")


def version_package(version: str) -> str:
    """Return the folder of a version, which the API server makes a DNS label: `v1alpha1`."""
    return _usable(re.sub(r"[^a-z0-9]", "_", version.lower()), "v")
