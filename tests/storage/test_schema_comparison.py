"""The comparison of a schema with the models finds each kind of difference, on both engines."""

from __future__ import annotations

import pytest

from blogapi.storage.database import Base, db
from blogapi.storage.schema_comparison import find_differences
from tests.databases import SERVER_URL

ON_BOTH = {
    "an unknown table": ("CREATE TABLE other (x integer)", "table other is unknown"),
    "a missing table": ("DROP TABLE preview", "table preview is missing"),
    "an unknown column": ("ALTER TABLE tag ADD COLUMN motto text", "table tag also has: motto text"),
    "a missing column": (
        "ALTER TABLE article DROP COLUMN seo_og_image",
        "table article lacks: seo_og_image ",
    ),
    "a default": ("ALTER TABLE tag RENAME COLUMN description TO parts", "table tag lacks: description "),
    "a view": ("CREATE VIEW other AS SELECT 1 AS x", "view other is unknown"),
    "an unknown index": ("CREATE INDEX other ON tag (name)", "index other is unknown"),
    "a missing index": ("DROP INDEX ix_event_due", "index ix_event_due is missing"),
    "a missing search index": ("DROP TABLE search_index", "table search_index is missing"),
}
# These statements need PostgreSQL. On SQLite, the test edits the SQL of a table instead.
ON_POSTGRESQL = {
    "a type": ("ALTER TABLE tag ALTER name TYPE text", "table tag lacks: name character varying NOT NULL"),
    "nullability": (
        "ALTER TABLE tag ALTER name DROP NOT NULL",
        "table tag also has: name character varying",
    ),
    "another default": (
        "ALTER TABLE tag ALTER description SET DEFAULT 'x'",
        "table tag also has: description ",
    ),
    "a primary key": (
        "ALTER TABLE former_slug DROP CONSTRAINT pk_former_slug",
        "table former_slug lacks: CONSTRAINT pk_former_slug PRIMARY KEY",
    ),
    "a unique constraint": (
        "ALTER TABLE tag DROP CONSTRAINT uq_tag_slug",
        "table tag lacks: CONSTRAINT uq_tag_slug",
    ),
    "a foreign key": (
        "ALTER TABLE former_slug DROP CONSTRAINT fk_former_slug_article_id",
        "table former_slug lacks: CONSTRAINT fk_former_slug_art",
    ),
    "a check": (
        "ALTER TABLE article DROP CONSTRAINT ck_article_status",
        "table article lacks: CONSTRAINT ck_article",
    ),
    "the order of an index": (
        "DROP INDEX ix_article_visible; CREATE INDEX ix_article_visible ON article (status, published_at)",
        "index ix_article_visible lacks: CREATE INDEX",
    ),
    "a trigger": (
        "CREATE TRIGGER other BEFORE UPDATE ON tag "
        "FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "trigger other is unknown",
    ),
    "the index of the search": (
        "DROP INDEX ix_search_index_vector",
        "index ix_search_index_vector is missing",
    ),
    "a sequence": ("CREATE SEQUENCE other", "sequence other is unknown"),
}
ON_SQLITE = {
    "a type": ("name VARCHAR", "name TEXT", "table tag lacks: name VARCHAR NOT NULL"),
    "nullability": ("name VARCHAR NOT NULL", "name VARCHAR", "table tag also has: name VARCHAR"),
    "another default": (
        "DEFAULT ''",
        "DEFAULT 'x'",
        "table tag also has: description VARCHAR DEFAULT 'x' NOT NULL",
    ),
    "a collation": ("name VARCHAR", "name VARCHAR COLLATE NOCASE", "table tag lacks: name"),
    "a primary key": ("PRIMARY KEY (uuid)", "PRIMARY KEY (uuid, name)", "table tag lacks: CONSTRAINT pk_tag"),
    "a unique constraint": (
        "UNIQUE (slug)",
        "UNIQUE (slug, name)",
        "table tag lacks: CONSTRAINT uq_tag_slug",
    ),
    "a foreign key": ("(uuid)", "(uuid) ON DELETE CASCADE", "table tag lacks: CONSTRAINT fk_tag_owner_id"),
    "a check": ("\n)", ", CHECK (name = 'x'))", "table tag also has: CHECK ( name = 'x' )"),
    "a table option": ("\n)", "\n) WITHOUT ROWID", "table tag also has: WITHOUT ROWID"),
}


@pytest.fixture
def compare(app):
    """Runs the statements, returns the differences and rolls back."""

    def compare(*statements: str) -> list[str]:
        with app.app_context(), db.engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
            found = find_differences(connection, Base.metadata)
            connection.rollback()
            return found

    return compare


def test_a_new_database_has_the_schema_of_the_models(compare):
    assert compare() == []
    # The comparison changes nothing.
    assert compare() == []


@pytest.mark.parametrize(("statement", "says"), ON_BOTH.values(), ids=ON_BOTH)
def test_a_difference_is_found(compare, statement, says):
    assert any(one.startswith(says) for one in compare(statement))


@pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")
@pytest.mark.parametrize(("statement", "says"), ON_POSTGRESQL.values(), ids=ON_POSTGRESQL)
def test_a_difference_on_postgresql_is_found(compare, statement, says):
    assert any(one.startswith(says) for one in compare(statement))


@pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")
def test_the_objects_of_extensions_are_ignored(compare):
    assert compare("CREATE EXTENSION pg_stat_statements") == []


@pytest.mark.sqlite("edits the SQL of a table")
@pytest.mark.parametrize(("old", "new", "says"), ON_SQLITE.values(), ids=ON_SQLITE)
def test_a_difference_in_the_sql_of_a_table_is_found(compare, old, new, says):
    quoted = (part.replace("'", "''").replace("\n", "' || char(10) || '") for part in (old, new))
    replaced = "replace(sql, '{}', '{}')".format(*quoted)
    edit = f"UPDATE sqlite_master SET sql = {replaced} WHERE name = 'tag'"  # noqa: S608
    found = compare("PRAGMA writable_schema=ON", edit, "PRAGMA writable_schema=OFF")
    assert any(one.startswith(says) for one in found), found


@pytest.mark.sqlite("its triggers and virtual tables")
@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (
            ["CREATE TRIGGER other AFTER INSERT ON tag BEGIN DELETE FROM account; END"],
            "trigger other is unknown",
        ),
        (["DROP TRIGGER search_entry_gone"], "trigger search_entry_gone is missing"),
        (
            [
                "DROP TRIGGER search_entry_gone",
                "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry BEGIN DELETE FROM tag; END",
            ],
            "trigger search_entry_gone also has: CREATE TRIGGER search_entry_gone AFTER DELETE",
        ),
        (
            [
                "DROP TABLE search_index",
                "CREATE VIRTUAL TABLE search_index USING fts5(title, subtitle, text)",
            ],
            "table search_index lacks: CREATE VIRTUAL TABLE search_index USING fts5",
        ),
        (["CREATE VIRTUAL TABLE other USING fts5(x)"], "table other is unknown"),
        (
            [
                "DROP INDEX ix_article_visible",
                "CREATE INDEX ix_article_visible ON article (status, published_at, uuid)",
            ],
            "index ix_article_visible lacks: CREATE INDEX ix_article_visible ON article ( status ,",
        ),
    ],
)
def test_a_difference_in_triggers_and_virtual_tables_is_found(compare, statements, says):
    assert any(one.startswith(says) for one in compare(*statements))


@pytest.mark.sqlite("its statistics")
def test_the_statistics_of_analyze_are_ignored(compare):
    assert compare("ANALYZE") == []


@pytest.mark.sqlite("Litestream replicates SQLite files")
def test_the_tables_of_litestream_are_ignored(compare):
    statements = (
        "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
        "CREATE TABLE _litestream_lock (id INTEGER)",
        "CREATE TABLE _litestream_other (id INTEGER)",
    )
    assert compare(*statements) == ["table _litestream_other is unknown"]
