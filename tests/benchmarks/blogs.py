"""Blogs to measure, each created in a process of its own.

`python -m tests.benchmarks.blogs FOLDER ARTICLES SIZE` creates one blog. The database of the blog is SQLite
unless a configuration file in the folder names another database.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import select

from blogapi import create_app
from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from blogapi.content.articles import service as articles_service
from blogapi.content.articles.lifecycle import ContentType
from blogapi.content.articles.models import Article, FormerSlug
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.taxonomies import authors as authors_definition
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.content.taxonomies.taxonomy import Taxonomy
from blogapi.publication.visibility import API_STATUSES, SCHEDULED, Status
from blogapi.rendering import slugs
from blogapi.site import service as site
from blogapi.storage.database import db, transaction
from blogapi.web.access import Role
from blogapi.web.fields import make_item_schema
from tests.benchmarks import copies, databases
from tests.benchmarks.databases import POSTGRESQL, SQLITE
from tests.benchmarks.pictures import add_rows
from tests.benchmarks.prose import RARE_EVERY, Writer
from tests.benchmarks.servers import ROOT, MeasurementError, make_environment

CATEGORIES = 8
TAGS = 20
TAGS_PER_ARTICLE = 3
AUTHORS = 2
# One of this number of articles had another slug before, and the library has one file for so many articles.
ARTICLES_PER_REDIRECT = 50
ARTICLES_PER_FILE = 10
MAX_FILES = 10_000
# The articles in each other status. They are few, so that the size of the database is that of the others.
ARTICLES_PER_STATUS = 5
# The API takes no more articles in one request.
ARTICLES_PER_REQUEST = 100
# The texts of more articles repeat. The number is a multiple of RARE_EVERY and ARTICLES_PER_REDIRECT.
DISTINCT_ARTICLES = 4_000
NEWEST = datetime(2025, 12, 31, tzinfo=UTC)
YEARS = 10
LATER = datetime(2999, 1, 1, tzinfo=UTC)

# This file is written last: without it, the blog in the folder is incomplete.
RECORD_FILE = "benchmark.json"


class Terms(NamedTuple):
    """The uuids of the categories, tags and authors of a blog."""

    categories: Sequence[UUID]
    tags: Sequence[UUID]
    authors: Sequence[UUID]


class BlogKind(NamedTuple):
    """The properties of a blog: the number of articles, the characters in each, and the database."""

    articles: int
    size: int
    engine: str = SQLITE


@dataclass(frozen=True, slots=True)
class Blog:
    """A blog of `articles` articles of about `size` characters.

    `key` is the key of a reader, and `admin_key` is a key that may write. `newest` is the uuid of the newest
    article, `tag` is the uuid of a tag of that article, and `draft` is the uuid of a draft. `bytes` is the
    size of the database without the files of the library.
    """

    folder: Path
    articles: int
    size: int
    engine: str
    key: str
    admin_key: str
    newest: str
    tag: str
    draft: str
    bytes: int

    @property
    def name(self) -> str:
        """Return the name that identifies the blog in the results."""
        return f"{self.articles:,} articles{' on PostgreSQL' if self.engine == POSTGRESQL else ''}"


def create_blogs(home: Path, kinds: Iterable[BlogKind], *, server: str) -> dict[BlogKind, Blog]:
    """Return a blog of each kind, created under `home` unless it exists; `server` is a PostgreSQL server.

    Two blogs are created at a time. Raises MeasurementError if a blog cannot be created.
    """
    ordered = sorted(set(kinds), reverse=True)
    with ThreadPoolExecutor(2) as pool:
        blogs = pool.map(lambda kind: _create_blog(home, kind, server), ordered)
        return dict(zip(ordered, blogs, strict=True))


@contextmanager
def temporary_blog(home: Path, kind: BlogKind, *, server: str) -> Iterator[Blog]:
    """Yield a blog that is deleted after the block, for measurements that change it."""
    with tempfile.TemporaryDirectory(prefix="temporary-", dir=home, ignore_cleanup_errors=True) as folder:
        try:
            yield _create_blog(Path(folder), kind, server)
        finally:
            if kind.engine == POSTGRESQL:
                delete_databases(Path(folder), server)


def delete_databases(home: Path, server: str) -> None:
    """Drop the PostgreSQL databases of all blogs under `home`."""
    for file in home.glob(f"*/{databases.CONFIG_FILE}"):
        databases.drop_database(server, file.parent)


def _create_blog(home: Path, kind: BlogKind, server: str) -> Blog:
    articles, size, engine = kind
    folder = home / f"blog-{articles}-{size}{'-postgresql' if engine == POSTGRESQL else ''}"
    if not (folder / RECORD_FILE).exists():
        if engine == POSTGRESQL:
            databases.create_database(server, folder)
        command = [sys.executable, "-m", "tests.benchmarks.blogs", str(folder), str(articles), str(size)]
        if subprocess.run(command, cwd=ROOT, env=make_environment(folder)).returncode:
            raise MeasurementError(f"the blog of {articles:,} articles could not be created")
        if engine == POSTGRESQL:
            databases.vacuum(folder)
    record = json.loads((folder / RECORD_FILE).read_text(encoding="utf-8"))
    return Blog(folder, articles, size, engine, **record)


def fill_blog(folder: Path, articles: int, size: int) -> None:
    """Create the blog in the instance folder. Each run creates the same texts with new uuids."""
    # Garbage collection runs less often, because the default interval makes this function 20 % slower.
    gc.set_threshold(50_000, 20, 50)
    app = create_app()
    with app.app_context():
        site.change_site({"url": "https://blog.example"})
        ada = users.create_user("ada", None, role=Role.ADMIN).uuid
        terms = _create_terms(ada)
        _store_articles(ada, islice(_write_articles(articles, size, terms), DISTINCT_ARTICLES))
        if articles > DISTINCT_ARTICLES:
            numbers = range(articles - DISTINCT_ARTICLES)[::-1]
            copies.add_copies(numbers, partial(_get_time, articles=articles))
        record = {
            "key": api_keys.issue_key(None).value,
            "admin_key": api_keys.issue_key(ada, "write").value,
            "newest": str(
                db.session.scalar(select(Article.uuid).order_by(Article.published_at.desc()).limit(1))
            ),
            "tag": str(terms.tags[-1]),
        }
        db.session.remove()
        db.engine.dispose()
        record["bytes"] = _get_size(folder)
        record["draft"] = _add_hidden_articles(ada, size, terms)
        db.session.remove()
        db.engine.dispose()
    add_rows(min(articles // ARTICLES_PER_FILE, MAX_FILES))
    (folder / RECORD_FILE).write_text(json.dumps(record), encoding="utf-8")


def _get_size(folder: Path) -> int:
    """Return the size of the database of the blog in the folder in bytes."""
    if (folder / databases.CONFIG_FILE).exists():
        return databases.get_size(folder)
    return sum(file.stat().st_size for file in folder.glob("blog.db*"))


def _create_terms(ada: UUID) -> Terms:
    def create(taxonomy: Taxonomy[Any], count: int, **fields: str) -> list[UUID]:
        names = [f"{taxonomy.singular.capitalize()} {number}" for number in range(1, count + 1)]
        bodies = [taxonomy.body_schema().load({"name": name, **fields}) for name in names]
        return [taxonomies.create_term(taxonomy, ada, body).uuid for body in bodies]

    return Terms(
        create(categories_definition.CATEGORIES, CATEGORIES, description="About a category."),
        create(tags_definition.TAGS, TAGS),
        create(authors_definition.AUTHORS, AUTHORS),
    )


def _store_articles(ada: UUID, bodies: Iterator[dict[str, Any]]) -> None:
    """Store the articles with these fields, as the bulk write of the API does."""
    load = make_item_schema(ArticleBodySchema)(many=True).load
    while fields := load(list(islice(bodies, ARTICLES_PER_REQUEST))):
        articles_service.prerender_inputs(fields)
        with transaction():
            articles_service.replace_articles(ada, fields)
            db.session.add_all(
                FormerSlug(slug=f"former-{one.slug}", article_id=one.uuid)
                for one in fields[::ARTICLES_PER_REDIRECT]
            )
        db.session.expunge_all()


def _add_hidden_articles(ada: UUID, size: int, terms: Terms) -> str:
    """Store articles in the statuses that readers do not see in lists; return the uuid of a draft."""
    bodies = _write_articles(ARTICLES_PER_STATUS * len(API_STATUSES), size, terms)
    hidden = [status for status in API_STATUSES if status != Status.PUBLISHED]
    times = {SCHEDULED: {"published_at": LATER.isoformat()}}
    articles = [
        body | {"slug": f"{status}-{number}", "status": status} | times.get(status, {})
        for status in hidden
        for number, body in enumerate(islice(bodies, ARTICLES_PER_STATUS))
    ]
    _store_articles(ada, iter(articles))
    return next(body["uuid"] for body in articles if body["status"] == Status.DRAFT)


def _write_articles(articles: int, size: int, terms: Terms) -> Iterator[dict[str, Any]]:
    """Yield the fields of the articles, oldest first, as the API takes them."""
    writer = Writer(seed=articles)
    newest = max(0, articles - DISTINCT_ARTICLES)
    for number in reversed(range(articles)):
        title = writer.phrase(writer.random.randint(3, 8))
        yield {
            "uuid": str(uuid4()),
            "title": title,
            "subtitle": writer.phrase(8),
            "slug": f"{slugs.make_slug(title)}-{number + 1}",
            "cover_image": f"https://img.example.org/{number}.jpg",
            "content": writer.html(size, rare=number % RARE_EVERY == 0),
            "content_type": ContentType.HTML.value,
            "status": Status.PUBLISHED.value,
            "published_at": _get_time(number, articles).isoformat(),
            "category": _refer(writer.random.choice(terms.categories)),
            "tags": [_refer(tag) for tag in _choose_tags(writer, terms.tags, newest=number == newest)],
            "authors": [_refer(terms.authors[number % AUTHORS])],
            "seo": {"title": title, "description": writer.phrase(12)},
        }


def _refer(term: UUID) -> dict[str, str]:
    return {"uuid": str(term)}


def _get_time(number: int, articles: int) -> datetime:
    return NEWEST - timedelta(days=365 * YEARS) * (number / articles)


def _choose_tags(writer: Writer, tags: Sequence[UUID], *, newest: bool) -> list[UUID]:
    # The last tag is renamed before each cold read. The newest article is read, so it must have this tag, and
    # so must the article of which it is a copy.
    if newest:
        return list(tags[-TAGS_PER_ARTICLE:])
    return writer.random.sample(tags, TAGS_PER_ARTICLE)


if __name__ == "__main__":
    fill_blog(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
