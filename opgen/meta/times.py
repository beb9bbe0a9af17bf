"""Times as Kubernetes writes them: strings that keep their spelling and know their value.

`Time` is metav1.Time (RFC 3339, whole seconds when made here), `MicroTime` metav1.MicroTime (exactly six digits, which
the API server insists on), `Duration` what Go's time.ParseDuration reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from opgen.meta.formats import DATE_TIME, FORMATS
from opgen.meta.goparse import duration_nanoseconds

__all__ = ["Clock", "Duration", "MicroTime", "Time", "use_clock"]

Clock = Callable[[], datetime]
"""Tells the present moment, with a time zone."""

_TIME = r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?([zZ]|[+-][0-9]{2}:[0-9]{2})"


def _wall_clock() -> datetime:
    return datetime.now(UTC)


_clock: ContextVar[Clock] = ContextVar("opgen_clock", default=_wall_clock)


@contextmanager
def use_clock(clock: Clock) -> Iterator[None]:
    """Let `Time.now()` and conditions set within the block tell the time by `clock`; tasks started in it inherit it."""
    token = _clock.set(clock)
    try:
        yield
    finally:
        _clock.reset(token)


class _Text(str):
    """A string whose format the API server checks."""

    __slots__ = ()

    @classmethod
    def _given(cls) -> CoreSchema:
        """Return the schema of a string of the format that ends in an instance."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Take a string of the format; keep its spelling."""
        return cls._given()


class Time(_Text):
    """A moment, as metav1.Time: `"2026-03-04T05:06:07Z"`; compares as the text it is, by value through `datetime`."""

    __slots__ = ()

    @classmethod
    def now(cls, clock: Clock | None = None) -> Self:
        """Return the present moment by `clock`, or by the clock of the nearest `use_clock`, or by the system's."""
        return cls.of((clock or _clock.get())())

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Return a moment as Kubernetes writes it, fractions cut. Raises ValueError for a naive datetime."""
        return cls(_utc(moment).isoformat(timespec="seconds") + "Z")

    @property
    def datetime(self) -> datetime:
        """The moment, aware; digits after the sixth are cut.

        Raises ValueError if the text is no RFC 3339 time: the API server takes some that are not.
        """
        match = re.fullmatch(_TIME, self)
        if match is None:
            raise ValueError(
                f'"{self}" is no time, expected RFC 3339 such as "2026-03-04T05:06:07Z"'
            )
        day, clock, fraction, zone = match.groups()
        zone = "+00:00" if zone in "zZ" else zone
        return datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{zone}")

    @classmethod
    def _given(cls) -> CoreSchema:
        return core_schema.custom_error_schema(
            core_schema.no_info_after_validator_function(
                cls, core_schema.str_schema(strict=True, pattern=f"^(?:{DATE_TIME})$")
            ),
            custom_error_type="date_time",
            custom_error_message='must be a time such as "2026-03-04T05:06:07Z"',
        )


class MicroTime(Time):
    """A moment with microseconds, as metav1.MicroTime; made here it has exactly six digits."""

    __slots__ = ()

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """Return a moment as Kubernetes writes it. Raises ValueError for a naive datetime."""
        return cls(_utc(moment).isoformat(timespec="microseconds") + "Z")


class Duration(_Text):
    """A span of time: `"1h30m"`."""

    __slots__ = ()

    @classmethod
    def of(cls, span: timedelta) -> Self:
        """Return a span as Go prints it: `1h30m0s`, `1.5s`, `250ms`, `0s`. Raises ValueError beyond 292 years."""
        micros = span // timedelta(microseconds=1)
        sign, micros = ("-", -micros) if micros < 0 else ("", micros)
        if micros * 1000 >= 2**63:
            raise ValueError(f"a duration is shorter than 292 years, got {span}")
        if micros == 0:
            return cls("0s")
        if micros < 1000:
            return cls(f"{sign}{micros}µs")
        if micros < 10**6:
            return cls(f"{sign}{_decimal(micros, 3)}ms")
        minutes, rest = divmod(micros, 60 * 10**6)
        hours, minutes = divmod(minutes, 60)
        head = (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "")
        return cls(f"{sign}{head}{_decimal(rest, 6)}s")

    @property
    def timedelta(self) -> timedelta:
        """The span; nanoseconds are cut.

        Raises ValueError if the text is not of Go's grammar: the API server takes some that are not, such as `1 day`.
        """
        nanoseconds = duration_nanoseconds(self)
        if nanoseconds is None:
            raise ValueError(f'"{self}" is no duration, expected Go\'s form such as "1h30m"')
        span = timedelta(microseconds=abs(nanoseconds) // 1000)
        return -span if nanoseconds < 0 else span

    @classmethod
    def _given(cls) -> CoreSchema:
        check = FORMATS["duration"]

        def made(text: str) -> Duration:
            if not check(text):
                raise ValueError("must be of format duration")
            return cls(text)

        return core_schema.custom_error_schema(
            core_schema.no_info_after_validator_function(made, core_schema.str_schema(strict=True)),
            custom_error_type="duration",
            custom_error_message='must be a duration such as "1h30m"',
        )


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs a time zone, got a naive datetime")
    return moment.astimezone(UTC).replace(tzinfo=None)


def _decimal(number: int, places: int) -> str:
    """Return `number` divided by ten to the power of `places`, without trailing zeros."""
    whole, fraction = divmod(number, 10**places)
    return f"{whole}.{fraction:0{places}}".rstrip("0").rstrip(".")
