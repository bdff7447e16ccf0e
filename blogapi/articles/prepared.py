"""The part of a write that is computed before the write lock is taken, so that no other writer waits for it.

An excerpt is written by an author, or generated from the content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

from sqlalchemy import select

from blogapi.articles import search_texts
from blogapi.articles.fields import SEARCHED_NAMES
from blogapi.articles.models import Article
from blogapi.custom_fields.models import NO_VALUES
from blogapi.rendering import renderer
from blogapi.rendering.renderer import RenderedContent
from blogapi.search.engines import get_engine
from blogapi.search.results import Words
from blogapi.storage.database import chunk, db, table_of
from blogapi.web.media_addresses import PATH

Texts = Mapping[str, str]
# A content and its type.
Source = tuple[str, str]

# The text fields that determine the excerpt that a response shows.
_SOURCE_FIELDS = ("content", "content_type", "excerpt")
# The text fields that decide whether a write renders the content.
RENDERED_FIELDS = (*_SOURCE_FIELDS, "cover_image")
# The columns that are read before a write, to prepare it.
_READ_FIELDS = tuple(dict.fromkeys((*RENDERED_FIELDS, "title", *SEARCHED_NAMES, "custom")))

_article = table_of(Article).c


@dataclass(frozen=True, slots=True)
class Prepared:
    """The rendering of a written content, and the search words of the article.

    `sources` contains the content, and the former content if the client may have read the excerpt generated
    from it. `excerpts` are the excerpts generated from these contents. `words` are the words of `title`, of
    the other short texts `others`, and of the content.
    """

    sources: tuple[Source, ...]
    rendering: RenderedContent
    excerpts: tuple[str, ...]
    title: str
    others: str
    words: Words

    @classmethod
    def make(cls, texts: Texts, custom: str = NO_VALUES, *, old_texts: Texts | None = None) -> Prepared:
        """Render a content and find the search words of the article.

        `custom` contains the values of its custom fields. `old_texts` are the texts before the write, or None
        for a new article.
        """
        sources = _list_sources(old_texts, texts)
        rendering, *others = (renderer.render(*source) for source in sources)
        excerpts = tuple(one.excerpt for one in (rendering, *others))
        searched = {**texts, "excerpt": ""} if texts["excerpt"] in excerpts else texts
        short_texts = search_texts.join_texts((searched[name] for name in SEARCHED_NAMES), custom)
        words = get_engine(db.session()).make_words(texts["title"], short_texts, rendering.plain_text)
        return cls(sources, rendering, excerpts, texts["title"], short_texts, words)


# The value of `prepared` for a bulk write whose articles were not prepared.
NOTHING_PREPARED: Mapping[UUID, Prepared] = MappingProxyType({})


def update_prepared(
    prepared: Prepared | None, texts: Texts, custom: str, old_texts: Texts | None
) -> Prepared | None:
    """Return the Prepared for a write of these texts, or None if the write renders no content.

    If another write has changed the content since `prepared` was computed, it is computed again.
    """
    if (
        old_texts is not None
        and not _has_other_sources(old_texts, texts)
        and not _shows_other_cover(old_texts, texts)
    ):
        return None
    if prepared is not None and prepared.sources == _list_sources(old_texts, texts):
        return prepared
    return Prepared.make(texts, custom, old_texts=old_texts)


def remove_generated_excerpt(old_texts: Texts | None, texts: Texts, prepared: Prepared | None) -> Texts:
    """Return the texts with an empty excerpt if the excerpt is not written but generated."""
    is_same = old_texts is not None and not _has_other_sources(old_texts, texts)
    if prepared is None or is_same or texts["excerpt"] not in prepared.excerpts:
        return texts
    return {**texts, "excerpt": ""}


def _list_sources(old_texts: Texts | None, texts: Texts) -> tuple[Source, ...]:
    sources = [texts]
    if old_texts is not None and texts["excerpt"] and not old_texts["excerpt"]:
        sources.append(old_texts)
    return tuple((source["content"], source["content_type"]) for source in sources)


def _has_other_sources(old_texts: Texts, texts: Texts) -> bool:
    return any(old_texts[name] != texts[name] for name in _SOURCE_FIELDS)


def _shows_other_cover(old_texts: Texts, texts: Texts) -> bool:
    covers = old_texts["cover_image"], texts["cover_image"]
    return covers[0] != covers[1] and any(PATH.fullmatch(cover) for cover in covers)


def read_texts(uuids: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
    """Return the columns from which `Prepared` is made, by the uuid of the article, for existing articles."""
    texts: dict[UUID, dict[str, str]] = {}
    for batch in chunk(uuids):
        columns = select(_article.uuid, *(_article[name] for name in _READ_FIELDS))
        for uuid, *values in db.session.connection().execute(columns.where(_article.uuid.in_(batch))):
            texts[uuid] = dict(zip(_READ_FIELDS, values, strict=True))
    return texts


def prepare_stored(texts: Mapping[UUID, Mapping[str, str]]) -> dict[UUID, Prepared]:
    """Prepare the rendering of stored articles, from the result of `read_texts`."""
    return {uuid: Prepared.make(columns, columns["custom"]) for uuid, columns in texts.items()}
