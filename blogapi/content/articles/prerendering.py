"""Renderings that are made before the write lock is taken, so that no other writer waits for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from flask import g
from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.rendering import renderer
from blogapi.rendering.renderer import RenderedContent
from blogapi.storage.database import db, split_values, table_of

Texts = Mapping[str, str]
# The content of an article and its content type.
RenderingSource = tuple[str, str]

# The text fields that determine the excerpt that a response shows.
_EXCERPT_FIELDS = ("content", "content_type", "excerpt")
# A write renders the content if it changes one of these text fields.
RENDERING_INPUTS = (*_EXCERPT_FIELDS, "cover_image")

_article = table_of(Article).c


def prerender_sources(sources: Iterable[RenderingSource]) -> None:
    """Render these contents for the next write of this request or command; see `render_content`."""
    g.renderings = {source: render_content(*source) for source in dict.fromkeys(sources)}


def render_content(content: str, content_type: str) -> RenderedContent:
    """Return the rendered content; it is rendered now unless `prerender_sources` has rendered it before."""
    prerendered: RenderedContent | None = g.get("renderings", {}).get((content, content_type))
    return prerendered or renderer.render_text(content, content_type)


def list_sources(old_texts: Texts | None, texts: Texts) -> list[RenderingSource]:
    """Return the contents that a write of these texts renders; `old_texts` is None for a new article.

    The former content is included if the new excerpt can be a copy of its generated excerpt.
    """
    sources = [texts]
    if old_texts is not None and texts["excerpt"] and not old_texts["excerpt"]:
        sources.append(old_texts)
    return [(source["content"], source["content_type"]) for source in sources]


def remove_generated_excerpt(old_texts: Texts | None, texts: Texts) -> Texts:
    """Return `texts`; the excerpt is replaced by an empty text if it equals a generated excerpt."""
    is_same = old_texts is not None and all(old_texts[name] == texts[name] for name in _EXCERPT_FIELDS)
    if is_same:
        return texts
    excerpts = (render_content(*source).excerpt for source in list_sources(old_texts, texts))
    return {**texts, "excerpt": ""} if texts["excerpt"] in excerpts else texts


def read_rendering_inputs(uuids: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
    """Return the text fields RENDERING_INPUTS of existing articles, by uuid of the article."""
    texts: dict[UUID, dict[str, str]] = {}
    for batch in split_values(uuids):
        columns = select(_article.uuid, *(_article[name] for name in RENDERING_INPUTS))
        for uuid, *values in db.session.connection().execute(columns.where(_article.uuid.in_(batch))):
            texts[uuid] = dict(zip(RENDERING_INPUTS, values, strict=True))
    return texts


def prerender_articles(uuids: Sequence[UUID]) -> None:
    """Render the contents of stored articles for the next write; see `prerender_sources`."""
    prerender_sources((row["content"], row["content_type"]) for row in read_rendering_inputs(uuids).values())
