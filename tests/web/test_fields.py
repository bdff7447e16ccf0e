"""The strict fields and the base classes of schemas."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import marshmallow as ma
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi import parsing
from blogapi.web import fields
from blogapi.web.fields import (
    FieldNames,
    Identifier,
    InputSchema,
    OutputSchema,
    StrictInteger,
    Text,
    Timestamp,
    WebAddress,
    WithAttributes,
)

A = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"


def test_a_canonical_uuid_is_parsed():
    assert parsing.parse_uuid(A) == parsing.parse_uuid(A.upper()) == UUID(A)


@pytest.mark.parametrize(
    "text",
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
def test_a_text_in_another_format_is_not_a_uuid(text):
    assert parsing.parse_uuid(text) is None


@settings(deadline=None)
@given(st.text() | st.text(alphabet="0123456789abcdef-", min_size=34, max_size=38))
def test_parse_uuid_never_raises(text):
    uuid = parsing.parse_uuid(text)
    assert uuid is None or str(uuid) == text.lower()


@settings(deadline=None)
@given(st.uuids())
def test_every_uuid_is_parsed(uuid):
    assert parsing.parse_uuid(str(uuid)) == uuid


@pytest.mark.parametrize(
    ("text", "time"),
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
def test_a_timestamp_is_parsed_as_utc(text, time):
    assert parsing.parse_timestamp(text) == time
    assert parsing.parse_timestamp(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
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
def test_a_text_in_another_format_is_not_a_timestamp(text):
    assert parsing.parse_timestamp(text) is None


@settings(deadline=None)
@given(st.text() | st.from_regex(parsing._TIMESTAMP, fullmatch=True))
def test_parse_timestamp_never_raises(text):
    time = parsing.parse_timestamp(text)
    assert time is None or time.tzinfo is UTC


@settings(deadline=None)
@given(st.datetimes(), st.booleans())
def test_a_serialized_timestamp_parses_to_the_same_time(time, aware):
    time = time.replace(tzinfo=UTC, fold=0)
    serialized = Timestamp(aware=aware)._serialize(time, None, None)
    assert parsing.parse_timestamp(serialized) == time
    assert serialized.endswith("+00:00") is aware and len(serialized) == (32 if aware else 26)


@pytest.mark.parametrize(
    ("time", "hours", "expected"),
    [
        (datetime(2026, 1, 1, 2), 2, "2026-01-01T00:00:00.000000"),  # noqa: DTZ001 (the zone follows)
        (datetime(2025, 12, 31, 14, 30, 0, 7), -9.5, "2026-01-01T00:00:00.000007"),  # noqa: DTZ001
    ],
)
def test_a_timestamp_of_another_zone_is_serialized_in_utc_with_six_digits(time, hours, expected):
    time = time.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert Timestamp()._serialize(time, None, None) == f"{expected}+00:00"
    assert Timestamp(aware=False)._serialize(time, None, None) == expected


def is_refused(field, value) -> bool:
    try:
        field.deserialize(value)
    except ma.ValidationError as error:
        assert error.messages
        return True
    return False


@pytest.mark.parametrize("value", [1, True, None, [], {}, 1.5, "a\x00", "a\x1b", "\ud800", "\x7f", "abcdef"])
def test_text_refuses_other_types_and_forbidden_characters(value):
    assert is_refused(Text(max_length=5), value)


@pytest.mark.parametrize("value", ["", "a\tb\nc", "日本語", "🎉", "\u200d"])
def test_text_accepts_all_scripts(value):
    assert Text(max_length=5).deserialize(value) == value


@pytest.mark.parametrize("value", ["", " ", "\t\n", "\u3000"])
def test_a_required_text_must_not_be_blank(value):
    assert is_refused(Text(max_length=5, required=True), value)


@pytest.mark.parametrize("value", [1, None, True, [], f"{{{A}}}", A.encode()])
def test_an_identifier_must_be_a_string(value):
    assert is_refused(Identifier(), value)


@pytest.mark.parametrize("value", [1, None, True, [], 1769850600, "tomorrow"])
def test_a_timestamp_must_be_a_string(value):
    assert is_refused(Timestamp(), value)


@pytest.mark.parametrize("value", ["0", "-1", "1.0", "1_0", " 1", "1e1", "٣", "", "+1", "9" * 19, "9" * 5000])
def test_an_integer_in_a_query_must_be_digits_within_its_bounds(value):
    assert is_refused(StrictInteger(minimum=1, maximum=100, from_query=True), value)


@pytest.mark.parametrize("value", [0, 101, 1.5, 0.0, True, False, "1", None, [], 10**30, float("inf")])
def test_an_integer_in_a_body_must_be_an_integer_within_its_bounds(value):
    assert is_refused(StrictInteger(minimum=1, maximum=100), value)


@pytest.mark.parametrize("value", [1, 50, 100])
def test_an_integer_within_its_bounds_is_accepted(value):
    assert StrictInteger(minimum=1, maximum=100).deserialize(value) == value
    whole = StrictInteger(minimum=1, maximum=100).deserialize(float(value))
    assert (type(whole), whole) == (int, value)
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
def test_http_urls_and_relative_urls_are_valid_web_addresses(address):
    assert parsing.is_web_address(address)


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
def test_an_unsafe_or_malformed_text_is_not_a_web_address(app, address):
    assert not parsing.is_web_address(address)
    with app.app_context():
        assert is_refused(WebAddress(), address)


@settings(deadline=None)
@given(st.text())
def test_is_web_address_never_raises(address):
    assert parsing.is_web_address(address) in (True, False)


class SelectableExample(OutputSchema):
    a = ma.fields.String(required=True)
    b = ma.fields.String()


def test_field_names_may_be_separated_by_spaces():
    assert FieldNames(SelectableExample).deserialize("a, b") == ("a", "b")


@pytest.mark.parametrize("value", ["", ",", "a,", "c", "a;b", "A", "__class__", "a\x00", "*a", "**", "* a"])
def test_unknown_field_names_are_refused(value):
    assert is_refused(FieldNames(SelectableExample), value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        *(("-a", "as in `*,-a`"), ("-a,*", "as in `*,-a`"), ("-*", "'*' is not"), ("*,-", "'' is not")),
        *(("*,-c", "'c' is not"), ("*,--a", "'-a' is not"), ("*,- a", "' a' is not")),
        *(("a,-a", "at least one"), ("*,-a,-b", "at least one")),
    ],
)
def test_only_a_field_can_be_left_out_and_not_the_only_one(value, message):
    with pytest.raises(ma.ValidationError, match=re.escape(message)):
        FieldNames(SelectableExample).deserialize(value)


class DefaultExample(OutputSchema):
    a = ma.fields.String()


class SingleExample(SelectableExample):
    c = ma.fields.String()


@pytest.mark.parametrize(
    ("value", "names"),
    [
        *(("*", ("a",)), ("*,b", ("a", "b")), ("b,*", ("b", "a")), ("a,*,*", ("a",))),
        *(("*,b,-a", ("b",)), ("b,-a", ("b",)), ("*, b, -b", ("a",)), ("*,b,-a,a", ("b", "a"))),
    ],
)
def test_an_asterisk_stands_for_the_fields_of_the_default_schema(value, names):
    assert FieldNames(SelectableExample, DefaultExample).deserialize(value) == names
    assert FieldNames(SelectableExample).deserialize("*") == ("a", "b")


def test_a_list_refuses_a_field_of_single_items_with_a_hint():
    with pytest.raises(ma.ValidationError, match="'c' is not a field of a list; request a single item"):
        FieldNames(SelectableExample, single=SingleExample).deserialize("a,c")


def test_an_input_schema_ignores_read_only_fields_and_refuses_unknown_ones():
    class Body(InputSchema):
        read_only = frozenset({"uuid"})
        name = Text(max_length=5)

    assert Body().load({"uuid": 1, "name": "a"}) == {"name": "a"}
    assert Body().validate({"other": 1}) == {"other": ["Unknown field."]}
    assert Body().validate([]) == {"_schema": [fields.WRONG_TYPE_MESSAGE]}


def test_fields_of_output_schemas_are_required():
    class Example(OutputSchema):
        a = ma.fields.String()

    assert Example().fields["a"].required


def test_with_attributes_adds_attributes_to_an_object():
    extended = WithAttributes(UUID(A), value="v")
    assert (extended.value, extended.hex) == ("v", A.replace("-", ""))


def test_messages_are_joined_into_one_line():
    assert fields.join_messages({"a": ["Bad.", "Long."], "b": ["Odd."]}) == "a: Bad. Long. b: Odd."
