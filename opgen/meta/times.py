"""Times as Kubernetes writes them: strings that keep their spelling and know their value.

`Time` is metav1.Time (RFC 3339, whole seconds when made here), `MicroTime` metav1.MicroTime (exactly six digits, which
the API server insists on), `Duration` what Go's time.ParseDuration reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from opgen.meta.formats import FORMATS

__all__ = ["Duration", "MicroTime", "Time"]

Clock = Callable[[], datetime]

_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([zZ]|[+-]\d{2}:\d{2})", re.ASCII
)
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_NANOSECONDS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9
}  # fmt: skip


def _now() -> datetime:
    return datetime.now(UTC)


class _Text(str):
    """A string whose format the API server checks."""

    __slots__ = ()

    _format = "date-time"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take a string of the format; keep its spelling."""
        check = FORMATS[cls._format]

        def made(text: str) -> _Text:
            if not check(text):
                raise ValueError(f"must be of format {cls._format}")
            return cls(text)

        given = core_schema.no_info_after_validator_function(
            made, core_schema.str_schema(strict=True)
        )
        return core_schema.union_schema(
            [core_schema.is_instance_schema(cls), given], mode="left_to_right"
        )


class Time(_Text):
    """A moment, as metav1.Time: `"2026-03-04T05:06:07Z"`; compares as the text it is, by value through `datetime`."""

    __slots__ = ()

    @classmethod
    def now(cls, clock: Clock = _now) -> Self:
        """Return the present moment; `clock` is for tests."""
        return cls.of(clock())

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Return a moment as Kubernetes writes it. Raises ValueError for a naive datetime."""
        if moment.tzinfo is None:
            raise ValueError("a time needs a time zone, got a naive datetime")
        return cls(moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))

    @property
    def datetime(self) -> datetime:
        """The moment, aware; digits after the sixth are cut. Raises ValueError if the text is no RFC 3339 time."""
        match = _TIME.fullmatch(self)
        if match is None:
            raise ValueError(
                f'"{self}" is no time, expected RFC 3339 such as "2026-03-04T05:06:07Z"'
            )
        day, clock, fraction, zone = match.groups()
        zone = "+00:00" if zone in "zZ" else zone
        return datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{zone}")


class MicroTime(Time):
    """A moment with microseconds, as metav1.MicroTime; made here it has exactly six digits."""

    __slots__ = ()

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Return a moment as Kubernetes writes it. Raises ValueError for a naive datetime."""
        if moment.tzinfo is None:
            raise ValueError("a time needs a time zone, got a naive datetime")
        return cls(moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"))


class Duration(_Text):
    """A span of time: `"1h30m"`."""

    __slots__ = ()

    _format = "duration"

    @classmethod
    def of(cls, span: timedelta) -> Self:
        """Return a span as Go prints it: `1h30m0s`, `1.5s`, `250ms`, `0s`."""
        micros = span // timedelta(microseconds=1)
        sign, micros = ("-", -micros) if micros < 0 else ("", micros)
        if micros == 0:
            return cls("0s")
        if micros < 1000:
            return cls(f"{sign}{micros}µs")
        if micros < 10**6:
            return cls(f"{sign}{_plain(Decimal(micros) / 1000)}ms")
        minutes, rest = divmod(micros, 60 * 10**6)
        hours, minutes = divmod(minutes, 60)
        head = (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "")
        return cls(f"{sign}{head}{_plain(Decimal(rest) / 10**6)}s")

    @property
    def timedelta(self) -> timedelta:
        """The span; nanoseconds are cut. Raises ValueError if the text is not of Go's grammar."""
        text = self.lstrip("+-")
        parts = _PART.findall(text)
        if text != "0" and (not parts or "".join(number + unit for number, unit in parts) != text):
            raise ValueError(f'"{self}" is no duration, expected Go\'s form such as "1h30m"')
        total = int(sum(Decimal(number) * _NANOSECONDS[unit] for number, unit in parts))
        span = timedelta(microseconds=total // 1000)
        return -span if self.startswith("-") else span


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
