"""Reads articles as JSON bodies: one article, several articles, and the pages of lists."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Executable

from blogapi.content.articles.lists.statements import ArticleList
from blogapi.content.articles.renderer_version import get_renderer_version
from blogapi.content.articles.responses import article_links, computed_fields, neighbours
from blogapi.content.articles.responses.article_fields import (
    Terms,
    article_fields,
    list_needed,
    order_fields,
    read_rows,
    read_terms,
)
from blogapi.content.articles.responses.computed_fields import COMPUTED_FIELDS
from blogapi.publication import events
from blogapi.storage.database import chunk, db
from blogapi.web import json as web_json
from blogapi.web.fields import Fields, Timestamp
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest

# The maximum number of articles that a read keeps in memory at a time.
CHUNK_SIZE = 100

Snippets = Callable[[Sequence[UUID]], Mapping[UUID, str]]
_TIMESTAMP = Timestamp()


def get_article_body(
    uuid: UUID, names: Sequence[str] | None, *, public: bool = False, type_: str | None = None
) -> JsonBody | None:
    """Return the article with these fields (None: the documented fields), or None if it does not exist.

    With `public`, the result is also None if the article is not public, and with `type_` if it has another
    type: an article or a page.
    """
    needed = list_needed(order_fields(names))
    rows = read_rows([uuid], needed, public=public)
    if not rows or type_ not in (None, rows[0].type):
        return None
    return make_article_body(rows[0], read_terms(rows, needed), names)


def make_article_body(row: Any, terms: Terms, names: Sequence[str] | None) -> JsonBody:
    """Return the JSON of the article in the row, with these fields."""
    fields = order_fields(names)
    (article,) = _make_articles([row], fields, terms, None)
    wanted = [name for name in fields if name in neighbours.FIELDS]
    if wanted:
        found = neighbours.find_neighbours(row.uuid, wanted)
        article = {name: found.get(name, article.get(name)) for name in fields if name in (*article, *found)}
    # After a backup is restored, another state of the article can get the same version; its time differs.
    state = f'{row.version} "{_TIMESTAMP.serialize("last_updated", row)}"'
    return JsonBody(web_json.to_json_bytes(article), item_state=state)


def list_article_bodies(
    articles: ArticleList,
    page: PageRequest | None,
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    """Return a page of the selected articles, or all articles, with these fields (None: documented fields).

    With `public`, the list shows only public articles, and only changes to public articles change its ETag.
    """
    if page is None:
        uuids = _execute(articles.uuids).scalars().all()
        body = get_article_bodies(uuids, names, public=public, snippets=snippets, hashes_body=hashes_body)
        return Page(body, len(uuids), None)
    total = _execute(articles.total).scalar() or 0
    limit, offset, is_backwards = page.locate(total)
    ordered = articles.backwards if is_backwards else articles.uuids
    uuids = _execute(ordered.limit(limit).offset(offset)).scalars().all() if limit else []
    shown = uuids[::-1] if is_backwards else uuids
    return Page(_make_array(shown, order_fields(names), snippets, public=public), total, page)


def get_article_bodies(
    uuids: Sequence[UUID],
    names: Sequence[str] | None,
    *,
    public: bool,
    snippets: Snippets | None = None,
    hashes_body: bool = False,
) -> JsonBody:
    """Return the array of these articles, in the given order, with these fields (None: documented fields).

    The ETag of a long array changes with every change of the blog. With `hashes_body`, the ETag is the digest
    of the array, which is then read twice: an author must not learn from the ETag when other users write.
    """
    fields = order_fields(names)
    if len(uuids) <= CHUNK_SIZE:
        return _make_array(uuids, fields, snippets, public=public)
    if hashes_body:
        digest = hashlib.sha256()
        for part in _stream_array(uuids, fields, snippets, public=public):
            digest.update(part)
        body = _stream_array(uuids, fields, snippets, public=public)
        return JsonBody(body, state=digest.hexdigest())
    computed_state = computed_fields.get_state(fields)
    state = f"{get_renderer_version()} {events.state_token(public=public)} {computed_state}"
    if not public:
        # Changes of working copies are not events, but can change which articles are listed, and their order.
        state += hashlib.sha256(b"".join(uuid.bytes for uuid in uuids)).hexdigest()
    return JsonBody(_stream_array(uuids, fields, snippets, public=public), state=state)


def _stream_array(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: Snippets | None, *, public: bool
) -> Iterator[bytes]:
    separator = b"["
    for batch in chunk(uuids, CHUNK_SIZE):
        _, articles = _read_articles(batch, names, snippets, public=public)
        if articles:
            yield separator + web_json.to_json_bytes(articles)[1:-1]
            separator = b","
    yield b"]" if separator == b"," else b"[]"


def _make_array(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: Snippets | None, *, public: bool
) -> JsonBody:
    rows, articles = _read_articles(uuids, names, snippets, public=public)
    return JsonBody(web_json.to_json_bytes(articles), " ".join(str(row.version) for row in rows))


def _read_articles(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: Snippets | None, *, public: bool
) -> tuple[Sequence[Any], list[Fields]]:
    """Return the rows of these articles, and their fields."""
    needed = list_needed(names)
    rows = read_rows(uuids, needed, public=public)
    terms = read_terms(rows, needed)
    return rows, _make_articles(rows, names, terms, snippets)


def _make_articles(
    rows: Sequence[Any], names: tuple[str, ...], terms: Terms, snippets: Snippets | None
) -> list[Fields]:
    """Return the articles in the rows with the named fields in their order, without `neighbours.FIELDS`."""
    needed = list_needed(names)
    articles = [article_fields(row, needed, terms) for row in rows]
    if any(name in names for name in COMPUTED_FIELDS):
        computed = computed_fields.compute_fields(names, [{"category": None, **one} for one in articles])
        articles = [{**article, **fields} for article, fields in zip(articles, computed, strict=True)]
    if "html" in names:
        resolved = article_links.resolve_links([article["html"] for article in articles])
        for article, html in zip(articles, resolved, strict=True):
            article["html"] = html
    if "snippet" in names:
        found = snippets([row.uuid for row in rows]) if snippets is not None else {}
        for article, row in zip(articles, rows, strict=True):
            article["snippet"] = found.get(row.uuid, "")
    return [{name: article[name] for name in names if name in article} for article in articles]


def _execute(statement: Executable, values: Mapping[str, Any] | None = None) -> Any:
    # This bypasses the ORM, which would look for entities in every row.
    return db.session.connection().execute(statement, values)
