"""Articles and pages as resources of the API, for operations that are the same for both.

These operations concern versions, working copies and preview links; their paths begin with the item's path.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from blogapi.content.articles import permissions
from blogapi.content.articles.schemas import ArticleSchema, PageFieldsSchema, SingleArticleFieldsSchema
from blogapi.publication.visibility import ItemType
from blogapi.web.access import AccessRule, Scope
from blogapi.web.representation import Representation


@dataclass(frozen=True, slots=True)
class Resource:
    """The articles or the pages as a resource of the API; `access_rule` decides who may work on an item."""

    kind: ItemType
    access_rule: AccessRule
    representation: Representation
    schema: ArticleSchema
    fields_schema: type[SingleArticleFieldsSchema | PageFieldsSchema]

    @property
    def draft_scope(self) -> Scope:
        """The scope that a key needs to write drafts and working copies; for pages, it is `write`."""
        return "drafts" if self.kind == ItemType.ARTICLE else "write"

    @property
    def item_path(self) -> str:
        """The route of an item, relative to the path of the blog API."""
        return f"/{self.kind}s/<id:id>"

    def make_blueprint_name(self, plural: str) -> str:
        """Return the name of a blueprint: `plural` itself for articles, with the prefix `page_` for pages."""
        return plural if self.kind == ItemType.ARTICLE else f"{self.kind}_{plural}"

    def check_access(self, id: UUID) -> None:
        """Raise NotFound or Forbidden unless the item exists and the caller may work on it."""
        permissions.check_access(id, self.kind)
