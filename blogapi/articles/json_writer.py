"""Renders and stores the JSON of articles, in the transaction of each write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import (
    CursorResult,
    Executable,
    bindparam,
    delete,
    exists,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy import event as events
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from blogapi.articles import author_visibility, queries, renderings, states
from blogapi.articles.fields import SEARCHED_NAMES
from blogapi.articles.json_reader import FRAGMENT_FIELDS, RENDERED_FIELDS
from blogapi.articles.models import Article, ArticleJson, ArticleStats, Seo
from blogapi.articles.renderer_version import get_renderer_version
from blogapi.articles.schemas import ArticleFieldsSchema
from blogapi.config import CannotStart
from blogapi.media import uses
from blogapi.media.addresses import HASH_PREFIX, PATH
from blogapi.media.html_pictures import HtmlResolver, make_cover
from blogapi.media.models import MediaPath, MediaUse
from blogapi.media.references import NO_FILES, File, KnownFiles, Text, find_files
from blogapi.publication.events import What
from blogapi.publication.visibility import LISTED_STATUSES, get_readable_from, has_listed_status
from blogapi.rendering.renderer import RenderedContent
from blogapi.search import service as search
from blogapi.search.service import SearchText
from blogapi.storage import transaction_info, upgrades, version_check
from blogapi.storage.database import db, table_of, transaction
from blogapi.storage.version_check import NewerSchema
from blogapi.web import json as web_json
from blogapi.web import json_fragments
from blogapi.web.fields import WithAttributes
from blogapi.web.json_fragments import SERVICE_ADDRESS

_SCHEMA = ArticleFieldsSchema(only=FRAGMENT_FIELDS)
_RENDERED_SCHEMA = ArticleFieldsSchema(only=RENDERED_FIELDS)
_json, _stats, _use = table_of(ArticleJson), table_of(ArticleStats), table_of(MediaUse)


# These statements are built once, because building a statement takes longer than executing it.
_has_uuid = _json.c.article_id.in_(bindparam("uuids", expanding=True))
_SELECT_FIELDS = select(_json.c.article_id, _json.c.fields).where(_has_uuid)
_SELECT_HTML = select(_json.c.article_id, _json.c.html).where(_has_uuid)
_INSERT_JSON = insert(_json)
_DELETE_JSON = (
    delete(_json)
    .where(_has_uuid)
    .returning(
        _json.c.article_id,
        exists()
        .where(_use.c.kind == uses.ARTICLE, _use.c.item_id == _json.c.article_id, _use.c.current)
        .correlate(_json)
        .label("has_uses"),
    )
)
_INCREASE_PUBLISHED = update(_stats).values(published=_stats.c.published + bindparam("increase"))
_UPDATE_JSON = update(_json).where(_json.c.article_id == bindparam("key"))

# The rendering depends on _RENDERED_COLUMNS, and _COMPUTED_FIELDS are computed from it. The search entry
# depends on the rendering and on _INDEXED_COLUMNS.
_RENDERED_COLUMNS = ("content", "content_type", "excerpt")
_COMPUTED_FIELDS = ("excerpt", "reading_minutes", "cover")
_INDEXED_COLUMNS = ("title", *SEARCHED_NAMES, "status", "published_at")

_RENDERED_ATTRIBUTES = ("plain_text", "reading_minutes", "word_count", "toc")

# Matches the path of a file in stored HTML, without its name.
_STORED_PATH = re.compile(f"{SERVICE_ADDRESS}(?P<path>{HASH_PREFIX})".encode())

# The key of the articles that the transaction renders again although their content is the same.
_INFO_KEY = "articles-to-render"

# The number of articles that one transaction renders. The number is small, so that other writers wait only
# briefly.
_BATCH_SIZE = 200


class RenderedArticle(WithAttributes):
    """An article together with the fields that are derived from its content and from the files that it uses.

    Several articles share `known_files`, so that one statement finds the files of all.
    """

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the rendered content, or of the article."""
        return getattr(self._rendering, name) if name in _RENDERED_ATTRIBUTES else super().__getattr__(name)

    @cached_property
    def _rendering(self) -> RenderedContent:
        return renderings.get_rendering(self.content, self.content_type)

    @property
    def text(self) -> Text:
        """The text that can refer to files."""
        return Text(self.uuid, self._rendering.html, (self.cover_image, self.seo.og_image))

    @cached_property
    def known_files(self) -> KnownFiles:
        """The files to which the article refers."""
        return find_files([self.text])

    @cached_property
    def _resolver(self) -> HtmlResolver:
        return HtmlResolver(self.uuid, self.known_files)

    @cached_property
    def html(self) -> str:
        """The content as sanitised HTML; the addresses of files begin with SERVICE_ADDRESS_MARK."""
        return self._resolver.resolve(self._rendering.html)

    @cached_property
    def cover(self) -> WithAttributes | None:
        """The cover if it is an image of the media library."""
        file = self._resolver.find(self.cover_image)
        return make_cover(file) if file is not None and file.width else None

    def find_uses(self) -> Mapping[UUID, File]:
        """Return the files that the article uses, by uuid."""
        self._resolver.find(self.cover_image)
        self._resolver.find(self.seo.og_image)
        # Rendering the HTML finds the files in it.
        assert self.html is not None
        return self._resolver.used

    @cached_property
    def excerpt(self) -> str:
        """The written excerpt, or the beginning of the content as plain text."""
        written: str = super().__getattr__("excerpt")
        return written or self._rendering.excerpt

    @cached_property
    def row(self) -> dict[str, Any]:
        """The columns of the article's row in ArticleJson, by name."""
        rendered = json_fragments.to_fragments(_RENDERED_SCHEMA.dump(self))
        return {
            **_make_short_row(self),
            "content": f'"content":{web_json.to_json(self.content)}'.encode(),
            "html": rendered.encode(),
        }


def init_app(app: Flask) -> None:
    """Listen to every flush of the session, and render all articles again after an update.

    The stored version shows whether other code, or another version of a library, rendered the articles.
    """
    if not events.contains(db.session, "after_flush", _store_written):
        events.listen(db.session, "after_flush", _store_written)
        # The JSON is stored for the articles that this listener adds to the flush.
        events.listen(db.session, "before_flush", _render_with_paths, insert=True)
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
    json_fragments.store_all(_BATCH_SIZE)
    with transaction():
        db.session.execute(update(ArticleStats).values(published=count_published()))
    last, done = UUID(int=0), 0
    while True:
        statement = select(Article).where(Article.uuid > last).order_by(Article.uuid).limit(_BATCH_SIZE)
        batch = db.session.scalars(statement).all()
        if not batch:
            return
        last, done = batch[-1].uuid, done + len(batch)
        renderings.prepare((article.content, article.content_type) for article in batch)
        with transaction():
            # The articles are read again, because another write may have changed or deleted some of them.
            present = queries.find_by_uuids([article.uuid for article in batch])
            store_again(db.session(), list(present.values()))
        db.session.expunge_all()
        yield done


def store_again(session: Session, articles: Sequence[Article]) -> None:
    """Store what is derived from the articles; record those whose JSON was missing or differs."""
    rendered = render_articles(articles)
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


def count_published() -> int:
    """Return the number of articles with a listed status.

    ArticleStats should contain the same number.
    """
    return db.session.query(Article).where(has_listed_status(Article)).count()


def store_articles(session: Session, rendered: Sequence[RenderedArticle]) -> None:
    """Store the JSON and the uses of files of the articles, and index their words."""
    if rendered:
        deleted = _execute(session, _DELETE_JSON, {"uuids": [article.uuid for article in rendered]}).all()
        with_uses = {row.article_id for row in deleted if row.has_uses}
        _execute(session, _INSERT_JSON, [article.row for article in rendered])
        used = {article.uuid: article.find_uses() for article in rendered}
        _store_uses(session, {uuid: files for uuid, files in used.items() if files or uuid in with_uses})
        search.index_articles(session, [get_search_text(article, article.plain_text) for article in rendered])


def _store_new(session: Session, articles: Sequence[Article]) -> None:
    """Store the JSON and the search entries of articles that were inserted by the current flush."""
    rendered = render_articles(articles)
    if rendered:
        _execute(session, _INSERT_JSON, [article.row for article in rendered])
        used = {article.uuid: files for article in rendered if (files := article.find_uses())}
        _store_uses(session, used, new=used)
        search.add_articles(session, [get_search_text(article, article.plain_text) for article in rendered])


def render_articles(articles: Iterable[Article]) -> list[RenderedArticle]:
    """Return the articles with their derived fields; one statement finds the files of all articles."""
    rendered = [RenderedArticle(article) for article in articles]
    files = find_files(article.text for article in rendered)
    return [RenderedArticle(article, known_files=files) for article in rendered]


def _store_uses(
    session: Session, used: Mapping[UUID, Mapping[UUID, File]], *, new: Collection[UUID] = ()
) -> None:
    if used:
        uses.store_article_uses(session, used, new=new)


def _make_short_row(article: RenderedArticle) -> dict[str, Any]:
    return {
        "article_id": article.uuid,
        "category_id": article.category_id,
        "status": article.status,
        "published_at": article.published_at,
        "version": article.version,
        "fields": json_fragments.to_fragments(_SCHEMA.dump(article)).encode(),
    }


def get_search_text(article: Article | RenderedArticle, plain_text: str | None) -> SearchText:
    """Return what searches find of an article; `plain_text` is its content, or None if it is unchanged."""
    others = filter(None, (getattr(article, name) for name in SEARCHED_NAMES))
    return SearchText(article.uuid, get_readable_from(article), article.title, "\n".join(others), plain_text)


def _update_articles(session: Session, articles: Sequence[Article]) -> list[Article]:
    """Update the stored JSON and the search entries of articles whose content is unchanged.

    Returns the articles without stored JSON, which it does not update.
    """
    if not articles:
        return []
    uuids = [article.uuid for article in articles]
    stored = {row.article_id: row.fields for row in _execute(session, _SELECT_FIELDS, {"uuids": uuids})}
    found = [article for article in articles if article.uuid in stored]
    with_files = _update_uses(session, [article for article in found if _has_other_files(article)])
    rows = []
    for article in found:
        fields = json_fragments.parse_fragments(stored[article.uuid].decode())
        computed = {name: fields[name] for name in _COMPUTED_FIELDS}
        if _has_changed(article, ["cover_image"]):
            computed["cover"] = RenderedArticle(article, known_files=with_files).cover
        row = _make_short_row(RenderedArticle(article, **computed))
        rows.append({"key": row.pop("article_id"), **row})
    if rows:
        _execute(session, _UPDATE_JSON, rows)
    indexed = [article for article in found if _has_changed(article, _INDEXED_COLUMNS)]
    search.index_articles(session, [get_search_text(article, None) for article in indexed])
    return [article for article in articles if article.uuid not in stored]


def _has_other_files(article: Article) -> bool:
    """Return whether the write has changed an address of a picture from or to a file of the library."""
    pictures = inspect(article).attrs.cover_image, inspect(article.seo).attrs.og_image
    for history in (picture.history for picture in pictures):
        if any(PATH.fullmatch(address or "") for address in (*history.added, *history.deleted)):
            return True
    return False


def _update_uses(session: Session, articles: Sequence[Article]) -> KnownFiles:
    """Store the uses of articles whose pictures but not whose content changed; return their files."""
    if not articles:
        return NO_FILES
    stored = _execute(session, _SELECT_HTML, {"uuids": [article.uuid for article in articles]})
    html = {row.article_id: row.html for row in stored}
    texts = {}
    for article in articles:
        # The name of a file is not a part of its identity.
        found = _STORED_PATH.finditer(html.get(article.uuid, b""))
        paths = [f"{match['path'].decode()}name" for match in found]
        texts[article.uuid] = Text(article.uuid, "", (article.cover_image, article.seo.og_image, *paths))
    files = find_files(texts.values())
    used: dict[UUID, Mapping[UUID, File]] = {}
    for uuid, text in texts.items():
        resolver = HtmlResolver(uuid, files)
        for address in text.addresses:
            resolver.find(address)
        used[uuid] = resolver.used
    _store_uses(session, used)
    return files


def _execute(session: Session, statement: Executable, rows: Any = None) -> CursorResult[Any]:
    # This bypasses the session, which would look for entities to synchronize.
    return session.connection().execute(statement, rows)


def render_again(session: Session, articles: Iterable[Article]) -> None:
    """Render the articles, whose files have changed, in a flush of the session, and log them as changed."""
    forced: set[UUID] = transaction_info.get_info(session).setdefault(_INFO_KEY, set())
    for article in articles:
        forced.add(article.uuid)
        states.record_rendering(article, What.UPDATED)
        # The row is written with its own value.
        flag_modified(article, "last_updated")


def _render_with_paths(session: Session, context: Any, instances: Any) -> None:
    """Render the articles whose paths of files change, unless the flush inserts them."""
    paths = [row for row in (*session.new, *session.deleted) if isinstance(row, MediaPath)]
    if paths:
        inserted = {row.uuid for row in session.new if isinstance(row, Article)}
        uuids = {row.article_id for row in paths} - inserted
        found = (session.get(Article, uuid) for uuid in sorted(uuids))
        render_again(session, [article for article in found if article is not None])


def _store_written(session: Session, context: Any) -> None:
    with session.no_autoflush:
        written = _written_articles(session)
        inserted, forced = session.new, transaction_info.get_info(session).pop(_INFO_KEY, ())
        new, rendered, unchanged = [], [], []
        for article in written:
            if article in inserted:
                new.append(article)
            elif article.uuid in forced or _has_changed(article, _RENDERED_COLUMNS):
                rendered.append(article)
            else:
                unchanged.append(article)
        _store_new(session, new)
        store_articles(session, render_articles([*rendered, *_update_articles(session, unchanged)]))
        uses.end_article_uses(session, [row.uuid for row in session.deleted if isinstance(row, Article)])
        _update_stats(session)


def _has_changed(article: Article, columns: Sequence[str]) -> bool:
    attributes = inspect(article).attrs
    return any(attributes[column].history.has_changes() for column in columns)


def _written_articles(session: Session) -> list[Article]:
    """Return the new and changed articles, and those whose SEO record is new or changed."""
    rows = [*session.new, *(row for row in session.dirty if session.is_modified(row))]
    found = {row.uuid: row for row in rows if isinstance(row, Article)}
    for row in rows:
        if isinstance(row, Seo) and row.article_id not in found:
            found[row.article_id] = session.get_one(Article, row.article_id)
    return list(found.values())


def _update_stats(session: Session) -> None:
    increase = sum(row.status in LISTED_STATUSES for row in session.new if isinstance(row, Article))
    increase -= sum(_was_listed(row) for row in session.deleted if isinstance(row, Article))
    for row in session.dirty:
        if isinstance(row, Article):
            increase += (row.status in LISTED_STATUSES) - _was_listed(row)
    if increase:
        _execute(session, _INCREASE_PUBLISHED, {"increase": increase})


def _was_listed(article: Article) -> bool:
    former = inspect(article).attrs.status.history.deleted
    return (former[0] if former else article.status) in LISTED_STATUSES
