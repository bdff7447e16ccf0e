"""Triggers that count the writes whose result readers without access to drafts can see.

The database counts these writes in `revision.visible`, in the transaction of the write. Therefore the writes
of other programs are counted too, and a write that changes only drafts leaves the counter unchanged.
"""

from __future__ import annotations

from sqlalchemy import DDL, MetaData, event

# Cached responses to readers without access to drafts depend on these tables, but the tables need no trigger:
# `change` and the search index change together with the rows of `article_pieces`.
WITHOUT_TRIGGERS = frozenset({"change", "search_entry", "search_index"})

_ANY = {"INSERT": "", "UPDATE": "", "DELETE": ""}
# A scheduled article has the status `published` too, and becomes visible without a write.
_PUBLISHED = {
    "INSERT": "NEW.status = 'published'",
    "UPDATE": "OLD.status = 'published' OR NEW.status = 'published'",
    "DELETE": "OLD.status = 'published'",
}
# A later expiry of a key changes no cached response. The first use of a new anonymous key removes its expiry.
_EARLIER = "NEW.expires IS NOT NULL AND (OLD.expires IS NULL OR NEW.expires < OLD.expires)"
_OF_PUBLISHED = "EXISTS (SELECT 1 FROM article WHERE uuid = {}.article_id AND status = 'published')"

# The condition, by table and event, under which the change of a row is visible; an empty condition means that
# every change is visible.
TRIGGERS: dict[str, dict[str, str]] = {
    "account": _ANY,
    # A response is cached for one key, so a new key has no cached responses. The last use of a key is not in
    # any response.
    "api_key": {"UPDATE OF digest, owner_id, scope": "", "UPDATE OF expires": _EARLIER, "DELETE": ""},
    "category": _ANY,
    "tag": _ANY,
    "author": _ANY,
    "site": _ANY,
    "former_slug": _ANY,
    "former_path": _ANY,
    "former_term_slug": _ANY,
    "article": _PUBLISHED,
    "article_pieces": _PUBLISHED,
    "article_tally": {"UPDATE": "OLD.published <> NEW.published OR OLD.renderer <> NEW.renderer"},
    "change_counter": {"UPDATE": "OLD.public_position <> NEW.public_position"},
}

# Every service function that changes the tags or authors of an article also changes its row in `article`;
# other programs might not. Only SQLite has these triggers, because on PostgreSQL a condition cannot contain
# a subquery.
_LINK = {
    "INSERT": _OF_PUBLISHED.format("NEW"),
    "UPDATE": _OF_PUBLISHED.format("NEW"),
    "DELETE": _OF_PUBLISHED.format("OLD"),
}
_SQLITE_TRIGGERS = {"article_tag": _LINK, "article_author": _LINK}

_SQLITE = "CREATE TRIGGER {} AFTER {} ON {}{} BEGIN UPDATE revision SET visible = visible + 1; END"
# A migration creates the function `count_visible_write`.
_POSTGRESQL = "CREATE TRIGGER {} AFTER {} ON {} FOR EACH ROW{} EXECUTE FUNCTION count_visible_write()"


def init_metadata(metadata: MetaData) -> None:
    """Create the triggers together with the tables, so that a migrated schema can be compared with them."""
    for dialect, template, triggers in (
        ("sqlite", _SQLITE, TRIGGERS | _SQLITE_TRIGGERS),
        ("postgresql", _POSTGRESQL, TRIGGERS),
    ):
        for table, conditions in triggers.items():
            for operation, condition in conditions.items():
                columns = operation.lower().replace(" of ", "_").replace(", ", "_")
                name = f"{table}_{columns}_visible"
                when = f" WHEN ({condition})" if condition else ""
                ddl = DDL(template.format(name, operation, table, when))  # type: ignore[no-untyped-call]
                event.listen(metadata, "after_create", ddl.execute_if(dialect=dialect))
