"""What differs between a schema and the models: each kind of thing is seen, on both engines."""

from __future__ import annotations

import pytest

from blogapi.storage.database import Base, db
from blogapi.storage.schema_comparison import find_differences
from tests.engines import SERVER

EITHER = {
    "a table more": ("CREATE TABLE other (x integer)", "table other is unknown"),
    "a table less": ("DROP TABLE preview", "table preview is missing"),
    "a column more": ("ALTER TABLE tag ADD COLUMN motto text", "table tag also has: motto text"),
    "a column less": ("ALTER TABLE seo DROP COLUMN og_image", "table seo lacks: og_image "),
    "a default": ("ALTER TABLE tag RENAME COLUMN pieces TO parts", "table tag lacks: pieces "),
    "a view": ("CREATE VIEW other AS SELECT 1 AS x", "view other is unknown"),
    "an index more": ("CREATE INDEX other ON tag (name)", "index other is unknown"),
    "an index less": ("DROP INDEX ix_change_due", "index ix_change_due is missing"),
    "a table in the place of the search index": ("DROP TABLE search_index", "table search_index is missing"),
}
# Statements of PostgreSQL; on SQLite the text of a table is exchanged.
SERVERS = {
    "a type": ("ALTER TABLE tag ALTER name TYPE text", "table tag lacks: name character varying NOT NULL"),
    "nullability": (
        "ALTER TABLE tag ALTER name DROP NOT NULL",
        "table tag also has: name character varying",
    ),
    "another default": ("ALTER TABLE tag ALTER pieces SET DEFAULT 'x'", "table tag also has: pieces "),
    "a primary key": (
        "ALTER TABLE former_slug DROP CONSTRAINT pk_former_slug",
        "table former_slug lacks: CONSTRAINT pk_former_slug PRIMARY KEY",
    ),
    "a unique constraint": (
        "ALTER TABLE tag DROP CONSTRAINT uq_tag_slug",
        "table tag lacks: CONSTRAINT uq_tag_slug",
    ),
    "a foreign key": (
        "ALTER TABLE seo DROP CONSTRAINT fk_seo_article_id",
        "table seo lacks: CONSTRAINT fk_seo_art",
    ),
    "a check": (
        "ALTER TABLE article DROP CONSTRAINT ck_article_status",
        "table article lacks: CONSTRAINT ck_article",
    ),
    "an order": (
        "DROP INDEX ix_article_visible; CREATE INDEX ix_article_visible ON article (status, published_at)",
        "index ix_article_visible lacks: CREATE INDEX",
    ),
    "a trigger": (
        "CREATE TRIGGER other BEFORE UPDATE ON tag "
        "FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "trigger other is unknown",
    ),
    "an index of the search": (
        "DROP INDEX ix_search_index_vector",
        "index ix_search_index_vector is missing",
    ),
    "a sequence": ("CREATE SEQUENCE other", "sequence other is unknown"),
}
FILES = {
    "a type": ("name VARCHAR", "name TEXT", "table tag lacks: name VARCHAR NOT NULL"),
    "nullability": ("name VARCHAR NOT NULL", "name VARCHAR", "table tag also has: name VARCHAR"),
    "another default": (
        "DEFAULT ''",
        "DEFAULT 'x'",
        "table tag also has: pieces VARCHAR DEFAULT 'x' NOT NULL",
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
    "what stands behind": ("\n)", "\n) WITHOUT ROWID", "table tag also has: WITHOUT ROWID"),
}


@pytest.fixture
def compare(app):
    """Tells what differs after the statements, which are rolled back."""

    def tell(*statements: str) -> list[str]:
        with app.app_context(), db.engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
            found = find_differences(connection, Base.metadata)
            connection.rollback()
            return found

    return tell


def test_a_blog_of_this_version_has_the_schema_of_the_models(compare):
    assert compare() == []
    # And the comparison left nothing behind.
    assert compare() == []


@pytest.mark.parametrize(("statement", "says"), EITHER.values(), ids=EITHER)
def test_what_differs_is_told(compare, statement, says):
    assert any(one.startswith(says) for one in compare(statement))


@pytest.mark.skipif(not SERVER, reason="BLOGAPI_TEST_DATABASE_URL names no server")
@pytest.mark.parametrize(("statement", "says"), SERVERS.values(), ids=SERVERS)
def test_what_differs_on_a_server_is_told(compare, statement, says):
    assert any(one.startswith(says) for one in compare(statement))


@pytest.mark.skipif(not SERVER, reason="BLOGAPI_TEST_DATABASE_URL names no server")
def test_what_belongs_to_an_extension_does_not_count(compare):
    assert compare("CREATE EXTENSION pg_stat_statements") == []


@pytest.mark.sqlite("exchanges the text of a table")
@pytest.mark.parametrize(("old", "new", "says"), FILES.values(), ids=FILES)
def test_what_differs_in_a_file_is_told(compare, old, new, says):
    quoted = (part.replace("'", "''").replace("\n", "' || char(10) || '") for part in (old, new))
    replaced = "replace(sql, '{}', '{}')".format(*quoted)
    exchange = f"UPDATE sqlite_master SET sql = {replaced} WHERE name = 'tag'"  # noqa: S608
    found = compare("PRAGMA writable_schema=ON", exchange, "PRAGMA writable_schema=OFF")
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
def test_what_differs_in_triggers_and_virtual_tables_is_told(compare, statements, says):
    assert any(one.startswith(says) for one in compare(*statements))


@pytest.mark.sqlite("its statistics")
def test_what_sqlite_counts_for_itself_does_not_count(compare):
    assert compare("ANALYZE") == []
