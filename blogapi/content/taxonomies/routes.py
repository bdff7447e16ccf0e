"""The HTTP operations that every taxonomy has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import marshmallow as ma
from sqlalchemy import ColumnElement

from blogapi.content.taxonomies import queries, service, term_json
from blogapi.content.taxonomies.schemas import TermListQuery, TermQuery
from blogapi.content.taxonomies.taxonomy import Taxonomy, TermType
from blogapi.content.taxonomies.term_json import IsPublic, ListArticles, TermArticleCounter, TermFilters
from blogapi.publication.kinds import TERM_KINDS
from blogapi.publication.shared_caching import ShownContent, declare_shown_kinds
from blogapi.site.heads import FIRST_PAGE, PageNumber
from blogapi.web.access import allow, author, current_caller, current_user_id, editor, reader
from blogapi.web.blueprint import Blueprint, add_a_or_an, set_summary
from blogapi.web.errors import Forbidden
from blogapi.web.fields import Fields, ItemUuidsSchema, make_item_schema
from blogapi.web.json import JsonBody
from blogapi.web.pagination import BulkDeleteQuery, Page, Query
from blogapi.web.representation import Representation, UpsertResult
from blogapi.web.slug_lookup import accept_slugs
from blogapi.web.writes import write_items

# A function that merges the terms with the listed uuids into the term with the single uuid, and returns that
# term.
MergeTerms = Callable[[Taxonomy[Any], UUID, Sequence[UUID]], Any]

# The fields of a term that its owner may not change.
_FIXED_FIELDS = {"slug", "owner_id"}
# The kinds that change the response for a single term: its articles contain all their terms.
_KINDS_SHOWN_WITH_TERM = ("article", *TERM_KINDS)


def build_blueprint(
    taxonomy: Taxonomy[TermType],
    list_articles: ListArticles,
    count_articles: TermArticleCounter,
    merge_terms: MergeTerms,
    is_public: IsPublic | None = None,
) -> Blueprint:
    """Return the blueprint with the operations of the taxonomy.

    Callers without access to drafts see only the terms for which the condition `is_public` is true (None: all
    terms). The functions are parameters, because an import of `articles` would be circular.
    """
    singular, plural, schema = taxonomy.singular, taxonomy.plural, taxonomy.schema
    kind, item_schema = taxonomy.model.kind, make_item_schema(taxonomy.body_schema)
    # The schema is referenced by name, because an import would be circular.
    articles = ma.fields.Nested("ArticleSchema", many=True)
    single_fields: Any = taxonomy.fields_schema.from_dict({"articles": articles})
    bp = Blueprint(plural, __name__, url_prefix=f"/api/v1/blog/{plural}", description=plural.capitalize())

    def get_condition() -> ColumnElement[bool] | None:
        caller = current_caller()
        if is_public is None or caller.sees_drafts:
            return None
        # Authors see their own profile even before they have a public article.
        own = taxonomy.model.owner_id == caller.restricted_to_author
        return is_public() | own if caller.restricted_to_author else is_public()

    def get_json(id: UUID, names: Sequence[str] | None = None, page: PageNumber = FIRST_PAGE) -> JsonBody:
        return term_json.get_term_json(
            taxonomy,
            id,
            list_articles,
            names,
            get_condition(),
            count_articles=count_articles,
            shows_drafts=current_caller().sees_drafts,
            page=page,
        )

    def get_term(id: UUID) -> TermType:
        return queries.get_term(taxonomy, id)

    def check_changeable(id: UUID, fields: Fields | None = None) -> None:
        """Raise NotFound or Forbidden unless the term exists and the caller may change these fields."""
        caller = current_caller()
        if caller.is_author:
            # Authors get NotFound, instead of Forbidden, for a term that they may not see.
            term_json.check_term_visible(taxonomy, id, get_condition())
        term = get_term(id)
        fixed = {name: value for name, value in (fields or {}).items() if name in _FIXED_FIELDS}
        if caller.is_author and (
            term.owner_id != caller.user or any(getattr(term, name) != value for name, value in fixed.items())
        ):
            raise Forbidden(
                "You may change only your own profile, and not its slug or its user; ask an editor."
            )

    # The articles of a term are left out: a write does not change them, and there can be many.
    representation = Representation(
        lambda id: get_json(id, tuple(schema._declared_fields)),
        schema(),
        lambda: term_json.list_terms_json(taxonomy).rows,
        schema(many=True),
        get_fields=get_json,
        fields_schema=single_fields,
    )

    @bp.get("/")
    @allow(reader, scope="published")
    @bp.response(
        200,
        schema(many=True),
        partial_schema=taxonomy.fields_schema,
        query=TermListQuery,
        single=single_fields,
        section=taxonomy.list_section,
        cacheable=True,
    )
    @set_summary(f"List the {plural}, sorted by name.")
    @declare_shown_kinds(kind, "article")
    def listed(query: Query) -> Page[JsonBody]:
        filters, shows_drafts = TermFilters(**query.filters), current_caller().sees_drafts
        if filters.needs_draft_access and not shows_drafts:
            raise Forbidden(
                "Only editors and admins may use `used`, `similar` and this `ordering`; leave them out."
            )
        return term_json.list_terms_json(
            taxonomy,
            query.fields,
            query.page,
            get_condition(),
            filters=filters,
            count_articles=count_articles,
            shows_drafts=shows_drafts,
        )

    @bp.get("/<reference:id>/")
    @allow(reader, scope="published")
    @bp.response(
        200,
        taxonomy.single_schema(),
        partial_schema=single_fields,
        query=TermQuery,
        section=taxonomy.detail_section,
        cacheable=True,
    )
    @set_summary(f"Return {add_a_or_an(singular)} with its public articles, newest first.")
    @accept_slugs(partial(queries.find_slug_owner, taxonomy))
    @declare_shown_kinds(find=lambda query, id: ShownContent(_KINDS_SHOWN_WITH_TERM, {kind: [id]}))
    def single(query: Query, id: UUID) -> JsonBody:
        return get_json(id, query.fields, PageNumber(query.page.number) if query.page else FIRST_PAGE)

    @bp.post("/")
    @allow(taxonomy.creator, scope="write")
    @bp.arguments(taxonomy.body_schema)
    @bp.write(201, schema(), representation, partial_schema=taxonomy.fields_schema)
    @set_summary(f"Create {add_a_or_an(singular)}; without `slug` the slug is derived from the name.")
    def create(fields: Fields) -> TermType:
        return service.create_term(taxonomy, current_user_id(), fields)

    @bp.put("/<id:id>/")
    @allow(editor, scope="write")
    @bp.arguments(taxonomy.body_schema)
    @bp.write(200, schema(), representation, partial_schema=taxonomy.fields_schema, creates=True)
    @set_summary(f"Create or replace the {singular} with this uuid.")
    def replace(fields: Fields, id: UUID) -> UpsertResult:
        return UpsertResult(*service.replace_term(taxonomy, current_user_id(), id, fields))

    @bp.patch("/<id:id>/")
    @allow(author if taxonomy.owner_changes else editor, scope="write")
    @bp.check_exists(check_changeable)
    @bp.arguments(taxonomy.body_schema(partial=True))
    @bp.write(200, schema(), representation, partial_schema=taxonomy.fields_schema)
    @set_summary(f"Change the given fields of {add_a_or_an(singular)}.")
    def change(fields: Fields, id: UUID) -> TermType:
        check_changeable(id, fields)
        return service.change_term(taxonomy, id, fields)

    @bp.delete("/<id:id>/")
    @allow(editor, scope="write")
    @bp.check_exists(get_term)
    @bp.write(204, None, representation)
    @set_summary(taxonomy.deletion)
    def delete(id: UUID) -> None:
        service.delete_term(taxonomy, id)

    @bp.post("/<id:id>/merge/")
    @allow(editor, scope="write")
    @bp.check_exists(get_term)
    @bp.arguments(ItemUuidsSchema)
    @bp.write(200, schema(), representation, partial_schema=taxonomy.fields_schema)
    @set_summary(f"Merge other {plural} into this {singular}, which replaces them in their articles.")
    def merge(fields: Fields, id: UUID) -> TermType:
        merged: TermType = merge_terms(taxonomy, id, fields["uuids"])
        return merged

    @bp.put("/")
    @allow(editor, scope="write")
    @bp.arguments(item_schema(many=True))
    @bp.write(200, schema(many=True), representation)
    @set_summary(f"Create or replace several {plural}, all or none.")
    def replace_all(items: list[Fields]) -> list[TermType]:
        return write_items(
            items,
            lambda fields: service.replace_term(taxonomy, current_user_id(), fields.pop("uuid"), fields)[0],
        )

    @bp.patch("/")
    @allow(editor, scope="write")
    @bp.arguments(item_schema(many=True, partial=("name",)))
    @bp.write(200, schema(many=True), representation)
    @set_summary(f"Change the given fields of several {plural}, all or none.")
    def change_all(items: list[Fields]) -> list[TermType]:
        return write_items(items, lambda fields: service.change_term(taxonomy, fields.pop("uuid"), fields))

    @bp.delete("/")
    @allow(editor, scope="write")
    @bp.arguments(BulkDeleteQuery, location="query")
    @bp.write(204, None, representation)
    @set_summary(f"Delete several {plural}, all or none.")
    def delete_all(query: Fields) -> None:
        write_items(query["uuid"], lambda uuid: service.delete_term(taxonomy, uuid))

    return bp
