"""Builds the data for the HTML `<head>` of an article: title, description, robots, Open Graph and JSON-LD.

The tags and their fallbacks follow Ghost and Yoast SEO for WordPress. Unknown values are absent, for example
all addresses if the site has no `url`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from blogapi.content.articles.responses.translations import Translation, choose_alternates
from blogapi.parsing import parse_timestamp
from blogapi.publication.visibility import LISTED_STATUSES
from blogapi.site import addresses
from blogapi.site.heads import (
    ROBOTS,
    Breadcrumb,
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

_NOINDEX = "noindex"


class _HeadTimes(NamedTuple):
    """The times of the publication and of the last change, in ISO format; None if unknown."""

    published_at: str | None
    modified_at: str | None


def make_item_head(
    article: Fields,
    site: Site,
    url: str | None,
    parents: Sequence[Fields] = (),
    translations: Sequence[Translation] = (),
    pages: Sequence[Breadcrumb] = (),
) -> Fields:
    """Return the data for the HTML `<head>` of an article, or of an item of the kind page.

    `article` has the stored fields, `status`, `category`, `tags` and `authors`. `url` is the address of the
    item. `parents` are the categories above its category, and `pages` the public items of the kind page above
    it, both with the outermost first. `translations` are the public articles with the same translation key,
    including the article itself; the head links to them if there are several.
    """
    site, category = addresses.localize_site(site, article["language"]), article["category"]
    page, times = _make_page_summary(article, site, url), _make_head_times(article)
    categories = [*parents, *([category] if category else [])]
    return build_head(
        site,
        page,
        "article" if category else "website",
        _make_json_ld_item(page, times, article, site),
        [*list_category_breadcrumbs(site, categories), *pages, (page.title, page.url)],
        article_properties=_make_article_properties(times, article, site) if category else {},
        alternates=_list_alternate_urls(article, translations),
        robots=(article["robots"] or ROBOTS) if article["status"] in LISTED_STATUSES else _NOINDEX,
    )


def _list_alternate_urls(article: Fields, translations: Sequence[Translation]) -> Sequence[Fields]:
    """Return the addresses of the article in all its languages, or nothing if it has only one language."""
    chosen = choose_alternates(UUID(article["uuid"]), translations)
    return [{"language": one.language, "url": one.url} for one in chosen]


def _make_page_summary(article: Fields, site: Site, url: str | None) -> PageSummary:
    seo, cover = article["seo"], article["cover"]
    image = choose_image(site, seo["og_image"], article["cover_image"])
    is_cover = image and cover and image == addresses.make_absolute_picture_url(site, cover["url"])
    return PageSummary(
        title=to_line(seo["title"]) or to_line(article["title"]),
        description=to_short_line(seo["description"], article["excerpt"], article["subtitle"]),
        url=addresses.make_absolute_address(seo["canonical_url"], site.url) or url,
        image=image,
        image_size=(cover["width"], cover["height"]) if is_cover else None,
    )


def _make_head_times(article: Fields) -> _HeadTimes:
    published_at, updated_at = (
        parse_timestamp(article[name] or "") for name in ("published_at", "last_updated")
    )
    # The last update of a scheduled article is earlier than its publication.
    modified_at = max(filter(None, (published_at, updated_at)), default=None)
    return _HeadTimes(_format_time(published_at), _format_time(modified_at))


def _make_article_properties(times: _HeadTimes, article: Fields, site: Site) -> Fields:
    return {
        "article:published_time": times.published_at,
        "article:modified_time": times.modified_at,
        "article:author": [url for author in article["authors"] if (url := _get_author_url(site, author))],
        "article:section": article["category"]["name"],
        "article:tag": [tag["name"] for tag in article["tags"]],
    }


def _make_json_ld_item(page: PageSummary, times: _HeadTimes, article: Fields, site: Site) -> Fields:
    return drop_empty_fields(
        {
            "@type": "BlogPosting" if article["category"] else "WebPage",
            "headline": page.title,
            "description": page.description,
            "url": page.url,
            "mainEntityOfPage": page.url and {"@type": "WebPage", "@id": page.url},
            "image": _make_image(page),
            "datePublished": times.published_at,
            "dateModified": times.modified_at,
            # Authors are public only if a public article names them, so the head of an item of the kind page
            # (without category) names no authors.
            "author": [_make_person(site, author) for author in article["authors"] if article["category"]],
            "publisher": make_publisher(site),
            "articleSection": article["category"] and article["category"]["name"],
            "keywords": [tag["name"] for tag in article["tags"]],
            "inLanguage": site.language,
        }
    )


def _make_image(page: PageSummary) -> Fields | str | None:
    if page.image_size is None:
        return page.image
    width, height = page.image_size
    return {"@type": "ImageObject", "url": page.image, "width": width, "height": height}


def _make_person(site: Site, author: Fields) -> Fields:
    return drop_empty_fields(
        {
            "@type": "Person",
            "name": author["name"],
            "url": _get_author_url(site, author),
            "image": addresses.make_absolute_picture_url(site, author["avatar"]),
        }
    )


def _format_time(time: datetime | None) -> str | None:
    return time.isoformat(timespec="seconds") if time else None


def _get_author_url(site: Site, author: Fields) -> str | None:
    """Return the address of the author's page, or else of the author's own website."""
    page = addresses.make_term_url(site, "author", uuid=author["uuid"], slug=author["slug"])
    return page or addresses.make_absolute_address(author["url"])
