"""Builds the head of an article's page: title, description, robots, Open Graph, Twitter card and JSON-LD.

The choice of tags and their fallbacks follow Ghost and Yoast SEO for WordPress. Something that is unknown is
absent, for example all addresses if the site has no `url`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from blogapi.articles.responses.translations import Translation, choose_alternates
from blogapi.parsing import parse_timestamp
from blogapi.publication.visibility import LISTED_STATUSES
from blogapi.site import addresses
from blogapi.site.heads import (
    INDEXED,
    Breadcrumb,
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

_NOT_INDEXED = "noindex"


@dataclass(frozen=True, slots=True)
class _Page:
    """The values that several parts of the head show; a value that is unknown is empty or None."""

    title: str
    description: str
    canonical: str | None
    image: str | None
    # The width and the height of the image, if it is the cover and in the media library.
    image_size: tuple[int, int] | None
    published_at: str | None
    modified_at: str | None


def make_head(
    article: Fields,
    site: Site,
    url: str | None,
    parents: Sequence[Fields] = (),
    translations: Sequence[Translation] = (),
    pages: Sequence[Breadcrumb] = (),
) -> Fields:
    """Return the head of the page of an article, or of a page.

    `article` has the stored fields, `status`, `category`, `tags` and `authors`. `url` is the address of its
    page. `parents` are the categories above its category, and `pages` the public pages above a page, the
    outermost first. `translations` are the public articles with the same translation key, including the
    article itself; the head names them if there are several.
    """
    site = describe_in_language(site, article["language"])
    page, is_listed = _describe_page(article, site, url), article["status"] in LISTED_STATUSES
    categories = [*parents, *filter(None, [article["category"]])]
    head: Fields = without_empty(
        {
            "title": page.title,
            "description": page.description,
            "canonical": page.canonical,
            "alternates": _list_alternates(article, translations),
            "robots": (article["robots"] or INDEXED) if is_listed else _NOT_INDEXED,
            "open_graph": _make_open_graph(page, article, site),
            "twitter": make_twitter_card(page.title, page.description, page.image),
            "json_ld": make_graph(
                _make_posting(page, article, site),
                make_breadcrumbs(
                    site, [*list_category_places(site, categories), *pages], page.title, page.canonical
                ),
            ),
        }
    )
    return head | {"html": make_html(head)}


def _list_alternates(article: Fields, translations: Sequence[Translation]) -> Sequence[Fields]:
    """Return the addresses of the article in all languages; none unless it is public in several."""
    chosen = choose_alternates(UUID(article["uuid"]), translations)
    return [{"language": one.language, "url": one.url} for one in chosen]


def _describe_page(article: Fields, site: Site, url: str | None) -> _Page:
    seo = article["seo"]
    texts = (seo["description"], article["excerpt"], article["subtitle"])
    description = to_short_line(*texts)
    pictures = (seo["og_image"], article["cover_image"], site.logo)
    images = (addresses.make_picture_absolute(site, picture) for picture in pictures)
    image, cover = next(filter(None, images), None), article["cover"]
    is_cover = image and cover and image == addresses.make_picture_absolute(site, cover["url"])
    published_at, updated_at = (_parse_time(article[name]) for name in ("published_at", "last_updated"))
    # A scheduled article was last updated before it is published.
    modified_at = max(filter(None, (published_at, updated_at)), default=None)
    return _Page(
        title=to_line(seo["title"]) or to_line(article["title"]),
        description=description,
        canonical=addresses.make_absolute(seo["canonical_url"], site.url) or url,
        image=image,
        image_size=(cover["width"], cover["height"]) if is_cover else None,
        published_at=_format_time(published_at),
        modified_at=_format_time(modified_at),
    )


def _make_open_graph(page: _Page, article: Fields, site: Site) -> Fields:
    return without_empty(
        {
            "og:type": "article" if article["category"] else "website",
            "og:title": page.title,
            "og:description": page.description,
            "og:url": page.canonical,
            "og:image": page.image,
            **dict(zip(("og:image:width", "og:image:height"), map(str, page.image_size or ()), strict=False)),
            "og:site_name": site.title,
            "og:locale": get_locale(site.language),
            **(_describe_article(page, article, site) if article["category"] else {}),
        }
    )


def _describe_article(page: _Page, article: Fields, site: Site) -> Fields:
    return {
        "article:published_time": page.published_at,
        "article:modified_time": page.modified_at,
        "article:author": [url for author in article["authors"] if (url := _get_author_url(site, author))],
        "article:section": article["category"]["name"],
        "article:tag": [tag["name"] for tag in article["tags"]],
    }


def _make_posting(page: _Page, article: Fields, site: Site) -> Fields:
    return without_empty(
        {
            "@type": "BlogPosting" if article["category"] else "WebPage",
            "headline": page.title,
            "description": page.description,
            "url": page.canonical,
            "mainEntityOfPage": page.canonical and {"@type": "WebPage", "@id": page.canonical},
            "image": _make_image(page),
            "datePublished": page.published_at,
            "dateModified": page.modified_at,
            # Authors are public only through articles.
            "author": [_make_person(site, author) for author in article["authors"] if article["category"]],
            "publisher": make_publisher(site),
            "articleSection": article["category"] and article["category"]["name"],
            "keywords": [tag["name"] for tag in article["tags"]],
            "inLanguage": site.language,
        }
    )


def _make_image(page: _Page) -> Fields | str | None:
    if page.image_size is None:
        return page.image
    width, height = page.image_size
    return {"@type": "ImageObject", "url": page.image, "width": width, "height": height}


def _make_person(site: Site, author: Fields) -> Fields:
    return without_empty(
        {
            "@type": "Person",
            "name": author["name"],
            "url": _get_author_url(site, author),
            "image": addresses.make_picture_absolute(site, author["avatar"]),
        }
    )


def _parse_time(text: str | None) -> datetime | None:
    return parse_timestamp(text) if text else None


def _format_time(time: datetime | None) -> str | None:
    return time.isoformat(timespec="seconds") if time else None


def _get_author_url(site: Site, author: Fields) -> str | None:
    """Return the address of the author's page, or else of the author's own website."""
    page = addresses.make_term_url(site, "author", uuid=author["uuid"], slug=author["slug"])
    return page or addresses.make_absolute(author["url"])
