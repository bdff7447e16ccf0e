"""Read authors in all forms that static site generators use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from blogapi.importing.format_api.article_record import AuthorRecord
from blogapi.importing.formats.markdown.fields import Fields
from blogapi.importing.texts.lines import MAX_URL_LENGTH, is_empty, normalize_key, to_line, to_plain_line
from blogapi.parsing import is_web_address

# The keys of a mapping that describes an author, by the field of AuthorRecord.
_KEYS = {
    "name": ("name", "displayname", "fullname", "login", "username", "nickname", "slug", "key", "id"),
    "bio": ("bio", "description", "about"),
    "url": ("url", "website", "homepage", "site", "link", "uri"),
    "avatar": ("avatar", "image", "picture", "photo", "imageurl", "avatarurl", "profileimage"),
}
_LINK = re.compile(r"\[([^\[\]]{1,1000})\]\(([^()\s]{0,2048})\)")
_MAIL_IN_BRACKETS = re.compile(r"(?<!\s)\s*+<[^<>@\s]{1,64}@[^<>@\s]{1,255}>")
_MAIL_ADDRESS = re.compile(r"([^<>@\s]{1,64})@[^<>@\s]{1,255}")
# Values that switch the byline of a theme off or on.
_NOBODY_VALUES = {"true", "false", "none", "null"}
_MAX_BIO_LENGTH = 10_000


def read_authors(fields: Fields) -> tuple[AuthorRecord, ...]:
    """Return the authors of an article, each once, in the order of the source.

    A text in `author` is one author, unless it contains Markdown links; a text in `authors` is a list,
    separated by semicolons or commas. Mail addresses are left out.
    """
    singular = _read_authors(fields.take("author", "params.author", "extra.author"), is_list=False)
    plural = _read_authors(
        fields.take("authors", "params.authors", "extra.authors", "taxonomies.authors"), is_list=True
    )
    unique: dict[str, AuthorRecord] = {}
    for author in (*singular, *plural):
        unique.setdefault(author.name.casefold(), author)
    return tuple(unique.values())


def _read_authors(value: object, *, is_list: bool) -> Iterator[AuthorRecord]:
    if isinstance(value, list):
        for child in value:
            yield from _read_authors(child, is_list=False)
    elif isinstance(value, dict):
        yield from read_mapping(value)
    elif to_line(value).casefold() not in _NOBODY_VALUES:
        yield from filter(None, map(_read_text, _split(to_line(value), is_list=is_list)))


def read_mapping(mapping: Mapping[object, object]) -> Iterator[AuthorRecord]:
    """Yield the author whom a mapping describes, or the authors in `{ada: {name: Ada}}`."""
    entries = {normalize_key(key): value for key, value in mapping.items() if not is_empty(value)}
    texts = {field: _find_text(entries, names) for field, names in _KEYS.items()}
    author = _read_text(texts.pop("name"))
    if author is None:
        # `{ada: {name: Ada}}`: the keys are the ids of the authors.
        for key, value in mapping.items():
            if isinstance(value, dict):
                yield from read_mapping({"id": key, **value})
        return
    yield AuthorRecord(
        name=author.name,
        bio=texts["bio"] if len(texts["bio"]) <= _MAX_BIO_LENGTH else "",
        url=_to_address(texts["url"]),
        avatar=_to_address(texts["avatar"]),
    )


def _find_text(entries: Mapping[str, object], names: Iterable[str]) -> str:
    return next(filter(None, (to_plain_line(entries.get(name)) for name in names)), "")


def _split(text: str, *, is_list: bool) -> list[str]:
    if _LINK.search(text):
        # `[Ada](https://…) (Company, City), [Grace](https://…)`
        return re.split(r"(?<=\)),\s|(?<=\))\s+(?:and|&)\s+", text)
    return re.split(";" if ";" in text else ",", text) if is_list else [text]


def _read_text(text: str) -> AuthorRecord | None:
    """Return the author whom the text names, with the address in a Markdown link; None if it names nobody."""
    link = _LINK.search(text)
    name, address = (link[1], _to_address(link[2])) if link else (text, "")
    name = to_plain_line(_MAIL_IN_BRACKETS.sub("", name))
    mail = _MAIL_ADDRESS.fullmatch(name)
    name = mail[1] if mail else name
    return AuthorRecord(name=name, url=address) if name else None


def _to_address(text: str) -> str:
    return text if len(text) <= MAX_URL_LENGTH and is_web_address(text) else ""
