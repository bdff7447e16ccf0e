"""The time of publication is read from the field that has it, in the time zone that it was written in."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from blogapi.content.custom_fields.models import CustomField
from blogapi.importing.format_api.privacy_signs import (
    DATE_FIELDS,
    EXPIRY_FIELDS,
    LENIENT_DATE_FIELDS,
    STRICT_DATE_FIELDS,
    list_names,
)
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown import reader
from blogapi.importing.formats.markdown.source import FORMAT
from blogapi.importing.storing.custom_fields import CustomFieldFinder

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LOS_ANGELES, BERLIN = ZoneInfo("America/Los_Angeles"), ZoneInfo("Europe/Berlin")
STRICT, OTHERS = list_names(STRICT_DATE_FIELDS), list_names(LENIENT_DATE_FIELDS)
NAMES = [*STRICT, *OTHERS]
FIRST = STRICT[:7]
LATER = [name for name in NAMES if name not in FIRST]
#: For each word of PUBLICATION_DATE_WORDS, a field with it that no table contains.
UNKNOWN = {
    "publish": "web_publish_time",
    "published": "firstPublishedOnline",
    "publication": "web-publication-day",
    "release": "press-release-day",
    "released": "released_to_web",
    "visible": "visibleAfter",
    "available": "available_on",
    "embargo": "embargo_ends",
    "live": "siteLiveAt",
}
#: Fields whose dates in the future say nothing about the article, and that have no counterpart here.
NO_PLANS = (
    *("event_date", "start_date", "startDate", "end_date", "deadline", "due", "next_review", "reviewDate"),
    *("updated", "lastmod", "modified", "dateModified", "scheduled", "delivery", "alive", "newsletter_on"),
)


def read(front, key="blog/a.md", **options):
    return reader.parse_article(
        key, f"---\ntitle: Hello\n{front}\n---\nText".encode(), ImportOptions(now=NOW, **options)
    )


@pytest.mark.parametrize("mapping", ["", "params", "extra", "custom", "meta"])
def test_each_field_has_the_time_of_publication(mapping):
    for name, year in itertools.product(NAMES, (2020, 2999)):
        front = f'{mapping}: {{"{name}": {year}-03-04}}' if mapping else f'"{name}": {year}-03-04'
        record = read(front)
        assert (record.status, record.published_at) == ("published", datetime(year, 3, 4, tzinfo=UTC)), name
        assert not any("no date" in note or "Ignored" in note for note in record.notes if not mapping)


@pytest.mark.parametrize("number", range(len(FIRST), len(NAMES)))
def test_the_first_of_several_fields_counts(number):
    front = "\n".join(f'"{name}": 20{19 - place:02}-03-04' for place, name in enumerate(NAMES[number:][:9]))
    assert read(front).published_at == datetime(2019, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize("name", FIRST)
def test_the_latest_of_the_fields_of_hugo_counts(name):
    record = read(f"date: 2020-01-02\n{name}: 2999-03-04")
    assert (record.status, record.published_at.year) == ("published", 2999)


@pytest.mark.parametrize("name", [*LATER, *(f"extra.{name}" for name in NAMES), *UNKNOWN.values()])
def test_a_later_field_in_the_future_makes_a_draft(name):
    outer, _, inner = name.partition(".")
    front = f'{outer}: {{"{inner}": 2999-03-04}}' if inner else f'"{name}": 2999-03-04'
    record = read(f"date: 2020-01-02\n{front}")
    assert (record.status, record.published_at) == ("draft", datetime(2020, 1, 2, tzinfo=UTC))
    assert f"Its `{name}` is in the future (2999-03-04); the article became a draft." in record.notes
    past = read(f"date: 2020-01-02\n{front}".replace("2999", "2019"))
    assert (past.status, past.published_at) == ("published", datetime(2020, 1, 2, tzinfo=UTC))
    scheduled = read(f"date: 2999-03-05\n{front}")
    assert (scheduled.status, scheduled.published_at.day) == ("published", 5)


@pytest.mark.parametrize("name", UNKNOWN.values())
def test_a_planned_article_without_a_date_is_a_draft(name):
    assert read(f"{name}: 2999-03-04").status == "draft"
    assert read(f"{name}: 2019-03-04").published_at is None


@pytest.mark.parametrize("name", [*NO_PLANS, *EXPIRY_FIELDS])
def test_other_dates_in_the_future_make_no_draft(name):
    record = read(f"date: 2020-01-02\n{name}: 2999-03-04")
    assert (record.status, record.published_at) == ("published", datetime(2020, 1, 2, tzinfo=UTC))


@pytest.mark.parametrize("name", EXPIRY_FIELDS)
def test_an_expired_article_is_archived(name):
    assert read(f"date: 2020-01-02\n{name}: 2021-03-04").status == "archived"
    assert read(f"date: 2020-01-02\n{name}: false").status == "published"
    assert read(f"date: 2020-01-02\n{name}: perhaps").status == "draft"


@pytest.mark.parametrize(("names", "is_strict"), [(STRICT, True), (OTHERS, False)])
def test_a_value_that_is_no_date_makes_a_draft_only_in_a_field_that_plans(names, is_strict):
    for name in names:
        # These fields can also be true, or say who reads an article.
        if name in ("published", "publish", "date"):
            continue
        record = read(f'date: 2020-01-02\n"{name}": in the summer')
        assert (record.status == "draft") == is_strict
        assert record.published_at == datetime(2020, 1, 2, tzinfo=UTC)
        if name not in FIRST:
            assert read(f'date: 2020-01-02\n"{name}": false').status == "published"


@pytest.mark.parametrize(
    ("front", "status"),
    [
        ("releaseDate: Q3 2999", "draft"),
        ("posted: July 4th, 2999", "draft"),
        ("releaseDate: Q3 2019", "published"),
        ("release: version 29990", "published"),
        ("event: Q3 2999", "published"),
        ("available: 2500 loaves", "published"),
    ],
)
def test_a_future_year_in_a_value_that_is_no_date_makes_a_draft(front, status):
    record = read(f"date: 2020-01-02\n{front}")
    assert (record.status, any("2999” could not be read" in note for note in record.notes)) == (
        status,
        status == "draft",
    )


def test_the_date_of_publication_may_be_in_a_mapping():
    for year in (2019, 2999):
        record = read(f"date: {{published: {year}-01-01}}")
        assert (record.status, record.published_at) == ("published", datetime(year, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("key", ["blog/2020-01-03-a.md", "blog/2020/01/03/a.md"])
def test_a_date_in_the_path_precedes_the_fields_that_no_generator_reads(key):
    assert read("releaseDate: 1999-03-31", key).published_at == datetime(2020, 1, 3, tzinfo=UTC)
    assert read("date: 1999-03-31", key).published_at == datetime(1999, 3, 31, tzinfo=UTC)
    assert read("publishOn: 2999-03-31", key).status == "draft"


def test_a_date_that_is_a_custom_field_keeps_its_value():
    definition = CustomField(
        name="posted", label="Posted", type="date", choices="[]", minimum=None, maximum=None, is_list=False
    )
    record = read("posted: 2020-01-02", custom_fields=CustomFieldFinder([definition]))
    assert (record.published_at, record.custom) == (
        datetime(2020, 1, 2, tzinfo=UTC),
        {"posted": "2020-01-02"},
    )


# Time zones


@pytest.mark.parametrize(
    ("key", "front"),
    [
        ("blog/a.md", "date: 2020-01-01"),
        ("blog/a.md", "date: January 1, 2020"),
        ("blog/a.md", "created: 2020/1/1"),
        ("blog/a.md", "permalink: /2020/01/01/a/"),
        ("blog/2020-01-01-a.md", "x: y"),
        ("blog/2020/01/01/a.md", "x: y"),
        ("blog/2020-01-01-a/index.md", "x: y"),
    ],
)
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland", "Asia/Kathmandu", "UTC"])
def test_a_date_without_a_time_is_midnight_in_the_zone_of_the_site(key, front, zone):
    record = read(front, key, time_zone=ZoneInfo(zone))
    assert record.published_at == datetime(2020, 1, 1, tzinfo=ZoneInfo(zone))


def test_the_date_of_a_path_and_of_an_expiry_are_named_as_written():
    zone = ZoneInfo("Pacific/Auckland")
    record = read("date: 2020-02-30", "blog/2020-01-12-a.md", time_zone=zone)
    assert "2020-01-12, was used" in record.notes[0]
    record = read("date: 2020-01-01\nexpires: 2021-01-01", time_zone=zone)
    assert "It expired on 2021-01-01; the article was archived." in record.notes


def test_a_date_named_after_gmt_is_in_utc():
    record = read("post_date_gmt: 2020-01-01 10:00:00", time_zone=BERLIN)
    assert record.published_at == datetime(2020, 1, 1, 10, tzinfo=UTC)


#: The configuration of a generator, and the zone of a time without an offset; None = that of the site.
SITES = [
    ("_config.yml", "timezone: America/Los_Angeles\n", UTC),
    ("_config.yml", "new_post_name: :title.md\ntimezone: America/Los_Angeles\n", LOS_ANGELES),
    ("_config.yml", "new_post_name: :title.md\ntimezone: ''\n", None),
    ("hugo.toml", "timeZone = 'America/Los_Angeles'\n", LOS_ANGELES),
    ("config/_default/hugo.yaml", "timezone: America/Los_Angeles\n", LOS_ANGELES),
    ("hugo.toml", "title = 'A'\n", UTC),
    ("hugo.toml", "timeZone = 'Nowhere/City'\n", UTC),
    ("config.toml", "base_url = 'https://a.example'\n", UTC),
    ("pelicanconf.py", "TIMEZONE = 'America/Los_Angeles'\n", LOS_ANGELES),
    ("pelicanconf.py", "SITENAME = 'A'\n", UTC),
    ("conf.py", "TIMEZONE = 'America/Los_Angeles'\nPOSTS = ()\n", LOS_ANGELES),
    *((name, "", UTC) for name in ("eleventy.config.js", "astro.config.mjs", "docusaurus.config.js")),
    *((name, "", UTC) for name in ("nuxt.config.ts", "gatsby-config.js", "mkdocs.yml")),
    ("quartz.config.ts", "", None),
    ("", "", None),
]


def read_site(tmp_path, name, text, zone):
    """Return the records of two posts and the source."""
    site = tmp_path / "site"
    (site / "posts").mkdir(parents=True)
    (site / "posts" / "a.md").write_text("---\ndate: 2020-01-01\n---\nText", encoding="utf-8")
    (site / "posts" / "b.md").write_text("---\ndate: 2020-07-04 22:30:00\n---\nText", encoding="utf-8")
    if name:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    entries = [entry for entry in walk_path(site) if entry.path.suffix == ".md"]
    source = FORMAT.open_source(entries, ImportOptions(now=NOW, time_zone=zone))
    return [record.published_at for record in source.read()], source


@pytest.mark.parametrize(("name", "text", "zone"), SITES)
def test_a_time_without_an_offset_follows_the_rule_of_the_generator(tmp_path, name, text, zone):
    days, source = read_site(tmp_path, name, text, BERLIN)
    assert days == [
        datetime(2020, 1, 1, tzinfo=BERLIN),
        datetime(2020, 7, 4, 22, 30, tzinfo=zone or BERLIN),
    ]
    assert len(source.notes) == (zone is not None)


def test_the_report_says_once_that_the_zones_differ(tmp_path):
    _, source = read_site(tmp_path, "_config.yml", "timezone: America/Los_Angeles\n", BERLIN)
    assert source.notes == [
        "The time zones of the old blog (America/Los_Angeles) and of this site (Europe/Berlin) differ: a "
        "date without a time is midnight in Europe/Berlin, and a time without an offset is in UTC."
    ]


def test_the_report_says_nothing_of_equal_zones(tmp_path):
    days, source = read_site(tmp_path, "_config.yml", "timezone: America/Los_Angeles\n", LOS_ANGELES)
    assert (days[1], source.notes) == (datetime(2020, 7, 4, 22, 30, tzinfo=UTC), [])


@pytest.mark.parametrize(
    ("name", "text", "is_shown"),
    [
        ("_config.yml", "title: A\n", False),
        ("_config.yml", "future: true\n", True),
        ("_config.yml", "new_post_name: :title.md\n", True),
        ("_config.yml", "new_post_name: :title.md\nfuture: false\n", False),
        ("hugo.toml", "title = 'A'\n", False),
        ("hugo.toml", "buildFuture = true\n", True),
        ("pelicanconf.py", "WITH_FUTURE_DATES = False\n", False),
        ("astro.config.mjs", "", True),
        ("", "", False),
    ],
)
def test_a_post_that_was_shown_before_its_date_is_scheduled_with_a_note(tmp_path, name, text, is_shown):
    path = tmp_path / "a.md"
    path.write_text("---\ndate: 2999-01-01\n---\nText", encoding="utf-8")
    if name:
        (tmp_path / name).write_text(text, encoding="utf-8")
    record = reader.read_article(reader.Entry("a.md", path), ImportOptions(now=NOW))
    assert (record.status, record.published_at) == ("published", datetime(2999, 1, 1, tzinfo=UTC))
    assert any("can show it already" in note for note in record.notes) == is_shown


def test_each_field_of_a_date_is_found_in_any_spelling():
    for name in DATE_FIELDS:
        spelled = name if ":" in name else "-".join(name).upper()
        assert read(f'"{spelled}": 2020-01-02').published_at == NOW - timedelta(days=365 * 6 + 1)


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland"])
def test_the_first_and_the_last_days_stop_no_import(zone):
    for day in ("0001-01-01", "0001-01-02", "9999-12-31", "9999-12-31T23:59:59Z"):
        front = f"date: {day}\nembargo: {day}\nexpires: {day}\npath: /{day.replace('-', '/')[:10]}/a/"
        assert read(front, f"blog/{day[:10]}-a.md", time_zone=ZoneInfo(zone)).title == "Hello"
