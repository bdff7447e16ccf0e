"""The sample blog."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from blogapi.content.custom_fields import service as field_service
from blogapi.content.custom_fields.schemas import FieldBodySchema
from blogapi.content.media import service as media_service
from blogapi.content.media.models import Media
from blogapi.operations.demo import seed
from blogapi.site import service as site_service
from blogapi.site.queries import get_site
from blogapi.site.schemas import SiteChangesSchema
from blogapi.storage.database import db
from tests.contracts.guide import GUIDE

BLOG = "/api/v1/blog/"
ARTICLES = f"{BLOG}articles/"


UNLISTED = "for-whoever-feeds-the-cat"
# What the library stores of a file besides its name and its type.
COLUMNS = ("size", "hash", "upload_hash", "width", "height", "is_scalable")


@pytest.fixture
def sample(app):
    """The sample blog."""
    with app.app_context():
        assert seed.fill_empty_blog() > 0


def test_the_sample_has_every_status_and_content_type(app, make_client):
    with app.app_context():
        assert seed.fill_empty_blog() >= 12
        from blogapi.accounts.api_keys import service as api_keys
        from blogapi.accounts.users import queries as users

        admin = users.get_user_by_name(seed.AUTHOR_NAME).uuid
        key = api_keys.issue_key(admin, "read").value
    own = make_client(app, key).get(ARTICLES + "author/me/").json
    assert {article["status"] for article in own} == {
        *("draft", "published", "scheduled", "unlisted", "archived"),
    }
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


def test_most_articles_have_a_cover(sample, as_reader):
    articles = as_reader.get(f"{ARTICLES}?fields=cover_image").json
    covers = {article["cover_image"] for article in articles} - {""}
    assert len(covers) >= 9
    assert {as_reader.get(cover).mimetype for cover in covers} == {"image/webp"}


def test_two_articles_and_a_page_show_a_picture_with_an_alternative_text(sample, as_reader):
    texts = [item["html"] for kind in ("articles", "pages") for item in _read(as_reader, kind, "fields=html")]
    pictures = [tag for text in texts for tag in re.findall(r"<img [^>]+>", text)]
    assert len(pictures) == 3
    assert all(re.search(r' src="/media/[^"]+" .* alt="[^"]{20,}"', tag) for tag in pictures)


def test_the_pictures_are_stored_as_uploads_are(app):
    uploads = {}
    with app.app_context():
        for path in seed.PICTURE_FOLDER.iterdir():
            with media_service.prepare_file(path, path.name) as upload:
                uploads[upload.name] = [upload.type.name, *(getattr(upload, name) for name in COLUMNS)]
        seed.fill_empty_blog()
        files = db.session.scalars(select(Media)).all()
        stored = {file.name: [file.type, *(getattr(file, name) for name in COLUMNS)] for file in files}
        assert [file.name for file in files if not file.alt] == []
    assert len(stored) == 13 and stored == uploads


def test_the_bread_has_a_german_translation(sample, as_reader):
    (bread,) = _read(as_reader, "articles", "slug=the-bread-that-waits-for-me&fields=translations")
    (german,) = _read(as_reader, "articles", "language=de&fields=uuid,slug,translations")
    (translation,) = bread["translations"]
    assert translation == {"language": "de", "uuid": german["uuid"], "slug": german["slug"]}
    assert german["translations"][0]["slug"] == "the-bread-that-waits-for-me"
    languages = as_reader.get(f"{BLOG}site/").json["languages"]
    assert [one["language"] for one in languages] == ["de"]


def test_recipes_have_a_custom_field(sample, as_reader):
    articles = _read(as_reader, "articles", "category=kitchen&fields=slug,custom")
    assert [article["slug"] for article in articles if article["custom"].get("serves", 0) < 2] == []
    (soup,) = _read(as_reader, "articles", "custom.serves=4&fields=slug")
    assert soup["slug"] == "fish-soup-for-a-foggy-tuesday"


def test_the_unlisted_article_is_read_only_by_its_address(sample, as_reader):
    slugs = [article["slug"] for article in _read(as_reader, "articles", "fields=slug")]
    assert "minato-no-asa" in slugs and UNLISTED not in slugs
    assert as_reader.get(f"{ARTICLES}{UNLISTED}/", follow_redirects=True).json["slug"] == UNLISTED


def test_the_page_is_no_article(sample, as_reader):
    assert [page["slug"] for page in _read(as_reader, "pages", "fields=slug")] == ["about"]
    assert _read(as_reader, "articles", "slug=about") == []


def test_an_article_has_texts_for_search_engines(sample, as_reader):
    (article,) = _read(as_reader, "articles", "slug=the-long-way-to-the-lighthouse&fields=title,excerpt,head")
    assert article["head"]["title"] != article["title"]
    assert article["head"]["description"] != article["excerpt"]


def test_the_sample_is_stored_again_when_all_its_articles_were_deleted(sample, app, as_admin):
    for kind in ("articles", "pages"):
        for item in _read(as_admin, kind, "status=any&fields=uuid"):
            assert as_admin.delete(f"{BLOG}{kind}/{item['uuid']}/").status_code == 204
    with app.app_context():
        assert seed.fill_empty_blog() == len(_read(as_admin, "articles", "status=any")) == 16
    assert len(_read(as_admin, "categories", "fields=name")) == 4


def test_readers_see_a_title_and_a_navigation(sample, as_reader):
    site = as_reader.get(f"{BLOG}site/").json
    assert site["title"] == "Slack Water" and site["description"].startswith("Boats")
    addresses = [entry["url"] for entry in site["navigation"]]
    assert addresses == ["/category/kitchen/", "/category/workshop/", "/about/"]


def test_the_sample_keeps_what_is_set_and_the_fields_of_the_blog(app, as_reader):
    own = {"languages": [{"language": "fr"}], "title": "My blog"}
    with app.app_context():
        site_service.change_site(SiteChangesSchema().load(own))
        field_service.define_field(
            FieldBodySchema().load({"name": "serves", "label": "Portions", "type": "text"})
        )
        assert seed.fill_empty_blog() > 0
    site = as_reader.get(f"{BLOG}site/").json
    assert [one["language"] for one in site["languages"]] == ["fr"] and site["title"] == "My blog"
    (soup,) = _read(as_reader, "articles", "slug=fish-soup-for-a-foggy-tuesday&fields=custom")
    assert soup["custom"] == {"serves": "4"}


def _read(client, kind, query):
    response = client.get(f"{BLOG}{kind}/?{query}")
    assert response.status_code == 200, response.json
    return response.json


URL, OTHER_URL = "http://127.0.0.1:8000", "http://[::1]:9000"


def get_address(app):
    with app.app_context():
        site = get_site()
        return site.built_in, site.url


def test_readers_see_the_sample_at_the_address_of_the_server(app, as_reader):
    with app.app_context():
        assert seed.fill_empty_blog(URL) > 0
    assert get_address(app) == (True, URL)
    # The same pictures are shown through another port or machine.
    covers = {article["cover_image"] for article in as_reader.get(f"{ARTICLES}?fields=cover_image").json}
    assert all(cover.startswith("/media/") for cover in covers - {""})
    with app.app_context():
        seed.update_loopback_address(OTHER_URL)
    assert get_address(app) == (True, OTHER_URL)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"url": "https://blog.example"}, (False, "https://blog.example")),
        ({"tag_path": "/search/{slug}/"}, (False, "")),
    ],
)
def test_a_blog_with_an_address_keeps_it(app, fields, expected):
    with app.app_context():
        site_service.change_site(fields)
        assert seed.fill_empty_blog(URL) > 0
        seed.update_loopback_address(OTHER_URL)
    assert get_address(app) == expected


@pytest.mark.parametrize(
    "fields", [{"built_in": False}, {"url": "https://blog.example"}, {"url": "http://192.168.1.2"}]
)
def test_a_changed_address_of_the_sample_does_not_follow_the_server(app, fields):
    with app.app_context():
        seed.fill_empty_blog(URL)
        site_service.change_site(fields)
    before = get_address(app)
    with app.app_context():
        seed.update_loopback_address(OTHER_URL)
    assert get_address(app) == before


def test_the_address_of_another_blog_does_not_follow_the_server(app, make_article):
    make_article()
    with app.app_context():
        assert seed.fill_empty_blog(URL) == 0
        site_service.change_site({"url": URL, "built_in": True})
        seed.update_loopback_address(OTHER_URL)
    assert get_address(app) == (True, URL)
