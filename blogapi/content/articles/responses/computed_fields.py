"""Fields of articles that each read computes from the article, its terms and the site.

They are not stored, because a change of the site, or of a category, tag or author, changes them in many
articles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, Select, Text, bindparam, cast, func, select

from blogapi.accounts.users.models import Account
from blogapi.content.articles import page_tree
from blogapi.content.articles.fields import TERM_LIST_FIELDS, TERM_LIST_NAMES
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.responses.head import make_item_head
from blogapi.content.articles.responses.translations import Translation, find_translations
from blogapi.content.custom_fields.shown_values import list_unfit_values, select_shown_values
from blogapi.content.presence import find_present_users, get_presence_state
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.hierarchy import find_ancestors
from blogapi.parsing import parse_timestamp
from blogapi.publication.visibility import ItemType
from blogapi.site import addresses, page_paths
from blogapi.site.heads import Breadcrumb
from blogapi.site.models import Site
from blogapi.site.queries import get_site
from blogapi.storage.database import current_time, db
from blogapi.web.access import Caller, current_caller, current_user_id
from blogapi.web.fields import Fields, Timestamp

# The database extracts the title from the JSON of a working copy, which can be long.
_COPY_CONTENT = cast(WorkingCopy.content, JSON().with_variant(Text(), "sqlite"))
_TIMESTAMP_FIELD = Timestamp()
_SELECT_COPIES = (
    select(
        *(WorkingCopy.article_id, WorkingCopy.last_updated, WorkingCopy.user_id, Account.username),
        WorkingCopy.key_name,
        _COPY_CONTENT["title"].as_string().label("title"),
    )
    .outerjoin(Account, Account.uuid == WorkingCopy.user_id)
    .where(WorkingCopy.article_id.in_(bindparam("uuids", expanding=True)))
)
_SELECT_EDITORS = (
    select(Article.uuid.label("article_id"), Account.uuid, Account.username)
    .join(Account, Account.uuid == Article.editor_id)
    .where(Article.uuid.in_(bindparam("uuids", expanding=True)))
)
_SELECT_KEY_NAMES = select(Article.uuid.label("article_id"), Article.key_name).where(
    Article.uuid.in_(bindparam("uuids", expanding=True))
)
_SELECT_COPIES_STATE = select(func.count(), func.max(WorkingCopy.last_updated), func.sum(WorkingCopy.version))


class ArticleGroup:
    """The articles of one response, with the data that several computed fields use.

    Each article is a dictionary of its stored fields, its status, and its category, tags and authors if a
    requested field needs them. The caller may see all these articles.
    """

    def __init__(self, articles: Sequence[Fields]) -> None:
        self.articles = articles

    @cached_property
    def site(self) -> Site:
        """The settings of the site, which are read once for all articles."""
        return get_site()

    @cached_property
    def urls(self) -> Sequence[str | None]:
        """The address of each article's page, or None."""
        return [_make_item_url(self.site, article, self.tree) for article in self.articles]

    @cached_property
    def tree(self) -> page_paths.PageTree:
        """The tree of the pages; empty if none of the articles is a page."""
        has_pages = any(_get_item_type(article) == ItemType.PAGE for article in self.articles)
        return page_tree.read_tree() if has_pages else {}

    @cached_property
    def translations(self) -> Sequence[Sequence[Translation]]:
        """For each article, the public articles with its translation key, including the article itself."""
        found: dict[tuple[ItemType, str], Sequence[Translation]] = {}
        for type_ in ItemType:
            keys = {one["translation_key"] for one in self.articles if _get_item_type(one) == type_}
            if keys - {""}:
                translations = find_translations(self.site, keys, type_.value)
                found |= {(type_, key): ones for key, ones in translations.items()}
        return [found.get((_get_item_type(one), one["translation_key"]), ()) for one in self.articles]


@dataclass(frozen=True, slots=True)
class ComputedField:
    """A computed field: the other fields that it needs, and a function that computes it for all articles.

    `compute` returns one value per article, or None if the article does not have the field: the response then
    lacks the field, or shows null if the field `is_nullable`. `compute` executes a fixed number of
    statements.
    """

    needs: tuple[str, ...]
    compute: Callable[[ArticleGroup], Sequence[Any]]
    is_nullable: bool = False


def compute_fields(names: Sequence[str], articles: Sequence[Fields]) -> Sequence[Fields]:
    """Return the named computed fields of each article; absent fields are left out."""
    group = ArticleGroup(articles)
    found: list[Fields] = [{} for _ in articles]
    for name, field in _FIELDS_BY_NAME.items():
        if name in names:
            for values, value in zip(found, field.compute(group), strict=True):
                if value is not None or field.is_nullable:
                    values[name] = value
    return found


def list_additional_fields(names: Sequence[str]) -> Sequence[str]:
    """Return the additional fields that the named computed fields need."""
    return [needed for name in names if name in _FIELDS_BY_NAME for needed in _FIELDS_BY_NAME[name].needs]


def get_unrecorded_state(names: Sequence[str]) -> str:
    """Return a text that changes with the named fields whose changes are not recorded as events."""
    caller = current_caller()
    if not (caller.sees_drafts or caller.restricted_to_author):
        return ""
    others = get_presence_state(_select_own_articles(caller)) if "open_by" in names else ""
    if "working_copy" not in names:
        return others
    statement = _SELECT_COPIES_STATE
    if caller.restricted_to_author:
        statement = statement.join(Article, Article.uuid == WorkingCopy.article_id).where(
            Article.author_id == caller.restricted_to_author
        )
    return " ".join(map(str, (*db.session.execute(statement).one(), others)))


def _select_own_articles(caller: Caller) -> Select[UUID] | None:
    """Return a statement for the caller's own articles if the caller sees no other drafts, otherwise None."""
    if not caller.restricted_to_author:
        return None
    return select(Article.uuid).where(Article.author_id == caller.restricted_to_author)


def _find_visible_rows(group: ArticleGroup, statement: Select[*tuple[Any, ...]]) -> dict[UUID, Any]:
    """Return the selected rows, by article, of the articles that the caller could also see as drafts."""
    caller = current_caller()
    own_articles = _select_own_articles(caller)
    if own_articles is not None:
        statement = statement.where(statement.selected_columns.article_id.in_(own_articles))
    elif not caller.sees_drafts:
        return {}
    uuids = [UUID(article["uuid"]) for article in group.articles]
    return {row.article_id: row for row in db.session.execute(statement, {"uuids": uuids})}


def _find_working_copies(group: ArticleGroup) -> Sequence[Fields | None]:
    """Return the working copy of each article; None if the caller could not see the article as a draft."""
    copies = {
        uuid: {
            "last_updated": _TIMESTAMP_FIELD.serialize("last_updated", row),
            "user": {"uuid": str(row.user_id), "username": row.username or ""},
            "key_name": row.key_name,
            "title": row.title,
        }
        for uuid, row in _find_visible_rows(group, _SELECT_COPIES).items()
    }
    return [copies.get(UUID(article["uuid"])) for article in group.articles]


def _find_editors(group: ArticleGroup) -> Sequence[Fields | None]:
    """Return the last editor of each article; None if the caller could not see the article as a draft."""
    # The article may have been deleted since it was read.
    editors = {
        uuid: {"uuid": str(row.uuid), "username": row.username}
        for uuid, row in _find_visible_rows(group, _SELECT_EDITORS).items()
    }
    return [editors.get(UUID(article["uuid"])) for article in group.articles]


def _find_key_names(group: ArticleGroup) -> Sequence[str | None]:
    """Return the key name of each article's last write; None where `_find_editors` returns None."""
    names = {uuid: row.key_name for uuid, row in _find_visible_rows(group, _SELECT_KEY_NAMES).items()}
    return [names.get(UUID(article["uuid"])) for article in group.articles]


def _find_present_users(group: ArticleGroup) -> Sequence[Sequence[Fields] | None]:
    """Return the other users who have each article open; None if the caller could not see it as a draft."""
    caller = current_caller()
    own = str(caller.restricted_to_author)
    visible = {UUID(item["uuid"]) for item in group.articles if caller.sees_drafts or item["author"] == own}
    if not visible:
        return [None] * len(group.articles)
    users = find_present_users(visible, other_than=current_user_id())
    uuids = [UUID(article["uuid"]) for article in group.articles]
    return [users.get(uuid, []) if uuid in visible else None for uuid in uuids]


def _get_item_type(article: Fields) -> ItemType:
    # Only pages have no category.
    return ItemType.PAGE if article["category"] is None else ItemType.ARTICLE


def _list_translations(group: ArticleGroup) -> Sequence[Sequence[Fields]]:
    """Return the public translations of each article."""
    return [
        [
            {"language": one.language, "uuid": str(one.uuid), "slug": one.slug}
            | ({"url": one.url} if one.url else {})
            for one in translations
            if str(one.uuid) != article["uuid"]
        ]
        for article, translations in zip(group.articles, group.translations, strict=True)
    ]


def _make_heads(group: ArticleGroup) -> Sequence[Fields]:
    categories = [article["category"] and UUID(article["category"]["uuid"]) for article in group.articles]
    parents = find_ancestors(Category, {*filter(None, categories)})
    return [
        make_item_head(
            article,
            group.site,
            url,
            parents.get(category, ()),
            translations,
            _list_parent_pages(group, article),
        )
        for article, url, category, translations in zip(
            *(group.articles, group.urls, categories, group.translations), strict=True
        )
    ]


def _list_parent_pages(group: ArticleGroup, article: Fields) -> Sequence[Breadcrumb]:
    """Return the titles and the addresses of the public pages above a page, the outermost first."""
    if _get_item_type(article) == ItemType.ARTICLE:
        return ()
    site, tree = group.site, group.tree
    parent = article["parent"] and UUID(article["parent"])
    return [
        (tree[uuid].title, site.url + page_paths.make_path_in_tree(site, uuid, tree) if site.url else None)
        for uuid in page_paths.list_listed_ancestors(parent, tree, current_time())
    ]


def _make_term_links(group: ArticleGroup) -> Sequence[Fields | None]:
    """Return the addresses of the pages of each article's category, tags and authors."""
    if not group.site.url:
        return [None] * len(group.articles)
    return [
        {
            **(
                {"category": _make_term_url(group.site, "category", article["category"])}
                if article["category"]
                else {}
            ),
            **{
                field.name: [_make_term_url(group.site, field.kind, term) for term in article[field.name]]
                for field in TERM_LIST_FIELDS
            },
        }
        for article in group.articles
    ]


def _make_term_url(site: Site, kind: str, term: Fields) -> str | None:
    return addresses.make_term_url(site, kind, uuid=term["uuid"], slug=term["slug"])


def _make_item_url(site: Site, article: Fields, tree: page_paths.PageTree) -> str | None:
    published_at = article["published_at"]
    if article["category"] is None:
        if not (published_at and site.url):
            return None
        parent = article["parent"] and UUID(article["parent"])
        return site.url + page_paths.make_path(
            site, UUID(article["uuid"]), article["slug"], parent, tree, article["language"]
        )
    return addresses.make_article_url(
        site,
        uuid=article["uuid"],
        slug=article["slug"],
        category_slug=article["category"]["slug"],
        published_at=published_at and parse_timestamp(published_at),
        language=article["language"],
    )


def _list_unfit_custom_values(group: ArticleGroup) -> Sequence[Fields | None]:
    own = str(current_caller().restricted_to_author)
    return [
        list_unfit_values(article["stored_custom"], is_own=article["author"] == own)
        for article in group.articles
    ]


_FIELDS_BY_NAME: Mapping[str, ComputedField] = {
    "url": ComputedField(("category",), lambda group: group.urls),
    "translations": ComputedField(("category",), _list_translations),
    "links": ComputedField(("category", *TERM_LIST_NAMES), _make_term_links),
    "head": ComputedField(("category", *TERM_LIST_NAMES), _make_heads),
    "editor": ComputedField((), _find_editors, is_nullable=True),
    "key_name": ComputedField((), _find_key_names, is_nullable=True),
    "working_copy": ComputedField((), _find_working_copies, is_nullable=True),
    "custom": ComputedField(
        ("stored_custom",),
        lambda group: select_shown_values([one["stored_custom"] for one in group.articles]),
    ),
    "custom_unfit": ComputedField(("stored_custom",), _list_unfit_custom_values, is_nullable=True),
    "open_by": ComputedField((), _find_present_users, is_nullable=True),
}
COMPUTED_FIELDS = tuple(_FIELDS_BY_NAME)
