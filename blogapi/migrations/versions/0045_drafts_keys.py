"""Keys of the scope `drafts` write what readers do not see."""

from alembic import op

revision = "0045"
down_revision = "0042"


def upgrade() -> None:
    """Replace the constraint."""
    constraint = op.f("ck_api_key_scope")
    with op.batch_alter_table("api_key") as batch:
        batch.drop_constraint(constraint, type_="check")
        batch.create_check_constraint(constraint, "scope IN ('published', 'read', 'drafts', 'write')")
