"""The roles reader (until now: member), author, editor and admin, and whether an author may publish."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Rename the role between the old constraint and the new one."""
    constraint = op.f("ck_account_role")
    with op.batch_alter_table("account") as batch:
        batch.add_column(sa.Column("can_publish", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch.drop_constraint(constraint, type_="check")
    op.execute("UPDATE account SET role = 'reader' WHERE role = 'member'")
    with op.batch_alter_table("account") as batch:
        batch.create_check_constraint(constraint, "role IN ('reader', 'author', 'editor', 'admin')")
