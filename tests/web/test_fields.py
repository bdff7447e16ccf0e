"""Fields on the wire: exactly what the interface says, and nothing that libraries take beside it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import marshmallow as ma
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.web import fields
from blogapi.web.fields import (
    FieldNames,
    Identifier,
    InputSchema,
    OutputSchema,
    PartialOutputSchema,
    StrictInteger,
    Text,
    Timestamp,
    WebAddress,
    WithAttributes,
)

A = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"


def test_a_uuid_is_read_in_its_canonical_form():
    assert fields.parse_uuid(A) == fields.parse_uuid(A.upper()) == UUID(A)


@pytest.mark.parametrize(
    "written",
    [
        "",
        A.replace("-", ""),
        f"{{{A}}}",
        f"urn:uuid:{A}",
        f"{A} ",
        f"{A}\n",
        A[:-1],
        f"{A}0000",
        A.replace("3", "٣"),
        A.replace("3", "g"),
        f"{A[:8]}{A[9:]}-",
        "a" * 10_000,
        "\x00",
    ],
)
def test_anything_else_is_no_uuid(written):
    assert fields.parse_uuid(written) is None


@settings(deadline=None)
@given(st.text() | st.text(alphabet="0123456789abcdef-", min_size=34, max_size=38))
def test_no_text_breaks_the_reader_of_uuids(written):
    found = fields.parse_uuid(written)
    assert found is None or str(found) == written.lower()


@settings(deadline=None)
@given(st.uuids())
def test_every_uuid_is_read(uuid):
    assert fields.parse_uuid(str(uuid)) == uuid


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-01-31T09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31 09:30", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T09:30:00.5+02:00", datetime(2026, 1, 31, 7, 30, 0, 500_000, tzinfo=UTC)),
        ("2026-01-01T00:00:00+14:00", datetime(2025, 12, 31, 10, tzinfo=UTC)),
        ("2024-02-29", datetime(2024, 2, 29, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_as_utc(written, moment):
    assert fields.parse_timestamp(written) == moment
    assert fields.parse_timestamp(written).tzinfo is UTC


@pytest.mark.parametrize(
    "written",
    [
        "",
        "now",
        "2026",
        "2026-1-1",
        "20260131",
        "2026-W05-1",
        "2026-02-30",
        "2025-02-29",
        "2026-13-01",
        "0000-01-01",
        "2026-01-31T25:00",
        "2026-01-31T09:30:61",
        "2026-01-31T09:30:00+99:00",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-01-31T09:30:00 Z",
        "2026-01-31T09:30:00Z\n",
        "٢٠٢٦-01-31",
        "1769850600",
        "2026-01-31T09:30:00.1234567Z",
    ],
)
def test_anything_else_is_no_moment(written):
    assert fields.parse_timestamp(written) is None


@settings(deadline=None)
@given(st.text() | st.from_regex(fields._TIMESTAMP, fullmatch=True))
def test_no_text_breaks_the_reader_of_moments(written):
    found = fields.parse_timestamp(written)
    assert found is None or found.tzinfo is UTC


@settings(deadline=None)
@given(st.datetimes(), st.booleans())
def test_a_moment_is_shown_as_it_was_read(moment, aware):
    moment = moment.replace(tzinfo=UTC, fold=0)
    shown = Timestamp(aware=aware)._serialize(moment, None, None)
    assert fields.parse_timestamp(shown) == moment
    assert shown.endswith("+00:00") is aware and len(shown) == (32 if aware else 26)


def test_a_moment_of_another_zone_is_shown_in_utc_with_six_digits():
    moment = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert Timestamp()._serialize(moment, None, None) == "2026-01-01T00:00:00.000000"
    assert Timestamp(aware=True)._serialize(moment, None, None) == "2026-01-01T00:00:00.000000+00:00"


def refused(field, value) -> bool:
    try:
        field.deserialize(value)
    except ma.ValidationError as error:
        assert error.messages
        return True
    return False


@pytest.mark.parametrize("value", [1, True, None, [], {}, 1.5, "a\x00", "a\x1b", "\ud800", "\x7f", "abcdef"])
def test_a_text_takes_only_texts_of_whole_characters(value):
    assert refused(Text(max_length=5), value)


@pytest.mark.parametrize("value", ["", "a\tb\nc", "日本語", "🎉", "\u200d"])
def test_a_text_takes_all_that_people_write(value):
    assert Text(max_length=5).deserialize(value) == value


@pytest.mark.parametrize("value", ["", " ", "\t\n", "\u3000"])
def test_a_required_text_is_not_blank(value):
    assert refused(Text(max_length=5, required=True), value)


@pytest.mark.parametrize("value", [1, None, True, [], f"{{{A}}}", A.encode()])
def test_an_identifier_takes_only_texts(value):
    assert refused(Identifier(), value)


@pytest.mark.parametrize("value", [1, None, True, [], 1769850600, "tomorrow"])
def test_a_timestamp_takes_only_texts(value):
    assert refused(Timestamp(), value)


@pytest.mark.parametrize("value", ["0", "-1", "1.0", "1_0", " 1", "1e1", "٣", "", "+1", "9" * 19, "9" * 5000])
def test_a_number_in_a_query_is_plain_digits_within_its_bounds(value):
    assert refused(StrictInteger(minimum=1, maximum=100, from_query=True), value)


@pytest.mark.parametrize("value", [0, 101, 1.5, 1.0, True, False, "1", None, [], 10**30, float("inf")])
def test_a_number_in_a_body_is_a_number_within_its_bounds(value):
    assert refused(StrictInteger(minimum=1, maximum=100), value)


@pytest.mark.parametrize("value", [1, 50, 100])
def test_a_number_within_its_bounds_is_taken(value):
    assert StrictInteger(minimum=1, maximum=100).deserialize(value) == value
    assert StrictInteger(minimum=1, maximum=100, from_query=True).deserialize(str(value)) == value


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://example.org/a?b=c#d",
        "http://localhost:8000/",
        "/media/a.jpg",
        "a.jpg",
        "../a",
        "#a",
        "https://bücher.example/ä",
        "https://[::1]/",
    ],
)
def test_a_web_address_is_http_or_relative(address):
    assert fields.is_web_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.org/",
        "file:///etc/passwd",
        "//evil.example/",
        "\\\\evil.example\\",
        "https:\\\\evil.example",
        "https://user:password@example.org/",
        "https://example.org\\@evil.example",
        "https://",
        "https:///a",
        "http:a",
        "http://[::1",
        "a b",
        "a\x00",
        "a\tb",
        'a"b',
        "<a>",
        "https://ex\u2100mple.org",
    ],
)
def test_anything_else_is_no_web_address(app, address):
    assert not fields.is_web_address(address)
    with app.app_context():
        assert refused(WebAddress(), address)


@settings(deadline=None)
@given(st.text())
def test_no_text_breaks_the_reader_of_addresses(address):
    assert fields.is_web_address(address) in (True, False)


class Few(PartialOutputSchema):
    a = ma.fields.String(required=True)
    b = ma.fields.String()


def test_names_of_fields_are_read_with_blanks_and_without():
    assert FieldNames(Few).deserialize("a, b") == ("a", "b")


@pytest.mark.parametrize("value", ["", ",", "a,", "c", "a;b", "A", "__class__", "a\x00"])
def test_names_that_are_no_fields_are_refused(value):
    assert refused(FieldNames(Few), value)


def test_a_shape_passes_over_what_only_a_read_shows_and_refuses_what_it_does_not_know():
    class Body(InputSchema):
        read_only = frozenset({"uuid"})
        name = Text(max_length=5)

    assert Body().load({"uuid": 1, "name": "a"}) == {"name": "a"}
    assert Body().validate({"other": 1}) == {"other": ["Unknown field."]}
    assert Body().validate([]) == {"_schema": ["Invalid input type."]}


def test_shown_fields_are_always_there_and_trimmed_ones_are_not():
    class All(OutputSchema):
        a = ma.fields.String()

    assert All().fields["a"].required
    assert not Few().fields["a"].required


def test_something_seen_has_its_own_attributes_and_further_ones():
    seen = WithAttributes(UUID(A), value="v")
    assert (seen.value, seen.hex) == ("v", A.replace("-", ""))


def test_messages_are_one_sentence_for_a_person():
    assert fields.join_messages({"a": ["Bad.", "Long."], "b": ["Odd."]}) == "a: Bad. Long. b: Odd."
