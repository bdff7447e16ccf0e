"""The articles of an import, indexed by all names and addresses that links can use.

The index keeps only a few short texts of each record, because it contains all records of an import.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from blogapi.content.taxonomies.categories import DEFAULT_CATEGORY
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.links import addresses
from blogapi.importing.texts.lines import split_words
from blogapi.publication.visibility import READABLE_STATUSES
from blogapi.rendering.slugs import make_term_slug
from blogapi.site.addresses import make_article_path, make_page_path
from blogapi.site.models import Site

# The maximum number of articles with the same name that are compared, so that 10,000 articles without a title
# do not make each link slow.
_MAX_NAMESAKES = 50
# The maximum number of addresses, of names and of terms of one article in the index.
_MAX_NAMES = 100
_MAX_NAME_LENGTH = 500
_COMMON_SEGMENTS = split_words("""blog blogs post posts _posts article articles archive archives p entry
    entries content source src _drafts index.php""")
_DATE_SEGMENT = re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}|[0-9]{1,2}")
_COMPLETE_DATE = re.compile(r"(?:^|/)[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}(?:/|$)")
_LANGUAGE_SEGMENT = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?")


@dataclass(slots=True)
class TargetArticle:
    """An article to which links can lead."""

    key: str
    slug: str
    uuid: UUID | None
    category: str
    terms: tuple[str, ...]
    published_at: datetime  #: aware; the time of the import if the source has no date
    #: the time from which everybody can see the article; None if it is not published
    public_from: datetime | None
    is_markdown: bool
    is_page: bool
    parent_key: str
    written_language: str  #: the language that the article names, or ""
    file: addresses.FilePath | None  #: the parts of the key; None if the article has no file of its own
    page: str | None  #: the first address in the former blog, if it is known
    file_name: str  #: the last segment of the key, folded
    blog: str  #: see `get_blog_prefix`
    language: str  #: the language in the file name, or ""
    #: the keys of the records with links to the article
    sources: list[str] = field(default_factory=list)
    _own_segments: set[str] | None = None

    def is_visible_from(self, source: TargetArticle) -> bool:
        """Return whether all readers of `source` can see the article, so that a link reveals nothing."""
        if source.public_from is None:
            return True
        return self.public_from is not None and self.public_from <= source.public_from

    def has_date(self, day: date) -> bool:
        """Return whether the file name has this date, or the article has a date within one day of it.

        The time zones of the two blogs can differ.
        """
        file_date = self.file and self.file.date
        return day == file_date or abs((self.published_at.date() - day).days) <= 1

    def fits_segments(self, segments: Sequence[str], *, has_date: bool) -> bool:
        """Return whether the article can be at an address with these segments before its name.

        If the segments or the name (`has_date`) contain a complete date, only languages and numbers must fit.
        """
        rest = {segment for segment in segments if segment not in _COMMON_SEGMENTS}
        rest -= self._list_own_segments() if rest else set()
        numbers = {segment for segment in rest if _DATE_SEGMENT.fullmatch(segment)}
        if numbers and not any(numbers <= words for words in self._list_date_words()):
            return False
        has_date = has_date or _COMPLETE_DATE.search("/".join(segments)) is not None
        return rest == numbers or (has_date and not any(map(_LANGUAGE_SEGMENT.fullmatch, rest - numbers)))

    def _list_own_segments(self) -> set[str]:
        """Return the category, the tags, the folders and the language; the set is computed once."""
        if self._own_segments is None:
            self._own_segments = {*map(make_term_slug, self.terms), *map(addresses.fold_case, self.terms)}
            if self.file:
                folders = (*self.file.folders, *addresses.split_path(self.key)[:-1])
                self._own_segments |= {*folders, self.file.language}
        return self._own_segments

    def _list_date_words(self) -> Iterator[set[str]]:
        days = [self.file.date] if self.file and self.file.date else []
        for offset in (-1, 0, 1):
            with suppress(OverflowError):
                days.append((self.published_at + timedelta(days=offset)).date())
        for day in days:
            numbers = {str(day.month), str(day.day), f"{day.month:02}", f"{day.day:02}"}
            yield numbers | {str(day), f"{day.year:04}", str(day)[:7]}


class LinkIndex:
    """The articles of an import; all records are added before the first link is looked up.

    `now` is the time of the import (aware). New addresses have the form of `site.article_path`.
    """

    def __init__(self, site: Site, now: datetime) -> None:
        #: The hosts of the former blogs, each with the path of the blog (`example.com/blog`).
        self.hosts: set[str] = set()
        names = ("url", "article_path", "page_path", "time_zone", "language")
        self._site = Site(**{name: getattr(site, name) for name in names})
        self._now = now
        #: The articles by the keys of their records.
        self.targets: dict[str, TargetArticle] = {}
        self._maps: dict[str, dict[str, list[TargetArticle]]] = {
            name: {} for name in ("path", "page", "id", "name", "alias", "title")
        }

    def add_record(self, record: ArticleRecord, slug: str, uuid: UUID | None = None) -> None:
        """Add a record; `slug` is the slug that its article has or is expected to get.

        `uuid` is needed only if the addresses of articles contain it.
        """
        published_at = record.published_at or self._now
        segments = addresses.split_path(record.key) if "/" in record.key else []
        file = addresses.parse_file_path(segments) if segments else None
        target = self.targets[record.key] = TargetArticle(
            key=record.key,
            slug=slug,
            uuid=uuid or record.uuid,
            category=(record.category or DEFAULT_CATEGORY)[:_MAX_NAME_LENGTH],
            terms=tuple(_limit_texts((record.category, *record.tags))),
            published_at=published_at,
            public_from=max(published_at, self._now) if record.status in READABLE_STATUSES else None,
            is_markdown=record.content_type == "markdown",
            is_page=record.is_page,
            parent_key=record.parent_key,
            written_language=record.language,
            file=file,
            page=next((address for address in record.addresses if "?" not in address), None),
            file_name=segments[-1] if segments else "",
            blog=get_blog_prefix(record.key),
            language=file.language if file else "",
        )
        titles = {addresses.fold_case(record.title)}
        aliases = {*map(addresses.fold_case, _limit_texts(record.names))}
        names = {slug, *filter(None, (record.slug, *_limit_texts(record.former_slugs)))}
        names = {*map(addresses.fold_case, names)}
        if target.file:
            names.add(target.file.name)
            self._append_target("path", target.file.path, target)
        elif record.key.startswith("wordpress:"):
            self._append_target("id", record.key.split(":")[2], target)
        for address in dict.fromkeys(map(normalize_address, _limit_texts(record.addresses))):
            self._append_target("page", address, target)
            if "?" not in address:
                names.add(address.rpartition("/")[2])
        for map_, keys in (("name", names), ("alias", aliases), ("title", titles)):
            for key in keys:
                self._append_target(map_, key[:_MAX_NAME_LENGTH], target)

    def set_slug(self, key: str, slug: str) -> tuple[str, ...]:
        """Set the final slug of an article; return the keys of the records with links to its former slug."""
        target = self.targets.get(key)
        if target is None or target.slug == slug:
            return ()
        target.slug = slug
        return tuple(dict.fromkeys(target.sources))

    def find_targets(self, kind: str, key: str) -> Sequence[TargetArticle]:
        """Return the articles with a folded key; kinds: "path", "page", "id", "name", "alias", "title"."""
        return self._maps[kind].get(key, ())

    def make_address(self, target: TargetArticle) -> str | None:
        """Return the path of the page of an article; None if the path needs an unknown uuid."""
        pattern = self._site.page_path if target.is_page else self._site.article_path
        if target.uuid is None and "{uuid}" in pattern:
            return None
        root = urlsplit(self._site.url).path
        values: dict[str, Any] = {"uuid": target.uuid or "", "language": target.written_language}
        if target.is_page:
            slugs, seen, above = [target.slug], {target.key}, self.targets.get(target.parent_key)
            while above is not None and above.is_page and above.key not in seen:
                seen.add(above.key)
                slugs.insert(0, above.slug)
                above = self.targets.get(above.parent_key)
            return root + make_page_path(self._site, slugs=slugs, **values)
        values |= {"slug": target.slug, "category_slug": make_term_slug(target.category)}
        return root + make_article_path(self._site, published_at=target.published_at, **values)

    def list_blog_paths(self, host: str) -> list[list[str]]:
        """Return the paths of the former blogs on a host ("" = on every host), as segments."""
        return [
            addresses.split_path(path)
            for name, _, path in (entry.partition("/") for entry in self.hosts)
            if not host or addresses.normalize_host(name) == host
        ]

    def _append_target(self, kind: str, key: str, target: TargetArticle) -> None:
        namesakes = self._maps[kind].setdefault(key, [])
        if len(namesakes) < _MAX_NAMESAKES:
            namesakes.append(target)


def get_blog_prefix(key: str) -> str:
    """Return the common part of the keys of a blog: their first folder, or format and blog.

    Keys of Medium and of most exports of Ghost do not contain the blog.
    """
    if "/" in key:
        return key.partition("/")[0]
    parts = key.split(":")
    return ":".join(parts[: 2 if len(parts) > 2 else 1])


def normalize_address(address: str) -> str:
    """Return a former address without a host in the form in which the index contains it."""
    path, mark, query = address.partition("?")
    return addresses.normalize_page_path(addresses.split_path(unquote(path, errors="replace"))) + mark + query


def _limit_texts(texts: Iterable[str]) -> list[str]:
    return [text[:_MAX_NAME_LENGTH] for text in list(texts)[:_MAX_NAMES] if text]
