"""The redirects that admins set."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "redirect",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.CheckConstraint("status IN (301, 302, 410)", name=op.f("ck_redirect_status")),
        sa.CheckConstraint("(status = 410) = (target = '')", name=op.f("ck_redirect_target")),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_redirect")),
        sa.UniqueConstraint("path", name=op.f("uq_redirect_path")),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.create_index("ix_redirect_order", "redirect", [sa.text('(path COLLATE "C")')])
