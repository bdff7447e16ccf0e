"""Blogs to measure, each made in a process of its own.

`python -m tests.benchmarks.blogs FOLDER ARTICLES SIZE`
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from blogapi import create_app
from blogapi.api_keys import service as api_keys
from blogapi.articles.lifecycle import ContentType, Status
from blogapi.articles.models import Article, Seo
from blogapi.categories import taxonomy as categories_definition
from blogapi.categories.models import Category
from blogapi.categories.schemas import CategoryBodySchema
from blogapi.content import slugs
from blogapi.storage.database import db, transaction
from blogapi.tags import taxonomy as tags_definition
from blogapi.tags.models import Tag
from blogapi.taxonomies import service as taxonomies
from blogapi.users import service as users
from blogapi.users.models import Account, Role
from tests.benchmarks.servers import ROOT, Failed, in_folder
from tests.benchmarks.words import RARE_EVERY, Writer

CATEGORIES = 8
TAGS = 20
TAGS_EACH = 3
ROWS_AT_ONCE = 1_000
NEWEST = datetime(2025, 12, 31, tzinfo=UTC)
YEARS = 10

# Written last: a folder without it is a blog that was not finished.
RECORD = "benchmark.json"


@dataclass(frozen=True, slots=True)
class Blog:
    """A blog of `articles` articles of about `size` characters.

    `key` is a reader's; `newest` the uuid of the newest article, which wears the tag `tag` (a uuid).
    """

    folder: Path
    articles: int
    size: int
    key: str
    newest: str
    tag: str

    @property
    def name(self) -> str:
        """Return how the results call the blog."""
        return f"{self.articles:,} articles"


def made(home: Path, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Blog]:
    """Return a blog for each (articles, size), made under `home` where it is not there from before.

    Two are made at a time, and nothing is measured meanwhile. Raises Failed where one cannot be made.
    """
    pairs = sorted(set(wanted), reverse=True)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(pairs, pool.map(lambda pair: _made(home, *pair), pairs), strict=True))


def _made(home: Path, articles: int, size: int) -> Blog:
    folder = home / f"blog-{articles}-{size}"
    if not (folder / RECORD).exists():
        command = [sys.executable, "-m", "tests.benchmarks.blogs", str(folder), str(articles), str(size)]
        if subprocess.run(command, cwd=ROOT, env=in_folder(folder)).returncode:
            raise Failed(f"the blog of {articles:,} articles could not be made")
    record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    return Blog(folder, articles, size, **record)


def fill(folder: Path, articles: int, size: int) -> None:
    """Make the blog in the instance folder; the same texts each time, under fresh uuids."""
    # A thousand rows at a time are many objects; to look through them at the usual pace takes a fifth more.
    gc.set_threshold(50_000, 20, 50)
    app = create_app()
    with app.app_context():
        ada = users.create("ada", None, role=Role.ADMIN)
        shelves = _shelves(ada)
        labels = [
            taxonomies.create(tags_definition.TAGS, ada.uuid, {"name": f"Tag {number}"})
            for number in range(1, TAGS + 1)
        ]
        written = _written(ada, articles, size, shelves, labels)
        newest = _stored(written)
        record = {"key": api_keys.issue(None).value, "newest": newest, "tag": str(labels[-1].uuid)}
        db.session.remove()
        db.engine.dispose()
    (folder / RECORD).write_text(json.dumps(record), encoding="utf-8")


def _shelves(ada: Account) -> list[Category]:
    load = CategoryBodySchema().load
    names = [f"Category {number}" for number in range(1, CATEGORIES + 1)]
    return [
        taxonomies.create(
            categories_definition.CATEGORIES, ada.uuid, load({"name": name, "description": f"About {name}."})
        )
        for name in names
    ]


def _stored(written: Iterator[Article]) -> str:
    """Store the articles and return the uuid of the first, which is the newest."""
    newest = ""
    while True:
        with transaction():
            rows = list(islice(written, ROWS_AT_ONCE))
            db.session.add_all(rows)
        if not rows:
            return newest
        newest = newest or str(rows[0].uuid)


def _written(
    ada: Account, articles: int, size: int, shelves: Sequence[Category], labels: Sequence[Tag]
) -> Iterator[Article]:
    """Yield the articles, newest first, spread over the years, as `articles.service` fills them."""
    writer = Writer(seed=articles)
    for number in range(articles):
        title = writer.phrase(writer.random.randint(3, 8))
        yield Article(
            author_id=ada.uuid,
            editor_id=ada.uuid,
            title=title,
            subtitle=writer.phrase(8),
            slug=f"{slugs.make_slug(title)}-{number + 1}",
            cover_image=f"https://img.example.org/{number}.jpg",
            content=writer.html(size, rare=number % RARE_EVERY == 0),
            content_type=ContentType.HTML.value,
            status=Status.PUBLISHED.value,
            published_at=NEWEST - timedelta(days=365 * YEARS) * (number / articles),
            was_public=True,
            category=writer.random.choice(shelves),
            tags=_worn(writer, labels, newest=number == 0),
            seo=Seo(title=title, description=writer.phrase(12)),
        )


def _worn(writer: Writer, labels: Sequence[Tag], *, newest: bool) -> list[Tag]:
    # The last tag is the one that is renamed before each cold read: all that is read shall show it.
    if newest:
        return list(labels[-TAGS_EACH:])
    return writer.random.sample(labels, TAGS_EACH)


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
