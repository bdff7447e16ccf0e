"""The archive: the numbers of public articles by month, in the time zone of the site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES

ARCHIVE = "/api/v1/blog/archive/"
SITE = "/api/v1/blog/site/"


def read(client, query=""):
    response = client.get(f"{ARCHIVE}{query}")
    assert response.status_code == 200, response.json
    return [(month["year"], month["month"], month["count"]) for month in response.json]


@pytest.fixture
def articles(fill_blog, make_article, make_category, make_tag, make_guest):
    """Articles of two categories, with two tags and two authors, and articles that are not public."""

    def fill():
        kitchen, walks = make_category(name="Kitchen"), make_category(name="Walks")
        bread, rye = make_tag("bread"), make_tag("rye")
        guest = [{"uuid": str(make_guest(name="Guest").uuid)}, {"slug": "ada"}]
        make_article(kitchen, (bread,), published_at="2024-02-29T23:59:59.999999Z")
        make_article(kitchen, (bread, rye), published_at="2024-03-01T00:00:00Z", authors=guest)
        make_article(walks, (rye,), published_at="2026-01-31T23:30:00Z", authors=guest)
        make_article(walks, published_at="2026-01-01T00:00:00Z")
        make_article(walks, (rye,), published_at="2026-01-02", status="draft")
        make_article(walks, (rye,), published_at="2025-01-02", status="archived")
        make_article(walks, (rye,), published_at="2999-01-01", status="scheduled")
        return {"kitchen": kitchen.uuid, "bread": bread.uuid, "guest": guest[0]["uuid"]}

    return fill_blog("archive", fill)


ALL = [(2026, 1, 2), (2024, 3, 1), (2024, 2, 1)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ALL),
        ("?category=kitchen", [(2024, 3, 1), (2024, 2, 1)]),
        ("?category={kitchen}", [(2024, 3, 1), (2024, 2, 1)]),
        ("?tag=bread", [(2024, 3, 1), (2024, 2, 1)]),
        ("?tag={bread}&category=walks", []),
        ("?tag=rye", [(2026, 1, 1), (2024, 3, 1)]),
        ("?tag=rye&category=walks", [(2026, 1, 1)]),
        ("?author=guest", [(2026, 1, 1), (2024, 3, 1)]),
        ("?author=ada", ALL),
        ("?author={guest}&category=kitchen", [(2024, 3, 1)]),
        ("?author={guest}&tag=rye&category=walks", [(2026, 1, 1)]),
        ("?author=guest&tag=nothing", []),
        ("?category=nothing", []),
    ],
)
def test_the_public_articles_are_counted_by_month(as_reader, as_admin, articles, query, expected):
    assert read(as_reader, query.format(**articles)) == expected
    assert read(as_admin, query.format(**articles)) == expected


def test_an_empty_blog_has_no_months(as_reader, make_article):
    make_article(status="draft")
    assert read(as_reader) == []


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", ALL),
        ("Europe/Paris", [(2026, 2, 1), (2026, 1, 1), (2024, 3, 2)]),
        ("America/New_York", [(2026, 1, 1), (2025, 12, 1), (2024, 2, 2)]),
        ("Pacific/Kiritimati", [(2026, 2, 1), (2026, 1, 1), (2024, 3, 2)]),
    ],
)
def test_the_months_are_those_of_the_time_zone_of_the_site(as_reader, as_login, articles, zone, expected):
    assert as_login.patch(SITE, json={"time_zone": zone}).status_code == 200
    assert read(as_reader) == expected


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
def test_articles_of_any_year_are_counted(as_reader, as_login, make_article, zone):
    assert as_login.patch(SITE, json={"time_zone": zone}).status_code == 200
    for date in ("0001-01-01", "1660-01-15", "1969-12-15"):
        make_article(published_at=date)
    assert read(as_reader) == [(1969, 12, 1), (1660, 1, 1), (1, 1, 1)]


def test_the_months_have_the_articles_of_the_list_between_their_bounds(as_reader, articles):
    bounds = "published_after=2024-03-01&published_before=2024-04-01"
    assert len(as_reader.get(f"{ARTICLES}?{bounds}").json) == 1


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("UTC", "2026-03-01T00:00:00+00:00"),
        ("Europe/Paris", "2026-02-28T23:00:00+00:00"),
        ("America/New_York", "2026-03-01T05:00:00+00:00"),
    ],
)
def test_the_bounds_of_a_month_and_the_present_are_exact_to_the_microsecond(
    as_reader, as_login, make_article, set_clock, zone, start
):
    assert as_login.patch(SITE, json={"time_zone": zone}).status_code == 200
    start = datetime.fromisoformat(start)
    for microseconds in (-1, 0, 1, 2, 3):
        make_article(published_at=(start + timedelta(microseconds=microseconds)).isoformat())
    set_clock(start + timedelta(microseconds=2))
    assert read(as_reader) == [(2026, 3, 3), (2026, 2, 1)]


def test_a_scheduled_article_is_counted_from_its_time_on(as_reader, make_article, set_clock):
    due = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    make_article(status="scheduled", published_at=due.isoformat())
    set_clock(due - timedelta(microseconds=1))
    assert read(as_reader) == []
    set_clock(due)
    assert read(as_reader) == [(due.year, due.month, 1)]


def test_a_write_changes_the_archive_and_its_etag(as_reader, as_admin, articles):
    before = as_reader.get(ARCHIVE)
    again = as_reader.get(ARCHIVE, headers={"If-None-Match": before.headers["ETag"]})
    assert again.status_code == 304
    body = {"title": "New", "status": "published", "published_at": "2026-01-05"}
    assert as_admin.post(ARTICLES, json=body).status_code == 201
    assert read(as_reader) == [(2026, 1, 3), *ALL[1:]]
    assert as_reader.get(ARCHIVE).headers["ETag"] != before.headers["ETag"]


@pytest.mark.parametrize("own", ["en", "de"])
def test_the_articles_of_a_language_are_counted_as_their_list_has_them(
    as_reader, as_login, make_article, own
):
    for month, language in enumerate(("", "de", "en", "fr", ""), 1):
        make_article(language=language, published_at=f"2026-{month:02}-01T00:00:00Z")
    as_login.patch(SITE, json={"language": own})
    for language in ("en", "de", "fr", "nl"):
        listed = as_reader.get(f"{ARTICLES}?language={language}&fields=published_at").json
        assert [month for _, month, _ in read(as_reader, f"?language={language}")] == [
            int(one["published_at"][5:7]) for one in listed
        ]
    assert len(read(as_reader)) == 5


def test_fields_select_and_add_the_head_of_the_page_of_a_month(as_reader, as_login, articles):
    site = {"url": "https://blog.example/b", "title": "Crumbs", "languages": [{"language": "de"}]}
    as_login.patch(SITE, json=site)
    shown = as_reader.get(ARCHIVE)
    assert as_reader.get(f"{ARCHIVE}?fields=*").data == shown.data
    assert as_reader.get(f"{ARCHIVE}?fields=year").json == [{"year": year} for year, _, _ in ALL]
    months = as_reader.get(f"{ARCHIVE}?fields=month,head").json
    assert [(one["month"], one["head"]["title"], one["head"]["canonical"]) for one in months] == [
        (1, "January 2026 - Crumbs", "https://blog.example/b/archive/2026/01/"),
        (3, "March 2024 - Crumbs", "https://blog.example/b/archive/2024/03/"),
        (2, "February 2024 - Crumbs", "https://blog.example/b/archive/2024/02/"),
    ]
    as_login.patch(SITE, json={"language": "de-AT"})
    months = as_reader.get(f"{ARCHIVE}?fields=head").json
    assert months[0]["head"]["title"] == "2026-01 - Crumbs"
    assert as_reader.get(ARCHIVE).data == shown.data


@pytest.mark.parametrize("fields", ["", "?fields=*,head"])
def test_the_archive_takes_the_same_statements_for_any_length(
    as_reader, make_article, record_statements, fields
):
    numbers = []
    for year in (2020, 2021, 2022):
        make_article(published_at=f"{year}-01-01T00:00:00Z")
        with record_statements() as statements:
            as_reader.get(f"{ARCHIVE}{fields}")
        numbers.append(len(statements))
    assert numbers[1] == numbers[2]


@pytest.mark.parametrize(
    "query",
    ["page=1", "tag=", "tag=a&tag=b", "category=%00", f"author={'a' * 256}", "fields=x", "status=any"],
)
def test_an_invalid_query_gets_a_400(as_admin, query):
    response = as_admin.get(f"{ARCHIVE}?{query}")
    assert (response.status_code, response.json["code"]) == (400, "invalid_query")
