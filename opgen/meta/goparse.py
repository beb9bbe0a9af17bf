"""What Go's parsers take, as far as the API server hands them the values of custom resources.

Each function says whether a text parses, or what it is worth, by the rules of the Go function it names. Python's own
parsers (ipaddress, urllib, email) draw the line elsewhere, and a value that passes here must pass there.
Expressions are compiled when they are first used, by `re` and its cache: this module is imported by every program.
"""

from __future__ import annotations

import ipaddress
import re

__all__ = [
    "duration_nanoseconds",
    "is_cidr",
    "is_ipv4",
    "is_ipv6",
    "is_mac",
    "is_mail_address",
    "is_request_uri",
]

_INT64 = 2**63

# ------------------------------------------------------------------- time.ParseDuration

_DURATION = r"([+-]?)(0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)"
_DURATION_PART = r"([0-9]*)\.?([0-9]*)(ns|us|µs|μs|ms|s|m|h)"
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}


def duration_nanoseconds(text: str) -> int | None:
    """Return the nanoseconds that Go's `time.ParseDuration` reads, None where it reports an error.

    Of a fraction, what is finer than a nanosecond is cut. A span beyond 2^63-1 ns, some 292 years, is an error.
    """
    found = re.fullmatch(_DURATION, text)
    if found is None:
        return None
    total = 0
    for whole, fraction, unit in re.findall(_DURATION_PART, found[2]):
        nanoseconds = _NANOSECONDS[unit]
        total += int(whole or 0) * nanoseconds
        total += int(fraction or 0) * nanoseconds // 10 ** len(fraction)
    if found[1] == "-":
        return -total if total <= _INT64 else None
    return total if total < _INT64 else None


# ------------------------------------------------------------------------- addresses

_LEADING_ZEROS = r"(?<![0-9A-Fa-f])0+(?=[0-9A-Fa-f])"


def is_ipv4(text: str) -> bool:
    """Return whether k8s.io/utils' `ParseIPSloppy` takes it and it has a dot.

    Sloppy is the rule of Go before 1.17, which Kubernetes keeps: leading zeros are decimal. An IPv6 address that ends
    in an IPv4 one has a dot, too.
    """
    return _is_dotted(text) or ("." in text and ":" in text and _is_sloppy_ipv6(text))


def is_ipv6(text: str) -> bool:
    """Return whether Go's `net.ParseIP` takes it and it has a colon; zones (`%eth0`) are none of an address."""
    if "%" in text:
        return False
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def is_cidr(text: str) -> bool:
    """Return whether k8s.io/utils' `ParseCIDRSloppy` takes it: bits of the host may be set."""
    address, slash, bits = text.partition("/")
    if not slash or re.fullmatch(r"[0-9]+", bits) is None or len(bits.lstrip("0")) > 3:
        return False
    if _is_dotted(address):
        return int(bits) <= 32
    return int(bits) <= 128 and _is_sloppy_ipv6(address)


def is_mac(text: str) -> bool:
    """Return whether Go's `net.ParseMAC` takes it: 6, 8 or 20 bytes, by colon, hyphen, or in pairs by dot."""
    for separator, width in ((":", 2), ("-", 2), (".", 4)):
        parts = text.split(separator)
        if len(parts) * width in (12, 16, 40):
            return all(re.fullmatch(rf"[0-9a-fA-F]{{{width}}}", part) for part in parts)
    return False


def _is_dotted(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(
        re.fullmatch(r"0*[0-9]{1,3}", part) is not None and int(part[-3:]) <= 255 for part in parts
    )


def _is_sloppy_ipv6(text: str) -> bool:
    return is_ipv6(re.sub(_LEADING_ZEROS, "", text))


# ---------------------------------------------------------------- url.ParseRequestURI

_SCHEME = r"([A-Za-z][A-Za-z0-9+.-]*):"
_BROKEN_ESCAPE = r"%(?![0-9A-Fa-f]{2})"
_USER = r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*"
_HOST_CHARS = r"[A-Za-z0-9!$&'()*+,;=:\[\]<>\"\-_.~]|[^\x00-\x7f]|%25"
_HOST = rf"(?:{_HOST_CHARS}|%[89A-Fa-f][0-9A-Fa-f])*"
_ZONE = rf"(?:{_HOST_CHARS}|%[0-9A-Fa-f][0-9A-Fa-f])*"
_PORT = r"(?::[0-9]*)?"


def is_request_uri(text: str) -> bool:
    """Return whether Go's `url.ParseRequestURI` takes it: an absolute URI, or a path from the root.

    There is no fragment in one, so `#` is a character like others; neither spaces in the path nor what follows a scheme
    without a slash are looked at. In `[]` there is an IPv6 address (since Go 1.25), and a host has one colon at most
    (since Go 1.26).
    """
    if not text or any(char < " " or char == "\x7f" for char in text):
        return False
    if text == "*":
        return True
    scheme = re.match(_SCHEME, text)
    rest = (text[scheme.end() :] if scheme else text).partition("?")[0]
    if not rest.startswith("/"):
        return scheme is not None
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        user, _, host = authority.rpartition("@")
        if (
            re.fullmatch(_USER, user) is None
            or re.search(_BROKEN_ESCAPE, user)
            or not _is_host(host)
        ):
            return False
        rest = slash + path
    return re.search(_BROKEN_ESCAPE, rest) is None


def _is_host(host: str) -> bool:
    if host.startswith("["):
        literal, bracket, port = host[1:].rpartition("]")
        address, zoned, zone = literal.partition("%25")
        if not bracket or re.fullmatch(_PORT, port) is None or (zoned and not zone):
            return False
        return is_ipv6(address) and re.fullmatch(_ZONE, zone) is not None
    name, colon, port = host.partition(":")
    return re.fullmatch(_PORT, colon + port) is not None and re.fullmatch(_HOST, name) is not None


# ------------------------------------------------------------------- mail.ParseAddress

_ATOM = r'[^\x00-\x20\x7f()<>\[\]:;@\\,".]+'
_DOT_ATOM = rf"{_ATOM}(?:\.{_ATOM})*"
_QUOTED = r'"(?:[^\\"\x00-\x08\x0a-\x1f\x7f]|\\[\t\x20-\x7e\x80-\U0010ffff]){%s,}"'
_SPACE = r"[ \t]*"
_SPEC = (
    rf"[ \t]*(?:{_QUOTED % 1}|{_DOT_ATOM})@[ \t]*"
    rf"(?:\[(?P<literal>[^\x00-\x20\x7f\[\]\\]*)\]|{_DOT_ATOM}(?!\.|{_ATOM}))"
)
_WORD = rf'[ \t]*(?:{_QUOTED % 0}|[^\x00-\x20\x7f<>:"]+)'


def is_mail_address(text: str) -> bool:
    """Return whether Go's `mail.ParseAddress` takes it: `a@b`, `Name <a@b>`, or a group of one, `team: a@b;`."""
    found = _addresses(text, 0, True)
    if found is None:
        return False
    count, position = found
    return count == 1 and _after_comments(text, position) == len(text)


def _addresses(text: str, position: int, groups: bool) -> tuple[int, int] | None:
    """Return how many addresses there are at a position, and where they end; None where there is no address."""
    spec = _spec(text, position)
    if spec is not None:
        end = _spaces(text, spec)
        if text.startswith("(", end):
            commented = _after_comment(text, end)
            return None if commented is None else (1, commented)
        return 1, end
    position = _spaces(text, position)
    if not text.startswith("<", position):
        words = _after_words(text, position)
        if words is None:
            return None
        position = _spaces(text, words)
    if groups and text.startswith(":", position):
        return _group(text, position + 1)
    if not text.startswith("<", position):
        return None
    spec = _spec(text, position + 1)
    return (1, spec + 1) if spec is not None and text.startswith(">", spec) else None


def _group(text: str, position: int) -> tuple[int, int] | None:
    count = 0
    while True:
        found = _addresses(text, position, False)
        if found is None:
            return None
        count += found[0]
        end = _after_comments(text, found[1])
        if end is None or not text.startswith((",", ";"), end):
            return None
        position = end + 1
        if text[end] == ";":
            return count, position


def _spec(text: str, position: int) -> int | None:
    found = re.compile(_SPEC).match(text, position)
    if found is None or (found["literal"] is not None and not _is_strict_ip(found["literal"])):
        return None
    return found.end()


def _is_strict_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def _after_words(text: str, position: int) -> int | None:
    found = re.compile(_WORD).match(text, position)
    end = None
    while found is not None:
        end = _after_comments(text, found.end())
        if end is None:
            return None
        found = re.compile(_WORD).match(text, end)
    return end


def _spaces(text: str, position: int) -> int:
    found = re.compile(_SPACE).match(text, position)
    return found.end() if found else position


def _after_comments(text: str, position: int) -> int | None:
    end: int | None = _spaces(text, position)
    while end is not None and text.startswith("(", end):
        end = _after_comment(text, end)
        end = None if end is None else _spaces(text, end)
    return end


def _after_comment(text: str, position: int) -> int | None:
    """Return where the comment that starts at a position ends; comments nest. None where it does not end."""
    depth = 0
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 1
        elif char in "()":
            depth += 1 if char == "(" else -1
            if depth == 0:
                return position + 1
        position += 1
    return None
