"""The scope `published`, which anonymous keys get; owned keys keep theirs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

COLUMNS = "uuid, digest, prefix, name, owner_id, created, expires, last_used"


def upgrade() -> None:
    """Re-create the table: SQLite changes no constraint of one that exists."""
    op.execute("CREATE TABLE api_key_before AS SELECT * FROM api_key")
    op.drop_table("api_key")
    op.create_table(
        "api_key",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=True),
        sa.Column("last_used", sa.DateTime(), nullable=True),
        sa.CheckConstraint("scope IN ('published', 'read', 'write')", name=op.f("ck_api_key_scope")),
        sa.CheckConstraint("owner_id IS NOT NULL OR scope = 'published'", name=op.f("ck_api_key_anonymous")),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["account.uuid"], name=op.f("fk_api_key_owner_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_api_key")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_key_digest")),
    )
    op.create_index(op.f("ix_api_key_owner_id"), "api_key", ["owner_id"], unique=False)
    op.execute(
        f"INSERT INTO api_key ({COLUMNS}, scope) SELECT {COLUMNS}, "  # noqa: S608
        "CASE WHEN owner_id IS NULL THEN 'published' ELSE scope END FROM api_key_before"
    )
    op.drop_table("api_key_before")
