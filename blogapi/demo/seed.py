"""Filling an empty blog with the sample: it goes the way of every import."""

from __future__ import annotations

import tomllib
from pathlib import Path

from blogapi import clock
from blogapi.articles import queries as articles
from blogapi.categories.schemas import CategoryBodySchema
from blogapi.categories.taxonomy import CATEGORIES
from blogapi.storage.database import transaction
from blogapi.taxonomies import service as taxonomies
from blogapi.transfer import folder
from blogapi.transfer import service as transfer
from blogapi.transfer.markdown import reader
from blogapi.users import queries as users
from blogapi.users import service as accounts
from blogapi.users.models import Role

AUTHOR = "demo"

_HERE = Path(__file__).parent


def fill() -> int:
    """Store the sample articles and return how many; 0 where the blog is not empty, which is left alone.

    They belong to the admin `demo`, who has no password.
    """
    with transaction():
        if not articles.is_empty():
            return 0
        author = (users.find_by_name(AUTHOR) or accounts.create(AUTHOR, None, role=Role.ADMIN)).uuid
        for category in tomllib.loads((_HERE / "categories.toml").read_text(encoding="utf-8"))["category"]:
            taxonomies.create(CATEGORIES, author, CategoryBodySchema().load(category))
        now, stored = clock.now(), 0
        for entry in folder.walk_files(_HERE / "articles"):
            if entry.problem is None:
                transfer.store(author, reader.read_file(entry, now=now))
                stored += 1
        return stored
