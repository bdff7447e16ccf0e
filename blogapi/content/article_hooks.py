"""Functions of `articles` that lower packages call; `blogapi.content.dependencies` sets them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from blogapi.config import AppState


class ArticleHooks(Protocol):
    """Finds articles and pages, and rerenders them after changes of files and custom fields."""

    def prerender_articles_using(self, media_ids: Collection[UUID]) -> None:
        """Render the articles that use these files before the transaction that changes the files."""

    def rerender_articles_using(self, session: Session, media_ids: Collection[UUID]) -> None:
        """Rerender the articles that use these files; the caller has flushed the changes of the files."""

    def resolve_items(self, references: Collection[UUID | str]) -> Mapping[UUID | str, UUID]:
        """Map references to uuids of existing items, except slugs of items that the caller may not see."""

    def update_search_words(self, name: str) -> None:
        """Update the search words of all articles that have a value for the custom field `name`."""


ARTICLE_HOOKS = AppState[ArticleHooks]("article-hooks")
