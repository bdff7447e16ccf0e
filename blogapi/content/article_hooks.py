"""Functions of the package `articles` that lower packages call; `content.dependencies` registers them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from blogapi.config import AppState


class ArticleHooks(Protocol):
    """Resolves references to items, and updates articles after changes of files and custom fields."""

    def prerender_articles_using_files(self, media_ids: Collection[UUID]) -> None:
        """Render the articles that use these files before the transaction that changes the files."""

    def rerender_articles_using_files(self, session: Session, media_ids: Collection[UUID]) -> None:
        """Rerender the articles that use these files; the caller has flushed the changes of the files."""

    def resolve_item_references(self, references: Collection[UUID | str]) -> Mapping[UUID | str, UUID]:
        """Return the uuid of each known reference; the slug of an item hidden from the caller is unknown."""

    def reindex_articles_with_field(self, name: str) -> None:
        """Reindex all articles that have a value for the custom field `name`."""


ARTICLE_HOOKS = AppState[ArticleHooks]("article-hooks")
