"""The files of site generators are a source of articles."""

from __future__ import annotations

from datetime import UTC, datetime

from blogapi.transfer import folder
from blogapi.transfer.article_record import ArticleRecord
from blogapi.transfer.markdown.source import open_source
from blogapi.transfer.reports import Result
from blogapi.transfer.sources import ImportOptions


def test_the_source_yields_a_record_or_a_report_for_each_file(app, tmp_path):
    blog = tmp_path / "blog"
    (blog / "food").mkdir(parents=True)
    (blog / "food" / "a.md").write_text("---\ntitle: A\ndate: 2020-01-02\n---\nText", encoding="utf-8")
    (blog / "b.adoc").write_text("= B", encoding="utf-8")
    (blog / "c.txt").write_text("Text", encoding="utf-8")
    options = ImportOptions(
        now=datetime(2026, 1, 1, tzinfo=UTC), category_from=("folder",), publish_undated=True
    )
    with app.app_context():
        source = open_source(list(folder.walk_path(blog)), options)
    asciidoc, text, article = source.read()
    assert (source.total, dict(source.matches)) == (3, {})
    assert isinstance(article, ArticleRecord)
    assert (article.key, article.category) == ("blog/food/a.md", "food")
    assert (asciidoc.key, asciidoc.result) == ("blog/b.adoc", Result.REFUSED)
    assert text.status == "published"
