"""What the index is told of an article."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Text:
    """The searchable words of an article, and since when it is published (None: it is not)."""

    article_id: UUID
    published_at: datetime | None
    title: str
    subtitle: str
    text: str
