"""The derived columns of articles: what reads them, and that only the table `article` contains them."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import select, text

from blogapi.content.articles.models import DERIVED_COLUMNS, ArticleRevision, DeletedItem, WorkingCopy
from blogapi.exporting import layouts
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.databases import SERVER_URL, other_connection

READS_HTML = re.compile(r"SELECT.*\barticle\.(html|toc)\b", re.DOTALL)
LONG = {"content": "<h2>Rye</h2>" + "<p>Flour and water.</p>" * 100}


@pytest.fixture
def path(write):
    """The path of a public article."""
    return f"{ARTICLES}{write(status='published', **LONG)['uuid']}/"


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Another"},
        {"subtitle": "Of rye"},
        {"seo": {"title": "For others"}},
        {"tags": []},
        {"slug": "another"},
        {"content": "<p>Salt.</p>"},
    ],
    ids=str,
)
def test_a_change_loads_neither_the_html_nor_the_table_of_contents(
    as_admin, path, record_statements, changes
):
    with record_statements() as statements:
        assert as_admin.patch(path, json=changes).status_code == 200
    assert any("UPDATE article" in statement for statement in statements)
    # PostgreSQL stores the words of all texts of an article in one value.
    needs_words = SERVER_URL and not changes.keys().isdisjoint({"title", "subtitle"})
    reads = [statement for statement in statements if READS_HTML.search(statement)]
    assert len(reads) == bool(needs_words) and not any("article.toc" in read for read in reads), reads


def test_a_create_and_a_deletion_load_neither_of_them(as_admin, body, path, record_statements):
    with record_statements() as statements:
        assert as_admin.post(ARTICLES, json=body(**LONG)).status_code == 201
        assert as_admin.delete(path).status_code == 204
    assert any("DELETE FROM article" in statement for statement in statements)
    assert [statement for statement in statements if READS_HTML.search(statement)] == []


def test_a_new_status_reads_no_html(as_admin, path, record_statements):
    with record_statements() as statements:
        assert as_admin.patch(path, json={"status": "draft"}).status_code == 200
    assert any("UPDATE search_entry" in statement for statement in statements)
    assert [statement for statement in statements if READS_HTML.search(statement)] == []


def test_a_list_reads_no_long_column_that_it_does_not_show(as_reader, path, record_statements):
    with record_statements() as statements:
        assert as_reader.get(f"{ARTICLES}?fields=title,url").json[0]["title"]
    read = [statement for statement in statements if "article.title" in statement]
    assert read and not [one for one in read if re.search(r"article\.(html|toc|content)\b", one)]


@pytest.mark.sqlite("stores characters that no text contains")
@pytest.mark.parametrize("column", ["html", "content", "toc"])
def test_an_article_with_a_page_of_zeros_is_damaged(app, as_admin, path, column):
    with other_connection(app) as other:
        other.execute(text(f"UPDATE article SET {column} = :zeros"), {"zeros": "\0" * 9})  # noqa: S608
    for address in (path, ARTICLES):
        answer = as_admin.get(f"{address}?fields={column}")
        assert (answer.status_code, answer.json["code"]) == (503, "damaged")
    assert as_admin.get(f"{path}?fields=title").status_code == 200


def test_versions_edits_and_deleted_articles_contain_no_derived_column(app, as_admin, path):
    as_admin.patch(path, json={"title": "Another"})
    assert as_admin.put(f"{path}working-copy/", json={"title": "Edits", **LONG}).status_code == 201
    with app.app_context():
        stored = [
            json.loads(db.session.scalars(select(model.content)).one())
            for model in (ArticleRevision, WorkingCopy)
        ]
    assert as_admin.delete(path).status_code == 204
    with app.app_context():
        document = json.loads(db.session.scalars(select(DeletedItem.document)).one())
        (article,) = document.pop("article")
        (working_copy,) = document["working_copy"]
    stored += [article, json.loads(working_copy["content"])]
    for fields in stored:
        assert fields["title"] and fields.keys().isdisjoint(DERIVED_COLUMNS)


@pytest.mark.parametrize("form", layouts.LAYOUTS)
def test_an_export_contains_no_derived_value(app, path, form, tmp_path):
    columns = {"html": "DERIVED", "toc": '["DERIVED"]', "cover": '"DERIVED"', "word_count": 987_654}
    columns |= {"reading_minutes": 876_543, "generated_excerpt": "DERIVED", "sort_key": "DERIVED"}
    assert columns.keys() == DERIVED_COLUMNS
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    with other_connection(app) as other:
        other.execute(text(f"UPDATE article SET {assignments}"), columns)  # noqa: S608
    command = [
        "export",
        str(tmp_path / "export"),
        "--drafts",
        *([] if form == "default" else ["--for", form]),
    ]
    result = app.test_cli_runner().invoke(args=command)
    assert result.exit_code == 0, result.output
    files = [file.read_bytes() for file in (tmp_path / "export").rglob("*") if file.is_file()]
    assert any(b"Flour and water." in content for content in files)
    for content in files:
        assert not re.search(rb"DERIVED|987654|876543", content)
