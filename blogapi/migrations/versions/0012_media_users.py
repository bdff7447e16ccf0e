"""Who uploaded a file of the media library, and the former hashes of replaced files."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column, which is null for existing files, and create the table."""
    # SQLite can only add a foreign key together with its column, and Alembic would not name it.
    type = sa.Uuid().compile(op.get_bind().dialect)
    op.execute(
        f"ALTER TABLE media ADD COLUMN account_id {type} "
        "CONSTRAINT fk_media_account_id REFERENCES account (uuid) ON DELETE SET NULL"
    )
    op.create_index(op.f("ix_media_account_id"), "media", ["account_id"], unique=False)
    op.create_table(
        "media_former_hash",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["media_id"], ["media.uuid"], name=op.f("fk_media_former_hash_media_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_media_former_hash")),
    )
    op.create_index(op.f("ix_media_former_hash_media_id"), "media_former_hash", ["media_id"], unique=False)
