"""Reads whether an article is featured or a page, its position, its language and its rules for robots."""

from __future__ import annotations

from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.texts.languages import read_language
from blogapi.importing.texts.lines import to_bool, to_line

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
