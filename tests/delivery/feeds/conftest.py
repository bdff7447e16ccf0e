"""Fixtures: a site with addresses, and feeds as parsers read them."""

from __future__ import annotations

import json

import feedparser
import pytest

from tests.site.conftest import set_site

__all__ = ["set_site"]

SITE = {
    "url": "https://blog.example",
    "title": "Rye & <Bread>",
    "description": 'Slow "food" 🍞',
    "language": "de",
}


@pytest.fixture
def site(set_site):
    """Gives the site an address, a title and a description."""
    set_site(**SITE)


@pytest.fixture
def get_feed(as_stranger):
    """Returns a feed, parsed: (title, entries), where each entry is a dictionary with the same names."""

    def get(path):
        response = as_stranger.get(path)
        assert response.status_code == 200, response.json
        if path.startswith("/feeds/feed.json"):
            feed = json.loads(response.data)
            return feed["title"], [_from_json(item) for item in feed["items"]]
        # An unknown namespace or a character that is not escaped is reported as an error.
        parsed = feedparser.parse(response.data, response_headers={"content-type": response.content_type})
        assert not parsed.bozo, parsed.bozo_exception
        return parsed.feed.title, [_from_xml(entry) for entry in parsed.entries]

    return get


def _from_json(item):
    return {
        "id": item["id"],
        "title": item["title"],
        "url": item["url"],
        "labels": item["tags"],
        "authors": [author["name"] for author in item["authors"]],
        "content": item.get("content_html", item["summary"]),
        "summary": item["summary"],
    }


def _from_xml(entry):
    return {
        "id": entry.id,
        "title": entry.title,
        "url": entry.link,
        "labels": [tag.term for tag in entry.get("tags", [])],
        "authors": [author.name for author in entry.get("authors", [])],
        "content": entry.content[0].value if "content" in entry else entry.summary,
        "summary": entry.summary,
    }
