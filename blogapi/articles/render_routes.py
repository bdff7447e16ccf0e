"""The endpoint that renders a text as the content of an article."""

from __future__ import annotations

from uuid import UUID

from blogapi.articles import future_address
from blogapi.articles.schemas import RenderBodySchema, RenderingSchema
from blogapi.articles.text_defaults import TEXT_DEFAULTS
from blogapi.content import rendering
from blogapi.media.html_pictures import HtmlResolver
from blogapi.media.references import Text, find_files
from blogapi.web.access import admin, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.slug_lookup import NIL_UUID

bp = Blueprint(
    "renderings",
    __name__,
    url_prefix="/api/v1/blog/render",
    description="Renderings of texts",
    resource="text",
)


@bp.post("/")
@allow(admin)
@bp.arguments(RenderBodySchema)
@bp.response(200, RenderingSchema())
def render(given: Fields) -> WithAttributes:
    """Render a text as the content of an article, and compute the address of the article; store nothing."""
    article: UUID = given.pop("article", None) or NIL_UUID
    content = given.pop("content", "")
    content_type = given.pop("content_type", TEXT_DEFAULTS["content_type"])
    rendered = rendering.render(content, content_type)
    resolver = HtmlResolver(article, find_files([Text(article, rendered.html, ())]))
    slug, url = future_address.predict(article, **given) if given.get("title", "").strip() else (None, None)
    return WithAttributes(rendered, html=resolver.resolve(rendered.html), slug=slug, url=url)
