"""The table with the description of the site, which has one row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypedDict

from sqlalchemy import false
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.publication.models import HasEvents
from blogapi.storage.database import Base, Identified, Timestamped
from blogapi.web.json import to_json
from blogapi.web.media_addresses import PictureFieldsMixin


class NavigationItem(TypedDict):
    """An entry of the navigation: its label and the address of its page."""

    label: str
    url: str


class SiteLanguage(TypedDict):
    """The title and the description of the site in another language; both may be empty."""

    language: str
    title: str
    description: str


class Site(HasEvents, PictureFieldsMixin, Identified, Timestamped, Base):
    """The description of the blog, the only row of its table, which a migration inserts.

    `url` is the public address of the site that shows the blog, and `service_url` is the public address of
    this service. Both are empty or absolute and end without a slash. The paths are patterns of page
    addresses below `url`. With `built_in`, blogapi itself shows the blog at `url`, and with `mcp`, assistants
    may call it at `/mcp`. `navigation` is a JSON array of objects with `label` and `url`, and `languages` is
    an array of objects with `language`, `title` and `description`.
    """

    __tablename__ = "site"
    kind = "site"
    picture_fields = ("logo", "icon")

    title: Mapped[str] = mapped_column(default="")
    description: Mapped[str] = mapped_column(default="")
    language: Mapped[str] = mapped_column(default="en")
    time_zone: Mapped[str] = mapped_column(default="UTC")
    url: Mapped[str] = mapped_column(default="")
    service_url: Mapped[str] = mapped_column(default="")
    logo: Mapped[str] = mapped_column(default="")
    icon: Mapped[str] = mapped_column(default="")
    article_path: Mapped[str] = mapped_column(default="/{slug}/")
    page_path: Mapped[str] = mapped_column(default="/{path}/", server_default="/{path}/")
    category_path: Mapped[str] = mapped_column(default="/category/{slug}/")
    tag_path: Mapped[str] = mapped_column(default="/tag/{slug}/")
    author_path: Mapped[str] = mapped_column(default="/author/{slug}/")
    preview_url: Mapped[str] = mapped_column(default="")
    navigation: Mapped[str] = mapped_column(default="[]")
    languages: Mapped[str] = mapped_column(default="[]", server_default="[]")
    built_in: Mapped[bool] = mapped_column(default=False, server_default=false())
    mcp: Mapped[bool] = mapped_column(default=False, server_default=false())

    @property
    def own_language(self) -> str:
        """The language of the site, even if `localize_site` has changed its `language`."""
        return self.language

    @property
    def navigation_items(self) -> Sequence[NavigationItem]:
        """The entries of the navigation, in order."""
        items: list[NavigationItem] = json.loads(self.navigation)
        return items

    @navigation_items.setter
    def navigation_items(self, items: Sequence[NavigationItem]) -> None:
        self.navigation = to_json(items)

    @property
    def other_languages(self) -> Sequence[SiteLanguage]:
        """The descriptions of the site in its other languages, in order."""
        items: list[SiteLanguage] = json.loads(self.languages)
        return items

    @other_languages.setter
    def other_languages(self, items: Sequence[SiteLanguage]) -> None:
        self.languages = to_json(items)
