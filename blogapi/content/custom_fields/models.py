"""The table of the definitions of custom fields."""

from __future__ import annotations

import json
from enum import StrEnum

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.publication.kinds import CONTENT_KINDS, KINDS
from blogapi.storage.database import Base, Identified, Timestamped

MAX_NAME_LENGTH = 64
NO_VALUES = "{}"


class FieldType(StrEnum):
    """The type of the values of a custom field."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    URL = "url"
    CHOICE = "choice"
    PICTURE = "picture"
    ARTICLE = "article"


class CustomField(Identified, Timestamped, Base):
    """The definition of a custom field.

    `choices` is a JSON array of texts. The values are in `Article.custom`, by name, and stay there when the
    definition changes or is deleted.
    """

    __tablename__ = "custom_field"

    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH), unique=True)
    label: Mapped[str]
    help: Mapped[str] = mapped_column(default="")
    type: Mapped[str] = mapped_column(String(16))
    is_list: Mapped[bool] = mapped_column(default=False)
    choices: Mapped[str] = mapped_column(Text(), default="[]")
    minimum: Mapped[float | None]
    maximum: Mapped[float | None]
    is_required: Mapped[bool] = mapped_column(default=False)
    is_admin_only: Mapped[bool] = mapped_column(default=False)
    is_searched: Mapped[bool] = mapped_column(default=False)
    for_articles: Mapped[bool] = mapped_column(default=True)
    for_pages: Mapped[bool] = mapped_column(default=False)
    position: Mapped[int] = mapped_column(default=0)

    @property
    def options(self) -> list[str]:
        """The allowed values of a choice, in their order."""
        found: list[str] = json.loads(self.choices)
        return found

    @property
    def kinds(self) -> list[str]:
        """The kinds of items that can have the field: `article`, `page` or both."""
        return [kind for kind in CONTENT_KINDS if getattr(self, f"for_{KINDS[kind].plural}")]
