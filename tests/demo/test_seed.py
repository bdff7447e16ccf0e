"""The sample blog."""

from __future__ import annotations

import re

from blogapi.demo import seed
from blogapi.storage.database import db
from tests.contracts.guide import GUIDE

ARTICLES = "/api/v1/blog/articles/"


def test_the_sample_has_every_status_and_content_type(app, make_client):
    with app.app_context():
        assert seed.fill_empty_blog() >= 12
        from blogapi.api_keys import service as api_keys
        from blogapi.users import queries as users

        admin = users.get_user_by_name(seed.AUTHOR_NAME).uuid
        key = api_keys.issue(admin, "read").value
    own = make_client(app, key).get(ARTICLES + "author/me/").json
    assert {article["status"] for article in own} == {"draft", "published", "scheduled", "archived"}
    assert {article["content_type"] for article in own} == {"markdown", "html", "text"}
    assert len({article["category"]["slug"] for article in own}) >= 3
    assert max(len(article["tags"]) for article in own) >= 3


def test_the_sample_is_not_stored_in_a_blog_with_an_article(app, make_article):
    make_article()
    with app.app_context():
        assert seed.fill_empty_blog() == 0


def test_the_sample_is_not_stored_a_second_time(app):
    with app.app_context():
        assert seed.fill_empty_blog() > 0
    with app.app_context():
        assert seed.fill_empty_blog() == 0
        db.session.remove()


def test_the_sample_has_the_articles_that_the_guide_names(app, as_reader):
    with app.app_context():
        seed.fill_empty_blog()
    text = "".join(path.read_text(encoding="utf-8") for path in GUIDE.glob("*.md"))
    slugs = set(re.findall(r"/articles/(?:\?slug=)?([a-z]+(?:-[a-z]+)+)[/&]", text))
    assert slugs
    assert [slug for slug in slugs if as_reader.get(f"{ARTICLES}{slug}/").status_code != 200] == []


def test_the_sample_is_stored_again_when_all_its_articles_were_deleted(app, as_admin):
    with app.app_context():
        stored = seed.fill_empty_blog()
    for article in as_admin.get(f"{ARTICLES}?status=any&fields=uuid").json:
        assert as_admin.delete(f"{ARTICLES}{article['uuid']}/").status_code == 204
    with app.app_context():
        assert seed.fill_empty_blog() == stored > 0
    assert len(as_admin.get("/api/v1/blog/categories/").json) == 4
