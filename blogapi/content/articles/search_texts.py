"""The texts of articles that searches cover, read from the stored articles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.orm import Session

from blogapi.content.articles.fields import SEARCHED_FIELDS
from blogapi.content.articles.models import Article
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.definitions import list_definitions
from blogapi.content.custom_fields.models import NO_VALUES, CustomField
from blogapi.rendering.plain_text import to_plain_text
from blogapi.storage.database import check_for_damaged_texts, split_values, table_of

_article = table_of(Article).c
_SELECT_TEXTS = (
    select(_article.uuid, _article.title, _article.custom, _article.html)
    .add_columns(*(_article[name] for name in SEARCHED_FIELDS))
    .where(_article.uuid.in_(bindparam("uuids", expanding=True)))
)

# Three texts of an article: the title, the other short texts (one per line), and the content as plain text.
SearchTexts = tuple[str, str, str]


def join_texts(texts: Iterable[str], custom: str, fields: Sequence[CustomField] | None = None) -> str:
    """Return one text with a line for each of the texts and for each searched value in `custom`.

    `fields` are the definitions of the custom fields; with None, they are read from the database of the
    application.
    """
    words: Sequence[str] = ()
    if custom != NO_VALUES:
        fields = list_definitions() if fields is None else fields
        words = custom_values.list_searched_texts(fields, custom)
    return "\n".join(filter(None, [*texts, *words]))


def read_search_texts(connection: Connection, uuids: Sequence[UUID]) -> dict[UUID, SearchTexts]:
    """Return the texts of these articles; raises DatabaseError if a text is damaged."""
    # The texts of a database copy are read without an application, so the definitions come from `connection`.
    # In a savepoint, other values of `join_transaction_mode` begin another savepoint and leave it open.
    session = Session(connection, join_transaction_mode="rollback_only")
    fields = session.scalars(select(CustomField)).all()
    found: dict[UUID, SearchTexts] = {}
    for batch in split_values(uuids):
        rows = connection.execute(_SELECT_TEXTS, {"uuids": batch}).all()
        check_for_damaged_texts(rows)
        for uuid, title, custom, html, *others in rows:
            found[uuid] = title, join_texts(others, custom, fields), to_plain_text(html)
    return found
