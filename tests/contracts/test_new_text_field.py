"""A new text field of articles needs its declaration and a migration, and everything else follows.

The tests copy the package, add the field `standfirst`, and run the tests of STANDFIRST on the copy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import blogapi
import tests
from blogapi.content.articles.fields import TEXT_NAMES
from blogapi.content.articles.models import DERIVED_COLUMNS, Article
from blogapi.storage.migration_names import list_migrations

pytestmark = pytest.mark.slow

STANDFIRST = ("contracts/standfirst.py", "admin/standfirst.py")
LAST = list_migrations()[-1]
NEXT = f"{int(LAST) + 1:04}"

DECLARATION = """    TextField(
        name="standfirst",
        label="Standfirst",
        body=Text(max_length=1000),
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
    *("published_at", "author_id", "category_id", "editor_id", "type", "parent_id", "position", "custom"),
    *(name for name in Article.__table__.c.keys() if name.startswith("seo_")),  # noqa: SIM118
}


def copy_package(folder, *, migration=True):
    """Copy the package and its tests into the folder, add the field, and return the folder."""
    for package in (blogapi, tests):
        source = Path(package.__path__[0])
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(tests.__path__[0]).parent / "setup.cfg", folder)
    fields = folder / "blogapi/content/articles/fields.py"
    source, start = fields.read_text(encoding="utf-8"), "TEXT_FIELDS = (\n"
    assert source.count(start) == 1
    fields.write_text(source.replace(start, start + DECLARATION), encoding="utf-8")
    if migration:
        (folder / f"blogapi/migrations/versions/{NEXT}_standfirst.py").write_text(MIGRATION, encoding="utf-8")
    return folder


def run_copy(folder, *arguments):
    """Start Python with the copied package in place of the original; return its exit status and output."""
    result = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"BLOGAPI_INSTANCE_PATH": str(folder / "instance"), "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    return result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize("path", STANDFIRST)
def test_a_declaration_and_a_migration_make_a_field(tmp_path, path):
    copy_package(tmp_path)
    options = ("-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'temp'}")
    status, output = run_copy(tmp_path, "-m", "pytest", *options, f"tests/{path}")
    assert status == 0, output


@pytest.mark.once
def test_a_start_without_the_migration_fails(tmp_path):
    copy_package(tmp_path, migration=False)
    status, output = run_copy(tmp_path, "-c", "import blogapi; blogapi.create_app()")
    assert status != 0
    assert "standfirst" in output.splitlines()[-1]


@pytest.mark.once
def test_every_text_column_is_declared():
    assert {*Article.__table__.c.keys()} - OTHER_COLUMNS == {*TEXT_NAMES}
