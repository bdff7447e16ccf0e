"""Renders content before the transaction that stores it, so that no other writer waits for rendering.

An excerpt is written by an author, or generated from the content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from sqlalchemy import select

from blogapi.articles.fields import SEARCHED_NAMES
from blogapi.articles.queries import _article
from blogapi.articles.writing import renderings
from blogapi.rendering.renderer import RenderedContent, render
from blogapi.storage import prepared
from blogapi.storage.database import chunk, db
from blogapi.web.media_addresses import PATH

Texts = Mapping[str, str]

# The text fields that determine the excerpt that a response shows.
SOURCES = ("content", "content_type", "excerpt")
# The text fields that decide whether a write renders the content.
RENDERED = (*SOURCES, "cover_image")


def prepare(contents: Iterable[tuple[str, str]], *, keep: bool = False) -> None:
    """Render each pair of content and content type for the next transaction of the session.

    The renderings replace everything that was prepared before, unless `keep` is set.
    """
    if not keep:
        prepared.forget()
    for pair in contents:
        prepared.prepare(render, *pair)


def get_rendering(content: str, content_type: str) -> RenderedContent:
    """Return the prepared rendering of the content, or render it now."""
    return prepared.compute(render, content, content_type)


def list_needed_contents(old_texts: Texts | None, texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield each pair of content and content type whose rendering a write of these texts needs.

    The pair of `texts` is the first. `old_texts` contains the texts before the write, or is None for a new
    article.
    """
    if old_texts is None or _differ(old_texts, texts) or _shows_other_cover(old_texts, texts):
        yield _get_content(texts)
        if old_texts is not None and texts["excerpt"] and not old_texts["excerpt"]:
            yield _get_content(old_texts)


def remove_generated(old_texts: Texts | None, texts: Texts) -> Texts:
    """Return the texts with an empty excerpt if the excerpt is not written but generated.

    An excerpt is generated if it equals the excerpt that is generated from the content, or from the content
    before the write, which the client may have read.
    """
    excerpt = texts["excerpt"]
    if not excerpt or (old_texts is not None and not _differ(old_texts, texts)):
        return texts
    sources = [texts] if old_texts is None or old_texts["excerpt"] else [texts, old_texts]
    generated = (get_rendering(*_get_content(source)).excerpt for source in sources)
    return {**texts, "excerpt": ""} if excerpt in generated else texts


def _differ(old_texts: Texts, texts: Texts) -> bool:
    return any(old_texts[name] != texts[name] for name in SOURCES)


def _shows_other_cover(old_texts: Texts, texts: Texts) -> bool:
    covers = old_texts["cover_image"], texts["cover_image"]
    return covers[0] != covers[1] and any(PATH.fullmatch(cover) for cover in covers)


def _get_content(texts: Texts) -> tuple[str, str]:
    return texts["content"], texts["content_type"]


# The text fields that are read before a write, to prepare it.
_PREPARED = tuple(dict.fromkeys((*renderings.RENDERED, "title", *SEARCHED_NAMES)))


def find_contents(uuids: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
    """Return the texts of the existing articles with these uuids that rendering and searches need."""
    contents: dict[UUID, dict[str, str]] = {}
    for batch in chunk(uuids):
        columns = select(_article.uuid, *(_article[name] for name in _PREPARED))
        for uuid, *texts in db.session.connection().execute(columns.where(_article.uuid.in_(batch))):
            contents[uuid] = dict(zip(_PREPARED, texts, strict=True))
    return contents
