"""The JSON format of feeds: JSON Feed 1.1."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from blogapi.delivery.feeds.entries import Entry, Feed
from blogapi.web import json as web_json


def to_json(feed: Feed) -> bytes:
    """Return the feed as JSON Feed."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.page_url,
        "feed_url": feed.own_url,
        "description": feed.description or None,
        "icon": feed.icon,
        "language": feed.language,
        "items": [_to_json_item(entry) for entry in feed.entries],
    }
    return web_json.to_json_bytes(_without_none(document))


def _to_json_item(entry: Entry) -> dict[str, Any]:
    content = {"content_text": entry.excerpt} if entry.content is None else {"content_html": entry.content}
    return _without_none(
        {
            "id": UUID(entry.uuid).urn,
            "url": entry.url,
            "title": entry.title,
            **content,
            "summary": entry.excerpt or None,
            "image": entry.image,
            "date_published": entry.published.isoformat(),
            "date_modified": entry.updated.isoformat(),
            "authors": [_without_none({"name": author.name, "url": author.url}) for author in entry.authors],
            "tags": entry.labels,
        }
    )


def _without_none(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value is not None}
