"""Measures requests to one blog inside this process; each read is the first one after a write.

As a program (`python -m tests.benchmarks.size_requests`) it reads its task from standard input as JSON and
prints the best time in ms of each measurement, and why it is invalid, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

from flask import Flask

from blogapi import create_app
from blogapi.content.articles.lists.query_schemas import ORDERINGS
from blogapi.content.articles.lists.statements import FEATURED_FIRST
from blogapi.publication.visibility import ANY_STATUS, API_STATUSES
from blogapi.storage.database import db
from tests.benchmarks.in_process import measure_write
from tests.benchmarks.plan import ARTICLES, CATEGORIES, LIST_OF_20, TAGS
from tests.benchmarks.prose import make_searches
from tests.benchmarks.wsgi_calls import Call, Request, call

BLOG = "/api/v1/blog/"
CHARACTERS = 2_000


def list_reads(newest: str, articles: int) -> dict[str, str]:
    """Return the paths of the reads by name, for a blog with this number of articles."""

    def page(query: str, number: float = 1) -> str:
        return f"{ARTICLES}?{query}&page={max(1, int(number))}&page_size=20"

    pages = articles / 20
    reads = {
        "one article": f"{ARTICLES}{newest}/",
        "list, first page": LIST_OF_20,
        "list, middle page": page("", pages / 2),
        "list, last page": page("", pages),
        # A category contains an eighth of the articles, a tag 3 of 20, and an author half of them.
        "category, first page": page("category=category-3"),
        "category, last page": page("category=category-3", pages / 9),
        "tag, first page": page("tag=tag-4"),
        "tag, last page": page("tag=tag-4", pages / 7.5),
        "author, first page": page("author=author-1"),
        "author, last page": page("author=author-1", pages / 2.2),
        "category and tag": page("category=category-3&tag=tag-4"),
        "two tags": page("tag=tag-4&tag=tag-5"),
    }
    for ordering in ORDERINGS:
        reads[f"ordering={ordering}, first page"] = page(f"ordering={ordering}")
        reads[f"ordering={ordering}, last page"] = page(f"ordering={ordering}", pages)
    reads |= {
        "previous and next": f"{ARTICLES}{newest}/?fields=title,previous,next",
        "related": f"{ARTICLES}{newest}/?fields=title,related",
        "redirects": f"{BLOG}redirects/?page=1&page_size=20",
        "feed": "/feeds/atom.xml",
        "feed of a tag": "/feeds/atom.xml?tag=tag-4",
        "sitemap index": "/sitemap.xml",
        "sitemap, part 1": "/sitemap-1.xml",
        **{f"search for {what}": f"{LIST_OF_20}&q={quote(words)}" for what, words in make_searches().items()},
    }
    for status in (ANY_STATUS, *API_STATUSES):
        for ordering in ORDERINGS:
            # No index has the featured articles of all statuses first, so the API refuses this order.
            if (status, ordering) != (ANY_STATUS, FEATURED_FIRST):
                reads[f"admin, {status}, {ordering}"] = page(f"status={status}&ordering={ordering}")
    reads |= {
        "counts of statuses": f"{BLOG}article-counts/",
        "tags with counts": f"{TAGS}?fields=name,articles_count",
        "categories with counts": f"{CATEGORIES}?fields=name,articles_count",
        "authors with counts": f"{BLOG}authors/?fields=name,articles_count",
        "media, first page": f"{BLOG}media/?page=1&page_size=20",
        "changes, 100": f"{BLOG}changes/?limit=100",
    }
    return reads


class Meter:
    """Calls the application with the key of an admin, and takes the best of several samples."""

    def __init__(self, app: Flask, task: Mapping[str, Any]) -> None:
        self.app, self.tag, self.samples = app, UUID(task["tag"]), int(task["samples"])
        self.headers = {"X-API-KEY": task["key"]}
        self.clock = task["clock"]

    def measure_read(self, path: str) -> tuple[float, str]:
        """Return the best time in ms of the first read after a write, and why it is invalid."""
        calls = []
        for number in range(self.samples):
            measure_write(self.app, self.tag, f"Tag turned {number}")
            calls.append(self.call(("GET", path, None)))
        return self._summarize(calls)

    def measure_writes(self) -> dict[str, tuple[float, str]]:
        """Return the same for creating, changing and deleting an article and for renaming terms."""
        category, tags = self._list_uuids(CATEGORIES)[2], self._list_uuids(TAGS)[:3]
        created, changed, deleted = [], [], []
        for number in range(self.samples):
            uuid = str(uuid4())
            path, body = f"{ARTICLES}{uuid}/", self._make_article(uuid, number, category, tags)
            created.append(self.call(("PUT", path, body)))
            changed.append(self.call(("PATCH", path, {"title": f"Changed {uuid}"})))
            deleted.append(self.call(("DELETE", path, None)))
        renamed: dict[str, list[Call]] = {"tag": [], "category": []}
        for number in range(self.samples):
            for name, path in (("tag", f"{TAGS}{tags[0]}/"), ("category", f"{CATEGORIES}{category}/")):
                renamed[name].append(self.call(("PATCH", path, {"name": f"Renamed {name} {number}"})))
        self.call(("PATCH", f"{TAGS}{tags[0]}/", {"name": "Tag 4"}))
        return {
            "create": self._summarize(created),
            "change the title": self._summarize(changed),
            "delete": self._summarize(deleted),
            **{f"rename a {name}": self._summarize(calls) for name, calls in renamed.items()},
        }

    def call(self, request: Request) -> Call:
        """Call the application."""
        return call(self.app, request, self.headers)

    def _list_uuids(self, path: str) -> list[str]:
        with self.app.test_client() as client:
            terms = client.get(f"{path}?fields=uuid,slug", headers=self.headers).get_json()
        return [term["uuid"] for term in sorted(terms, key=lambda term: (len(term["slug"]), term["slug"]))]

    @staticmethod
    def _make_article(uuid: str, number: int, category: str, tags: list[str]) -> dict[str, Any]:
        return {
            "uuid": uuid,
            "title": f"Created {uuid}",
            "content": f"A *new* article {number}.\n\n" * (CHARACTERS // 26),
            "content_type": "markdown",
            "status": "published",
            "category": {"uuid": category},
            "tags": [{"uuid": tag} for tag in tags],
            "seo": {"title": f"Created {uuid}", "description": "A new article."},
        }

    def _summarize(self, calls: list[Call]) -> tuple[float, str]:
        best = min(one.cpu_ms if self.clock == "cpu" else one.wall_ms for one in calls)
        return best, next((one.problem for one in calls if one.problem), "")


def _main(task: dict[str, Any]) -> dict[str, tuple[float, str]]:
    app = create_app()
    meter = Meter(app, task)
    reads = list_reads(task["newest"], task["articles"])
    found = {name: meter.measure_read(path) for name, path in reads.items()} | meter.measure_writes()
    with app.app_context():
        db.engine.dispose()
    return found


if __name__ == "__main__":
    print(json.dumps(_main(json.load(sys.stdin))))
