"""Checks the parents of pages: which page may be below which other page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID, uuid4

from blogapi.content.articles import page_tree
from blogapi.content.articles.article_content import ArticleInput
from blogapi.publication.visibility import Status
from blogapi.site import page_paths
from blogapi.web.errors import Invalid

# The maximum number of pages above a page. The address and the head of a page contain all pages above it.
MAX_PAGES_ABOVE = 20

NEW_NODE = page_paths.PageNode("", None, Status.DRAFT.value, None, was_public=False, language="", title="")


def resolve_parents(items: Sequence[ArticleInput], *, is_bulk: bool) -> list[ArticleInput]:
    """Return the inputs with the uuids of their parents; the same write can create a parent.

    Raises Invalid unless each page may be below its parent; with `is_bulk`, the error begins with the index
    of the page.
    """
    resolved = [_resolve_parent(fields) for fields in items]
    tree = _make_tree_after_write(resolved)
    for index, fields in enumerate(resolved):
        try:
            _check_parent(fields, tree)
        except Invalid as error:
            raise (error.prefix_errors(str(index)) if is_bulk else error) from error
    return resolved


def _resolve_parent(fields: ArticleInput) -> ArticleInput:
    """Return the fields with the parent's uuid; an unknown slug becomes a new uuid that no page has."""
    if not isinstance(fields.parent, str):
        return fields
    tree = page_tree.get_tree()
    uuid = page_paths.find_page_by_slug(fields.parent, tree)
    return replace(fields, parent=uuid if page_tree.is_visible_page(uuid, tree) else uuid4())


def _make_tree_after_write(items: Iterable[ArticleInput]) -> page_paths.PageTree:
    """Return the tree after a write of these pages."""
    tree = {**page_tree.get_tree()}
    for fields in items:
        if fields.uuid is not None:
            place = tree.get(fields.uuid, NEW_NODE)
            if fields.parent is None or isinstance(fields.parent, UUID):
                place = replace(place, parent=fields.parent)
            tree[fields.uuid] = place
    return tree


def _check_parent(fields: ArticleInput, tree: page_paths.PageTree) -> None:
    if not isinstance(fields.parent, UUID):
        return
    if message := find_parent_error(fields.uuid, fields.parent, tree):
        raise Invalid(
            "The page is invalid; `errors` names the fields to correct.", errors={"parent": [message]}
        )


def find_parent_error(uuid: UUID | None, parent: UUID, tree: page_paths.PageTree) -> str:
    """Return why the page (None: a new page) may not be below the parent, or "" if it may be there."""
    if parent not in tree:
        return "There is no such page."
    if uuid is not None and uuid in page_paths.list_ancestors(parent, tree):
        return "A page cannot be below itself."
    if _count_pages_above(parent, uuid, tree) > MAX_PAGES_ABOVE:
        return f"There can be at most {MAX_PAGES_ABOVE} pages above a page."
    return ""


def _count_pages_above(parent: UUID, uuid: UUID | None, tree: page_paths.PageTree) -> int:
    """Return the maximum number of pages above the page (None: a new page) or one of its descendants."""
    numbers = [len(page_paths.list_ancestors(parent, tree))]
    if uuid is not None:
        chains = (page_paths.list_ancestors(place.parent, tree) for place in tree.values())
        numbers += [len(chain) for chain in chains if uuid in chain]
    return max(numbers)
