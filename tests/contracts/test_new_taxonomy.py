"""A new taxonomy, made as CONTRIBUTING describes, has its views, is counted, merged and exported.

The tests copy the package, add the taxonomy `places`, and run a script on the copy.
"""

from __future__ import annotations

import re

import pytest

from tests.contracts.package_copy import LAST, NEXT, copy_package, run_copy

pytestmark = [pytest.mark.slow, pytest.mark.once]

LINKS = '''

class ArticlePlace(Base):
    """A place of an article."""

    __tablename__ = "article_place"

    article_id: Mapped[UUID] = mapped_column(ForeignKey("article.uuid", ondelete="CASCADE"), primary_key=True)
    place_id: Mapped[UUID] = mapped_column(ForeignKey("place.uuid", ondelete="CASCADE"), primary_key=True)
    listed_from: Mapped[datetime | None]
'''
MIGRATION = f'''"""Places."""

import sqlalchemy as sa
from alembic import op

from blogapi.storage.database import Base

revision = "{NEXT}"
down_revision = "{LAST}"


def upgrade() -> None:
    for name in ("place", "article_place"):
        Base.metadata.tables[name].create(op.get_bind())
    column = sa.Column("place_path", sa.String(), nullable=False, server_default="/place/{{slug}}/")
    op.add_column("site", column)
'''
BLUEPRINT = """    build_blueprint(
        PLACES, lambda uuid: JsonBody(b"[]"), counts.make_article_counter(PLACES), merge_terms
    ),
"""
# Each edit of the recipe: a file, the line before which the text comes, and the text.
EDITS = [
    ("content/articles/models.py", "#: The models of the links", LINKS.lstrip() + "\n\n"),
    ("content/dependencies.py", "from blogapi.content.taxonomies.tags", "from {places} import PLACES\n"),
    ("blueprints.py", "from blogapi.content.taxonomies.tags", "from {places} import PLACES\n"),
    ("blueprints.py", "from blogapi.web.metrics", "from blogapi.web.json import JsonBody\n"),
    ("blueprints.py", "    build_blueprint(CATEGORIES", BLUEPRINT),
    (
        "publication/kinds.py",
        "    # An author is public",
        '    ItemKind(name="place", plural="places", events=_TERM_EVENTS, is_term=True),\n',
    ),
    (
        "site/models.py",
        "    tag_path:",
        '    place_path: Mapped[str] = mapped_column(server_default="/place/{{slug}}/")\n',
    ),
    (
        "site/schemas.py",
        "    tag_path = PathPattern",
        '    place_path = PathPattern(TERM_PLACEHOLDERS, example="/place/{{slug}}/")\n',
    ),
    ("exporting/snapshot.py", "from blogapi.content.taxonomies.tags", "from {places} import Place\n"),
    ("exporting/snapshot.py", "    authors: Sequence[Item]", "    places: Sequence[Item]\n"),
    ("exporting/snapshot.py", "        _read_terms(Author", "        _read_terms(Place),\n"),
]
SCRIPT = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import blogapi
from blogapi.accounts.users import service as users
from blogapi.content.articles.models import Article, ArticlePlace
from blogapi.exporting import layouts, service as exports
from blogapi.storage.database import db, transaction

app = blogapi.create_app({"SECRET_KEY": "test"})
with app.app_context():
    users.create_user("ada", "a long password", role="admin")
client = app.test_client()
client.post("/api/v1/auth/login/", json={"username": "ada", "password": "a long password"})
PLACES = "/api/v1/blog/places/"


def post(path, **body):
    response = client.post(path, json=body)
    assert response.status_code in (200, 201), response.text
    return response.json


first, second, third = (post(PLACES, name=name, description="A place.") for name in ("Bath", "York", "Hull"))
articles = [post("/api/v1/blog/articles/", title=title, status="published") for title in ("One", "Two")]
with app.app_context(), transaction():
    # Both articles are in York, and the first one is in Bath too.
    for place, article in ((second, 0), (second, 1), (first, 0)):
        db.session.add(ArticlePlace(
            article_id=UUID(articles[article]["uuid"]), place_id=UUID(place["uuid"]),
            listed_from=datetime(2026, 1, 1, tzinfo=UTC),
        ))
merged = post(f"{PLACES}{first['uuid']}/merge/?fields=name,articles_count", uuids=[second["uuid"]])
assert merged == {"name": "Bath", "articles_count": 2}, merged
unused = client.get(f"{PLACES}?used=never").json
assert [place["name"] for place in unused] == ["Hull"], unused
assert client.get(f"{PLACES}{first['uuid']}/?fields=articles_by_status").json == {
    "articles_by_status": {"published": 2}
}
with app.app_context():
    exports.write_export(Path(sys.argv[1]), layouts.LAYOUTS["default"], drafts=True)
text = Path(sys.argv[1], "places.yaml").read_text(encoding="utf-8")
assert "name: Bath" in text and "name: Hull" in text and "description: A place." in text, text
"""


def add_taxonomy(folder, *, field=""):
    """Copy the package into the folder, and add the taxonomy as CONTRIBUTING describes."""
    package = copy_package(folder) / "blogapi"
    taxonomies = package / "content/taxonomies"
    source = (taxonomies / "tags.py").read_text(encoding="utf-8")
    for name in ("tag", "Tag", "TAG"):
        source = source.replace(name, {"tag": "place", "Tag": "Place", "TAG": "PLACE"}[name])
    source = re.sub(r"    \w+_section=.*\n", "", source)
    body = "    description = Text(max_length=10_000)\n"
    (taxonomies / "places.py").write_text(source.replace(body, body + field), encoding="utf-8")
    for name, line, text in EDITS:
        path = package / name
        source = path.read_text(encoding="utf-8")
        assert source.count(f"\n{line}") == 1, (name, line)
        added = text.format(places="blogapi.content.taxonomies.places")
        path.write_text(source.replace(f"\n{line}", f"\n{added}{line}"), encoding="utf-8")
    path = package / "content/dependencies.py"
    source = path.read_text(encoding="utf-8")
    path.write_text(source.replace("CATEGORIES, TAGS)", "CATEGORIES, TAGS, PLACES)"), encoding="utf-8")
    migration = package / f"migrations/versions/{NEXT}_places.py"
    migration.write_text(MIGRATION, encoding="utf-8")
    return folder


def test_a_taxonomy_of_the_recipe_is_counted_merged_and_exported(tmp_path):
    add_taxonomy(tmp_path)
    status, output = run_copy(tmp_path, "-c", SCRIPT, tmp_path / "export")
    assert status == 0, output


def test_a_field_without_a_column_is_refused_at_the_start(tmp_path):
    add_taxonomy(tmp_path, field="    altitude = Text(max_length=10)\n")
    status, output = run_copy(tmp_path, "-c", "import blogapi; blogapi.create_app()")
    assert status != 0
    assert output.splitlines()[-1] == "ValueError: Fields of places have no column: altitude."
