"""The list of all blueprints, and the check that every view has an access rule."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping

import click
from flask import Flask, current_app
from flask.cli import with_appcontext

from blogapi.accounts.api_keys.routes import bp as api_keys
from blogapi.accounts.users.account_routes import bp as account
from blogapi.accounts.users.invitation_routes import bp as invitations
from blogapi.accounts.users.routes import bp as auth
from blogapi.accounts.users.user_routes import bp as users
from blogapi.admin.routes import admin as admin_pages
from blogapi.config import CannotStart
from blogapi.content.articles import presence_routes as open_routes
from blogapi.content.articles.author_visibility import match_public_authors
from blogapi.content.articles.lists import counts
from blogapi.content.articles.render_routes import bp as renderings
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.routes import ARTICLES
from blogapi.content.articles.routes import bp as articles
from blogapi.content.articles.routes import counts_bp as article_counts
from blogapi.content.articles.writing.term_merge import merge_terms
from blogapi.content.custom_fields.routes import bp as custom_fields
from blogapi.content.deleted_items import routes as deleted_item_routes
from blogapi.content.deleted_items.routes import bp as deleted_items
from blogapi.content.media.delivery import files_bp as media_files
from blogapi.content.media.routes import bp as media
from blogapi.content.media.use_routes import bp as media_uses
from blogapi.content.pages.routes import PAGES as PAGE_RESOURCE
from blogapi.content.pages.routes import bp as pages
from blogapi.content.revisions import routes as revision_routes
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.routes import build_blueprint
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.working_copies import routes as working_copy_routes
from blogapi.delivery.archive import bp as archive
from blogapi.delivery.changes import bp as changes
from blogapi.delivery.feeds.routes import bp as feeds
from blogapi.delivery.previews import routes as preview_routes
from blogapi.delivery.previews.routes import preview_contents
from blogapi.delivery.redirects.custom.routes import bp as custom_redirects
from blogapi.delivery.redirects.routes import bp as redirects
from blogapi.delivery.site_checks import bp as site_checks
from blogapi.delivery.webhooks.routes import bp as webhooks
from blogapi.docs import document
from blogapi.docs.routes import docs, openapi
from blogapi.exporting.export_files import DATA_LISTS
from blogapi.exporting.routes import bp as exports
from blogapi.exporting.snapshot import Snapshot
from blogapi.importing.jobs.routes import bp as imports
from blogapi.mcp.routes import mcp
from blogapi.operations.backups.routes import bp as backups
from blogapi.operations.doctor.routes import bp as doctor_checks
from blogapi.operations.health.routes import bp as health
from blogapi.publication import kinds
from blogapi.reader_site.preview import preview_pages
from blogapi.reader_site.routes import reader_site
from blogapi.site.models import Site
from blogapi.site.routes import bp as site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.storage.database import table_of
from blogapi.web.access import AccessRequirement, get_access
from blogapi.web.errors import METHODS
from blogapi.web.metrics import bp as metrics
from blogapi.web.operation import OPERATIONS, get_operation
from blogapi.web.slug_lookup import IdConverter, ReferenceConverter

BLUEPRINTS = (
    *(auth, account, users, invitations, api_keys),
    build_blueprint(CATEGORIES, article_bodies.list_category_articles, counts.CATEGORY_COUNTER, merge_terms),
    build_blueprint(TAGS, article_bodies.list_tag_articles, counts.TAG_COUNTER, merge_terms),
    build_blueprint(
        AUTHORS,
        article_bodies.list_author_articles,
        counts.AUTHOR_COUNTER,
        merge_terms,
        match_public_authors,
    ),
    *(
        articles,
        pages,
        article_counts,
        archive,
        renderings,
        redirects,
        custom_redirects,
        custom_fields,
    ),
    *(
        routes.build_blueprint(resource)
        for resource in (ARTICLES, PAGE_RESOURCE)
        for routes in (open_routes, working_copy_routes, revision_routes, preview_routes, deleted_item_routes)
    ),
    preview_contents,
    deleted_items,
    changes,
    *(
        site,
        site_checks,
        media,
        media_uses,
        feeds,
        webhooks,
        imports,
        exports,
        backups,
        doctor_checks,
        health,
        openapi,
    ),
)
NON_API_BLUEPRINTS = (reader_site, docs, admin_pages, preview_pages, media_files, metrics, mcp)


def init_app(app: Flask, *, version: str) -> None:
    """Register every blueprint; raises CannotStart if a view has no access rule or a kind is incomplete."""
    # Paths match with and without a trailing slash. Redirects between these would trust the Host header.
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    app.url_map.converters.update(id=IdConverter, reference=ReferenceConverter)
    for blueprint in (*BLUEPRINTS, *NON_API_BLUEPRINTS):
        if blueprint is not admin_pages or app.config["ADMIN_PAGES"]:
            app.register_blueprint(blueprint)
    document.init_app(app, BLUEPRINTS, version=version)
    store_operations(app)
    kinds.check_kinds(
        settings=SiteChangesSchema._declared_fields.keys() & table_of(Site).c.keys(),
        lists={field.name for field in dataclasses.fields(Snapshot)}.intersection(DATA_LISTS),
        blueprints=app.blueprints,
    )


def store_operations(app: Flask) -> None:
    """Store all operations in OPERATIONS, each with the access rule that results from the settings.

    Raises CannotStart if a view declares no access rule.
    """
    accesses = {endpoint: access for _, _, endpoint, access in list_operations(app)}
    operations = {name: get_operation(view) for name, view in app.view_functions.items() if name in accesses}
    OPERATIONS.set(
        app, {name: dataclasses.replace(item, access=accesses[name]) for name, item in operations.items()}
    )


def list_operations(
    app: Flask, *, public_reads: bool | None = None
) -> Iterator[tuple[str, str, str, AccessRequirement]]:
    """Yield (path, method, endpoint, access) for every operation.

    `public_reads` replaces the setting PUBLIC_READS. Raises CannotStart if a view declares no access rule.
    """
    if public_reads is None:
        public_reads = app.config["PUBLIC_READS"]
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        view = app.view_functions[rule.endpoint]
        access = get_access(view, public_reads=public_reads)
        if access is None:
            raise CannotStart(f"The view {rule.endpoint} declares no access rule; add @allow(…).")
        for method in METHODS:
            if method in (rule.methods or ()) and method not in ("HEAD", "OPTIONS"):
                yield rule.rule, method, rule.endpoint, access


@click.command()
@with_appcontext
def routes() -> None:
    """List every path and method of the API with the scope that a key needs, and who may call it."""
    from rich.console import Console
    from rich.table import Table

    table = Table("path", "method", "rule", "scope", "who may call", box=None)
    for path, method, _, access in list_operations(current_app):
        table.add_row(path, method, access.rule.name, access.scope, access.rule.description)
    # Without a terminal, rich would wrap the lines after 80 characters.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def build_access_matrix(app: Flask) -> dict[str, str]:
    """Map each operation, such as `GET /api/v1/users/`, to its access rule while PUBLIC_READS is off."""
    return {
        f"{method} {path}": f"{access.rule.description}, scope {access.scope}"
        for path, method, _, access in list_operations(app, public_reads=False)
        if path.startswith("/api/")
    }


def compare_access_matrices(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each operation that is new, was removed, or has another access rule than before."""
    for operation in sorted({*before, *after}):
        old, new = before.get(operation), after.get(operation)
        if old == new:
            continue
        if old is None:
            yield f"new      {operation}: {new}"
        elif new is None:
            yield f"gone     {operation}: {old}"
        else:
            yield f"changed  {operation}: {old} -> {new}"
