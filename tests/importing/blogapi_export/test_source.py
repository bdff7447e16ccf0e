"""Exports of blogapi are read tolerantly, and nothing in them harms the blog that reads them."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from blogapi.content.articles import service as articles
from blogapi.content.articles.models import Article
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.media import images
from blogapi.content.media.models import Media
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import Tag
from blogapi.exporting.exported_addresses import restore_content
from blogapi.importing.blogapi_export.layout import ExportFolder
from blogapi.importing.blogapi_export.source import FORMAT
from blogapi.importing.format_api import source_files as folder
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.refusals import RefusedFile
from blogapi.site import service as site
from blogapi.site.queries import get_site
from blogapi.storage.database import db
from tests.exported_blogs import Blogs, create_article, create_term, store_picture
from tests.pictures import make_picture

NOW = datetime(2026, 11, 1, tzinfo=UTC)
UUID_TEXT = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
TIMES = 'created: "2024-01-01T00:00:00.000000+00:00"'
ARTICLE = f"""---
title: Bread
date: "2024-05-01T09:00:00.000000+00:00"
lastmod: "2024-05-02T09:00:00.000001+00:00"
slug: bread
categories:
  - Kitchen
tags:
  - Same
  - Same
authors:
  - Ada
blogapi:
  uuid: {UUID_TEXT}
  {TIMES}
  tags:
    - same-2
    - same
---
Flour, *water*, time.
"""
CATEGORY = f"- uuid: 00000000-0000-4000-8000-00000000000c\n  {TIMES}\n  name: Kitchen\n  slug: kitchen\n"
TAGS = "".join(
    f"- uuid: 00000000-0000-4000-8000-00000000000{number}\n  {TIMES}\n  name: Same\n  slug: {slug}\n"
    for number, slug in ((1, "same"), (2, "same-2"))
)
REDIRECT = "- kind: redirect\n  from: /old\n  to: /new\n"
FIELD = "- name: mood\n  type: text\n  label: Mood\n"


@pytest.fixture
def export(tmp_path):
    """The folder of an export with one article."""
    root = tmp_path / "export"
    (root / "articles").mkdir(parents=True)
    write(root / "blogapi.yaml", "format: blogapi-export\nversion: 1\nlayout: default\ncontents: all\n")
    write(root / "categories.yaml", CATEGORY)
    write(root / "tags.yaml", TAGS)
    write(root / "media.yaml", "[]\n")
    write(root / "articles" / "bread.md", ARTICLE)
    return root


def read_head(entry: folder.Entry) -> bytes:
    """Return the first bytes of a file."""
    return b"" if entry.problem else entry.path.read_bytes()[: 16 * 1024]


def write(path: Path, text: str | bytes) -> None:
    """Write a file without changing its line endings."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def read(root: Path) -> list[object]:
    """Return the records and reports of an export."""
    entries = [entry for entry in folder.walk_path(root) if FORMAT.detect(entry, read_head(entry))]
    return [*FORMAT.open_source(entries, ImportOptions(now=NOW)).read()]


def read_article(root: Path, text: str | bytes, name: str = "articles/bread.md") -> object:
    """Return what becomes of an article with this text."""
    (root / name).parent.mkdir(exist_ok=True)
    (root / "articles" / "bread.md").unlink()
    write(root / name, text)
    (item,) = read(root)
    return item


def test_an_article_file_becomes_a_record(export):
    (record,) = read(export)
    body = record.body
    assert record.key == f"blogapi:{UUID_TEXT}"
    assert record.source == "export/articles/bread.md"
    assert (body["title"], body["content"]) == ("Bread", "Flour, *water*, time.\n")
    assert [tag["slug"] for tag in body["tags"]] == ["same-2", "same"]
    assert body["category"] == {"slug": "kitchen", "name": "Kitchen"}
    assert body["seo"] == {"title": "Bread", "description": "", "og_image": "", "canonical_url": ""}
    assert record.last_updated == datetime(2024, 5, 2, 9, 0, 0, 1, tzinfo=UTC)
    assert record.notes == ()


def test_an_edit_counts_although_the_exported_file_has_a_time_in_the_future(app, export, people, as_admin):
    def run_import(text):
        write(export / "articles" / "bread.md", text)
        return app.test_cli_runner().invoke(args=["import", str(export), "--author", people.admin.username])

    exported, path = ARTICLE.replace("2024-05-02", "2999-05-02"), f"/api/v1/blog/articles/{UUID_TEXT}/"
    assert run_import(exported).exit_code == 0
    assert as_admin.patch(path, json={"content": "My edit"}).status_code == 200
    assert "1 refused" in run_import(exported.replace("Flour", "Rye")).output
    assert as_admin.get(path).json["content"] == "My edit"


@pytest.mark.parametrize(
    ("old", "new", "name", "value"),
    [
        ("title: Bread", "mood: good\ntitle: New bread", "title", "New bread"),
        ("Flour", "\r\nFlour\r", "content", "\r\nFlour\r, *water*, time.\n"),
        ("slug: bread", "slug: Dark Bread", "slug", "dark-bread"),
        ("  - Kitchen", "  - Other thing", "category", {"slug": "other-thing", "name": "Other thing"}),
        ("  - Same\n  - Same", "  - New", "tags", [{"slug": "new", "name": "New"}]),
        ("  - Same\n  - Same", "  - Same", "tags", [{"slug": "same-2", "name": "Same"}]),
        ("tags:\n  - Same\n  - Same", "tags: Same", "tags", [{"slug": "same-2", "name": "Same"}]),
        ("categories:\n  - Kitchen\n", "", "category", {"slug": "uncategorised", "name": "Uncategorised"}),
    ],
)
def test_an_edited_file_is_read(export, old, new, name, value):
    assert read_article(export, ARTICLE.replace(old, new)).body[name] == value


def test_front_matter_with_other_line_endings_and_a_byte_order_mark_is_read(export):
    head, _, content = ARTICLE.rpartition("---\n")
    record = read_article(export, "\ufeff" + f"{head}---\n".replace("\n", "\r\n") + content)
    assert (record.title, record.content) == ("Bread", "Flour, *water*, time.\n")


def test_a_file_without_the_field_is_not_recognised(export):
    plain = export / "articles" / "new.md"
    write(plain, "---\ntitle: New\n---\nText about blogapi: it works.\n")
    entry = folder.Entry("export/articles/new.md", plain)
    assert not FORMAT.detect(entry, read_head(entry))


def test_a_field_after_the_first_bytes_is_recognised(export):
    article = export / "articles" / "bread.md"
    write(article, ARTICLE.replace("title:", f"description: {'x' * 20_000}\ntitle:"))
    entry = folder.Entry("export/articles/bread.md", article)
    assert FORMAT.detect(entry, read_head(entry))


@pytest.mark.parametrize("name", ["blogapi.yaml", "categories.yaml", "media.yaml"])
def test_the_data_files_give_no_report(export, name):
    assert FORMAT.detect(folder.Entry(f"export/{name}", export / name), b"")
    assert len(read(export)) == 1


def test_a_second_file_with_the_same_uuid_is_refused(export):
    write(export / "articles" / "copy.md", ARTICLE.replace("Bread", "Copy"))
    _, copy = read(export)
    assert (copy.key, copy.result) == ("export/articles/copy.md", Result.REFUSED)
    assert "export/articles/bread.md" in copy.notes[0]


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("", "", "published"),
        ("slug: bread", "slug: bread\ndraft: false", "published"),
        ("slug: bread", "slug: bread\ndraft: true", "draft"),
        ("slug: bread", "slug: bread\ndraft: maybe", "draft"),
        ("slug: bread", "slug: bread\ndraft:", "draft"),
        ("slug: bread", "slug: bread\nprivate: true", "draft"),
        ('date: "2024-05-01T09:00:00.000000+00:00"\n', "", "draft"),
        (f"uuid: {UUID_TEXT}", f"uuid: {UUID_TEXT}\n  status: archived", "archived"),
        (f"uuid: {UUID_TEXT}", f"uuid: {UUID_TEXT}\n  status: pubished", "draft"),
    ],
)
def test_nothing_is_more_public_than_its_file_says(export, old, new, status):
    record = read_article(export, ARTICLE.replace(old, new) if old else ARTICLE)
    assert (record.status, record.body["status"]) == (status, status)


def test_a_file_in_a_folder_of_drafts_is_a_draft(export):
    assert read_article(export, ARTICLE, "_drafts/bread.md").status == "draft"


@pytest.mark.parametrize(
    ("year", "more", "status"),
    [("2099", "", "published"), ("2024", "", "draft"), ("2099", "published: false\n", "draft")],
)
def test_a_scheduled_page_among_the_drafts_of_jekyll_stays_scheduled(export, year, more, status):
    page = ARTICLE.replace("blogapi:\n", f"{more}blogapi:\n  status: scheduled\n  type: page\n")
    page = page.replace('date: "2024', f'date: "{year}')
    assert read_article(export, page, "_drafts/bread.md").status == status


def test_a_scheduled_page_that_was_moved_to_the_pages_of_jekyll_is_published(export):
    page = ARTICLE.replace("blogapi:\n", "blogapi:\n  status: scheduled\n  type: page\n")
    assert read_article(export, page, "pages/bread.md").status == "published"


@pytest.mark.parametrize(
    "text",
    [
        ARTICLE.replace(UUID_TEXT, "1"),
        ARTICLE.replace("title: Bread\n", ""),
        ARTICLE.replace("2024-05-01T09", "2024-05-01T99"),
        ARTICLE.replace("created:", "created: x\n  other:"),
        ARTICLE.replace("title: Bread", 'title: "\\ud800"'),
        ARTICLE.replace("title: Bread", "title: [a, b]"),
        ARTICLE.replace("title: Bread", "title: *a"),
        ARTICLE.replace("title: Bread", "title: {a: b"),
        ARTICLE.replace("slug: bread", f"slug: {'x' * 300}"),
        ARTICLE.replace("- Kitchen", f"- {'x' * 10_000_000}"),
        ARTICLE.replace("- Kitchen", "- " + "[" * 5_000),
        ARTICLE.replace("blogapi:", "blogapi: text\nother:"),
        ARTICLE.replace("---\nFlour", "Flour"),
        ARTICLE.replace("Flour", "\udcff").encode(errors="surrogateescape"),
    ],
)
def test_a_broken_file_is_refused_by_name(export, text):
    report = read_article(export, text)
    assert isinstance(report, FileReport)
    assert (report.key, report.result) == ("export/articles/bread.md", Result.REFUSED)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            f"uuid: {UUID_TEXT}",
            "status: draft",
            "It has no `uuid`; add it, or add `source: https://old.example` to blogapi.yaml.",
        ),
        (UUID_TEXT, "1", f"`uuid` (“1”) is not a uuid; write for example `uuid: {UUID_TEXT}`."),
        (UUID_TEXT, "[1]", f"`uuid` (a list) is not a uuid; write for example `uuid: {UUID_TEXT}`."),
        (
            "slug: bread",
            "lastmod: [1]",
            "`lastmod` (a list) is not a time; write for example `lastmod: 2024-05-01T09:00:00+00:00`.",
        ),
        (
            "title: Bread",
            "title: {a: b}",
            '`title` (a mapping) is not a text; write for example `title: "Bread"`.',
        ),
        (
            "2024-05-01T09",
            "2024-05-01T99",
            "`date` (“2024-05-01T99:00:00.000000+00:00”) is not a time; "
            "write for example `date: 2024-05-01T09:00:00+00:00`.",
        ),
        (
            "- Ada",
            "- [Ada]",
            "`authors` (a list) is not a list of texts; write for example `authors: [Bread, Rye]`.",
        ),
        (
            "blogapi:",
            "blogapi: text\nother:",
            "`blogapi` (“text”) is not a mapping; write for example `blogapi: {}`.",
        ),
        (
            f"uuid: {UUID_TEXT}",
            f"uuid: {UUID_TEXT}\n  paths: [a]",
            "`paths` (“a”) is not a list of mappings; write for example `- name: Bread`.",
        ),
        ("title: Bread", "title: ' '", "It has no `title`; add it, for example `title: Bread`."),
        ("---\nFlour", "Flour", "Its head (front matter) has no end; add a line with `---`."),
    ],
)
def test_a_refusal_names_the_field_and_gives_an_example(export, old, new, sentence):
    assert read_article(export, ARTICLE.replace(old, new)).notes == (sentence,)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("version: 1\nlayout: default\n", "blogapi.yaml needs the line `format: blogapi-export`; add it."),
        ("format: blogapi-export\nlayout: default\n", "blogapi.yaml needs the line `version: 1`; add it."),
        ("format: blogapi-export\nversion: 1\n", "write `layout: default`"),
    ],
)
def test_an_incomplete_description_is_refused_with_the_missing_line(export, text, sentence):
    write(export / "blogapi.yaml", text)
    with pytest.raises(RefusedFile, match=re.escape(sentence)):
        _ = ExportFolder(export).layout


@pytest.mark.parametrize("line", ["format: other", "version: 2", "layout: ../..", "layout: [default]"])
def test_an_unknown_description_is_refused(export, line):
    description = export / "blogapi.yaml"
    write(description, description.read_text(encoding="utf-8") + f"{line}\n")
    with pytest.raises(RefusedFile):
        _ = ExportFolder(export).layout


def test_an_export_with_an_unknown_description_is_reported(blogs, export):
    write(export / "blogapi.yaml", "format: blogapi-export\nversion: 2\n")
    (report,) = blogs.restore(export)
    assert (report.key, report.result) == ("export/blogapi.yaml", Result.REFUSED)


@pytest.mark.parametrize(
    ("content", "replacements", "original"),
    [
        ("a/x b/x", {}, "a/x b/x"),
        ("../media/a.png ../media/a.png#2", {"../media/a.png": "A", "../media/a.png#2": "B"}, "A B"),
        ("aaaa", {"a": "b", "aa": "c"}, "cc"),
        ("abab", {"ab": "ba", "ba": "x"}, "baba"),
        ("", {"a": "b"}, ""),
    ],
)
def test_the_longest_text_is_replaced_in_one_pass(content, replacements, original):
    assert restore_content(content, replacements) == original


# The following tests store articles.


@pytest.fixture
def blogs(app, instance, databases, monkeypatch) -> Blogs:
    """The blog of the test, in which pictures are stored without a worker."""

    def copy(source, type, folder):
        path = folder / "image"
        path.write_bytes(source.read_bytes())
        return images.ProcessedImage(path, 40, 30, is_still=True)

    monkeypatch.setattr(images, "process_image", copy)
    return Blogs(app, instance, databases)


def find_article(blogs: Blogs) -> Article | None:
    """Return the article of the export."""
    with blogs.app.app_context():
        return db.session.get(Article, UUID(UUID_TEXT))


def edit(export: Path, old: str, new: str) -> None:
    """Change a text in the article of the export."""
    write(export / "articles" / "bread.md", ARTICLE.replace(old, new))


def test_importing_again_changes_nothing(blogs, export):
    assert [report.result for report in blogs.restore(export)] == [Result.CREATED]
    assert [report.result for report in blogs.restore(export)] == [Result.UNCHANGED]


def test_a_changed_file_updates_its_article(blogs, export):
    blogs.restore(export)
    edit(export, "Flour", "Rye")
    assert [report.result for report in blogs.restore(export)] == [Result.UPDATED]
    assert find_article(blogs).content == "Rye, *water*, time.\n"
    assert [report.result for report in blogs.restore(export)] == [Result.UNCHANGED]


def test_an_article_that_was_edited_here_is_not_replaced(blogs, export):
    blogs.restore(export)
    change(blogs, content="Mine")
    edit(export, "Flour", "Rye")
    assert [report.result for report in blogs.restore(export)] == [Result.REFUSED]
    assert find_article(blogs).content == "Mine"


def change(blogs: Blogs, **fields: str) -> None:
    """Change the article of the export in the blog."""
    with blogs.app.app_context():
        articles.change_article_in_transaction(
            blogs.owner, UUID(UUID_TEXT), ArticleBodySchema(partial=True).load(fields)
        )


def test_an_export_of_the_blog_itself_changes_nothing(blogs, export, tmp_path):
    with blogs.app.app_context():
        create_term(blogs.owner, CATEGORIES, name="Bread")
        create_article(blogs.owner, title="Own", content="Own")
    (tmp_path / "own").mkdir()
    blogs.export(tmp_path / "own", "default")
    assert [report.result for report in blogs.restore(tmp_path / "own")] == [Result.UNCHANGED]
    article = tmp_path / "own" / "articles" / "own.html"
    write(article, article.read_bytes().replace(b"---\nOwn", b"---\nOther"))
    (report,) = blogs.restore(tmp_path / "own")
    assert report.result is Result.SKIPPED
    assert "which was not imported" in report.notes[0]


def test_a_dry_run_stores_nothing(blogs, export):
    before = blogs.read_rows()
    assert [report.result for report in blogs.restore(export, dry_run=True)] == [Result.CREATED]
    assert blogs.read_rows() == before


def test_a_taken_slug_and_a_taken_term_are_kept(blogs, export):
    with blogs.app.app_context():
        own = create_term(blogs.owner, CATEGORIES, name="My kitchen", slug="kitchen").uuid
        fields = {"category": {"slug": "kitchen"}, "status": "published"}
        create_article(blogs.owner, title="Bread", slug="bread", **fields)
    (report,) = blogs.restore(export)
    assert report.notes == ("The slug “bread” is taken; the article got “bread-2”.",)
    assert find_article(blogs).category_id == own


def test_a_new_tag_in_a_file_is_created(blogs, export):
    edit(export, "  - Same\n  - Same", "  - New tag")
    blogs.restore(export)
    with blogs.app.app_context():
        slugs = set(db.session.scalars(select(Tag.slug)))
    assert slugs == {"same", "same-2", "new-tag"}


def test_new_tags_that_differ_only_in_characters_stay_apart_and_are_found_again(blogs, export):
    edit(export, "  - Same\n  - Same", "  - C\n  - C#\n  - C++\n  - 🎉")
    assert [report.result for report in blogs.restore(export)] == [Result.CREATED]
    assert [report.result for report in blogs.restore(export)] == [Result.UNCHANGED]
    with blogs.app.app_context():
        names = db.session.scalars(select(Tag.name).where(~Tag.slug.startswith("same"))).all()
    assert sorted(names) == ["C", "C#", "C++", "🎉"]


def test_a_site_with_own_values_stays(blogs, export):
    write(export / "site.yaml", "title: Theirs\n")
    with blogs.app.app_context():
        site.change_site({"title": "Mine"})
    blogs.restore(export)
    assert blogs.read_rows()["site"][0]["title"] == "Mine"


@pytest.mark.parametrize("is_editor", [True, False])
@pytest.mark.parametrize("is_dry", [True, False])
def test_only_an_import_of_an_admin_changes_the_site(blogs, export, is_editor, is_dry):
    write(export / "site.yaml", "title: Theirs\nservice_url: https://their.example\n")
    notes = []
    reports = blogs.restore(export, notes=notes, restricted=is_editor, dry_run=is_dry)
    assert [report.result for report in reports] == [Result.CREATED]
    (row,) = blogs.read_rows()["site"]
    is_changed = not is_editor and not is_dry
    assert (row["title"], row["service_url"]) == (
        ("Theirs", "https://their.example") if is_changed else ("", "")
    )
    assert ("only admins change the site" in str(notes), "the site were restored" in str(notes)) == (
        is_editor,
        not is_editor,
    )


@pytest.mark.parametrize(("value", "is_on"), [("true", False), ("false", False), ("true", True)])
def test_an_import_does_not_show_the_blog(blogs, export, value, is_on):
    write(export / "site.yaml", f"title: Theirs\nurl: https://their.example\nbuilt_in: {value}\n")
    if is_on:
        with blogs.app.app_context():
            site.change_site({"url": "https://blog.example", "built_in": True})
    notes = []
    blogs.restore(export, notes=notes)
    with blogs.app.app_context():
        assert (get_site().built_in, get_site().title) == (is_on, "" if is_on else "Theirs")
    sentence = "The former blog had its own pages; `site set built_in=true` shows them here."
    assert (sentence in notes) is (value == "true" and not is_on)


def test_the_templates_of_a_theme_are_no_articles(blogs, export):
    write(export / "blogapi.yaml", (export / "blogapi.yaml").read_text(encoding="utf-8") + "source: old\n")
    for name in ("theme/base.html", "theme/post/text.md", "theme/style.css"):
        (export / name).parent.mkdir(parents=True, exist_ok=True)
        write(export / name, f"---\ntitle: {name}\n---\nA template\n")
    assert [record.source for record in read(export)] == ["export/articles/bread.md"]
    assert [report.source for report in blogs.restore(export)] == ["export/articles/bread.md"]


@pytest.fixture
def with_picture(blogs, tmp_path):
    """The folder of an export whose article shows a picture."""
    root = tmp_path / "pictures"
    with blogs.app.app_context():
        create_term(blogs.owner, CATEGORIES, name="Bread")
        picture = store_picture(tmp_path, "red", "red.png")
        create_article(blogs.owner, title="Own", content=f"<img src='media:{picture.uuid}'>")
    blogs.export(root, "default")
    blogs.empty()
    return root


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_missing_or_damaged_file_is_named(blogs, with_picture, is_missing):
    file = with_picture / "media" / "red.png"
    file.unlink() if is_missing else write(file, b"damaged")
    refused, created = blogs.restore(with_picture)
    assert (refused.key, refused.result) == ("pictures/media/red.png", Result.REFUSED)
    assert created.result is Result.CREATED


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "a\\b.png", "C:x.png", ".png", "", "x" * 300]
)
def test_a_file_outside_of_the_folder_is_refused(export, name):
    with pytest.raises(RefusedFile):
        ExportFolder(export).get_media_path(name)


def test_a_picture_that_the_library_has_is_used(blogs, with_picture, tmp_path):
    with blogs.app.app_context():
        own = store_picture(tmp_path, "red", "mine.png").uuid
    blogs.restore(with_picture)
    with blogs.app.app_context():
        assert db.session.scalars(select(Media.uuid)).all() == [own]
        assert db.session.scalars(select(Article.content)).one() == f"<img src='media:{own}'>"


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        ("site.yaml", "title: [\n", "Its YAML cannot be read"),
        ("tags.yaml", b"- name: \xff\n", "not UTF-8"),
        ("categories.yaml", CATEGORY + "- uuid: x\n  slug: other\n", "“other”"),
        (
            "media.yaml",
            f"- uuid: {UUID_TEXT}\n  {TIMES}\n  file: ../x.png\n  hash: {'0' * 64}\n",
            "“../x.png”",
        ),
    ],
)
def test_a_broken_data_file_is_named(blogs, export, name, content, note):
    write(export / name, content)
    *refused, created = blogs.restore(export)
    assert {report.key for report in refused} == {f"export/{name}"}
    assert any(note in report.notes[0] for report in refused)
    assert created.result is Result.CREATED


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        (
            "tags.yaml",
            "- Rye\n",
            "`tags` (“Rye”) is not a list of mappings; write for example `- name: Bread`.",
        ),
        (
            "tags.yaml",
            f"- uuid: {UUID_TEXT}\n  {TIMES}\n  slug: rye\n",
            "“rye”: It has no `name`; add it, for example `name: Bread`.",
        ),
        (
            "fields.yaml",
            "- uuid: 1\n  name: mood\n  type: text\n  label: Mood\n",
            "`uuid` (“1”) is not a uuid",
        ),
        (
            "fields.yaml",
            "- name: mood\n  type: number\n  label: Mood\n  minimum: low\n",
            "`minimum` is not a number; write for example `minimum: 1`.",
        ),
        (
            "redirects.yaml",
            "- kind: redirect\n  from: [a]\n  to: /b\n  status: 301\n",
            "`from` (a list) is not a text",
        ),
        (
            "redirects.yaml",
            f"- kind: redirect\n  from: /a\n  to: /b\n  status: {'3' * 5000}\n",
            "status: ",
        ),
        (
            "fields.yaml",
            f"- name: mood\n  type: text\n  label: Mood\n  position: {'1' * 5000}\n",
            "`position` is not a number",
        ),
        (
            "redirects.yaml",
            "- kind: redirect\n  from: /a\n",
            "It has no `to`; add it, for example `to: /new/`.",
        ),
        (
            "redirects.yaml",
            "- kind: redirect\n  to: /a\n",
            "It has no `from`; add it, for example `from: /old/`.",
        ),
    ],
)
def test_a_broken_entry_is_refused_and_the_import_continues(blogs, export, name, content, note):
    write(export / name, content)
    refused, created = blogs.restore(export)
    assert (refused.result, created.result) == (Result.REFUSED, Result.CREATED)
    assert note in refused.notes[0]


def test_a_very_long_position_of_a_page_is_refused(blogs, export):
    page = ARTICLE.replace("blogapi:\n", f"blogapi:\n  type: page\n  position: {'1' * 5000}\n")
    write(export / "articles" / "page.md", page.replace(UUID_TEXT, str(uuid4())))
    created, refused = sorted(blogs.restore(export), key=lambda report: report.result)
    assert (created.result, refused.result) == (Result.CREATED, Result.REFUSED)
    assert refused.notes[0].startswith("position: Must be")


def test_unknown_fields_are_ignored_everywhere(blogs, export):
    write(
        export / "articles" / "bread.md", ARTICLE.replace("blogapi:\n", "new: [1]\nblogapi:\n  new: {a: b}\n")
    )
    for name in ("blogapi.yaml", "site.yaml"):
        write(export / name, f"{read_text(export / name)}new: [1]\n")
    for name, text in (("categories", CATEGORY), ("tags", TAGS), ("redirects", REDIRECT), ("fields", FIELD)):
        write(export / f"{name}.yaml", "".join(f"{entry}  new: [1]\n" for entry in split_entries(text)))
    assert [report.result for report in blogs.restore(export)] == [Result.CREATED]
    assert [report.result for report in blogs.restore(export)] == [Result.UNCHANGED]
    rows = blogs.read_rows()
    assert [len(rows[name]) for name in ("category", "tag", "custom_field", "redirect")] == [1, 2, 1, 1]


def test_a_number_of_an_custom_field_fits(blogs, export):
    write(export / "fields.yaml", FIELD.replace("type: text", "type: number"))
    write(export / "articles" / "bread.md", ARTICLE.replace("blogapi:", "custom: {mood: 4.5}\nblogapi:"))
    (report,) = blogs.restore(export)
    assert (report.result, report.notes) == (Result.CREATED, ())
    assert find_article(blogs).custom == '{"mood":4.5}'


def read_text(path: Path) -> str:
    """Return the text of a file; "" if it is missing."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def split_entries(text: str) -> list[str]:
    """Return the entries of a list in YAML."""
    return [f"- {entry}" for entry in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("start", ["", "---\n", "\n"])
def test_the_other_items_of_a_broken_data_file_are_read(blogs, export, start):
    """The tags are longer than a group, and no YAML, no mapping, or without a name."""
    broken = ["- name: a: b\n  slug: x\n", "- Rye\n", "- slug: rye\n", "- {\n"]
    tags = [f"- uuid: {uuid4()}\n  {TIMES}\n  name: {number:090}\n" for number in range(200)]
    for position, item in zip(range(100, 108, 2), broken, strict=True):
        tags.insert(position, item)
    line = (start + "".join(tags[:100])).count("\n") + 1
    write(export / "tags.yaml", start + "".join(tags))
    *refused, created = blogs.restore(export)
    notes = [report.notes[0] for report in refused]
    assert len(notes) == len(broken) and created.result is Result.CREATED
    assert notes[0].startswith(f"Its YAML cannot be read (line {line}: a value contains a colon")
    assert {f"{number:090}" for number in range(200)} <= {tag["name"] for tag in blogs.read_rows()["tag"]}


def test_long_data_files_are_parsed_in_groups(blogs, export, monkeypatch):
    monkeypatch.setattr("blogapi.importing.blogapi_export.data_files._MAX_GROUP_LENGTH", 10)
    assert [report.result for report in blogs.restore(export)] == [Result.CREATED]
    assert {tag["slug"] for tag in blogs.read_rows()["tag"]} == {"same", "same-2"}


@pytest.mark.parametrize("start", ["---\r\n", "\ufeff---\r\n", "--- \n", "\r\n"])
def test_a_data_file_with_other_line_endings_is_read(blogs, export, start):
    write(export / "tags.yaml", start + TAGS.replace("\n", "\r\n"))
    assert [report.result for report in blogs.restore(export)] == [Result.CREATED]
    assert {tag["slug"] for tag in blogs.read_rows()["tag"]} == {"same", "same-2"}


def test_files_that_are_no_articles_are_not_recognised(export):
    write(export / "notes.pdf", b"%PDF")
    entry = folder.Entry("export/notes.pdf", export / "notes.pdf")
    assert not FORMAT.detect(entry, b"%PDF")
    # The front matter is longer than the head of a file that was deleted meanwhile.
    gone = folder.Entry("export/articles/gone.md", export / "articles" / "gone.md")
    assert not FORMAT.detect(gone, b"---\ntitle: x\n")


def describe_file(root: Path, data: bytes, **fields: str) -> None:
    """Put a file in the place of the exported picture, with a matching hash."""
    (root / "media" / "red.png").write_bytes(data)
    description = root / "media.yaml"
    text = re.sub(r"hash: \S+", f'hash: "{hashlib.sha256(data).hexdigest()}"', description.read_text("utf-8"))
    extra = "".join(f"  {name}: {json.dumps(value)}\n" for name, value in fields.items())
    write(description, text.rstrip("\n") + f"\n{extra}")


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda data: {"data": b"no picture"}, "red.png"),
        (lambda data: {"data": data, "caption": "x" * 100_000}, "caption"),
    ],
)
def test_a_file_that_the_library_refuses_is_named(blogs, with_picture, change, note):
    describe_file(with_picture, **change((with_picture / "media" / "red.png").read_bytes()))
    refused, created = blogs.restore(with_picture)
    assert (refused.result, created.result) == (Result.REFUSED, Result.CREATED)
    assert note in f"{refused.key} {refused.notes[0]}"


@pytest.mark.parametrize("is_dry", [False, True])
def test_entries_with_the_same_uuid_are_different_files(blogs, with_picture, is_dry):
    entry = read_text(with_picture / "media.yaml")
    for colour in ("blue", "green"):
        write(with_picture / "media" / f"{colour}.png", data := make_picture(colour))
        hash = hashlib.sha256(data).hexdigest()
        entry += (
            f"- uuid: {re.search('uuid: (.*)', entry)[1]}\n  {TIMES}\n  file: {colour}.png\n  hash: {hash}\n"
        )
    write(with_picture / "media.yaml", entry)
    assert [report.result for report in blogs.restore(with_picture, dry_run=is_dry)] == [Result.CREATED]
    stored = blogs.read_rows()["media"]
    assert len(stored) == (0 if is_dry else 3)
    if not is_dry:
        (red,) = (row["uuid"] for row in stored if row["name"] == "red.png")
        (article,) = blogs.read_rows()["article"]
        assert article["content"] == f"<img src='media:{red}'>"
        assert [report.result for report in blogs.restore(with_picture)] == [Result.UNCHANGED]
        assert blogs.read_rows()["media"] == stored


def test_a_dry_run_stores_no_media_files(blogs, with_picture):
    assert [report.result for report in blogs.restore(with_picture, dry_run=True)] == [Result.CREATED]
    assert blogs.read_rows()["media"] == []
