"""The functions of the package `pages` that lower packages call; `blogapi.dependencies` sets them."""

from __future__ import annotations

from typing import Protocol

from blogapi.app_state import AppState
from blogapi.site.models import Site
from blogapi.site.page_paths import Tree


class PageTree(Protocol):
    """Reads the tree of the pages."""

    def read_tree(self) -> Tree:
        """Return the data of all pages, by uuid."""

    def get_tree(self) -> Tree:
        """Return the tree from the first read in this transaction, or from the last `read_again`."""

    def read_again(self) -> Tree:
        """Return the tree after a write of the current transaction, and keep it for `get_tree`."""


class PageMoves(Protocol):
    """Stores the addresses that pages had before a change."""

    def record(self, before: Tree, after: Tree, *, keeps_paths: bool = True) -> None:
        """Record the pages whose paths a write has changed."""

    def keep_former_paths(self, before: Site, after: Site) -> None:
        """Store the former path of each page whose path differs before and after a change of the site."""


PAGE_TREE, PAGE_MOVES = AppState[PageTree]("page-tree"), AppState[PageMoves]("page-moves")
