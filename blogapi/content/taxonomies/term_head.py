"""Builds the data for the HTML `<head>` of the page of a category, a tag or an author."""

from __future__ import annotations

from collections.abc import Sequence

from blogapi.publication.events import AUTHOR
from blogapi.site import addresses
from blogapi.site.heads import (
    FIRST_PAGE,
    PageNumber,
    PageSummary,
    build_head,
    choose_image,
    drop_empty_fields,
    list_category_breadcrumbs,
    make_publisher,
    to_line,
    to_short_line,
)
from blogapi.site.models import Site
from blogapi.web.fields import Fields


def make_term_head(
    kind: str,
    term: Fields,
    site: Site,
    url: str | None,
    parents: Sequence[Fields],
    number: PageNumber = FIRST_PAGE,
) -> Fields:
    """Return the data for the `<head>` of page `number` of a term's articles; `url` is the address of page 1.

    `term` contains all stored fields of the term. `parents` are the terms above it, the outermost first.
    """
    site = addresses.localize_site(site, term["language"])
    page = PageSummary(
        title=number.add_to_title(to_line(term["seo_title"]) or to_line(term["name"])),
        description=to_short_line(term["seo_description"], term.get("description") or term.get("bio") or ""),
        url=addresses.make_absolute_address(term["canonical_url"], site.url) or number.add_to_url(url),
        image=choose_image(site, term["og_image"], term["cover_image"], term.get("avatar", "")),
    )
    breadcrumbs = [*list_category_breadcrumbs(site, parents), (term["name"], page.url)]
    item = _make_json_ld_item(kind, term, site, page)
    return build_head(site, page, "profile" if kind == AUTHOR else "website", item, breadcrumbs)


def _make_json_ld_item(kind: str, term: Fields, site: Site, page: PageSummary) -> Fields:
    person = drop_empty_fields(
        {
            "@type": "Person",
            "name": term["name"],
            "description": to_short_line(term.get("bio", "")),
            "url": page.url,
            "sameAs": addresses.make_absolute_address(term.get("url", "")) if kind == AUTHOR else None,
            "image": addresses.make_absolute_picture_url(site, term.get("avatar", "")),
        }
    )
    return drop_empty_fields(
        {
            "@type": "ProfilePage" if kind == AUTHOR else "CollectionPage",
            "name": page.title,
            "description": page.description,
            "url": page.url,
            "image": page.image,
            "mainEntity": person if kind == AUTHOR else None,
            "publisher": make_publisher(site),
            "inLanguage": site.language,
        }
    )
