"""Gives an application the functions of higher packages that lower packages call.

`create_app` needs them, and the application with which a restore upgrades the database of a backup.
"""

from __future__ import annotations

from flask import Flask

from blogapi.articles import author_visibility
from blogapi.articles.writing import definition_changes, media_changes
from blogapi.authors import profiles
from blogapi.custom_fields import articles as custom_field_articles
from blogapi.media import hooks, library
from blogapi.pages import moves, tree
from blogapi.publication import event_writer
from blogapi.site import page_addresses
from blogapi.users import service as user_service
from blogapi.web import media_addresses


def init_app(app: Flask) -> None:
    """Set the functions; this has to happen before the first transaction."""
    event_writer.init_app(app, authors=author_visibility)
    user_service.init_app(app, profiles=profiles)
    page_addresses.init_app(app, tree=tree, moves=moves)
    media_addresses.init_app(app, library=library)
    hooks.init_app(app, articles=media_changes)
    custom_field_articles.init_app(app, articles=definition_changes)
