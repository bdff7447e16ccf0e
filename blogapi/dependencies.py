"""Passes functions of higher packages to the lower packages that call them.

Lower packages cannot import higher ones. Both `create_app` and the temporary application with which a restore
upgrades a backup call `init_app`.
"""

from __future__ import annotations

from typing import Any

from flask import Flask

from blogapi.accounts.users import service as user_service
from blogapi.content.articles import author_visibility
from blogapi.content.articles.writing import definition_changes, media_changes
from blogapi.content.authors import profiles
from blogapi.content.authors.taxonomy import AUTHORS
from blogapi.content.categories.taxonomy import CATEGORIES
from blogapi.content.custom_fields import articles as custom_field_articles
from blogapi.content.media import hooks, library
from blogapi.content.media.models import Media
from blogapi.content.media.schemas import StoredMediaSchema
from blogapi.content.pages import moves, page_tree
from blogapi.content.tags.taxonomy import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.publication import event_writer
from blogapi.site import page_addresses
from blogapi.web import media_addresses, stored_json

TAXONOMIES: tuple[Taxonomy[Any], ...] = (AUTHORS, CATEGORIES, TAGS)


def init_app(app: Flask) -> None:
    """Set the functions; call this before the first transaction."""
    schemas = {taxonomy.model: taxonomy.stored_schema for taxonomy in TAXONOMIES}
    stored_json.init_app(app, schemas={**schemas, Media: StoredMediaSchema})
    event_writer.AUTHOR_QUERIES.set(app, author_visibility)
    user_service.PROFILES.set(app, profiles)
    page_addresses.PAGE_TREE.set(app, page_tree)
    page_addresses.PAGE_MOVES.set(app, moves)
    media_addresses.LIBRARY.set(app, library)
    hooks.ARTICLES.set(app, media_changes)
    custom_field_articles.ARTICLES.set(app, definition_changes)
