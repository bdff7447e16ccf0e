"""The entries of a feed: the newest public articles, optionally of one category, tag or author."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from flask import current_app

from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.fields import TERM_LIST_NAMES
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.responses import article_bodies
from blogapi.content.taxonomies.models import Term
from blogapi.content.taxonomies.queries import find_term
from blogapi.parsing import normalize_language, parse_timestamp
from blogapi.publication import kinds
from blogapi.site import addresses
from blogapi.site.addresses import localize_site
from blogapi.site.models import Site
from blogapi.site.queries import get_public_site, get_service_url
from blogapi.web.errors import require_item
from blogapi.web.pagination import PageRequest

MAX_FEED_ENTRIES = 20

# The value of the filter `language` that selects the articles in all languages.
ALL_LANGUAGES = "all"

# The maximum number of characters of content in a feed; the other articles are shown as excerpts. A longer
# feed does not fit into the response cache, so each request would build the feed again.
MAX_FEED_CHARACTERS = 1_000_000

_ENTRY_FIELDS = (
    *("uuid", "title", "url", "published_at", "last_updated", "excerpt", "html", "cover_image"),
    *("category", *TERM_LIST_NAMES),
)


@dataclass(frozen=True, slots=True)
class FeedAuthor:
    """An author in a byline; `url` is the address of their page on the site, or None."""

    name: str
    url: str | None


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An article in a feed. `content` is HTML with absolute addresses, or None in a feed of excerpts."""

    uuid: str
    title: str
    url: str
    published: datetime
    updated: datetime
    excerpt: str
    content: str | None
    image: str | None
    labels: Sequence[str]
    authors: Sequence[FeedAuthor]


@dataclass(frozen=True, slots=True)
class Feed:
    """The description and the entries of a feed.

    `id` never changes. `page_url` is the address of the page that lists the same articles or, if there is no
    such page, of the home page. `feed_url` is the address of the feed, or None if it is not known.
    """

    id: str
    title: str
    description: str
    language: str
    page_url: str
    feed_url: str | None
    icon: str | None
    updated: datetime
    entries: Sequence[FeedEntry]


def get_feed(filters: dict[str, str], path: str, edit_html: Callable[[str], str] = str) -> Feed:
    """Return a feed of the articles that match all filters; `path` is the path of the feed on this service.

    `edit_html` is applied to the content of each article before its addresses are made absolute.

    The filters are `category`, `tag` and `author` (uuid or slug), and `language`. Without a language, the
    feed of a site with several languages contains only articles in the site's language; ALL_LANGUAGES
    selects all languages. Raises NotFound if the site has no URL, or if a filter names no item that readers
    can see.
    """
    language, site = filters.get("language", ""), get_public_site()
    default = normalize_language(site.language) if site.other_languages else ""
    shown_language = {"": default, ALL_LANGUAGES: ""}.get(language, language)
    site = localize_site(site, shown_language)
    home_url = f"{site.url}/"
    terms = {kind: _get_public_term(kind, filters[kind]) for kind in kinds.TERM_KINDS if kind in filters}
    values = {name: (value,) if name in ("category", "tag") else value for name, value in filters.items()}
    values.pop("language", None)
    article_filters = ArticleFilters(language=shown_language) if language else make_home_filters(site, "")
    page = PageRequest(number=1, size=MAX_FEED_ENTRIES)
    body = article_bodies.list_published_items(_ENTRY_FIELDS, page, replace(article_filters, **values)).rows  # type: ignore[arg-type]
    assert isinstance(body.body, bytes)
    characters_left = MAX_FEED_CHARACTERS if current_app.config["FEED_CONTENT"] == "full" else 0
    service_url, entries = get_service_url(site), []
    for article in json.loads(body.body):
        article["html"] = edit_html(article["html"])
        length = len(article["html"])
        entries.append(_make_entry(site, article, is_full=0 < length <= characters_left))
        characters_left -= length
    id_parameters = {kind: str(term.uuid) for kind, term in terms.items()}
    id_parameters |= {"language": language} if language else {}
    return Feed(
        id=f"{home_url}?{urlencode(id_parameters)}" if id_parameters else home_url,
        title=" - ".join([*(term.name for term in terms.values()), site.title or home_url]),
        description=site.description,
        language=site.language,
        page_url=_make_page_url(site, terms) or addresses.make_home_url(site) or home_url,
        feed_url=f"{service_url}{path}" if service_url else None,
        icon=addresses.make_absolute_picture_url(site, site.icon),
        updated=max((entry.updated for entry in entries), default=site.last_updated),
        entries=entries,
    )


def make_home_filters(site: Site, language: str) -> ArticleFilters:
    """Return the filters for a home page and its feed; `language` is "" for the first home page.

    A site without other languages shows all articles. If the site for readers is on, the first home page
    shows all articles that no other home page shows, so that every article is on a home page.
    """
    others = [other["language"] for other in site.other_languages]
    if language in others or not others:
        return ArticleFilters(language=language if others else "")
    if site.built_in:
        return ArticleFilters(not_language=others)
    return ArticleFilters(language=normalize_language(site.own_language))


def _make_page_url(site: Site, terms: Mapping[str, Term]) -> str | None:
    """Return the address of the term's page; None if the feed is filtered by no term or by several terms."""
    urls = [addresses.make_term_url(site, kind, uuid=row.uuid, slug=row.slug) for kind, row in terms.items()]
    return urls[0] if len(urls) == 1 else None


def _get_public_term(kind: str, reference: str) -> Term:
    # Readers see no author without public articles.
    condition = match_public_authors() if kind == "author" else None
    term: Term | None = find_term(kinds.get_model_of_kind(kind), reference, condition)
    return require_item(term, f"There is no such {kind}.")


def _make_entry(site: Site, article: dict[str, Any], *, is_full: bool) -> FeedEntry:
    published, updated = (parse_timestamp(article[name]) for name in ("published_at", "last_updated"))
    assert published is not None and updated is not None, "an article with a URL has both times"
    content = None
    if is_full:
        # Imported here, so that servers whose feeds contain only excerpts do not load its libraries (4 MB).
        from blogapi.rendering import sanitizer

        content = sanitizer.make_addresses_absolute(article["html"], article["url"])
    return FeedEntry(
        uuid=article["uuid"],
        title=article["title"],
        url=article["url"],
        published=published,
        updated=max(published, updated),
        excerpt=article["excerpt"],
        content=content,
        image=addresses.make_absolute_picture_url(site, article["cover_image"]),
        labels=list(dict.fromkeys([article["category"]["name"], *(tag["name"] for tag in article["tags"])])),
        authors=[
            FeedAuthor(
                author["name"],
                addresses.make_term_url(site, "author", uuid=author["uuid"], slug=author["slug"]),
            )
            for author in article["authors"]
        ],
    )
