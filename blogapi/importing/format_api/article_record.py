"""The records that formats create from the files of other blogs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

#: The statuses of the articles that visitors can read.
PUBLIC_STATUSES = ("published", "unlisted")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRecord:
    """An author as described in a source file; no text contains a line break."""

    name: str  #: plain text, never empty
    bio: str = ""
    url: str = ""  #: the author's website: http(s) or relative URL
    avatar: str = ""  #: http(s) or relative URL


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRecord:
    """A category, tag or author that the source describes apart from its articles."""

    kind: str  #: "category", "tag" or "author"
    name: str  #: plain text, never empty
    #: other fields of the term, by their names in the request body of its kind
    fields: Mapping[str, str] = field(default_factory=dict)
    parent: str = ""  #: the name of the parent category


@dataclass(frozen=True, slots=True)
class Guess:
    """A sign that may have hidden an article in its former blog, but is in no table of known signs.

    The article becomes a draft unless `--publish-marked` names each of its guesses.
    """

    name: str  #: the kind of the sign and its name in the source: `shortcode:am4show`
    note: str  #: the sentence in the report if the article becomes a draft
    is_new: bool = True  #: whether earlier versions, which stored no guesses, ignored this sign


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRecord:
    """One article as its source file describes it, before validation.

    Text lengths are not limited. The import later adds the default category, makes the slug unique, removes
    the characters that the API refuses, and refuses texts that are too long. Every text except `content` is
    a single line.
    """

    #: identifies the article in all imports of its blog: either the path of its file with `/` as separator,
    #: from the imported folder on, or a text without `/`: format, blog and id (`wordpress:host:12`)
    key: str
    former_key: str = ""  #: the key in an earlier import, which can be the same key; "" = unknown
    #: the path of the article's file, as reports show it; "" = `key`
    source: str = ""
    title: str  #: plain text, never empty
    subtitle: str = ""
    excerpt: str = ""  #: plain text; "" = generate it from the content
    slug: str = ""  #: the preferred slug; "" = derive it from the title
    content: str  #: as in the source, with LF line endings; can be empty
    content_type: str  #: "markdown", "html" or "text"
    status: str  #: "draft", "published", "unlisted" or "archived"; does not depend on `guesses`
    guesses: tuple[Guess, ...] = ()  #: with distinct names
    #: set by the import: the status without the guesses ("" = `status`), and the names, in lower case, of the
    #: guesses that the user has not lifted
    open_status: str = ""
    unlifted: tuple[str, ...] = ()
    published_at: datetime | None  #: aware, UTC; can be in the future; None if the source has no date
    category: str = ""  #: name of the category
    categories_above: tuple[str, ...] = ()  #: names of the parent categories, outermost first
    tags: tuple[str, ...] = ()  #: distinct names (case-insensitive), in the order of the source
    authors: tuple[AuthorRecord, ...] = ()  #: with distinct names; () = the user who imports
    cover_image: str = ""  #: http(s) or relative URL, at most 2,048 characters
    cover_alt: str = ""  #: the alternative text of the cover
    og_image: str = ""  #: http(s) or relative URL; "" = the cover
    seo_title: str = ""
    seo_description: str = ""
    canonical_url: str = ""  #: http(s) URL
    featured: bool = False
    language: str = ""  #: as in the API; "" = unknown, or the language of the site
    translation_key: str = ""
    robots: str = ""  #: as in the API
    is_page: bool = False  #: whether the article is a page, which has no category
    parent_key: str = ""  #: the key of the parent page; "" = none
    position: int = 0  #: the position among the pages with the same parent
    former_slugs: tuple[str, ...] = ()  #: slugs that the article had before, given in the source
    #: the paths in the former blog that redirect to the article, with percent-encoding or without
    former_paths: tuple[str, ...] = ()
    path: Path | None = None  #: the source file; None = do not look for media files
    media_folder: str = ""  #: the folder of the site that is put before relative paths of media files
    #: the addresses of the article in its former blog, without host and query (`/2020/01/hello/`), or with
    #: the query that identifies it (`/?p=12`); links of other articles to them are rewritten
    addresses: tuple[str, ...] = ()
    #: the names by which wiki links can refer to the article, besides its path and title (Obsidian aliases)
    names: tuple[str, ...] = ()
    #: whether template tags and wiki links in the content are resolved
    has_templates: bool = False
    is_mdx: bool = False  #: whether the content is MDX; components in it are resolved
    generator: str = ""  #: the generator of the site of a Markdown file; "" = unknown
    #: the values of custom fields, by name; values that do not fit their definitions are kept too
    custom: Mapping[str, Any] = field(default_factory=dict)
    #: fields of the source that match no custom field, by their names in the source
    other_fields: Mapping[str, Any] = field(default_factory=dict)
    #: the parts of the text that the former blog hid, in the markup of the source; they are not stored
    left_out: tuple[str, ...] = field(default=(), repr=False)
    unread_rules: str = ""  #: plugins whose rules, which the source lacks, can hide the article; "" = none
    #: whether the status depends only on `publish_undated`, because there is neither front matter nor a date
    is_undated: bool = False
    notes: tuple[str, ...] = ()  #: one sentence for each change or omission
    #: the uuid of an article in an export of blogapi; None = a new uuid. Such an article is stored exactly as
    #: exported: no part of its text is removed, no link is changed, and its date and type are kept
    uuid: UUID | None = None
    #: fields of the request body of an article, which replace the fields above. Each reference to a category,
    #: tag or author has a `slug`, and a `name` with which a missing term is created
    body: Mapping[str, Any] = field(default_factory=dict)
    created: datetime | None = None  #: aware, UTC; None = before all other times of the article
    last_updated: datetime | None = None  #: aware, UTC; None = the time of its creation
    was_public: bool = False  #: whether the article was public at some time, even if it is a draft now
    slug_derived: bool = False  #: whether the slug changes with the title until the article is public
    #: the times at which the article got its former paths and lost its former slugs (aware, UTC), if known
    former_times: Mapping[str, datetime | None] = field(default_factory=dict)
    #: the library files to which paths in the content refer
    media_paths: Mapping[str, UUID] = field(default_factory=dict)
