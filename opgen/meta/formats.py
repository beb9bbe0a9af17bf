"""The `format` values that the API server checks on strings of a custom resource.

The list and each check follow what kube-apiserver does (apiextensions hands the value to go-openapi/strfmt), warts
included: `010.1.2.3` is an ipv4 address, `1 day` and `P1D` are durations, an empty string is no uri and no base64.
Formats that are not here are not checked, as there.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from email.utils import parseaddr
from typing import Any
from urllib.parse import urlsplit

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["FORMATS", "Format"]

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_TIME = re.compile(r"(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|[+-]\d{2}:\d{2})", re.ASCII)
_GO_DURATION = re.compile(r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_LOOSE_DURATION = re.compile(r"\d+\s*([A-Za-zµ]+)", re.ASCII)
_UNITS = ("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk")
_UNIT_WORDS = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})", re.ASCII
)
_UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?%s[0-9a-fA-F]{3}-?%s[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}"
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_CARDS = (
    r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14}"
)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if not found:
        return False
    try:
        date(*map(int, found.groups()))
    except ValueError:
        return False
    return True


def _is_datetime(text: str) -> bool:
    day, separator, clock = text.partition("T" if "T" in text else "t")
    found = _TIME.fullmatch(clock)
    if not separator or not found or not _is_date(day):
        return False
    hours, minutes, seconds = map(int, found.groups())
    return hours <= 23 and minutes <= 59 and seconds <= 59


def _is_duration(text: str) -> bool:
    if _GO_DURATION.fullmatch(text):
        return True
    units = (found.lower() for found in _LOOSE_DURATION.findall(text))
    return any(unit in _UNITS or unit.startswith(_UNIT_WORDS) for unit in units)


def _is_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(
        part.isascii() and part.isdigit() and int(part[:9]) <= 255 for part in parts
    )


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def _is_cidr(text: str) -> bool:
    address, separator, bits = text.partition("/")
    if not separator or not (bits.isascii() and bits.isdigit()) or len(bits) > 3:
        return False
    return int(bits) <= (128 if ":" in address else 32) and (_is_ipv4(address) or _is_ipv6(address))


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    if (
        not text
        or text != text.strip()
        or any(ord(char) <= 0x20 or ord(char) == 0x7F for char in text)
    ):
        return False
    return text.startswith("/") or bool(parts.scheme)


def _is_email(text: str) -> bool:
    _, address = parseaddr(text)
    local, separator, domain = address.rpartition("@")
    return bool(separator and local and domain) and not any(char.isspace() for char in address)


def _is_isbn10(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if not re.fullmatch(r"\d{9}[\dX]", digits, re.ASCII):
        return False
    return (
        sum((i + 1) * (10 if char == "X" else int(char)) for i, char in enumerate(digits)) % 11 == 0
    )


def _is_isbn13(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if not re.fullmatch(r"\d{13}", digits, re.ASCII):
        return False
    return sum((3 if i % 2 else 1) * int(char) for i, char in enumerate(digits)) % 10 == 0


def _is_creditcard(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not re.fullmatch(_CARDS, digits, re.ASCII):
        return False
    total = 0
    for i, char in enumerate(reversed(digits)):
        number = int(char) * (2 if i % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _is_hostname(text: str) -> bool:
    return (
        len(text) <= 255
        and re.fullmatch(rf"{_LABEL}(?:\.{_LABEL})*\.?", text, re.ASCII) is not None
    )


def _is_mac(text: str) -> bool:
    for separator, width in ((":", 2), ("-", 2), (".", 4)):
        parts = text.split(separator)
        if len(parts) * width in (12, 16, 40) and all(
            re.fullmatch(rf"[0-9a-fA-F]{{{width}}}", part) for part in parts
        ):
            return True
    return False


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "bsonobjectid": _matches(r"[0-9a-fA-F]{24}"),
    "byte": _matches(_BASE64.pattern),
    "cidr": _is_cidr,
    "creditcard": _is_creditcard,
    "date": _is_date,
    "date-time": _is_datetime,
    "datetime": _is_datetime,
    "duration": _is_duration,
    "email": _is_email,
    "hexcolor": _matches(r"#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "k8s-long-name": lambda text: (
        len(text) <= 253 and bool(re.fullmatch(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*", text))
    ),
    "k8s-short-name": _matches(_DNS_LABEL),
    "mac": _is_mac,
    "password": lambda text: True,
    "rgbcolor": _matches(
        r"rgb\(\s*(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\s*,\s*){2}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\s*\)"
    ),
    "ssn": _matches(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "uri": _is_uri,
    "uuid": _matches(_UUID % ("[0-9a-fA-F]", "[0-9a-fA-F]")),
    "uuid3": _matches(_UUID % ("3", "[0-9a-fA-F]")),
    "uuid4": _matches(_UUID % ("4", "[89abAB]")),
    "uuid5": _matches(_UUID % ("5", "[89abAB]")),
}
"""The check of each format; takes the string, returns whether it is one."""


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
        """Check after the type has been checked."""
        check = FORMATS.get(self.name)
        if check is None:
            return handler(source)

        def of_format(value: Any) -> Any:
            if isinstance(value, str) and not check(value):
                raise ValueError(f"must be of format {self.name}")
            return value

        return core_schema.no_info_after_validator_function(of_format, handler(source))
