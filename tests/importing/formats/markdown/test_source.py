"""The files of site generators are a source of articles."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path, walk_paths
from blogapi.importing.formats.markdown.source import MarkdownSource


def open_folder(app, path, **options):
    """Return the source of the files in a folder."""
    with app.app_context():
        return MarkdownSource(
            list(walk_path(path)), ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC), **options)
        )


def test_the_source_yields_a_record_or_a_report_for_each_file(app, tmp_path):
    blog = tmp_path / "blog"
    (blog / "food").mkdir(parents=True)
    (blog / "food" / "a.md").write_text("---\ntitle: A\ndate: 2020-01-02\n---\nText", encoding="utf-8")
    (blog / "b.adoc").write_text("= B", encoding="utf-8")
    (blog / "c.txt").write_text("Text", encoding="utf-8")
    source = open_folder(app, blog, category_from=("folder",), publish_undated=True)
    asciidoc, text, article = source.read()
    assert (source.total, article.former_key) == (3, "")
    assert isinstance(article, ArticleRecord)
    assert (article.key, article.category) == ("blog/food/a.md", "food")
    assert (asciidoc.key, asciidoc.result) == ("blog/b.adoc", Result.REFUSED)
    assert text.status == "published"


CONFIGURATIONS = {
    # https://gohugo.io/configuration/front-matter/: only `:filename` removes the date.
    "Hugo": ("hugo.toml", "baseURL = 'https://example.org/'", "2006-05-26-a"),
    "Hugo with an older name": ("config.yaml", "baseURL: https://example.org/", "2006-05-26-a"),
    "Hugo with a folder": ("config/_default/hugo.toml", "", "2006-05-26-a"),
    "Hugo with dates of files": ("hugo.toml", "[frontmatter]\ndate = [':filename', ':default']", "a"),
    "Jekyll": ("_config.yml", "title: A\npermalink: /:title/", "a"),
    "Hexo": ("_config.yml", "title: A\nnew_post_name: :title.md # File name", "2006-05-26-a"),
    "Hexo with dates": ("_config.yml", "new_post_name: :year-:month-:day-:title.md", "a"),
    # https://www.getzola.org/documentation/content/page/
    "Zola": ("config.toml", 'base_url = "https://example.org"', "a"),
    "Zola with dates": ("config.toml", 'base_url = "/"\n[slugify]\npaths_keep_dates = true', "2006-05-26-a"),
    # https://www.11ty.dev/docs/data-eleventy-supplied/: `filePathStem` has no date.
    "Eleventy": ("eleventy.config.js", "", "a"),
    "Docusaurus": ("docusaurus.config.js", "", "a"),
    "Pelican": ("pelicanconf.py", "", "a"),
    "Astro": ("astro.config.mjs", "", "2006-05-26-a"),
    "Gatsby": ("gatsby-config.js", "", "2006-05-26-a"),
    "no configuration": ("", "", "a"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "slug"), CONFIGURATIONS.values(), ids=CONFIGURATIONS)
@pytest.mark.parametrize("file", ["2006-05-26-a.md", "2006-05-26-a/index.md"])
def test_the_date_of_a_file_name_is_in_the_slug_if_the_generator_keeps_it(
    app, tmp_path, file, name, text, slug
):
    posts = tmp_path / "site" / "content" / "posts"
    (posts / file).parent.mkdir(parents=True)
    (posts / file).write_text("---\ntags: one tag\n---\nText", encoding="utf-8")
    if name:
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, encoding="utf-8")
    (record,) = open_folder(app, posts).read()
    assert (record.slug, record.title, record.published_at) == (slug, "A", datetime(2006, 5, 26, tzinfo=UTC))
    # Jekyll separates tags at spaces.
    assert slug == "a" or record.tags == ("one tag",)


@pytest.mark.parametrize("setting", ["config.toml", "conf.py"])
def test_an_unpacked_archive_is_no_part_of_the_folder_of_the_blog(
    app, as_admin, people, instance, tmp_path, setting
):
    (instance / setting).touch()
    with zipfile.ZipFile(tmp_path / "vault.zip", "w") as archive:
        archive.writestr(".obsidian/app.json", "{}")
        archive.writestr("2006-05-26-a.md", "---\ndate: 2020-01-02\n---\nPrivate")
    result = app.test_cli_runner().invoke(args=["import", str(tmp_path / "vault.zip"), "--author", "ada"])
    assert result.exit_code == 0
    (article,) = as_admin.get("/api/v1/blog/articles/author/me/").json
    assert (article["status"], article["slug"]) == ("draft", "a")


def test_a_refused_file_with_the_same_key_leaves_the_former_key_of_the_other(tmp_path):
    blogs = [tmp_path / outer / "blog" for outer in ("a", "b")]
    for blog in blogs:
        (blog / "posts").mkdir(parents=True)
        (blog / "posts" / "x.md").write_text("---\ntitle: X\ndate: 2020-01-02\n---\nText", encoding="utf-8")
    # The first blog was imported by its inner folder.
    options = ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC), roots={"posts/x.md": str(blogs[0])})
    record, refused = MarkdownSource([*walk_paths(blogs)], options).read()
    assert (record.key, record.former_key) == ("blog/posts/x.md", "posts/x.md")
    assert (refused.key, refused.result) == ("blog/posts/x.md", Result.REFUSED)
