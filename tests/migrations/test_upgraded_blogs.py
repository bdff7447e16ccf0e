"""An upgraded blog shows each article in all answers, and restores what was deleted before the upgrade."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from blogapi.storage import migration_names
from tests.conftest import ARTICLES, close_connections
from tests.migrations import upgraded_blogs
from tests.migrations.record_blog import LATER, PASSWORD
from tests.migrations.upgraded_blogs import (
    CUSTOM,
    DELETED,
    DELETED_EDITS,
    DELETED_SEO,
    EDITS,
    FIRST_WITH_COLUMNS_OF_DELETED,
    FIRST_WITH_DELETED,
    FIRST_WITH_OTHERS,
    WEBHOOK,
)

pytestmark = [
    pytest.mark.sqlite("the recorded blogs are files"),
    pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index"),
]

BIN = "/api/v1/blog/deleted/"
MIGRATIONS = migration_names.list_migrations()
ENDS = [MIGRATIONS[0], *MIGRATIONS[-2:]]


def list_since(first):
    """Return the migrations from the first one on; the blogs of those in the middle rarely show a fault."""
    rare = (pytest.mark.slow, pytest.mark.release)
    since = [name for name in MIGRATIONS if name >= first]
    return [name if name in (first, *ENDS) else pytest.param(name, marks=rare) for name in since]


@pytest.fixture
def upgrade(instance, make_app, make_client, set_clock):
    """Returns a function that upgrades the blog; it returns clients: `writer` and `visitor`."""
    apps = []

    def start(recorded):
        set_clock(LATER + timedelta(minutes=1))
        apps.append(make_app())
        return make_client(apps[-1], recorded["keys"]["write"]), make_client(apps[-1])

    yield start
    for app in apps:
        close_connections(app)


@pytest.mark.parametrize("migration", ENDS)
def test_list_detail_preview_working_copy_and_export_show_the_same_values(migration, instance, upgrade):
    recorded = upgraded_blogs.install(migration, instance / "blog.db")
    writer, visitor = upgrade(recorded)
    known = recorded["anonymous"][ARTICLES]
    names = ("title", "subtitle", "content", "content_type", "cover_image")
    assert len(known) >= 4
    for article in known:
        answers = upgraded_blogs.read_answers(writer, visitor, article["uuid"], ",".join(names))
        exported = answers.pop("export")
        expected = {name: article[name] for name in names}
        assert answers == dict.fromkeys(("list", "detail", "working copy", "preview"), expected)
        assert article["content"].splitlines()[0] in exported


@pytest.mark.parametrize("migration", list_since(FIRST_WITH_DELETED))
def test_an_article_that_was_deleted_before_the_upgrade_is_restored(migration, instance, upgrade):
    recorded = upgraded_blogs.install(migration, instance / "blog.db")
    columns = upgraded_blogs.insert_deleted(instance / "blog.db")
    writer, _ = upgrade(recorded)
    path = f"{ARTICLES}{DELETED}/"
    assert writer.get(path).status_code == 404
    if migration < FIRST_WITH_COLUMNS_OF_DELETED:
        shown = "uuid,title,status,edits"
        (listed,) = [one for one in writer.get(f"{BIN}?fields={shown}").json if one["uuid"] == str(DELETED)]
        assert {**listed, "edits": datetime.fromisoformat(listed["edits"])} == {
            **{name: columns[name] for name in ("uuid", "title", "status")},
            "edits": LATER,
        }
    restored = writer.post(f"{path}restore/")
    assert (restored.status_code, restored.json["notes"]) == (200, []), restored.text
    article = writer.get(f"{path}?fields=*,html,excerpt,toc,word_count").json
    assert article["seo"] == DELETED_SEO
    assert {name: article[name] for name in ("title", "subtitle", "content", "slug", "status")} == {
        name: columns[name] for name in ("title", "subtitle", "content", "slug", "status")
    }
    # The values that the database derives are those of the article of which this one is a copy.
    source = writer.get(f"{ARTICLES}html-again/?fields=*,html,excerpt,toc,word_count").json
    derived = ("html", "excerpt", "toc", "word_count", "tags", "category")
    assert [article[name] for name in derived] == [source[name] for name in derived]
    assert article["html"]
    edits = writer.get(f"{path}working-copy/").json
    assert {name: edits[name] for name in DELETED_EDITS} == DELETED_EDITS
    found = writer.get(f"{ARTICLES}?q=bread&fields=uuid").json
    assert {"uuid": str(DELETED)} in found
    published = writer.post(f"{path}working-copy/publish/")
    assert (published.status_code, published.json["title"]) == (200, "Edited title"), published.text


@pytest.mark.parametrize("migration", list_since(FIRST_WITH_OTHERS))
def test_webhooks_custom_fields_redirects_and_working_copies_are_kept(migration, instance, upgrade):
    recorded = upgraded_blogs.install(migration, instance / "blog.db")
    upgraded_blogs.insert_others(instance / "blog.db")
    writer, visitor = upgrade(recorded)
    login = {"username": "ada", "password": PASSWORD}
    assert visitor.post("/api/v1/auth/login/", json=login).status_code == 200

    webhook = visitor.get(f"/api/v1/webhooks/{WEBHOOK}/").json
    kept = {"name": "Builder", "preset": "standard", "mode": "combined", "events": ["article.*"]}
    kept |= {"paused": "admin", "header_names": ["X-Kept"], "quiet_seconds": 30, "interval_seconds": 60}
    assert {name: webhook.get(name) for name in kept} == kept
    assert "builder.x.test" in webhook["address"]

    fields = visitor.get("/api/v1/blog/fields/").json
    assert [(one["name"], one["type"], one["list"]) for one in fields] == [
        ("rating", "number", False),
        ("steps", "text", True),
    ]
    (article,) = writer.get(f"{ARTICLES}?custom.rating=4.5&custom.steps=Wait&fields=*,custom").json
    assert (article["slug"], article["custom"]) == ("html-again", CUSTOM)

    redirects = visitor.get("/api/v1/blog/redirects/own/").json
    found = [(one["path"], one["target"], one["status"]) for one in redirects]
    assert found == [("/gone", "", 410), ("/old", "/new?a=b", 302)]

    path = f"{ARTICLES}{article['uuid']}/working-copy/"
    edits = writer.get(path).json
    assert {name: edits[name] for name in EDITS} == EDITS
    published = writer.post(f"{path}publish/")
    assert (published.status_code, published.json["title"]) == (200, EDITS["title"]), published.text
    found = visitor.application.test_cli_runner().invoke(args=["doctor", "--full"]).stdout.splitlines()
    # The files are newer than the clock of the test.
    assert [line for line in found if line.startswith("wrong") and " clock: " not in line] == [], found
