"""Functions of the package `articles` that lower packages call; `content.dependencies` registers them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol
from uuid import UUID

from sqlalchemy.orm import Session

from blogapi.config import AppState


class ArticleHooks(Protocol):
    """Finds articles and pages, and rerenders them after changes of files and custom fields."""

    def prerender_articles_using_files(self, media_ids: Collection[UUID]) -> None:
        """Render, before the transaction that changes these files, the articles that use them."""

    def rerender_articles_using_files(self, session: Session, media_ids: Collection[UUID]) -> None:
        """Rerender the articles that use these files; the caller has flushed the changes of the files."""

    def resolve_item_references(self, references: Collection[UUID | str]) -> Mapping[UUID | str, UUID]:
        """Return the uuid of the item for each reference, except slugs of items hidden from the caller."""

    def reindex_articles_with_field(self, name: str) -> None:
        """Index all articles that have a value for the custom field `name` again."""


ARTICLE_HOOKS = AppState[ArticleHooks]("article-hooks")
