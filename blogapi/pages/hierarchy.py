"""Which page may be below which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from blogapi.articles.content import ArticleInput
from blogapi.articles.lifecycle import Unset
from blogapi.pages import tree as page_tree
from blogapi.publication.visibility import Status
from blogapi.site import page_paths
from blogapi.web.errors import Invalid

# The highest number of pages above a page: its address and its head show them all.
MAX_DEPTH = 20

_NEW = page_paths.Place("", None, Status.DRAFT.value, None, was_public=False, language="", title="")


def check_parent(fields: ArticleInput) -> None:
    """Raise Invalid unless the page may be below its parent; a new page has no uuid."""
    _check(fields, _add_to_tree([fields]))


def check_parents(items: Sequence[ArticleInput]) -> None:
    """Raise Invalid unless all pages may be below their parents, which the same request may write."""
    tree = _add_to_tree(items)
    for index, fields in enumerate(items):
        try:
            _check(fields, tree)
        except Invalid as error:
            raise error.prefix_errors(str(index)) from error


def _add_to_tree(items: Iterable[ArticleInput]) -> page_paths.Tree:
    """Return the tree as it is after a write of these pages."""
    tree = {**page_tree.get_tree()}
    for fields in items:
        if fields.uuid is not None:
            place = tree.get(fields.uuid, _NEW)
            parent = place.parent if isinstance(fields.parent, Unset) else fields.parent
            tree[fields.uuid] = replace(place, parent=parent)
    return tree


def _check(fields: ArticleInput, tree: page_paths.Tree) -> None:
    if isinstance(fields.parent, Unset) or fields.parent is None:
        return
    if fields.parent not in tree:
        _refuse("There is no such page.")
    if fields.uuid is not None and fields.uuid in page_paths.list_ancestors(fields.parent, tree):
        _refuse("A page cannot be below itself.")
    if _count_levels(fields.parent, fields.uuid, tree) > MAX_DEPTH:
        _refuse(f"There can be at most {MAX_DEPTH} pages above a page.")


def _count_levels(parent: UUID, uuid: UUID | None, tree: page_paths.Tree) -> int:
    """Return the highest number of pages above the page (None: a new one) or above one below it."""
    numbers = [len(page_paths.list_ancestors(parent, tree))]
    if uuid is not None:
        chains = (page_paths.list_ancestors(place.parent, tree) for place in tree.values())
        numbers += [len(chain) for chain in chains if uuid in chain]
    return max(numbers)


def _refuse(message: str) -> None:
    raise Invalid("The page is invalid; `errors` names the fields to correct.", errors={"parent": [message]})
