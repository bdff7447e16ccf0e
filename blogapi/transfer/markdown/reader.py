"""The reader of other blogs' files (Jekyll, Hugo, Hexo, Zola, Pelican, Nikola, …): bytes to a record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from blogapi.transfer import folder
from blogapi.transfer.article_record import ArticleRecord, NotAnArticle, RefusedFile
from blogapi.transfer.markdown import front_matter, paths, privacy, prose, sections
from blogapi.transfer.markdown.fields import Fields, fold
from blogapi.transfer.markdown.publication import publication
from blogapi.transfer.markdown.terms import terms
from blogapi.transfer.markdown.text import counted, decode, line, plain, truth

_COVERS = (
    *("coverimage", "cover", "image", "featuredimage", "featureimage", "heroimage", "featured", "banner"),
    *("thumbnail", "images", "header.image", "header.overlayimage", "header.teaser"),
)  # fmt: skip
_LONGEST_ADDRESS = 2048
_MOST_KEYS_TOLD = 10


def read_file(entry: folder.Entry, *, now: datetime, publish_undated: bool = False) -> ArticleRecord:
    """Return the record of a file that `folder.files` found; opens only what may be an article.

    Raises Refused and NotAnArticle.
    """
    if entry.problem:
        raise entry.problem
    paths.content_type(entry.key)
    data = folder.read_bytes(entry.path)
    inherited = sections.reasons(entry)
    return read(entry.key, data, now=now, publish_undated=publish_undated, inherited=inherited)


def read(
    key: str,
    data: bytes,
    *,
    now: datetime,
    publish_undated: bool = False,
    inherited: Sequence[privacy.Reason] = (),
) -> ArticleRecord:
    """Return the record of one file.

    `key` is its posix path, which also tells suffix, date and slug; `now` (aware) decides what has expired.
    A file without front matter and without a date is a draft, unless `publish_undated`; so is one that is
    private for `inherited` reasons.
    Raises Refused for a file that cannot be taken and NotAnArticle for one that is none; nothing else.
    """
    kind = paths.content_type(key)
    text, notes = decode(data)
    parts = front_matter.split(text)
    fields = Fields(parts.entries, [*notes, *parts.notes])
    _check_name(key, fields)
    _check(kind, parts, fields)
    place = paths.place(key)
    category, tags = terms(fields, jekyll=place.dated)
    private = [*inherited, *_private(key, parts.body, fields, tags)]
    status, published_at = publication(fields, place, private, now, publish_undated=publish_undated)
    return ArticleRecord(
        key=key,
        content=parts.body,
        content_type=kind,
        status=status,
        published_at=published_at,
        category=category,
        tags=tags,
        **_texts(fields, kind, parts.body, place.name),
        notes=tuple(fields.notes),
    )


def _check(kind: str, parts: front_matter.Parts, fields: Fields) -> None:
    if not parts.entries and not parts.body.strip():
        raise RefusedFile("The file is empty; write something into it or delete it.")
    if kind == "html" and parts.kind == "none":
        raise NotAnArticle("It is an HTML page without front matter.")
    if truth(fields.take("headless")):
        raise NotAnArticle("It is a headless bundle of Hugo's, which has no page of its own.")


def _check_name(key: str, fields: Fields) -> None:
    """Raise NotAnArticle for a file about a repository, unless its front matter has a title and a date."""
    if paths.is_repository_file(key) and not (fields.text("title") and fields.take("date")):
        raise NotAnArticle("It is a file about a repository, by its name.")


def _private(key: str, body: str, fields: Fields, tags: tuple[str, ...]) -> list[privacy.Reason]:
    reasons = privacy.reasons(fields.written, key, tags)
    if not fields.written:
        reasons += privacy.in_text(body)
    if paths.is_repository_file(key):
        reasons.append(privacy.Reason("Its name is that of a file about a repository; it became a draft."))
    return reasons


def _texts(fields: Fields, kind: str, body: str, name: str) -> dict[str, str]:
    """Return the fields that are one line of text; tells what was left behind."""
    texts = {
        "title": _title(fields, body if kind == "markdown" else "", name),
        "subtitle": fields.text("subtitle"),
        "slug": _slug(fields, name),
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
    return texts


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
    keys = [line(key)[:40] for key in fields.unused() if not privacy.is_word(fold(key))]
    if keys:
        more = f" and {len(keys) - _MOST_KEYS_TOLD:,} more" if len(keys) > _MOST_KEYS_TOLD else ""
        fields.note(f"Left behind from the front matter: {', '.join(keys[:_MOST_KEYS_TOLD])}{more}.")
