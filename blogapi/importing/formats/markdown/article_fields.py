"""Read the cover, the language and other fields of an article, its status, and its date of publication."""

from __future__ import annotations

import re
from datetime import datetime

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown.front_matter import FrontMatter
from blogapi.importing.formats.markdown.paths import PathInfo
from blogapi.importing.templates.tag_markup import is_image
from blogapi.importing.texts import dates, lines
from blogapi.importing.texts.dates import Zones
from blogapi.importing.texts.languages import read_language
from blogapi.importing.texts.lines import MAX_URL_LENGTH, is_empty, to_bool, to_line, to_plain_line
from blogapi.importing.texts.media_references import MAX_ALT_LENGTH
from blogapi.importing.texts.messages import IMPORT_TIME_NOTE

_COVER_FIELDS = lines.split_words("""coverimage cover image featuredimage featureimage heroimage featured
    banner thumbnail images header.image header.overlayimage header.teaser""")
_OUTER_MAPPINGS = ("params", "extra", "metadata", "meta")
_INNER_COVERS = lines.split_words("coverimage cover image featuredimage heroimage banner thumbnail images")
# These fields can also have another meaning; such a field is the cover only if its value is an image file.
_POSSIBLE_COVER_FIELDS = (
    *lines.split_words("""coverimg featuredimg headerimage headerimg bannerimage bannerimg postimage topimg
    indeximg bigimg img backgroundimage background hero feature header splash photo photos picture thumb
    thumbnailimage teaser preview previewimage resources ogimage socialimage socialmediaimage shareimage
    sharingimage metaimage seoimage opengraphimage twitterimage seo.image seo.ogimage og.image
    opengraph.image twitter.image social.image header.ogimage image.teaser image.thumb"""),
    *(f"{outer}.{inner}" for outer in _OUTER_MAPPINGS for inner in _INNER_COVERS),
)
_URL_KEYS = ("url", "src", "image", "path", "file", "filename", "feature", "img", "source", "href")
# A page resource of Hugo with such a name is the cover of its page.
_COVER_RESOURCE = re.compile("cover|feature|header|hero|thumb|banner", re.IGNORECASE)
_COVER_ALT_FIELDS = lines.split_words("""coverimagealt coveralt imagealt featuredimagealt featureimagealt
    featuredalt heroimagealt heroalt bannerimagealt banneralt thumbnailalt ogimagealt""")

# Chirpy, Hexo and others show pinned articles first; Hexo's `sticky` is a number.
_FEATURED_FIELDS = ("featured", "pin", "pinned", "sticky")
_NOINDEX_FIELDS = ("noindex", "robotsnoindex", "seo.noindex", "params.noindex", "extra.noindex")
_LANGUAGE_FIELDS = ("lang", "language", "locale")
_TRANSLATION_KEY_FIELDS = ("translationkey", "pageid", "langref")
_ROBOTS_FIELDS = ("robots", "metarobots", "seo.robots", "params.robots", "extra.robots")
_ARCHIVED_STATUSES = ("archived", "archive")
_WORD_BORDER = re.compile(r"[^A-Za-z]|(?<=[a-z])(?=[A-Z])")


def read_cover(fields: FrontMatter) -> tuple[str, str]:
    """Return the URL of the cover and its alternative text."""
    for name in (*_COVER_FIELDS, *_POSSIBLE_COVER_FIELDS):
        is_certain = name in _COVER_FIELDS
        url = _find_image_url(fields.take_value(name) if is_certain else fields.find_value(name))
        # Some themes use `featured: true` for another purpose.
        if not url or to_bool(url) is not None or not (is_certain or is_image(url)):
            continue
        value, scheme = fields.take_value(name), re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
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


def _find_image_url(value: object) -> str:
    if isinstance(value, list):
        resources = (item for item in value if isinstance(item, dict))
        covers = (item for item in resources if _COVER_RESOURCE.search(to_line(item.get("name"))))
        return _find_image_url(next(covers, value[0])) if value else ""
    if isinstance(value, dict):
        urls = (to_line(value.get(key)) for key in _URL_KEYS)
        return next(filter(None, urls), "")
    return to_line(value)


def read_featured(fields: FrontMatter) -> bool:
    """Return whether the article is featured; `featured` can also be the address of a cover."""
    for name in _FEATURED_FIELDS:
        text = to_line(fields.find_value(name))
        if to_bool(text) or (name == "sticky" and text.isdecimal() and int(text[:9]) > 0):
            fields.take_value(name)
            return True
    return False


def read_language_and_translation_key(fields: FrontMatter) -> tuple[str, str]:
    """Return the language of the article and the key that its translations share; "" for a missing value.

    Hugo, Hexo, the plugin Polyglot of Jekyll and other generators have fields with these values.
    """
    languages = ((name, read_language(to_line(fields.find_value(name)))) for name in _LANGUAGE_FIELDS)
    name, language = next((pair for pair in languages if pair[1]), ("", ""))
    if name:
        fields.take_value(name)
    return language, fields.take_line(*_TRANSLATION_KEY_FIELDS, *(["ref"] if language else []))[:255]


def read_robots(fields: FrontMatter) -> str:
    """Return the value of `robots` in the API: "noindex", "noindex, nofollow" or ""."""
    robots = fields.take_line(*_ROBOTS_FIELDS).casefold()
    is_hidden = "noindex" in robots or robots == "none"
    is_hidden |= any(to_bool(to_line(fields.take_value(name))) is True for name in _NOINDEX_FIELDS)
    # The plugin jekyll-sitemap reads `sitemap: false`, and Hugo since version 0.125 `sitemap.disable`.
    is_hidden |= to_bool(to_line(fields.find_value("sitemap"))) is False
    is_hidden |= to_bool(to_line(fields.find_value("sitemap.disable"))) is True
    if not is_hidden:
        return ""
    fields.take_value("sitemap")
    return "noindex, nofollow" if "nofollow" in robots or robots == "none" else "noindex"


def decide_publication(
    fields: FrontMatter, path: PathInfo, reasons: list[DraftReason], options: ImportOptions, zones: Zones
) -> tuple[str, datetime | None]:
    """Return the status and the time of publication (aware, UTC; None if unknown), and add notes to `fields`.

    An article with an unreadable value becomes a draft, because publishing a private article is worse than
    publishing an article late. A date field that is also a custom field stays a custom field.
    """
    published_at = _find_date(fields, path, options, zones)
    is_certain = not _has_unclear_date(fields, path, published_at, options.now, zones)
    is_unlisted = bool(reasons) and all(reason.is_unlisted for reason in reasons)
    if is_unlisted and is_certain:
        fields.take_value("build")
        return "unlisted", published_at
    for note in filter(None, dict.fromkeys(reason.note for reason in reasons)):
        fields.add_note(note)
    if reasons or not is_certain:
        return "draft", published_at
    field = next((name for name in privacy_signs.ARCHIVING_FIELDS if to_bool(fields.find_value(name))), "")
    if field:
        fields.add_note(f"It has `{field}: {to_line(fields.take_value(field))}`; the article was archived.")
    if field or fields.take_line("status").casefold() in _ARCHIVED_STATUSES:
        return "archived", published_at
    if not published_at and not fields.all_entries and not options.publish_undated:
        fields.add_note(
            "It has no head (front matter) and no date; the article became a draft "
            "(--publish-undated publishes it)."
        )
        return "draft", None
    name = next((name for name in privacy_signs.EXPIRY_FIELDS if not is_empty(fields.find_value(name))), "")
    value = _take_unless_custom(fields, name, options)
    if not (dates.is_missing_date(value) or to_bool(value) is False):
        expires_at, text = dates.parse_date(value, zones), to_line(value)[:100]
        if not expires_at:
            fields.add_note(f"The expiry date “{text}” could not be read; the article became a draft.")
            return "draft", published_at
        if expires_at <= options.now:
            fields.add_note(f"It expired on {text}; the article was archived.")
            return "archived", published_at
        fields.add_note(f"The expiry date “{text}” was ignored; the article will not expire.")
    if not published_at:
        fields.add_note(IMPORT_TIME_NOTE)
    return "published", published_at


def _find_date(fields: FrontMatter, path: PathInfo, options: ImportOptions, zones: Zones) -> datetime | None:
    # Material for MkDocs: `date: {created: …, updated: …}`.
    values = [
        *map(fields.take_value, privacy_signs.PREFERRED_DATE_FIELDS),
        *map(fields.find_value, ("date.created", "date.published")),
    ]
    times = filter(None, (_parse_time("", value, zones) for value in values))
    if found := max(times, default=None) or dates.parse_date(path.day, zones):
        return found
    addresses = (fields.take_line(name) for name in ("path", "url", "permalink"))
    if day := next(filter(None, map(dates.find_date_in_path, addresses)), None):
        return dates.parse_date(day, zones)
    outer = ("", *(f"{name}." for name, prefix in privacy_signs.MAPPING_PREFIXES.items() if not prefix))
    names = (f"{table}{name}" for table in outer for name in privacy_signs.DATE_FIELDS)
    name = next((name for name in names if _parse_time(name, fields.find_value(name), zones)), "")
    return _parse_time(name, _take_unless_custom(fields, name, options), zones)


def _parse_time(name: str, value: object, zones: Zones) -> datetime | None:
    if dates.is_missing_date(value):
        return None
    return dates.parse_date(value, Zones(zones.days) if name.endswith("gmt") else zones)


def _take_unless_custom(fields: FrontMatter, name: str, options: ImportOptions) -> object:
    """Return the value of a field; mark it as used, unless it is a custom field."""
    is_custom = options.custom_fields.find(name.rpartition(".")[2])
    return fields.find_value(name) if is_custom else fields.take_value(name)


def _has_unclear_date(
    fields: FrontMatter, path: PathInfo, published_at: datetime | None, now: datetime, zones: Zones
) -> bool:
    """Return whether a later or unreadable date of publication makes the article a draft; add notes."""
    day = dates.parse_date(path.day, zones)
    for key, name, value in privacy.flatten_entries(fields.all_entries):
        words = set(_WORD_BORDER.sub(" ", key).casefold().split())
        if name in privacy_signs.EXPIRY_FIELDS or not (
            name in privacy_signs.DATE_FIELDS or words & privacy_signs.PUBLICATION_DATE_WORDS
        ):
            continue
        time = _parse_time(name, value, zones)
        if time and time > max(published_at or now, now):
            problem = f"`{to_line(key)[:60]}` is in the future ({to_line(value)})"
            fields.add_note(f"Its {problem}; the article became a draft.")
            return True
        years = re.findall(
            r"(?<!\d)2\d{3}(?!\d)", to_line(value)[:100] if name in privacy_signs.DATE_FIELDS else ""
        )
        if time or not (max(years, default="") > str(now.year) or _is_unreadable_date(key, name, value)):
            continue
        problem = f"The date “{to_line(value)[:100]}” could not be read"
        if not (day and day == published_at and name in privacy_signs.PREFERRED_DATE_FIELDS):
            fields.add_note(f"{problem}; the article became a draft.")
            return True
        fields.add_note(f"{problem}; the date in the file's path, {path.day}, was used.")
    return False


def _is_unreadable_date(key: str, name: str, value: object) -> bool:
    """Return whether the value should be a date but is none; fields that can be true or false are ignored."""
    if (
        not privacy_signs.DATE_FIELDS.get(name)
        or name in privacy_signs.FIELD_RULES
        or dates.is_missing_date(value)
        or is_empty(value)
    ):
        return False
    if name in privacy_signs.PREFERRED_DATE_FIELDS:
        return "." not in key and not (name == "date" and isinstance(value, dict))
    return to_bool(value) is not False
