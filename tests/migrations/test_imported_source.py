"""The migration that keeps the row of an imported file when its article is deleted."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import DateTime, Uuid, bindparam, create_engine, text

from blogapi import clock
from tests.migrations.alembic_runner import migrate_to


def test_imported_files_keep_their_rows_and_lose_the_link_to_the_article(databases, tmp_path):
    engine = create_engine(databases.create_empty(tmp_path))
    migrate_to(engine, "0004")
    now = clock.now().replace(tzinfo=None)
    uuids = {name: uuid4() for name in ("account", "category", "article")}
    types = [bindparam(name, type_=Uuid()) for name in uuids] + [bindparam("now", type_=DateTime())]
    with engine.begin() as connection:
        for sql in (
            "INSERT INTO account (uuid, username, role, created, last_updated) "
            "VALUES (:account, 'ada', 'admin', :now, :now)",
            "INSERT INTO category (uuid, owner_id, name, slug, cover_image, pieces, created, "
            "last_updated) VALUES (:category, :account, 'A', 'a', '', '', :now, :now)",
            "INSERT INTO article (uuid, author_id, editor_id, category_id, title, subtitle, slug, "
            "cover_image, content, content_type, status, version, was_public, slug_derived, created, "
            "last_updated) VALUES "
            "(:article, :account, :account, :category, 'A', '', 'a', '', '', 'text', 'draft', 1, false, "
            "true, :now, :now)",
            "INSERT INTO imported (key, article_id, digest, imported_at) "
            "VALUES ('a/b.md', :article, 'd', :now)",
        ):
            bound = [one for one in types if f":{one.key}" in sql]
            connection.execute(
                text(sql).bindparams(*bound), {one.key: uuids.get(one.key, now) for one in bound}
            )
    migrate_to(engine, "0005")
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM article"))
        columns = text("SELECT key, article_id, digest, source_digest, imported_at FROM imported").columns(
            article_id=Uuid(), imported_at=DateTime()
        )
        assert connection.execute(columns).all() == [("a/b.md", uuids["article"], "d", None, now)]
        names = engine.dialect.get_table_names(connection)
    assert [name for name in names if name.startswith("imported")] == ["imported"]
    engine.dispose()
