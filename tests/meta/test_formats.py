"""What the API server takes of each format, warts included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError

from opgen.meta import FORMATS, Format, Time
from tests.shared import SHARED, needs_shared

CASES = {
    "bsonobjectid": (
        ["507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"],
        ["507f1f77bcf86cd79943901", "zz7f1f77bcf86cd799439011"],
    ),
    "byte": (
        ["aGVsbG8=", "YWI=", "YQ==", "YWJj"],
        ["", "aGVsbG8", "not base64!", "a-_=", "====", "YQ==\n"],
    ),
    "cidr": (
        ["10.0.0.0/8", "10.0.0.1/8", "2001:db8::/32", "010.0.0.0/08", "::/0"],
        ["10.0.0.0", "10.0.0.0/33", "::/129", "1.2.3/8", "10.0.0.0/"],
    ),
    "creditcard": (
        ["4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"],
        ["4111 1111 1111 1112", "", "2221000000000009"],
    ),
    "date": (
        ["2024-02-29", "0000-01-01", "2000-02-29"],
        ["2023-02-29", "1900-02-29", "2024-1-2", "2024-13-01", "2024-04-31", ""],
    ),
    "date-time": (
        [
            "2026-03-04T05:06:07Z",
            "2026-03-04t05:06:07.5+02:00",
            "2026-03-04T05:06:07x5Z",
            "2026-03-04T05:06:07ZTail",
        ],
        [
            "2026-03-04",
            "2026-03-04 05:06:07Z",
            "2026-03-04T24:00:00Z",
            "2026-03-04T05:06:60Z",
            "2026-03-04T05:06:07",
            "2026-3-04T05:06:07Z",
        ],
    ),
    "duration": (
        [
            "5s",
            "1h30m",
            "-1.5h",
            "0",
            "1 day",
            "P1D",
            "3 weeks",
            "2 Hours",
            "1h30",
            "12 microseconds",
        ],
        ["5", "", "1 month", "P1Y", "day", "99999999999999999999 s"],
    ),
    "email": (
        [
            "a@b.example",
            "Name <a@b.example>",
            '"a b"@c.example',
            "a@[127.0.0.1]",
            "team: a@b.example;",
            "a@b.example (work)",
        ],
        ["a@", "plain", "", "a@b c", "a..b@c", "a@b, c@d", "team:;"],
    ),
    "hexcolor": (["#fff", "FFFFFF"], ["#ffff", "red", ""]),
    "hostname": (
        ["a.example.org", "my-host.example.org", "host", "a-b", "é.example"],
        [
            "",
            "-bad",
            "under_score.example",
            "my-host",
            "a.b",
            "1.2.3.4",
            "a.example.",
            "x" * 64 + ".example",
        ],
    ),
    "ipv4": (
        ["10.1.2.3", "010.1.2.3", "::ffff:10.1.2.3"],
        ["10.1.2.300", "::1", "10.1.2", "0000000000999.1.1.1", "10.1.2.3 "],
    ),
    "ipv6": (
        ["::1", "2001:DB8::1", "::ffff:10.1.2.3"],
        ["10.1.2.3", "fe80::1%eth0", "zz", ":::", "1:2:3:4:5:6:7:8::", "::ffff:010.1.2.3"],
    ),
    "isbn": (["0321751043", "978-0321751041"], ["0321751044", ""]),
    "isbn10": (["0321751043", "0-8044-2957-X"], ["978-0321751041", "080442957x"]),
    "isbn13": (["978-0321751041", "978 0321751041"], ["0321751043", "978-0321751042"]),
    "k8s-long-name": (["a.b-c.d", "x" * 100 + ".y"], ["", "A.b", "a..b", "-a", "x" * 254]),
    "k8s-short-name": (["ok-name", "1"], ["", "Not_A label", "a-", "x" * 64, "a.b"]),
    "mac": (
        ["01:02:03:04:05:06", "01-02-03-04-05-06-07-08", "0102.0304.0506"],
        ["zz", "01:02:03:04:05", "01:02-03:04:05:06", "0102:0304:0506"],
    ),
    "password": (["", "anything"], []),
    "rgbcolor": (
        ["rgb(255,0,17)", "rgb( 1 , 2 , 3 )"],
        ["rgb(256,0,0)", "rgb(01,0,0)", "rgba(1,2,3)"],
    ),
    "ssn": (["111-11-1111", "111 11 1111"], ["111111111", "111-11-111"]),
    "uri": (
        [
            "https://example.org/x",
            "mailto:a@b",
            "/path",
            "*",
            "x:%zz",
            "http://u:p@h:80/%20",
            "http://[::1]:80/",
            "/a b",
        ],
        [
            "",
            "no-scheme",
            "http://a b/",
            "http://h/%zz",
            "http://[::1",
            "http://[1.2.3.4]/",
            "http://h:x/",
            "http://h:1:2/",
            ":x",
            "http://h%41/",
            "/\n",
        ],
    ),
    "uuid": (
        ["12345678-1234-4234-9234-1234567890ab", "123456781234423492341234567890AB"],
        ["1234", "g2345678-1234-4234-9234-1234567890ab"],
    ),
    "uuid3": (["12345678-1234-3234-0234-1234567890ab"], ["12345678-1234-4234-9234-1234567890ab"]),
    "uuid4": (
        ["12345678-1234-4234-9234-1234567890ab"],
        ["12345678-1234-4234-7234-1234567890ab", "12345678-1234-5234-9234-1234567890ab"],
    ),
    "uuid5": (["12345678-1234-5234-9234-1234567890ab"], ["12345678-1234-4234-9234-1234567890ab"]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_and_refuses_what_the_server_does(name: str) -> None:
    taken, refused = CASES[name]
    check = FORMATS[name]
    assert [text for text in taken if not check(text)] == []
    assert [text for text in refused if check(text)] == []


def test_hyphens_in_a_name_do_not_count_and_unknown_formats_are_not_there() -> None:
    assert FORMATS["datetime"] is FORMATS["date-time"] is FORMATS["d-a-t-e-time"]
    assert "credit-card" in FORMATS
    assert not {"url", "quantity", "int64", "idn-hostname", "Date"} & set(FORMATS)
    assert FORMATS.get("no-such-format") is None
    assert len(FORMATS) == len(list(FORMATS)) == len(CASES)


def test_a_format_refuses_strings_and_leaves_the_rest_alone() -> None:
    address = TypeAdapter(Annotated[str, Format("ipv4")])
    assert address.validate_python("10.1.2.3") == "10.1.2.3"
    with pytest.raises(ValidationError, match="must be of format ipv4"):
        address.validate_python("::1")
    either = TypeAdapter(Annotated[int | str, Format("ipv4")])
    assert either.validate_python(5) == 5
    assert TypeAdapter(Annotated[str, Format("no-such-format")]).validate_python("x") == "x"
    assert repr(Format("ipv4")) == "Format('ipv4')"


def recorded_by_scenarios() -> Iterator[tuple[str, str, bool]]:
    assert SHARED
    fields = {"datetime": "date-time", "k8slabel": "k8s-short-name", "unknown": "no-such-format"}
    for line in (SHARED / "golden/apiserver/scenarios.jsonl").read_text("utf-8").splitlines():
        scenario = json.loads(line)
        if scenario["name"].startswith("validation/format-"):
            for step in scenario["steps"]:
                for field, value in step["request"]["body"]["spec"]["f"].items():
                    if isinstance(value, str):
                        yield fields.get(field, field), value, step["response"]["status"] == 201


@needs_shared
@pytest.mark.corpus
def test_the_formats_decide_as_the_recorded_server_did() -> None:
    found = list(recorded_by_scenarios())
    assert len(found) >= 40
    wrong = [
        (name, text)
        for name, text, taken in found
        if FORMATS.get(name, lambda _: True)(text) is not taken
    ]
    assert wrong == []


def test_a_time_takes_exactly_the_format() -> None:
    taken, refused = CASES["date-time"]
    validator = TypeAdapter(Time).validator
    assert all(validator.isinstance_python(text) for text in taken)
    assert not any(validator.isinstance_python(text) for text in refused)
