"""Descriptions of tags, covers and the SEO data of all terms, and the parents of categories."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

SEO = ("seo_title", "seo_description", "og_image", "canonical_url")
COLUMNS = {"category": SEO, "tag": ("description", "cover_image", *SEO), "author": ("cover_image", *SEO)}


def upgrade() -> None:
    """Add the columns, and the index of the children of a category."""
    for table, names in COLUMNS.items():
        for name in names:
            op.add_column(table, sa.Column(name, sa.String(), nullable=False, server_default=""))
    op.add_column("category", sa.Column("parent_id", sa.Uuid(), nullable=True))
    op.create_index("ix_category_parent_id", "category", ["parent_id"])
