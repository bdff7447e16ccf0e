"""The pages of categories, tags and authors in an export for Hugo, such as `content/tags/rye/_index.md`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime

from blogapi.exporting.article_rows import Item
from blogapi.exporting.exported_addresses import MediaAddresses
from blogapi.exporting.layouts import Layout
from blogapi.exporting.snapshot import Snapshot
from blogapi.publication.kinds import TERM_LISTS
from blogapi.publication.visibility import LISTED_STATUSES
from blogapi.rendering.characters import COMBINING_MARKS
from blogapi.rendering.yaml_text import to_yaml
from blogapi.site.heads import drop_empty_fields

# Matches a name for which `_make_folder_name` returns the folder name that Hugo uses; for other names, Hugo
# has more rules.
_SIMPLE_NAME = re.compile(rf"[\w{COMBINING_MARKS}]+(?:[ -][\w{COMBINING_MARKS}]+)*")


class TermPages:
    """The pages of the terms of public articles; other terms have none, because Hugo would publish them."""

    def __init__(self, snapshot: Snapshot, layout: Layout, media: MediaAddresses, now: datetime) -> None:
        self._snapshot, self._layout, self._media, self._now = snapshot, layout, media, now
        self._used = defaultdict[str, set[str]](set)
        self._category_names = {term["slug"]: term["name"] for term in snapshot.categories}

    def add_terms(self, article: Item) -> None:
        """Add the terms of an article if it is public."""
        is_listed = article["status"] in LISTED_STATUSES
        if is_listed and datetime.fromisoformat(article["published_at"]) <= self._now:
            self._used["categories"] |= {article["category"]} - {None}
            self._used["tags"].update(article["tags"])
            self._used["authors"].update(article["authors"])

    def list_pages(self) -> Iterator[tuple[str, str]]:
        """Yield the path and the text of each page that contains more than the name of the term."""
        written_paths = set[str]()
        for kind in TERM_LISTS if self._layout.term_pages else ():
            for term in getattr(self._snapshot, kind):
                fields = self._make_front_matter_fields(term)
                path = self._layout.term_pages.replace("*", f"{kind}/{_make_folder_name(term['name'])}")
                is_usable = term["slug"] in self._used[kind] and _SIMPLE_NAME.fullmatch(term["name"])
                if fields and is_usable and path not in written_paths:
                    written_paths.add(path)
                    yield path, f"---\n{to_yaml({'title': term['name'], **fields})}---\n"

    def _make_front_matter_fields(self, term: Item) -> Item:
        picture = term["og_image"] or term["cover_image"] or term.get("avatar", "")
        address = self._media.get_picture_addresses(picture, self._layout.article_media)[0] if picture else ""
        description = term["seo_description"] or term.get("description") or term.get("bio") or ""
        parent = self._category_names.get(term.get("parent") or "", "")
        return drop_empty_fields(
            {"description": description, "images": [address] if address else [], "parent": parent}
        )


def _make_folder_name(name: str) -> str:
    return name.lower().replace(" ", "-")
