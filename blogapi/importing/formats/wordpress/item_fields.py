"""Read the fields of a WordPress item: its custom fields (`wp:postmeta`), SEO fields, status and date."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from blogapi.importing.format_api import privacy, privacy_signs
from blogapi.importing.format_api.article_record import Guess
from blogapi.importing.format_api.privacy import choose_status, make_guess
from blogapi.importing.format_api.source import CustomFieldFinder
from blogapi.importing.texts import dates
from blogapi.importing.texts.dates import Zones
from blogapi.importing.texts.lines import to_http_url, to_line, to_plain_line
from blogapi.importing.texts.xml_elements import Element

# The maximum number of names that are counted apart. Counting further names together limits the memory.
_MAX_NAMES = 200
_PING_TYPES = ("pingback", "trackback")
# The names in the report, by the value of `wp:comment_approved`.
_REMOVED_COMMENT_NAMES = {
    "spam": "spam comments",
    "trash": "comments in the trash",
    "post-trashed": "comments in the trash",
}

# Maps each SEO field of a record to the custom fields in which plugins store its value.
_SEO_TEXTS = {
    "seo_title": "_yoast_wpseo_title rank_math_title _aioseo_title _aioseop_title _seopress_titles_title "
    "jetpack_seo_html_title _genesis_title",
    "seo_description": "_yoast_wpseo_metadesc rank_math_description _aioseo_description _aioseop_description "
    "_seopress_titles_desc advanced_seo_description _genesis_description",
}
_SEO_URLS = {
    "canonical_url": "_yoast_wpseo_canonical rank_math_canonical_url _aioseo_canonical_url "
    "_seopress_robots_canonical _genesis_canonical_uri",
    "og_image": "_yoast_wpseo_opengraph-image rank_math_facebook_image _seopress_social_fb_img "
    "_social_image_url",
}
_NOINDEX_FIELDS = ("_yoast_wpseo_meta-robots-noindex", "_seopress_robots_index", "_genesis_noindex")
_NOFOLLOW_FIELDS = ("_yoast_wpseo_meta-robots-nofollow", "_seopress_robots_follow", "_genesis_nofollow")
SEO_FIELDS = frozenset(key for keys in (*_SEO_TEXTS.values(), *_SEO_URLS.values()) for key in keys.split())
# Matches `%%title%%` of Yoast and SEOPress, `%title%` of Rank Math, and `#post_title` of All in One SEO.
_VARIABLE = re.compile(r"%%?([a-z][a-z0-9_-]{1,40})%%?|#([a-z]+(?:_[a-z]+){1,4})\b")
_VARIABLE_ALIASES = {
    "post_title": "title", "site_title": "sitename", "blog_title": "sitename", "sitetitle": "sitename",
    "separator_sa": "sep", "post_excerpt": "excerpt", "excerpt_only": "excerpt", "pagenumber": "page",
    "pagetotal": "page", "current_pagination": "page",
}  # fmt: skip
_DEFAULT_VARIABLES = frozenset({"title", "sep", "page", "sitename"})
# Custom fields that other rules read, or in which wordpress.com keeps its state.
_KNOWN_FIELDS = SEO_FIELDS | {"footnotes", "firehose_sent", "jabber_published"}
_HIDDEN_PREFIXES = ("_", "rank_math_", "wpcom_")
# Matches arrays and objects of PHP in the form in which WordPress stores them.
_SERIALIZED_VALUE = re.compile(r"(?:a|O|C):[0-9]+:")
# The names in the report of items that are not imported, by their status.
LEFT_BEHIND_STATUSES = {"trash": "items in the trash", "auto-draft": "auto-drafts", "inherit": "revisions"}
_STATUSES = {"publish": "published", "future": "scheduled"}
_DRAFT_STATUSES, _BECAME_DRAFT = ("pending", "private", *LEFT_BEHIND_STATUSES), "the article became a draft."


def list_custom_fields(item: Element) -> list[tuple[str, str]]:
    """Return the names and the values of the custom fields of an item; a name can occur several times."""
    fields = item.list_children("wp:postmeta")
    return [(it.get_text("wp:meta_key"), it.get_text("wp:meta_value")) for it in fields]


def count_name(counts: Counter[str], prefix: str, name: str) -> None:
    """Count an item under `prefix` and its name; if there are too many names, count it as `(others)`."""
    full_name = f"{prefix} {name[:40]}"
    counts[full_name if full_name in counts or len(counts) < _MAX_NAMES else f"{prefix} (others)"] += 1


def count_comments(item: Element, counts: Counter[str]) -> None:
    for element in item.list_children("wp:comment"):
        name = _REMOVED_COMMENT_NAMES.get(element.get_text("wp:comment_approved"), "comments")
        is_ping = element.get_text("wp:comment_type") in _PING_TYPES
        counts["pingbacks and trackbacks" if is_ping else name] += 1


def read_seo_fields(
    metas: Mapping[str, str], variables: Mapping[str, str], link: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the SEO fields of an article by the name of the field in its record, and notes.

    `metas` has the custom fields of the item, and `variables` the values of `title`, `sitename`, `excerpt`
    and `category`. A text with another variable, and a canonical URL that repeats `link`, are left out.
    """
    fields: dict[str, Any] = {}
    notes = []
    for name, keys in (_SEO_TEXTS | _SEO_URLS).items():
        value = next((metas[key] for key in keys.split() if metas.get(key, "").strip()), "")
        template, url = to_plain_line(value), to_http_url(value)
        is_other = url.rstrip("/") != link.rstrip("/")
        text = _fill_template(template, variables) if name in _SEO_TEXTS else url if is_other else ""
        if text is None:
            notes.append(f"Its SEO text “{template[:100]}” has variables and was left out.")
        elif text:
            fields[name] = text
    return fields, notes


def read_robots(metas: Mapping[str, str]) -> str:
    """Return the value of `robots` in the API: "noindex", "noindex, nofollow" or ""."""
    given = metas.get("rank_math_robots", "")
    is_hidden = any(metas.get(name) in ("1", "yes") for name in _NOINDEX_FIELDS) or "noindex" in given
    is_alone = any(metas.get(name) in ("1", "yes") for name in _NOFOLLOW_FIELDS) or "nofollow" in given
    return ("noindex, nofollow" if is_alone else "noindex") if is_hidden else ""


def _fill_template(template: str, variables: Mapping[str, str]) -> str | None:
    """Return a template with the values of its variables; None if a variable is unknown."""
    known = {"sep": "-", "page": "", **variables}

    def get_name(match: re.Match[str]) -> str:
        name: str = match[1] or match[2]
        return _VARIABLE_ALIASES.get(name, name)

    names = set(map(get_name, _VARIABLE.finditer(template)))
    if names and names <= _DEFAULT_VARIABLES and not re.search(r"\w", _VARIABLE.sub("", template)):
        # A template that has only variables is the default of the plugin.
        return ""
    if not names <= known.keys():
        return None
    return to_line(_VARIABLE.sub(lambda match: known[get_name(match)], template))


def read_custom_fields(item: Element, definitions: CustomFieldFinder, counts: Counter[str]) -> dict[str, Any]:
    """Return the values of custom fields, and the other fields for which custom fields could be defined.

    Counts all other fields by name, except hidden fields, whose names begin with an underscore.
    """
    taken, others, fields = dict[str, Any](), dict[str, Any](), dict[str, list[str]]()
    for key, value in list_custom_fields(item):
        if key and value and not key.startswith(_HIDDEN_PREFIXES):
            fields.setdefault(key, []).append(value)
    for key, values in fields.items():
        field = definitions.find(key)
        if field is not None:
            taken[key] = values if field.is_list else values[0]
        elif key in _KNOWN_FIELDS:
            continue
        elif definitions.guess_types(values) and not any(map(_SERIALIZED_VALUE.match, values)):
            others[key] = values if len(values) > 1 else values[0]
        else:
            count_name(counts, "custom fields", to_line(key))
    return {"custom": definitions.convert_entries(taken), "other_fields": others}


def decide_status(
    item: Element, metas: Mapping[str, str], date: datetime | None, now: datetime, hidden: str
) -> tuple[str, str]:
    """Return the status of the article ("published", "draft" or "archived"), and a note about it or "".

    A "published" article with a future date is scheduled. `now` is aware; `hidden`: see `Conversion`.
    """
    # If a damaged file has several statuses, each can be right, so each can make the article a draft.
    statuses = dict.fromkeys(child.text.strip() for child in item.list_children("wp:status")) or [""]
    if "draft" in statuses:
        return "draft", ""
    reason = next((f"Its status was “{it}”; {_BECAME_DRAFT}" for it in statuses if it in _DRAFT_STATUSES), "")
    if not reason and any(child.text.strip("\r\n\t") for child in item.list_children("wp:post_password")):
        reason = f"It was protected with a password; {_BECAME_DRAFT}"
    lines = [f"{name}={value}" for name, value in list_custom_fields(item)]
    if not reason and (found := next(privacy_signs.find_signs(lines, privacy_signs.HIDING_FIELDS), None)):
        reason = f"It was only for members or subscribers (`{found[1]}`); {_BECAME_DRAFT}"
    reason = reason or hidden
    for status in statuses:
        # WordPress also shows published posts without a date.
        _, reasons = choose_status(status, now if status == "publish" else date, now, reason, _STATUSES)
        if reasons:
            return "draft", reasons[0]
    # The plugin PublishPress Future writes these fields.
    if metas.get("_expiration-date-status") != "saved":
        return "published", ""
    seconds = metas.get("_expiration-date", "")
    if not re.fullmatch("[0-9]{1,10}", seconds):
        return "draft", f"The date on which it expires is not understood; {_BECAME_DRAFT}"
    expiry = datetime.fromtimestamp(int(seconds), UTC)
    if expiry <= now:
        return "archived", f"It expired on {expiry:%Y-%m-%d}; the article was archived."
    return "published", f"It was to expire on {expiry:%Y-%m-%d}; here it stays public."


def find_guesses_in_fields(item: Element) -> Iterator[Guess]:
    """Yield a guess for each custom field that is in no table and seems to hide the item."""
    for name, value in list_custom_fields(item):
        if name in privacy_signs.BUILDER_FIELDS:
            found = {it["name"] for it in privacy_signs.BUILDER_CONDITION.finditer(value)}
            found |= {"hide_desktop"} if privacy_signs.HIDDEN_BUILDER_ELEMENT.search(value) else set()
            settings = set(privacy_signs.BUILDER_SETTING.findall(value))
            found |= {key for key, text, word in settings if privacy.marks_private_article(key, text or word)}
            for setting in sorted(found):
                yield make_guess("builder", setting, f"The setting “{setting}” of its page builder")
        elif name not in privacy_signs.HIDING_FIELDS and privacy.marks_private_article(name, value):
            note = f"It has the custom field `{name[:60]}`; the article became a draft."
            yield Guess(f"meta:{name[:60]}", note)


def find_rule_plugins(item: Element) -> Iterator[str]:
    """Yield the plugins whose rules about visitors are not in posts, and of which the item has traces."""
    traces = {item.get_text("wp:post_type"), *(name for name, _ in list_custom_fields(item))}
    is_page = item.get_text("wp:post_type") == "page" and item.get_text("wp:status") == "publish"
    content = item.get_text("content:encoded").replace("[[", "") if is_page else ""
    for sign in privacy_signs.UNREAD_RULE_PLUGINS:
        if any(name in traces or (name[0] == "[" and name in content) for name in sign.names):
            yield sign.source


def find_date(item: Element, offset: timedelta | None, zones: Zones) -> datetime | None:
    """Return when an item was published (UTC), or None if it has no date.

    A draft has only a local date. `offset` is local time minus UTC; if it is None, `zones` are used.
    """
    utc = dates.parse_date(item.get_text("wp:post_date_gmt"))
    local = dates.parse_date(item.get_text("wp:post_date"))
    if utc is None and local is not None:
        try:
            return dates.parse_date(local.replace(tzinfo=None), zones) if offset is None else local - offset
        except OverflowError:
            return None
    # WordPress writes `Mon, 30 Nov -0001 00:00:00 +0000` for items without a date.
    rss_date = item.get_text("pubDate")
    return utc or (None if "-0001" in rss_date else dates.parse_date(rss_date))
