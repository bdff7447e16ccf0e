"""Reads terms as JSON bodies: one term with its articles, and the pages of lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import ColumnElement, Select, false, func, or_, select

from blogapi.content.taxonomies.hierarchy import find_ancestors
from blogapi.content.taxonomies.models import FormerTermSlug, Term
from blogapi.content.taxonomies.queries import make_not_found_message
from blogapi.content.taxonomies.similar_names import find_similar_terms, make_name_key
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.content.taxonomies.term_head import make_term_head
from blogapi.publication.visibility import READABLE_STATUSES, match_articles
from blogapi.rendering.slugs import make_slug
from blogapi.site.addresses import make_term_url
from blogapi.site.heads import FIRST_PAGE, PageNumber
from blogapi.site.queries import get_site
from blogapi.storage.database import Base, db, split_values, table_of
from blogapi.web import json as web_json
from blogapi.web.errors import require_item
from blogapi.web.fields import Fields, restrict_schema
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, fetch_row_page

# A function that returns the public articles of a term, with the documented fields.
ListArticles = Callable[[UUID], JsonBody]

# A function that returns the condition under which readers see a term.
IsPublic = Callable[[], ColumnElement[bool]]

_former = table_of(FormerTermSlug).c


class TermArticleCounter(Protocol):
    """Counts the articles of terms; the results can lack terms without articles."""

    def __call__(self, uuid: UUID | None, language: str = "") -> Mapping[UUID, int]:
        """Return the number of public articles of one term, or of all terms (None), by uuid.

        With a language, only articles in this language are counted.
        """

    def count_articles_by_status(self, terms: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
        """Return the numbers of articles of these terms by status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFilters:
    """The filters of a list of terms; a filter with an empty value is not applied.

    `q` is a part of the name or the slug, and `slug` a current or former slug. `used` is `never` for terms
    that no article and no page has, or `hidden` for terms whose articles are all drafts or archived. With
    `similar`, only terms whose name is similar to another are listed, with similar terms together. With a
    `language`, `articles_count` counts only articles in this language.
    """

    q: str = ""
    slug: str = ""
    used: str = ""
    similar: bool = False
    ordering: str = ""
    language: str = ""

    @property
    def needs_draft_access(self) -> bool:
        """Whether only callers who see drafts may use these filters."""
        return bool(self.used or self.similar or self.ordering == "-articles")


NO_FILTERS = TermFilters()


def list_terms_json(
    taxonomy: Taxonomy[TermType],
    names: Sequence[str] | None = None,
    page: PageRequest | None = None,
    condition: ColumnElement[bool] | None = None,
    *,
    filters: TermFilters = NO_FILTERS,
    count_articles: TermArticleCounter | None = None,
    shows_drafts: bool = False,
) -> Page[JsonBody]:
    """Return one page of the terms, or all if `page` is None, sorted by name and with the fields `names`.

    Without `names`, the terms have the documented fields. With a condition, only terms that meet it are
    listed. With `shows_drafts`, the terms can have the field `articles_by_status`.
    """
    fields = taxonomy.schema._declared_fields if names is None else names
    terms = _read_term_rows(taxonomy, _list_needed_columns(taxonomy, fields), page, condition, filters)
    shown = _make_term_fields(
        taxonomy, terms.rows, fields, count_articles, shows_drafts=shows_drafts, language=filters.language
    )
    return Page(JsonBody(web_json.to_json_bytes(shown)), terms.total, page)


def _read_term_rows(
    taxonomy: Taxonomy[Any],
    columns: Sequence[ColumnElement[Any]],
    page: PageRequest | None,
    condition: ColumnElement[bool] | None,
    filters: TermFilters,
) -> Page[Sequence[Any]]:
    """Return the rows of the terms that match the filters, with these columns."""
    model: type[Term] = taxonomy.model
    conditions = [] if condition is None else [condition]
    order: list[Any] = [model.sort_key, model.uuid]
    if filters.slug:
        had_slug = select(_former.term_id).where(_former.kind == model.kind, _former.slug == filters.slug)
        conditions.append(or_(model.slug == filters.slug, model.uuid.in_(had_slug)))
    if filters.q:
        key = make_name_key(filters.q)
        has_key = model.name_key.contains(key, autoescape=True)
        conditions.append(or_(has_key, _match_slug_part(model, filters.q.lower())))
        order.insert(0, model.name_key.startswith(key, autoescape=True).desc())
    if filters.used == "never":
        conditions.append(~_select_items_of_term(taxonomy).exists())
    elif filters.used == "hidden":
        article = Base.metadata.tables["article"].c
        articles = _select_items_of_term(taxonomy).where(match_articles(article))
        conditions += [articles.exists(), ~articles.where(article.status.in_(READABLE_STATUSES)).exists()]
    if filters.similar:
        return _list_similar_terms(model, columns, page, conditions)
    if filters.ordering == "-articles":
        articles = _select_items_of_term(taxonomy).where(match_articles(Base.metadata.tables["article"].c))
        number = articles.with_only_columns(func.count(), maintain_column_froms=True)
        order.insert(0, number.scalar_subquery().desc())
    return fetch_row_page(select(*columns).where(*conditions).order_by(*order), page)


def _match_slug_part(model: type[Term], text: str) -> ColumnElement[bool]:
    """Return the condition that the slug contains the slug of the text; false if the text has punctuation."""
    words = text.replace(" ", "").replace("-", "")
    return model.slug.contains(make_slug(text), autoescape=True) if words.isalnum() else false()


def _select_items_of_term(taxonomy: Taxonomy[Any]) -> Select[UUID]:
    """Return the subquery that selects the articles and pages of the term in the outer statement."""
    article, link = Base.metadata.tables["article"], taxonomy.get_link_column()
    items = select(article.c.uuid).where(link == taxonomy.model.uuid)
    return items if link.table is article else items.where(link.table.c.article_id == article.c.uuid)


def _list_similar_terms(
    model: type[Term],
    columns: Sequence[ColumnElement[Any]],
    page: PageRequest | None,
    conditions: Sequence[ColumnElement[bool]],
) -> Page[Sequence[Any]]:
    names = db.session.execute(select(model.uuid, model.name).where(*conditions).order_by(model.name))
    uuids = find_similar_terms({row.uuid: row.name for row in names})
    shown = uuids if page is None else uuids[(page.number - 1) * page.size :][: page.size]
    rows = {
        row.uuid: row
        for batch in split_values(shown)
        for row in db.session.execute(select(*columns).where(model.uuid.in_(batch)))
    }
    return Page([rows[uuid] for uuid in shown], len(uuids), page)


def get_term_json(
    taxonomy: Taxonomy[TermType],
    uuid: UUID,
    list_articles: ListArticles,
    names: Sequence[str] | None = None,
    condition: ColumnElement[bool] | None = None,
    *,
    count_articles: TermArticleCounter | None = None,
    shows_drafts: bool = False,
    page: PageNumber = FIRST_PAGE,
) -> JsonBody:
    """Return the term with these fields (None: the documented fields, which include its articles).

    `page` is the page of its articles that the field `head` describes. Raises NotFound if the term does not
    exist or the condition is false for it.
    """
    row = _get_term_row(taxonomy, uuid, condition)
    # Every write of the term changes one of the fields that an article shows, such as `last_updated`.
    state = web_json.to_json(_dump_rows(taxonomy, [row], taxonomy.embedded_schema._declared_fields)[0])
    fields = taxonomy.single_schema._declared_fields if names is None else names
    (term,) = _make_term_fields(
        taxonomy, [row], fields, count_articles, uuid, shows_drafts=shows_drafts, page=page
    )
    if "articles" not in fields:
        return JsonBody(web_json.to_json_bytes(term), item_state=state)
    return web_json.append_member(term, "articles", list_articles(uuid), item_state=state)


def check_term_visible(taxonomy: Taxonomy[Any], uuid: UUID, condition: ColumnElement[bool] | None) -> None:
    """Raise NotFound if the term does not exist or the condition is false for it."""
    _get_term_row(taxonomy, uuid, condition)


def _get_term_row(taxonomy: Taxonomy[Any], uuid: UUID, condition: ColumnElement[bool] | None) -> Any:
    statement = select(*_get_columns_by_field(taxonomy).values()).where(taxonomy.model.uuid == uuid)
    row = db.session.execute(statement if condition is None else statement.where(condition)).one_or_none()
    return require_item(row, make_not_found_message(taxonomy))


@cache
def _get_columns_by_field(taxonomy: Taxonomy[Any]) -> Mapping[str, ColumnElement[Any]]:
    """Return the column of each field that a row contains, in the order of the fields in responses."""
    columns = table_of(taxonomy.model).c
    fields = taxonomy.embedded_schema._declared_fields | taxonomy.fields_schema._declared_fields
    names = {name: field.attribute or name for name, field in fields.items()}
    return {name: columns[column] for name, column in names.items() if column in columns}


def _list_needed_columns(taxonomy: Taxonomy[Any], names: Container[str]) -> Sequence[ColumnElement[Any]]:
    """Return the columns that the fields with these names need; the field `head` needs all columns."""
    return [
        column
        for name, column in _get_columns_by_field(taxonomy).items()
        if name in names or name in ("uuid", "slug") or "head" in names
    ]


def _dump_rows(taxonomy: Taxonomy[Any], rows: Sequence[Any], names: Container[str]) -> list[Fields]:
    """Return the fields of the terms that their rows contain, limited to these names."""
    selected = tuple(name for name in _get_columns_by_field(taxonomy) if name in names)
    schema = restrict_schema(taxonomy.fields_schema, selected)
    # marshmallow needs a third less time for a mapping than for a row.
    terms: list[Fields] = schema.dump([row._mapping for row in rows], many=True)
    return terms


def _make_term_fields(
    taxonomy: Taxonomy[Any],
    rows: Sequence[Any],
    names: Container[str],
    count_articles: TermArticleCounter | None,
    counted: UUID | None = None,
    *,
    shows_drafts: bool,
    language: str = "",
    page: PageNumber = FIRST_PAGE,
) -> list[Fields]:
    """Return the named fields of the terms, including fields that are computed from other rows.

    If the article counts are needed, they are read for the term `counted`, or for all terms (None).
    """
    # The field `head` contains data from all other fields.
    terms = _dump_rows(taxonomy, rows, _get_columns_by_field(taxonomy) if "head" in names else names)
    shown = [{name: value for name, value in term.items() if name in names} for term in terms]
    if count_articles is not None and "articles_count" in names:
        counts = count_articles(counted, language)
        for row, fields in zip(rows, shown, strict=True):
            fields["articles_count"] = counts.get(row.uuid, 0)
    if taxonomy.address_field in names or "head" in names:
        site, kind = get_site(), taxonomy.model.kind
        parents = find_ancestors(taxonomy.model, [row.uuid for row in rows] if "head" in names else [])
        for row, term, fields in zip(rows, terms, shown, strict=True):
            url = make_term_url(site, kind, uuid=row.uuid, slug=row.slug)
            fields |= {taxonomy.address_field: url} if url and taxonomy.address_field in names else {}
            if "head" in names:
                fields["head"] = make_term_head(kind, term, site, url, parents.get(row.uuid, ()), page)
    if count_articles is not None and shows_drafts and "articles_by_status" in names:
        numbers = count_articles.count_articles_by_status([row.uuid for row in rows])
        for row, fields in zip(rows, shown, strict=True):
            fields["articles_by_status"] = numbers.get(row.uuid, {})
    return shown
