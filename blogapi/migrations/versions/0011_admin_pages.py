"""Working copies, names of versions, disabled users, one-time links and import jobs, for the admin pages."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create the tables, and add the columns with values for existing rows."""
    op.create_table(
        "working_copy",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("base_version", sa.Integer(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_working_copy_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", name=op.f("pk_working_copy")),
    )
    op.create_table(
        "one_time_link",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=True),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.uuid"], name=op.f("fk_one_time_link_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_one_time_link")),
    )
    op.create_index(op.f("ix_one_time_link_account_id"), "one_time_link", ["account_id"], unique=False)
    op.create_index(op.f("ix_one_time_link_expires"), "one_time_link", ["expires"], unique=False)
    op.create_table(
        "import_job",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("stage", sa.String(length=32), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("trial_report", sa.String(), nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_import_job")),
    )
    op.create_index("ix_import_job_newest", "import_job", [sa.text("created DESC"), "uuid"], unique=False)
    # The tables are not created again (batch mode), because triggers belong to them.
    op.add_column("article_revision", sa.Column("name", sa.String(), server_default="", nullable=False))
    op.add_column("account", sa.Column("disabled", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("web_session", sa.Column("user_agent", sa.String(), server_default="", nullable=False))
    op.create_index("ix_article_changed", "article", [sa.text("last_updated DESC"), "uuid"], unique=False)
