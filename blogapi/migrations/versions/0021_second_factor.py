"""Second factors, invitations, e-mail addresses, and when logins were used."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Create the table, and add the columns with values for existing rows."""
    type = sa.Uuid().compile(op.get_bind().dialect)
    op.create_table(
        "recovery_code",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.uuid"], name=op.f("fk_recovery_code_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_recovery_code")),
    )
    op.create_index(op.f("ix_recovery_code_account_id"), "recovery_code", ["account_id"], unique=False)
    for column in (
        sa.Column("email", sa.String(length=254), server_default="", nullable=False),
        sa.Column("password_changed", sa.DateTime(), nullable=True),
        sa.Column("last_seen", sa.DateTime(), nullable=True),
        sa.Column("second_factor_nonce", sa.String(length=32), nullable=True),
        sa.Column("second_factor_since", sa.DateTime(), nullable=True),
        sa.Column("second_factor_step", sa.Integer(), nullable=True),
    ):
        op.add_column("account", column)
    op.add_column("web_session", sa.Column("last_used", sa.DateTime(), nullable=True))
    for column in (
        sa.Column("kind", sa.String(length=16), server_default="reset", nullable=False),
        sa.Column("role", sa.String(length=16), nullable=True),
        sa.Column("can_publish", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("name", sa.String(), server_default="", nullable=False),
        sa.Column("email", sa.String(length=254), server_default="", nullable=False),
    ):
        op.add_column("one_time_link", column)
    # SQLite can only add a foreign key together with its column, and Alembic would not name it.
    op.execute(
        f"ALTER TABLE one_time_link ADD COLUMN inviter_id {type} "
        "CONSTRAINT fk_one_time_link_inviter_id REFERENCES account (uuid) ON DELETE CASCADE"
    )
    op.create_index(op.f("ix_one_time_link_inviter_id"), "one_time_link", ["inviter_id"], unique=False)
    op.execute("UPDATE one_time_link SET kind = 'setup' WHERE account_id IS NULL")
