"""Fill an empty blog with sample articles, using the same code as `import`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from blogapi.articles import queries as article_queries
from blogapi.categories.schemas import CategoryBodySchema
from blogapi.categories.taxonomy import CATEGORIES
from blogapi.importing.format_api.files import walk_path
from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.storing.service import Importer
from blogapi.storage.database import current_time, transaction
from blogapi.taxonomies import service as taxonomy_service
from blogapi.taxonomies.queries import find_by_names
from blogapi.users import service as user_service
from blogapi.users.queries import find_user_by_name
from blogapi.web.access import Role

AUTHOR_NAME = "demo"

_FOLDER = Path(__file__).parent


def fill_empty_blog() -> int:
    """Store the sample articles and return their number, or 0 if the blog already has an article.

    The articles belong to the admin `demo`, who has no password.
    """
    with transaction():
        if not article_queries.is_empty():
            return 0
        author = (
            find_user_by_name(AUTHOR_NAME) or user_service.create(AUTHOR_NAME, None, role=Role.ADMIN)
        ).uuid
        for category in tomllib.loads((_FOLDER / "categories.toml").read_text(encoding="utf-8"))["category"]:
            if not find_by_names(CATEGORIES, [category["name"]]):
                taxonomy_service.create(CATEGORIES, author, CategoryBodySchema().load(category))
        options, entries = ImportOptions(now=current_time()), walk_path(_FOLDER / "articles")
        records = [reader.read_file(entry, options) for entry in entries if entry.problem is None]
        reports = Importer(author, restore_deleted=True).store(records)
        return sum(report.result is Result.CREATED for report in reports)
