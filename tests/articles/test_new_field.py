"""A new text field of articles needs three additions: a column, a schema field and a migration."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

import blogapi
from blogapi.articles.models import Article
from blogapi.articles.schemas import ArticleBodySchema, ArticleSchema
from blogapi.storage.upgrades import list_migrations

pytestmark = [pytest.mark.slow, pytest.mark.once]

ARTICLES = "/api/v1/blog/articles/"
PROGRAM = Path(__file__).with_name("serve_lines.py")
LAST = list_migrations()[-1]
NEXT = f"{int(LAST) + 1:04}"

COLUMN = '    epigraph: Mapped[str] = mapped_column(default="", server_default="")\n'
FIELD = "    epigraph = Text(max_length=1000)\n"
MIGRATION = f'''"""Epigraphs of articles."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{LAST}"


def upgrade() -> None:
    op.add_column("article", sa.Column("epigraph", sa.String(), nullable=False, server_default=""))
'''

# These columns of an article are set by the service or the database, not from the request body.
INTERNAL_COLUMNS = {
    *("uuid", "created", "last_updated", "version", "was_public", "slug_derived"),
    *("author_id", "category_id", "editor_id"),
}


def unwritable_columns(columns, fields):
    """Return the columns of an article that are not internal and that no request can set."""
    return set(columns) - set(fields) - INTERNAL_COLUMNS


def insert_after(path, line, new):
    source = path.read_text(encoding="utf-8")
    assert source.count(line) == 1, line
    path.write_text(source.replace(line, line + new), encoding="utf-8")


def copy_package(folder, *, column=True, field=True, migration=True):
    """Copy the package into the folder, add the selected parts of the field, and return the folder."""
    copy = folder / "blogapi"
    shutil.copytree(Path(blogapi.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if column:
        insert_after(
            copy / "articles/models.py", '    cover_image: Mapped[str] = mapped_column(default="")\n', COLUMN
        )
    if field:
        insert_after(copy / "articles/schemas.py", '    subtitle = Text(max_length="MAX_SUBTITLE")\n', FIELD)
    if migration:
        (copy / f"migrations/versions/{NEXT}_epigraph.py").write_text(MIGRATION, encoding="utf-8")
    return folder


def run_copy(folder, *arguments, **options):
    """Start Python with the copied package in place of the original."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "BLOGAPI_INSTANCE_PATH": str(folder / "instance")},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **options,
    )


class Blog:
    """The copied application, which serves an empty blog in a separate process."""

    def __init__(self, folder):
        self.process = run_copy(folder, PROGRAM, f"sqlite:///{folder / 'blog.db'}")

    def send(self, method, path, body=None):
        """Return the status and the JSON of the response."""
        self.process.stdin.write(json.dumps({"method": method, "path": path, "json": body}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def get(self, path):
        status, body = self.send("GET", path)
        assert status == 200, body
        return body


@pytest.fixture(scope="module")
def blog(tmp_path_factory):
    """The copied application with the column, schema field and migration. The blog has one category."""
    blog = Blog(copy_package(tmp_path_factory.mktemp("complete")))
    status, category = blog.send("POST", "/api/v1/blog/categories/", {"name": "Kitchen"})
    assert status == 201, category
    yield blog
    blog.process.stdin.close()
    assert blog.process.wait(timeout=60) == 0
    blog.process.stdout.close()


@pytest.fixture
def path(blog):
    """The path of a new article that has an epigraph."""
    path = f"{ARTICLES}{uuid4()}/"
    body = {"title": "Bread", "category": {"slug": "kitchen"}, "epigraph": "Give us."}
    status, created = blog.send("PUT", path, body)
    assert status == 201, created
    return path


def epigraph(blog, path):
    return blog.get(f"{path}?fields=epigraph")["epigraph"]


def test_create_stores_the_field(blog):
    body = {"title": "Rye", "category": {"slug": "kitchen"}, "epigraph": "Give us."}
    status, created = blog.send("POST", ARTICLES, body)
    assert status == 201
    assert epigraph(blog, f"{ARTICLES}{created['uuid']}/") == "Give us."


def test_a_new_article_without_the_field_has_the_default_of_the_column(blog):
    status, created = blog.send("POST", ARTICLES, {"title": "Oats", "category": {"slug": "kitchen"}})
    assert status == 201
    assert epigraph(blog, f"{ARTICLES}{created['uuid']}/") == ""


def test_a_read_without_the_fields_parameter_shows_exactly_the_documented_fields(blog, path):
    assert list(blog.get(path)) == list(ArticleSchema().fields)
    assert all(list(article) == list(ArticleSchema().fields) for article in blog.get(f"{ARTICLES}author/me/"))


def test_the_field_can_be_selected_in_an_item_and_in_a_list(blog, path):
    assert blog.get(f"{path}?fields=title,epigraph") == {"title": "Bread", "epigraph": "Give us."}
    assert {"epigraph": "Give us."} in blog.get(f"{ARTICLES}author/me/?fields=epigraph")


def test_the_new_field_is_validated(blog, path):
    status, problem = blog.send("PATCH", path, {"epigraph": "x" * 1001})
    assert (status, list(problem["errors"])) == (422, ["epigraph"])


def test_put_accepts_the_response_of_get_with_the_field(blog, path):
    shown = blog.get(f"{path}?fields={','.join(ArticleSchema().fields)},epigraph")
    status, _ = blog.send("PUT", path, shown)
    assert status == 200
    assert blog.get(f"{path}?fields={','.join(ArticleSchema().fields)},epigraph") == shown
    assert blog.get(f"{path}revisions/") == []


def test_put_without_the_new_field_does_not_change_its_value(blog, path):
    status, _ = blog.send("PUT", path, blog.get(path) | {"title": "Other"})
    assert status == 200
    assert blog.get(f"{path}?fields=title,epigraph") == {"title": "Other", "epigraph": "Give us."}


def test_patch_changes_the_field_and_keeps_the_former_version(blog, path):
    status, _ = blog.send("PATCH", path, {"epigraph": "This day."})
    assert (status, epigraph(blog, path)) == (200, "This day.")
    assert blog.get(f"{path}revisions/1/?fields=epigraph") == {"epigraph": "Give us."}


def test_patch_with_the_same_text_makes_no_revision(blog, path):
    status, _ = blog.send("PATCH", path, {"epigraph": "Give us."})
    assert (status, blog.get(f"{path}revisions/")) == (200, [])


def test_a_single_revision_shows_the_new_field(blog, path):
    blog.send("PATCH", path, {"epigraph": "This day."})
    assert [revision["number"] for revision in blog.get(f"{path}revisions/")] == [1]
    assert blog.get(f"{path}revisions/1/")["epigraph"] == "Give us."


def test_a_comparison_of_versions_names_the_new_field(blog, path):
    blog.send("PATCH", path, {"epigraph": "This day."})
    change = {"field": "epigraph", "before": "Give us.", "after": "This day."}
    assert blog.get(f"{path}revisions/1/compare/")["changes"] == [change]


def test_restoring_a_version_restores_the_new_field(blog, path):
    blog.send("PATCH", path, {"epigraph": "This day."})
    assert blog.send("POST", f"{path}revisions/1/restore/")[0] == 200
    assert epigraph(blog, path) == "Give us."


def test_a_deleted_article_is_restored_with_the_field(blog, path):
    assert blog.send("DELETE", path) == [204, None]
    assert blog.send("POST", f"{path}revisions/1/restore/")[0] == 200
    assert epigraph(blog, path) == "Give us."


def test_the_openapi_document_describes_the_field_in_bodies_and_responses(blog):
    schemas = blog.get("/openapi.json")["components"]["schemas"]
    for name in ("ArticleBody", "Article", "SingleRevision"):
        assert "epigraph" in schemas[name]["properties"], name


@pytest.mark.parametrize("missing", ["column", "migration"])
def test_a_start_without_the_column_or_the_migration_fails(tmp_path, missing):
    folder = copy_package(tmp_path, **{missing: False})
    process = run_copy(folder, PROGRAM, f"sqlite:///{tmp_path / 'blog.db'}", stderr=subprocess.PIPE)
    _, error = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "epigraph" in error.splitlines()[-1]


def test_a_column_without_a_field_is_detected(tmp_path):
    code = (
        "from blogapi.articles.schemas import Article, ArticleBodySchema as body; "
        "print(*Article.__table__.c.keys(), '|', *body._declared_fields)"
    )
    output, _ = run_copy(copy_package(tmp_path, field=False), "-c", code).communicate(timeout=60)
    columns, _, fields = output.partition("|")
    assert unwritable_columns(columns.split(), fields.split()) == {"epigraph"}


def test_every_column_is_internal_or_a_field_of_the_body():
    assert unwritable_columns(Article.__table__.c.keys(), ArticleBodySchema._declared_fields) == set()
