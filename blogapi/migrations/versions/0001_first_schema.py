"""The first schema: users, keys, categories, tags, articles and all that is kept beside them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "account",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("password_digest", sa.String(length=255), nullable=True),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.CheckConstraint("role IN ('admin', 'member')", name=op.f("ck_account_role")),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_account")),
        sa.UniqueConstraint("username", name=op.f("uq_account_username")),
    )
    op.create_table(
        "article_revision",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("article_id", "number", name=op.f("pk_article_revision")),
    )
    op.create_table(
        "change",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("public_position", sa.Integer(), nullable=True),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("due", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("kind", "uuid", name=op.f("pk_change")),
        sa.UniqueConstraint("position", name=op.f("uq_change_position")),
        sa.UniqueConstraint("public_position", name=op.f("uq_change_public_position")),
    )
    op.create_index("ix_change_due", "change", ["due"], unique=False)
    op.create_table(
        "change_counter",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("public_position", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_change_counter")),
    )
    op.create_table(
        "idempotent_answer",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_digest", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotent_answer")),
    )
    op.create_index(op.f("ix_idempotent_answer_created"), "idempotent_answer", ["created"], unique=False)
    op.create_table(
        "api_key",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("prefix", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=True),
        sa.Column("scope", sa.String(length=8), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=True),
        sa.Column("last_used", sa.DateTime(), nullable=True),
        sa.CheckConstraint("scope IN ('read', 'write')", name=op.f("ck_api_key_scope")),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["account.uuid"], name=op.f("fk_api_key_owner_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_api_key")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_key_digest")),
    )
    op.create_index(op.f("ix_api_key_owner_id"), "api_key", ["owner_id"], unique=False)
    op.create_table(
        "category",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=True),
        sa.Column("cover_image", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["account.uuid"], name=op.f("fk_category_owner_id")),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_category")),
        sa.UniqueConstraint("slug", name=op.f("uq_category_slug")),
    )
    op.create_index(op.f("ix_category_owner_id"), "category", ["owner_id"], unique=False)
    op.create_table(
        "tag",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["account.uuid"], name=op.f("fk_tag_owner_id")),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_tag")),
        sa.UniqueConstraint("slug", name=op.f("uq_tag_slug")),
    )
    op.create_index(op.f("ix_tag_owner_id"), "tag", ["owner_id"], unique=False)
    op.create_table(
        "web_session",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.uuid"], name=op.f("fk_web_session_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_web_session")),
    )
    op.create_index(op.f("ix_web_session_account_id"), "web_session", ["account_id"], unique=False)
    op.create_index(op.f("ix_web_session_expires"), "web_session", ["expires"], unique=False)
    op.create_table(
        "article",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("category_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("subtitle", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("cover_image", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("content_type", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("published_at", sa.DateTime(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("was_public", sa.Boolean(), nullable=False),
        sa.Column("slug_derived", sa.Boolean(), nullable=False),
        sa.Column("editor_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.CheckConstraint(
            "content_type IN ('html', 'markdown', 'text')", name=op.f("ck_article_content_type")
        ),
        sa.CheckConstraint(
            "status != 'published' OR published_at IS NOT NULL", name=op.f("ck_article_published_at")
        ),
        sa.CheckConstraint("status IN ('draft', 'published', 'archived')", name=op.f("ck_article_status")),
        sa.ForeignKeyConstraint(["author_id"], ["account.uuid"], name=op.f("fk_article_author_id")),
        sa.ForeignKeyConstraint(["category_id"], ["category.uuid"], name=op.f("fk_article_category_id")),
        sa.ForeignKeyConstraint(["editor_id"], ["account.uuid"], name=op.f("fk_article_editor_id")),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_article")),
        sa.UniqueConstraint("slug", name=op.f("uq_article_slug")),
    )
    op.create_index(op.f("ix_article_author_id"), "article", ["author_id"], unique=False)
    op.create_index(op.f("ix_article_category_id"), "article", ["category_id"], unique=False)
    op.create_index(op.f("ix_article_editor_id"), "article", ["editor_id"], unique=False)
    op.create_index("ix_article_visible", "article", ["status", "published_at", "uuid"], unique=False)
    op.create_table(
        "article_tag",
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("tag_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_article_tag_article_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["tag_id"], ["tag.uuid"], name=op.f("fk_article_tag_tag_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("article_id", "tag_id", name=op.f("pk_article_tag")),
    )
    op.create_index(op.f("ix_article_tag_tag_id"), "article_tag", ["tag_id"], unique=False)
    op.create_table(
        "former_slug",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_former_slug_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_former_slug")),
    )
    op.create_index(op.f("ix_former_slug_article_id"), "former_slug", ["article_id"], unique=False)
    op.create_table(
        "imported",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("imported_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_imported_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_imported")),
    )
    op.create_index(op.f("ix_imported_article_id"), "imported", ["article_id"], unique=False)
    op.create_table(
        "preview",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_preview_article_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["account.uuid"], name=op.f("fk_preview_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_preview")),
        sa.UniqueConstraint("digest", name=op.f("uq_preview_digest")),
    )
    op.create_index(op.f("ix_preview_article_id"), "preview", ["article_id"], unique=False)
    op.create_index(op.f("ix_preview_expires"), "preview", ["expires"], unique=False)
    op.create_index(op.f("ix_preview_user_id"), "preview", ["user_id"], unique=False)
    op.create_table(
        "seo",
        sa.Column("uuid", sa.Uuid(), nullable=False),
        sa.Column("article_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("og_image", sa.String(), nullable=False),
        sa.Column("canonical_url", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_updated", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["article_id"], ["article.uuid"], name=op.f("fk_seo_article_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_seo")),
        sa.UniqueConstraint("article_id", name=op.f("uq_seo_article_id")),
    )
    # Every change takes its position from this one row.
    op.execute("INSERT INTO change_counter (number, position, public_position) VALUES (1, 0, 0)")
