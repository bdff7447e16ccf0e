"""Which files and which uses of files an author may see; editors and admins see all of them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, or_, select

from blogapi.content.media.models import Media, MediaPath, MediaUse
from blogapi.content.taxonomies.authors import Author
from blogapi.publication.kinds import PUBLIC_KINDS
from blogapi.publication.visibility import match_listed_articles, match_listed_pages
from blogapi.storage.database import Base, current_time

ARTICLE_USE_KINDS = ("article", "working_copy")


def match_visible_files(author: UUID) -> ColumnElement[bool]:
    """Return the condition that the author may see a file."""
    own = select_own_articles(author)
    return or_(
        Media.account_id == author,
        Media.uuid.in_(
            select(MediaUse.media_id).where(MediaUse.kind.in_(ARTICLE_USE_KINDS), MediaUse.item_id.in_(own))
        ),
        Media.uuid.in_(select(MediaPath.media_id).where(MediaPath.article_id.in_(own))),
    )


def match_visible_uses(author: UUID, use: Any) -> ColumnElement[bool]:
    """Return the condition that the author may see a row of `use`, which has the columns of `MediaUse`.

    Authors see the uses by their own articles and profile, and by items in public lists. Profiles of others
    are left out, because they can be hidden.
    """
    article = Base.metadata.tables["article"]
    now = current_time()
    public = select(article.c.uuid).where(
        match_listed_articles(article.c, now) | match_listed_pages(article.c, now)
    )
    return or_(
        use.c.kind.in_(ARTICLE_USE_KINDS) & use.c.item_id.in_(select_own_articles(author)),
        (use.c.kind == "article") & use.c.current & use.c.item_id.in_(public),
        use.c.kind.in_(PUBLIC_KINDS),
        (use.c.kind == Author.kind) & use.c.item_id.in_(select_own_profile(author)),
    )


def select_own_profile(author: UUID) -> Select[Any]:
    """Return the statement that selects the uuid of the profile of the user."""
    return select(Author.uuid).where(Author.owner_id == author)


def select_own_articles(author: UUID) -> Select[Any]:
    """Return the statement that selects the uuids of the articles of the user."""
    article = Base.metadata.tables["article"].c
    return select(article.uuid).where(article.author_id == author)
