"""Links to other articles, `article:<uuid>`, whose addresses are found at each read.

An address depends on the slug, the category and the time of the other article and on the site. It is known
only while readers can see that article, which for a scheduled one begins without a write, so the stored HTML
keeps the reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, select

from blogapi.articles.models import Article
from blogapi.categories.models import Category
from blogapi.publication.visibility import readable
from blogapi.rendering.article_references import REFERENCE
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import chunk, current_time, db, table_of

# A link in sanitized HTML, which quotes each value and contains no link in another one. The HTML can be part
# of JSON, which escapes the quotation marks.
_LINK = re.compile(
    rb'<a(?= )(?>([^<>]*?) href=(\\?")%s(#[^"\\<>]*+)?\2)([^<>]*+)>((?:[^<]++|<(?!/?a[ >]))*+)</a>'
    % REFERENCE.pattern.encode()
)
_MARK = b"article:"

_article, _category = table_of(Article).c, table_of(Category).c
_SELECT_READABLE = (
    select(
        _article.uuid,
        _article.slug,
        _category.slug.label("category_slug"),
        _article.published_at,
    )
    .outerjoin(Category.__table__, _category.uuid == _article.category_id)
    .where(_article.uuid.in_(bindparam("uuids", expanding=True)), readable(_article))
)
_SELECT_CONTENT = select(_article.content).where(
    _article.uuid == bindparam("uuid"), _article.content.contains(_MARK.decode())
)
_SELECT_CATEGORIES = select(_article.category_id).where(_article.uuid.in_(bindparam("uuids", expanding=True)))


def resolve(texts: Sequence[bytes]) -> list[bytes]:
    """Return the texts, which contain sanitized HTML, with addresses in place of references to articles.

    A link to an article that readers cannot see becomes its text. Without references, no statement is
    executed.
    """
    uuids = {UUID(match[3].decode()) for text in texts if _MARK in text for match in _LINK.finditer(text)}
    if not uuids:
        return list(texts)
    urls = _find_urls(uuids)

    def replace(link: re.Match[bytes]) -> bytes:
        before, quote, uuid, fragment, after, text = link.groups(b"")
        url = urls.get(UUID(uuid.decode()))
        return (
            text
            if url is None
            else b"<a%b href=%b%b%b%b%b>%b</a>" % (*(before, quote, url, fragment, quote, after, text),)
        )

    return [_LINK.sub(replace, text) if _MARK in text else text for text in texts]


def find_mentioned(text: str) -> set[UUID]:
    """Return the uuids of the articles to which a text refers anywhere, including in code."""
    return {UUID(uuid) for uuid in REFERENCE.findall(text)}


def find_shown(uuid: UUID) -> tuple[set[UUID], set[UUID]]:
    """Return the articles to which an article refers, and their categories: both change its HTML."""
    connection = db.session.connection()
    content = connection.scalar(_SELECT_CONTENT, {"uuid": uuid})
    linked = find_mentioned(content or "")
    categories = {
        category
        for some in chunk(linked)
        for category in connection.scalars(_SELECT_CATEGORIES, {"uuids": some})
    }
    return linked, categories


def _find_urls(uuids: Iterable[UUID]) -> dict[UUID, bytes]:
    """Return the addresses of those of the articles that readers can see, as HTML in JSON contains them."""
    site, now = get_site(), current_time()
    return {
        row.uuid: json.dumps(escape(site.url + _make_path(site, row)))[1:-1].encode()
        for some in chunk(sorted(uuids))
        for row in db.session.connection().execute(_SELECT_READABLE, {"uuids": some, "now": now})
    }


def _make_path(site: Site, row: Any) -> str:
    return addresses.make_article_path(
        site,
        uuid=row.uuid,
        slug=row.slug,
        category_slug=row.category_slug,
        published_at=row.published_at,
    )
