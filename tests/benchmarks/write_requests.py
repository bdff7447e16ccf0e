"""The requests and files of the measurements of writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.plan import ARTICLES
from tests.benchmarks.prose import Writer
from tests.benchmarks.wsgi_calls import Request

CHARACTERS = 4_000
TAGS_PER_ARTICLE = 3


class RequestMaker:
    """Makes requests that write to a blog; no two of them set the same title."""

    def __init__(self, articles: Sequence[dict[str, Any]], tags: Sequence[dict[str, Any]]) -> None:
        """Take the published articles and the tags of the blog, as the service lists them."""
        self._uuids = [article["uuid"] for article in articles]
        self._categories = sorted({article["category"]["uuid"] for article in articles})
        self._tags = [tag["uuid"] for tag in tags]
        self._writer = Writer(seed=1)
        self._count = 0

    def make_creates(self, count: int) -> list[Request]:
        """Return requests that each create a published article."""
        return [("POST", ARTICLES, self._make_article()) for _ in range(count)]

    def make_title_changes(self, count: int) -> list[Request]:
        """Return requests that each change the title of an article."""
        uuids = (self._uuids[number % len(self._uuids)] for number in range(count))
        return [("PATCH", f"{ARTICLES}{uuid}/", {"title": self._make_title()}) for uuid in uuids]

    def make_bulk_changes(self, count: int) -> list[Request]:
        """Return requests that each change the titles of all articles of the blog."""
        return [
            ("PATCH", ARTICLES, [{"uuid": uuid, "title": self._make_title()} for uuid in self._uuids])
            for _ in range(count)
        ]

    def _make_article(self) -> dict[str, Any]:
        random, title = self._writer.random, self._make_title()
        return {
            "title": title,
            "subtitle": self._writer.phrase(8),
            "cover_image": f"https://img.example.org/new-{self._count}.jpg",
            "content": self._writer.markdown(CHARACTERS),
            "content_type": "markdown",
            "status": "published",
            "category": {"uuid": random.choice(self._categories)},
            "tags": [{"uuid": uuid} for uuid in random.sample(self._tags, TAGS_PER_ARTICLE)],
            "seo": {"title": title, "description": self._writer.phrase(12)},
        }

    def _make_title(self) -> str:
        self._count += 1
        return f"{self._writer.phrase(5)} {self._count}"


def write_markdown_files(folder: Path, count: int) -> None:
    """Write posts with front matter, as a static site generator keeps them."""
    folder.mkdir()
    writer = Writer(seed=2)
    for number in range(1, count + 1):
        tags = ", ".join(f"Tag {tag}" for tag in sorted(writer.random.sample(range(1, 21), TAGS_PER_ARTICLE)))
        head = [
            "---",
            f"title: {writer.phrase(5)} {number}",
            f"date: {2015 + number % 10}-{number % 12 + 1:02}-{number % 28 + 1:02} 12:00:00",
            f"categories: [Category {number % 8 + 1}]",
            f"tags: [{tags}]",
            "---",
        ]
        text = "\n".join([*head, "", writer.markdown(CHARACTERS), ""])
        (folder / f"post-{number}.md").write_text(text, encoding="utf-8")
