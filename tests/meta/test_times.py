from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opgen.meta import Duration, MicroTime, Model, Time, use_clock

NOON = datetime(2026, 3, 4, 12, 0, 0, 123456, UTC)

moments = st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)).map(
    lambda at: at.replace(tzinfo=UTC)
)


class Lease(Model):
    at: Time | None = None
    renewed: MicroTime | None = None
    ttl: Duration | None = None


def test_a_time_made_here_has_whole_seconds_and_a_micro_time_six_digits() -> None:
    assert Time.of(NOON) == "2026-03-04T12:00:00Z"
    assert MicroTime.of(NOON) == "2026-03-04T12:00:00.123456Z"
    assert MicroTime.of(NOON.replace(microsecond=0)) == "2026-03-04T12:00:00.000000Z"
    assert MicroTime.of(NOON.replace(microsecond=120)) == "2026-03-04T12:00:00.000120Z"
    assert Time.of(NOON.astimezone(timezone(timedelta(hours=2)))) == "2026-03-04T12:00:00Z"
    assert Time.of(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00Z"


def test_a_naive_moment_is_refused() -> None:
    for made in (Time, MicroTime):
        with pytest.raises(ValueError, match="needs a time zone"):
            made.of(datetime(2026, 1, 1))


def test_the_clock_can_be_given_or_set_for_a_block() -> None:
    assert Time.now(lambda: NOON) == "2026-03-04T12:00:00Z"
    with use_clock(lambda: NOON):
        assert (Time.now(), MicroTime.now()) == (
            "2026-03-04T12:00:00Z",
            "2026-03-04T12:00:00.123456Z",
        )
        with use_clock(lambda: NOON + timedelta(hours=1)):
            assert Time.now() == "2026-03-04T13:00:00Z"
    assert abs(Time.now().datetime - datetime.now(UTC)) < timedelta(minutes=1)


@given(moments)
def test_a_micro_time_keeps_the_moment(moment: datetime) -> None:
    assert MicroTime.of(moment).datetime == moment
    assert Time.of(moment).datetime == moment.replace(microsecond=0)


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("", 0),
        (".1", 100000),
        (".123456", 123456),
        (".123456789", 123456),
        (".000000001", 0),
        (".120", 120000),
    ],
)
def test_any_number_of_fraction_digits_is_read(text: str, micros: int) -> None:
    assert Time(f"2026-03-04T12:00:00{text}Z").datetime == NOON.replace(microsecond=micros)


@pytest.mark.parametrize(
    "text", ["2026-03-04T14:00:00+02:00", "2026-03-04t12:00:00z", "2026-03-04T12:00:00-00:00"]
)
def test_offsets_are_read(text: str) -> None:
    assert Time(text).datetime == NOON.replace(microsecond=0)


@pytest.mark.parametrize(
    "text", ["", "now", "2026-03-04", "2026-13-04T12:00:00Z", "2026-03-04T12:00:00"]
)
def test_what_is_no_time_says_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no time, expected RFC 3339|month must be"):
        _ = Time(text).datetime


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-04T12:00:00Z",
        "2026-03-04T12:00:00.5+02:00",
        "2024-02-29t23:59:59z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_decoding_keeps_the_spelling(text: str) -> None:
    lease = Lease.from_wire({"at": text, "renewed": text})
    assert (type(lease.at), type(lease.renewed)) == (Time, MicroTime)
    assert lease.to_wire() == {"at": text, "renewed": text}
    assert type(lease.to_wire()["at"]) is str


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-03-04",
        "2026-03-04 12:00:00Z",
        "2026-02-29T12:00:00Z",
        "2026-03-04T24:00:00Z",
        "2026-03-04T12:00:60Z",
        "2026-03-04T12:00:00",
        "2026-03-04T12:00:00Z\n",
        "\uff12026-03-04T12:00:00Z",
        1,
        None,
        True,
    ],
)
def test_decoding_refuses_what_the_server_refuses(text: object) -> None:
    class Strict(Model):
        at: Time

    with pytest.raises(ValueError, match="must be a time such as"):
        Strict.from_wire({"at": text})


def test_a_time_survives_copying_and_assignment() -> None:
    lease = Lease(at=Time.of(NOON))
    lease.renewed = MicroTime.of(NOON)
    for other in (lease.deepcopy(), copy.deepcopy(lease), pickle.loads(pickle.dumps(lease))):
        assert other == lease
        assert isinstance(other.at, Time)


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(), "0s"),
        (timedelta(microseconds=5), "5µs"),
        (timedelta(microseconds=2500), "2.5ms"),
        (timedelta(milliseconds=250), "250ms"),
        (timedelta(seconds=1.5), "1.5s"),
        (timedelta(seconds=90), "1m30s"),
        (timedelta(hours=1), "1h0m0s"),
        (timedelta(days=2, seconds=1, microseconds=10), "48h0m1.00001s"),
        (-timedelta(minutes=1), "-1m0s"),
    ],
)
def test_a_duration_is_printed_as_go_does(span: timedelta, text: str) -> None:
    assert Duration.of(span) == text
    assert Duration(text).timedelta == span


@given(st.timedeltas(min_value=timedelta(days=-100_000), max_value=timedelta(days=100_000)))
def test_a_duration_keeps_the_span(span: timedelta) -> None:
    assert Duration.of(span).timedelta == span


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("1h30m", timedelta(minutes=90)),
        ("1.5h", timedelta(minutes=90)),
        (".5s", timedelta(seconds=0.5)),
        ("1.s", timedelta(seconds=1)),
        ("+5us", timedelta(microseconds=5)),
        ("5μs", timedelta(microseconds=5)),
        ("1999ns", timedelta(microseconds=1)),
        ("-1999ns", timedelta(microseconds=-1)),
        ("0", timedelta()),
        ("-0", timedelta()),
    ],
)
def test_durations_are_read_as_go_does(text: str, span: timedelta) -> None:
    assert Duration(text).timedelta == span
    assert Lease.from_wire({"ttl": text}).to_wire() == {"ttl": text}


@pytest.mark.parametrize("text", ["", "5", "h", "1 h", "1d", "P1D", "1h30", "2562048h", "--1s"])
def test_what_go_does_not_read_has_no_span(text: str) -> None:
    with pytest.raises(ValueError, match="is no duration, expected Go's form"):
        _ = Duration(text).timedelta


def test_a_span_beyond_go_is_refused() -> None:
    with pytest.raises(ValueError, match="292 years"):
        Duration.of(timedelta(days=200_000))


@pytest.mark.parametrize(
    ("text", "taken"),
    [("1 day", True), ("P1D", True), ("1h30", True), ("5", False), (5, False), ("", False)],
)
def test_decoding_takes_the_durations_that_the_server_takes(text: object, taken: bool) -> None:
    if taken:
        assert Lease.from_wire({"ttl": text}).to_wire() == {"ttl": text}
    else:
        with pytest.raises(ValueError, match="must be a duration such as"):
            Lease.from_wire({"ttl": text})
