"""Passes functions of higher packages to the lower packages that call them.

Lower packages cannot import higher ones. Both `create_app` and the temporary application with which a restore
upgrades a backup call `init_app`.
"""

from __future__ import annotations

from typing import Any

from flask import Flask

from blogapi.articles import author_visibility
from blogapi.articles.writing import definition_changes, media_changes
from blogapi.authors import profiles
from blogapi.authors.taxonomy import AUTHORS
from blogapi.categories.taxonomy import CATEGORIES
from blogapi.custom_fields import articles as custom_field_articles
from blogapi.media import hooks, library
from blogapi.media.models import Media
from blogapi.media.schemas import StoredMediaSchema
from blogapi.pages import moves, page_tree
from blogapi.publication import event_writer
from blogapi.site import page_addresses
from blogapi.tags.taxonomy import TAGS
from blogapi.taxonomies.taxonomy import Taxonomy
from blogapi.users import service as user_service
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
