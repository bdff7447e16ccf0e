"""The media library: files, renditions of images, what uses them, and the paths of imported pictures."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables, and render all articles again, because their JSON has a new field."""
    op.create_table(
        "media",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("upload_hash", sa.String(length=64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("alt", sa.String(), nullable=False),
        sa.Column("caption", sa.String(), nullable=False),
        sa.Column("unused_since", sa.DateTime(), nullable=True),
        sa.Column("pieces", sa.String(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_media")),
        sa.UniqueConstraint("hash", name=op.f("uq_media_hash")),
    )
    op.create_index(op.f("ix_media_upload_hash"), "media", ["upload_hash"], unique=False)
    op.create_index("ix_media_newest", "media", [sa.text("created DESC"), "uuid"], unique=False)
    op.create_index("ix_media_unused", "media", ["unused_since", "uuid"], unique=False)
    op.create_table(
        "media_rendition",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("width", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["media_id"], ["media.uuid"], name=op.f("fk_media_rendition_media_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("media_id", "width", name=op.f("pk_media_rendition")),
    )
    op.create_index(op.f("ix_media_rendition_hash"), "media_rendition", ["hash"], unique=False)
    op.create_table(
        "media_use",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["media_id"], ["media.uuid"], name=op.f("fk_media_use_media_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("media_id", "kind", "item_id", name=op.f("pk_media_use")),
    )
    op.create_index("ix_media_use_item", "media_use", ["kind", "item_id"], unique=False)
    op.create_table(
        "media_path",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["media_id"], ["media.uuid"], name=op.f("fk_media_path_media_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", "path", name=op.f("pk_media_path")),
    )
    op.create_index(op.f("ix_media_path_media_id"), "media_path", ["media_id"], unique=False)
    op.execute("UPDATE article_tally SET renderer = ''")
