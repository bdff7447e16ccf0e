"""The targets of links in the tests of template tags and wiki links."""

from __future__ import annotations


class Targets:
    """Knows every post and page whose name does not contain "missing"; PDF files are no posts."""

    def find_new_address(self, address):
        return None

    def find_post_address(self, name):
        return (
            None
            if "missing" in name or name.endswith(".pdf")
            else f"/new/{name.rpartition('/')[2].replace('.md', '')}"
        )

    def find_wiki_link_address(self, name):
        return None if "missing" in name.casefold() else f"/page/{name.replace(' ', '-')}"
