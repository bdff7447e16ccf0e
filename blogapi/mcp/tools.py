"""The tools: the operation of the API that each tool calls, and its description for assistants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from blogapi.web.access import Scope

_FILTERS = ("q", "category", "tag", "author", "language", "published_after", "published_before")
_PAGE_NAMES = ("page", "page_size", "fields")
_TEXT_FIELDS = (
    *("title", "subtitle", "content", "content_type", "excerpt", "slug", "category", "tags", "language"),
    *("translation_key", "cover_image", "seo", "custom"),
)
_LIST_DEFAULTS = {
    "fields": "uuid,title,slug,status,published_at,last_updated,language,excerpt",
    "page_size": "20",
    "page": "1",
}
_WRITE_DEFAULTS = {"fields": "uuid,title,slug,status,published_at,last_updated,url"}
_IF_MATCH_HINT = (
    "`if_match` is the `etag` of your last read; if someone has saved since, the call is refused: read again."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    `query` and `body` name the parameters (of the query and of the header) and the fields of the body that an
    assistant may send. `defaults` are the values of parameters that the assistant omits, and `fixed` are
    fields of the body that it cannot choose. `required` names further required arguments, and `overrides`
    replace parts of the schemas of arguments. `scope` is the scope that a key needs to see the tool, if the
    operation needs a lower one.
    """

    name: str
    operation: str
    description: str
    query: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scope: Scope | None = None
    is_destructive: bool = False
    is_idempotent: bool = False


TOOLS = (
    Tool(
        "whoami",
        "getMe",
        "Show whose key this is, the role, and the scopes: `read` finds drafts, `drafts` writes what "
        "readers do not see, and `write` also publishes.",
    ),
    Tool(
        "get_site",
        "getSite",
        "Show the title of the blog, its languages, its time zone and the addresses of its pages.",
    ),
    Tool(
        "search_articles",
        "listArticles",
        "Find articles by words of the title, subtitle and text (all must occur: try fewer words or "
        "synonyms), or by category, tag, author, language or time. Lists what is published unless "
        "`status` is sent (editors and admins; `any` finds drafts too; authors use list_my_articles). "
        "Only summaries: read one with get_article.",
        query=(
            *(*_FILTERS, "updated_after", "uuid", "translation_key", "status", "working_copy", "ordering"),
            *_PAGE_NAMES,
        ),
        defaults=_LIST_DEFAULTS,
    ),
    Tool(
        "list_my_articles",
        "listWrittenArticles",
        "List the articles that the owner of this key has created, in any status, drafts too.",
        query=("q", "status", "working_copy", "ordering", *_PAGE_NAMES),
        defaults=_LIST_DEFAULTS,
    ),
    Tool(
        "get_article",
        "getArticle",
        "Read an article with its stored text (`content_type` says which kind) and its `etag`. If "
        "`working_copy` is not null, unpublished edits wait: get_working_copy reads them.",
        query=("fields",),
        defaults={"fields": "*,status,published_at,language,translation_key,url,working_copy,custom"},
    ),
    Tool(
        "list_pages",
        "listPages",
        "List the pages, such as About and Contact; only summaries.",
        query=("q", "status", *_PAGE_NAMES),
        defaults=_LIST_DEFAULTS,
    ),
    Tool(
        "get_page",
        "getPage",
        "Read a page with its stored text.",
        query=("fields",),
        defaults={"fields": "*,status,language,url,working_copy"},
    ),
    Tool(
        "list_categories",
        "listCategories",
        "List the categories.",
        query=("q", *_PAGE_NAMES),
        defaults={"fields": "uuid,name,slug,description", "page_size": "100", "page": "1"},
    ),
    Tool(
        "list_tags",
        "listTags",
        "List the tags.",
        query=("q", *_PAGE_NAMES),
        defaults={"fields": "uuid,name,slug", "page_size": "100", "page": "1"},
    ),
    Tool(
        "list_files",
        "listMedia",
        "List the files of the media library; `alt` with the value `missing` lists pictures without "
        "an alternative text.",
        query=("q", "type", "alt", "unused", "ordering", *_PAGE_NAMES),
        defaults={"fields": "uuid,name,alt,caption,type,url,width,height", "page_size": "20", "page": "1"},
    ),
    Tool(
        "list_changes",
        "listChanges",
        "List the uuids of what has changed since the `cursor` of an earlier answer, the oldest "
        "first; search_articles with `uuid` shows their titles. Without a cursor, use search_articles "
        "with `updated_after`.",
        query=("since", "limit"),
        defaults={"limit": "100"},
    ),
    Tool(
        "list_versions",
        "listRevisions",
        "List the former versions of an article with their numbers, the newest first.",
        query=_PAGE_NAMES,
        defaults={"page_size": "20", "page": "1"},
    ),
    Tool(
        "compare_version",
        "compareRevision",
        "Show the fields that differ between version `number` and a later one, by default the current one.",
        query=("to",),
    ),
    Tool(
        "get_working_copy",
        "getWorkingCopy",
        "Read the edits of an article that wait to be published, with the `etag` of the working copy.",
    ),
    Tool(
        "create_draft",
        "createArticle",
        "Create an article as a draft, which readers do not see. `category` and each of `tags` are "
        "objects with a `slug`. For a translation, send `language` and the `translation_key` of the "
        "original; if it has none, give it one first. To repeat a call safely, send the same "
        "`idempotency_key`.",
        query=("Idempotency-Key",),
        body=_TEXT_FIELDS,
        fixed={"status": "draft"},
        defaults=_WRITE_DEFAULTS,
    ),
    Tool(
        "edit_article",
        "updateArticle",
        "Change the named fields of an article; the former version is kept. `content` replaces the "
        "whole text. If the article is public, readers see the change at once: save_working_copy lets "
        "a person check it first. "
        f"{_IF_MATCH_HINT}",
        query=("If-Match",),
        body=_TEXT_FIELDS,
        required=("if_match",),
        defaults=_WRITE_DEFAULTS,
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "save_working_copy",
        "updateWorkingCopy",
        "Change the named fields in the working copy of an article; readers see nothing of it until "
        "someone publishes it. `if_match` is the `etag` of the working copy, or of the article if it "
        "has none; if someone has saved since, the call is refused: read again.",
        query=("If-Match",),
        body=_TEXT_FIELDS,
        required=("if_match",),
        is_idempotent=True,
    ),
    Tool(
        "publish",
        "updateArticle",
        "Change who sees an article. `published`: everyone, now or at `published_at` if that is in "
        "the future; `unlisted`: who knows the address; `draft`, `archived`: nobody. An article keeps "
        "its time: to publish a scheduled one now, send the present time. Ask the person before you "
        "call this; `if_match` is the `etag` of the text that the person has seen.",
        query=("If-Match",),
        body=("status", "published_at"),
        required=("status", "if_match"),
        defaults=_WRITE_DEFAULTS,
        overrides={"status": {"enum": ["published", "unlisted", "draft", "archived"]}},
        scope="write",
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "publish_working_copy",
        "publishWorkingCopy",
        "Replace the text that readers see by the working copy; the former version is kept. Ask the "
        "person before you call this.",
        query=("If-Match",),
        body=("status", "published_at", "name"),
        defaults=_WRITE_DEFAULTS,
        is_destructive=True,
    ),
    Tool(
        "restore_version",
        "restoreRevision",
        "Make a former version the current one, which is kept too. If the article is public, readers "
        "see it at once.",
        query=("If-Match",),
        defaults=_WRITE_DEFAULTS,
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "create_preview_link",
        "createPreview",
        "Create a link at which anyone can read an article with its working copy, so that a person "
        "can check it.",
        body=("expires_in",),
    ),
    Tool(
        "create_tag",
        "createTag",
        "Create a tag that list_tags does not show, before you give it to an article.",
        body=("name",),
        defaults={"fields": "uuid,name,slug"},
    ),
    Tool(
        "describe_file",
        "updateMedia",
        "Set the alternative text, the caption or the name of a file. What shows it has them then.",
        query=("If-Match",),
        body=("alt", "caption", "name"),
        defaults={"fields": "uuid,name,alt,caption,url"},
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "delete_article",
        "deleteArticle",
        "Delete an article; restore_article brings it back for some days. Ask the person before you "
        "call this. "
        f"{_IF_MATCH_HINT}",
        query=("If-Match",),
        required=("if_match",),
        scope="write",
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "restore_article",
        "restoreArticle",
        "Bring back an article that delete_article has deleted; `notes` says what differs from before.",
        scope="write",
    ),
)
