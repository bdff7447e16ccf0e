"""The functions of `articles` that this package calls; `blogapi.dependencies` sets them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol
from uuid import UUID

from blogapi.app_state import AppState


class Articles(Protocol):
    """Finds articles and pages, and updates the data that is derived from their custom fields."""

    def resolve(self, references: Collection[UUID | str]) -> Mapping[UUID | str, UUID]:
        """Return the uuid of the item for each uuid, and for each slug of an item that the caller may see."""

    def update_derived_data(self, name: str) -> None:
        """Update the search words of all articles that have a value for the custom field `name`."""


ARTICLES = AppState[Articles]("custom-field-articles")
