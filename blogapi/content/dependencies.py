"""Passes functions of the package `content` to the lower packages that call these functions.

Lower packages must not import higher packages. Both `create_app` and the temporary application with which a
restore upgrades a backup call `init_app`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Flask

from blogapi.accounts.users import service as user_service
from blogapi.content import article_hooks
from blogapi.content.articles import author_visibility
from blogapi.content.articles.writing import page_moves, rerendering
from blogapi.content.media import library
from blogapi.content.taxonomies import authors
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.publication import event_writer
from blogapi.site import service as site_service
from blogapi.web import media_addresses

TAXONOMIES: tuple[Taxonomy[Any], ...] = (AUTHORS, CATEGORIES, TAGS)


# The function that writes the events of a transaction at its end.
write_events = partial(event_writer.write_events, authors=author_visibility)


def init_app(app: Flask) -> None:
    """Set the modules whose functions lower packages call; call this before the first transaction."""
    user_service.PROFILE_WRITER.set(app, authors)
    site_service.FORMER_PATH_STORE.set(app, page_moves)
    media_addresses.MEDIA_LIBRARY.set(app, library)
    article_hooks.ARTICLE_HOOKS.set(app, rerendering)
