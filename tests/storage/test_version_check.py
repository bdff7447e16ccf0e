"""A server stores nothing after another version of blogapi has taken over its database."""

from __future__ import annotations

import pytest

from blogapi.config import CannotStart
from blogapi.content.articles.renderer_version import RENDERER_VERSION
from blogapi.content.articles.writing import rerendering
from blogapi.storage import migration_names, version_check
from blogapi.storage.database import transaction
from blogapi.storage.version_check import NewerSchema
from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS
from tests.databases import other_connection

MIGRATED = "UPDATE alembic_version SET version_num = '{}'"
RENDERED = "UPDATE article_stats SET renderer = '{}'"
UPGRADES = {
    "a newer schema": MIGRATED.format("9999"),
    "another rendering": RENDERED.format("another"),
    "an unfinished rendering": RENDERED.format("another, unfinished"),
}
RENDERER = "SELECT renderer FROM article_stats"


@pytest.fixture
def upgrade(app):
    """Changes the versions in the database, as another server does; resets the versions after the test."""

    def execute(statement):
        with other_connection(app) as other:
            other.exec_driver_sql(statement)

    yield execute
    execute(MIGRATED.format(migration_names.list_migrations()[-1]))
    execute(RENDERED.format(RENDERER_VERSION))
    version_check.accept_renderer_versions(app, RENDERER_VERSION)


@pytest.fixture(params=UPGRADES.values(), ids=UPGRADES)
def upgraded(request, upgrade, as_admin, as_reader, make_article, make_tag):
    """An article of a blog that another server has upgraded after the article was stored."""
    article = make_article(tags=(make_tag("old"),))
    for client in (as_admin, as_reader):
        client.get(TAGS)
    upgrade(request.param)
    return article


def test_every_write_gets_503_newer_schema_and_stores_nothing(upgraded, as_admin):
    path = f"{ARTICLES}{upgraded.uuid}/"
    body = {"title": "New", "category": {"uuid": str(upgraded.category_id)}}
    responses = [
        as_admin.post(ARTICLES, json=body),
        as_admin.post(ARTICLES, json=body, headers={"Idempotency-Key": "k"}),
        as_admin.put(path, json=body),
        as_admin.patch(path, json={"title": "New"}),
        as_admin.patch(ARTICLES, json=[{"uuid": str(upgraded.uuid), "title": "New"}]),
        as_admin.delete(path),
        as_admin.post(f"{path}preview/"),
        as_admin.post(TAGS, json={"name": "new"}),
        as_admin.post(CATEGORIES, json={"name": "new"}),
        as_admin.post(KEYS),
    ]
    for response in responses:
        assert (response.status_code, response.json["code"]) == (503, "newer_schema")
        assert response.headers["Retry-After"] == "1"
        assert "upgrade this server" in response.json["detail"]
    assert as_admin.get(path).json["title"] == upgraded.title
    assert [tag["name"] for tag in as_admin.get(TAGS).json] == ["old"]


def test_reads_continue_although_the_use_of_a_key_cannot_be_stored(upgraded, app, as_reader):
    with other_connection(app) as other:
        other.exec_driver_sql("UPDATE api_key SET last_used = NULL")
    assert [tag["name"] for tag in as_reader.get(TAGS).json] == ["old"]
    assert as_reader.get(f"{ARTICLES}{upgraded.uuid}/").status_code == 200


def test_a_command_fails_with_a_one_sentence_error_after_the_upgrade(upgraded, app):
    result = app.test_cli_runner().invoke(args=["key", "create"])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "upgrade this server" in result.stderr


def test_only_the_version_that_started_last_may_write(app, make_app, make_client, people, upgrade):
    key = people.key(people.admin, "write")
    upgrade(UPGRADES["another rendering"])
    first, second = make_client(app, key), make_client(make_app(), key)
    assert second.post(TAGS, json={"name": "second"}).status_code == 201
    # The first application has the same version as the second, so it may still write.
    assert first.post(TAGS, json={"name": "first"}).status_code == 201
    upgrade(UPGRADES["another rendering"])
    for client in (first, second):
        assert client.post(TAGS, json={"name": "third"}).status_code == 503


def test_other_servers_store_nothing_while_a_new_version_renders_the_articles(
    app, make_app, make_article, upgrade, monkeypatch
):
    make_article()
    upgrade(UPGRADES["another rendering"])
    version_check.accept_renderer_versions(app, "another")
    rerender_articles, refused = rerendering.rerender_articles, []

    def store_slowly(session, articles):
        with other_connection(app) as other:
            refused.append(other.exec_driver_sql(RENDERER).scalar() != "another")
        rerender_articles(session, articles)

    monkeypatch.setattr(rerendering, "rerender_articles", store_slowly)
    make_app()
    assert refused and all(refused)
    with app.app_context(), pytest.raises(NewerSchema), transaction():
        pytest.fail("never entered")


def test_an_interrupted_rendering_is_repeated_at_the_next_start(app, make_app, make_article, upgrade):
    make_article()
    upgrade(RENDERED.format(f"{RENDERER_VERSION}, unfinished"))
    with other_connection(app) as other:
        other.exec_driver_sql("UPDATE article SET html = ''")
    make_app()
    with other_connection(app) as other:
        assert other.exec_driver_sql(RENDERER).scalar() == RENDERER_VERSION
        assert other.exec_driver_sql("SELECT count(*) FROM article WHERE html != ''").scalar() == 1


def test_a_start_fails_if_another_version_upgrades_the_database_at_the_same_time(app, upgrade, monkeypatch):
    upgrade(UPGRADES["another rendering"])
    version_check.accept_renderer_versions(app, "another")
    render_all = rerendering.rerender_all_articles

    def render_and_lose():
        upgrade(UPGRADES["an unfinished rendering"])
        render_all()

    monkeypatch.setattr(rerendering, "rerender_all_articles", render_and_lose)
    with pytest.raises(CannotStart, match="Another version of blogapi is starting"):
        rerendering.init_app(app)
