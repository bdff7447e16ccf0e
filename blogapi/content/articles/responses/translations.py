"""Translations: public articles, or public pages, with the same translation key.

They are found when an article is read, because they depend on other articles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, func, select

from blogapi.content.articles import page_tree
from blogapi.content.articles.models import Article
from blogapi.content.taxonomies.categories import Category
from blogapi.parsing import normalize_language
from blogapi.publication.visibility import ItemType, match_listed_articles, match_listed_pages
from blogapi.site import addresses, page_paths
from blogapi.site.models import Site
from blogapi.storage.database import current_time, db, split_values, table_of

# The maximum number of translations of an article; a site has at most as many languages.
MAX_TRANSLATIONS = 100

_article, _category = table_of(Article).c, table_of(Category).c
_KEYS: Any = bindparam("keys", expanding=True)


@dataclass(frozen=True, slots=True)
class Translation:
    """A public article or page in a language; `url` is None if the site has no address.

    `is_site_language` is whether the item is in the language of the site.
    """

    uuid: UUID
    slug: str
    language: str
    url: str | None
    robots: str = ""
    is_site_language: bool = False


def find_translations(
    site: Site, keys: Iterable[str], type_: str = ItemType.ARTICLE.value
) -> Mapping[str, Sequence[Translation]]:
    """Return the public articles, or pages, with these keys, by key and in the order of their languages.

    An empty key has no translations, and any other key has at most MAX_TRANSLATIONS.
    """
    by_key, own = defaultdict[str, list[Translation]](list), normalize_language(site.language)
    tree: Mapping[UUID, page_paths.PageNode] = {}
    for batch in split_values(sorted({*keys} - {""})):
        rows = db.session.execute(_SELECT_BY_TYPE[type_], {"keys": batch, "now": current_time()}).all()
        if rows and type_ == ItemType.PAGE:
            tree = tree or page_tree.read_tree()
        for row in rows:
            language, url = row.language or own, _make_translation_url(site, row, tree)
            found = Translation(row.uuid, row.slug, language, url, row.robots, language == own)
            by_key[row.translation_key].append(found)
    for translations in by_key.values():
        translations.sort(key=lambda one: one.language)
    return by_key


def choose_alternates(uuid: UUID, translations: Sequence[Translation]) -> Sequence[Translation]:
    """Return the translations that search engines may show beside an article, one for each language.

    The list includes the article itself. It is empty unless the article is public in several languages. The
    translation in the language of the site is also used for all other languages (`x-default`).
    """
    shown = [one for one in translations if not one.robots]
    chosen = {one.language: one for one in shown if one.url}
    own = [one for one in shown if one.uuid == uuid]
    chosen |= {one.language: one for one in own}
    defaults = [replace(one, language="x-default") for one in chosen.values() if one.is_site_language]
    return [*chosen.values(), *defaults] if own and len(chosen) > 1 else []


def _make_translation_url(site: Site, row: Any, tree: Mapping[UUID, page_paths.PageNode]) -> str | None:
    if row.category_slug is not None:
        return addresses.make_row_url(site, row)
    if not site.url:
        return None
    return site.url + page_paths.make_path(site, row.uuid, row.slug, row.parent_id, tree, row.language)


def _select_translations(type_: str) -> Select[*tuple[Any, ...]]:
    columns = ("translation_key", "uuid", "slug", "language", "published_at", "parent_id", "robots")
    is_public = match_listed_articles(_article) if type_ == ItemType.ARTICLE else match_listed_pages(_article)
    order = (_article.language, _article.published_at, _article.uuid)
    place = func.row_number().over(partition_by=_article.translation_key, order_by=order).label("place")
    found = (
        select(*(_article[name] for name in columns), _article.category_id, place)
        .where(_article.translation_key != "", _article.translation_key.in_(_KEYS), is_public)
        .subquery()
    )
    return (
        select(found, _category.slug.label("category_slug"))
        .outerjoin(Category.__table__, _category.uuid == found.c.category_id)
        .where(found.c.place <= MAX_TRANSLATIONS)
        .order_by(found.c.place)
    )


_SELECT_BY_TYPE = {type_.value: _select_translations(type_) for type_ in ItemType}
