"""The HTML and the words of searches without compression."""

from __future__ import annotations

import shutil
import sqlite3
from collections import namedtuple
from contextlib import closing

import pytest

from blogapi.config import CannotStart
from blogapi.storage import integrity
from tests.migrations.test_landed import BLOGS

pytestmark = pytest.mark.sqlite("the compression of its words")


@pytest.fixture
def old_blog(instance):
    """The blog that was recorded before the migration; returns its file."""
    instance.mkdir()
    with closing(sqlite3.connect(instance / "blog.db")) as connection:
        integrity.define_sqlar_uncompress(connection)
        connection.executescript((BLOGS / "0033.sql").read_text(encoding="utf-8"))
    return instance / "blog.db"


def test_without_space_for_three_times_the_file_the_upgrade_does_not_begin(old_blog, make_app, monkeypatch):
    usage = namedtuple("usage", "total used free")
    size = old_blog.stat().st_size
    # The migration itself needs twice the file; the copy before the upgrade needs the file once more.
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, 3 * size - 1))
    with pytest.raises(CannotStart, match=r"The upgrade needs \d\.\d MB in .* MB free; nothing was changed"):
        make_app()
    with closing(sqlite3.connect(old_blog)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0033",)
    assert not list(old_blog.parent.glob("backups/*"))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(0, 0, 3 * size))
    make_app()


def test_html_that_cannot_be_read_is_rendered_again(old_blog, make_app):
    with closing(sqlite3.connect(old_blog)) as connection, connection:
        connection.execute("UPDATE article_json SET html_json = x'00'")
        count = connection.execute("SELECT count(*) FROM article").fetchone()[0]
    make_app()
    with closing(sqlite3.connect(old_blog)) as connection:
        stored = [row[0] for row in connection.execute("SELECT html FROM article")]
        assert len(stored) == count > 5 and not any("\0" in html for html in stored)
        assert sum(html.startswith("<") for html in stored) == 5
        # The index contains its words.
        connection.execute("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
        assert connection.execute("SELECT count(*) FROM search_index").fetchone() == (count,)
