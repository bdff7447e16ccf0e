"""The endpoints that write articles or pages; one function adds them for both."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Protocol
from uuid import UUID

import marshmallow as ma

from blogapi.content.articles import permissions, service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article
from blogapi.content.articles.resource import Resource
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.web.access import allow, current_user_id
from blogapi.web.blueprint import Blueprint, add_a_or_an, set_summary
from blogapi.web.fields import Fields, make_item_schema
from blogapi.web.pagination import BulkDeleteQuery
from blogapi.web.representation import UpsertResult


class ParentResolver(Protocol):
    """A function that returns the inputs with the uuids of the parent pages.

    With `is_bulk`, errors begin with the item's index.
    """

    def __call__(self, items: Sequence[ArticleInput], *, is_bulk: bool) -> Sequence[ArticleInput]: ...


def add_write_operations(
    bp: Blueprint,
    resource: Resource,
    *,
    body_schema: type[ArticleBodySchema],
    list_fields_schema: type[ma.Schema],
    resolve_parents: ParentResolver,
    deletion_predicate: str,
) -> None:
    """Add the operations that create, replace, change and delete the items of the resource.

    `list_fields_schema` is the schema of the fields of several items. `deletion_predicate` ends a sentence
    about a deleted item, such as "can be restored".
    """
    allow_writers = allow(resource.access_rule, scope="write")
    allow_draft_writers = allow(resource.access_rule, scope=resource.draft_scope)
    kind, representation, item_schema = resource.kind, resource.representation, make_item_schema(body_schema)
    schema, items_schema = resource.schema, type(resource.schema)(many=True)
    write_one = partial(bp.write, 200, schema, representation, partial_schema=resource.fields_schema)
    write_several = partial(bp.write, 200, items_schema, representation, partial_schema=list_fields_schema)

    def prerender_item(fields: ArticleInput, id: UUID | None = None, *, partial: bool = False) -> None:
        fields = dataclasses.replace(fields, uuid=id)
        if id is not None:
            permissions.check_writes([fields], is_bulk=False, creates=not partial)
        service.prerender_inputs([fields], partial=partial)

    def prerender_items(items: Sequence[ArticleInput], *, partial: bool = False) -> None:
        permissions.check_writes(items, creates=not partial)
        service.prerender_inputs(items, partial=partial)

    @bp.post("/")
    @allow_draft_writers
    @bp.arguments(body_schema)
    @bp.write(
        201, schema, representation, partial_schema=resource.fields_schema, prepare_write=prerender_item
    )
    @set_summary(f"Create {add_a_or_an(kind)}; without `status` it is a draft.")
    def create(fields: ArticleInput) -> Article:
        permissions.check_creation(fields)
        (fields,) = resolve_parents([fields], is_bulk=False)
        return service.create_article_in_transaction(current_user_id(), fields)

    @bp.put("/<id:id>/")
    @allow_draft_writers
    @bp.check_exists(permissions.check_replacement, in_view=True)
    @bp.arguments(body_schema)
    @write_one(creates=True, prepare_write=prerender_item)
    @set_summary(f"Create or replace the {kind} with this uuid; the response to a GET is a valid body.")
    def replace(fields: ArticleInput, id: UUID) -> UpsertResult:
        permissions.check_replacement(id, fields)
        (fields,) = resolve_parents([dataclasses.replace(fields, uuid=id)], is_bulk=False)
        return UpsertResult(*service.replace_article_in_transaction(current_user_id(), id, fields))

    @bp.patch("/<id:id>/")
    @allow_draft_writers
    @bp.check_exists(resource.check_access, in_view=True)
    @bp.arguments(body_schema(partial=True))
    @write_one(prepare_write=partial(prerender_item, partial=True))
    @set_summary(f"Change the given fields of {add_a_or_an(kind)}.")
    def change(fields: ArticleInput, id: UUID) -> Article:
        fields = dataclasses.replace(fields, uuid=id)
        permissions.check_writes([fields], is_bulk=False)
        (fields,) = resolve_parents([fields], is_bulk=False)
        return service.change_article_in_transaction(current_user_id(), id, fields)

    @bp.delete("/<id:id>/")
    @allow_writers
    @bp.check_exists(resource.check_access, in_view=True)
    @bp.write(204, None, representation)
    @set_summary(f"Delete {add_a_or_an(kind)}; it {deletion_predicate}.")
    def delete(id: UUID) -> None:
        permissions.check_write(id)
        service.delete_item(current_user_id(), id, kind)

    @bp.put("/")
    @allow_writers
    @bp.arguments(item_schema(many=True))
    @write_several(prepare_write=prerender_items)
    @set_summary(f"Create or replace several {kind}s, all or none.")
    def replace_all(items: Sequence[ArticleInput]) -> list[UUID]:
        permissions.check_writes(items, creates=True)
        return service.replace_articles(current_user_id(), resolve_parents(items, is_bulk=True))

    @bp.patch("/")
    @allow_writers
    @bp.arguments(item_schema(many=True, partial=("title",)))
    @write_several(prepare_write=partial(prerender_items, partial=True))
    @set_summary(f"Change the given fields of several {kind}s, all or none.")
    def change_all(items: Sequence[ArticleInput]) -> list[UUID]:
        permissions.check_writes(items)
        items = resolve_parents(items, is_bulk=True)
        with permissions.report_deleted_items([item.uuid for item in items], kind):
            return service.change_articles(current_user_id(), items)

    @bp.delete("/")
    @allow_writers
    @bp.arguments(BulkDeleteQuery, location="query")
    @bp.write(204, None, representation)
    @set_summary(f"Delete several {kind}s, all or none; each {deletion_predicate}.")
    def delete_all(query: Fields) -> None:
        permissions.check_writes([ArticleInput(uuid=uuid) for uuid in query["uuid"]])
        with permissions.report_deleted_items(query["uuid"], kind):
            service.delete_items(current_user_id(), query["uuid"], kind)
