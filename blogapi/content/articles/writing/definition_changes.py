"""The functions of articles that the package `custom_fields` calls; see `custom_fields.articles`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import null, select, union_all

from blogapi.content.articles import queries
from blogapi.content.articles.models import Article
from blogapi.content.articles.permissions import visible_to_caller
from blogapi.content.articles.writing import json_writer
from blogapi.storage.database import chunk, db, table_of

_article = table_of(Article).c


def resolve(references: Collection[UUID | str]) -> Mapping[UUID | str, UUID]:
    """Return the uuid of the item for each uuid, and for each slug of an item that the caller may see."""
    slugs, uuids = ([one for one in references if isinstance(one, kind)] for kind in (str, UUID))
    by_slug = select(_article.uuid, _article.slug).where(_article.slug.in_(slugs), visible_to_caller())
    by_uuid = select(_article.uuid, null()).where(_article.uuid.in_(uuids))
    rows = db.session.execute(union_all(by_slug, by_uuid))
    return {slug or uuid: uuid for uuid, slug in rows}


def update_derived_data(name: str) -> None:
    """Update the search words of all articles that have a value for the custom field `name`."""
    # The field may have no definition any more.
    has_value = _article.custom.contains(f'"{name}":', autoescape=True)
    for uuids in chunk(db.session.scalars(select(_article.uuid).where(has_value)).all()):
        articles = queries.find_articles(uuids).values()
        json_writer.index_again(db.session(), list(articles))
