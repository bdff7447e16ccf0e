"""The paths that imported articles had in the former blog, from which this blog redirects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from sqlalchemy import select

from blogapi.content.articles.models import FormerPath
from blogapi.content.taxonomies.categories import Category
from blogapi.delivery.redirects.queries import complete
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.storing.state import ImportState
from blogapi.site.addresses import make_article_url, make_page_path
from blogapi.site.paths import to_former_path, without_slash
from blogapi.site.queries import get_site
from blogapi.storage.database import chunk, current_time, db


class FormerPaths:
    """The former paths of the records of a batch, and the articles that have these paths already."""

    def __init__(self, state: ImportState, records: Sequence[ArticleRecord]) -> None:
        self._state, self._owners = state, dict(state.planned_paths)
        self._new: list[FormerPath] = []
        paths = sorted({path for record in records for path in list_paths(record)})
        self._site = complete(get_site()) if paths else None
        for group in chunk(paths):
            owners = select(FormerPath.path, FormerPath.article_id)
            rows = db.session.execute(owners.where(FormerPath.path.in_(group)))
            self._owners |= {row.path: row.article_id for row in rows}

    def add(self, record: ArticleRecord, article: Any) -> Iterator[str]:
        """Add the paths of a record to its article (or a row of it); yield a sentence about each path that is
        taken.

        The current address of the article is not a former path. A draft has none, because no reader knows its
        address.
        """
        paths = () if record.status == "draft" and not record.exported else list_paths(record)
        times = record.exported.former_paths if record.exported else {}
        current_path = self._get_path(article) if paths else ""
        for path in paths:
            if without_slash(path) == current_path:
                continue
            if path not in self._owners:
                created = times.get(path) or current_time()
                self._new.append(FormerPath(path=path, article_id=article.uuid, created=created))
            if self._owners.setdefault(path, article.uuid) != article.uuid:
                yield f"There is no redirect from “{path}”, which is a former address of another article."

    def store(self) -> None:
        """Store the new paths; the articles are flushed first, because the paths refer to them."""
        db.session.flush()
        db.session.add_all(self._new)
        if self._state.dry_run:
            self._state.planned_paths |= {new.path: new.article_id for new in self._new}

    def _get_path(self, article: Any) -> str:
        assert self._site is not None, "the batch has records with paths"
        if article.category_id is None:
            # The path of a child page is not known before its parents are stored. This does no harm, because
            # the list of redirects leaves out the addresses of pages.
            slugs, language = [article.slug], article.language
            path = make_page_path(self._site, uuid=article.uuid, slugs=slugs, language=language)
            return without_slash(unquote(urlsplit(self._site.url + path).path))
        has_category = "{category}" in self._site.article_path
        category = db.session.get(Category, article.category_id) if has_category else None
        url = make_article_url(
            self._site,
            uuid=article.uuid,
            slug=article.slug,
            category_slug=category.slug if category else "",
            published_at=article.published_at,
            language=article.language,
        )
        return without_slash(unquote(urlsplit(url or "").path))


def list_paths(record: ArticleRecord) -> Sequence[str]:
    """Return the valid paths in the former blog."""
    exported = record.exported
    addresses = record.former_paths if exported is None else map(quote, exported.former_paths)
    return [path for path in dict.fromkeys(map(to_former_path, addresses)) if path]
