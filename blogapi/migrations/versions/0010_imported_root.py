"""The folder from which a file was imported, so that files of two blogs with equal names are told apart."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column; it is filled by the next import of each file."""
    op.add_column("imported", sa.Column("root", sa.Text(), nullable=True))
