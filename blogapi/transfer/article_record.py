"""What every reader of another blog's files gives: one record per article."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRecord:
    """One article as its source tells it, not yet looked at by the store.

    Lengths are those of the source. The store slugifies `slug`, makes it unique, refuses what is too
    long and gives a default category. No text holds lone surrogates; all but `content` is one line.
    """

    key: str  #: where it came from: posix path that begins with the name of the imported folder
    title: str  #: plain text, never empty
    subtitle: str = ""
    slug: str = ""  #: the wished slug; "" = derive it from the title
    content: str  #: as in the source, with LF line ends; may be empty
    content_type: str  #: "markdown", "html" or "text"
    status: str  #: "draft", "published" or "archived"
    published_at: datetime | None  #: aware, UTC, may lie ahead; None = not dated
    category: str = ""  #: a name
    tags: tuple[str, ...] = ()  #: names without doubles (case-insensitive), in the order of the source
    author: str = ""  #: as the source names them; for information only
    cover_image: str = ""  #: http(s) or relative address, at most 2,048 characters
    seo_title: str = ""
    seo_description: str = ""
    canonical_url: str = ""  #: http(s) address
    notes: tuple[str, ...] = ()  #: one sentence per thing that was altered or left behind


class RefusedFile(Exception):
    """The file cannot be taken; `str()` is one sentence that tells the owner what to do."""


class NotAnArticle(Exception):
    """Nothing is wrong, but this is no article; `str()` says what it is."""
