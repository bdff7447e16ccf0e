"""A new uuid for the page that a `PUT` to a malformed id has made: its uuid is zeros."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

ZEROS = UUID(int=0)
# The columns with the uuid of an article or a page, except for the primary key of `article`.
COLUMNS = (
    ("article", "parent_id"),
    ("article_author", "article_id"),
    ("article_json", "article_id"),
    ("article_revision", "article_id"),
    ("article_tag", "article_id"),
    ("custom_value", "article_id"),
    ("event", "uuid"),
    ("former_path", "article_id"),
    ("former_slug", "article_id"),
    ("imported", "article_id"),
    ("media_path", "article_id"),
    ("media_use", "item_id"),
    ("open_article", "article_id"),
    ("preview", "article_id"),
    ("search_entry", "article_id"),
    ("seo", "article_id"),
    ("working_copy", "article_id"),
)
# The texts that link to articles, and the JSON of versions, which names the page above.
TEXTS = (("article", "content"), ("article_revision", "content"), ("working_copy", "content"))
REFERENCE = re.compile(rf'(article:|"parent": "){ZEROS}', re.IGNORECASE)


def upgrade() -> None:
    """Move the page with all that refers to it."""
    article = sa.table("article", sa.column("uuid", sa.Uuid()), sa.column("slug", sa.Text()))
    is_old = article.c.uuid == ZEROS
    slug = op.get_bind().scalar(sa.select(article.c.slug).where(is_old))
    if slug is None:
        return
    uuid = uuid4()
    # The rows that refer to the page need the row of the new uuid first, and a slug belongs to one row.
    op.execute(sa.update(article).where(is_old).values(slug=str(uuid)))
    copy_article({"uuid": sa.literal(uuid, sa.Uuid()), "slug": sa.literal(slug, sa.Text())}, is_old)
    for table, column in COLUMNS:
        replace(table, column, ZEROS, uuid)
    op.execute(sa.delete(article).where(is_old))
    for table, column in TEXTS:
        for text in list_texts(table, column):
            replace(table, column, text, REFERENCE.sub(rf"\g<1>{uuid}", text))
    # The next start renders all articles again.
    op.execute("UPDATE article_stats SET renderer = ''")


def copy_article(values: dict[str, Any], is_copied: sa.ColumnElement[bool]) -> None:
    """Insert the row again with these values."""
    names = [column["name"] for column in sa.inspect(op.get_bind()).get_columns("article")]
    row = sa.select(*(values.get(name, sa.column(name)) for name in names)).where(is_copied)
    op.execute(sa.insert(sa.table("article", *map(sa.column, names))).from_select(names, row))


def replace(table: str, name: str, old: UUID | str, new: UUID | str) -> None:
    """Replace a value of the column in all rows."""
    type_: Any = sa.Uuid() if isinstance(old, UUID) else sa.Text()
    column = sa.column(name, type_)
    op.execute(sa.update(sa.table(table, column)).where(column == old).values({name: new}))


def list_texts(table: str, name: str) -> Sequence[str]:
    """Return the different texts of the column that contain the uuid of zeros."""
    column = sa.column(name, sa.Text())
    texts = sa.select(column).select_from(sa.table(table, column)).distinct()
    return op.get_bind().scalars(texts.where(column.contains(str(ZEROS)))).all()
