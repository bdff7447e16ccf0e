"""Builds the addresses of pages from the path patterns of the site.

The functions named `make_…_url` return None if the address is unknown, because the site has no `url`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from importlib import resources
from posixpath import splitext
from typing import Any, cast
from urllib.parse import quote, unquote, unquote_plus, urljoin, urlsplit, urlunsplit
from uuid import UUID
from zoneinfo import ZoneInfo

import tzdata

from blogapi import clock
from blogapi.parsing import normalize_language
from blogapi.site.models import Site
from blogapi.site.queries import get_service_url
from blogapi.web.fields import WithAttributes
from blogapi.web.media_addresses import FILE_PATH


@cache
def list_time_zones() -> frozenset[str]:
    """Return the names of all time zones.

    They come from the package tzdata, so that every machine has the same names. `zoneinfo` also lists files
    of the operating system, such as `localtime`.
    """
    names = resources.files(tzdata).joinpath("zones").read_text(encoding="utf-8")
    return frozenset(names.split())


def to_time_zone(time: datetime, name: str) -> datetime:
    """Return the time (aware) in the time zone with this name; see `clock.convert_to_zone`."""
    # A zone that the operating system lacks comes from the package tzdata.
    return clock.convert_to_zone(time, ZoneInfo(name))


TERM_PLACEHOLDERS = ("slug", "uuid")
# `/language` is empty in the language of the site. `local_slug` is the slug without the language at its end.
_LANGUAGE_PLACEHOLDERS = ("language", "/language")
PAGE_PLACEHOLDERS = ("path", *TERM_PLACEHOLDERS, *_LANGUAGE_PLACEHOLDERS)
ARTICLE_PLACEHOLDERS = (
    *(*TERM_PLACEHOLDERS, "year", "month", "day", "category"),
    *(*_LANGUAGE_PLACEHOLDERS, "local_slug"),
)

# A path pattern must contain one of these placeholders, so that each item has an address of its own.
_UNIQUE_PLACEHOLDERS = {"slug", "uuid", "path", "local_slug"}
_ADDRESS_COLUMNS = ("uuid", "slug", "category_slug", "published_at", "language")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# The patterns of the values that placeholders have in paths. All other placeholders stand for slugs.
_VALUE_PATTERNS = {
    **{"uuid": "[0-9a-f-]{36}", "year": "[0-9]{4}", "month": "[0-9]{2}", "day": "[0-9]{2}"},
    "language": "[A-Za-z0-9-]+",
    "path": "[^/]+(?:/[^/]+)*",
}
# A percent sign that does not begin an escape such as %20.
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def make_article_url(
    site: Site,
    *,
    uuid: UUID | str,
    slug: str,
    category_slug: str,
    published_at: datetime | None,
    language: str,
) -> str | None:
    """Return the absolute address of the article's page, or None if the article has no publication time."""
    if published_at is None or not site.url:
        return None
    return site.url + make_article_path(
        site, uuid=uuid, slug=slug, category_slug=category_slug, published_at=published_at, language=language
    )


def make_row_url(site: Site, row: Any) -> str | None:
    """Return the absolute address of the article in a row with the columns that `make_article_url` needs."""
    return make_article_url(site, **get_article_address_values(row))


def get_article_address_values(row: Any) -> dict[str, Any]:
    """Return the columns of an article's row that determine the address of its page."""
    return {name: getattr(row, name) for name in _ADDRESS_COLUMNS}


def make_article_path(
    site: Site, *, uuid: UUID | str, slug: str, category_slug: str, published_at: datetime, language: str
) -> str:
    """Return the path of the article's page below the address of the site.

    The date in the path is the date of `published_at` in the time zone of the site. An empty `language`
    stands for the language of the site.
    """
    date = clock.convert_to_zone(published_at, ZoneInfo(site.time_zone))
    values = {
        **{"uuid": str(uuid), "slug": slug, "category": category_slug},
        **{"year": f"{date.year:04}", "month": f"{date.month:02}", "day": f"{date.day:02}"},
        **_make_language_values(site.language, slug, language),
    }
    return _fill_pattern(site.article_path, values)


def _make_language_values(site_language: str, slug: str, language: str) -> dict[str, str]:
    default = normalize_language(site_language)
    if language in ("", default):
        return {"language": default.lower(), "/language": "", "local_slug": slug}
    name = language.lower()
    return {"language": name, "/language": f"/{name}", "local_slug": slug.removesuffix(f"-{name}")}


def make_page_path(site: Site, *, uuid: UUID | str, slugs: Sequence[str], language: str) -> str:
    """Return the path of a page below the address of the site; `slugs` begin with the outermost page."""
    values = {
        **{"uuid": str(uuid), "slug": slugs[-1], "path": "/".join(slugs)},
        **_make_language_values(site.language, slugs[-1], language),
    }
    return _fill_pattern(site.page_path, values)


def make_term_url(site: Site, kind: str, *, uuid: UUID | str, slug: str) -> str | None:
    """Return the absolute address of the page of a term; `kind` is `category`, `tag` or `author`."""
    return site.url + make_term_path(site, kind, uuid=uuid, slug=slug) if site.url else None


def make_term_path(site: Site, kind: str, *, uuid: UUID | str, slug: str) -> str:
    """Return the path of the page of a term below the address of the site."""
    return _fill_pattern(getattr(site, f"{kind}_path"), {"uuid": str(uuid), "slug": slug})


def make_possible_path(site: Site, kind: str, slug: str) -> str:
    """Return a path that an item of this kind and slug can have, with dummy values for other placeholders."""
    values = dict.fromkeys((*PAGE_PLACEHOLDERS, *ARTICLE_PLACEHOLDERS), "-")
    values |= {"slug": slug, "local_slug": slug, "path": slug, "/language": ""}
    values["language"] = normalize_language(site.own_language).lower()
    return _fill_pattern(getattr(site, f"{kind}_path"), values)


def parse_path(site: Site, kind: str, path: str) -> dict[str, str | None] | None:
    """Return the values of the placeholders in the path of a page; None if no page of the kind has the path.

    `path` is decoded; a slash at its end is ignored. The language can be None for the language of the site.
    `kind` is `article`, `page`, `category`, `tag` or `author`. The value `path` of a page contains the slugs
    of the pages above it and its own slug.
    """
    match = _compile_path_pattern(urlsplit(site.url).path, getattr(site, f"{kind}_path")).fullmatch(path)
    return match and match.groupdict()


def list_possible_slugs(values: Mapping[str, str | None]) -> list[str]:
    """Return the slugs that an item whose path has these values of placeholders can have, or its uuid."""
    slug, language = values.get("local_slug"), values.get("language")
    if slug:
        return [slug, *([f"{slug}-{language.lower()}"] if language else [])]
    return [name for name in (values.get("slug") or values.get("uuid"),) if name]


def make_preview_url(site: Site, token: str) -> str | None:
    """Return the address of the preview page of the site, with the token as the query parameter `token`.

    The token replaces a parameter `token` in `preview_url`. Returns None if the site has no preview page.
    """
    page = make_absolute_address(site.preview_url, site.url)
    if page is None:
        return None
    parts = urlsplit(page)
    pairs = parts.query.split("&")
    others = (pair for pair in pairs if pair and unquote_plus(pair.partition("=")[0]) != "token")
    return urlunsplit(parts._replace(query="&".join([*others, f"token={token}"])))


def list_languages(site: Site) -> Sequence[str]:
    """Return the normalized languages of the site; the first is the main language."""
    return [normalize_language(site.own_language), *(other["language"] for other in site.other_languages)]


def localize_site(site: Site, language: str) -> Site:
    """Return the site with its title and description in the language, if they exist in this language.

    An empty language stands for the language of the site.
    """
    if language in ("", normalize_language(site.language)):
        return site
    for other in site.other_languages:
        if other["language"] == language:
            title, description = other["title"] or site.title, other["description"] or site.description
            changed = WithAttributes(site, language=language, title=title, description=description)
            return cast(Site, changed)
    return cast(Site, WithAttributes(site, language=language))


def make_home_paths(site: Site) -> dict[str, str]:
    """Return the paths of the home pages by language; the language of the site is first."""
    return {language: make_home_path(localize_site(site, language)) for language in list_languages(site)}


def make_home_url(site: Site) -> str | None:
    """Return the absolute address of the home page in the language of `site`; see `make_home_path`."""
    return f"{site.url}{make_home_path(site)}" if site.url else None


def make_home_path(site: Site) -> str:
    """Return the path of the home page in the language of `site`, or `/` if the site does not list it.

    The path begins with the language if the path pattern of articles or of pages does. If the built-in site
    is on, each listed language has a home page, even if the patterns do not begin with the language.
    """
    language, languages = normalize_language(site.language), list_languages(site)
    if language not in languages:
        return "/"
    patterns = (site.article_path, site.page_path)
    prefixes = ("/{language}/", "{/language}/")
    used = [prefix for prefix in prefixes if any(pattern.startswith(prefix) for pattern in patterns)]
    default = "{/language}/" if site.built_in else "/"
    values = _make_language_values(site.own_language, "", language)
    return _fill_pattern((used or [default])[0], values)


def make_numbered_url(url: str, number: int) -> str:
    """Return the address, or the path, of a page of the list whose first page is at `url`.

    The second page of `/tag/rye/`, and of `/tag/rye.html`, is `/tag/rye/page/2/`.
    """
    if number == 1:
        return url
    parts = urlsplit(url)
    folder = parts.path if parts.path.endswith("/") else f"{splitext(parts.path)[0]}/"
    return urlunsplit(parts._replace(path=f"{folder}page/{number}/"))


def make_absolute_address(address: str, *bases: str) -> str | None:
    """Return the absolute address, with relative addresses resolved against the first base that is not empty.

    An address that begins with a slash is also relative to the base, and not to the host of the base. Returns
    None if the address is empty, or if it is relative and all bases are empty.
    """
    if not address or urlsplit(address).scheme:
        return address or None
    base = next(filter(None, bases), None)
    # Without `./`, a colon in the first segment would be read as the end of a scheme.
    return urljoin(f"{base}/", f"./{address.lstrip('/')}") if base else None


def make_absolute_picture_url(site: Site, address: str) -> str | None:
    """Return the absolute address of a picture, or None if it is unknown.

    A relative address is relative to the service, or else to the site. A file of the media library is always
    at the address of the service.
    """
    is_file = FILE_PATH.fullmatch(address)
    return make_absolute_address(address, get_service_url(site), "" if is_file else site.url)


def find_path_pattern_mistakes(pattern: str, placeholders: tuple[str, ...]) -> list[str]:
    """Return a sentence for each mistake in a path pattern, for the person who wrote it."""
    names = _PLACEHOLDER.findall(pattern)
    allowed = ", ".join(f"{{{name}}}" for name in placeholders)
    problems = [
        f"{{{name}}} is not a placeholder; use {allowed}." for name in names if name not in placeholders
    ]
    if not pattern.startswith(("/", "{/language}/")) or pattern.startswith("//"):
        problems.append("Must begin with one slash.")
    if "/{/language}" in pattern:
        problems.append("Write {/language} without a slash before it, because it contains this slash.")
    if re.search(r"[{}]", _PLACEHOLDER.sub("", pattern)):
        problems.append("Contains a brace without its counterpart.")
    if not _UNIQUE_PLACEHOLDERS & set(names):
        unique = [f"{{{name}}}" for name in placeholders if name in _UNIQUE_PLACEHOLDERS]
        problems.append(f"Must contain {' or '.join(unique)}.")
    if "local_slug" in names and not {*_LANGUAGE_PLACEHOLDERS} & set(names):
        problems.append("With {local_slug}, the pattern must contain {language} or {/language}.")
    return problems


def _fill_pattern(pattern: str, values: Mapping[str, str]) -> str:
    # The slashes in the values of `path` and `/language` separate segments, so they are not escaped.
    quoted = {
        name: quote(value, safe="/" if name in ("path", "/language") else "")
        for name, value in values.items()
    }
    return _PLACEHOLDER.sub(lambda match: quoted[match[1]], _escape_pattern(pattern))


@lru_cache(maxsize=64)
def _compile_path_pattern(folder: str, pattern: str) -> re.Pattern[str]:
    """Return a pattern that matches the decoded paths of pages below a folder."""
    names, expression = set[str](), re.escape(unquote(folder))
    for index, text in enumerate(_PLACEHOLDER.split(re.split(r"[?#]", pattern)[0])):
        if index % 2 == 0:
            expression += re.escape(unquote(text))
        elif text == "/language":
            if "language" not in names:
                expression += f"(?:/(?P<language>{_VALUE_PATTERNS['language']}))?"
            names.add("language")
        elif text in names:
            expression += f"(?P={text})"
        else:
            names.add(text)
            expression += f"(?P<{text}>{_VALUE_PATTERNS.get(text, '[^/]+')})"
    return re.compile(f"{expression.rstrip('/')}/?")


@lru_cache(maxsize=64)
def _escape_pattern(pattern: str) -> str:
    """Return the pattern with each character that a URL cannot contain percent-encoded."""
    return quote(_BARE_PERCENT.sub("%25", pattern), safe="/:?#@!$&'()*+,;=~%{}")
