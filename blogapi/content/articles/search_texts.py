"""The texts of articles that searches cover, read from the stored articles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from uuid import UUID

from sqlalchemy import Connection, bindparam, select
from sqlalchemy.orm import Session

from blogapi.content.articles.fields import SEARCHED_NAMES
from blogapi.content.articles.models import Article, ArticleJson
from blogapi.content.custom_fields import custom_values
from blogapi.content.custom_fields.definitions import list_words
from blogapi.content.custom_fields.models import CustomField
from blogapi.rendering.plain_text import to_plain_text
from blogapi.storage.database import chunk, table_of
from blogapi.web.errors import Damaged

_article, _json = table_of(Article).c, table_of(ArticleJson).c
_SELECT_TEXTS = (
    select(_article.uuid, _article.title, _article.custom, _json.html_json)
    .add_columns(*(_article[name] for name in SEARCHED_NAMES))
    .join(ArticleJson.__table__, _json.article_id == _article.uuid)
    .where(_article.uuid.in_(bindparam("uuids", expanding=True)))
)

# The title of an article, its other short texts, each on a line, and its content as plain text.
SearchTexts = tuple[str, str, str]


def join_texts(texts: Iterable[str], custom: str, fields: Sequence[CustomField] | None = None) -> str:
    """Return the short texts besides the title as one text, each on a line.

    It includes values of the custom fields in `custom`. `fields` are the definitions of these fields; None:
    they are read from the database of the application.
    """
    words = list_words(custom) if fields is None else custom_values.join_words(fields, custom)
    return "\n".join(filter(None, [*texts, *words]))


def read_plain_text(html_json: bytes) -> str:
    """Return the stored HTML of an article as plain text; raises Damaged if it is not a JSON string."""
    try:
        return to_plain_text(json.loads(html_json))
    # Another program may have stored JSON that is not a string.
    except (ValueError, TypeError) as error:
        raise Damaged("the stored HTML of an article is not text") from error


def read_texts(connection: Connection, uuids: Sequence[UUID]) -> dict[UUID, SearchTexts]:
    """Return the texts of these articles; raises Damaged if the stored HTML of an article cannot be read."""
    # The texts of a database copy are read without an application, so the definitions come from `connection`.
    # Within a savepoint of the connection, other modes begin a second savepoint, which nobody ends.
    session = Session(connection, join_transaction_mode="rollback_only")
    fields = session.scalars(select(CustomField)).all()
    return {
        uuid: (title, join_texts(others, custom, fields), read_plain_text(html))
        for batch in chunk(uuids)
        for uuid, title, custom, html, *others in connection.execute(_SELECT_TEXTS, {"uuids": batch})
    }
