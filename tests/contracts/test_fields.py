"""`fields` of every GET: `*` stands for the fields of a response without it, and `-` leaves out a field."""

from __future__ import annotations

import pytest

from blogapi import blueprints
from blogapi.web.operation import get_operation
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, KEYS, TAGS
from tests.content.media.rows import MEDIA, SCALABLE, add_media

PAGES = "/api/v1/blog/pages/"

READS = [
    PAGES,
    *("{page}", "{page}preview/", "{page}revisions/", "{page}revisions/1/"),
    *(ARTICLES, f"{ARTICLES}author/me/", f"{ARTICLES}own/", "{article}", "{preview}", "{article}preview/"),
    *("{article}revisions/", "{article}revisions/1/", "/api/v1/blog/redirects/"),
    *(CATEGORIES, "{category}", TAGS, "{tag}", AUTHORS, "{author}", KEYS, "{key}", MEDIA, "{media}"),
    *("/api/v1/blog/site/", "/api/v1/blog/archive/", "/api/v1/blog/deleted/"),
]


@pytest.fixture
def paths(fill_blog, as_admin, make_article, make_tag, make_category):
    """The paths of one item of each resource."""

    def fill():
        tag, category = make_tag(), make_category()
        path = f"{ARTICLES}{make_article(category=category, tags=(tag,), slug='first').uuid}/"
        as_admin.patch(path, json={"slug": "second"})
        page = as_admin.post(PAGES, json={"title": "Imprint", "status": "published"}).json
        as_admin.patch(f"{PAGES}{page['uuid']}/", json={"title": "Contact"})
        as_admin.post(f"{PAGES}{page['uuid']}/preview/")
        draft = as_admin.post(PAGES, json={"title": "Deleted"}).json["uuid"]
        as_admin.delete(f"{PAGES}{draft}/")
        return {
            "page": f"{PAGES}{page['uuid']}/",
            "article": path,
            "preview": as_admin.post(f"{path}preview/").json["api_url"],
            "category": f"{CATEGORIES}{category.uuid}/",
            "tag": f"{TAGS}{tag.uuid}/",
            "author": f"{AUTHORS}ada/",
            "media": f"{MEDIA}{add_media(as_admin.application, **SCALABLE)}/",
            "key": f"{KEYS}{as_admin.post(KEYS).json['uuid']}/",
        }

    return fill_blog("fields of each resource", fill)


@pytest.mark.parametrize("read", READS)
def test_an_asterisk_stands_for_the_fields_of_the_response_without_fields(as_admin, paths, read):
    path = read.format(**paths)
    response = as_admin.get(path)
    assert response.json
    assert as_admin.get(f"{path}?fields=*").data == response.data


@pytest.mark.parametrize("read", READS)
def test_a_minus_leaves_out_a_field(as_admin, paths, read):
    path = read.format(**paths)
    body = as_admin.get(path).json
    *others, last = (body[0] if isinstance(body, list) else body).keys()
    shown = as_admin.get(f"{path}?fields=*,-{last}").json
    assert list((shown[0] if isinstance(shown, list) else shown).keys()) == others
    refused = as_admin.get(f"{path}?fields=*,-nothing")
    assert (refused.status_code, list(refused.json["errors"])) == (400, ["fields"])


def test_every_operation_with_fields_is_tried(app):
    with_fields = {
        endpoint
        for _, method, endpoint, _ in blueprints.list_operations(app)
        if method == "GET" and get_operation(app.view_functions[endpoint]).partial_schema
    }
    assert len(with_fields) == len(READS), with_fields


def test_an_asterisk_and_other_fields_are_shown_in_the_order_of_the_schema(as_reader, make_article):
    article = make_article(content="*a*", content_type="markdown")
    path = f"{ARTICLES}{article.uuid}/"
    documented = as_reader.get(path).json
    shown = as_reader.get(f"{path}?fields=html,*,word_count").json
    assert list(shown) == [*documented, "word_count", "html"]
    assert shown == documented | {"word_count": 1, "html": "<p><em>a</em></p>\n"}
