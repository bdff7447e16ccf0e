"""Fields of articles that are computed when they are read, from the article, the site and the current names.

They are never stored, because a change of the site, or of a category, tag or author, changes them in all
articles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from blogapi.articles.head import make_head
from blogapi.site import addresses
from blogapi.site import queries as site_queries
from blogapi.site.models import Site
from blogapi.web import json as web_json
from blogapi.web.fields import Fields, parse_timestamp


class ArticleGroup:
    """The articles of one response, with the data that several computed fields use.

    Each article is a dictionary of its stored fields, its status, and its category, tags and authors if a
    requested field needs them. The caller may see all these articles.
    """

    def __init__(self, articles: Sequence[Fields]) -> None:
        self.articles = articles

    @cached_property
    def site(self) -> Site:
        """The site."""
        return site_queries.get_site()

    @cached_property
    def urls(self) -> Sequence[str | None]:
        """The address of each article's page, or None."""
        return [_make_url(self.site, article) for article in self.articles]


@dataclass(frozen=True, slots=True)
class ComputedField:
    """A computed field: the fields that it needs besides the stored ones, and a function for a group.

    `compute` returns one value per article, or None if the article does not have the field. It executes a
    fixed number of statements.
    """

    needs: tuple[str, ...]
    compute: Callable[[ArticleGroup], Sequence[Any]]


def compute_fragments(names: Sequence[str], articles: Sequence[Fields]) -> Sequence[tuple[bytes, ...]]:
    """Return the JSON fragments of the named computed fields for each article.

    The fragments of an article have the order of COMPUTED_FIELDS; the fragment of a field that is absent or
    not named is empty.
    """
    group = ArticleGroup(articles)
    nothing = [None] * len(articles)
    columns = [
        [_to_fragment(name, value) for value in (field.compute(group) if name in names else nothing)]
        for name, field in _FIELDS.items()
    ]
    return list(zip(*columns, strict=True))


def get_needed_fields(names: Sequence[str]) -> Sequence[str]:
    """Return the fields that the named computed fields need besides the stored ones."""
    return [needed for name in names if name in _FIELDS for needed in _FIELDS[name].needs]


def _to_fragment(name: str, value: Any) -> bytes:
    return b"" if value is None else f'"{name}":{web_json.to_json(value)}'.encode()


def _make_heads(group: ArticleGroup) -> Sequence[Fields]:
    rows = zip(group.articles, group.urls, strict=True)
    return [make_head(article, group.site, url) for article, url in rows]


def _make_links(group: ArticleGroup) -> Sequence[Fields | None]:
    """Return the addresses of the pages of each article's category, tags and authors."""
    if not group.site.url:
        return [None] * len(group.articles)
    return [
        {
            "category": _make_term_url(group.site, "category", article["category"]),
            "tags": [_make_term_url(group.site, "tag", tag) for tag in article["tags"]],
            "authors": [_make_term_url(group.site, "author", author) for author in article["authors"]],
        }
        for article in group.articles
    ]


def _make_term_url(site: Site, kind: str, term: Fields) -> str | None:
    return addresses.make_term_url(site, kind, uuid=term["uuid"], slug=term["slug"])


def _make_url(site: Site, article: Fields) -> str | None:
    published_at = article["published_at"]
    return addresses.make_article_url(
        site,
        uuid=article["uuid"],
        slug=article["slug"],
        category_slug=article["category"]["slug"],
        published_at=published_at and parse_timestamp(published_at),
    )


_FIELDS: Mapping[str, ComputedField] = {
    "url": ComputedField(("category",), lambda group: group.urls),
    "links": ComputedField(("category", "tags", "authors"), _make_links),
    "head": ComputedField(("category", "tags", "authors"), _make_heads),
}
COMPUTED_FIELDS = tuple(_FIELDS)
