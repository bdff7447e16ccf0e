"""Tables of articles, with their term links, former addresses, versions, working copies and deleted items."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    DDL,
    CheckConstraint,
    ForeignKey,
    Index,
    String,
    Text,
    desc,
    event,
    false,
    text,
)
from sqlalchemy.ext.associationproxy import AssociationProxy, association_proxy
from sqlalchemy.ext.orderinglist import ordering_list
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column, relationship, synonym

from blogapi.content.articles.fields import TEXT_FIELDS
from blogapi.content.articles.lifecycle import ContentType
from blogapi.content.custom_fields.models import NO_VALUES
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.publication.models import HasEvents
from blogapi.publication.visibility import READABLE_STATUSES, ItemType, Status, get_listed_from
from blogapi.storage.database import (
    SORT_KEY_TYPE,
    WITHOUT_ROWID,
    Base,
    Identified,
    JsonText,
    Timestamped,
    bytewise,
    current_time,
)
from blogapi.storage.expressions import unindexed

# An article with a readable status needs a publication time.
_IS_HIDDEN = " AND ".join(f"status != '{status}'" for status in READABLE_STATUSES)


def derived_column(*arguments: Any, **options: Any) -> MappedColumn[Any]:
    """Return a column whose value is derived from other columns of the row; see DERIVED_COLUMNS."""
    return mapped_column(*arguments, **options, info={"derived": True})


class Article(HasEvents, Identified, Timestamped, Base):
    """An article or, by its `type`, a page; its content is stored exactly as the client sent it.

    A page has no category. Its `parent_id` refers to its parent page, and `position` orders the pages with
    the same parent. The columns of DERIVED_COLUMNS are rendered from other columns, from the files that the
    article uses and from the address of the service; `writing.derived_columns` fills them.
    """

    __tablename__ = "article"
    kind = "article"
    __table_args__ = (
        CheckConstraint(f"status IN {tuple(status.value for status in Status)}", name="status"),
        CheckConstraint(f"type IN {tuple(type_.value for type_ in ItemType)}", name="type"),
        CheckConstraint("(category_id IS NULL) = (type = 'page')", name="category"),
        CheckConstraint("content_type IN ('html', 'markdown', 'text')", name="content_type"),
        CheckConstraint(f"{_IS_HIDDEN} OR published_at IS NOT NULL", name="published_at"),
        # The indexes have the order of the lists, or its reverse, so that a page reads only the rows that it
        # returns. Times are ascending, so that new rows are appended to the index. The type is the last
        # column of each index, because the lists of articles exclude only a few pages.
        Index("ix_article_visible", "status", "published_at", desc("uuid"), "type"),
        Index("ix_article_featured", "status", "featured", "published_at", desc("uuid"), "type"),
        Index("ix_article_author", "author_id", "status", "published_at", desc("uuid"), "type"),
        Index("ix_article_category", "category_id", "status", "published_at", desc("uuid"), "type"),
        Index("ix_article_sort_key", "sort_key", "uuid", "type"),
        Index("ix_article_status_sort_key", "status", "sort_key", "uuid", "published_at", "type"),
        Index("ix_article_changed", "last_updated", desc("uuid"), "type"),
        Index("ix_article_status_changed", "status", "last_updated", desc("uuid"), "published_at", "type"),
        Index(
            *("ix_article_dated", text("(published_at IS NOT NULL) DESC"), "published_at", desc("uuid")),
            "type",
        ),
    )

    author_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"))
    category_id: Mapped[UUID | None] = mapped_column(ForeignKey("category.uuid"))
    title: Mapped[str]
    subtitle: Mapped[str] = mapped_column(default="")
    excerpt: Mapped[str] = mapped_column(default="", server_default="")
    robots: Mapped[str] = mapped_column(default="", server_default="")
    slug: Mapped[str] = mapped_column(unique=True)
    cover_image: Mapped[str] = mapped_column(default="")
    content_type: Mapped[str] = mapped_column(String(16), default=ContentType.HTML.value)
    featured: Mapped[bool] = mapped_column(default=False, server_default=false())
    language: Mapped[str] = mapped_column(default="", server_default="")
    translation_key: Mapped[str] = mapped_column(default="", server_default="")
    status: Mapped[str] = mapped_column(String(16))
    published_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
    was_public: Mapped[bool] = mapped_column(default=False)
    slug_derived: Mapped[bool] = mapped_column(default=True)
    editor_id: Mapped[UUID] = mapped_column(ForeignKey("account.uuid"), index=True)

    type: Mapped[str] = mapped_column(
        String(16), default=ItemType.ARTICLE.value, server_default=ItemType.ARTICLE.value
    )
    parent_id: Mapped[UUID | None] = mapped_column(
        # The foreign key is checked at the commit: a copy of the blog can insert a page before its parent.
        ForeignKey("article.uuid", ondelete="SET NULL", deferrable=True, initially="DEFERRED"),
        index=True,
    )
    position: Mapped[int] = mapped_column(default=0, server_default="0")

    seo_uuid: Mapped[UUID] = mapped_column(default=uuid4)
    seo_created: Mapped[datetime] = mapped_column(default=current_time)
    seo_last_updated: Mapped[datetime] = mapped_column(default=current_time)
    seo_title: Mapped[str] = mapped_column(default="")
    seo_description: Mapped[str] = mapped_column(default="")
    seo_og_image: Mapped[str] = mapped_column(default="")
    seo_canonical_url: Mapped[str] = mapped_column(default="")

    sort_key: Mapped[str] = derived_column(SORT_KEY_TYPE, server_default="")
    word_count: Mapped[int] = derived_column(server_default="0")
    reading_minutes: Mapped[int] = derived_column(server_default="1")
    generated_excerpt: Mapped[str] = derived_column(server_default="")
    cover: Mapped[Any] = derived_column(JsonText(), server_default="null")

    # SQLite reads a row up to the last column that a statement selects, so the long columns come last.
    custom: Mapped[str] = mapped_column(Text(), default=NO_VALUES, server_default=NO_VALUES, sort_order=1)
    content: Mapped[str] = mapped_column(default="", sort_order=2)
    toc: Mapped[Any] = derived_column(JsonText(), server_default="[]", deferred=True, sort_order=3)
    html: Mapped[str] = derived_column(Text(), server_default="", deferred=True, sort_order=4)
    # The name of the key with which the last version was written, or empty. Lists do not select this column.
    key_name: Mapped[str] = mapped_column(default="", server_default="", deferred=True, sort_order=5)

    category: Mapped[Category | None] = relationship()
    tag_links: Mapped[list[ArticleTag]] = relationship(
        order_by="ArticleTag.position",
        collection_class=ordering_list("position"),
        cascade="all, delete-orphan",
        passive_deletes=True,
    )
    tags: AssociationProxy[list[Tag]] = association_proxy(
        "tag_links", "tag", creator=lambda tag: ArticleTag(tag=tag)
    )
    author_links: Mapped[list[ArticleAuthor]] = relationship(
        order_by="ArticleAuthor.position",
        collection_class=ordering_list("position"),
        cascade="all, delete-orphan",
        passive_deletes=True,
    )
    authors: AssociationProxy[list[Author]] = association_proxy(
        "author_links", "author", creator=lambda author: ArticleAuthor(author=author)
    )

    def update_link_columns(self) -> None:
        """Copy columns of the article to its links to tags and authors, which repeat these columns.

        Call this after a change of the status, the publication time, the category, the tags or the authors.
        The search entry repeats `listed_from` too; `writing.loaded_articles` stores it.
        """
        listed_from = get_listed_from(self)
        for tag_link in self.tag_links:
            tag_link.listed_from, tag_link.category_id = listed_from, self.category_id
        for author_link in self.author_links:
            author_link.listed_from = listed_from


class UnindexedColumns:
    """Columns of articles that SQLite cannot look up in an index, so that it uses a more selective index."""

    status, type = unindexed(Article.__table__.c.status), unindexed(Article.__table__.c.type)
    published_at = unindexed(Article.__table__.c.published_at)


#: The names of the columns that are rendered from other data, and rendered again when that data changes.
#: Exports, versions, working copies and the documents of deleted items do not contain these columns.
DERIVED_COLUMNS = frozenset(column.name for column in Article.__table__.c if column.info.get("derived"))

# These indexes are partial: most articles are in the language of the site and have no translations.
for _name, _condition, *_columns in (
    ("page", "type = 'page'", Article.position, Article.uuid),
    (
        *("language", "language != ''", Article.language, Article.status, Article.published_at),
        *(desc(Article.uuid), Article.type),
    ),
    ("translation_key", "translation_key != ''", Article.translation_key),
):
    _partial = Index(f"ix_article_{_name}", *_columns, sqlite_where=text(_condition))
    _partial.ddl_if(dialect="sqlite")
# `postgresql_where` would import the dialect of PostgreSQL, which needs memory, also on SQLite.
for _index in (
    "ix_article_page ON article (position, uuid) WHERE type = 'page'",
    "ix_article_language ON article (language, status, published_at, uuid DESC, type) WHERE language != ''",
    "ix_article_translation_key ON article (translation_key) WHERE translation_key != ''",
):
    _create = DDL(f"CREATE INDEX {_index}")  # type: ignore[no-untyped-call]
    event.listen(Article.__table__, "after_create", _create.execute_if(dialect="postgresql"))

# Text fields without a column above get a plain text column.
for _field in TEXT_FIELDS:
    if _field.name not in Article.__table__.c:
        _column = mapped_column(String, default="", server_default=_field.server_default, nullable=False)
        setattr(Article, _field.name, _column)


# The links to tags and authors repeat columns of the article, so that their indexes contain the articles of a
# tag or an author in the order of the lists. `Article.update_link_columns` copies the columns.


class ArticleTag(Base):
    """A tag of an article, with its position in the order that the author chose.

    `listed_from` is the time from which the article is in the lists, or None.
    """

    __tablename__ = "article_tag"
    __table_args__ = (
        Index("ix_article_tag_listed", "tag_id", "listed_from", desc("article_id")),
        Index("ix_article_tag_category", "category_id", "tag_id", "listed_from", desc("article_id")),
        WITHOUT_ROWID,
    )

    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), primary_key=True)
    tag_id: Mapped[UUID] = mapped_column(ForeignKey("tag.uuid", ondelete="CASCADE"), primary_key=True)
    term_id: Mapped[UUID] = synonym("tag_id")
    position: Mapped[int]
    listed_from: Mapped[datetime | None]
    category_id: Mapped[UUID | None]

    tag: Mapped[Tag] = relationship()


class ArticleAuthor(Base):
    """An author of an article, with their position in the byline; see ArticleTag for `listed_from`."""

    __tablename__ = "article_author"
    __table_args__ = (
        Index("ix_article_author_listed", "author_id", "listed_from", desc("article_id")),
        WITHOUT_ROWID,
    )

    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), primary_key=True)
    author_id: Mapped[UUID] = mapped_column(ForeignKey("author.uuid"), primary_key=True)
    term_id: Mapped[UUID] = synonym("author_id")
    position: Mapped[int]
    listed_from: Mapped[datetime | None]

    author: Mapped[Author] = relationship()


#: Maps the name of each field in TERM_LIST_FIELDS to the model of its links.
LINK_MODELS: Mapping[str, type[ArticleTag | ArticleAuthor]] = {"tags": ArticleTag, "authors": ArticleAuthor}


class RendererState(Base):
    """The single row with the version of the code that rendered the articles."""

    __tablename__ = "article_stats"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    renderer: Mapped[str]


class FormerSlug(Base):
    """A slug that a public article had before; no other article uses it now."""

    __tablename__ = "former_slug"

    slug: Mapped[str] = mapped_column(primary_key=True)
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime] = mapped_column(default=current_time)


class FormerPath(Base):
    """A former path of an article or page, in this blog or in another system, which redirects to the item.

    The path is decoded, begins with a slash and has no query. Whole paths are compared, so that two paths
    with the same last segment can lead to two articles.
    """

    __tablename__ = "former_path"

    path: Mapped[str] = mapped_column(Text(), primary_key=True)
    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), index=True)
    created: Mapped[datetime] = mapped_column(default=current_time)


# In PostgreSQL, the indexes of the primary keys have another order than the list of redirects.
Index("ix_former_slug_order", bytewise(FormerSlug.slug)).ddl_if(dialect="postgresql")
Index("ix_former_path_order", bytewise(FormerPath.path)).ddl_if(dialect="postgresql")


class ArticleRevision(Base):
    """A former version of an article: its writer, its time and its content as JSON.

    `key_name` is the name of the API key with which the version was written, or empty. If saves of a
    scheduled article have replaced this version, `saves_since` is the time of the first save, otherwise None.
    There is no foreign key: the row is kept when its article is deleted, so that the deletion can be undone.
    """

    __tablename__ = "article_revision"

    article_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    author_id: Mapped[UUID]
    user_id: Mapped[UUID]
    created: Mapped[datetime]
    content: Mapped[str]
    name: Mapped[str] = mapped_column(default="", server_default="")
    saves_since: Mapped[datetime | None]
    key_name: Mapped[str] = mapped_column(default="", server_default="")


class WorkingCopy(Base):
    """The edits of an article that are not part of the article yet; all users share one copy per article.

    `content` is the content that the editor saved, as JSON. `version` counts the saves, and `base_version` is
    the version of the article on which the edits are based. `user_id` is the user who saved last, and
    `key_name` the name of the API key that they used, or empty. `not_live` is a JSON array of sentences that
    say why the last save could not be written into the scheduled article; None if the save did not try to
    change the article.
    """

    __tablename__ = "working_copy"
    __table_args__ = (Index("ix_working_copy_changed", desc("last_updated"), "article_id"),)

    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID]
    created: Mapped[datetime] = mapped_column(default=current_time)
    last_updated: Mapped[datetime] = mapped_column(default=current_time)
    version: Mapped[int] = mapped_column(default=1)
    base_version: Mapped[int]
    content: Mapped[str]
    not_live: Mapped[str | None]
    key_name: Mapped[str] = mapped_column(default="", server_default="")


class DeletedItem(Base):
    """A deleted article or page, which can be restored until the row is deleted after BIN_DAYS.

    `document` is the whole item as JSON; see `articles.writing.bin_documents`. The list of deleted items
    does not read this column. `user_id` is the user who deleted the item, and `edits` is the time at which
    its working copy was saved last.
    """

    __tablename__ = "deleted_item"

    uuid: Mapped[UUID] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    author_id: Mapped[UUID]
    status: Mapped[str] = mapped_column(String(16))
    user_id: Mapped[UUID]
    deleted: Mapped[datetime] = mapped_column(index=True)
    document: Mapped[str]
    title: Mapped[str] = mapped_column(server_default="")
    sort_key: Mapped[str] = mapped_column(SORT_KEY_TYPE, server_default="")
    language: Mapped[str] = mapped_column(server_default="")
    cover_image: Mapped[str] = mapped_column(server_default="")
    published_at: Mapped[datetime | None]
    edits: Mapped[datetime | None]
