"""Translations: public articles, or public pages, with the same translation key.

They are found when an article is read, because they depend on other articles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, select

from blogapi.articles import page_tree
from blogapi.articles.models import Article
from blogapi.categories.models import Category
from blogapi.publication.visibility import ItemType, listed, listed_pages
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.storage.database import chunk, current_time, db, table_of
from blogapi.web.language import normalize_language

_article, _category = table_of(Article).c, table_of(Category).c
_KEYS: Any = bindparam("keys", expanding=True)


@dataclass(frozen=True, slots=True)
class Translation:
    """A public article or page in a language; `url` is None if the site has no address."""

    uuid: UUID
    slug: str
    language: str
    url: str | None


def find_translations(
    site: Site, keys: Iterable[str], type_: str = ItemType.ARTICLE.value
) -> Mapping[str, Sequence[Translation]]:
    """Return the public articles (or pages, by the type) with these keys, in the order of their languages.

    An empty key has no translations. One statement finds the translations of 1000 keys.
    """
    found = defaultdict[str, list[Translation]](list)
    tree: Mapping[UUID, page_tree.Place] = {}
    for some in chunk(sorted({*keys} - {""})):
        rows = db.session.execute(_SELECT[type_], {"keys": some, "now": current_time()}).all()
        if rows and type_ == ItemType.PAGE:
            tree = tree or page_tree.read_tree()
        for row in rows:
            language = row.language or normalize_language(site.language)
            url = _make_url(site, row, tree)
            found[row.translation_key].append(Translation(row.uuid, row.slug, language, url))
    for translations in found.values():
        translations.sort(key=lambda one: one.language)
    return found


def _make_url(site: Site, row: Any, tree: Mapping[UUID, page_tree.Place]) -> str | None:
    if row.category_slug is not None:
        return addresses.make_row_url(site, row)
    if not site.url:
        return None
    return site.url + page_tree.make_path(site, row.uuid, row.slug, row.parent_id, tree, row.language)


def _select(type_: str) -> Select[*tuple[Any, ...]]:
    columns = ("translation_key", "uuid", "slug", "language", "published_at", "parent_id")
    is_public = listed(_article) if type_ == ItemType.ARTICLE else listed_pages(_article)
    return (
        select(*(_article[name] for name in columns), _category.slug.label("category_slug"))
        .outerjoin(Category.__table__, _category.uuid == _article.category_id)
        .where(_article.translation_key != "", _article.translation_key.in_(_KEYS), is_public)
        .order_by(_article.language, _article.published_at, _article.uuid)
    )


_SELECT = {type_.value: _select(type_) for type_ in ItemType}
