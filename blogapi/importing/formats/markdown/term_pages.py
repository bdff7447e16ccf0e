"""Read the pages of categories and tags of Hugo: `tags/rye/_index.md` and `categories/bread/_index.md`."""

from __future__ import annotations

from collections.abc import Mapping

from blogapi.importing.format_api import privacy
from blogapi.importing.format_api.article_record import TermRecord
from blogapi.importing.format_api.files import Entry, read_bytes
from blogapi.importing.formats.markdown import front_matter, paths
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import decode, to_http_url, to_line, to_plain_line
from blogapi.rendering.slugs import make_term_slug

_KINDS = {"tags": "tag", "tag": "tag", "categories": "category", "category": "category"}
_MAX_DESCRIPTION = 10_000
_MAX_TITLE = 200

#: The names of the terms that articles have, by kind and slug.
Names = Mapping[tuple[str, str], str]


def read_term_page(entry: Entry, names: Names) -> TermRecord | None:
    """Return the description of a term; None if the file is no page of a term, or if no article has the term.

    A page that is private or cannot be read is ignored.
    """
    *_, plural, last, _ = ("", "", *entry.key.split("/"))
    kind = _KINDS.get(plural.casefold())
    if kind is None or entry.problem or not paths.is_section(entry.key) or paths.get_language(entry.key):
        return None
    name = names.get((kind, make_term_slug(last)))
    if name is None:
        return None
    try:
        parsed = front_matter.parse_file(decode(read_bytes(entry.path))[0])
    except RefusedFile:
        return None
    if parsed.problem or any(privacy.find_draft_reasons_in_front_matter(parsed.entries)):
        return None
    values = {normalize_key(key): value for key, value in parsed.entries.items()}
    title = to_line(values.get("title"))[:_MAX_TITLE]
    fields = {
        "description": (to_line(values.get("description")) or to_plain_line(parsed.body))[:_MAX_DESCRIPTION],
        "seo_title": title if make_term_slug(title or name) != make_term_slug(name) else "",
        "cover_image": to_http_url(values.get("image") or values.get("cover")),
    }
    return TermRecord(kind=kind, name=name, fields={key: text for key, text in fields.items() if text})
