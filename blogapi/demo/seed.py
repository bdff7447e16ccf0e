"""Fill an empty blog with sample articles, using the same code as `import`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from blogapi.articles import queries as articles
from blogapi.categories.schemas import CategoryBodySchema
from blogapi.categories.taxonomy import CATEGORIES
from blogapi.importing.format_api import files as folder
from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.storing import service as importing
from blogapi.storage.database import current_time, transaction
from blogapi.taxonomies import service as taxonomies
from blogapi.users import queries as users
from blogapi.users import service as accounts
from blogapi.web.access import Role

AUTHOR_NAME = "demo"

_FOLDER = Path(__file__).parent


def fill_empty_blog() -> int:
    """Store the sample articles and return their number, or 0 if the blog already has an article.

    The articles belong to the admin `demo`, who has no password.
    """
    with transaction():
        if not articles.is_empty():
            return 0
        author = (
            users.find_user_by_name(AUTHOR_NAME) or accounts.create(AUTHOR_NAME, None, role=Role.ADMIN)
        ).uuid
        for category in tomllib.loads((_FOLDER / "categories.toml").read_text(encoding="utf-8"))["category"]:
            taxonomies.create(CATEGORIES, author, CategoryBodySchema().load(category))
        options, entries = ImportOptions(now=current_time()), folder.walk_path(_FOLDER / "articles")
        records = [reader.read_file(entry, options) for entry in entries if entry.problem is None]
        reports = importing.Importer(author, restore_deleted=True).store(records)
        return sum(report.result is Result.CREATED for report in reports)
