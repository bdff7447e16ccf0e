"""Compressed HTML, and a search index without a copy of the texts."""

import zlib

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

ROWS = 500

ADD = (
    "INSERT INTO search_index (rowid, title_words, subtitle_words, text_words) VALUES (new.number, "
    "new.title_words, new.subtitle_words, CAST(sqlar_uncompress(new.text_words, new.text_size) AS TEXT))"
)
REMOVE = (
    "INSERT INTO search_index (search_index, rowid, title_words, subtitle_words, text_words) "
    "VALUES ('delete', old.number, old.title_words, old.subtitle_words, "
    "CAST(sqlar_uncompress(old.text_words, old.text_size) AS TEXT))"
)
SQLITE = (
    "CREATE VIEW search_content AS SELECT number, title_words, subtitle_words, "
    "CAST(sqlar_uncompress(text_words, text_size) AS TEXT) AS text_words FROM search_words",
    "CREATE VIRTUAL TABLE search_index USING fts5(title_words, subtitle_words, text_words, "
    "content = 'search_content', content_rowid = 'number', "
    "tokenize = \"ascii tokenchars '.+#'\", prefix = '2 3')",
    "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry "
    "BEGIN DELETE FROM search_words WHERE number = old.number; END",
    f"CREATE TRIGGER search_words_added AFTER INSERT ON search_words BEGIN {ADD}; END",
    f"CREATE TRIGGER search_words_changed AFTER UPDATE ON search_words BEGIN {REMOVE}; {ADD}; END",
    f"CREATE TRIGGER search_words_gone AFTER DELETE ON search_words BEGIN {REMOVE}; END",
)


def upgrade() -> None:
    """Compress the stored HTML, and move the indexed words; nothing is rendered again."""
    connection = op.get_bind()
    _compress_html(connection)
    if connection.dialect.name == "sqlite":
        _move_words(connection)
    else:
        for name in ("title", "subtitle", "text"):
            op.drop_column("search_index", name)


def _compress_html(connection: sa.Connection) -> None:
    select = (
        "SELECT article_id, content, html_json FROM article_json JOIN article ON uuid = article_id "
        "WHERE article_id > :last ORDER BY article_id LIMIT :rows"
    )
    columns = {"article_id": sa.Uuid, "content": sa.String, "html_json": sa.LargeBinary}
    statement = sa.text(select).columns(**columns).bindparams(sa.bindparam("last", type_=sa.Uuid))
    update = sa.text("UPDATE article_json SET html_json = :html WHERE article_id = :key").bindparams(
        sa.bindparam("key", type_=sa.Uuid), sa.bindparam("html", type_=sa.LargeBinary)
    )
    last = sa.Uuid().python_type(int=0)
    while rows := connection.execute(statement, {"last": last, "rows": ROWS}).all():
        changes = [{"key": row.article_id, "html": _compress(row.html_json, row.content)} for row in rows]
        connection.execute(update, changes)
        last = rows[-1].article_id


def _compress(html: bytes, content: str) -> bytes:
    compressor = zlib.compressobj(zdict=content.encode())
    return compressor.compress(html or b"") + compressor.flush()


def _move_words(connection: sa.Connection) -> None:
    connection.exec_driver_sql(
        "CREATE TABLE search_words ("
        "number BIGINT PRIMARY KEY, title_words TEXT NOT NULL, subtitle_words TEXT NOT NULL, "
        "text_words BLOB NOT NULL, text_size INTEGER NOT NULL)"
    )
    words = connection.exec_driver_sql(
        "SELECT number, title_words, subtitle_words, text_words FROM search_entry "
        "JOIN search_index ON search_index.rowid = number"
    )
    for rows in words.partitions(ROWS):
        connection.exec_driver_sql(
            "INSERT INTO search_words VALUES (?, ?, ?, ?, ?)",
            [(number, title, subtitle, *_pack(text)) for number, title, subtitle, text in rows],
        )
    connection.exec_driver_sql("DROP TRIGGER search_entry_gone")
    connection.exec_driver_sql("DROP TABLE search_index")
    for statement in SQLITE:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql("INSERT INTO search_index (search_index) VALUES ('rebuild')")


def _pack(text: str) -> tuple[bytes, int]:
    plain = text.encode()
    compressed = zlib.compress(plain)
    return (compressed if len(compressed) < len(plain) else plain), len(plain)
