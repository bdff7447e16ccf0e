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
from blogapi.content.media.addresses import MEDIA_REFERENCE as FILE
from blogapi.content.media.file_references import find_mentioned_files
from blogapi.rendering.article_references import ARTICLE_REFERENCE as ARTICLE
from blogapi.rendering.yaml_text import to_yaml
from blogapi.web.errors import InvalidQuery
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.media_addresses import add_service_url
from blogapi.web.pagination import Query

MARKDOWN = "text/markdown"
# The Markdown response in the OpenAPI document, in addition to the JSON response.
MARKDOWN_CONTENT = {200: {"content": {MARKDOWN: {"schema": {"type": "string"}}}}}

# The fields in the front matter, under the names that the front matter of an export uses.
_VALUE_FIELDS = (
    *("title", "subtitle", "slug", "url", "published_at", "last_updated", "language", "translation_key"),
    *("excerpt", "cover_image"),
)
_EXPORT_NAMES = {"published_at": "date", "last_updated": "lastmod"}
_LIST_FIELDS = ("tags", "authors")
_SELECTED_FIELDS = (*_VALUE_FIELDS, "category", *_LIST_FIELDS, "content", "content_type")

# Matches code in Markdown, in which references are not resolved: while all other references are resolved, a
# mark replaces the colons in code. The mark is a character that Unicode reserves for use inside a program.
# The repetitions in these patterns are possessive, bounded, or match up to the end of the text, so that every
# search is fast.
_CODE_PATTERN = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r"(?s:.*?)(?:^[ \t>]*(?P=fence)[`~]*|\Z)"
    r"|(?<![`\\])(?P<ticks>`{1,3})(?!`)(?:[^`\n]++|\n(?![ \t>]*\n)|(?!(?P=ticks))`++)*+(?P=ticks)(?!`)",
    re.MULTILINE,
)
_COLON_MARK = "\ufdd0"
# Match links to articles in Markdown and in HTML; a group contains the text that remains without the link.
_LINK_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\[(?P<words>(?:[^][!]++|!?\[[^][]{0,500}\](?:\([^()]{0,500}\))?|!){1,20}+)\]"
        rf"\(\s{{0,3}}<?{ARTICLE.pattern}[^\s()<>]{{0,200}}>?(?:\s[^()]{{0,500}})?\)",
        rf"<a\s(?:[^<>]{{0,500}}\s)?href=[\"']\s*{ARTICLE.pattern}[^<>]{{0,500}}>"
        r"(?P<words>(?:[^<]++|<(?!/?a[\s>]))*+)</a>",
        rf"^ {{0,3}}\[[^][\n]{{1,500}}\]: {{0,3}}<?{ARTICLE.pattern}.{{0,500}}(?P<words>)$",
    )
)
# Matches a reference and the Markdown before it, or the end of the HTML tag that contains the reference.
_REFERENCE_PATTERN = re.compile(
    rf"(\]\(\s{{0,3}}<?|\]: {{0,3}}<?)?(?<![\w/.:%-])(?:{ARTICLE.pattern}|{FILE.pattern})"
    r"(?=([^<>]{0,500}>)?)",
    re.IGNORECASE,
)


def prefers_markdown() -> bool:
    """Return whether the request names Markdown, with at least the priority of JSON; `*/*` alone gets JSON.

    Assistants send `text/markdown, text/html, */*`, in which both have the same priority.
    """
    accepted = request.accept_mimetypes
    is_named = any(value.lower() == MARKDOWN for value, _ in accepted)
    return is_named and bool(accepted[MARKDOWN] and accepted[MARKDOWN] >= accepted["application/json"])


def offer_markdown(view: Callable[[Query, UUID], JsonBody]) -> Callable[[Query, UUID], JsonBody | Response]:
    """Return a view that returns the JSON of the given view, or Markdown if the request prefers Markdown."""

    @wraps(view)
    def negotiate_format(query: Query, id: UUID) -> JsonBody | Response:
        if not prefers_markdown():
            return view(query, id)
        if query.fields is not None:
            raise InvalidQuery(
                "`fields` selects fields of JSON; leave it out, or send Accept: application/json."
            )
        return _make_markdown_response(view(replace(query, fields=_SELECTED_FIELDS), id))

    return negotiate_format


def _make_markdown_response(body: JsonBody) -> Response:
    assert isinstance(body.body, bytes), "the JSON of a single item is never streamed"
    item: Fields = json.loads(body.body)
    fields: Fields = {_EXPORT_NAMES.get(name, name): item[name] for name in _VALUE_FIELDS if item.get(name)}
    if category := item.get("category"):
        fields["categories"] = [category["name"]]
    fields |= {name: [one["name"] for one in item[name]] for name in _LIST_FIELDS if item.get(name)}
    content, content_type = item["content"], item["content_type"]
    if content_type != "markdown":
        fields["content_type"] = content_type
    if content_type != "text":
        content = _resolve_references(content, is_markdown=content_type == "markdown")
    text = f"---\n{to_yaml(fields)}---\n{content}".encode()
    response = Response(text, content_type=f"{MARKDOWN}; charset=utf-8")
    response.set_etag(replace(body, body=text).compute_etag())
    return response


def _resolve_references(content: str, *, is_markdown: bool) -> str:
    """Return the text with addresses instead of references, and without links to hidden articles."""
    files, uuids = find_mentioned_files(content), article_links.find_mentioned_articles(content)
    if not files and not uuids:
        return content
    if is_markdown:
        content = _CODE_PATTERN.sub(lambda code: code[0].replace(":", _COLON_MARK), content)
    addresses = {uuid: add_service_url(file.path) for uuid, file in files.items()}
    addresses |= article_links.find_item_urls(uuids)
    for pattern in _LINK_PATTERNS:
        content = pattern.sub(
            lambda link: link[0] if UUID(link["article"]) in addresses else link["words"], content
        )

    def resolve_reference(reference: re.Match[str]) -> str:
        before, article, file, tag_end = reference.groups("")
        address = addresses.get(UUID(article or file)) if before or tag_end else None
        return reference[0] if address is None else f"{before}{escape(address)}"

    return _REFERENCE_PATTERN.sub(resolve_reference, content).replace(_COLON_MARK, ":")
