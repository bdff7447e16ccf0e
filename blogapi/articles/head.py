"""Builds the head of an article's page: title, description, robots, Open Graph, Twitter card and JSON-LD.

The choice of tags and their fallbacks follow Ghost and Yoast SEO for WordPress. Something that is unknown is
absent, for example all addresses if the site has no `url`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from blogapi.publication.visibility import LISTED_STATUSES
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.web import json as web_json
from blogapi.web.fields import Fields, parse_timestamp

# A description appears in the head eight times, and search engines show about 160 characters.
MAX_DESCRIPTION_LENGTH = 1000

# WordPress sends the same value; without it, Google shows only small images.
_INDEXED, _NOT_INDEXED = "max-image-preview:large", "noindex"

_LINE_BREAKS = re.compile("[\t\n\r\x85\u2028\u2029]+")
_LANGUAGE_AND_REGION = re.compile(
    r"([a-z]{2,3})(?:-[a-z]{3})*(?:-[a-z]{4})?-([a-z]{2})(?![a-z\d])", re.IGNORECASE
)
# JSON that contains none of these characters cannot end a <script> element, nor be changed by an HTML parser.
_ESCAPED_IN_SCRIPT = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


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


def make_head(article: Fields, site: Site, url: str | None) -> Fields:
    """Return the head of an article's page.

    `article` has the stored fields, `status`, `category`, `tags` and `authors`. `url` is the address of its
    page.
    """
    page = _describe_page(article, site, url)
    head: Fields = _without_empty(
        {
            "title": page.title,
            "description": page.description,
            "canonical": page.canonical,
            "robots": _INDEXED if article["status"] in LISTED_STATUSES else _NOT_INDEXED,
            "open_graph": _make_open_graph(page, article, site),
            "twitter": _make_twitter_card(page),
            "json_ld": {
                "@context": "https://schema.org",
                "@graph": [
                    _make_posting(page, article, site),
                    *_make_breadcrumbs(page, article, site),
                ],
            },
        }
    )
    return head | {"html": _make_html(head)}


def _describe_page(article: Fields, site: Site, url: str | None) -> _Page:
    seo = article["seo"]
    texts = (seo["description"], article["excerpt"], article["subtitle"])
    description = next(filter(None, map(_to_line, texts)), "")
    if len(description) > MAX_DESCRIPTION_LENGTH:
        description = f"{description[: MAX_DESCRIPTION_LENGTH - 1]}…"
    pictures = (seo["og_image"], article["cover_image"], site.logo)
    images = (addresses.make_picture_absolute(site, picture) for picture in pictures)
    image, cover = next(filter(None, images), None), article["cover"]
    is_cover = image and cover and image == addresses.make_picture_absolute(site, cover["url"])
    published_at, updated_at = (_parse_time(article[name]) for name in ("published_at", "last_updated"))
    # A scheduled article was last updated before it is published.
    modified_at = max(filter(None, (published_at, updated_at)), default=None)
    return _Page(
        title=_to_line(seo["title"]) or _to_line(article["title"]),
        description=description,
        canonical=addresses.make_absolute(seo["canonical_url"], site.url) or url,
        image=image,
        image_size=(cover["width"], cover["height"]) if is_cover else None,
        published_at=_format_time(published_at),
        modified_at=_format_time(modified_at),
    )


def _make_open_graph(page: _Page, article: Fields, site: Site) -> Fields:
    return _without_empty(
        {
            "og:type": "article",
            "og:title": page.title,
            "og:description": page.description,
            "og:url": page.canonical,
            "og:image": page.image,
            **dict(zip(("og:image:width", "og:image:height"), map(str, page.image_size or ()), strict=False)),
            "og:site_name": site.title,
            "og:locale": _get_locale(site.language),
            "article:published_time": page.published_at,
            "article:modified_time": page.modified_at,
            "article:author": [
                url for author in article["authors"] if (url := _get_author_url(site, author))
            ],
            "article:section": article["category"]["name"],
            "article:tag": [tag["name"] for tag in article["tags"]],
        }
    )


def _make_twitter_card(page: _Page) -> Fields:
    return _without_empty(
        {
            "twitter:card": "summary_large_image" if page.image else "summary",
            "twitter:title": page.title,
            "twitter:description": page.description,
            "twitter:image": page.image,
        }
    )


def _make_posting(page: _Page, article: Fields, site: Site) -> Fields:
    return _without_empty(
        {
            "@type": "BlogPosting",
            "headline": page.title,
            "description": page.description,
            "url": page.canonical,
            "mainEntityOfPage": page.canonical and {"@type": "WebPage", "@id": page.canonical},
            "image": _make_image(page),
            "datePublished": page.published_at,
            "dateModified": page.modified_at,
            "author": [_make_person(site, author) for author in article["authors"]],
            "publisher": _make_publisher(site),
            "articleSection": article["category"]["name"],
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
    return _without_empty(
        {
            "@type": "Person",
            "name": author["name"],
            "url": _get_author_url(site, author),
            "image": addresses.make_picture_absolute(site, author["avatar"]),
        }
    )


def _make_publisher(site: Site) -> Fields | None:
    if not site.title:
        return None
    logo = addresses.make_picture_absolute(site, site.logo)
    return _without_empty(
        {
            "@type": "Organization",
            "name": site.title,
            "url": addresses.make_home_url(site),
            "logo": logo and {"@type": "ImageObject", "url": logo},
        }
    )


def _make_breadcrumbs(page: _Page, article: Fields, site: Site) -> Iterable[Fields]:
    """Yield the path to the article (home, category, article), if the site has a title and addresses."""
    home, category = addresses.make_home_url(site), article["category"]
    category_url = addresses.make_term_url(site, "category", uuid=category["uuid"], slug=category["slug"])
    if not home or not site.title:
        return
    places = ((site.title, home), (category["name"], category_url), (page.title, page.canonical))
    yield {
        "@type": "BreadcrumbList",
        "itemListElement": [
            _without_empty({"@type": "ListItem", "position": position, "name": name, "item": url})
            for position, (name, url) in enumerate(places, 1)
        ],
    }


def _make_html(head: Fields) -> str:
    names = ("description", "robots")
    lines = [
        f"<title>{escape(head['title'])}</title>",
        *(_make_meta("name", name, head[name]) for name in names if name in head),
        *([f'<link rel="canonical" href="{escape(head["canonical"])}">'] if "canonical" in head else []),
        *(_make_meta("property", name, value) for name, value in _list_values(head["open_graph"])),
        *(_make_meta("name", name, value) for name, value in _list_values(head["twitter"])),
        f'<script type="application/ld+json">{_to_script(head["json_ld"])}</script>',
    ]
    return "\n".join(lines)


def _make_meta(kind: str, name: str, value: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(value)}">'


def _list_values(tags: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield each name with each of its values; a name with a list of values appears several times."""
    for name, value in tags.items():
        yield from ((name, item) for item in (value if isinstance(value, list) else [value]))


def _to_script(value: Any) -> str:
    return web_json.to_json(value).translate(_ESCAPED_IN_SCRIPT)


def _without_empty(fields: Mapping[str, Any]) -> Fields:
    return {name: value for name, value in fields.items() if value}


def _to_line(text: str) -> str:
    return _LINE_BREAKS.sub(" ", text).strip()


def _parse_time(text: str | None) -> datetime | None:
    return parse_timestamp(text) if text else None


def _format_time(time: datetime | None) -> str | None:
    return time.isoformat(timespec="seconds") if time else None


def _get_author_url(site: Site, author: Fields) -> str | None:
    """Return the address of the author's page, or else of the author's own website."""
    page = addresses.make_term_url(site, "author", uuid=author["uuid"], slug=author["slug"])
    return page or addresses.make_absolute(author["url"])


def _get_locale(language: str) -> str | None:
    """Return the locale in the form of Open Graph, such as `de_AT`, or None if the region is unknown."""
    match = _LANGUAGE_AND_REGION.match(language)
    return f"{match[1].lower()}_{match[2].upper()}" if match else None
