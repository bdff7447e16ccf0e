"""Excerpts that an author wrote, and those that are generated from the content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blogapi.articles import renderings

Texts = Mapping[str, str]

# The text fields that determine the excerpt that a response shows.
SOURCES = ("content", "content_type", "excerpt")


def list_needed_contents(former: Texts | None, texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield each pair of content and content type whose rendering a write of these texts needs.

    `former` contains the texts before the write, or is None for a new article.
    """
    if former is None or _differ(former, texts):
        yield _get_content(texts)
        if former is not None and texts["excerpt"] and not former["excerpt"]:
            yield _get_content(former)


def remove_generated(former: Texts | None, texts: Texts) -> Texts:
    """Return the texts with an empty excerpt if the excerpt is not written but generated.

    An excerpt is generated if it equals the excerpt that is generated from the content, or from the content
    before the write, which the client may have read.
    """
    excerpt = texts["excerpt"]
    if not excerpt or (former is not None and not _differ(former, texts)):
        return texts
    sources = [texts] if former is None or former["excerpt"] else [texts, former]
    generated = (renderings.get_rendering(*_get_content(source)).excerpt for source in sources)
    return {**texts, "excerpt": ""} if excerpt in generated else texts


def _differ(former: Texts, texts: Texts) -> bool:
    return any(former[name] != texts[name] for name in SOURCES)


def _get_content(texts: Texts) -> tuple[str, str]:
    return texts["content"], texts["content_type"]
