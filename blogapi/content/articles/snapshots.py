"""The content of an article as one object, and as the JSON that versions and working copies store."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from blogapi.content.articles.article_content import ArticleContent, make_default_seo
from blogapi.content.articles.fields import TERM_LIST_FIELDS, TERM_LIST_NAMES, TEXT_DEFAULTS, TEXT_NAMES
from blogapi.content.articles.models import Article
from blogapi.content.articles.schemas import SeoBodySchema
from blogapi.content.custom_fields import custom_values
from blogapi.publication.visibility import ItemType


def get_content(article: Article) -> ArticleContent:
    """Return the content of an article, which is everything that an author writes."""
    return ArticleContent(
        texts={name: getattr(article, name) for name in TEXT_NAMES},
        slug=article.slug,
        status=article.status,
        published_at=article.published_at,
        category=article.category_id,
        **{
            field.name: tuple(link.term_id for link in getattr(article, field.relation))
            for field in TERM_LIST_FIELDS
        },
        seo={name: getattr(article, f"seo_{name}") for name in SeoBodySchema._declared_fields},
        custom=article.custom,
        type=article.type,
        parent=article.parent_id,
        position=article.position,
    )


def dump_content(content: ArticleContent) -> str:
    """Return the content as JSON, which revisions and working copies store."""
    return json.dumps(content.to_flat_dict(), default=_serialize_value, ensure_ascii=False)


def _serialize_value(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def parse_content(text: str) -> ArticleContent:
    """Return the content that was stored as JSON.

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
        **{name: tuple(UUID(term) for term in stored.get(name, ())) for name in TERM_LIST_NAMES},
        seo=stored["seo"],
        custom=custom_values.dump_values(stored.get("custom", {})),
        # Versions from before migration 0027 have no type, parent and position.
        type=stored.get("type", ItemType.ARTICLE.value),
        parent=_parse_uuid(stored.get("parent")),
        position=stored.get("position", 0),
    )


def _parse_uuid(text: str | None) -> UUID | None:
    return UUID(text) if text else None


def apply_edits(edits: ArticleContent, article: ArticleContent) -> ArticleContent:
    """Return the content that the article would have if the edits of its working copy were published.

    An empty slug stands for the slug of the article, and an empty SEO field for the derived text. An SEO
    field that is empty in the article, although its derived text is not, stays empty.
    """
    before, after = make_default_seo(article.texts), make_default_seo(edits.texts)
    seo = {
        name: text or ("" if before[name] and not article.seo[name] else after[name])
        for name, text in edits.seo.items()
    }
    return replace(
        article,
        texts=edits.texts,
        slug=edits.slug or article.slug,
        category=edits.category,
        tags=edits.tags,
        authors=edits.authors or article.authors,
        seo=seo,
        custom=edits.custom,
    )
