"""The formats of feeds: Atom, RSS and JSON Feed."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from feedgenerator import Atom1Feed, Rss201rev2Feed, SyndicationFeed

from blogapi.delivery.feeds.entries import Feed, FeedAuthor, FeedEntry
from blogapi.web import json as web_json

_CONTENT_NAMESPACE = "http://purl.org/rss/1.0/modules/content/"
_DUBLIN_CORE_NAMESPACE = "http://purl.org/dc/elements/1.1/"
_MEDIA_NAMESPACE = "http://search.yahoo.com/mrss/"

# A character that XML cannot contain. HTML can contain it: the renderer turns `&#11;` in an article into a
# control character.
_INVALID_XML_CHARACTER = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _RssFeed(Rss201rev2Feed):  # type: ignore[misc]
    """An RSS feed with the covers, the whole contents and all authors of its articles."""

    def rss_attributes(self) -> dict[str, str]:
        return {
            **super().rss_attributes(),
            "xmlns:content": _CONTENT_NAMESPACE,
            "xmlns:dc": _DUBLIN_CORE_NAMESPACE,
            "xmlns:media": _MEDIA_NAMESPACE,
        }

    def add_item_elements(self, handler: Any, item: Any) -> None:
        super().add_item_elements(handler, item)
        _add_cover(handler, item)
        for author in item["authors"]:
            handler.addQuickElement("dc:creator", author.name)
        if item["content"] is not None:
            handler.addQuickElement("content:encoded", item["content"])


class _AtomFeed(Atom1Feed):  # type: ignore[misc]
    """An Atom feed with the covers and all authors of its articles."""

    def root_attributes(self) -> dict[str, str]:
        return {**super().root_attributes(), "xmlns:media": _MEDIA_NAMESPACE}

    def add_item_elements(self, handler: Any, item: Any) -> None:
        super().add_item_elements(handler, item)
        _add_cover(handler, item)
        for author in item["authors"]:
            handler.startElement("author", {})
            handler.addQuickElement("name", author.name)
            if author.url:
                handler.addQuickElement("uri", author.url)
            handler.endElement("author")


def _add_cover(handler: Any, item: Any) -> None:
    # Not an RSS enclosure, which needs the size of the file: it is unknown for pictures on other hosts.
    if item["image"] is not None:
        handler.addQuickElement("media:content", "", {"url": item["image"], "medium": "image"})


def format_rss_feed(feed: Feed) -> bytes:
    """Return the feed as an RSS 2.0 document, encoded as UTF-8."""
    return _format_xml_feed(_RssFeed, feed)


def format_atom_feed(feed: Feed) -> bytes:
    """Return the feed as an Atom 1.0 document, encoded as UTF-8."""
    return _format_xml_feed(_AtomFeed, feed)


def _format_xml_feed(feed_class: type[SyndicationFeed], feed: Feed) -> bytes:
    xml_feed = feed_class(
        title=_to_xml_text(feed.title),
        link=feed.page_url,
        feed_guid=feed.id,
        description=_to_xml_text(feed.description or feed.title),
        language=feed.language,
        feed_url=feed.feed_url,
        updated=feed.updated,
    )
    # For a feed without entries, feedgenerator would use the current time, and each response would differ.
    xml_feed.latest_post_date = lambda: feed.updated
    for entry in feed.entries:
        xml_feed.add_item(
            title=_to_xml_text(entry.title),
            link=entry.url,
            description=_to_xml_text(entry.excerpt),
            image=entry.image and _to_xml_text(entry.image),
            content=None if entry.content is None else _to_xml_text(entry.content),
            unique_id=UUID(entry.uuid).urn,
            unique_id_is_permalink=False,
            pubdate=entry.published,
            updateddate=entry.updated,
            categories=[_to_xml_text(label) for label in entry.labels],
            authors=[FeedAuthor(_to_xml_text(author.name), author.url) for author in entry.authors],
        )
    text: str = xml_feed.writeString("utf-8")
    return text.encode()


def _to_xml_text(text: str) -> str:
    """Return the text without the characters that XML cannot contain."""
    return _INVALID_XML_CHARACTER.sub("", text)


def format_json_feed(feed: Feed) -> bytes:
    """Return the feed as a JSON Feed 1.1 document, encoded as UTF-8."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.page_url,
        "feed_url": feed.feed_url,
        "description": feed.description or None,
        "icon": feed.icon,
        "language": feed.language,
        "items": [_to_json_item(entry) for entry in feed.entries],
    }
    return web_json.to_json_bytes(_drop_none_values(document))


def _to_json_item(entry: FeedEntry) -> dict[str, Any]:
    content = {"content_text": entry.excerpt} if entry.content is None else {"content_html": entry.content}
    return _drop_none_values(
        {
            "id": UUID(entry.uuid).urn,
            "url": entry.url,
            "title": entry.title,
            **content,
            "summary": entry.excerpt or None,
            "image": entry.image,
            "date_published": entry.published.isoformat(),
            "date_modified": entry.updated.isoformat(),
            "authors": [
                _drop_none_values({"name": author.name, "url": author.url}) for author in entry.authors
            ],
            "tags": entry.labels,
        }
    )


def _drop_none_values(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value is not None}
