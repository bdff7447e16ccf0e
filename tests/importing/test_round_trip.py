"""An export that is imported into an empty blog gives the same blog, and the same export again."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import ColumnDefault

from blogapi.content.media import images
from blogapi.content.taxonomies.authors import AUTHORS
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.taxonomies.tags import TAGS
from blogapi.exporting import layouts
from blogapi.importing.format_api.report import Result
from blogapi.site import service as site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.storage.database import table_of
from tests.databases import Databases
from tests.exported_blogs import (
    LEFT_OUT,
    TABLES,
    Blogs,
    create_article,
    create_term,
    make_everything,
    shift_times,
    store_picture,
)
from tests.stored_pictures import add_paths


@pytest.fixture(autouse=True)
def quick_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are stored without a worker."""

    def copy(source: Path, type: object, folder: Path) -> images.ProcessedImage:
        path = folder / "image"
        path.write_bytes(source.read_bytes())
        return images.ProcessedImage(path, 40, 30, is_still=True)

    monkeypatch.setattr(images, "process_image", copy)


@pytest.fixture
def blogs(app: Flask, instance: Path, databases: Databases) -> Blogs:
    """The blog of the test."""
    return Blogs(app, instance, databases)


EPOCH = datetime(1990, 1, 1, tzinfo=UTC)
CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
#: Texts that a format could change.
_ODD_TEXTS = (
    *("\r\n", "\r", "\t", "\x85", "\u2028", "\ufeff", "\ufffe", "\U0001f600", "  ", "\n---\n", "---\r\n"),
    *("{{ x }}", "{% raw %}", "{{< y >}}", "{{% z %}}", "{{<", "<pre>", "</pre>", "&amp;", "\\", ": #", "*a"),
    *(
        "'",
        '"',
        "~",
        "../media/red.png",
        "/media/red.png#2",
        "media:MEDIA",
        "![](media:MEDIA)",
        "img/red.png",
    ),
    *("<img src='/media/HASH/x.png'>", "![](img/red.png)", "[x](https://x.example/media/HASH/x.png)"),
)
_PARTS = st.one_of(
    st.sampled_from(_ODD_TEXTS), st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=5)
)
_TEXTS = st.lists(_PARTS, max_size=8).map("".join)
_NAMES = _TEXTS.map(lambda text: f"{text[:50]}x")
_TIMES = st.integers(0, 10**15).map(lambda number: (EPOCH + timedelta(microseconds=number)).isoformat())
_ARTICLES = st.fixed_dictionaries(
    {
        **{"title": _NAMES, "content": _TEXTS, "content_type": st.sampled_from(("html", "markdown", "text"))},
        "status": st.sampled_from(("draft", "published", "archived")),
        "published_at": _TIMES,
        "tags": st.lists(st.sampled_from(("tag", "tag-2", "tag-3")), unique=True),
        "authors": st.lists(st.sampled_from(("guest", "guest-2")), unique=True, min_size=1),
        "category": st.sampled_from(("bread", "category")),
    },
    optional={
        **{"subtitle": _TEXTS, "excerpt": _TEXTS, "slug": st.sampled_from(("a", "字", "ёж", "con", "index"))},
        "cover_image": st.sampled_from(("", "media:MEDIA", "/media/red.png", "https://x.example/a.png")),
        "seo": st.fixed_dictionaries({}, optional={"title": _TEXTS, "description": _TEXTS}),
    },
)  # fmt: skip
_BLOGS = st.fixed_dictionaries(
    {
        "articles": st.lists(_ARTICLES, max_size=6, unique_by=lambda one: one.get("slug", id(one))),
        **{
            "names": st.lists(_NAMES, min_size=3, max_size=3),
            "texts": st.lists(_TEXTS, min_size=5, max_size=5),
        },
    }
)


def make_blog(blogs, tmp_path, blog):
    """Create a blog from generated values."""
    with blogs.app.app_context():
        alt, caption, bio, description, title = blog["texts"]
        red = store_picture(tmp_path, "red", "red.png", alt=alt, caption=caption)
        create_term(blogs.owner, CATEGORIES, name=blog["names"][0], slug="bread", former="former")
        create_term(blogs.owner, CATEGORIES, name="Category", slug="category", description=description)
        for name, slug in zip(blog["names"], ("tag", "tag-2", "tag-3"), strict=True):
            create_term(blogs.owner, TAGS, name=name, slug=slug)
        create_term(blogs.owner, AUTHORS, name=blog["names"][0], slug="guest", bio=bio)
        create_term(blogs.owner, AUTHORS, name=blog["names"][0], slug="guest-2", avatar=f"media:{red.uuid}")
        site.change_site(SiteChangesSchema().load({"title": title, "logo": f"media:{red.uuid}"}))
        filled = json.dumps(blog["articles"]).replace("MEDIA", str(red.uuid)).replace("HASH", red.hash)
        for fields in json.loads(filled):
            references = {name: [{"slug": slug} for slug in fields[name]] for name in ("tags", "authors")}
            fields |= references | {"category": {"slug": fields["category"]}}
            article = create_article(blogs.owner, **fields)
            add_paths(article.uuid, {"img/red.png": red.uuid})
        shift_times()


@pytest.mark.slow
@settings(
    max_examples=5,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.generate],
)
@given(blog=_BLOGS, form=st.sampled_from([*layouts.LAYOUTS]))
def test_any_blog_comes_back(blogs, tmp_path_factory, blog, form):
    folder = tmp_path_factory.mktemp("export")
    blogs.empty()
    make_blog(blogs, folder, blog)
    (folder / "first").mkdir()
    first = blogs.export(folder / "first", form)
    blogs.empty()
    blogs.restore(folder / "first")
    (folder / "second").mkdir()
    second = blogs.export(folder / "second", form)
    differing = {path: (first[path], second.get(path)) for path in first if second.get(path) != first[path]}
    differing.pop("SHA256SUMS", None)
    assert (differing, first.keys()) == ({}, second.keys())


@pytest.mark.parametrize("form", layouts.LAYOUTS)
def test_a_blog_with_everything_comes_back(blogs, tmp_path, form):
    make_everything(blogs, tmp_path)
    first, rows = blogs.export(tmp_path / "first", form), blogs.read_rows()
    blogs.empty()
    reports = blogs.restore(tmp_path / "first")
    assert [report for report in reports if report.result != Result.CREATED] == []
    assert blogs.export(tmp_path / "second", form) == first
    restored = blogs.read_rows()
    for table in rows:
        assert restored[table] == rows[table], table


def test_the_blog_with_everything_has_a_value_in_every_field(blogs, tmp_path):
    make_everything(blogs, tmp_path)
    rows = blogs.read_rows()
    for model in TABLES:
        table = table_of(model)
        for column in table.c:
            if f"{table.name}.{column.name}" in LEFT_OUT:
                continue
            default = column.default.arg if isinstance(column.default, ColumnDefault) else None
            values = {str(row[column.name]) for row in rows[table.name]}
            assert values - {str(default), "None", ""}, f"{table.name}.{column.name}"


def test_every_column_that_is_left_out_exists():
    names = {f"{table_of(model).name}.{column.name}" for model in TABLES for column in table_of(model).c}
    assert LEFT_OUT.keys() <= names


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs")
@pytest.mark.parametrize("source", ["markdown-yaml/hexo-unit-test", "markdown-toml/hugo-basic-example"])
@pytest.mark.parametrize("form", layouts.LAYOUTS)
def test_a_real_blog_comes_back(blogs, tmp_path, source, form):
    blogs.restore(Path(CORPUS, source))
    first = blogs.export(tmp_path / "first", form)
    blogs.empty()
    blogs.restore(tmp_path / "first")
    assert blogs.export(tmp_path / "second", form) == first
