"""One article or page as Markdown with front matter, for clients that prefer `text/markdown` to JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from html import escape
from uuid import UUID

from flask import Response, request

from blogapi.content.articles.responses import article_links
from blogapi.content.media.addresses import REFERENCE as FILE
from blogapi.content.media.file_references import find_mentioned_files
from blogapi.rendering.article_references import REFERENCE as ARTICLE
from blogapi.rendering.yaml_text import to_yaml
from blogapi.web.errors import InvalidQuery
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.media_addresses import complete_address
from blogapi.web.pagination import Query

MARKDOWN = "text/markdown"
# The Markdown response in the OpenAPI document, in addition to the JSON response.
MARKDOWN_CONTENT = {200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}}}

# Maps fields of the item to their names in the front matter; exports use the same names.
_TEXTS = {
    "title": "title",
    "subtitle": "subtitle",
    "slug": "slug",
    "url": "url",
    "published_at": "date",
    "last_updated": "lastmod",
    "language": "language",
    "translation_key": "translation_key",
    "excerpt": "excerpt",
    "cover_image": "cover_image",
}
_LISTS = ("tags", "authors")
_FIELDS = (*_TEXTS, "category", *_LISTS, "content", "content_type")

_FRAGMENT = r"(#[^\s()<>\"']{0,200})?"
# Links to articles in Markdown and in HTML; each repetition is bounded, so that every search is fast.
_INLINE_LINK = re.compile(rf"\[([^\[\]]{{1,500}})\]\(<?{ARTICLE.pattern}{_FRAGMENT}>?(\s[^()]{{0,500}})?\)")
_HTML_LINK = re.compile(
    rf"(<a\s(?:[^<>]{{0,500}}\s)?href=[\"'])\s*{ARTICLE.pattern}{_FRAGMENT}([\"'][^<>]{{0,500}}>)([^<]{{0,500}})</a>",
    re.IGNORECASE,
)
_LINK_DEFINITION = re.compile(
    rf"^( {{0,3}}\[[^\[\]\n]{{1,500}}\]: {{0,3}}<?){ARTICLE.pattern}{_FRAGMENT}(.{{0,500}})$", re.MULTILINE
)
# A reference to a file that is not a part of another address.
_FILE_REFERENCE = re.compile(rf"(?<![\w/.:%-]){FILE.pattern}", re.IGNORECASE)


def prefers_markdown() -> bool:
    """Return whether the request names Markdown, with at least the priority of JSON; `*/*` alone gets JSON.

    Assistants send `text/markdown, text/html, */*`, in which both have the same priority.
    """
    accepted = request.accept_mimetypes
    is_named = any(value.lower() == MARKDOWN for value, _ in accepted)
    return is_named and bool(accepted[MARKDOWN] and accepted[MARKDOWN] >= accepted["application/json"])


def offers_markdown(view: Callable[[Query, UUID], JsonBody]) -> Callable[[Query, UUID], JsonBody | Response]:
    """Return the view of an article or a page, which then answers in JSON or, if preferred, in Markdown."""

    @wraps(view)
    def negotiate(query: Query, id: UUID) -> JsonBody | Response:
        if not prefers_markdown():
            return view(query, id)
        if query.fields is not None:
            raise InvalidQuery(
                "`fields` selects fields of JSON; leave it out, or send Accept: application/json."
            )
        return _make_response(view(replace(query, fields=_FIELDS), id))

    return negotiate


def _make_response(body: JsonBody) -> Response:
    assert isinstance(body.body, bytes), "the JSON of a single item is never streamed"
    item: Fields = json.loads(body.body)
    fields: Fields = {name: item[field] for field, name in _TEXTS.items() if item.get(field)}
    if category := item.get("category"):
        fields["categories"] = [category["name"]]
    fields |= {name: [one["name"] for one in item[name]] for name in _LISTS if item.get(name)}
    content, content_type = item["content"], item["content_type"]
    if content_type != "markdown":
        fields["content_type"] = content_type
    if content_type != "text":
        content = _resolve_files(_resolve_links(content))
    text = f"---\n{to_yaml(fields)}---\n{content}".encode()
    response = Response(text, content_type=f"{MARKDOWN}; charset=utf-8")
    response.set_etag(replace(body, body=text).etag())
    return response


def _resolve_links(content: str) -> str:
    """Return the text with the addresses of linked items, and without links to items readers cannot see."""
    uuids = article_links.find_mentioned(content)
    urls = article_links.find_urls(uuids) if uuids else {}

    def find(uuid: str, fragment: str) -> str:
        url = urls.get(UUID(uuid))
        return "" if url is None else f"{url}{fragment}"

    def resolve_inline(link: re.Match[str]) -> str:
        text, uuid, fragment, title = link.groups("")
        return f"[{text}]({url}{title})" if (url := find(uuid, fragment)) else text

    def resolve_anchor(link: re.Match[str]) -> str:
        before, uuid, fragment, after, text = link.groups("")
        return f"{before}{escape(url)}{after}{text}</a>" if (url := find(uuid, fragment)) else text

    def resolve_definition(link: re.Match[str]) -> str:
        before, uuid, fragment, after = link.groups("")
        return f"{before}{url}{after}" if (url := find(uuid, fragment)) else ""

    for pattern, resolve in (
        (_INLINE_LINK, resolve_inline),
        (_HTML_LINK, resolve_anchor),
        (_LINK_DEFINITION, resolve_definition),
    ):
        content = pattern.sub(resolve, content) if uuids else content
    return content


def _resolve_files(content: str) -> str:
    files = find_mentioned_files(content)

    def resolve(reference: re.Match[str]) -> str:
        file = files.get(UUID(reference[1]))
        return reference[0] if file is None else complete_address(file.path)

    return _FILE_REFERENCE.sub(resolve, content)
