"""The items that a response with a single article shows, for the cache tags of the response."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import bindparam, literal, select, union_all

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.articles.responses import article_links, neighbours
from blogapi.content.authors.models import Author
from blogapi.content.categories.models import Category
from blogapi.content.tags.models import Tag
from blogapi.content.taxonomies.hierarchy import find_parents
from blogapi.publication.shared_caching import Shown
from blogapi.storage.database import db, table_of

_article, _tag = table_of(Article).c, table_of(ArticleTag).c
_author = table_of(ArticleAuthor).c

_SELECT_TERMS = union_all(
    select(literal(Category.kind).label("kind"), _article.category_id).where(
        _article.uuid == bindparam("uuid")
    ),
    select(literal(Tag.kind), _tag.tag_id).where(_tag.article_id == bindparam("uuid")),
    select(literal(Author.kind), _author.author_id).where(_author.article_id == bindparam("uuid")),
)
_SELECT_KEY = select(_article.translation_key).where(_article.uuid == bindparam("uuid"))


def find_shown(uuid: UUID, names: Sequence[str] | None) -> Shown:
    """Return what a response with these fields of an article shows: the article, its terms and its links.

    With a field of `neighbours.FIELDS`, it shows all articles, because any of them can become a neighbour.
    """
    items = defaultdict[str, list[UUID]](list, {Article.kind: [uuid]})
    for kind, term in db.session.connection().execute(_SELECT_TERMS, {"uuid": uuid}):
        items[kind].append(term)
    if names is not None and "html" in names:
        for kind, linked in article_links.find_shown(uuid).items():
            items[kind] += sorted(linked - {*items[kind]})
    if names is not None and "head" in names:
        parents = find_parents(Category, items[Category.kind])
        items[Category.kind] += sorted({UUID(one["uuid"]) for chain in parents.values() for one in chain})
    shows_others = names is not None and not {*names}.isdisjoint(neighbours.FIELDS)
    if names is not None and not {"head", "translations"}.isdisjoint(names):
        # Any other article can become a translation.
        shows_others = shows_others or bool(db.session.connection().scalar(_SELECT_KEY, {"uuid": uuid}))
    return Shown((Article.kind,) if shows_others else (), items)
