"""The rights of each role in plain words, for the admin page *Users* and the guide.

Each right lists the operations that it allows, by blueprint or by endpoint. A test compares the lists with
the access rules of the views: an operation that needs a role must belong to a right of this role.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from blogapi.web.access import Role


@dataclass(frozen=True, slots=True)
class Right:
    """A right, the lowest role that has it, and the operations that it allows.

    `conditions` maps each lower role that has the right under a condition to that condition.
    """

    name: str
    role: Role
    operations: Sequence[str] = ()
    conditions: dict[Role, str] = field(default_factory=dict)

    def get_condition(self, role: Role) -> str | None:
        """Return the condition under which the role has the right (empty: always), or None if never."""
        return "" if role.includes(self.role) else self.conditions.get(role)


RIGHTS = (
    Right("Read what is published, and use the API", Role.READER),
    Right(
        "Write articles, and see their own drafts",
        Role.AUTHOR,
        (
            "articles",
            "deleted_articles",
            "deleted_items",
            "article_counts",
            "working_copies",
            "open_articles",
            "revisions",
            "previews",
            "renderings",
            "fields.listed",
            "fields.single",
        ),
    ),
    Right("Upload files, and change their own files", Role.AUTHOR, ("media", "media_uses")),
    Right("Create tags, and change their own profile", Role.AUTHOR, ("tags.create", "authors.change")),
    Right("Publish", Role.EDITOR, conditions={Role.AUTHOR: "own articles, if allowed"}),
    Right("See and change the articles and files of other users, and change bylines", Role.EDITOR),
    Right("Manage categories, tags and authors", Role.EDITOR, ("categories", "tags", "authors")),
    Right(
        "Write pages",
        Role.EDITOR,
        ("pages", "deleted_pages", "page_working_copies", "open_pages", "page_revisions", "page_previews"),
    ),
    Right("Import and export", Role.EDITOR, ("imports", "exports")),
    Right(
        "Change the site, define custom fields, and manage redirects and webhooks",
        Role.ADMIN,
        (
            *("site", "site_checks", "custom_redirects", "webhooks"),
            *("fields.create", "fields.replace", "fields.change", "fields.delete"),
        ),
    ),
    Right("Manage users, and the keys of others", Role.ADMIN, ("users", "invitations")),
    Right("Make backups, check the blog, and read its metrics", Role.ADMIN, ("backups", "doctor", "metrics")),
)


def list_rights(role: Role) -> list[tuple[Right, str]]:
    """Return the rights of the role, each with its condition (empty: no condition)."""
    conditions = ((right, right.get_condition(role)) for right in RIGHTS)
    return [(right, condition) for right, condition in conditions if condition is not None]
