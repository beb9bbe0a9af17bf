"""The functions that Kubernetes adds to CEL: quantities, URLs, addresses, CIDRs, named formats, semantic versions."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from opgen.apiserver.cel.functions import no_overload, plain_int, texts
from opgen.apiserver.cel.values import INT64, CelError, Opaque, Optional
from opgen.apiserver.names import (
    dns_label,
    dns_label_1035,
    dns_subdomain,
    label_value,
    qualified_name,
)
from opgen.apiserver.schema.formats import known_formats

__all__ = ["parse_quantity", "register"]

_QUANTITY: Final = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[A-Za-z]*)")
_SUFFIXES: Final = {
    "": Fraction(1),
    **{s: Fraction(1000) ** i for i, s in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    **{s: Fraction(1024) ** i for i, s in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
    **{s: Fraction(1, 1000) ** i for i, s in enumerate(("m", "u", "n"), 1)},
}
_BAD_QUANTITY: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_SEMVER: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?"
)
_URL_RX: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


def _text(value: Any) -> str:
    texts(value)
    return str(value)


def _of(kind: str, value: Any) -> Any:
    if not isinstance(value, Opaque) or value.kind != kind:
        raise no_overload()
    return value.value


def parse_quantity(text: str) -> Fraction:
    """Return the value of a quantity; raises `CelError`."""
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise CelError(_BAD_QUANTITY)
    suffix = found.group(3)
    if suffix[:1] in ("e", "E") and len(suffix) > 1 and suffix != "Ei":
        scale = Fraction(10) ** min(int(suffix[1:]), 1000)
    elif suffix in _SUFFIXES:
        scale = _SUFFIXES[suffix]
    else:
        raise CelError("unable to parse quantity's suffix")
    value = Fraction(found.group(2).rstrip(".")) * scale
    nano = Fraction(1, 10**9)
    value = -(-value // nano) * nano
    return -value if found.group(1) == "-" else value


def _quantity(text: Any) -> Opaque:
    return Opaque("kubernetes.Quantity", parse_quantity(_text(text)))


def _amount(value: Any) -> Fraction:
    if plain_int(value):
        return Fraction(value)
    found: Fraction = _of("kubernetes.Quantity", value)
    return found


def _is_integer(amount: Fraction) -> bool:
    return amount.denominator == 1 and int(amount) in INT64


def _as_integer(amount: Fraction) -> int:
    if not _is_integer(amount):
        raise CelError("cannot convert value to integer")
    return int(amount)


def _order(a: Any, b: Any) -> int:
    return -1 if a < b else (1 if b < a else 0)


def _is(parse: Callable[..., Any]) -> Callable[..., bool]:
    def test(*args: Any) -> bool:
        _text(args[0])
        try:
            parse(*args)
        except CelError:
            return False
        return True

    return test


def _url(text: Any) -> Opaque:
    value = _text(text)
    problem = (
        f'URL parse error during conversion from string: parse "{value}": invalid URI for request'
    )
    if not (value.startswith("/") or _URL_RX.match(value)) or re.search(r"[\x00-\x20\x7f]", value):
        raise CelError(problem)
    try:
        found = urlsplit(value)
        _ = found.port
    except ValueError:
        raise CelError(problem) from None
    if re.search(r"%(?![0-9A-Fa-f]{2})", found.path):
        raise CelError(problem)
    if found.scheme and not found.netloc and not found.path.startswith("/"):
        raise CelError(problem)
    return Opaque("kubernetes.URL", found)


def _host(found: Any) -> str:
    return str(found.netloc.rpartition("@")[2])


def _hostname(found: Any) -> str:
    host = _host(found)
    if host.startswith("["):
        return str(host[1:].partition("]")[0])
    return str(host.rpartition(":")[0]) if ":" in host else host


def _port(found: Any) -> str:
    host = _host(found).rpartition("]")[2]
    return str(host.rpartition(":")[2]) if ":" in host else ""


def _query(found: Any) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for pair in found.query.split("&"):
        if pair:
            key, _, value = pair.partition("=")
            out.setdefault(unquote(key.replace("+", " ")), []).append(
                unquote(value.replace("+", " "))
            )
    return out


def _ip(text: Any) -> Opaque:
    value = _text(text)
    problem = (
        f'IP Address "{value}" parse error during conversion from string: ParseAddr("{value}")'
    )
    if "%" in value:
        raise CelError(f"IP address {value!r} with zone value is not allowed".replace("'", '"'))
    try:
        found = ipaddress.ip_address(value)
    except ValueError:
        raise CelError(f"{problem}: unable to parse IP") from None
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        raise CelError(f'IPv4-mapped IPv6 address "{value}" is not allowed')
    return Opaque("net.IP", found)


def _address(value: Any) -> Any:
    return _ip(value).value if isinstance(value, str) else _of("net.IP", value)


def _cidr(text: Any) -> Opaque:
    value = _text(text)
    try:
        if not re.fullmatch(r"[^/]+/(0|[1-9]\d{0,2})", value) or "%" in value:
            raise ValueError
        found = ipaddress.ip_interface(value)
    except ValueError:
        raise CelError(
            f'network address parse error during conversion from string: netip.ParsePrefix("{value}")'
        ) from None
    return Opaque("net.CIDR", found)


def _network(value: Any) -> Any:
    return _cidr(value).value if isinstance(value, str) else _of("net.CIDR", value)


def _contains_ip(value: Any, address: Any) -> bool:
    network, found = _of("net.CIDR", value).network, _address(address)
    return bool(network.version == found.version and found in network)


def _contains_cidr(value: Any, other: Any) -> bool:
    network, found = _of("net.CIDR", value).network, _network(other).network
    return bool(network.version == found.version and found.subnet_of(network))


def _global_unicast(found: Any) -> bool:
    broadcast = found.version == 4 and int(found) == 0xFFFFFFFF
    return not (
        broadcast
        or found.is_unspecified
        or found.is_loopback
        or found.is_multicast
        or found.is_link_local
    )


def _link_local_multicast(found: Any) -> bool:
    if found.version == 4:
        return found in ipaddress.ip_network("224.0.0.0/24")
    return (int(found) >> 112) & 0xFF0F == 0xFF02


def _known(name: str, message: str) -> Callable[[str], list[str]]:
    return lambda text: [] if known_formats()[name](text) else [message]


_FORMATS: Final[dict[str, Callable[[str], list[str]]]] = {
    "dns1123Label": dns_label,
    "dns1123Subdomain": dns_subdomain,
    "dns1035Label": dns_label_1035,
    "dns1123LabelPrefix": lambda text: dns_label(text, True),
    "dns1123SubdomainPrefix": lambda text: dns_subdomain(text, True),
    "dns1035LabelPrefix": lambda text: dns_label_1035(text, True),
    "qualifiedName": qualified_name,
    "labelValue": label_value,
    "uri": lambda text: [] if _is(_url)(text) else [f'parse "{text}": invalid URI for request'],
    "uuid": _known("uuid", "does not match the UUID format"),
    "byte": _known("byte", "invalid base64"),
    "date": _known("date", "invalid date"),
    "datetime": _known("date-time", "invalid datetime"),
}


def _validate(value: Any, text: Any) -> Optional:
    found = _FORMATS[_of("kubernetes.NamedFormat", value)](_text(text))
    return Optional(True, found) if found else Optional()


def _semver(text: Any, normalize: Any = False) -> Opaque:
    value = _text(text)
    if normalize:
        value = value.removeprefix("v")
        head, mark, rest = value.partition("-")
        plain, plus, build = head.partition("+")
        parts = [p.lstrip("0") or "0" for p in plain.split(".")]
        value = ".".join([*parts, "0", "0"][: max(3, len(parts))]) + plus + build + mark + rest
    found = _SEMVER.fullmatch(value)
    if found is None:
        raise CelError(
            "No Major.Minor.Patch elements found"
            if value.count(".") < 2
            else "Invalid character(s) found"
        )
    before: list[tuple[int, int, str]] = []
    for part in (found.group(4) or "").split(".") if found.group(4) else []:
        before.append((0, int(part), "") if part.isdigit() else (1, 0, part))
    numbers = tuple(int(found.group(i)) for i in (1, 2, 3))
    return Opaque("kubernetes.Semver", (*numbers, (0, before) if found.group(4) else (1, [])))


def register(functions: dict[tuple[str, bool], Callable[..., Any]]) -> None:
    """Add the functions to those of CEL."""

    def member(name: str, kind: str, read: Callable[..., Any]) -> None:
        before = functions.get((name, True))

        def call(value: Any, *args: Any) -> Any:
            if isinstance(value, Opaque) and value.kind == kind:
                return read(value.value, *args)
            if before is not None:
                return before(value, *args)
            raise no_overload()

        functions[name, True] = call

    functions["quantity", False] = _quantity
    functions["isQuantity", False] = _is(_quantity)
    number = "kubernetes.Quantity"
    member("isInteger", number, _is_integer)
    member("asInteger", number, _as_integer)
    member("asApproximateFloat", number, float)
    member("sign", number, lambda q: _order(q, 0))
    member("add", number, lambda q, other: Opaque(number, q + _amount(other)))
    member("sub", number, lambda q, other: Opaque(number, q - _amount(other)))
    member("isLessThan", number, lambda q, other: q < _amount(other))
    member("isGreaterThan", number, lambda q, other: q > _amount(other))
    member("compareTo", number, lambda q, other: _order(q, _amount(other)))

    functions["url", False] = _url
    functions["isURL", False] = _is(_url)
    url = "kubernetes.URL"
    member("getScheme", url, lambda u: u.scheme)
    member("getHost", url, _host)
    member("getHostname", url, _hostname)
    member("getPort", url, _port)
    member("getEscapedPath", url, lambda u: u.path)
    member("getQuery", url, _query)

    functions["ip", False] = _ip
    functions["isIP", False] = _is(_ip)
    functions["ip.isCanonical", False] = lambda text: str(_ip(text).value) == text
    address = "net.IP"
    member("family", address, lambda a: a.version)
    member("isUnspecified", address, lambda a: a.is_unspecified)
    member("isLoopback", address, lambda a: a.is_loopback)
    member("isLinkLocalMulticast", address, _link_local_multicast)
    member("isLinkLocalUnicast", address, lambda a: a.is_link_local)
    member("isGlobalUnicast", address, _global_unicast)

    functions["cidr", False] = _cidr
    functions["isCIDR", False] = _is(_cidr)
    cidr = "net.CIDR"
    functions["containsIP", True] = _contains_ip
    functions["containsCIDR", True] = _contains_cidr
    member("ip", cidr, lambda n: Opaque(address, n.ip))
    member("masked", cidr, lambda n: Opaque(cidr, ipaddress.ip_interface(n.network)))
    member("prefixLength", cidr, lambda n: n.network.prefixlen)

    for name in _FORMATS:
        functions[f"format.{name}", False] = lambda name=name: Opaque(
            "kubernetes.NamedFormat", name
        )
    functions["format.named", False] = lambda name: (
        Optional(True, Opaque("kubernetes.NamedFormat", name)) if name in _FORMATS else Optional()
    )
    functions["validate", True] = _validate

    functions["semver", False] = _semver
    functions["isSemver", False] = _is(_semver)
    version = "kubernetes.Semver"
    for position, name in enumerate(("major", "minor", "patch")):
        member(name, version, lambda v, position=position: v[position])
    member("isLessThan", version, lambda v, other: v < _of(version, other))
    member("isGreaterThan", version, lambda v, other: v > _of(version, other))
    member("compareTo", version, lambda v, other: _order(v, _of(version, other)))
