"""Writes execute few statements and do not render contents while they hold the write lock."""

from __future__ import annotations

from uuid import uuid4

import pytest

from blogapi.rendering import renderer
from tests.conftest import ARTICLES
from tests.content.media.pictures import add_picture

pytestmark = pytest.mark.slow


def make_bodies(articles, **fields):
    return [
        {"uuid": str(article.uuid), "category": {"uuid": str(article.category_id)}, "title": str(uuid4())}
        | fields
        for article in articles
    ]


@pytest.mark.parametrize("status", ["draft", "published"])
@pytest.mark.parametrize("method", ["patch", "put", "delete", "create"])
def test_a_bulk_write_executes_at_most_two_more_statements_per_additional_item(
    as_admin, make_article, make_tag, record_statements, method, status
):
    tags = [{"uuid": str(make_tag().uuid)} for _ in range(2)]
    counts = []
    for number in (5, 25):
        articles = [make_article(status=status) for _ in range(number)]
        items = make_bodies(articles, status=status, tags=tags, content=f"<p>{uuid4()}</p>")
        if method == "create":
            items = [item | {"uuid": str(uuid4())} for item in items]
        with record_statements() as statements:
            if method == "delete":
                query = "&".join(f"uuid={item['uuid']}" for item in items)
                response = as_admin.delete(f"{ARTICLES}?{query}")
            else:
                response = getattr(as_admin, {"create": "put"}.get(method, method))(ARTICLES, json=items)
        assert response.status_code in (200, 204), response.json
        counts.append(len(statements))
    # On PostgreSQL, more articles can need a second look for free numbers of the search index.
    assert counts[1] - counts[0] <= 2 * (25 - 5) + 1, counts


def test_contents_are_rendered_before_the_write_lock_is_taken(
    app, as_admin, make_article, contents_rendered_in_writes
):
    article = make_article(content="<p>First.</p>")
    del contents_rendered_in_writes[:]
    path = f"{ARTICLES}{article.uuid}/"
    (body,) = make_bodies([article])
    del body["uuid"]
    responses = [
        as_admin.post(ARTICLES, json=body | {"content": "*a*", "content_type": "markdown"}),
        as_admin.post(ARTICLES, json=body),
        as_admin.put(f"{ARTICLES}{uuid4()}/", json=body | {"content": "<p>b</p>"}),
        as_admin.put(path, json=body | {"content": "*c*", "content_type": "markdown"}),
        as_admin.patch(path, json={"content": "*d*"}),
        as_admin.patch(path, json={"content_type": "html"}),
        as_admin.patch(ARTICLES, json=[{"uuid": str(article.uuid), "content": "<p>e</p>"}]),
        as_admin.put(ARTICLES, json=make_bodies([article], content="f", content_type="text")),
        as_admin.patch(path, json={"cover_image": add_picture(app).path}),
        as_admin.patch(path, json={"cover_image": add_picture(app).path, "excerpt": "Own"}),
        as_admin.patch(path, json={"cover_image": "", "excerpt": ""}),
        as_admin.post(f"{path}revisions/2/restore/"),
        as_admin.delete(path),
        as_admin.post(f"{path}revisions/3/restore/"),
    ]
    assert [response.status_code for response in responses] == [
        *(201, 201, 201, 200, 200, 200, 200, 200, 200, 200, 200, 200, 204, 200)
    ]
    assert contents_rendered_in_writes == []


def test_a_write_that_does_not_change_the_content_renders_nothing(as_admin, make_article, monkeypatch):
    article = make_article(content="<p>First.</p>")
    rendered = []
    monkeypatch.setattr(renderer, "render_text", lambda *arguments: rendered.append(arguments))
    path = f"{ARTICLES}{article.uuid}/"
    for change in ({"title": "New"}, {"status": "draft"}, {"content": "<p>First.</p>", "subtitle": "s"}):
        assert as_admin.patch(path, json=change).status_code == 200
    shown = as_admin.get(f"{path}?fields=excerpt,reading_minutes,html").json
    assert shown == {"excerpt": "First.", "reading_minutes": 1, "html": "<p>First.</p>"}
    assert rendered == []


def test_an_item_of_a_bulk_write_can_take_the_former_slug_of_an_earlier_item(as_admin, make_article):
    first, second, third = (make_article(status="draft", title=title) for title in ("A", "B", "C"))
    response = as_admin.patch(
        ARTICLES,
        json=[
            {"uuid": str(first.uuid), "title": "D"},
            {"uuid": str(second.uuid), "title": "A"},
            {"uuid": str(third.uuid), "title": "D"},
        ],
    )
    assert [article["slug"] for article in response.json] == ["d", "a", "d-2"]
