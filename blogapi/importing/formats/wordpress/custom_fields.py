"""Custom fields of WordPress (`wp:postmeta`): of SEO plugins, and values of custom fields of blogapi."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from blogapi.importing.format_api.source import CustomFields
from blogapi.importing.texts.lines import to_http_url, to_line, to_plain_line
from blogapi.importing.texts.xml_elements import Element

# Further names are counted together, which limits the memory.
_MAX_NAMES = 200
_PING_TYPES = ("pingback", "trackback")
# The names in the report, by the value of `wp:comment_approved`.
_REMOVED_COMMENTS = {
    "spam": "spam comments",
    "trash": "comments in the trash",
    "post-trashed": "comments in the trash",
}


def count_name(counts: Counter[str], prefix: str, name: str) -> None:
    """Count an item under `prefix` and its name; if there are too many names, count it as `(others)`."""
    full_name = f"{prefix} {name[:40]}"
    counts[full_name if full_name in counts or len(counts) < _MAX_NAMES else f"{prefix} (others)"] += 1


def count_comments(item: Element, counts: Counter[str]) -> None:
    for element in item.list_children("wp:comment"):
        name = _REMOVED_COMMENTS.get(element.get_text("wp:comment_approved"), "comments")
        is_ping = element.get_text("wp:comment_type") in _PING_TYPES
        counts["pingbacks and trackbacks" if is_ping else name] += 1


# The custom fields of the plugins by the fields of the record.
_TEXTS = {
    "seo_title": "_yoast_wpseo_title rank_math_title _aioseo_title _aioseop_title _seopress_titles_title "
    "jetpack_seo_html_title _genesis_title",
    "seo_description": "_yoast_wpseo_metadesc rank_math_description _aioseo_description _aioseop_description "
    "_seopress_titles_desc advanced_seo_description _genesis_description",
}
_URLS = {
    "canonical_url": "_yoast_wpseo_canonical rank_math_canonical_url _aioseo_canonical_url "
    "_seopress_robots_canonical _genesis_canonical_uri",
    "og_image": "_yoast_wpseo_opengraph-image rank_math_facebook_image _seopress_social_fb_img "
    "_social_image_url",
}
_NOINDEX = ("_yoast_wpseo_meta-robots-noindex", "_seopress_robots_index", "_genesis_noindex")
_NOFOLLOW = ("_yoast_wpseo_meta-robots-nofollow", "_seopress_robots_follow", "_genesis_nofollow")
FIELDS = frozenset(key for keys in (*_TEXTS.values(), *_URLS.values()) for key in keys.split())
# `%%title%%` of Yoast and SEOPress, `%title%` of Rank Math, `#post_title` of All in One SEO.
_VARIABLE = re.compile(r"%%?([a-z][a-z0-9_-]{1,40})%%?|#([a-z]+(?:_[a-z]+){1,4})\b")
_ALIASES = {
    "post_title": "title", "site_title": "sitename", "blog_title": "sitename", "sitetitle": "sitename",
    "separator_sa": "sep", "post_excerpt": "excerpt", "excerpt_only": "excerpt", "pagenumber": "page",
    "pagetotal": "page", "current_pagination": "page",
}  # fmt: skip
_DEFAULT_VARIABLES = frozenset({"title", "sep", "page", "sitename"})


def read_seo(
    metas: Mapping[str, str], variables: Mapping[str, str], link: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the SEO fields of an article by the name of the field in its record, and notes.

    `metas` has the custom fields of the item, and `variables` the values of `title`, `sitename`, `excerpt`
    and `category`. A title or description with another variable is left out. `link` is the permalink: a
    canonical URL that repeats it is left out.
    """
    fields: dict[str, Any] = {}
    notes = []
    for name, keys in _TEXTS.items():
        template = to_plain_line(_find_value(metas, keys))
        text = _fill_template(template, variables)
        if text is None:
            notes.append(f"Its SEO text “{template[:100]}” has variables and was left out.")
        elif text:
            fields[name] = text
    for name, keys in _URLS.items():
        url = to_http_url(_find_value(metas, keys))
        if url and url.rstrip("/") != link.rstrip("/"):
            fields[name] = url
    return fields, notes


def read_robots(metas: Mapping[str, str]) -> str:
    """Return the value of `robots` in the API: "noindex", "noindex, nofollow" or ""."""
    given = metas.get("rank_math_robots", "")
    is_hidden = any(metas.get(name) in ("1", "yes") for name in _NOINDEX) or "noindex" in given
    is_alone = any(metas.get(name) in ("1", "yes") for name in _NOFOLLOW) or "nofollow" in given
    return ("noindex, nofollow" if is_alone else "noindex") if is_hidden else ""


def _find_value(metas: Mapping[str, str], keys: str) -> str:
    return next((metas[key] for key in keys.split() if metas.get(key, "").strip()), "")


def _fill_template(template: str, variables: Mapping[str, str]) -> str | None:
    """Return a template with the values of its variables; None if a variable is unknown."""
    known = {"sep": "-", "page": "", **variables}
    names = {_get_name(match) for match in _VARIABLE.finditer(template)}
    if names and names <= _DEFAULT_VARIABLES and not re.search(r"\w", _VARIABLE.sub("", template)):
        # A template without words of its own is the default of the plugin.
        return ""
    if not names <= known.keys():
        return None
    return to_line(_VARIABLE.sub(lambda match: known[_get_name(match)], template))


def _get_name(match: re.Match[str]) -> str:
    name: str = match[1] or match[2]
    return _ALIASES.get(name, name)


# Custom fields that other rules read, or in which wordpress.com keeps its state.
_KNOWN_FIELDS = FIELDS | {"footnotes", "firehose_sent", "jabber_published"}
_HIDDEN_PREFIXES = ("_", "rank_math_", "wpcom_")
# Arrays and objects of PHP, as WordPress stores them.
_SERIALIZED_VALUE = re.compile(r"(?:a|O|C):[0-9]+:")


def read(item: Element, definitions: CustomFields, counts: Counter[str]) -> dict[str, Any]:
    """Return the values of custom fields, and the other fields for which custom fields could be defined.

    Counts all other fields by name, except hidden fields, whose names begin with an underscore.
    """
    taken, others, fields = dict[str, Any](), dict[str, Any](), dict[str, list[str]]()
    for child in item.list_children("wp:postmeta"):
        key, value = child.get_text("wp:meta_key").strip(), child.get_text("wp:meta_value")
        if key and value.strip() and not key.startswith(_HIDDEN_PREFIXES):
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
    return {"custom": definitions.convert(taken), "other_fields": others}
