"""The default values of the text fields of an article."""

from __future__ import annotations

from sqlalchemy import ColumnDefault

from blogapi.articles.models import Article
from blogapi.articles.schemas import TEXT_FIELDS, ArticleSchema


def _get_default(name: str) -> str:
    default = Article.__table__.c[name].default
    return str(default.arg) if isinstance(default, ColumnDefault) else ""


# The default values of the text fields. If the schema has a text field without a column, this line raises a
# KeyError at start.
TEXT_DEFAULTS = {name: _get_default(name) for name in TEXT_FIELDS}

# The text fields that a PUT resets if it omits them. An undocumented field is kept, because a response
# contains it only if the request selects it with `fields`. A client can therefore send back a response
# without losing such a field.
RESET_BY_PUT = {name: text for name, text in TEXT_DEFAULTS.items() if name in ArticleSchema._declared_fields}
