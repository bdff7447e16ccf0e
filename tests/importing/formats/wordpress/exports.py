"""Writes small WXR files for the tests."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

from blogapi.importing.format_api.report import Item
from blogapi.importing.format_api.source import ImportOptions, Source
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.wordpress.source import FORMAT

NOW = datetime(2026, 11, 1, tzinfo=UTC)
START = """<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:wp="http://wordpress.org/export/1.2/">
<channel>
<title>Garden notes</title><link>https://example.com/blog</link><language>en-US</language>
<wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://example.com/blog</wp:base_blog_url>
"""
END = "</channel></rss>\n"
_FIELDS = {
    "title": "title", "link": "link", "creator": "dc:creator", "guid": "guid", "pub_date": "pubDate",
    "content": "content:encoded", "excerpt": "excerpt:encoded",
}  # fmt: skip
DEFAULTS = {
    "title": "Compost", "link": "https://example.com/blog/2020/05/compost/", "creator": "ada",
    "content": "All about compost.", "post_id": "12", "post_date": "2020-05-04 12:00:00",
    "post_date_gmt": "2020-05-04 10:00:00", "post_name": "compost", "status": "publish", "post_type": "post",
}  # fmt: skip


def make_item(extra: str = "", **fields: str) -> str:
    """Return an item; `extra` is XML inside of it, and `fields` are its texts (`post_id` is `wp:post_id`)."""
    elements = (
        f"<{_FIELDS.get(name, f'wp:{name}')}><![CDATA[{text}]]></{_FIELDS.get(name, f'wp:{name}')}>"
        for name, text in (DEFAULTS | fields).items()
    )
    return f"<item>{''.join(elements)}{extra}</item>\n"


def make_meta(**metas: str) -> str:
    """Return custom fields."""
    return "".join(
        f"<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta>"
        for key, value in metas.items()
    )


def make_term(name: str, domain: str = "category", nicename: str = "") -> str:
    """Return the element of an item that names a category, tag or author."""
    nicename = nicename or name.lower().replace(" ", "-")
    return f'<category domain="{domain}" nicename="{escape(nicename)}"><![CDATA[{name}]]></category>'


def make_export(*items: str) -> str:
    """Return a WXR file with items and other elements of its channel."""
    return f"{START}{''.join(items)}{END}"


def open_export(folder_path: Path, *texts: str | bytes, **options: object) -> Source:
    """Write WXR files and return their source."""
    for number, text in enumerate(texts):
        data = text if isinstance(text, bytes) else text.encode()
        (folder_path / f"export-{number}.xml").write_bytes(data)
    entries = [*walk_path(folder_path)]
    return FORMAT.open_source(entries, ImportOptions(now=NOW, **options))  # type: ignore[arg-type]


def read_export(folder_path: Path, *texts: str | bytes, **options: object) -> list[Item]:
    """Write WXR files and return what their source yields."""
    return [*open_export(folder_path, *texts, **options).read()]
