"""The `format` values that the API server checks on strings of a custom resource.

The list and each check follow what kube-apiserver does (apiextensions hands the value to kube-openapi's strfmt), warts
included: `010.1.2.3` is an ipv4 address, `1 day` and `P1D` are durations, an empty string is no uri and no base64,
`my-host` is no hostname (a name without a dot may have a hyphen in the second place only). Formats that are not here
are not checked, as there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from opgen.meta import goparse

__all__ = ["DATE_TIME", "Format", "FORMATS"]

Check = Callable[[str], bool]

_DATE = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
DATE_TIME = (
    rf"{_DATE}[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:[^\nTt][0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})(?:[Tt](?:.|\n)*)?"
)
"""Matches what the API server takes as a date-time, for any engine, without anchors.

Any character may stand before the fraction, and a `T` and anything at all may follow: the server checks no further.
"""

_DURATION_TERM = r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)"
_DURATION_UNITS = frozenset({"ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"})
_DURATION_WORDS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
_BYTE = r"(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])"
_SPACE = r"[\t\n\f\r ]*"
_UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?%s[0-9a-fA-F]{3}-?%s[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}"
_HEX = "[0-9a-fA-F]"
_KUBE_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_CARD = (
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)
_NAME_CHAR = r"[a-zA-Z0-9\p{S}\p{L}]"
_HOSTNAME = (
    rf"^(?:{_NAME_CHAR}(?:-?{_NAME_CHAR}{{0,62}})?"
    rf"|(?:{_NAME_CHAR}(?:[-a-zA-Z0-9\p{{S}}\p{{L}}]{{0,61}}{_NAME_CHAR})?\.)+[a-zA-Z\p{{L}}]{{2,63}})$"
)


def _matches(pattern: str, longest: int | None = None) -> Check:
    """Return the check of a pattern; `re` compiles it when it is first used."""

    def check(text: str) -> bool:
        if longest is not None and len(text) > longest:
            return False
        return re.fullmatch(pattern, text) is not None

    return check


def _is_duration(text: str) -> bool:
    if goparse.duration_nanoseconds(text) is not None:
        return True
    terms = re.findall(_DURATION_TERM, text)
    if any(int(number) >= 2**63 for number, _ in terms):
        return False
    units = (unit.lower() for _, unit in terms)
    return any(unit in _DURATION_UNITS or unit.startswith(_DURATION_WORDS) for unit in units)


def _bare(text: str) -> str:
    return re.sub(r"[\t\n\f\r -]+", "", text)


def _is_isbn10(text: str) -> bool:
    digits = _bare(text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    numbers = (10 if char == "X" else int(char) for char in digits)
    return sum(place * number for place, number in enumerate(numbers, 1)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = _bare(text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum((3 if i % 2 else 1) * int(char) for i, char in enumerate(digits)) % 10 == 0


def _is_creditcard(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not re.fullmatch(_CARD, digits):
        return False
    doubled = (int(char) * (1 + i % 2) for i, char in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


@cache
def _hostname_validator() -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=_HOSTNAME))


def _is_hostname(text: str) -> bool:
    octets = text.encode("utf-8", "surrogatepass")
    return (
        len(octets) <= 255
        and all(len(label) <= 63 for label in octets.split(b"."))
        and _hostname_validator().isinstance_python(text)
    )


class _Formats(Mapping[str, Check]):
    """Looks a format up as the server does: hyphens in its name do not count."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self._bare = {name.replace("-", ""): check for name, check in checks.items()}

    def __getitem__(self, name: str) -> Check:
        return self._bare[name.replace("-", "")]

    def __iter__(self) -> Iterator[str]:
        return iter(self._checks)

    def __len__(self) -> int:
        return len(self._checks)


FORMATS: Mapping[str, Check] = _Formats(
    {
        "bsonobjectid": _matches(rf"{_HEX}{{24}}"),
        "byte": _matches(_BASE64),
        "cidr": goparse.is_cidr,
        "creditcard": _is_creditcard,
        "date": _matches(_DATE),
        "date-time": _matches(DATE_TIME),
        "duration": _is_duration,
        "email": goparse.is_mail_address,
        "hexcolor": _matches(rf"#?(?:{_HEX}{{3}}|{_HEX}{{6}})"),
        "hostname": _is_hostname,
        "ipv4": goparse.is_ipv4,
        "ipv6": goparse.is_ipv6,
        "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
        "isbn10": _is_isbn10,
        "isbn13": _is_isbn13,
        "k8s-long-name": _matches(rf"{_KUBE_LABEL}(?:\.{_KUBE_LABEL})*", 253),
        "k8s-short-name": _matches(_KUBE_LABEL, 63),
        "mac": goparse.is_mac,
        "password": lambda text: True,
        "rgbcolor": _matches(
            rf"rgb\({_SPACE}{_BYTE}{_SPACE},{_SPACE}{_BYTE}{_SPACE},{_SPACE}{_BYTE}{_SPACE}\)"
        ),
        "ssn": _matches(r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}"),
        "uri": goparse.is_request_uri,
        "uuid": _matches(_UUID % (_HEX, _HEX)),
        "uuid3": _matches(_UUID % ("3", _HEX)),
        "uuid4": _matches(_UUID % ("4", "[89abAB]")),
        "uuid5": _matches(_UUID % ("5", "[89abAB]")),
    }
)
"""The check of each format: takes the string, returns whether it is of the format.

A format is found under any spelling that differs in hyphens only, such as `datetime`.
"""


class Format:
    """Refuses a string that is not of a format: `Annotated[str, Format("ipv4")]`; unknown formats check nothing."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Take the format as the schema names it."""
        self.name = name

    def __repr__(self) -> str:
        """Show what was written."""
        return f"Format({self.name!r})"

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Check after the type has been checked; other arms of a union pass."""
        check = FORMATS.get(self.name)
        if check is None:
            return handler(source)

        def of_format(value: Any) -> Any:
            if isinstance(value, str) and not check(value):
                raise ValueError(f"must be of format {self.name}")
            return value

        return core_schema.no_info_after_validator_function(of_format, handler(source))
