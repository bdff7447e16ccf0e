"""Builds the heads of pages: of articles, of terms, and of the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from blogapi.parsing import normalize_language
from blogapi.rendering.plain_text import shorten_text
from blogapi.site import addresses
from blogapi.site.models import Site
from blogapi.web import json as web_json
from blogapi.web.fields import Fields

# The head contains the description eight times, and search engines show only about 160 characters of it.
MAX_DESCRIPTION_LENGTH = 1000

# Without this value, which WordPress also sends, Google shows only small images.
ROBOTS = "max-image-preview:large"

_LINE_BREAKS = re.compile("[\t\n\r\x85\u2028\u2029]+")
_LANGUAGE_AND_REGION = re.compile(
    r"([a-z]{2,3})(?:-[a-z]{3})*(?:-[a-z]{4})?-([a-z]{2})(?![a-z\d])", re.IGNORECASE
)
# JSON without these characters cannot end a <script> element, and HTML parsers leave it unchanged.
_ESCAPED_IN_SCRIPT = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})

# The name of a page, and its address if that is known.
Breadcrumb = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class PageSummary:
    """The values of a page that several parts of its head contain; unknown values are empty or None."""

    title: str
    description: str
    url: str | None
    image: str | None
    # The width and the height of the image, if it is the cover and belongs to the media library.
    image_size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PageNumber:
    """The page of a list that a head describes; `words` name the page in titles (empty: use the number)."""

    number: int = 1
    words: str = ""

    def add_to_title(self, title: str) -> str:
        """Return the title, followed by the page number in parentheses unless this is the first page."""
        return title if self.number == 1 else f"{title} ({self.words or self.number})"

    def add_to_url(self, url: str | None) -> str | None:
        """Return the address of this page of the list whose first page is at `url`."""
        return url and addresses.make_numbered_url(url, self.number)


FIRST_PAGE = PageNumber()


def make_site_head(site: Site, *, page: PageNumber = FIRST_PAGE) -> Fields:
    """Return the head of the home page in the language of `site`, which `localize_site` can change.

    The first page links to the home pages in all languages of the site, if there are several.
    """
    home, description = addresses.make_home_url(site), to_short_line(site.description)
    title = to_line(site.title) or urlsplit(site.url).netloc
    summary = PageSummary(page.add_to_title(title), description, page.add_to_url(home), choose_image(site))
    item = drop_empty_fields(
        {
            "@type": "WebSite",
            "name": title,
            "description": description,
            "url": home,
            "publisher": make_publisher(site),
            "inLanguage": site.language,
        }
    )
    alternates = _list_alternates(site) if page.number == 1 else ()
    return build_head(site, summary, "website", item, (), alternates=alternates)


def make_list_head(site: Site, title: str, path: str, *, page: PageNumber = FIRST_PAGE) -> Fields:
    """Return the head of a list that belongs to no term; its first page has this path below the site."""
    url = page.add_to_url(f"{site.url}{path}") if site.url else None
    full_title = page.add_to_title(" - ".join(filter(None, map(to_line, (title, site.title)))))
    item = drop_empty_fields(
        {
            "@type": "CollectionPage",
            "name": full_title,
            "url": url,
            "publisher": make_publisher(site),
            "inLanguage": site.language,
        }
    )
    summary = PageSummary(full_title, "", url, choose_image(site))
    return build_head(site, summary, "website", item, [(to_line(title), url)])


def _list_alternates(site: Site) -> Sequence[Fields]:
    """Return the home pages of all languages; empty unless there are several, each with its own home page."""
    homes = addresses.make_home_paths(site)
    if not site.url or not 1 < len({*homes.values()}) == len(homes):
        return []
    default = homes[normalize_language(site.own_language)]
    return [
        {"language": language, "url": f"{site.url}{path}"}
        for language, path in (*homes.items(), ("x-default", default))
    ]


def build_head(
    site: Site,
    page: PageSummary,
    open_graph_type: str,
    item: Fields,
    breadcrumbs: Sequence[Breadcrumb],
    *,
    article_properties: Mapping[str, Any] = MappingProxyType({}),
    alternates: Sequence[Fields] = (),
    robots: str = ROBOTS,
) -> Fields:
    """Return the head of a page as fields, and all of it as HTML in the field `html`.

    `item` is the JSON-LD of the page's content. `breadcrumbs` are the pages above the page, the outermost
    first, and the page itself. `article_properties` are additional properties of Open Graph.
    """
    sizes = dict(zip(("og:image:width", "og:image:height"), map(str, page.image_size or ()), strict=False))
    open_graph = {
        "og:type": open_graph_type,
        "og:title": page.title,
        "og:description": page.description,
        "og:url": page.url,
        "og:image": page.image,
        **sizes,
        "og:site_name": site.title,
        "og:locale": make_open_graph_locale(site.language),
        **article_properties,
    }
    twitter = {
        "twitter:card": "summary_large_image" if page.image else "summary",
        "twitter:title": page.title,
        "twitter:description": page.description,
        "twitter:image": page.image,
    }
    head: Fields = drop_empty_fields(
        {
            "title": page.title,
            "description": page.description,
            "canonical": page.url,
            "alternates": alternates,
            "robots": robots,
            "open_graph": drop_empty_fields(open_graph),
            "twitter": drop_empty_fields(twitter),
            "json_ld": {
                "@context": "https://schema.org",
                "@graph": [item, *_make_breadcrumb_list(site, breadcrumbs)],
            },
        }
    )
    return head | {"html": _make_head_html(head)}


def choose_image(site: Site, *pictures: str) -> str | None:
    """Return the absolute address of the first picture whose address is known, or else of the site's logo."""
    images = (addresses.make_absolute_picture_url(site, picture) for picture in (*pictures, site.logo))
    return next(filter(None, images), None)


def make_publisher(site: Site) -> Fields | None:
    """Return the JSON-LD of the organization that publishes the site, or None if the site has no title."""
    if not site.title:
        return None
    logo = addresses.make_absolute_picture_url(site, site.logo)
    return drop_empty_fields(
        {
            "@type": "Organization",
            "name": site.title,
            "url": addresses.make_home_url(site),
            "logo": logo and {"@type": "ImageObject", "url": logo},
        }
    )


def list_category_breadcrumbs(site: Site, categories: Sequence[Fields]) -> Sequence[Breadcrumb]:
    """Return the names of the categories with the addresses of their pages."""
    return [
        (item["name"], addresses.make_term_url(site, "category", uuid=item["uuid"], slug=item["slug"]))
        for item in categories
    ]


def _make_breadcrumb_list(site: Site, breadcrumbs: Sequence[Breadcrumb]) -> list[Fields]:
    """Return the breadcrumbs from the home page on as JSON-LD; empty if the site has no title or address."""
    home = addresses.make_home_url(site)
    if not breadcrumbs or not home or not site.title:
        return []
    items = [
        drop_empty_fields({"@type": "ListItem", "position": position, "name": name, "item": url})
        for position, (name, url) in enumerate([(site.title, home), *breadcrumbs], 1)
    ]
    return [{"@type": "BreadcrumbList", "itemListElement": items}]


def _make_head_html(head: Fields) -> str:
    names = ("description", "robots")
    json_ld = web_json.to_json(head["json_ld"]).translate(_ESCAPED_IN_SCRIPT)
    lines = [
        f"<title>{escape(head.get('title', ''))}</title>",
        *(_make_meta_tag("name", name, head[name]) for name in names if name in head),
        *([f'<link rel="canonical" href="{escape(head["canonical"])}">'] if "canonical" in head else []),
        *(
            f'<link rel="alternate" hreflang="{escape(page["language"])}" href="{escape(page["url"])}">'
            for page in head.get("alternates", ())
        ),
        *(_make_meta_tag("property", name, value) for name, value in _list_tag_values(head["open_graph"])),
        *(_make_meta_tag("name", name, value) for name, value in _list_tag_values(head["twitter"])),
        f'<script type="application/ld+json">{json_ld}</script>',
    ]
    return "\n".join(lines)


def _make_meta_tag(kind: str, name: str, value: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(value)}">'


def _list_tag_values(tags: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield each name with each of its values; a name with a list of values appears several times."""
    for name, value in tags.items():
        yield from ((name, item) for item in (value if isinstance(value, list) else [value]))


def drop_empty_fields(fields: Mapping[str, Any]) -> Fields:
    """Return the fields whose value is not empty."""
    return {name: value for name, value in fields.items() if value}


def to_line(text: str) -> str:
    """Return the text on one line, with a space in place of line breaks."""
    return _LINE_BREAKS.sub(" ", text).strip()


def to_short_line(*texts: str) -> str:
    """Return the first text that is not empty as one line of at most MAX_DESCRIPTION_LENGTH characters."""
    return shorten_text(next(filter(None, map(to_line, texts)), ""), MAX_DESCRIPTION_LENGTH)


def make_open_graph_locale(language: str) -> str | None:
    """Return the locale in the form of Open Graph, such as `de_AT`, or None if the region is unknown."""
    match = _LANGUAGE_AND_REGION.match(language)
    return f"{match[1].lower()}_{match[2].upper()}" if match else None
