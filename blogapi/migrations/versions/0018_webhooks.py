"""Webhooks, the calls that were made, and the names of the changed fields of an event."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the tables and the column."""
    op.add_column("event", sa.Column("fields", sa.String(), nullable=True))
    op.add_column(
        "commit_counter", sa.Column("deleted_position", sa.Integer(), server_default="0", nullable=False)
    )
    op.create_table(
        "webhook",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("preset", sa.String(length=16), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("headers", sa.Text(), nullable=False),
        sa.Column("quiet_seconds", sa.Integer(), nullable=False),
        sa.Column("interval_seconds", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("rotation_ends", sa.DateTime(), nullable=True),
        sa.Column("paused", sa.String(length=16), nullable=True),
        sa.Column("paused_at", sa.DateTime(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(), nullable=True),
        sa.Column("next_attempt", sa.DateTime(), nullable=True),
        sa.Column("last_called", sa.DateTime(), nullable=True),
        sa.Column("leased_by", sa.String(length=16), nullable=True),
        sa.Column("leased_until", sa.DateTime(), nullable=True),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.CheckConstraint("mode IN ('each', 'combined')", name=op.f("ck_webhook_mode")),
        sa.CheckConstraint(
            "paused IN ('admin', 'failures', 'gone', 'copied')", name=op.f("ck_webhook_paused")
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_webhook")),
    )
    op.create_table(
        "webhook_delivery",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("time", sa.DateTime(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("message_time", sa.DateTime(), nullable=False),
        sa.Column("changes", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("succeeded", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.String(), nullable=False),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhook.uuid"],
            name=op.f("fk_webhook_delivery_webhook_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_webhook_delivery")),
    )
    op.create_index("ix_webhook_delivery_webhook_id_time", "webhook_delivery", ["webhook_id", "time"])
