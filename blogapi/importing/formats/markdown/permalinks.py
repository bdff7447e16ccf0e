"""Find the addresses and names of an article in its former blog.

They are in the front matter of the article, or follow from the configuration of the generator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from blogapi.importing.formats.markdown import paths
from blogapi.importing.formats.markdown.front_matter import FrontMatter
from blogapi.importing.formats.markdown.generators import GeneratorSite
from blogapi.importing.texts import titles
from blogapi.importing.texts.lines import to_line, to_mapping
from blogapi.rendering.slugs import is_slug

# The first of these fields with a slug gives the slug of the article; the others give former addresses.
ADDRESS_FIELDS = ("slug", "basename", "path", "url", "permalink")
_FORMER_ADDRESS_FIELDS = ("aliases", "alias", "redirectfrom")
_MAX_FORMER_ADDRESSES = 100

_JEKYLL_DATE_FORM = "/:categories/:year/:month/:day/:title"
#: The named permalink styles of Jekyll, which uses `date` if there is no setting.
_JEKYLL_STYLES = {
    "date": f"{_JEKYLL_DATE_FORM}:output_ext",
    "pretty": f"{_JEKYLL_DATE_FORM}/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
_HEXO_ADDRESS_FORM = ":year/:month/:day/:title/"
_PELICAN_ADDRESS_SETTING = re.compile(r"^ARTICLE_URL[ \t]*=[ \t]*[\"']([^\"'\n]*)[\"']", re.MULTILINE)
_PELICAN_SITE_SETTING = re.compile(r"^SITEURL[ \t]*=[ \t]*[\"']([^\"'\n]*)[\"']", re.MULTILINE)
#: The settings, as normalized keys, with the address of the blog or its path.
_ROOT_SETTINGS = {"jekyll": "baseurl", "hexo": "root", "hugo": "baseurl"}
_PLACEHOLDER = re.compile(r":([a-z_]+)(?:\[[^\]]{0,99}\])?|\{(\w+)(?::([^{}]*))?\}")
_JEKYLL_SEPARATORS = re.compile(r"[^\w.~!$&'()+,;=@-]+|(?<=-)-+")
_HEXO_SEPARATORS = re.compile(r"[\x00-\x1f\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'<>,.?/]+")
_ADDRESS_VALUES: dict[str, _AddressValues] = {
    "jekyll": {
        "title": lambda parts: _JEKYLL_SEPARATORS.sub("-", parts.slug or parts.name).strip("-"),
        "slug": lambda parts: _make_jekyll_slug(parts.slug or parts.name),
        "name": lambda parts: _make_jekyll_slug(parts.name),
        "categories": lambda parts: "/".join(dict.fromkeys(name.lower() for name in parts.categories)),
        "slugified_categories": lambda parts: "/".join(map(_make_jekyll_slug, parts.categories)),
        "output_ext": lambda parts: ".html",
    },
    "hexo": {
        "title": lambda parts: "/".join((*parts.section, parts.name)),
        "name": lambda parts: parts.name,
        "post_title": lambda parts: _make_hexo_slug(parts.title),
        "category": lambda parts: "/".join(map(_make_hexo_slug, parts.categories)) or "uncategorized",
        "lang": lambda parts: parts.language or None,
    },
    "hugo": {
        "title": lambda parts: _make_hugo_slug(parts.title),
        "slug": lambda parts: _make_hugo_slug(parts.slug or parts.title),
        "slugorfilename": lambda parts: _make_hugo_slug(parts.slug or parts.name),
        "slugorcontentbasename": lambda parts: _make_hugo_slug(parts.slug or parts.name),
        "filename": lambda parts: _make_hugo_slug(parts.name),
        "contentbasename": lambda parts: _make_hugo_slug(parts.name),
        "section": lambda parts: _make_hugo_slug(parts.section[0]) if parts.section else "",
        "sections": lambda parts: "/".join(map(_make_hugo_slug, parts.section)),
    },
    "pelican": {
        "slug": lambda parts: parts.slug or paths.make_pelican_slug(parts.title),
        "category": lambda parts: paths.make_pelican_slug(parts.categories[0]) if parts.categories else None,
        "lang": lambda parts: parts.language or None,
    },
}


def read_former_slugs(fields: FrontMatter, slug: str) -> tuple[str, ...]:
    """Return the former slugs of the article, except `slug`; `read_addresses` returns the addresses."""
    lines = [line for name in _FORMER_ADDRESS_FIELDS for line in _flatten_to_lines(fields.take_value(name))]
    usable = lines[:_MAX_FORMER_ADDRESSES]
    redirected = {line for line in usable if titles.to_former_path(line).strip("/")}
    lost = [line for line in lines if titles.is_address(line) and line not in redirected]
    if lost:
        more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        fields.add_note(
            f"There is no redirect from “{lost[0][:100]}”{more}, because it is not the path of a page, or "
            f"because the article has more than {_MAX_FORMER_ADDRESSES} redirects."
        )
    own_addresses = (fields.take_line(name) for name in ADDRESS_FIELDS)
    names = (line for line in (*usable, *own_addresses) if not titles.is_address(line) and is_slug(line))
    return tuple(dict.fromkeys(name for name in names if name != slug))


def read_addresses(fields: FrontMatter) -> tuple[str, ...]:
    """Return the paths of the article in its former blog, its own address first."""
    own_addresses = (to_line(fields.find_value(name)) for name in ("permalink", "url", "path"))
    aliases = [line for name in _FORMER_ADDRESS_FIELDS for line in _flatten_to_lines(fields.find_value(name))]
    addresses = [*own_addresses, *filter(titles.is_address, aliases[:_MAX_FORMER_ADDRESSES])]
    return tuple(dict.fromkeys(filter(None, map(titles.to_former_path, addresses))))


def read_aliases(fields: FrontMatter) -> tuple[str, ...]:
    """Return the aliases of Obsidian, which are names and not addresses; a text is split at commas too."""
    values = [value for name in ("aliases", "alias") if (value := fields.find_value(name))]
    lines = [line for value in values for line in _flatten_to_lines(value)]
    parts = [part.strip() for value in values if isinstance(value, str) for part in value.split(",")]
    names = [line for line in (*lines, *parts) if line and not titles.is_address(line)]
    return tuple(dict.fromkeys(names))[:_MAX_FORMER_ADDRESSES]


def _flatten_to_lines(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for child in value:
            yield from _flatten_to_lines(child)
    elif line := to_line(value):
        yield line


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressParts:
    """The parts of an address; `time` is in the zone of the site."""

    name: str  #: the name of the file without its date
    slug: str  #: the slug in the front matter, or ""
    title: str
    categories: Sequence[str]
    section: tuple[str, ...] = ()  #: the folders below the folder of the content
    time: datetime | None
    language: str = ""


def describe_lost_addresses(site: GeneratorSite) -> str:
    """Return the sentence for the report if the addresses of a site cannot be computed, or ""."""
    form = _find_permalink_pattern(site, ())
    known = {*_ADDRESS_VALUES.get(site.generator, ()), *_TIME_FORMATS, "date"}
    if all((token[1] or token[2]) in known for token in _PLACEHOLDER.finditer(form)):
        return ""
    return (
        f"The former addresses of articles are not kept, because “{site.configuration}” gives them the form "
        f"`{form[:100]}`; set `article_path` of this site to a similar form to keep them."
    )


def compute_addresses(site: GeneratorSite | None, path: Path, parts: AddressParts) -> tuple[str, ...]:
    """Return the path of a post in its former blog; () if it is unknown, or if the file is no post."""
    if site is None or site.generator not in _ADDRESS_VALUES or not path.is_relative_to(site.folder):
        return ()
    folders = path.relative_to(site.folder).parts[:-1]
    content = {"jekyll": "_posts", "hexo": "_posts", "hugo": "content"}.get(site.generator)
    if content:
        if content not in folders:
            return ()
        folders = folders[folders.index(content) + 1 :]
    is_bundle = paths.is_index(path.name) and folders and site.generator != "jekyll"
    parts = replace(parts, section=folders[:-1] if is_bundle else folders)
    form, values = _find_permalink_pattern(site, parts.section), _ADDRESS_VALUES[site.generator]

    def insert_value(token: re.Match[str]) -> str:
        name, pattern = token[1] or token[2], token[3] or ""
        if name == "date" and pattern and parts.time:
            # Windows has no `%-d`, the day without a zero at the start.
            for code in set(re.findall("%-([A-Za-z])", pattern)):
                pattern = pattern.replace(f"%-{code}", parts.time.strftime(f"%{code}").lstrip("0") or "0")
            return parts.time.strftime(pattern)
        if name in _TIME_FORMATS and parts.time:
            text = _TIME_FORMATS[name].format(parts.time)
            return text.lower() if name.endswith("name") else text.lstrip("0") if name == "yearday" else text
        value = values[name](parts) if name in values else None
        # An unknown placeholder stays in the address, and an address with a placeholder is not used.
        return token[0] if value is None else value

    try:
        address = _PLACEHOLDER.sub(insert_value, form)
    except ValueError:  # Windows refuses parts of dates that it does not know.
        return ()
    if not form or ":" in address or "{" in address:
        return ()
    root = to_line(site.settings.get(_ROOT_SETTINGS.get(site.generator, "")))
    if site.generator == "pelican" and (found := _PELICAN_SITE_SETTING.search(site.text)):
        root = found[1]
    address = re.sub("/{2,}", "/", f"/{urlsplit(root).path.strip('/')}/{address}")
    return (address,) if address.strip("/") else ()


@lru_cache(maxsize=1024)
def _find_permalink_pattern(site: GeneratorSite, section: tuple[str, ...]) -> str:
    settings = site.settings
    if site.generator == "jekyll":
        form = to_line(settings.get("permalink")) or "date"
        return _JEKYLL_STYLES.get(form, form)
    if site.generator == "hexo":
        return to_line(settings.get("permalink")) or _HEXO_ADDRESS_FORM
    if site.generator == "pelican":
        found = _PELICAN_ADDRESS_SETTING.search(site.text)
        return found[1] if found else ""
    if site.generator != "hugo":
        return ""
    forms = to_mapping(settings.get("permalinks"))
    forms = forms | to_mapping(forms.get("page"))
    names = [section[0], "/"] if section else ["/", *forms]
    return next((to_line(forms[name]) for name in names if to_line(forms.get(name))), "")


def _make_jekyll_slug(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text).strip("-").lower()


def _make_hexo_slug(text: str) -> str:
    return _HEXO_SEPARATORS.sub("-", text).strip("-")


def _make_hugo_slug(text: str) -> str:
    kept = "".join(letter for letter in text.strip() if letter.isalnum() or letter in " ._/#+~-@%")
    return re.sub(r"-{2,}", "-", kept.replace(" ", "-")).lower()


_AddressValues = Mapping[str, Callable[[AddressParts], str | None]]
#: The format of each time placeholder, for `str.format`. If it ends with `name`, the result is lower-cased.
_TIME_FORMATS = {
    **{"year": "{:%Y}", "month": "{:%m}", "day": "{:%d}", "short_year": "{:%y}", "i_month": "{0.month}"},
    **{"i_day": "{0.day}", "hour": "{:%H}", "minute": "{:%M}", "second": "{:%S}", "y_day": "{:%j}"},
    **{"monthname": "{:%B}", "weekdayname": "{:%A}", "long_month": "{:%B}", "short_month": "{:%b}"},
    **{"yearday": "{:%j}", "weekday": "{:%w}"},
}
