"""Reads terms as JSON: the pages of lists, and single terms with their articles."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import ColumnElement, Select, false, func, or_, select

from blogapi.content.taxonomies.hierarchy import find_parents
from blogapi.content.taxonomies.models import FormerTermSlug, Term
from blogapi.content.taxonomies.queries import describe_missing
from blogapi.content.taxonomies.similar_names import find_similar
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.content.taxonomies.term_head import make_head
from blogapi.publication.visibility import READABLE_STATUSES, is_article
from blogapi.rendering.slugs import make_slug
from blogapi.site.addresses import make_term_url
from blogapi.site.queries import get_site
from blogapi.storage.database import Base, bytewise, chunk, db, table_of
from blogapi.web import json as web_json
from blogapi.web.errors import or_not_found
from blogapi.web.fields import Fields
from blogapi.web.json import JsonBody
from blogapi.web.pagination import Page, PageRequest, paginate

# A function that returns the public articles of a term, with the documented fields.
ListArticles = Callable[[UUID], JsonBody]

# A function that returns the condition under which readers see a term.
IsPublic = Callable[[], ColumnElement[bool]]

_former = table_of(FormerTermSlug).c


class CountArticles(Protocol):
    """Counts the articles of terms; terms without articles may be missing in the results."""

    def __call__(self, uuid: UUID | None) -> Mapping[UUID, int]:
        """Return the number of public articles of one term, or of all terms (None), by uuid."""

    def count_by_status(self, terms: Collection[UUID]) -> Mapping[UUID, Mapping[str, int]]:
        """Return the numbers of articles of these terms by status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFilters:
    """The filters of a list of terms; a filter with an empty value is not applied.

    `q` is a part of the name or the slug, and `slug` a current or former slug. `used` is `never` for terms
    that no article and no page has, or `hidden` for terms whose articles are all drafts or archived. With
    `similar`, only terms with a name similar to another term's are listed, similar terms together.
    """

    q: str = ""
    slug: str = ""
    used: str = ""
    similar: bool = False
    ordering: str = ""

    @property
    def need_draft_access(self) -> bool:
        """Whether only callers who see drafts may use these filters."""
        return bool(self.used or self.similar or self.ordering == "-articles")


NO_FILTERS = TermFilters()


def list_json(
    taxonomy: Taxonomy[TermType],
    names: Sequence[str] | None = None,
    page: PageRequest | None = None,
    condition: ColumnElement[bool] | None = None,
    *,
    filters: TermFilters = NO_FILTERS,
    count_articles: CountArticles | None = None,
    shows_drafts: bool = False,
) -> Page[JsonBody]:
    """Return a page of terms or all terms, sorted by name, with these fields (None: the documented fields).

    With a condition, only the terms for which it is true are listed. With `shows_drafts`, the terms can have
    the field `articles_by_status`.
    """
    model: type[Term] = taxonomy.model
    terms = _list_terms(model, page, condition, filters)
    fields = taxonomy.schema._declared_fields if names is None else names
    if set(fields) == set(taxonomy.stored_schema._declared_fields):
        body = b"[%b]" % b",".join(terms.rows)
    else:
        listed = _select_fields(taxonomy, terms.rows, fields, count_articles, shows_drafts=shows_drafts)
        body = web_json.to_json_bytes(listed)
    return Page(JsonBody(body), terms.total, page)


def _list_terms(
    model: type[Term], page: PageRequest | None, condition: ColumnElement[bool] | None, filters: TermFilters
) -> Page[Sequence[bytes]]:
    """Return the stored JSON of the terms that match the filters."""
    conditions = [] if condition is None else [condition]
    order: list[Any] = [func.lower(bytewise(model.name)), model.uuid]
    if filters.slug:
        had_slug = select(_former.term_id).where(_former.kind == model.kind, _former.slug == filters.slug)
        conditions.append(or_(model.slug == filters.slug, model.uuid.in_(had_slug)))
    if filters.q:
        name, text = func.lower(model.name), filters.q.lower()
        conditions.append(or_(name.contains(text, autoescape=True), _slug_contains(model, text)))
        order.insert(0, name.startswith(text, autoescape=True).desc())
    if filters.used == "never":
        conditions.append(~_select_items(model).exists())
    elif filters.used == "hidden":
        article = Base.metadata.tables["article"].c
        articles = _select_items(model).where(is_article(article))
        conditions += [articles.exists(), ~articles.where(article.status.in_(READABLE_STATUSES)).exists()]
    if filters.similar:
        return _list_similar(model, page, conditions)
    if filters.ordering == "-articles":
        articles = _select_items(model).where(is_article(Base.metadata.tables["article"].c))
        number = articles.with_only_columns(func.count(), maintain_column_froms=True)
        order.insert(0, number.scalar_subquery().desc())
    return paginate(select(model.json).where(*conditions).order_by(*order), page)


def _slug_contains(model: type[Term], text: str) -> ColumnElement[bool]:
    """Return the condition that the slug contains the text.

    The name alone is not enough: SQLite ignores the case of ASCII letters only.
    """
    words = text.replace(" ", "").replace("-", "")
    return model.slug.contains(make_slug(text), autoescape=True) if words.isalnum() else false()


def _select_items(model: type[Term]) -> Select[UUID]:
    """Return the subquery that selects the articles and pages of the term in the outer statement."""
    article = Base.metadata.tables["article"].c
    links = Base.metadata.tables.get(f"article_{model.kind}")
    if links is None:
        return select(article.uuid).where(article.category_id == model.uuid)
    items = select(article.uuid).join(links, links.c.article_id == article.uuid)
    return items.where(links.c[f"{model.kind}_id"] == model.uuid)


def _list_similar(
    model: type[Term], page: PageRequest | None, conditions: Sequence[ColumnElement[bool]]
) -> Page[Sequence[bytes]]:
    names = db.session.execute(select(model.uuid, model.name).where(*conditions).order_by(model.name))
    uuids = find_similar({row.uuid: row.name for row in names})
    shown = uuids if page is None else uuids[(page.number - 1) * page.size :][: page.size]
    rows = {
        row.uuid: row.json
        for batch in chunk(shown)
        for row in db.session.execute(select(model.uuid, model.json).where(model.uuid.in_(batch)))
    }
    return Page([rows[uuid] for uuid in shown], len(uuids), page)


def get_json(
    taxonomy: Taxonomy[TermType],
    uuid: UUID,
    list_articles: ListArticles,
    names: Sequence[str] | None = None,
    condition: ColumnElement[bool] | None = None,
    *,
    count_articles: CountArticles | None = None,
    shows_drafts: bool = False,
) -> JsonBody:
    """Return the term with these fields (None: the documented fields, which include its articles).

    Raises NotFound if the term does not exist or the condition is false for it.
    """
    stored = get_stored_json(taxonomy, uuid, condition)
    fields = taxonomy.single_schema._declared_fields if names is None else names
    (term,) = _select_fields(taxonomy, [stored], fields, count_articles, uuid, shows_drafts=shows_drafts)
    if "articles" not in fields:
        return JsonBody(web_json.to_json_bytes(term), item_state=stored.decode())
    return web_json.add_member(term, "articles", list_articles(uuid), item_state=stored.decode())


def _select_fields(
    taxonomy: Taxonomy[TermType],
    rows: Sequence[bytes],
    names: Container[str],
    count_articles: CountArticles | None,
    counted: UUID | None = None,
    *,
    shows_drafts: bool,
) -> list[Fields]:
    """Return these fields of the stored terms; fields that depend on other rows are computed.

    The public articles of the term `counted`, or of all terms (None), are counted.
    """
    terms = json.loads(b"[%b]" % b",".join(rows))
    details = [name for name in _list_details(taxonomy) if name in names or "head" in names]
    if details:
        _add_details(taxonomy, terms, details)
    shown = [{name: value for name, value in term.items() if name in names} for term in terms]
    if count_articles is not None and "articles_count" in names:
        counts = count_articles(counted)
        for term, fields in zip(terms, shown, strict=True):
            fields["articles_count"] = counts.get(UUID(term["uuid"]), 0)
    if taxonomy.address_field in names or "head" in names:
        site, kind = get_site(), taxonomy.model.kind
        uuids = [UUID(term["uuid"]) for term in terms] if "head" in names else []
        parents = find_parents(taxonomy.model, uuids)
        for term, fields in zip(terms, shown, strict=True):
            url = make_term_url(site, kind, uuid=term["uuid"], slug=term["slug"])
            fields |= {taxonomy.address_field: url} if url and taxonomy.address_field in names else {}
            if "head" in names:
                fields["head"] = make_head(kind, term, site, url, parents.get(UUID(term["uuid"]), ()))
    if count_articles is not None and shows_drafts and "articles_by_status" in names:
        numbers = count_articles.count_by_status([UUID(term["uuid"]) for term in terms])
        for term, fields in zip(terms, shown, strict=True):
            fields["articles_by_status"] = numbers.get(UUID(term["uuid"]), {})
    return shown


@cache
def _list_details(taxonomy: Taxonomy[Any]) -> Mapping[str, str]:
    """Return the columns of the fields that the stored JSON does not contain, by the name of the field."""
    fields, columns = taxonomy.fields_schema._declared_fields, table_of(taxonomy.model).c
    details = {name: field.attribute or name for name, field in fields.items()}
    stored = taxonomy.stored_schema._declared_fields
    return {name: column for name, column in details.items() if name not in stored and column in columns}


def _add_details(taxonomy: Taxonomy[Any], terms: Sequence[Fields], names: Sequence[str]) -> None:
    """Add these fields, which the stored JSON does not contain, to the terms."""
    columns, by_name = table_of(taxonomy.model).c, _list_details(taxonomy)
    selected = [columns[by_name[name]] for name in names]
    schema = taxonomy.fields_schema(only=names)
    found: dict[str, Fields] = {}
    for batch in chunk([UUID(term["uuid"]) for term in terms]):
        statement = select(columns.uuid, *selected).where(columns.uuid.in_(batch))
        found |= {str(row.uuid): schema.dump(row) for row in db.session.execute(statement)}
    for term in terms:
        term |= found.get(term["uuid"], {})


def get_stored_json(
    taxonomy: Taxonomy[TermType], uuid: UUID, condition: ColumnElement[bool] | None = None
) -> bytes:
    """Return the stored JSON of the term.

    Raises NotFound if the term does not exist or the condition is false for it.
    """
    model: type[Term] = taxonomy.model
    statement = select(model.json).where(model.uuid == uuid)
    stored = db.session.scalar(statement if condition is None else statement.where(condition))
    return or_not_found(stored, describe_missing(taxonomy))
