"""Read the files of other blogs (Jekyll, Hugo, Hexo, Zola, Pelican, Nikola, …) into article records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from blogapi.transfer import folder
from blogapi.transfer.article_record import ArticleRecord, NotAnArticle, RefusedFile
from blogapi.transfer.markdown import front_matter, paths, privacy, prose, sections
from blogapi.transfer.markdown.fields import Fields, normalize_key
from blogapi.transfer.markdown.privacy import DraftReason
from blogapi.transfer.markdown.publication import decide_publication
from blogapi.transfer.markdown.terms import read_terms
from blogapi.transfer.markdown.text import decode, format_count, to_bool, to_line, to_plain_line

_COVER_FIELDS = (
    *("coverimage", "cover", "image", "featuredimage", "featureimage", "heroimage", "featured", "banner"),
    *("thumbnail", "images", "header.image", "header.overlayimage", "header.teaser"),
)  # fmt: skip
_MAX_URL_LENGTH = 2048
_MAX_REPORTED_KEYS = 10


def read_file(entry: folder.Entry, *, now: datetime, publish_undated: bool = False) -> ArticleRecord:
    """Return the record of a file found by `folder.walk_paths`; see `parse_file`.

    A file is opened only if its suffix is that of an article. Raises RefusedFile if the file cannot be
    imported, and NotAnArticle if it is not an article.
    """
    if entry.problem:
        raise entry.problem
    paths.get_content_type(entry.key)
    data = folder.read_bytes(entry.path)
    inherited = sections.find_reasons(entry)
    return parse_file(entry.key, data, now=now, publish_undated=publish_undated, inherited=inherited)


def parse_file(
    key: str,
    data: bytes,
    *,
    now: datetime,
    publish_undated: bool = False,
    inherited: Sequence[DraftReason] = (),
) -> ArticleRecord:
    """Return the record of a file with the content `data`.

    `key` is the path with `/` as separator. It may contain a date and a slug. Expiry dates are compared with
    `now` (aware). The article is a draft if there are `inherited` reasons, or if the file has neither front
    matter nor a date and `publish_undated` is false. Raises RefusedFile if the file cannot be imported, and
    NotAnArticle if it is not an article; no other exception is raised.
    """
    content_type = paths.get_content_type(key)
    text, notes = decode(data)
    parsed = front_matter.parse_file(text)
    fields = Fields(parsed.entries, [*notes, *parsed.notes])
    _check_is_article(key, content_type, parsed, fields)
    path = paths.parse_path(key)
    category, tags = read_terms(fields, split_at_spaces=path.has_date_prefix)
    reasons = [*inherited, *_find_draft_reasons(key, parsed.body, fields, tags)]
    status, published_at = decide_publication(fields, path, reasons, now, publish_undated=publish_undated)
    texts = _read_texts(fields, parsed.body if content_type == "markdown" else "", path.name)
    _note_body(fields, parsed.body)
    _note_unused_keys(fields)
    return ArticleRecord(
        key=key,
        content=parsed.body,
        content_type=content_type,
        status=status,
        published_at=published_at,
        category=category,
        tags=tags,
        **texts,
        notes=tuple(fields.notes),
    )


def _check_is_article(key: str, content_type: str, parsed: front_matter.ParsedFile, fields: Fields) -> None:
    # A repository file with a title and a date may be a page of a wiki; it becomes a draft.
    if paths.is_repository_file(key) and not (fields.take_line("title") and fields.take("date")):
        raise NotAnArticle(
            "It has the name of a repository file (like README or LICENSE); rename it if it is an article."
        )
    if not parsed.entries and not parsed.body.strip():
        raise RefusedFile("The file is empty; add text or delete the file.")
    if content_type == "html" and parsed.format == "none":
        raise NotAnArticle("It is an HTML page without front matter.")
    if to_bool(fields.take("headless")):
        raise NotAnArticle("It is a headless bundle of Hugo, which has no page of its own.")


def _find_draft_reasons(key: str, body: str, fields: Fields, tags: tuple[str, ...]) -> list[DraftReason]:
    reasons = privacy.find_reasons(fields.all_entries, key, tags)
    if not fields.all_entries:
        reasons += privacy.find_in_text(body)
    if paths.is_repository_file(key):
        reasons.append(
            DraftReason(
                "It has the name of a repository file (like README or LICENSE); the article became a draft."
            )
        )
    return reasons


def _read_texts(fields: Fields, markdown: str, name: str) -> dict[str, str]:
    """Return the single-line texts of the record by field name."""
    return {
        "title": _read_title(fields, markdown, name),
        "subtitle": fields.take_line("subtitle"),
        "slug": _read_slug(fields, name),
        "author": _to_author(fields.take("author", "authors")),
        "cover_image": _read_cover(fields),
        "seo_title": fields.take_line("seotitle", "seo.title"),
        "seo_description": to_plain_line(
            fields.take_line("seodescription", "seo.description", "description", "excerpt", "summary")
        ),
        "canonical_url": _read_canonical_url(fields),
    }


def _read_title(fields: Fields, markdown: str, name: str) -> str:
    title = fields.take_line("title")
    if title:
        return title
    heading = prose.find_heading(markdown)
    if heading:
        fields.add_note("The title was taken from the first heading, which stays in the text.")
    else:
        fields.add_note("The title was made from the file name.")
    return heading or paths.make_title(name)


def _read_slug(fields: Fields, name: str) -> str:
    names = ("slug", "basename", "path", "url", "permalink")
    return next(filter(None, (paths.extract_slug(fields.take_line(field)) for field in names)), name)


def _to_author(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_to_author, value)))
    return to_plain_line(value.get("name") if isinstance(value, dict) else value)


def _read_cover(fields: Fields) -> str:
    for name in _COVER_FIELDS:
        url = _to_url(fields.take(name))
        # Some themes use `featured: true` for another purpose.
        if not url or to_bool(url) is not None:
            continue
        if _is_image_url(url):
            return url
        fields.add_note(
            f"The cover image “{url[:100]}” was ignored: it is not an http(s) or relative URL "
            f"of at most {_MAX_URL_LENGTH:,} characters."
        )
    return ""


def _to_url(value: object) -> str:
    if isinstance(value, list):
        return _to_url(value[0]) if value else ""
    if isinstance(value, dict):
        urls = (to_line(value.get(key)) for key in ("url", "src", "image", "path"))
        return next(filter(None, urls), "")
    return to_line(value)


def _is_image_url(url: str) -> bool:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", url)
    is_relative = "." in url or "/" in url
    return len(url) <= _MAX_URL_LENGTH and (scheme[1].lower() in ("http", "https") if scheme else is_relative)


def _read_canonical_url(fields: Fields) -> str:
    url = fields.take_line("canonicalurl", "canonical", "seo.canonical", "seo.canonicalurl")
    is_http = re.match(r"https?://[^\s/]", url, re.IGNORECASE)
    if not url or (is_http and len(url) <= _MAX_URL_LENGTH):
        return url
    fields.add_note(
        f"The canonical URL “{url[:100]}” was ignored: it is not an http(s) URL "
        f"of at most {_MAX_URL_LENGTH:,} characters."
    )
    return ""


def _note_body(fields: Fields, body: str) -> None:
    if not body.strip():
        fields.add_note("The article has no text.")
    tags, images = prose.count_template_tags(body), prose.count_relative_images(body)
    if tags:
        fields.add_note(f"The text still contains {format_count(tags, 'template tag')} (like `{{% … %}}`).")
    if images:
        fields.add_note(f"The text still contains {format_count(images, 'image')} with a relative URL.")


def _note_unused_keys(fields: Fields) -> None:
    keys = [
        to_line(key)[:40] for key in fields.unused_keys() if not privacy.is_privacy_field(normalize_key(key))
    ]
    if keys:
        more = f" and {len(keys) - _MAX_REPORTED_KEYS:,} more" if len(keys) > _MAX_REPORTED_KEYS else ""
        fields.add_note(f"Ignored front matter fields: {', '.join(keys[:_MAX_REPORTED_KEYS])}{more}.")
