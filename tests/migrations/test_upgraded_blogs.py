"""An upgraded blog shows each article in all answers, and restores what was deleted before the upgrade."""

from __future__ import annotations

from datetime import timedelta

import pytest

from blogapi.storage import migration_names
from tests.conftest import ARTICLES, close_connections
from tests.migrations import upgraded_blogs
from tests.migrations.record_blog import LATER
from tests.migrations.upgraded_blogs import DELETED, DELETED_EDITS, DELETED_SEO, FIRST_WITH_DELETED

pytestmark = [
    pytest.mark.sqlite("the recorded blogs are files"),
    pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index"),
]

MIGRATIONS = migration_names.list_migrations()
ENDS = [MIGRATIONS[0], *MIGRATIONS[-2:]]


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


@pytest.mark.parametrize("migration", [name for name in MIGRATIONS if name >= FIRST_WITH_DELETED])
def test_an_article_that_was_deleted_before_the_upgrade_is_restored(migration, instance, upgrade):
    recorded = upgraded_blogs.install(migration, instance / "blog.db")
    columns = upgraded_blogs.insert_deleted(instance / "blog.db")
    writer, _ = upgrade(recorded)
    path = f"{ARTICLES}{DELETED}/"
    assert writer.get(path).status_code == 404
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
