"""Loads the rows that several writes of articles need together, and stores the results of the writes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from blogapi.content.articles import page_tree, queries
from blogapi.content.articles.article_content import ArticleContent, ArticleInput
from blogapi.content.articles.fields import SEARCHED_FIELDS
from blogapi.content.articles.models import Article
from blogapi.content.articles.queries import ArticleForWrite
from blogapi.content.articles.writing import page_moves
from blogapi.content.articles.writing.derived_columns import (
    make_search_text,
    reindex_articles,
    render_articles,
    store_derived_rows,
)
from blogapi.content.articles.writing.term_references import NO_TERMS, KnownTerms, find_referenced_terms
from blogapi.content.custom_fields.custom_values import list_media_paths
from blogapi.content.media import uses
from blogapi.content.search.engines import update_listed_times, update_short_texts
from blogapi.publication.visibility import ItemType, get_listed_from
from blogapi.rendering.slugs import make_slug
from blogapi.site.page_paths import PageTree
from blogapi.storage.database import db, transaction
from blogapi.web.errors import NotFound
from blogapi.web.media_addresses import FILE_PATH
from blogapi.web.unique_slugs import make_numbered_slugs

# The derived columns depend on these columns and on the files. The words of the search index depend on the
# derived columns and on _INDEXED_COLUMNS.
_RENDERED_COLUMNS = ("content", "content_type", "excerpt")
_INDEXED_COLUMNS = ("title", *SEARCHED_FIELDS, "custom")


@dataclass(slots=True)
class ArticleWrite:
    """A written article, its former content (None for a new article), and whether it must be rendered."""

    article: Article
    old_content: ArticleContent | None
    must_render: bool = False

    def needs_rendering(self) -> bool:
        """Return whether the article must be rendered, as its content or its media files have changed."""
        former = self.old_content
        if former is None or self.must_render or self.has_changed_columns(*_RENDERED_COLUMNS):
            return True
        cover, image = former.texts["cover_image"], former.seo["og_image"]
        pictures = (cover, self.article.cover_image), (image, self.article.seo_og_image)
        changed = [address for pair in pictures if pair[0] != pair[1] for address in pair]
        if self.article.custom != former.custom:
            changed += [*list_media_paths(self.article.custom), *list_media_paths(former.custom)]
        return any(FILE_PATH.fullmatch(address or "") for address in changed)

    def has_changed_columns(self, *columns: str) -> bool:
        """Return whether the write of an article that is not new has changed one of these columns."""
        assert self.old_content is not None
        others = ("status", "published_at", "custom")
        former = {**self.old_content.texts, **{name: getattr(self.old_content, name) for name in others}}
        return any(getattr(self.article, name) != former[name] for name in columns)


@dataclass(slots=True)
class LoadedArticles:
    """The rows of the articles that a transaction writes, and its writes that are not stored yet.

    `keeps_former_paths` is whether the former paths of pages that move are stored, because readers may know
    them.
    """

    writer: UUID | None
    assigned_slugs: set[str]
    keeps_former_paths: bool = True
    articles: dict[UUID, ArticleForWrite] = field(default_factory=dict)
    terms: KnownTerms = NO_TERMS
    # The highest version numbers of deleted articles, by the uuid of the article.
    deleted_numbers: dict[UUID, int] = field(default_factory=dict)
    # The slugs that the writes have freed; `assigned_slugs` contains the slugs that no other article may get.
    released_slugs: set[str] = field(default_factory=set)
    writes: dict[UUID, ArticleWrite] = field(default_factory=dict)
    deleted: list[UUID] = field(default_factory=list)
    # The tree of the pages before the first change of a page; None if no page is changed.
    tree: PageTree | None = None

    def get_article(self, uuid: UUID, type_: str | None = None) -> Article:
        """Return the article; raises NotFound if there is none, or if it has another type."""
        if uuid not in self.articles or type_ not in (None, self.articles[uuid].article.type):
            raise NotFound(f"There is no such {type_ or 'article'}.")
        return self.articles[uuid].article

    def keep_old_tree(self, type_: str) -> None:
        """Keep the tree of the pages before the first change of a page; later calls do nothing."""
        if type_ == ItemType.PAGE and self.tree is None:
            self.tree = page_tree.get_tree()


@contextmanager
def write_articles_together(
    inputs: Sequence[ArticleInput],
    *uuids: UUID | None,
    writer: UUID | None = None,
    taken_slugs: Collection[str] = (),
) -> Iterator[LoadedArticles]:
    """Open a transaction, yield the rows of these articles, and store the writes at the end.

    `writer` is the user who writes new articles; None if there are no new articles, or during an import. New
    articles do not get the slugs in `taken_slugs`.
    """
    with transaction(visible=False), db.session.no_autoflush:
        loaded = LoadedArticles(writer, set(taken_slugs))
        load_articles(loaded, inputs, [uuid for uuid in uuids if uuid is not None])
        yield loaded
        store_writes(loaded)


def load_articles(loaded: LoadedArticles, inputs: Sequence[ArticleInput], uuids: Sequence[UUID]) -> None:
    """Add to `loaded` the rows that the writes of further articles need."""
    # A write that only creates articles looks up all their slugs together; other writes look up a slug when
    # they need it.
    slugs = [
        slug
        for fields in (inputs if loaded.writer is not None and not uuids else ())
        for slug in ([fields.slug] if fields.slug else make_numbered_slugs(make_slug(fields.texts["title"])))
    ]
    loaded.terms = find_referenced_terms(inputs, loaded.writer, loaded.terms, slugs)
    if uuids:
        loaded.articles |= queries.find_articles_for_write(
            [uuid for uuid in uuids if uuid not in loaded.articles]
        )
    # An article that is created with the uuid of a deleted article continues its version numbers.
    if missing := [uuid for uuid in uuids if uuid not in loaded.articles]:
        loaded.deleted_numbers |= queries.get_last_revision_numbers(missing)


def store_writes(loaded: LoadedArticles) -> None:
    """Store the written rows, then the moves of pages, the uses of files and the search words."""
    writes, session = list(loaded.writes.values()), db.session()
    to_render = [write.article for write in writes if write.needs_rendering()]
    rendered = render_articles(to_render) if to_render else []
    for rendered_article in rendered:
        rendered_article.set_columns()
    session.flush()
    if loaded.tree is not None:
        page_moves.record_page_moves(
            loaded.tree, page_tree.reread_tree(), keeps_paths=loaded.keeps_former_paths
        )
    if rendered:
        new = {write.article.uuid for write in writes if write.old_content is None}
        store_derived_rows(session, rendered, new=new)
    # The content of the other articles is unchanged, and so are its words in the search index.
    uuids = {rendered_article.article.uuid for rendered_article in rendered}
    others = [write for write in writes if write.article.uuid not in uuids]
    if moved := [write.article for write in others if write.has_changed_columns("status", "published_at")]:
        update_listed_times(session, {article.uuid: get_listed_from(article) for article in moved})
    changed = [write.article for write in others if write.has_changed_columns(*_INDEXED_COLUMNS)]
    texts = [make_search_text(article, "") for article in changed]
    if changed and not update_short_texts(session, texts):
        reindex_articles(session, changed)
    if loaded.deleted:
        uses.mark_article_uses_former(session, loaded.deleted)
    loaded.writes, loaded.deleted, loaded.tree = {}, [], None
