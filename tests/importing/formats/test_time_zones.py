"""Every format takes a date without a time as midnight in the zone of the site."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats import registry
from tests.importing.formats.blogger.test_source import make_feed, make_takeout_entry
from tests.importing.formats.medium.test_source import make_page
from tests.importing.formats.wordpress.exports import make_export, make_item

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY, TIME, OFFSET = "2020-01-01", "2020-07-04 22:30:00", "2020-07-04T22:30:00+02:00"
ID = "a" * 32
MEDIUM = '<p><time class="dt-published" datetime="{}">x</time></p>'


def make_files(name, date):
    """Return the files of an export with one public article of this date, by their paths."""
    if name == "wordpress":
        return {"a.xml": make_export(make_item(post_date=date, post_date_gmt="", pubDate=""))}
    if name == "ghost":
        post = {
            "id": "1",
            "slug": "a",
            "title": "A",
            "html": "Text",
            "status": "published",
            "published_at": date,
        }
        return {"a.json": json.dumps({"db": [{"meta": {}, "data": {"posts": [post]}}]})}
    if name == "blogger":
        return {"a.xml": make_feed(make_takeout_entry(1, date=date))}
    if name == "medium":
        return {"posts/a-0123456789ab.html": make_page(footer=MEDIUM.format(date))}
    if name == "substack":
        header = "post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url\n"
        row = f"1.a,{date},TRUE,,newsletter,everyone,A,,\n"
        return {"posts.csv": header + row, "posts/1.a.html": "<p>Text</p>"}
    if name == "notion":
        table = {f"P {'b' * 32}.csv": "Name,Date,Published\nA,,Yes\n"}
        return table | {f"P {'b' * 32}/A {ID}.md": f"# A\n\nDate: {date}\nPublished: Yes\n\nText\n"}
    assert name == "markdown"
    return {"a.md": f"---\ndate: {date}\n---\nText"}


@pytest.fixture
def read_items(tmp_path):
    """Reads the files of an export, and returns the items."""

    def read_items(name, files, zone):
        for path, text in files.items():
            (tmp_path / "blog" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "blog" / path).write_text(text, encoding="utf-8")
        entries = list(walk_path(tmp_path / "blog"))
        options = ImportOptions(now=NOW, time_zone=ZoneInfo(zone))
        return list(registry.get_format(name, []).open_source(entries, options).read())

    return read_items


@pytest.fixture
def read_date(read_items):
    """Reads an export with one article, and returns when it was published."""

    def read_date(name, date, zone):
        items = read_items(name, make_files(name, date), zone)
        (record,) = (item for item in items if getattr(item, "status", "") == "published")
        return record.published_at

    return read_date


# An export of blogapi has an offset in each time.
@pytest.mark.parametrize("name", [name for name in registry.BUILT_IN_FORMATS if name != "blogapi"])
@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland", "UTC"])
def test_a_date_without_a_time_is_midnight_in_the_zone_of_the_site(read_date, name, zone):
    assert read_date(name, DAY, zone) == datetime(2020, 1, 1, tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("name", [name for name in registry.BUILT_IN_FORMATS if name != "blogapi"])
def test_a_time_without_an_offset_is_in_the_zone_of_the_old_blog_or_of_the_site(read_date, name):
    # Ghost stores times in UTC.
    zone = UTC if name == "ghost" else ZoneInfo("America/Los_Angeles")
    date = "July 4, 2020 10:30 PM" if name == "notion" else TIME
    assert read_date(name, date, "America/Los_Angeles") == datetime(2020, 7, 4, 22, 30, tzinfo=zone)


# A time of WordPress never has an offset; the field with the time in UTC is preferred.
@pytest.mark.parametrize(
    "name", [name for name in registry.BUILT_IN_FORMATS if name not in ("blogapi", "wordpress")]
)
def test_a_time_with_an_offset_is_the_same_in_each_zone(read_date, name):
    date = "July 4, 2020 10:30 PM (GMT+2)" if name == "notion" else OFFSET
    assert read_date(name, date, "America/Los_Angeles") == datetime(2020, 7, 4, 20, 30, tzinfo=UTC)


def test_the_times_of_a_blog_of_wordpress_show_its_zone(tmp_path):
    dated = make_item(post_date="2020-05-04 12:00:00", post_date_gmt="2020-05-04 10:00:00")
    draft = make_item(post_date="2020-05-05 12:00:00", post_date_gmt="", post_id="13", status="draft")
    (tmp_path / "a.xml").write_text(make_export(dated, draft), encoding="utf-8")
    options = ImportOptions(now=NOW, time_zone=ZoneInfo("America/Los_Angeles"))
    records = registry.get_format("wordpress", []).open_source([*walk_path(tmp_path)], options).read()
    assert [record.published_at.hour for record in records] == [10, 10]


@pytest.mark.parametrize("name", [name for name in registry.BUILT_IN_FORMATS if name != "blogapi"])
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("date", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.000Z"])
def test_the_first_and_the_last_times_stop_no_import(read_items, name, date, zone):
    settings = [{"key": "timezone", "value": zone}, {"key": "permalinks", "value": "/:year/:slug/"}]
    files = {
        path: text.replace('"posts"', f'"settings": {json.dumps(settings)}, "posts"')
        for path, text in make_files(name, date).items()
    }
    items = read_items(name, files | {"_config.yml": f"timezone: {zone}\n"}, zone)
    assert any(isinstance(item, ArticleRecord) for item in items)
