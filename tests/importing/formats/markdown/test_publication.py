"""The status and the publication time are read from the front matter or the path of a file."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(front, key="blog/a.md"):
    """Return the record of a file, dated 2 January 2020 unless `front` contains another date."""
    default = "" if re.search(r"(?m)^date:", front) else "date: 2020-01-02\n"
    return reader.parse_article(
        key, f"---\ntitle: Hello\n{default}{front}\n---\nText".encode(), ImportOptions(now=NOW)
    )


@pytest.mark.parametrize(
    ("key", "front", "day"),
    [
        ("blog/2019-09-09-a.md", "date: 2020-01-02", 2),
        ("blog/2020-1-3-a.md", "date:", 3),
        ("blog/2020-01-04-a/index.md", "date:", 4),
        ("blog/2020-01-05/a.md", "date:", 5),
        ("blog/2020/1/6/a.md", "date:", 6),
        ("blog/a.md", "date:\npath: 2020/01/07/a", 7),
        ("blog/a.md", "date:\npublished: 2020-01-08", 8),
        ("blog/a.md", "date:\npubDate: 2020-01-09", 9),
        ("blog/a.md", "date: 2020-01-01\npublishDate: 2020-01-10", 10),
        ("blog/a.md", "date: 2020-01-11\npublishDate: 2019-01-01", 11),
        ("blog/a.md", "date: 2020-01-01\npubDate: 2020-01-14", 14),
        ("blog/a.md", "date: 2020-01-01\npublish: 2020-01-15", 15),
        ("blog/2020-01-12-a.md", "date: 2020-02-30", 12),
        ("blog/a.md", "date: 0001-01-01\npermalink: /2020/01/13/a/", 13),
        ("blog/a.md", "date: {created: 2020-01-02, updated: 2021-01-01}", 2),
        ("blog/2020-01-03-a.md", "date: git Created", 3),
        ("blog/a.md", "date:\ncreated: 2020-01-02\nmodified: 2021-01-01", 2),
        ("blog/2020-01-03-a.md", "date:\ncreated: 2020-01-02", 3),
    ],
)
def test_the_date_is_read_from_the_front_matter_or_the_path(key, front, day):
    record = read(front, key)
    assert (record.status, record.published_at) == ("published", datetime(2020, 1, day, tzinfo=UTC))


@pytest.mark.parametrize("front", ["date: soon", "date: 2020-02-30", "date: [2020]", "publishDate: soon"])
def test_an_article_with_an_unreadable_date_becomes_a_draft(front):
    record = read(front)
    assert record.status == "draft"
    assert "could not be read; the article became a draft" in record.notes[0]


def test_an_article_without_a_date_gets_the_time_of_the_import():
    record = read("date:")
    assert (record.status, record.published_at) == ("published", None)
    assert record.notes == ("It has no date; the article gets the time of the import.",)


def test_an_article_with_a_future_date_is_published():
    record = read("date: 2030-01-01")
    assert (record.status, record.published_at) == ("published", datetime(2030, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("front", "status", "has_note"),
    [
        ("draft: true", "draft", False),
        ("draft: 'yes'", "draft", False),
        ("draft: no", "published", False),
        ("draft:", "published", False),
        ("draft: perhaps", "draft", True),
        ("published: false", "draft", False),
        ("published: true", "published", False),
        ("published: 2019-01-01", "published", False),
        ("published: perhaps", "draft", True),
        ("status: Draft", "draft", False),
        ("status: archived", "archived", False),
        ("status: publish", "published", False),
        ("status: hidden", "draft", True),
        ("status: odd", "draft", True),
        ("expiryDate: 2025-12-31", "archived", True),
        ("expiryDate: 2027-01-01", "published", True),
        ("unpublishDate: 2025-12-31", "archived", True),
        ("expiryDate: soon", "draft", True),
        ("expiryDate: 0001-01-01T00:00:00Z", "published", False),
        ("expiryDate: 2025-12-31\ndraft: true", "draft", False),
    ],
)
def test_the_status_is_read_from_the_fields_of_each_generator(front, status, has_note):
    record = read(front)
    assert record.status == status
    assert any("left out" not in note for note in record.notes) == has_note


def test_files_in_jekylls_drafts_folder_are_drafts():
    assert read("", "blog/_drafts/a.md").status == "draft"
