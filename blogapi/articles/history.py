"""Adds versions to the history of an article."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from blogapi.articles import custom_values, queries
from blogapi.articles.content import ArticleContent, default_seo
from blogapi.articles.fields import TEXT_DEFAULTS, TEXT_NAMES
from blogapi.articles.models import Article, ArticleRevision, WorkingCopy
from blogapi.articles.schemas import SeoBodySchema
from blogapi.media import uses
from blogapi.publication.visibility import ItemType
from blogapi.storage.database import db


def get_content(article: Article) -> ArticleContent:
    """Return the content of an article, which is everything that an author writes."""
    seo = article.seo
    return ArticleContent(
        texts={name: getattr(article, name) for name in TEXT_NAMES},
        slug=article.slug,
        status=article.status,
        published_at=article.published_at,
        category=article.category_id,
        tags=tuple(link.tag_id for link in article.tag_links),
        authors=tuple(link.author_id for link in article.author_links),
        seo={name: getattr(seo, name) for name in SeoBodySchema._declared_fields},
        custom=article.custom,
        type=article.type,
        parent=article.parent_id,
        position=article.position,
    )


def dump_content(content: ArticleContent) -> str:
    """Return the content as JSON, which revisions and working copies store."""
    return json.dumps(content.flatten(), default=_to_text, ensure_ascii=False)


def _to_text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def parse_content(text: str) -> ArticleContent:
    """Return the content from its JSON.

    A text field that did not exist when the JSON was stored gets its default value.
    """
    stored = json.loads(text)
    published_at = stored["published_at"]
    return ArticleContent(
        texts={name: stored.get(name, text) for name, text in TEXT_DEFAULTS.items()},
        slug=stored["slug"],
        status=stored["status"],
        published_at=published_at and datetime.fromisoformat(published_at),
        category=_parse_uuid(stored["category"]),
        tags=tuple(UUID(tag) for tag in stored["tags"]),
        authors=tuple(UUID(author) for author in stored.get("authors", ())),
        seo=stored["seo"],
        custom=custom_values.dump(stored.get("custom", {})),
        # Versions that are older than migration 0027 have no place.
        type=stored.get("type", ItemType.ARTICLE.value),
        parent=_parse_uuid(stored.get("parent")),
        position=stored.get("position", 0),
    )


def _parse_uuid(text: str | None) -> UUID | None:
    return UUID(text) if text else None


def complete_edits(edits: ArticleContent, article: ArticleContent) -> ArticleContent:
    """Return the content that the article would have if the edits of its working copy were published.

    An empty slug stands for the slug of the article, and an empty SEO field for the derived text. A field
    that the author of the article left empty on purpose stays empty.
    """
    before, after = default_seo(article.texts), default_seo(edits.texts)
    seo = {
        name: text or ("" if before[name] and not article.seo[name] else after[name])
        for name, text in edits.seo.items()
    }
    return ArticleContent(
        texts=edits.texts,
        slug=edits.slug or article.slug,
        status=article.status,
        published_at=article.published_at,
        category=edits.category,
        tags=edits.tags,
        authors=edits.authors or article.authors,
        seo=seo,
        custom=edits.custom,
        type=article.type,
        parent=article.parent,
        position=article.position,
    )


def keep_former(article: Article, content: ArticleContent, last_number: int) -> int:
    """Add the current version of the article, which a write replaces, to the history.

    `last_number` is the highest number in the history, or 0. It is higher than that of the current version
    if versions were added without a write, and the current version may be one of them. Returns the highest
    number in the history after that.
    """
    if last_number < article.version or _find(article.uuid, article.version) is None:
        _add(article, content, number=article.version, user=article.editor_id, created=article.last_updated)
    return max(article.version, last_number)


def name_current(article: Article, name: str) -> ArticleRevision:
    """Name the current version of the article, and add it to the history unless it is there already."""
    revision = _find(article.uuid, article.version) or _add(
        *(article, get_content(article)),
        number=article.version,
        user=article.editor_id,
        created=article.last_updated,
    )
    revision.name = name
    return revision


def add_version(
    article: Article, content: ArticleContent, *, user: UUID, created: datetime, name: str = ""
) -> ArticleRevision:
    """Add a version to the history whose content differs from that of the article."""
    last_number = queries.get_last_revision_numbers([article.uuid]).get(article.uuid, 0)
    number = max(article.version, last_number) + 1
    revision = _add(article, content, number=number, user=user, created=created, name=name)
    uses.add_former_uses(db.session(), article.uuid, revision.content)
    return revision


def keep_working_copies(uuids: Sequence[UUID]) -> None:
    """Move the working copies of these articles to their history; delete those that change nothing."""
    copies = queries.find_working_copies(uuids)
    for uuid, article in queries.find_by_uuids(list(copies)).items():
        copy, content = copies[uuid], get_content(article)
        edits = complete_edits(parse_content(copy.content), content)
        if edits != content:
            add_version(article, edits, user=copy.user_id, created=copy.last_updated)
        delete_working_copy(copy)


def delete_working_copy(copy: WorkingCopy) -> None:
    """Delete the working copy and its uses of files."""
    uses.store_working_copy_uses(db.session(), copy.article_id, "")
    db.session.delete(copy)


def _find(article_id: UUID, number: int) -> ArticleRevision | None:
    return db.session.get(ArticleRevision, (article_id, number))


def _add(
    article: Article,
    content: ArticleContent,
    *,
    number: int,
    user: UUID,
    created: datetime,
    name: str = "",
) -> ArticleRevision:
    revision = ArticleRevision(
        article_id=article.uuid,
        number=number,
        author_id=article.author_id,
        user_id=user,
        created=created,
        content=dump_content(content),
        name=name,
    )
    db.session.add(revision)
    return revision
