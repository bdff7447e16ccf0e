"""The reader of Jekyll's, Hugo's, Hexo's, Zola's and Pelican's files: bytes to a record."""

from __future__ import annotations

import re
from datetime import datetime

from blogapi.transfer import folder
from blogapi.transfer.markdown import front_matter, paths, prose
from blogapi.transfer.markdown.fields import Fields
from blogapi.transfer.markdown.publication import publication
from blogapi.transfer.markdown.terms import terms
from blogapi.transfer.markdown.text import counted, decode, line, plain, truth
from blogapi.transfer.records import ArticleRecord, NotAnArticle, Refused

_COVERS = (
    *("coverimage", "cover", "image", "featuredimage", "featureimage", "heroimage", "featured", "banner"),
    *("thumbnail", "images", "header.image", "header.overlayimage", "header.teaser"),
)  # fmt: skip
_LONGEST_ADDRESS = 2048
_MOST_KEYS_TOLD = 10


def read_file(entry: folder.Entry, *, now: datetime) -> ArticleRecord:
    """Return the record of a file that `folder.files` found; opens only what may be an article.

    Raises Refused and NotAnArticle.
    """
    if entry.problem:
        raise entry.problem
    paths.content_type(entry.key)
    return read(entry.key, folder.read_bytes(entry.path), now=now)


def read(key: str, data: bytes, *, now: datetime) -> ArticleRecord:
    """Return the record of one file.

    `key` is its posix path, which also tells suffix, date and slug; `now` (aware) decides what has expired.
    Raises Refused for a file that cannot be taken and NotAnArticle for one that is none; nothing else.
    """
    kind = paths.content_type(key)
    text, notes = decode(data)
    parts = front_matter.split(text)
    fields = Fields(parts.entries, [*notes, *parts.notes])
    _check(kind, parts, fields)
    return _record(key, kind, parts.body, fields, now)


def _check(kind: str, parts: front_matter.Parts, fields: Fields) -> None:
    if not parts.entries and not parts.body.strip():
        raise Refused("The file is empty; write something into it or delete it.")
    if kind == "html" and parts.kind == "none":
        raise NotAnArticle("It is an HTML page without front matter.")
    if truth(fields.take("headless")):
        raise NotAnArticle("It is a headless bundle of Hugo's, which has no page of its own.")


def _record(key: str, kind: str, body: str, fields: Fields, now: datetime) -> ArticleRecord:
    place = paths.place(key)
    status, published_at = publication(fields, place, now)
    category, tags = terms(fields, jekyll=place.dated)
    values = {
        "title": _title(fields, body if kind == "markdown" else "", place.name),
        "subtitle": fields.text("subtitle"),
        "slug": _slug(fields, place.name),
        "author": _author(fields.take("author", "authors")),
        "cover_image": _cover(fields),
        "seo_title": fields.text("seotitle", "seo.title"),
        "seo_description": plain(
            fields.text("seodescription", "seo.description", "description", "excerpt", "summary")
        ),
        "canonical_url": _canonical(fields),
    }
    _tell_body(fields, body)
    _tell_unused(fields)
    return ArticleRecord(
        key=key,
        content=body,
        content_type=kind,
        status=status,
        published_at=published_at,
        category=category,
        tags=tags,
        notes=tuple(fields.notes),
        **values,
    )


def _title(fields: Fields, body: str, name: str) -> str:
    written = fields.text("title")
    if written:
        return written
    heading = prose.heading(body)
    if heading:
        fields.note("The title was taken from the first heading, which stays in the text.")
    else:
        fields.note("The title was made of the file's name.")
    return heading or paths.title(name)


def _slug(fields: Fields, name: str) -> str:
    wished = (paths.last_part(fields.text(key)) for key in ("slug", "basename", "path", "url", "permalink"))
    return next(filter(None, wished), name)


def _author(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_author, value)))
    return plain(value.get("name") if isinstance(value, dict) else value)


def _cover(fields: Fields) -> str:
    for name in _COVERS:
        written = _address(fields.take(name))
        # Themes write `featured: true` for another purpose.
        if not written or truth(written) is not None:
            continue
        if _is_image_address(written):
            return written
        fields.note(
            f"The cover image “{written[:100]}” is no http(s) or relative address and was left behind."
        )
    return ""


def _address(value: object) -> str:
    if isinstance(value, list):
        return _address(value[0])
    if isinstance(value, dict):
        return next((line(value[key]) for key in ("url", "src", "image", "path") if line(value.get(key))), "")
    return line(value)


def _is_image_address(written: str) -> bool:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", written)
    named = "." in written or "/" in written
    return len(written) <= _LONGEST_ADDRESS and (scheme[1].lower() in ("http", "https") if scheme else named)


def _canonical(fields: Fields) -> str:
    written = fields.text("canonicalurl", "canonical", "seo.canonical", "seo.canonicalurl")
    if not written or (
        re.match(r"https?://[^\s/]", written, re.IGNORECASE) and len(written) <= _LONGEST_ADDRESS
    ):
        return written
    fields.note(f"The canonical address “{written[:100]}” is no http(s) address and was left behind.")
    return ""


def _tell_body(fields: Fields, body: str) -> None:
    if not body.strip():
        fields.note("The article has no text.")
    tags, images = prose.tags(body), prose.relative_images(body)
    if tags:
        fields.note(f"{counted(tags, 'template tag')} (such as `{{% … %}}`) left in the text as written.")
    if images:
        fields.note(f"{counted(images, 'image')} with a relative address left in the text as written.")


def _tell_unused(fields: Fields) -> None:
    keys = [line(key)[:40] for key in fields.unused()]
    if keys:
        more = f" and {len(keys) - _MOST_KEYS_TOLD:,} more" if len(keys) > _MOST_KEYS_TOLD else ""
        fields.note(f"Left behind from the front matter: {', '.join(keys[:_MOST_KEYS_TOLD])}{more}.")
