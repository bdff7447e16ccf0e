"""The articles to which links and template tags of a record refer."""

from __future__ import annotations

from typing import Protocol


class LinkTargets(Protocol):
    """Finds the new addresses of the articles to which one record refers.

    Each method returns the address with its fragment, or None if the argument refers to no imported article.
    """

    def find_address(self, address: str) -> str | None:
        """Return the new address for an address or relative path as it is written in a link of the record."""
        ...

    def find_post(self, name: str) -> str | None:
        """Return the address of a post by its file name or path, with or without date and suffix.

        This is the argument of the template tags `post_url`, `link`, `ref`, `relref` and `post_link`.
        """
        ...

    def find_page(self, name: str) -> str | None:
        """Return the address for a wiki link: a title, alias or file name, with or without folders."""
        ...
