"""Folders that other programs write in the format of an export need little more than titles."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select

from blogapi.content.articles import service as articles
from blogapi.content.articles.models import Article, FormerPath, FormerSlug
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.media import images
from blogapi.content.media.models import Media, MediaPath
from blogapi.content.taxonomies.authors import Author
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.importing.blogapi_export.source import FORMAT
from blogapi.importing.format_api import source_files as folder
from blogapi.importing.format_api.report import Result
from blogapi.storage.database import db
from tests.exported_blogs import Blogs
from tests.pictures import make_picture

DESCRIPTION = "format: blogapi-export\nversion: 1\nlayout: default\nsource: https://old.example\n"
TITLE = "---\ntitle: Bread\n---\nFlour.\n"
MEDIA = "- file: rye.png\n  alt: Rye\n  caption: Dark\n"
PICTURES = """---
title: Bread
date: 2024-05-01
cover_image: ../media/rye.png
blogapi:
  paths: [{path: /other.png, file: rye.png}]
---
![A](../media/rye.png) ![B](/old/rye.png) ![C](/other.png)
"""
DATED = "---\ntitle: Bread\ndate: 2024-05-01\n---\nFlour.\n"


@pytest.fixture
def blog(app, instance, databases) -> Blogs:
    """The blog of the test."""
    return Blogs(app, instance, databases)


@pytest.fixture
def write(tmp_path):
    """Writes files into a folder with a description; returns the folder."""

    def write_files(files: dict[str, str | bytes], description: str = DESCRIPTION, name: str = "old") -> Path:
        for path, text in {"blogapi.yaml": description, **files}.items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write_files


def restore(blog: Blogs, root: Path) -> list[Result]:
    """Import a folder; return the results."""
    return [report.result for report in blog.restore(root)]


def find_all(blog: Blogs, model: type) -> list:
    """Return the rows of a table."""
    with blog.app.app_context():
        return list(db.session.scalars(select(model)))


def change(blog: Blogs, uuid: UUID) -> None:
    """Change an article in the blog."""
    with blog.app.app_context():
        articles.change_article_in_transaction(
            blog.owner, uuid, ArticleBodySchema(partial=True).load({"content": "Mine"})
        )


@pytest.mark.parametrize(
    "text", [TITLE, DATED, "---\ntitle: Bread\nblogapi:\n---\n", DATED.replace("2024", "2099")]
)
def test_an_article_that_was_edited_here_is_unchanged_in_a_second_import(blog, write, text):
    """Nothing that the import adds to the file depends on its time."""
    root = write({"articles/bread.md": text})
    assert restore(blog, root) == [Result.CREATED]
    assert restore(blog, root) == [Result.UNCHANGED]
    (article,) = find_all(blog, Article)
    change(blog, article.uuid)
    assert restore(blog, root) == [Result.UNCHANGED]
    assert find_all(blog, Article)[0].content == "Mine"


def test_a_scheduled_article_that_was_edited_here_is_not_replaced(blog, write):
    root = write({"articles/bread.md": DATED.replace("2024", "2099")})
    restore(blog, root)
    (article,) = find_all(blog, Article)
    change(blog, article.uuid)
    write({"articles/bread.md": DATED.replace("2024", "2099").replace("Flour", "Rye")})
    assert restore(blog, root) == [Result.REFUSED]


@pytest.mark.parametrize(
    ("fields", "created", "last_updated"),
    [
        ("date: 2024-05-01\n", "2024-05-01", "2024-05-01"),
        ("date: 2024-05-01\nlastmod: 2024-06-01\n", "2024-05-01", "2024-06-01"),
        ("lastmod: 2024-06-01\n", "2024-06-01", "2024-06-01"),
        ("date: 2024-05-01\nblogapi: {created: 2024-04-01}\n", "2024-04-01", "2024-04-01"),
        ("date: 2099-05-01\n", None, None),
        ("", None, None),
    ],
)
def test_a_missing_time_of_creation_is_the_first_time_of_the_article(
    blog, write, fields, created, last_updated
):
    before = datetime.now(UTC)
    restore(blog, write({"articles/bread.md": TITLE.replace("---\nFlour", f"{fields}---\nFlour")}))
    after = datetime.now(UTC)
    (article,) = find_all(blog, Article)
    for time, expected in ((article.created, created), (article.last_updated, last_updated)):
        given = datetime.fromisoformat(expected).replace(tzinfo=UTC) if expected else None
        assert (given or before) <= time <= (given or after)


def test_an_article_without_a_date_is_a_draft_and_its_uuid_follows_from_its_path(blog, write, tmp_path):
    root = write({"articles/bread.md": TITLE, "articles/2020/bread.md": DATED})
    assert restore(blog, root) == [Result.CREATED, Result.CREATED]
    assert sorted(article.status for article in find_all(blog, Article)) == ["draft", "published"]
    assert {article.uuid.version for article in find_all(blog, Article)} == {5}
    assert restore(blog, root.rename(tmp_path / "moved")) == [Result.UNCHANGED, Result.UNCHANGED]


def test_the_uuid_is_the_same_in_each_version_of_blogapi(blog, write):
    restore(blog, write({"articles/bread.md": TITLE}))
    assert [str(article.uuid) for article in find_all(blog, Article)] == [
        "e6a0f581-8c6c-5fe5-b37a-caf81e1172b1"
    ]


def test_files_with_equal_paths_of_two_blogs_are_two_articles(blog, write):
    first = write({"articles/1.md": TITLE})
    second = write({"articles/1.md": DATED}, DESCRIPTION.replace("old", "other"), "other")
    assert restore(blog, first) == restore(blog, second) == [Result.CREATED]
    assert len(find_all(blog, Article)) == 2


def test_a_file_with_its_own_uuid_keeps_it(blog, write):
    uuid = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
    restore(blog, write({"articles/bread.md": TITLE.replace("---\nF", f"blogapi: {{uuid: {uuid}}}\n---\nF")}))
    assert [str(article.uuid) for article in find_all(blog, Article)] == [uuid]


@pytest.mark.parametrize(
    ("path", "is_recognised"),
    [
        ("articles/new.md", True),
        ("articles/2020/new.html", True),
        ("pages/new.txt", True),
        ("articles/new.pdf", False),
        ("notes/new.md", False),
        ("new.md", False),
    ],
)
@pytest.mark.parametrize(
    ("description", "is_read"),
    [
        (DESCRIPTION, True),
        (DESCRIPTION.replace("version: 1", "version: 2"), True),
        (DESCRIPTION.replace("source:", "x:"), False),
        (DESCRIPTION.replace("blogapi-export", "other"), False),
    ],
)
def test_only_the_files_in_the_folders_of_a_named_source_need_no_mark(
    write, path, is_recognised, description, is_read
):
    root = write({path: TITLE}, description)
    entry = folder.Entry(f"old/{path}", root / path)
    assert FORMAT.detect(entry, TITLE.encode()) is (is_recognised and is_read)


def test_a_folder_of_a_later_version_is_refused_as_a_whole(blog, write):
    root = write({"articles/bread.md": TITLE}, DESCRIPTION.replace("version: 1", "version: 2"))
    (report,) = blog.restore(root)
    assert (report.key, report.result) == ("old/blogapi.yaml", Result.REFUSED)
    assert "newer version" in report.notes[0]
    assert find_all(blog, Article) == []


def test_a_file_without_front_matter_is_refused(blog, write):
    (report,) = blog.restore(write({"articles/bread.txt": "Flour.\n"}))
    assert (report.result, "no head (front matter)" in report.notes[0]) == (Result.REFUSED, True)


def test_the_folder_of_pages_has_pages_unless_they_are_articles(blog, write):
    root = write(
        {
            "pages/about.md": TITLE,
            "pages/more/team.md": DATED,
            "pages/no.md": TITLE.replace("---\nF", "blogapi: {type: article}\n---\nF"),
        }
    )
    restore(blog, root)
    assert sorted(article.type for article in find_all(blog, Article)) == ["article", "page", "page"]


@pytest.mark.parametrize("name", ["drafts", "Private/2020"])
def test_a_file_in_a_private_folder_is_a_draft(blog, write, name):
    restore(blog, write({f"articles/{name}/bread.md": DATED}))
    assert [article.status for article in find_all(blog, Article)] == ["draft"]


def test_former_addresses_need_no_times(blog, write):
    fields = "blogapi:\n  former_paths: [/2019/bread/]\n  former_slugs: [loaf]\n---\nF"
    root = write({"articles/bread.md": TITLE.replace("---\nF", fields)})
    assert restore(blog, root) == [Result.CREATED]
    assert restore(blog, root) == [Result.UNCHANGED]
    assert [row.path for row in find_all(blog, FormerPath)] == ["/2019/bread/"]
    assert [row.slug for row in find_all(blog, FormerSlug)] == ["loaf"]


def test_a_term_needs_only_a_name(blog, write):
    root = write(
        {
            "articles/bread.md": DATED.replace("---\nF", "tags: [C++]\ncategories: [Rye]\n---\nF"),
            "tags.yaml": "- name: C++\n- name: C\n",
            "categories.yaml": "- name: Rye\n  description: Dark\n  former_slugs: [roggen]\n",
            "authors.yaml": "- name: Grace Hopper\n  bio: Compilers\n",
        }
    )
    assert restore(blog, root) == [Result.CREATED]
    assert restore(blog, root) == [Result.UNCHANGED]
    assert {tag.slug: tag.name for tag in find_all(blog, Tag)} == {"c": "C", "c-plus-plus": "C++"}
    assert [(term.slug, term.description) for term in find_all(blog, Category)] == [("rye", "Dark")]
    (author,) = [author for author in find_all(blog, Author) if author.bio]
    assert (author.slug, author.uuid.version) == ("grace-hopper", 5)


@pytest.fixture(params=[False, True], ids=["kept", "changed"])
def library(request, monkeypatch) -> bool:
    """Whether the library changes the pictures that it takes, as it does if they have metadata."""

    def process(source, type, folder):
        path = folder / "image"
        path.write_bytes(source.read_bytes() + (b"changed" if request.param else b""))
        return images.ProcessedImage(path, 40, 30, is_still=True)

    monkeypatch.setattr(images, "process_image", process)
    return request.param


@pytest.mark.parametrize("folder", ["articles", "articles/2020/05/21"])
def test_pictures_are_found_in_the_folder(blog, write, library, folder):
    root = write({f"{folder}/bread.md": PICTURES, "media/rye.png": make_picture("red"), "media.yaml": MEDIA})
    assert restore(blog, root) == [Result.CREATED]
    assert restore(blog, root) == [Result.UNCHANGED]
    (article,), (media,) = find_all(blog, Article), find_all(blog, Media)
    assert article.cover_image == f"/media/{media.hash}/rye.png"
    paths = [(row.path, row.media_id) for row in find_all(blog, MediaPath)]
    assert sorted(paths) == [
        (path, media.uuid) for path in ("../media/rye.png", "/old/rye.png", "/other.png")
    ]
    assert (media.alt, media.caption, media.uuid.version) == ("Rye", "Dark", 5)
    with blog.app.app_context():
        assert db.session.get(Article, article.uuid).seo_og_image == article.cover_image


@pytest.mark.parametrize("has_hash", [False, True])
def test_the_picture_of_a_term_is_a_file_with_a_hash_that_the_library_keeps(blog, write, library, has_hash):
    data = make_picture("red")
    digest = hashlib.sha256(data).hexdigest()
    root = write(
        {
            "media/ada.png": data,
            "media.yaml": "- file: ada.png\n" + (f'  hash: "{digest}"\n' if has_hash else ""),
            "authors.yaml": "- name: Ada\n  avatar: media/ada.png\n",
        }
    )
    notes = " ".join(note for report in blog.restore(root) for note in report.notes)
    if has_hash and not library:
        (author,) = [author for author in find_all(blog, Author) if author.avatar]
        assert (author.avatar, notes) == (f"/media/{digest}/ada.png", "")
    else:
        assert ("delete its metadata" if has_hash else "“ada.png” in `media` needs its `hash`") in notes
