"""SQLite and PostgreSQL find the same articles in the same order, with the same snippets.

PostgreSQL limits the positions of words, so it finds fewer phrases in long texts.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogapi.accounts.users import service as users
from blogapi.accounts.users.models import Account
from blogapi.content.articles.lifecycle import ContentType
from blogapi.content.articles.lists.conditions import ArticleFilters
from blogapi.content.articles.models import Article
from blogapi.content.articles.responses import article_bodies
from blogapi.content.articles.writing.derived_columns import render_articles, store_derived_rows
from blogapi.content.search import engine_base, tsvector
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies.categories import CATEGORIES, Category
from blogapi.publication.visibility import Status
from blogapi.storage.database import db, transaction
from blogapi.web.access import Role
from blogapi.web.pagination import PageRequest
from tests.conftest import close_connections
from tests.databases import SERVER_URL, create_test_app
from tests.texts import texts

pytestmark = pytest.mark.skipif(not SERVER_URL, reason="BLOGAPI_TEST_DATABASE_URL names no server")

WORDS = [
    "rye",
    "Bread",
    "breadth",
    "a",
    "C",
    "c++",
    "C#",
    ".NET",
    "net",
    "node.js",
    "node",
    "js",
    "Go语言",
    "言语",
]
WORDS += [
    "é",
    "e\u0301",
    "Σς",
    "İ",
    "ﬁ",
    "½",
    "\u1e9e",
    "\U0001e900",
    "ｶﾞ",
    "が",
    "か\u3099",
    "\ue000x",
    "x.",
    "-",
    "'",
]
# Vowel signs, optional vowels and invisible characters.
WORDS += ["दिन", "दान", "กิน", "กัน", "كِتَاب", "كتاب", "שָׁלוֹם", "می\u200cروم", "\U0001e922\U0001e944"]
# Letters that only newer versions of Unicode have.
WORDS += ["\u1c89", "\U00016d40", "\ua7cb"]
phrases = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
some_text = st.one_of(phrases, phrases, texts)
articles = st.lists(st.tuples(some_text, phrases, some_text), min_size=1, max_size=8)
LONG = "a " * tsvector.MAX_POSITIONS_PER_WORD + "a b " + "w x " * tsvector.MAX_POSITION + "rye bread a x"


@pytest.fixture
def apps(app, tmp_path):
    """An application on each engine, with an author and a category."""
    on_sqlite = create_test_app(f"sqlite:///{tmp_path / 'other.db'}", INSTANCE_PATH=str(tmp_path))
    for one in (app, on_sqlite):
        with one.app_context(), transaction():
            ada = users.create_user("ada", None, role=Role.ADMIN)
            taxonomies.create_term(CATEGORIES, ada.uuid, {"name": "Shelf"})
    yield app, on_sqlite
    close_connections(on_sqlite)


def store_articles(found):
    """Replace all articles with the given articles, which are ordered from the oldest to the newest."""
    with transaction():
        for article in db.session.query(Article):
            db.session.delete(article)
    with transaction():
        author, category = db.session.query(Account).first(), db.session.query(Category).first()
        articles = [
            Article(
                author_id=author.uuid,
                editor_id=author.uuid,
                category=category,
                title=title,
                subtitle=subtitle,
                slug=str(number),
                content=content,
                content_type=ContentType.TEXT.value,
                status=Status.PUBLISHED.value,
                published_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number),
                seo_title=title,
            )
            for number, (title, subtitle, content) in enumerate(found)
        ]
        db.session.add_all(articles)
        db.session.flush()
        store_derived_rows(
            db.session(), render_articles(articles), new={article.uuid for article in articles}
        )


def search(words, page=None):
    found = article_bodies.list_published_items(("slug", "snippet"), page, ArticleFilters(q=words))
    db.session.rollback()
    return found.rows.body, found.total


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    found=articles, asked=st.lists(some_text, min_size=1, max_size=6), candidates=st.sampled_from([2, 10_000])
)
def test_a_search_has_the_same_results_on_both_engines(apps, monkeypatch, found, asked, candidates):
    monkeypatch.setattr(engine_base, "MAX_CANDIDATES", candidates)
    asked += [title for title, _, _ in found] + [word for word in WORDS if word != "-"]
    found_by = []
    for app in apps:
        with app.app_context():
            store_articles(found)
            found_by.append([search(words, page) for words in asked for page in (None, PageRequest(2, 2))])
    for words, one, other in zip([word for word in asked for _ in (1, 2)], *found_by, strict=True):
        assert one == other, words


def test_postgresql_finds_no_phrases_beyond_its_positions(apps):
    found_by = []
    for app in apps:
        with app.app_context():
            store_articles([("a", "", LONG)])
            found_by.append(
                {words: search(words)[1] for words in ("a b", "a-b", "w-x", "rye-bread", "x-w-b")}
            )
    assert found_by == [
        {"a b": 1, "a-b": 0, "w-x": 1, "rye-bread": 0, "x-w-b": 0},
        {"a b": 1, "a-b": 1, "w-x": 1, "rye-bread": 1, "x-w-b": 0},
    ]
