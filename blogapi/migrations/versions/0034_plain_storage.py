"""The HTML of articles and the words of the search index without compression."""

import logging
import shutil
import sqlite3
import zlib
from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

_BATCH_SIZE = 500
_SELECT = sa.text(
    "SELECT article_id, html_json, content FROM article_json JOIN article ON uuid = article_id "
    "WHERE article_id > :last ORDER BY article_id LIMIT :limit"
)
_UPDATE = sa.text("UPDATE article_json SET html_json = :html WHERE article_id = :uuid")


def upgrade() -> None:
    """Store the HTML and the words as they are; HTML that cannot be read stays for `doctor`."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    if is_sqlite:
        check_disk(connection)
    # The text forms of the uuids sort like the uuids.
    last = "" if is_sqlite else "00000000-0000-0000-0000-000000000000"
    while rows := connection.execute(_SELECT, {"last": last, "limit": _BATCH_SIZE}).all():
        last = rows[-1].article_id
        for uuid, html, content in rows:
            plain = decompress(html, content)
            if plain is not None:
                connection.execute(_UPDATE, {"html": plain, "uuid": uuid})
    if is_sqlite:
        store_words()


def check_disk(connection: sa.Connection) -> None:
    """Say how much disk space the migration needs; raise OperationalError if there is less."""
    path = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE name = 'main'").scalar()
    if not path:
        return
    needed, free = 2 * Path(path).stat().st_size, shutil.disk_usage(Path(path).parent).free
    says = f"storing the HTML without compression needs up to {needed // 1_000_000 + 1} MB of free disk space"
    if free < needed:
        raise sqlite3.OperationalError(f"{says}, and {free // 1_000_000} MB are free")
    if needed > 100_000_000:
        logging.getLogger("blogapi").warning("Upgrading: %s and about 3 ms for each article.", says)


def decompress(html: bytes | None, content: str) -> bytes | None:
    """Return the HTML that was compressed with the content as dictionary; None if it cannot be read."""
    try:
        return zlib.decompressobj(zdict=content.encode()).decompress(bytes(html or b"")) or None
    except (zlib.error, TypeError):
        return None


def store_words() -> None:
    """Store the words in the index itself, in place of a table, a view and three triggers."""
    for name in ("search_words_added", "search_words_changed", "search_words_gone", "search_entry_gone"):
        op.execute(f"DROP TRIGGER {name}")
    op.execute("CREATE TABLE plain_words AS SELECT * FROM search_content ORDER BY number")
    op.execute("DROP TABLE search_index")
    op.execute("DROP VIEW search_content")
    op.execute("DROP TABLE search_words")
    op.execute(
        "CREATE VIRTUAL TABLE search_index USING fts5(title_words, subtitle_words, text_words, "
        "tokenize = \"ascii tokenchars '.+#'\", prefix = '2 3')"
    )
    op.execute(
        "INSERT INTO search_index (rowid, title_words, subtitle_words, text_words) SELECT * FROM plain_words"
    )
    op.execute("DROP TABLE plain_words")
    op.execute(
        "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry "
        "BEGIN DELETE FROM search_index WHERE rowid = old.number; END"
    )
