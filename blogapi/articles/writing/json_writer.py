"""Renders and stores the JSON of articles, in the transaction of each write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import CursorResult, Executable, bindparam, func, select, update
from sqlalchemy.orm import Session

from blogapi.articles import author_visibility, queries, search_texts
from blogapi.articles.content import ArticleContent
from blogapi.articles.fields import SEARCHED_NAMES
from blogapi.articles.models import Article, ArticleJson, ArticleStats
from blogapi.articles.prepared import NOTHING_PREPARED, Prepared, prepare_again, read_texts
from blogapi.articles.renderer_version import get_renderer_version
from blogapi.articles.responses.json_reader import STORED_FIELDS
from blogapi.articles.schemas import PageFieldsSchema
from blogapi.articles.writing import repeated_columns, states
from blogapi.config import CannotStart
from blogapi.custom_fields.custom_values import list_pictures
from blogapi.media import uses
from blogapi.media.addresses import PATH
from blogapi.media.html_pictures import HtmlResolver, make_cover
from blogapi.media.references import File, KnownFiles, Text, find_files
from blogapi.publication.models import What
from blogapi.publication.visibility import get_listed_from
from blogapi.rendering import renderer
from blogapi.rendering.renderer import RenderedContent
from blogapi.search.results import SearchText
from blogapi.search.service import add_articles, index_articles
from blogapi.storage import upgrades, version_check
from blogapi.storage.database import batch_uuids, db, table_of, transaction
from blogapi.storage.expressions import insert_or_update
from blogapi.storage.version_check import NewerSchema
from blogapi.web import json as web_json
from blogapi.web import stored_json
from blogapi.web.errors import Damaged
from blogapi.web.fields import WithAttributes

# The rendering depends on _RENDERED_COLUMNS, and these fields are derived from it and from the files. The
# search entry depends on the rendering and on _INDEXED_COLUMNS.
_RENDERED_COLUMNS = ("content", "content_type", "excerpt")
_DERIVED_FIELDS = ("excerpt", "reading_minutes", "cover", "word_count", "toc", "html")
_INDEXED_COLUMNS = ("title", *SEARCHED_NAMES, "status", "published_at", "custom")

_SCHEMA = PageFieldsSchema(only=STORED_FIELDS)
_WRITTEN_SCHEMA = PageFieldsSchema(only=[name for name in STORED_FIELDS if name not in _DERIVED_FIELDS])
_json = table_of(ArticleJson)
# This statement is built once, because building a statement takes longer than executing it.
_UPDATE_JSON = update(_json).where(_json.c.article_id == bindparam("key"))

_RENDERED_ATTRIBUTES = ("plain_text", "reading_minutes", "word_count", "toc")

# The number of articles that one transaction renders. The number is small, so that other writers wait only
# briefly.
_BATCH_SIZE = 200


@dataclass(slots=True)
class Write:
    """A written article, its content before the write (None: it is new), and whether to render it again.

    `prepared` was computed for the article, or for a content that it no longer has. `html` is its stored
    HTML, or None if there is none.
    """

    article: Article
    former: ArticleContent | None
    prepared: Prepared | None = None
    html: bytes | None = None
    is_rendered: bool = False

    def find_plain_text(self) -> str | None:
        """Return the stored content as plain text; None if the write renders the content again."""
        if self.html is None or self.is_rendered or self.has_changed(*_RENDERED_COLUMNS):
            return None
        try:
            return None if self.shows_other_files() else search_texts.read_plain_text(self.html)
        except Damaged:
            return None

    def has_changed(self, *columns: str) -> bool:
        """Return whether the write of an article that is not new has changed one of these columns."""
        assert self.former is not None
        others = ("status", "published_at", "custom")
        former = {**self.former.texts, **{name: getattr(self.former, name) for name in others}}
        return any(getattr(self.article, name) != former[name] for name in columns)

    def shows_other_files(self) -> bool:
        """Return whether the write has changed an address of a picture from or to a file of the library."""
        assert self.former is not None
        cover, image = self.former.texts["cover_image"], self.former.seo["og_image"]
        pictures = (cover, self.article.cover_image), (image, self.article.seo.og_image)
        changed = [address for pair in pictures if pair[0] != pair[1] for address in pair]
        if self.article.custom != self.former.custom:
            changed += [*list_pictures(self.article.custom), *list_pictures(self.former.custom)]
        return any(PATH.fullmatch(address or "") for address in changed)


class RenderedArticle(WithAttributes):
    """An article together with the fields that are derived from its content and from the files that it uses.

    Several articles share `known_files`, so that one statement finds the files of all. `prepared` was
    computed before the transaction, in which the article can have another content.
    """

    def __init__(self, article: Article | WithAttributes, prepared: Prepared | None = None) -> None:
        super().__init__(article)
        is_current = prepared is not None and prepared.sources[0] == (article.content, article.content_type)
        self._prepared = prepared if is_current else None

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the rendered content, or of the article."""
        return getattr(self._rendering, name) if name in _RENDERED_ATTRIBUTES else super().__getattr__(name)

    @property
    def stored(self) -> Any:
        """The article, whose excerpt is empty if none is written."""
        return self._target

    @cached_property
    def _rendering(self) -> RenderedContent:
        if self._prepared is not None:
            return self._prepared.rendering
        return renderer.render(self.content, self.content_type)

    @property
    def text(self) -> Text:
        """The text that can refer to files."""
        pictures = (self.cover_image, self.seo.og_image, *list_pictures(self.custom))
        return Text(self.uuid, self._rendering.html, pictures)

    @cached_property
    def known_files(self) -> KnownFiles:
        """The files to which the article refers."""
        return find_files([self.text])

    @cached_property
    def _resolver(self) -> HtmlResolver:
        return HtmlResolver(self.uuid, self.known_files)

    @cached_property
    def html(self) -> str:
        """The content as sanitised HTML; the addresses of files begin with that of the service."""
        return self._resolver.resolve(self._rendering.html)

    @cached_property
    def cover(self) -> WithAttributes | None:
        """The cover if it is an image of the media library."""
        file = self._resolver.find(self.cover_image)
        return make_cover(file) if file is not None and file.width else None

    def find_uses(self) -> Mapping[UUID, File]:
        """Return the files that the article uses, by uuid."""
        self._resolver.find(self.cover_image)
        for address in (self.seo.og_image, *list_pictures(self.custom)):
            self._resolver.find(address)
        # Rendering the HTML finds the files in it.
        assert self.html is not None
        return self._resolver.used

    @cached_property
    def excerpt(self) -> str:
        """The written excerpt, or the beginning of the content as plain text."""
        written: str = self.stored.excerpt
        return written or self._rendering.excerpt

    @property
    def search_text(self) -> SearchText:
        """What searches find of the article, with the words that were prepared for these texts."""
        found, prepared = get_search_text(self.stored, self.plain_text), self._prepared
        if prepared is None or (found.title, found.subtitle) != (prepared.title, prepared.others):
            return found
        return replace(found, words=prepared.words)

    @cached_property
    def row(self) -> dict[str, Any]:
        """The columns of the article's row in ArticleJson, by name."""
        return _make_row(self, _SCHEMA)


def init_app(app: Flask) -> None:
    """Render all articles again after an update.

    The stored version shows whether other code, or another version of a library, rendered the articles.
    """
    with app.app_context(), upgrades.convert_errors(db.engine):
        if db.session.scalar(select(ArticleStats.renderer)) != get_renderer_version():
            _take_over(app)
    version_check.accept_renderers(app, get_renderer_version())


def _take_over(app: Flask) -> None:
    """Render all articles again, and stop servers of other versions from writing.

    Raises CannotStart if another version of blogapi takes over the database in the meantime.
    """
    own, unfinished = get_renderer_version(), f"{get_renderer_version()}, unfinished"
    with transaction():
        # Another process of this version may have rendered the articles while this process waited for the
        # lock.
        stored = db.session.scalar(select(ArticleStats.renderer))
        if stored == own:
            return
        if stored != unfinished:
            _store_renderer(unfinished)
    version_check.accept_renderers(app, own, unfinished)
    try:
        author_visibility.record_missing_authors()
        _render_all(app)
        with transaction():
            _store_renderer(own)
    except NewerSchema as error:
        raise CannotStart(
            "Another version of blogapi is starting with this database; stop one of the two."
        ) from error


def _store_renderer(version: str) -> None:
    db.session.execute(update(ArticleStats).values(renderer=version))


def _render_all(app: Flask) -> None:
    articles = db.session.scalar(select(func.count()).select_from(Article)) or 0
    if articles > _BATCH_SIZE:
        app.logger.warning(
            "Rendering %d articles again after an update; 1000 articles take a few seconds.", articles
        )
    for _ in render_all():
        pass


def render_all() -> Iterator[int]:
    """Render all stored JSON again; yield the number of rendered articles after each batch."""
    stored_json.store_all(_BATCH_SIZE)
    with transaction():
        repeated_columns.repair()
    done = 0
    for uuids in batch_uuids(Article, _BATCH_SIZE):
        prepared = prepare_again(read_texts(uuids))
        with transaction():
            # Another write may have changed or deleted some of the articles.
            present = queries.find_articles(uuids)
            store_again(db.session(), list(present.values()), prepared)
        db.session.expunge_all()
        done += len(uuids)
        yield done


def store_again(
    session: Session, articles: Sequence[Article], prepared: Mapping[UUID, Prepared] = NOTHING_PREPARED
) -> None:
    """Store what is derived from the articles; record those whose JSON was missing or differs."""
    rendered = render_articles(articles, prepared)
    differing = {article.uuid for article in find_differing(session, rendered)}
    for article in articles:
        if article.uuid in differing:
            states.record_rendering(article, What.RENDERED)
    store_articles(session, rendered)


def find_differing(session: Session, articles: Collection[RenderedArticle]) -> list[RenderedArticle]:
    """Return the articles whose stored JSON is missing or differs from a new rendering."""
    is_one = _json.c.article_id.in_([article.uuid for article in articles])
    rows = _execute(session, select(_json).where(is_one)).mappings()
    stored = {row["article_id"]: dict(row) for row in rows}
    return [article for article in articles if stored.get(article.uuid) != article.row]


def store_writes(session: Session, writes: Collection[Write]) -> None:
    """Store what is derived from articles whose rows are stored."""
    prepared = {write.article.uuid: write.prepared for write in writes if write.prepared is not None}
    new = [write.article for write in writes if write.former is None]
    changed = [write for write in writes if write.former is not None]
    plain_texts = {write.article.uuid: write.find_plain_text() for write in changed}
    rendered = [write.article for write in changed if plain_texts[write.article.uuid] is None]
    store_articles(session, render_articles([*new, *rendered], prepared), new={one.uuid for one in new})
    _update_articles(
        session, [(write, text) for write in changed if (text := plain_texts[write.article.uuid]) is not None]
    )


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
    """Return the statement that stores complete rows; another program can have deleted that of an article."""
    statement = insert_or_update(dialect, _json)
    columns = {name: column for name, column in statement.excluded.items() if name != "article_id"}
    stored: Executable = statement.on_conflict_do_update(index_elements=["article_id"], set_=columns)
    return stored


def render_articles(
    articles: Iterable[Article], prepared: Mapping[UUID, Prepared] = NOTHING_PREPARED
) -> list[RenderedArticle]:
    """Return the articles with their derived fields; one statement finds the files of all articles."""
    rendered = [RenderedArticle(article, prepared.get(article.uuid)) for article in articles]
    files = find_files(article.text for article in rendered)
    for article in rendered:
        article.known_files = files
    return rendered


def _make_row(article: Article | RenderedArticle, schema: PageFieldsSchema) -> dict[str, Any]:
    """Return those columns of ArticleJson with the fields of the schema, and those that are no JSON."""
    values = {f"{name}_json": web_json.to_json_bytes(value) for name, value in schema.dump(article).items()}
    names = ("category_id", "status", "published_at", "version")
    return {"article_id": article.uuid, **{name: getattr(article, name) for name in names}, **values}


def get_search_text(article: Article, plain_text: str) -> SearchText:
    """Return what searches find of an article; `plain_text` is its content."""
    others = search_texts.join_texts((getattr(article, name) for name in SEARCHED_NAMES), article.custom)
    return SearchText(article.uuid, get_listed_from(article), article.title, others, plain_text)


def index_again(session: Session, articles: Sequence[Article]) -> None:
    """Store the words again that searches find in articles whose content is unchanged."""
    texts = search_texts.read_texts(session.connection(), [article.uuid for article in articles])
    rows = [
        SearchText(article.uuid, get_listed_from(article), *texts[article.uuid])
        for article in articles
        if article.uuid in texts
    ]
    index_articles(session, rows)


def _update_articles(session: Session, writes: Sequence[tuple[Write, str]]) -> None:
    """Update the stored JSON and the search entries of articles, whose plain text is unchanged."""
    if not writes:
        return
    rows = [_make_row(write.article, _WRITTEN_SCHEMA) for write, _ in writes]
    _execute(session, _UPDATE_JSON, [{"key": row.pop("article_id"), **row} for row in rows])
    indexed = [(write.article, text) for write, text in writes if write.has_changed(*_INDEXED_COLUMNS)]
    index_articles(session, [get_search_text(*one) for one in indexed])


def _execute(session: Session, statement: Executable, rows: Any = None) -> CursorResult[Any]:
    # This bypasses the session, which would look for entities to synchronize.
    return session.connection().execute(statement, rows)
