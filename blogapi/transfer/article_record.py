"""The record that a reader creates from a source file, and the exceptions that it raises if it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRecord:
    """An author as a source file describes them; no text contains a line break."""

    name: str  #: plain text, never empty
    bio: str = ""
    url: str = ""  #: the author's website: http(s) or relative URL
    avatar: str = ""  #: http(s) or relative URL


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRecord:
    """One article as its source file describes it, before validation.

    Text lengths are not limited. `service` makes the slug unique, refuses texts that are too long and adds
    the default category. No text contains lone surrogates; every text except `content` is a single line.
    """

    key: str  #: path of the source with `/` as separator; begins with the name of the imported folder
    title: str  #: plain text, never empty
    subtitle: str = ""
    excerpt: str = ""  #: plain text; "" = generate it from the content
    slug: str = ""  #: the preferred slug; "" = derive it from the title
    content: str  #: as in the source, with LF line endings; may be empty
    content_type: str  #: "markdown", "html" or "text"
    status: str  #: "draft", "published" or "archived"
    published_at: datetime | None  #: aware, UTC; may be in the future; None if the source has no date
    category: str = ""  #: name of the category
    tags: tuple[str, ...] = ()  #: distinct names (case-insensitive), in the order of the source
    authors: tuple[AuthorRecord, ...] = ()  #: with distinct names; () = the user who imports
    cover_image: str = ""  #: http(s) or relative URL, at most 2,048 characters
    cover_alt: str = ""  #: the alternative text of the cover
    seo_title: str = ""
    seo_description: str = ""
    canonical_url: str = ""  #: http(s) URL
    former_slugs: tuple[str, ...] = ()  #: slugs in old addresses of the article, given in the source
    path: Path | None = None  #: the source file; None = do not look for media files
    source_digest: str = ""  #: digest of the source file; "" = use the digest of the record
    #: whether only `publish_undated` decides on the status, because there is neither front matter nor a date
    is_undated: bool = False
    notes: tuple[str, ...] = ()  #: one sentence for each change or omission


class RefusedFile(Exception):
    """The file cannot be imported. The message is one sentence that says why and what to do."""


class NotAnArticle(Exception):
    """The file is intact but not an article. The message is one sentence that says what the file is."""
