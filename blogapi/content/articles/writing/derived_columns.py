"""Renders the derived columns of articles: their HTML, and data made from the HTML and the files in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from blogapi.content.articles import search_texts
from blogapi.content.articles.fields import SEARCHED_FIELDS
from blogapi.content.articles.models import Article
from blogapi.content.articles.prerendering import render_content
from blogapi.content.articles.schemas import CoverSchema, HeadingSchema
from blogapi.content.articles.writing import event_states
from blogapi.content.custom_fields.custom_values import list_media_paths
from blogapi.content.custom_fields.models import NO_VALUES
from blogapi.content.media import uses
from blogapi.content.media.file_references import (
    NO_FILES,
    ArticleHtml,
    ReferencedFile,
    ReferencedFiles,
    find_referenced_files,
)
from blogapi.content.media.html_resolver import HtmlResolver, add_file_url
from blogapi.content.search.engine_base import SearchText
from blogapi.content.search.engines import index_articles
from blogapi.content.search.tokenizer import make_sort_key
from blogapi.publication.models import ChangeType
from blogapi.publication.visibility import get_listed_from

_COVER_SCHEMA, _HEADINGS_SCHEMA = CoverSchema(), HeadingSchema(many=True)


@dataclass(frozen=True, slots=True)
class RenderedArticle:
    """A rendering: the article, its derived columns, its plain text, and the files that it uses, by uuid."""

    article: Article
    columns: Mapping[str, Any]
    plain_text: str
    used: Mapping[UUID, ReferencedFile]
    files: ReferencedFiles

    def differs_from_article(self) -> bool:
        """Return whether a derived column of the article has another value than the rendering."""
        return any(getattr(self.article, name) != value for name, value in self.columns.items())

    def set_columns(self) -> None:
        """Set the derived columns of the article; the time of its last update does not change."""
        # Without this call, `onupdate` would change `last_updated`.
        flag_modified(self.article, "last_updated")
        for name, value in self.columns.items():
            setattr(self.article, name, value)


def render_articles(articles: Iterable[Article]) -> list[RenderedArticle]:
    """Render articles, or objects with the same attributes; one statement finds the files of all of them."""
    contents = []
    for article in articles:
        others = list_media_paths(article.custom) if article.custom != NO_VALUES else ()
        pictures = (article.cover_image, article.seo_og_image, *others)
        contents.append((article, render_content(article.content, article.content_type), pictures))
    files = find_referenced_files(
        ArticleHtml(article.uuid, rendering.html, pictures) for article, rendering, pictures in contents
    )
    rendered = []
    for article, rendering, pictures in contents:
        html, cover, used = rendering.html, None, dict[UUID, ReferencedFile]()
        if files is not NO_FILES or "media:" in html:
            resolver = HtmlResolver(article.uuid, files)
            cover, *_ = [resolver.find_file(address) for address in pictures]
            html, used = resolver.resolve_html(html), resolver.used
        columns = {
            "sort_key": make_sort_key(article.title),
            "word_count": rendering.word_count,
            "reading_minutes": rendering.reading_minutes,
            "generated_excerpt": rendering.excerpt,
            "cover": _COVER_SCHEMA.dump(add_file_url(cover)) if cover is not None and cover.width else None,
            "toc": _HEADINGS_SCHEMA.dump(rendering.toc),
            "html": html,
        }
        rendered.append(RenderedArticle(article, columns, rendering.plain_text, used, files))
    return rendered


def rerender_articles(session: Session, articles: Collection[Article]) -> None:
    """Rerender the articles, store the columns that differ, and record the changed articles."""
    rendered = render_articles(articles)
    for rendered_article in rendered:
        if rendered_article.differs_from_article():
            event_states.record_rendering(rendered_article.article, ChangeType.RENDERED)
            rendered_article.set_columns()
    session.flush()
    store_derived_rows(session, rendered)


def store_derived_rows(
    session: Session, rendered: Sequence[RenderedArticle], *, new: Collection[UUID] = ()
) -> None:
    """Store the uses of files and the search words of articles; `new` are the uuids of new articles."""
    used = {row.article.uuid: row.used for row in rendered if row.used or row.article.uuid not in new}
    if used:
        uses.store_article_uses(session, used, new=new)
    index_articles(session, [make_search_text(row.article, row.plain_text) for row in rendered])


def reindex_articles(session: Session, articles: Sequence[Article]) -> None:
    """Index articles again, with the stored HTML instead of a new rendering."""
    texts = search_texts.read_search_texts(session.connection(), [article.uuid for article in articles])
    rows = [
        SearchText(article.uuid, get_listed_from(article), *texts[article.uuid])
        for article in articles
        if article.uuid in texts
    ]
    index_articles(session, rows)


def make_search_text(article: Article, plain_text: str) -> SearchText:
    """Return the texts of an article that searches cover; `plain_text` is the content of the article."""
    others = search_texts.join_texts((getattr(article, name) for name in SEARCHED_FIELDS), article.custom)
    return SearchText(article.uuid, get_listed_from(article), article.title, others, plain_text)
