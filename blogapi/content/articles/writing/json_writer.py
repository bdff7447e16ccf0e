"""Stores the JSON and the search entries of articles, in the transaction of each write."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import CursorResult, Executable, bindparam, select, update
from sqlalchemy.orm import Session

from blogapi.content.articles import search_texts
from blogapi.content.articles.content import ArticleContent
from blogapi.content.articles.fields import SEARCHED_NAMES
from blogapi.content.articles.models import Article, ArticleJson
from blogapi.content.articles.responses.json_statements import STORED_FIELDS
from blogapi.content.articles.schemas import PageFieldsSchema
from blogapi.content.articles.writing import states
from blogapi.content.articles.writing.rendered_article import (
    RenderedArticle,
    get_search_text,
    make_row,
    render_articles,
)
from blogapi.content.custom_fields.custom_values import list_pictures
from blogapi.content.media import uses
from blogapi.content.search.results import SearchText
from blogapi.content.search.service import add_articles, index_articles, update_short_texts
from blogapi.publication.models import ChangeType
from blogapi.publication.visibility import get_listed_from
from blogapi.storage.database import table_of
from blogapi.storage.expressions import insert_or_update
from blogapi.web.media_addresses import PATH

# The rendering depends on _RENDERED_COLUMNS, and _DERIVED_FIELDS depend on the rendering and on the files.
# The search entry depends on the rendering, the publication time and _INDEXED_COLUMNS.
_RENDERED_COLUMNS = ("content", "content_type", "excerpt")
_DERIVED_FIELDS = ("excerpt", "reading_minutes", "cover", "word_count", "toc", "html")
_INDEXED_COLUMNS = ("title", *SEARCHED_NAMES, "custom")

_WRITTEN_SCHEMA = PageFieldsSchema(only=[name for name in STORED_FIELDS if name not in _DERIVED_FIELDS])
_json = table_of(ArticleJson)
# This statement is built once, because building a statement takes longer than executing it.
_UPDATE_JSON = update(_json).where(_json.c.article_id == bindparam("key"))


@dataclass(slots=True)
class ArticleWrite:
    """A written article, its content before the write (None: it is new), and whether to render it again."""

    article: Article
    former: ArticleContent | None
    is_rendered: bool = False

    def renders(self) -> bool:
        """Return whether the write renders the content."""
        if self.former is None or self.is_rendered or self.has_changed(*_RENDERED_COLUMNS):
            return True
        return self.shows_other_files()

    def has_changed(self, *columns: str) -> bool:
        """Return whether the write of an article that is not new has changed one of these columns."""
        assert self.former is not None
        others = ("status", "published_at", "custom")
        former = {**self.former.texts, **{name: getattr(self.former, name) for name in others}}
        return any(getattr(self.article, name) != former[name] for name in columns)

    def shows_other_files(self) -> bool:
        """Return whether the write adds or removes a picture that is a file of the media library."""
        assert self.former is not None
        cover, image = self.former.texts["cover_image"], self.former.seo["og_image"]
        pictures = (cover, self.article.cover_image), (image, self.article.seo.og_image)
        changed = [address for pair in pictures if pair[0] != pair[1] for address in pair]
        if self.article.custom != self.former.custom:
            changed += [*list_pictures(self.article.custom), *list_pictures(self.former.custom)]
        return any(PATH.fullmatch(address or "") for address in changed)


def store_again(session: Session, articles: Sequence[Article]) -> None:
    """Store the derived data of the articles; record the articles whose JSON was missing or differs."""
    rendered = render_articles(articles)
    differing = {article.uuid for article in find_differing(session, rendered)}
    for article in articles:
        if article.uuid in differing:
            states.record_rendering(article, ChangeType.RENDERED)
    store_articles(session, rendered)


def find_differing(session: Session, articles: Collection[RenderedArticle]) -> list[RenderedArticle]:
    """Return the articles whose stored JSON is missing or differs from a new rendering."""
    is_wanted = _json.c.article_id.in_([article.uuid for article in articles])
    rows = _execute(session, select(_json).where(is_wanted)).mappings()
    stored = {row["article_id"]: dict(row) for row in rows}
    return [article for article in articles if stored.get(article.uuid) != article.row]


def store_writes(session: Session, writes: Collection[ArticleWrite]) -> None:
    """Store the data that is derived from written articles, after the rows of the articles are stored."""
    new = {write.article.uuid for write in writes if write.former is None}
    rendered = [write.article for write in writes if write.renders()]
    store_articles(session, render_articles(rendered), new=new)
    _update_articles(session, [write for write in writes if not write.renders()])


def store_articles(
    session: Session, rendered: Sequence[RenderedArticle], *, new: Collection[UUID] = ()
) -> None:
    """Store the JSON and the uses of files of the articles, and index their words; `new` are new articles."""
    if not rendered:
        return
    _execute(session, _store_json(session.get_bind().dialect.name), [article.row for article in rendered])
    used = {article.uuid: article.find_uses() for article in rendered}
    if used := {uuid: files for uuid, files in used.items() if files or uuid not in new}:
        uses.store_article_uses(session, used, new=new)
    add_articles(session, [article.search_text for article in rendered if article.uuid in new])
    index_articles(session, [article.search_text for article in rendered if article.uuid not in new])


@cache
def _store_json(dialect: str) -> Executable:
    """Return the statement that stores complete rows; another program may have deleted some of them."""
    return insert_or_update(dialect, _json, *(column.name for column in _json.c if not column.primary_key))


def index_again(session: Session, articles: Sequence[Article]) -> None:
    """Update the search words of articles whose content is unchanged."""
    if not articles:
        return
    texts = search_texts.read_texts(session.connection(), [article.uuid for article in articles])
    rows = [
        SearchText(article.uuid, get_listed_from(article), *texts[article.uuid])
        for article in articles
        if article.uuid in texts
    ]
    index_articles(session, rows)


def _update_articles(session: Session, writes: Sequence[ArticleWrite]) -> None:
    """Update the stored JSON and the search entries of articles whose content is unchanged."""
    if not writes:
        return
    rows = [make_row(write.article, _WRITTEN_SCHEMA) for write in writes]
    updated = _execute(session, _UPDATE_JSON, [{"key": row.pop("article_id"), **row} for row in rows])
    if updated.rowcount < len(writes):
        # Another program has deleted rows.
        store_articles(session, render_articles(write.article for write in writes))
        return
    moved = [write.article for write in writes if write.has_changed("status", "published_at")]
    kept = [write.article for write in writes if write.has_changed(*_INDEXED_COLUMNS)]
    kept = [article for article in kept if article not in moved]
    if not update_short_texts(session, [get_search_text(article, "") for article in kept]):
        moved += kept
    index_again(session, moved)


def _execute(session: Session, statement: Executable, rows: Any = None) -> CursorResult[Any]:
    # This bypasses the session, which would look for entities to synchronize.
    return session.connection().execute(statement, rows)
