"""Fills an empty blog with a sample blog, through the same functions as the command `import`."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from pathlib import Path
from uuid import UUID

from sqlalchemy import select

from blogapi.accounts.users import service as user_service
from blogapi.accounts.users.queries import find_user_by_name
from blogapi.content.articles import queries as article_queries
from blogapi.content.articles.models import Article
from blogapi.content.custom_fields import service as field_service
from blogapi.content.custom_fields.definitions import detach_definitions
from blogapi.content.custom_fields.schemas import FieldBodySchema
from blogapi.content.media import service as media_service
from blogapi.content.media.folder import get_folder
from blogapi.content.taxonomies import service as taxonomy_service
from blogapi.content.taxonomies.categories import CATEGORIES, CategoryBodySchema
from blogapi.content.taxonomies.queries import find_terms_by_names
from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown import reader
from blogapi.importing.storing.custom_fields import CustomFieldFinder
from blogapi.importing.storing.service import Importer
from blogapi.rendering.media_types import TYPES_BY_EXTENSION
from blogapi.site import service as site_service
from blogapi.site.paths import is_loopback_address
from blogapi.site.queries import get_site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.site.served_paths import find_serving_errors
from blogapi.storage import files
from blogapi.storage.database import current_time, db, transaction
from blogapi.web.access import Role

AUTHOR_NAME = "demo"

_FOLDER = Path(__file__).parent
#: The pictures that `tests/operations/demo/draw_pictures.py` draws, and their width and height in pixels.
PICTURE_FOLDER, PICTURE_SIZE = _FOLDER / "pictures", (1200, 675)


def fill_empty_blog(url: str = "") -> int:
    """Store the sample blog and return the number of its articles, or 0 if the blog already has an article.

    The articles belong to the admin `demo`, who has no password. A site without an address gets `url`.
    """
    with transaction():
        if not article_queries.is_blog_empty():
            return 0
        author = (
            find_user_by_name(AUTHOR_NAME) or user_service.create_user(AUTHOR_NAME, None, role=Role.ADMIN)
        ).uuid
        _fill_categories_fields_and_site(author)
        _store_pictures(author)
        if url and [*find_serving_errors(get_site())] == ["url"]:
            site_service.change_site({"url": url, "built_in": True})
        options = ImportOptions(now=current_time(), custom_fields=CustomFieldFinder(detach_definitions()))
        entries = walk_path(_FOLDER / "articles")
        records = [reader.read_article(entry, options) for entry in entries if entry.problem is None]
        reports = Importer(author, assets=[PICTURE_FOLDER], restore_deleted=True).store_batch(records)
        stored = zip(records, reports, strict=True)
        return sum(report.result is Result.CREATED for record, report in stored if not record.is_page)


def update_loopback_address(url: str) -> None:
    """Change the address of the sample blog to `url` if its current address is another loopback address."""
    with transaction():
        site, author = get_site(), find_user_by_name(AUTHOR_NAME)
        first_author = db.session.scalar(select(Article.author_id).order_by(Article.created).limit(1))
        is_sample = author is not None and author.uuid == first_author
        if is_sample and site.built_in and is_loopback_address(site.url) and site.url != url:
            site_service.change_site({"url": url})


def _fill_categories_fields_and_site(author: UUID) -> None:
    """Create the missing categories and custom fields of the sample, and fill in the empty site fields.

    The title, the description, the navigation and the languages of the site are set only if they are empty.
    """
    sample = tomllib.loads((_FOLDER / "blog.toml").read_text(encoding="utf-8"))
    for category in sample["category"]:
        if not find_terms_by_names(CATEGORIES, [category["name"]]):
            taxonomy_service.create_term(CATEGORIES, author, CategoryBodySchema().load(category))
    defined = {definition.name for definition in detach_definitions()}
    for field in sample["field"]:
        if field["name"] not in defined:
            field_service.define_field(FieldBodySchema().load(field))
    site = get_site()
    site_fields = SiteChangesSchema().load(sample["site"])
    site_service.change_site({name: value for name, value in site_fields.items() if not getattr(site, name)})


def _store_pictures(user: UUID) -> None:
    """Store the pictures in the library, so that the import can use them.

    Unlike uploads, the pictures are not decoded: a process for each picture would double the CPU time.
    """
    with get_folder().create_temporary_folder() as folder:
        for source in sorted(PICTURE_FOLDER.iterdir()):
            copy = Path(shutil.copyfile(source, folder / source.name))
            files.sync_file(copy)
            content = copy.read_bytes()
            hash = hashlib.sha256(content).hexdigest()
            prepared = media_service.PreparedFile(
                *(source.name, TYPES_BY_EXTENSION["webp"], copy, len(content), hash, hash, *PICTURE_SIZE),
                is_scalable=True,
            )
            media_service.store_file(prepared, user=user)
