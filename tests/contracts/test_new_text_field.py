"""A new text field of articles needs its declaration and a migration, and everything else follows.

The tests copy the package, add the field `standfirst`, and run the tests of STANDFIRST on the copy.
"""

from __future__ import annotations

import pytest

from blogapi.content.articles.fields import TEXT_NAMES
from blogapi.content.articles.models import DERIVED_COLUMNS, Article
from tests.contracts.package_copy import LAST, NEXT, copy_package, run_copy

pytestmark = pytest.mark.slow

STANDFIRST = ("contracts/standfirst.py", "admin/standfirst.py")

DECLARATION = """    TextField(
        name="standfirst",
        label="Standfirst",
        input=Text(max_length=1000),
        is_searched=True,
        is_previewed=True,
    ),
"""
MIGRATION = f'''"""Standfirsts of articles."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{LAST}"


def upgrade() -> None:
    op.add_column("article", sa.Column("standfirst", sa.String(), nullable=False, server_default=""))
'''

# These columns of an article are set by the service or the database, or are no texts.
OTHER_COLUMNS = DERIVED_COLUMNS | {
    *("uuid", "created", "last_updated", "version", "was_public", "slug_derived", "slug", "status"),
    *(
        "published_at",
        "author_id",
        "key_name",
        "category_id",
        "editor_id",
        "type",
        "parent_id",
        "position",
        "custom",
    ),
    *(name for name in Article.__table__.c.keys() if name.startswith("seo_")),  # noqa: SIM118
}


def copy_with_field(folder, *, migration=True):
    """Copy the package and its tests into the folder, add the field, and return the folder."""
    copy_package(folder)
    fields = folder / "blogapi/content/articles/fields.py"
    source, start = fields.read_text(encoding="utf-8"), "TEXT_FIELDS = (\n"
    assert source.count(start) == 1
    fields.write_text(source.replace(start, start + DECLARATION), encoding="utf-8")
    if migration:
        (folder / f"blogapi/migrations/versions/{NEXT}_standfirst.py").write_text(MIGRATION, encoding="utf-8")
    return folder


@pytest.mark.parametrize("path", STANDFIRST)
def test_a_declaration_and_a_migration_make_a_field(tmp_path, path):
    copy_with_field(tmp_path)
    options = ("-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'temp'}")
    status, output = run_copy(tmp_path, "-m", "pytest", *options, f"tests/{path}")
    assert status == 0, output


@pytest.mark.once
def test_a_start_without_the_migration_fails(tmp_path):
    copy_with_field(tmp_path, migration=False)
    status, output = run_copy(tmp_path, "-c", "import blogapi; blogapi.create_app()")
    assert status != 0
    assert "standfirst" in output.splitlines()[-1]


@pytest.mark.once
def test_every_text_column_is_declared():
    assert {*Article.__table__.c.keys()} - OTHER_COLUMNS == {*TEXT_NAMES}
