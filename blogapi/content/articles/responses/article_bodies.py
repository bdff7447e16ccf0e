"""Reads articles and pages as JSON: single items, arrays of items, and the pages of lists."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import Executable

from blogapi.content.articles import search_texts
from blogapi.content.articles.lists.conditions import NO_FILTERS, ArticleFilters
from blogapi.content.articles.lists.statements import (
    FEATURED_FIRST,
    ListStatements,
    build_list_statements,
    list_search_entry_conditions,
    select_matching_articles,
    select_status_counts,
)
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.content.articles.responses import article_links, computed_fields, neighbours
from blogapi.content.articles.responses.article_fields import (
    TermsByField,
    list_needed_fields,
    make_article_fields,
    order_field_names,
    read_article_rows,
    read_terms,
)
from blogapi.content.articles.responses.computed_fields import COMPUTED_FIELDS
from blogapi.content.search.queries import make_snippets, search_articles
from blogapi.publication import events
from blogapi.publication.visibility import ANY_STATUS, API_STATUSES
from blogapi.storage.database import db, split_values
from blogapi.web import json as web_json
from blogapi.web.errors import InvalidQuery, NotFound
from blogapi.web.fields import Fields, Timestamp
from blogapi.web.json import JsonBody
from blogapi.web.pagination import MAX_SEARCH_PAGE, Page, PageRequest

# The maximum number of articles that a read keeps in memory at a time.
CHUNK_SIZE = 100

# The names of the fields to return, or None for the documented fields.
FieldNames = Sequence[str] | None
SnippetFinder = Callable[[Sequence[UUID]], Mapping[UUID, str]]
_TIMESTAMP_FIELD = Timestamp()


def get_item_body(
    uuid: UUID, names: FieldNames = None, *, public: bool = False, type_: str | None = None
) -> JsonBody:
    """Return the article with these fields (None: the documented fields); raises NotFound if there is none.

    With `public`, the article must be public, and with `type_`, it must be of this type: an article or a
    page.
    """
    needed = list_needed_fields(order_field_names(names))
    rows = read_article_rows([uuid], needed, public=public)
    if not rows or type_ not in (None, rows[0].type):
        hint = f"; GET /api/v1/blog/{type_}s/ lists them" if type_ else ""
        raise NotFound(f"There is no such {type_ or 'article'}{hint}.")
    return make_article_body(rows[0], read_terms(rows, needed), names)


def make_article_body(row: Any, terms: TermsByField, names: FieldNames) -> JsonBody:
    """Return the JSON of the article in the row, with these fields."""
    fields = order_field_names(names)
    (article,) = _make_named_fields([row], fields, terms, None)
    wanted = [name for name in fields if name in neighbours.NEIGHBOUR_FIELDS]
    if wanted:
        found = neighbours.find_neighbours(row.uuid, wanted)
        article = {name: found.get(name, article.get(name)) for name in fields if name in (*article, *found)}
    # After a backup is restored, a write can use a version number again, but with another time.
    state = f'{row.version} "{_TIMESTAMP_FIELD.serialize("last_updated", row)}"'
    return JsonBody(web_json.to_json_bytes(article), item_state=state)


def get_articles_page(
    articles: ListStatements,
    page: PageRequest | None,
    names: FieldNames,
    *,
    public: bool,
    snippets: SnippetFinder | None = None,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    """Return one page of the articles that `articles` selects, or all of them if `page` is None.

    `names` are the fields of each article. With `public`, the list shows only public articles, and only
    changes to public articles change its ETag.
    """
    if page is None:
        uuids = _execute_statement(articles.uuids).scalars().all()
        body = get_articles_body(uuids, names, public=public, snippets=snippets, hashes_body=hashes_body)
        return Page(body, len(uuids), None)
    total = _execute_statement(articles.total).scalar() or 0
    limit, offset, is_backwards = page.compute_row_range(total)
    ordered = articles.backwards if is_backwards else articles.uuids
    uuids = _execute_statement(ordered.limit(limit).offset(offset)).scalars().all() if limit else []
    shown = uuids[::-1] if is_backwards else uuids
    return Page(_make_array_body(shown, order_field_names(names), snippets, public=public), total, page)


def get_articles_body(
    uuids: Sequence[UUID],
    names: FieldNames,
    *,
    public: bool,
    snippets: SnippetFinder | None = None,
    hashes_body: bool = False,
) -> JsonBody:
    """Return the array of these articles, in the given order, with these fields (None: documented fields).

    The ETag of a long array changes with every change of the blog. With `hashes_body`, the ETag is the digest
    of the array, so that an author cannot learn from it when other users write. The ETag of
    a public array that can link to unlisted items is such a digest too. Both arrays are read twice.
    """
    fields = order_field_names(names)
    if len(uuids) <= CHUNK_SIZE:
        return _make_array_body(uuids, fields, snippets, public=public)
    # The state below does not change with unlisted items, but the links to these items do.
    shows_links = not {"html", "custom"}.isdisjoint(fields)
    if hashes_body or (public and shows_links and article_links.has_unlisted_items()):
        digest = hashlib.sha256()
        for part in _stream_array(uuids, fields, snippets, public=public):
            digest.update(part)
        body = _stream_array(uuids, fields, snippets, public=public)
        return JsonBody(body, state=digest.hexdigest())
    computed_state = computed_fields.get_unrecorded_state(fields)
    state = f"{RENDERER_VERSION} {events.get_state_token(public=public)} {computed_state}"
    if not public:
        # Changes of working copies are not events, but can change which articles are listed, and their order.
        state += hashlib.sha256(b"".join(uuid.bytes for uuid in uuids)).hexdigest()
    return JsonBody(_stream_array(uuids, fields, snippets, public=public), state=state)


def _stream_array(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: SnippetFinder | None, *, public: bool
) -> Iterator[bytes]:
    separator = b"["
    for batch in split_values(uuids, CHUNK_SIZE):
        _, articles = _read_articles(batch, names, snippets, public=public)
        if articles:
            yield separator + web_json.to_json_bytes(articles)[1:-1]
            separator = b","
    yield b"]" if separator == b"," else b"[]"


def _make_array_body(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: SnippetFinder | None, *, public: bool
) -> JsonBody:
    rows, articles = _read_articles(uuids, names, snippets, public=public)
    return JsonBody(web_json.to_json_bytes(articles), " ".join(str(row.version) for row in rows))


def _read_articles(
    uuids: Sequence[UUID], names: tuple[str, ...], snippets: SnippetFinder | None, *, public: bool
) -> tuple[Sequence[Any], list[Fields]]:
    """Return the rows of these articles, and their fields."""
    needed = list_needed_fields(names)
    rows = read_article_rows(uuids, needed, public=public)
    terms = read_terms(rows, needed)
    return rows, _make_named_fields(rows, names, terms, snippets)


def _make_named_fields(
    rows: Sequence[Any], names: tuple[str, ...], terms: TermsByField, snippets: SnippetFinder | None
) -> list[Fields]:
    """Return the named fields of the articles in the rows, in this order, without NEIGHBOUR_FIELDS."""
    needed = list_needed_fields(names)
    articles = [make_article_fields(row, needed, terms) for row in rows]
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


def _execute_statement(statement: Executable, values: Mapping[str, Any] | None = None) -> Any:
    # This bypasses the ORM, which would look for entities in every row.
    return db.session.connection().execute(statement, values)


def list_published_items(
    names: FieldNames = None, page: PageRequest | None = None, filters: ArticleFilters = NO_FILTERS
) -> Page[JsonBody]:
    """Return a page of the public articles that match the filters, or all of them if `page` is None.

    Without `ordering`, the newest articles come first, or the best matches if there is a search query.
    """
    if _ranks_by_relevance(filters):
        return _search_articles(names, page, filters)
    return _list_articles(build_list_statements(filters, public=True), page, names, filters, public=True)


def list_category_articles(uuid: UUID) -> JsonBody:
    """Return the public articles of the category, newest first, without articles of its descendants."""
    return list_published_items(filters=ArticleFilters(category=(str(uuid),), exact=True)).rows


def list_tag_articles(uuid: UUID) -> JsonBody:
    """Return the public articles with the tag, newest first."""
    return list_published_items(filters=ArticleFilters(tag=(str(uuid),))).rows


def list_author_articles(uuid: UUID) -> JsonBody:
    """Return the public articles whose byline names the author, newest first."""
    return list_published_items(filters=ArticleFilters(author=str(uuid))).rows


def list_items_in_any_status(
    author_id: UUID | None,
    names: FieldNames = None,
    page: PageRequest | None = None,
    filters: ArticleFilters = NO_FILTERS,
    *,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    """Return the author's articles or pages (None: of all authors) that match the filters.

    Without `ordering`, undated drafts come first. For `hashes_body`, see `get_articles_body`.
    Raises InvalidQuery if articles in several statuses are ordered by `featured`, as no index has this order.
    """
    if filters.ordering == FEATURED_FIRST and filters.status in ("", ANY_STATUS):
        message = f"`{FEATURED_FIRST}` orders articles in one status; send `status` too."
        raise InvalidQuery(message, errors={"ordering": [message]})
    if filters.status == ANY_STATUS:
        filters = replace(filters, status="")
    if _ranks_by_relevance(filters):
        return _search_articles(
            names, page, filters, author_id=author_id, public=False, hashes_body=hashes_body
        )
    articles = build_list_statements(filters, public=False, author_id=author_id)
    return _list_articles(articles, page, names, filters, public=False, hashes_body=hashes_body)


def count_articles_by_status(filters: ArticleFilters, author_id: UUID | None = None) -> Mapping[str, int]:
    """Return the numbers of the author's articles (None: of all articles) that match the filters, by status.

    `any` counts the matching articles in any status, and `edited` the articles that have a working copy.
    """
    statement = select_status_counts(author_id, filters)
    numbers = dict.fromkeys((*API_STATUSES, ANY_STATUS, "edited"), 0)
    for status, number, edited in db.session.connection().execute(statement):
        numbers[status] += number
        numbers[ANY_STATUS] += number
        numbers["edited"] += edited
    return numbers


def get_buffered_array(uuids: Sequence[UUID], names: FieldNames = None) -> JsonBody:
    """Return the JSON array of these articles, in any status and in this order."""
    rows = get_articles_body(uuids, names, public=False)
    # The response to a write is built inside the transaction, but a stream would be read after its end.
    return rows if isinstance(rows.body, bytes) else replace(rows, body=b"".join(rows.body))


def _ranks_by_relevance(filters: ArticleFilters) -> bool:
    return bool(filters.q) and not filters.ordering


def _make_snippet_finder(filters: ArticleFilters) -> SnippetFinder | None:
    def find_snippets(uuids: Sequence[UUID]) -> Mapping[UUID, str]:
        return make_snippets(filters.q, search_texts.read_search_texts(db.session.connection(), uuids))

    return find_snippets if filters.q else None


def _list_articles(
    articles: ListStatements,
    page: PageRequest | None,
    names: FieldNames,
    filters: ArticleFilters,
    *,
    public: bool,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    page_body = get_articles_page(
        articles, page, names, public=public, snippets=_make_snippet_finder(filters), hashes_body=hashes_body
    )
    return replace(page_body, max_number=MAX_SEARCH_PAGE) if filters.q else page_body


def _search_articles(
    names: FieldNames,
    page: PageRequest | None,
    filters: ArticleFilters,
    *,
    author_id: UUID | None = None,
    public: bool = True,
    hashes_body: bool = False,
) -> Page[JsonBody]:
    scope, rest = list_search_entry_conditions(filters) if public else (), replace(filters, q="")
    if public:
        rest = replace(rest, published_after=None, published_before=None)
    among = select_matching_articles(author_id, rest, public=public)
    uuids, total = search_articles(filters.q, page, scope=scope, among=among)
    rows = get_articles_body(
        uuids, names, public=public, snippets=_make_snippet_finder(filters), hashes_body=hashes_body
    )
    return Page(rows, total, page, MAX_SEARCH_PAGE)
