"""The endpoint that renders a text as the content of an article."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import marshmallow as ma
from marshmallow import validate

from blogapi.content.articles import page_tree, permissions, queries
from blogapi.content.articles.fields import INPUT_FIELDS, TEXT_DEFAULTS
from blogapi.content.articles.lifecycle import UNSET, Unset, compute_next_state
from blogapi.content.articles.models import Article
from blogapi.content.articles.responses import article_links
from blogapi.content.articles.schemas import HeadingSchema
from blogapi.content.media.file_references import ArticleHtml, find_referenced_files
from blogapi.content.media.html_resolver import HtmlResolver
from blogapi.content.taxonomies.categories import DEFAULT_CATEGORY, Category
from blogapi.content.taxonomies.queries import find_term
from blogapi.publication.visibility import ItemType, Status, get_readable_from, is_readable
from blogapi.rendering import renderer
from blogapi.rendering.slugs import MAX_SLUG_LENGTH, make_slug
from blogapi.site import page_paths
from blogapi.site.addresses import make_article_url
from blogapi.site.queries import get_site
from blogapi.site.served_paths import is_reserved_slug
from blogapi.storage.database import current_time, db
from blogapi.web.access import allow, author, current_caller
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import (
    Fields,
    Identifier,
    InputSchema,
    OutputSchema,
    Reference,
    Text,
    Timestamp,
    WithAttributes,
)
from blogapi.web.unique_slugs import choose_slug, find_free_slug, get_base_slug


class RenderBodySchema(InputSchema):
    """A text to render as the content of an article, and fields that decide the address of the article."""

    content = INPUT_FIELDS["content"]
    content_type = INPUT_FIELDS["content_type"]
    article = Identifier(
        allow_none=True,
        metadata={
            "description": "uuid of the article, which may be new. Relative addresses in the text refer to "
            "the files of an imported article."
        },
    )
    title = Text(max_length="MAX_TITLE")
    slug = Text(max_length=MAX_SLUG_LENGTH, metadata={"description": "Can be empty, as in a working copy."})
    category = Reference(allow_none=True, metadata={"description": "Default: the category of the article."})
    type = ma.fields.String(
        validate=validate.OneOf([type_.value for type_ in ItemType]),
        metadata={
            "description": "The type of a new item, for editors and admins; a stored item keeps its type. "
            "Default: `article`.",
            "example": "article",
        },
    )
    parent = Reference(
        allow_none=True, metadata={"description": "The parent of a page. Default: its current parent."}
    )
    published_at = Timestamp(
        allow_none=True,
        metadata={"description": "Default: the time of a published article, otherwise now.", "example": None},
    )


class RenderingSchema(OutputSchema):
    """A text as readers of an article with this content see it."""

    html = ma.fields.String(metadata={"description": "The text as sanitised HTML."})
    toc = ma.fields.List(ma.fields.Nested(HeadingSchema))
    excerpt = ma.fields.String(metadata={"description": "The generated excerpt."})
    slug = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "The slug that the article has, or gets when it is stored; null without `title`."
        },
    )
    url = ma.fields.String(
        allow_none=True,
        metadata={
            "description": "The address that the page has, or gets when the article is published; null "
            "without `title`, and if the site has no `url`."
        },
    )
    free_slug = ma.fields.String(
        allow_none=True, metadata={"description": "A slug that is free; null for authors."}
    )
    removed = ma.fields.List(
        ma.fields.String(),
        metadata={"description": "The elements that are removed from the HTML.", "example": ["script"]},
    )
    shown_as_text = ma.fields.Boolean(
        metadata={"description": "Whether readers see the text unrendered, because rendering takes too long."}
    )
    word_count = ma.fields.Integer()
    reading_minutes = ma.fields.Integer()


bp = Blueprint(
    "renderings",
    __name__,
    url_prefix="/api/v1/blog/render",
    description="Renderings of texts",
    resource="text",
)


@bp.post("/")
@allow(author)
@bp.arguments(RenderBodySchema)
@bp.response(200, RenderingSchema())
def render(fields: Fields) -> WithAttributes:
    """Render a text as the content of an article or page, and compute its address; store nothing."""
    # Imported here, because the sanitizer needs 4 MB of memory, which servers without writes can save.
    from blogapi.rendering.sanitizer import is_shown_as_text, list_removed_elements

    article: UUID | None = fields.pop("article", None)
    if article is None or not permissions.may_work_on_item(article):
        article = uuid4()
    content = fields.pop("content", "")
    content_type = fields.pop("content_type", TEXT_DEFAULTS["content_type"])
    rendered = renderer.render_text(content, content_type)
    resolver = HtmlResolver(article, find_referenced_files([ArticleHtml(article, rendered.html, ())]))
    slug, url = _predict_address(article, **fields) if fields.get("title", "").strip() else (None, None)
    (html,) = article_links.resolve_links([resolver.resolve_html(rendered.html)])
    # A free slug would reveal the slugs of articles that an author may not see.
    is_provisional = current_caller().gets_provisional_slugs
    find_taken = partial(queries.find_taken_slugs, exclude=article)
    is_reserved = partial(is_reserved_slug, get_site(), fields.get("type", ItemType.ARTICLE.value))
    free = None if is_provisional or not slug else find_free_slug(slug, find_taken, is_reserved)
    removed = list_removed_elements(content, content_type, rendered.html)
    as_text = is_shown_as_text(content, content_type, rendered.html)
    notes = {"removed": removed, "shown_as_text": as_text}
    return WithAttributes(rendered, html=html, slug=slug, free_slug=free, url=url, **notes)


def _predict_address(
    uuid: UUID,
    *,
    title: str,
    slug: str = "",
    category: UUID | str | None = None,
    type: str = ItemType.ARTICLE.value,
    parent: UUID | str | Unset | None = UNSET,
    published_at: datetime | None = None,
) -> tuple[str, str | None]:
    """Return the slug and the address of the article, which may be new.

    The address is None if the site has no address. An empty slug stands for the slug of the article, or for a
    slug derived from the title. If the article is not published yet, the default publication time is now.
    """
    article = db.session.get(Article, uuid)
    base = ""
    if article and not _does_title_change_slug(article, title):
        slug = slug or article.slug
        base = get_base_slug(slug, uuid) or ""
    if current_caller().gets_provisional_slugs:
        # A number appended to a taken slug would reveal the slugs of articles that the author may not see.
        slug = base or slug or make_slug(title)
    elif base or not slug:
        is_reserved = partial(is_reserved_slug, get_site(), article.type if article else type)
        find_taken = partial(queries.find_taken_slugs, exclude=uuid)
        slug = choose_slug(None, base or title, find_taken, is_reserved)
    is_page = (article.type if article else type) == ItemType.PAGE
    if is_page and not current_caller().is_author:
        return slug, _make_page_url(uuid, article, slug, parent)
    stored_category = find_term(Category, str(category)) if category else None
    stored_category = stored_category or (article.category if article else None)
    url = make_article_url(
        get_site(),
        uuid=uuid,
        slug=slug,
        category_slug=stored_category.slug if stored_category else make_slug(DEFAULT_CATEGORY),
        published_at=_predict_publication_time(article, published_at),
        language=article.language if article else "",
    )
    return slug, url


def _make_page_url(uuid: UUID, page: Article | None, slug: str, parent: Any) -> str | None:
    site = get_site()
    if not site.url:
        return None
    language, tree = page.language if page else "", page_tree.read_tree()
    if isinstance(parent, Unset):
        parent = page.parent_id if page else None
    elif isinstance(parent, str):
        parent = page_paths.find_page_by_slug(parent, tree)
    path = page_paths.make_path(site, uuid, slug, parent, tree, language)
    return f"{site.url}{path}"


def _does_title_change_slug(article: Article, title: str) -> bool:
    was_public = article.was_public or is_readable(article, current_time())
    return article.slug_derived and not was_public and article.title != title


def _predict_publication_time(article: Article | None, requested_time: datetime | None) -> datetime | None:
    if article and requested_time is None and (since := get_readable_from(article)):
        return since
    draft_state = (Status.DRAFT.value, article.published_at if article else None)
    _, time = compute_next_state(draft_state, Status.PUBLISHED, requested_time or UNSET, current_time())
    return time
