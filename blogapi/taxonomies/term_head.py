"""Builds the head of the page of a category, a tag or an author."""

from __future__ import annotations

from collections.abc import Sequence

from blogapi.publication.events import AUTHOR
from blogapi.site import addresses
from blogapi.site.heads import (
    INDEXED,
    get_locale,
    list_category_places,
    make_breadcrumbs,
    make_graph,
    make_html,
    make_publisher,
    make_twitter_card,
    to_line,
    to_short_line,
    without_empty,
)
from blogapi.site.languages import describe_in_language
from blogapi.site.models import Site
from blogapi.web.fields import Fields


def make_head(kind: str, term: Fields, site: Site, url: str | None, parents: Sequence[Fields]) -> Fields:
    """Return the head of a term's page; `parents` are the terms above it, the outermost first.

    `term` has all fields of the term that are stored.
    """
    site = describe_in_language(site, term["language"])
    title = to_line(term["seo_title"]) or to_line(term["name"])
    description = to_short_line(term["seo_description"], term.get("description") or term.get("bio") or "")
    canonical = addresses.make_absolute(term["canonical_url"], site.url) or url
    pictures = (term["og_image"], term["cover_image"], term.get("avatar", ""), site.logo)
    images = (addresses.make_picture_absolute(site, picture) for picture in pictures)
    image = next(filter(None, images), None)
    page = {"name": title, "description": description, "url": canonical, "image": image}
    head: Fields = without_empty(
        {
            "title": title,
            "description": description,
            "canonical": canonical,
            "robots": INDEXED,
            "open_graph": without_empty(
                {
                    "og:type": "profile" if kind == AUTHOR else "website",
                    "og:title": title,
                    "og:description": description,
                    "og:url": canonical,
                    "og:image": image,
                    "og:site_name": site.title,
                    "og:locale": get_locale(site.language),
                }
            ),
            "twitter": make_twitter_card(title, description, image),
            "json_ld": make_graph(
                _make_page(kind, term, site, page),
                make_breadcrumbs(site, list_category_places(site, parents), term["name"], canonical),
            ),
        }
    )
    return head | {"html": make_html(head)}


def _make_page(kind: str, term: Fields, site: Site, page: Fields) -> Fields:
    person = without_empty(
        {
            "@type": "Person",
            "name": term["name"],
            "description": to_short_line(term.get("bio", "")),
            "url": page["url"],
            "sameAs": addresses.make_absolute(term.get("url", "")) if kind == AUTHOR else None,
            "image": addresses.make_picture_absolute(site, term.get("avatar", "")),
        }
    )
    return without_empty(
        {
            "@type": "ProfilePage" if kind == AUTHOR else "CollectionPage",
            **page,
            "mainEntity": person if kind == AUTHOR else None,
            "publisher": make_publisher(site),
            "inLanguage": site.language,
        }
    )
