"""Reads the cover, the language, the position and the robots of an article, and whether it is a page."""

from __future__ import annotations

import re

from blogapi.importing.formats.markdown.front_matter import Fields
from blogapi.importing.templates.tag_markup import is_image
from blogapi.importing.texts.languages import read_language
from blogapi.importing.texts.lines import MAX_URL_LENGTH, to_bool, to_line, to_plain_line
from blogapi.importing.texts.pictures import MAX_ALT_LENGTH

_COVER_FIELDS = (
    *("coverimage", "cover", "image", "featuredimage", "featureimage", "heroimage", "featured", "banner"),
    *("thumbnail", "images", "header.image", "header.overlayimage", "header.teaser"),
)  # fmt: skip
_OUTER_FIELDS = ("params", "extra", "metadata", "meta")
_INNER_FIELDS = (
    "coverimage",
    "cover",
    "image",
    "featuredimage",
    "heroimage",
    "banner",
    "thumbnail",
    "images",
)
# These fields can also have another meaning; they count only if they name an image.
_POSSIBLE_COVER_FIELDS = (
    *("coverimg", "featuredimg", "headerimage", "headerimg", "bannerimage", "bannerimg", "postimage"),
    *("topimg", "indeximg", "bigimg", "img", "backgroundimage", "background", "hero", "feature", "header"),
    *("splash", "photo", "photos", "picture", "thumb", "thumbnailimage", "teaser", "preview"),
    *("previewimage", "resources", "ogimage", "socialimage", "socialmediaimage", "shareimage"),
    *("sharingimage", "metaimage", "seoimage", "opengraphimage", "twitterimage", "seo.image"),
    *("seo.ogimage", "og.image", "opengraph.image", "twitter.image", "social.image", "header.ogimage"),
    *("image.teaser", "image.thumb"),
    *(f"{outer}.{inner}" for outer in _OUTER_FIELDS for inner in _INNER_FIELDS),
)  # fmt: skip
_URL_KEYS = ("url", "src", "image", "path", "file", "filename", "feature", "img", "source", "href")
# Names under which Hugo's page resources are the cover of their page.
_COVER_RESOURCE = re.compile("cover|feature|header|hero|thumb|banner", re.IGNORECASE)
_COVER_ALT_FIELDS = (
    *("coverimagealt", "coveralt", "imagealt", "featuredimagealt", "featureimagealt", "featuredalt"),
    *("heroimagealt", "heroalt", "bannerimagealt", "banneralt", "thumbnailalt", "ogimagealt"),
)  # fmt: skip


def read_cover(fields: Fields) -> tuple[str, str]:
    """Return the URL of the cover and its alternative text."""
    for name in (*_COVER_FIELDS, *_POSSIBLE_COVER_FIELDS):
        is_certain = name in _COVER_FIELDS
        url = _to_url(fields.take(name) if is_certain else fields.find(name))
        # Some themes use `featured: true` for another purpose.
        if not url or to_bool(url) is not None or not (is_certain or is_image(url)):
            continue
        value, scheme = fields.take(name), re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
        is_address = scheme[1].lower() in ("http", "https") if scheme else "." in url or "/" in url
        if is_address and len(url) <= MAX_URL_LENGTH:
            first = value[0] if isinstance(value, list) and value else value
            inner = to_plain_line(first.get("alt")) if isinstance(first, dict) else ""
            alt = inner or to_plain_line(fields.take_line(*_COVER_ALT_FIELDS))
            return url, alt[:MAX_ALT_LENGTH]
        fields.add_note(
            f"The cover image “{url[:100]}” was ignored: it is not an http(s) or relative URL "
            f"of at most {MAX_URL_LENGTH:,} characters."
        )
    return "", ""


def _to_url(value: object) -> str:
    if isinstance(value, list):
        resources = (item for item in value if isinstance(item, dict))
        covers = (item for item in resources if _COVER_RESOURCE.search(to_line(item.get("name"))))
        return _to_url(next(covers, value[0])) if value else ""
    if isinstance(value, dict):
        urls = (to_line(value.get(key)) for key in _URL_KEYS)
        return next(filter(None, urls), "")
    return to_line(value)


# Chirpy, Hexo and others show pinned articles first; Hexo's `sticky` is a number.
_FEATURED_FIELDS = ("featured", "pin", "pinned", "sticky")
_NOINDEX_FIELDS = ("noindex", "robotsnoindex", "seo.noindex", "params.noindex", "extra.noindex")
_LANGUAGE_FIELDS = ("lang", "language", "locale")
_KEY_FIELDS = ("translationkey", "pageid", "langref")
_ROBOTS_FIELDS = ("robots", "metarobots", "seo.robots", "params.robots", "extra.robots")


def read_featured(fields: Fields) -> bool:
    """Return whether the article is featured; `featured` can also be the address of a cover."""
    for name in _FEATURED_FIELDS:
        text = to_line(fields.find(name))
        is_on = text.isdecimal() and int(text[:9]) > 0 if name == "sticky" else to_bool(text)
        if is_on or to_bool(text):
            fields.take(name)
            return True
    return False


def read_is_page(fields: Fields) -> bool:
    """Return whether the article says that it is a page, as in Jekyll, Hexo and Hugo."""
    return any(to_line(fields.find(name)).casefold() == "page" for name in ("layout", "type"))


def read_position(fields: Fields) -> int:
    """Return the position of a page among its siblings; 0 if the front matter has none."""
    text = fields.take_line("weight", "navorder", "menuorder")
    return int(text[:9]) if text.isdecimal() else 0


def read_language_and_key(fields: Fields) -> tuple[str, str]:
    """Return the language of the article and the key that its translations share; "" for a missing value.

    They are fields of Hugo, Jekyll's Polyglot, Hexo and others.
    """
    languages = ((name, read_language(to_line(fields.find(name)))) for name in _LANGUAGE_FIELDS)
    name, language = next((pair for pair in languages if pair[1]), ("", ""))
    if name:
        fields.take(name)
    return language, fields.take_line(*_KEY_FIELDS, *(["ref"] if language else []))[:255]


def read_robots(fields: Fields) -> str:
    """Return the value of `robots` in the API: "noindex", "noindex, nofollow" or ""."""
    robots = fields.take_line(*_ROBOTS_FIELDS).casefold()
    is_hidden = "noindex" in robots or robots == "none"
    is_hidden |= any(to_bool(to_line(fields.take(name))) is True for name in _NOINDEX_FIELDS)
    # jekyll-sitemap, and Hugo since version 0.125.
    is_hidden |= to_bool(to_line(fields.find("sitemap"))) is False
    is_hidden |= to_bool(to_line(fields.find("sitemap.disable"))) is True
    if not is_hidden:
        return ""
    fields.take("sitemap")
    return "noindex, nofollow" if "nofollow" in robots or robots == "none" else "noindex"
