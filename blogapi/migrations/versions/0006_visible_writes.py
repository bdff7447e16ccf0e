"""The counter of visible writes, with its triggers, and the epoch of the database."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

ANY = {"INSERT": "", "UPDATE": "", "DELETE": ""}
PUBLISHED = {
    "INSERT": "NEW.status = 'published'",
    "UPDATE": "OLD.status = 'published' OR NEW.status = 'published'",
    "DELETE": "OLD.status = 'published'",
}
EARLIER = "NEW.expires IS NOT NULL AND (OLD.expires IS NULL OR NEW.expires < OLD.expires)"
OF_PUBLISHED = "EXISTS (SELECT 1 FROM article WHERE uuid = {}.article_id AND status = 'published')"
TRIGGERS = {
    "account": ANY,
    "api_key": {"UPDATE OF digest, owner_id, scope": "", "UPDATE OF expires": EARLIER, "DELETE": ""},
    "category": ANY,
    "tag": ANY,
    "former_slug": ANY,
    "article": PUBLISHED,
    "article_pieces": PUBLISHED,
    "article_tally": {"UPDATE": "OLD.published <> NEW.published OR OLD.renderer <> NEW.renderer"},
    "change_counter": {"UPDATE": "OLD.public_position <> NEW.public_position"},
}
SQLITE_TRIGGERS = {
    "article_tag": {
        "INSERT": OF_PUBLISHED.format("NEW"),
        "UPDATE": OF_PUBLISHED.format("NEW"),
        "DELETE": OF_PUBLISHED.format("OLD"),
    }
}
SQLITE = "CREATE TRIGGER {} AFTER {} ON {}{} BEGIN UPDATE revision SET visible = visible + 1; END"
POSTGRESQL = "CREATE TRIGGER {} AFTER {} ON {} FOR EACH ROW{} EXECUTE FUNCTION count_visible_write()"

# One update per transaction is enough. The name of the schema is explicit, because pg_restore sets an empty
# search path.
FUNCTION = """
CREATE FUNCTION count_visible_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('blogapi.counted', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
    EXECUTE concat('UPDATE ', quote_ident(TG_TABLE_SCHEMA), '.revision SET visible = visible + 1');
    PERFORM set_config('blogapi.counted', pg_current_xact_id()::text, true);
  END IF;
  RETURN NULL;
END
$$
"""

# A promoted server has another timeline, a restored database another OID and another file. Some providers
# restrict the first two functions, and a server in recovery has no current position.
IDENTITY = """
CREATE FUNCTION database_identity() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  tables text := concat_ws('/', (SELECT oid FROM pg_database WHERE datname = current_database()),
    pg_relation_filenode('revision'));
BEGIN
  RETURN concat_ws('/', tables, (SELECT system_identifier FROM pg_control_system()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8));
EXCEPTION WHEN OTHERS THEN
  RETURN tables;
END
$$
"""


def upgrade() -> None:
    """Re-create the table, because SQLite adds no NOT NULL column without a default; create the triggers."""
    connection = op.get_bind()
    commits = connection.scalar(sa.text("SELECT commits FROM revision"))
    op.drop_table("revision")
    created = op.create_table(
        "revision",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("commits", sa.Integer(), nullable=False),
        sa.Column("visible", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.String(length=16), nullable=False),
        sa.Column("identity", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_revision")),
    )
    row = {"number": 1, "commits": commits, "visible": 0, "epoch": secrets.token_hex(4), "identity": ""}
    op.bulk_insert(created, [row])
    sqlite = connection.dialect.name == "sqlite"
    if not sqlite:
        connection.exec_driver_sql(FUNCTION)
        connection.exec_driver_sql(IDENTITY)
    for table, conditions in (TRIGGERS | SQLITE_TRIGGERS if sqlite else TRIGGERS).items():
        for operation, condition in conditions.items():
            columns = operation.lower().replace(" of ", "_").replace(", ", "_")
            name = f"{table}_{columns}_visible"
            when = f" WHEN ({condition})" if condition else ""
            template = SQLITE if sqlite else POSTGRESQL
            connection.exec_driver_sql(template.format(name, operation, table, when))
