"""Blogs that are exported, emptied and restored, and a blog in which every field has a value."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from flask import Flask
from sqlalchemy import select, update

from blogapi.cli import hide_progress
from blogapi.content.articles import service as articles
from blogapi.content.articles.models import (
    Article,
    ArticleAuthor,
    ArticleTag,
    FormerPath,
    FormerSlug,
    WorkingCopy,
)
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.custom_fields import service as custom_fields
from blogapi.content.custom_fields.models import CustomField
from blogapi.content.custom_fields.schemas import FieldBodySchema
from blogapi.content.media import service as media
from blogapi.content.media.models import FormerHash, Media, MediaPath
from blogapi.content.pages.schemas import PageBodySchema
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies.authors import AUTHORS, Author
from blogapi.content.taxonomies.categories import CATEGORIES, Category
from blogapi.content.taxonomies.models import FormerTermSlug
from blogapi.content.taxonomies.tags import TAGS, Tag
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.content.working_copies import service as working_copies
from blogapi.content.working_copies.schemas import PageWorkingCopyBodySchema, WorkingCopyBodySchema
from blogapi.delivery.redirects.custom import service as custom_redirects
from blogapi.delivery.redirects.custom.service import CustomRedirect
from blogapi.exporting import layouts
from blogapi.exporting import service as exports
from blogapi.importing.format_api.report import FileReport
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.registry import load_formats
from blogapi.importing.media.imported_media import list_extensions
from blogapi.importing.pipeline.run import ImportRun, open_spool
from blogapi.importing.pipeline.run_setup import open_sources
from blogapi.importing.storing.service import Importer
from blogapi.site import service as site
from blogapi.site.models import Site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.storage.database import db, table_of, transaction
from tests.conftest import close_connections, create_accounts
from tests.databases import Databases
from tests.pictures import make_picture
from tests.stored_pictures import add_paths

_MOOD = {"type": "choice", "list": True, "choices": ["calm: # x", "null"], "help": "H\n", "read_by": "admins"}
_IMPRINT = {"type": "text", "required": True, "searched": True, "kinds": ["page"]}
NOW = datetime(2026, 11, 1, tzinfo=UTC)
# All columns of these tables come back, except for those in LEFT_OUT.
TABLES = (Article, Category, Tag, Author, Media, Site, FormerSlug, FormerTermSlug, ArticleTag)
TABLES += (ArticleAuthor, FormerPath, MediaPath, FormerHash, WorkingCopy, CustomField, CustomRedirect)
#: Why columns are not exported.
LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(
        (
            *("article.author_id", "article.editor_id", "category.owner_id", "tag.owner_id"),
            *("author.owner_id", "media.account_id", "working_copy.user_id"),
        ),
        "users are not exported",
    ),
    **dict.fromkeys(("article.key_name", "working_copy.key_name"), "keys are not exported"),
    **dict.fromkeys(("media.width", "media.height", "media.is_scalable"), "they are read from the file"),
    "site.built_in": "an import shows no blog to readers",
    "site.mcp": "an import opens no door",
    "working_copy.not_live": "the next save of a scheduled article asks again",
    "media.unused_since": "it follows from the uses, and the time begins again",
    "article.version": "it counts the changes in one database, and former versions are not exported",
    **dict.fromkeys(
        ("working_copy.version", "working_copy.base_version"),
        "they count the changes in one database; `is_outdated` says what matters of them",
    ),
    **dict.fromkeys(
        ("article.seo_uuid", "article.seo_created", "article.seo_last_updated"),
        "only the article has an identity",
    ),
    **dict.fromkeys(("custom_field.created", "custom_field.last_updated"), "they are of no use"),
    **dict.fromkeys(("redirect.uuid", "redirect.created", "redirect.last_updated"), "they are of no use"),
    **dict.fromkeys(("site.uuid", "site.created", "site.last_updated"), "every blog has one site"),
}


class Blogs:
    """The blog of the test, which can be emptied."""

    def __init__(self, app: Flask, instance: Path, databases: Databases) -> None:
        self.app, self._instance, self._databases = app, instance, databases
        self.owner = create_accounts(app)[0].uuid

    def empty(self) -> None:
        """Replace the blog by one that has only users, with the same names."""
        close_connections(self.app)
        shutil.rmtree(self._instance)
        self._databases.clear()
        self._databases.prepare(self._instance)
        self.owner = create_accounts(self.app)[0].uuid

    def export(self, target: Path, form: str) -> dict[str, bytes]:
        """Export the blog; return the contents of the files by their paths."""
        with self.app.app_context():
            report = exports.write_export(target, layouts.LAYOUTS[form], drafts=True)
            assert report.refused == []
        return read_files(target)

    def restore(
        self, source: Path, assets: tuple[Path, ...] = (), notes: list[str] | None = None, **options: Any
    ) -> list[FileReport]:
        """Import a folder; return the reports, and add the notes of the import to `notes`."""
        with self.app.app_context(), open_spool() as spool:
            importer = Importer(self.owner, assets=assets, **options)
            given = ImportOptions(now=NOW, assets=assets)
            sources = open_sources(
                walk_path(source),
                load_formats([]),
                given,
                media_extensions=list_extensions(),
            )
            run = ImportRun(importer, sources, spool, given)
            run.import_sources(hide_progress)
            if notes is not None:
                notes += run.notes
            return run.reports

    def read_rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of TABLES without the columns in LEFT_OUT, by the name of the table."""
        with self.app.app_context():
            return {model.__tablename__: read_table(model) for model in TABLES}


def read_table(model: type[Any]) -> list[dict[str, Any]]:
    """Return the rows of a table without the columns in LEFT_OUT."""
    table = table_of(model)
    columns = [column for column in table.c if f"{table.name}.{column.name}" not in LEFT_OUT]
    rows = [
        dict(zip((column.name for column in columns), row, strict=True))
        for row in db.session.execute(select(*columns))
    ]
    # The unused profile of a user is not exported.
    rows = [row for row in rows if model is not Author or row["slug"] != "mel"]
    for row in rows:
        if "slug_derived" in row:
            # It has no effect on an article that was public.
            row["slug_derived"] &= not row["was_public"]
    return sorted(rows, key=repr)


def read_files(root: Path) -> dict[str, bytes]:
    """Return the contents of all files in a folder by their paths."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def store_picture(tmp_path: Path, colour: str, name: str, **texts: str) -> Media:
    """Store a picture in the library."""
    path = tmp_path / f"{uuid4()}.png"
    path.write_bytes(make_picture(colour))
    with media.prepare_file(path, name) as prepared:
        return media.store_file(prepared, **texts)[0]


def create_term(owner: UUID, taxonomy: Taxonomy[Any], **fields: Any) -> Any:
    """Create a term; `former` is a slug that it had before."""
    former = fields.pop("former", None)
    body = taxonomy.body_schema().load(fields | ({"slug": former} if former else {}))
    term = taxonomies.create_term(taxonomy, owner, body)
    return taxonomies.change_term(taxonomy, term.uuid, {"slug": fields["slug"]}) if former else term


def find_term(kind: str, slug: str) -> Any:
    """Return a term; `kind` is the plural."""
    model = {"categories": Category, "tags": Tag, "authors": Author}[kind]
    return db.session.scalars(select(model).where(model.slug == slug)).one()


def create_article(owner: UUID, **fields: Any) -> Article:
    """Create an article with the fields of the API."""
    # Without a request, no caller says which custom fields can be written.
    custom = {"custom": fields.pop("custom")} if "custom" in fields else {}
    body = ArticleBodySchema().load({"category": {"slug": "bread"}} | fields)
    return articles.create_article_in_transaction(owner, replace(body, **custom))


def create_page(owner: UUID, **fields: Any) -> Article:
    """Create a page with the fields of the API."""
    return articles.create_article_in_transaction(
        owner, replace(PageBodySchema().load(fields), custom={"imprint": "Words"})
    )


def shift_times() -> None:
    """Give every row other times, with microseconds."""
    times = iter(
        datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=n, microseconds=n * 7) for n in range(10_000)
    )
    with transaction():
        for model in (Article, Category, Tag, Media):
            for uuid in db.session.scalars(select(model.uuid).order_by(model.uuid)).all():
                values = {"created": next(times), "last_updated": next(times)}
                db.session.execute(update(model).where(model.uuid == uuid).values(**values))
        for uuid in db.session.scalars(select(WorkingCopy.article_id).order_by(WorkingCopy.content)).all():
            values = {"created": next(times), "last_updated": next(times)}
            db.session.execute(update(WorkingCopy).where(WorkingCopy.article_id == uuid).values(**values))
        for author in db.session.scalars(select(Author.uuid).where(Author.owner_id.is_(None))).all():
            values = {"created": next(times), "last_updated": next(times)}
            db.session.execute(update(Author).where(Author.uuid == author).values(**values))
        for slug in db.session.scalars(select(FormerSlug.slug)).all():
            db.session.execute(update(FormerSlug).where(FormerSlug.slug == slug).values(created=next(times)))


def make_everything(blogs: Blogs, tmp_path: Path) -> None:
    """Create a blog in which every field has values other than its default."""
    owner = blogs.owner
    with blogs.app.app_context():
        cat = store_picture(tmp_path, "red", "cat.png", alt="A cat", caption="Mimi: “hello”\r\n# 1")
        dog = store_picture(tmp_path, "blue", "cat.png", alt="dog: *x*")
        line = store_picture(tmp_path, "grey", "line.png")
        cover = f"/media/{cat.hash}/{cat.name}"
        with transaction():
            db.session.execute(update(Media).where(Media.uuid == line.uuid).values(decorative=True))
            db.session.execute(update(Media).where(Media.uuid == cat.uuid).values(upload_hash="0" * 64))
            db.session.add(FormerHash(hash="1" * 64, media_id=cat.uuid, width=None))
            db.session.add(FormerHash(hash="2" * 64, media_id=cat.uuid, width=400))
        for number in (
            {"minimum": 1, "maximum": 5.5},
            {"name": "mood", **_MOOD},
            {"name": "imprint", **_IMPRINT},
            {"name": "zero", "minimum": 0, "maximum": 0, "position": 0},
            # In the front matter of other programs, this name would decide on the status.
            {"name": "state", "type": "text"},
        ):
            body = {"name": "rating", "label": "Rating: # 1", "type": "number"} | number
            custom_fields.define_field(FieldBodySchema().load(body))
        bread = {"name": "Bread: & “more”", "description": "a\r\nb\tc  \n", "cover_image": cover}
        create_term(owner, CATEGORIES, **bread, slug="bread", former="old-bread")
        create_term(owner, CATEGORIES, name="null", description="", cover_image="https://x.example/a.png")
        seo = {"seo_title": "SEO: {x}", "seo_description": "-\n", "og_image": cover, "canonical_url": "/c/"}
        seo |= {"language": "fr"}
        above = create_term(owner, CATEGORIES, name="null", slug="null-2", cover_image=cover, **seo)
        below = create_term(owner, CATEGORIES, name="Below", parent=str(above.uuid))
        create_term(owner, CATEGORIES, name="A: below that", parent=str(below.uuid), language="de-AT")
        create_term(owner, TAGS, name="Same", slug="same", former="was-same")
        create_term(owner, TAGS, name="Same", slug="same-too", description="D", cover_image=cover, **seo)
        create_term(owner, TAGS, name="日本語", slug="日本語")
        create_term(owner, TAGS, name="unused: [x]")
        guest = {"bio": "Bio\u2028\x85\ufeff", "url": "https://ada.example/?a=1#b", "avatar": cover}
        create_term(owner, AUTHORS, name="Guest", **guest, slug="guest", former="gast")
        create_term(owner, AUTHORS, name="- Plain", cover_image=cover, **seo)
        with transaction():
            profile = db.session.scalar(select(Author).where(Author.slug == "grace"))
            profile.bio = "A profile with details"
        first = create_article(
            owner,
            **{"title": 'Title: "x" # %\t', "subtitle": "Sub\r\nline", "slug": "first", "cover_image": cover},
            content=f"\ufeffA\r\nb\rc\n\t😀 ![](media:{cat.uuid}) <img src='{cover}'> media:{dog.uuid}\n"
            f"![](/media/{'1' * 64}/old.png)\n---",
            **{"excerpt": "An *excerpt*", "content_type": "markdown", "status": "published"},
            **{
                "published_at": "2024-05-01T09:00:00.123456Z",
                "tags": [{"slug": "same-too"}, {"slug": "same"}],
            },
            **{"authors": [{"slug": "guest"}, {"slug": "plain"}]},
            custom={"rating": 4.5, "mood": ["calm: # x", "null"], "zero": 0, "state": "draft"},
            seo={
                "title": "SEO",
                "description": "",
                "og_image": "/x.png",
                "canonical_url": "https://x.example/",
            },
        )
        articles.change_article_in_transaction(
            owner, first.uuid, ArticleBodySchema(partial=True).load({"slug": "first-again"})
        )
        with transaction():
            for day, path in enumerate(("/2009/a%41: “é”/", "/first.html", "/2012/a")):
                created = datetime(2021, 1, 1 + day, tzinfo=UTC)
                db.session.add(FormerPath(path=path, article_id=first.uuid, created=created))
        create_article(
            owner,
            title="Scheduled",
            seo={"description": "Described"},
            status="scheduled",
            published_at="2099-01-01T00:00:00Z",
            content_type="html",
        )
        create_article(owner, title="Html", content="<p>{{ x }} {{< y >}}</p>\n\n", content_type="html")
        create_article(owner, title="Text", content="<b>&amp;\r\n {{% z %}}", content_type="text")
        create_article(owner, title="Empty", content="", content_type="markdown", category={"slug": "null-2"})
        create_article(
            owner,
            title="Archived",
            status="archived",
            **{"featured": True, "robots": "noindex, nofollow"},
            published_at="2021-01-01T00:00:00Z",
            category={"slug": "null"},
        )
        create_article(owner, title="Unlisted", status="unlisted", published_at="2021-02-01T00:00:00Z")
        for language in ("", "fr"):
            create_article(owner, title="Translated", language=language, translation_key="key, of two")
        hidden = create_article(
            owner, title="Hidden", status="published", published_at="2022-01-01T00:00:00Z"
        )
        articles.change_article_in_transaction(
            owner, hidden.uuid, ArticleBodySchema(partial=True).load({"status": "draft"})
        )
        imported = create_article(
            owner, title="Imported", content="![x](img/a.png) <img src='img/b.png'>", content_type="markdown"
        )
        add_paths(imported.uuid, {"img/a.png": cat.uuid, "img/b.png": dog.uuid})
        edits = {"title": "Edits\x85", "content": f"\ufeffA\r\n![](media:{dog.uuid}) ![](img/a.png)\n---"}
        edits |= {"seo": {"title": "SEO of the edits"}, "slug": "edited", "cover_image": cover}
        terms = {"categories": ("null-2",), "tags": ("same-too", "same"), "authors": ("guest",)}
        uuids = {kind: [str(find_term(kind, slug).uuid) for slug in slugs] for kind, slugs in terms.items()}
        edits |= {"category": uuids["categories"][0], "tags": uuids["tags"], "authors": uuids["authors"]}
        for article, texts in ((first, edits), (imported, {"title": "Few edits"}), (hidden, edits)):
            working_copies.save_working_copy(owner, article.uuid, WorkingCopyBodySchema().load(texts))
        articles.change_article_in_transaction(
            owner, hidden.uuid, ArticleBodySchema(partial=True).load({"title": "Changed later"})
        )
        described = {"title": "T", "description": "D\n", "language": "de-AT", "time_zone": "Europe/Berlin"}
        addresses = {"url": "https://blog.example", "service_url": "https://api.blog.example"}
        patterns = {
            "article_path": "/{year}/{slug}/",
            "category_path": "/c/{slug}/",
            "tag_path": "/t/{slug}/",
            "page_path": "/p/{path}/",
        }
        pictures = {
            "logo": cover,
            "icon": "/icon.png",
            "preview_url": "/preview",
            "author_path": "/a/{slug}/",
        }
        imprint = create_page(owner, title="Imprint", status="published", published_at="2023-01-01T00:00:00Z")
        below = {"parent": str(imprint.uuid), "position": 3}
        privacy = create_page(
            owner, title="Privacy", status="published", published_at="2023-01-02T00:00:00Z", **below
        )
        create_page(owner, title="Plans")
        create_page(owner, title="Later", status="published", published_at="2099-01-01T00:00:00Z")
        create_page(owner, title="Friends", status="unlisted", published_at="2023-01-01T00:00:00Z")
        team = create_page(owner, title="Team", **below, **{"language": "fr", "translation_key": "t: 1"})
        for title, status in (("Deep", "unlisted"), ("Later", "scheduled"), ("Old", "archived")):
            create_page(
                owner,
                **{"title": title, "status": status, "published_at": "2098-01-01T00:00:00Z"},
                **{"parent": str(team.uuid), "robots": "noindex", "featured": True, "language": "de"},
                **{"translation_key": "t: 1", "tags": [{"slug": "same"}], "authors": [{"slug": "guest"}]},
            )
        working_copies.save_working_copy(
            owner, team.uuid, PageWorkingCopyBodySchema().load({"title": "Edits"})
        )
        page = PageBodySchema(partial=True)
        # The page below it moves too, and that page is hidden again later.
        articles.change_article_in_transaction(owner, imprint.uuid, page.load({"slug": "imprint-2"}))
        articles.change_article_in_transaction(
            owner, privacy.uuid, page.load({"slug": "privacy-2", "status": "draft"})
        )
        custom_redirects.create_redirect(
            {"path": "/old: é", "target": "https://x.example/?a=1#b", "status": 302}
        )
        custom_redirects.create_redirect({"path": "/gone/", "target": "", "status": 410})
        navigation = {
            "navigation": [{"label": "About: x", "url": "/about/"}],
            "languages": [{"language": "de", "title": "Das: Blog", "description": "#"}, {"language": "fr"}],
        }
        site.change_site(SiteChangesSchema().load(described | addresses | patterns | pictures | navigation))
        shift_times()
