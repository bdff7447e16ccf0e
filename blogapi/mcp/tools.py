"""The tools: the operation of the API that each tool calls, and what an assistant must know about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from blogapi.web.access import Scope

_PAGE_PARAMETERS = ("page", "page_size", "fields")
_TEXT_FIELDS = (
    *("title", "subtitle", "content", "content_type", "excerpt", "slug", "category", "tags", "language"),
    *("translation_key", "cover_image", "seo", "custom"),
)
_LIST_DEFAULTS = {
    "fields": "uuid,title,slug,status,published_at,last_updated,language,excerpt",
    "page_size": "20",
    "page": "1",
}
_ITEM_DEFAULTS = {"fields": "*,status,published_at,language,translation_key,url,working_copy,custom"}
_WRITE_DEFAULTS = {"fields": "uuid,title,slug,status,published_at,last_updated,url"}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; its description is the summary of the operation, followed by the `hint`.

    `parameters` (of the query and the headers) and `body` name the values that an assistant can send.
    `If-Match` is required, except in a POST. `required` names further required arguments, and `defaults` has
    the values of omitted parameters. Only a key with this `scope` (None: with the scope of the operation)
    gets the tool.
    """

    name: str
    operation: str
    hint: str = ""
    parameters: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    scope: Scope | None = None
    is_destructive: bool = False


TOOLS = (
    Tool(
        "whoami",
        "getMe",
        "A key needs the scope `read` to read drafts, `drafts` to write them, and `write` to publish.",
    ),
    Tool("get_site", "getSite", "The result also has the languages and the time zone of the blog."),
    Tool(
        "search_articles",
        "listArticles",
        "If `q` finds nothing, try fewer words or synonyms. `status` finds drafts for editors and admins; "
        "authors use list_my_articles. The results are summaries: read an article with get_article.",
        parameters=(
            *("q", "category", "tag", "author", "language", "published_after", "published_before"),
            *("updated_after", "uuid", "translation_key", "status", "working_copy", "ordering"),
            *_PAGE_PARAMETERS,
        ),
        defaults=_LIST_DEFAULTS,
    ),
    Tool(
        "list_my_articles",
        "listWrittenArticles",
        parameters=("q", "status", "working_copy", "ordering", *_PAGE_PARAMETERS),
        defaults=_LIST_DEFAULTS,
    ),
    Tool(
        "get_article",
        "getArticle",
        "If `working_copy` is not null, the article has unpublished edits: get_working_copy reads them.",
        parameters=("fields",),
        defaults=_ITEM_DEFAULTS,
    ),
    Tool("list_pages", "listPages", parameters=("q", "status", *_PAGE_PARAMETERS), defaults=_LIST_DEFAULTS),
    Tool("get_page", "getPage", parameters=("fields",), defaults=_ITEM_DEFAULTS),
    Tool(
        "list_categories",
        "listCategories",
        parameters=("q", *_PAGE_PARAMETERS),
        defaults={"fields": "uuid,name,slug,description", "page_size": "100", "page": "1"},
    ),
    Tool(
        "list_tags",
        "listTags",
        parameters=("q", *_PAGE_PARAMETERS),
        defaults={"fields": "uuid,name,slug", "page_size": "100", "page": "1"},
    ),
    Tool(
        "list_files",
        "listMedia",
        parameters=("q", "type", "alt", "unused", "ordering", *_PAGE_PARAMETERS),
        defaults={"fields": "uuid,name,alt,caption,type,url,width,height", "page_size": "20", "page": "1"},
    ),
    Tool(
        "list_changes",
        "listChanges",
        "search_articles with `uuid` shows the titles of the items. Without a cursor, use search_articles "
        "with `updated_after`.",
        parameters=("since", "limit"),
        defaults={"limit": "100"},
    ),
    Tool(
        "list_versions",
        "listRevisions",
        parameters=_PAGE_PARAMETERS,
        defaults={"page_size": "20", "page": "1"},
    ),
    Tool("compare_version", "compareRevision", parameters=("to",)),
    Tool("get_working_copy", "getWorkingCopy"),
    Tool(
        "create_draft",
        "createArticle",
        "The new article is always a draft. `category` and each of `tags` are objects with a `slug`. For a "
        "translation, send `language` and the `translation_key` of the original; if it has none, give it one "
        "first. To repeat a call safely, send the same `idempotency_key`.",
        parameters=("Idempotency-Key",),
        body=_TEXT_FIELDS,
        defaults=_WRITE_DEFAULTS,
    ),
    Tool(
        "edit_article",
        "updateArticle",
        "`content` replaces the whole text; the former version is kept. If the article is public, readers "
        "see the change at once: save_working_copy lets a person check it first.",
        parameters=("If-Match",),
        body=_TEXT_FIELDS,
        defaults=_WRITE_DEFAULTS,
        is_destructive=True,
    ),
    Tool(
        "save_working_copy",
        "updateWorkingCopy",
        "Readers do not see the working copy until someone publishes it. `if_match` is the `etag` of the "
        "working copy, or of the article if it has none.",
        parameters=("If-Match",),
        body=_TEXT_FIELDS,
    ),
    Tool(
        "publish",
        "updateArticle",
        "With the status `published`, everyone sees the article, now or at a future `published_at`; "
        "with `unlisted`, only people with the address do; with `draft` or `archived`, nobody. A scheduled "
        "article keeps its time: to publish it now, send the current time. Ask the person before you call "
        "this; `if_match` is the `etag` of the text that the person has seen.",
        parameters=("If-Match",),
        body=("status", "published_at"),
        required=("status",),
        defaults=_WRITE_DEFAULTS,
        scope="write",
        is_destructive=True,
    ),
    Tool(
        "publish_working_copy",
        "publishWorkingCopy",
        "Readers see the edits at once. Ask the person before you call this.",
        parameters=("If-Match",),
        body=("status", "published_at", "name"),
        defaults=_WRITE_DEFAULTS,
        is_destructive=True,
    ),
    Tool(
        "restore_version",
        "restoreRevision",
        "If the article is public, readers see the restored version at once.",
        parameters=("If-Match",),
        defaults=_WRITE_DEFAULTS,
        is_destructive=True,
    ),
    Tool("create_preview_link", "createPreview", body=("expires_in",)),
    Tool("create_tag", "createTag", body=("name",), defaults={"fields": "uuid,name,slug"}),
    Tool(
        "describe_file",
        "updateMedia",
        "Articles that show the file then show these texts.",
        body=("alt", "decorative", "caption", "name"),
        defaults={"fields": "uuid,name,alt,decorative,caption,url"},
        is_destructive=True,
    ),
    Tool(
        "delete_article",
        "deleteArticle",
        "Ask the person before you call this.",
        parameters=("If-Match",),
        is_destructive=True,
    ),
    Tool("restore_article", "restoreArticle"),
)
