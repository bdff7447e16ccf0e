"""Dates are parsed in the formats that blogs use."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.importing.texts import dates

READABLE = {
    "2013-12-24 23:30:09": (2013, 12, 24, 23, 30, 9),
    "2015-09-01 10:00:00 -0500": (2015, 9, 1, 15),
    "2015-12-08 10:00:00 -5": (2015, 12, 8, 15),
    "2014-06-14 18:30 +0800": (2014, 6, 14, 10, 30),
    "2021-10-26T15:00:00+08:00": (2021, 10, 26, 7),
    "2020-07-07T00:00:00.000Z": (2020, 7, 7),
    "2020-07-07t01:02:03.1234567z": (2020, 7, 7, 1, 2, 3, 123456),
    "2024-02-29 10:00 UTC": (2024, 2, 29, 10),
    "2021-9-1": (2021, 9, 1),
    "2018-7-24 3:31:06": (2018, 7, 24, 3, 31, 6),
    "2021/05/06": (2021, 5, 6),
    "2021.05.06 10:20": (2021, 5, 6, 10, 20),
    "Tue, 06 Mar 2018 10:20:30 +0200": (2018, 3, 6, 8, 20, 30),
    "6 Mar 2018 10:20:30 GMT": (2018, 3, 6, 10, 20, 30),
    "March 6, 2018": (2018, 3, 6),
    "6 March 2018": (2018, 3, 6),
}
UNREADABLE = (
    "2020-02-30", "2020-13-01", "2023-01-29 18:30:22 2023 -0800", "2020-01-01 25:00", "01/02/2020", "soon",
    "0000-01-01", "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00", "2020-01-01 10:00 +99:99",
    "1577836800",
    "\uff16-1-1", "2020-01-01 10:00 Europe/Berlin", "Tue, 99 Mar 2018 10:20:30 +0200", "true", "",
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READABLE.items())
def test_a_date_is_parsed_as_utc(text, expected):
    assert dates.parse_date(text) == datetime(*expected, tzinfo=UTC)


@pytest.mark.parametrize(
    ("offset", "hours", "minutes"),
    [
        ("Z", 0, 0),
        ("+00:00", 0, 0),
        ("-00:00", 0, 0),
        ("+01:00", 1, 0),
        ("-01:00", -1, 0),
        ("+05:30", 5, 30),
        ("+0545", 5, 45),
        ("+5:45", 5, 45),
        ("-03:30", -3, -30),
        ("-0330", -3, -30),
        ("-3:30", -3, -30),
        ("+00:30", 0, 30),
        ("-00:30", 0, -30),
        ("-09:30", -9, -30),
        ("+12:45", 12, 45),
        ("+14:00", 14, 0),
        ("-12:00", -12, 0),
        ("+02", 2, 0),
        ("-11", -11, 0),
    ],
)
@pytest.mark.parametrize("space", ["", " "])
def test_the_hours_and_minutes_of_a_utc_offset_are_subtracted(offset, hours, minutes, space):
    expected = datetime(2020, 6, 15, 12, tzinfo=UTC) - timedelta(hours=hours, minutes=minutes)
    assert dates.parse_date(f"2020-06-15 12:00:00{space}{offset}") == expected


@pytest.mark.parametrize("text", UNREADABLE)
def test_an_invalid_or_ambiguous_date_is_not_parsed(text):
    assert dates.parse_date(text) is None


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2020-01-02", 0),
        ("2020-01-02T03:00:00", 3),
        ("2020-01-02 03:00:00Z", 3),
        ("2020-01-02T03:00:00+02:00", 1),
    ],
)
def test_toml_dates_are_parsed(text, hour):
    value = tomllib.loads(f"a = {text}")["a"]
    assert dates.parse_date(value) == datetime(2020, 1, 2, hour, tzinfo=UTC)


@pytest.mark.parametrize("value", [None, "0001-01-01T00:00:00Z", "0000-00-00 00:00:00"])
def test_null_and_zero_dates_count_as_missing(value):
    assert dates.is_missing_date(value)


@pytest.mark.parametrize(
    ("name", "day", "rest"),
    [
        ("2017-2-5-zeroes", "2017-02-05", "zeroes"),
        ("2018-12-01-2018-12-01-twice", "2018-12-01", "2018-12-01-twice"),
        ("2021-05-06_zola", "2021-05-06", "zola"),
        ("2021-05-06", "2021-05-06", "2021-05-06"),
        ("2021-13-45-no-date", None, "2021-13-45-no-date"),
        ("2021-05-061", None, "2021-05-061"),
        ("1.66.0-prerelease", None, "1.66.0-prerelease"),
    ],
)
def test_a_file_name_is_split_into_its_date_and_the_rest(name, day, rest):
    date, remainder = dates.split_date_prefix(name)
    assert (date and date.isoformat(), remainder) == (day, rest)


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2021/05/06/x", "2021-05-06"),
        ("inside/2021/5/6/x", "2021-05-06"),
        ("blog/2021-05-06", "2021-05-06"),
        ("blog/2021-05-06-not-a-post", None),
        ("2021/45/06/x", None),
        ("/2021/05/", None),
    ],
)
def test_a_date_is_found_in_the_folder_names_of_a_path(path, day):
    date = dates.find_date_in_path(path)
    assert (date and date.isoformat()) == day


@settings(deadline=None)
@given(st.text() | st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.{0,12}") | st.integers() | st.datetimes())
def test_parse_date_returns_a_utc_date_or_none_for_any_value(value):
    date = dates.parse_date(value)
    assert date is None or date.tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        # A time that does not exist is moved on by the gap, and of two equal ones the first counts.
        ("2021-03-28 02:30", "Europe/Berlin", (2021, 3, 28, 1, 30)),
        ("2021-10-31 02:30", "Europe/Berlin", (2021, 10, 31, 0, 30)),
        ("2018-11-04", "America/Sao_Paulo", (2018, 11, 4, 3)),
        ("2021-11-07", "America/Havana", (2021, 11, 7, 4)),
        ("2011-12-30", "Pacific/Apia", (2011, 12, 30, 10)),
        ("Tue, 06 Mar 2018 10:20:30", "Europe/Berlin", (2018, 3, 6, 9, 20, 30)),
        ("Tue, 06 Mar 2018 10:20:30 -0000", "Europe/Berlin", (2018, 3, 6, 10, 20, 30)),
        ("March 6, 2018", "Europe/Berlin", (2018, 3, 5, 23)),
        ("2021-05-06 10:20Z", "Europe/Berlin", (2021, 5, 6, 10, 20)),
        ("2021-05-06 10:20 +0000", "Europe/Berlin", (2021, 5, 6, 10, 20)),
    ],
)
def test_a_value_without_an_offset_is_in_the_given_zone(text, zone, expected):
    found = dates.find_zone(zone)
    assert dates.parse_date(text, dates.Zones(found, found)) == datetime(*expected, tzinfo=UTC)


def test_days_and_times_can_have_different_zones():
    zones = dates.Zones(dates.find_zone("Europe/Berlin"), UTC)
    for text, hour in (("2020-01-02", 23), ("2020-01-01 23:00", 23), ("2020-01-01 23:00-01:00", 0)):
        assert dates.parse_date(text, zones).hour == hour
    values = tomllib.loads("day = 2020-01-02\ntime = 2020-01-01T23:00:00")
    assert [dates.parse_date(value, zones).hour for value in values.values()] == [23, 23]


@pytest.mark.parametrize("name", ["", "Nowhere/City", "../etc/passwd", "Europe", "a\0b", "x" * 5000])
def test_a_name_that_is_no_zone_is_none(name):
    assert dates.find_zone(name) is None
