"""Invalid fields are reported together, and nothing is stored."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.conftest import ARTICLES
from tests.content.articles.conftest import OWN
from tests.contracts.client import outcome


def test_all_invalid_fields_are_reported_together_with_their_paths(as_admin, body):
    response = as_admin.post(
        ARTICLES,
        json={
            "title": "",
            "subtitle": "x" * 501,
            "content": 5,
            "content_type": "pdf",
            "cover_image": "javascript:alert(1)",
            "published_at": "soon",
            "category": {"nonsense": 1},
            "tags": [{"slug": "bread"}, {"uuid": "no"}, 7],
            "seo": {"title": "x" * 256, "og_image": "ftp://example.org/"},
            "unknown": 1,
        },
    )
    assert response.status_code == 422
    assert sorted(response.json["errors"]) == sorted(
        [
            *(
                "title",
                "subtitle",
                "content",
                "content_type",
                "cover_image",
                "published_at",
                "category",
            ),
            *("tags.1.uuid", "tags.2", "seo.title", "seo.og_image", "unknown"),
        ]
    )


INVALID = [
    ({"title": "x" * 256}, "title"),
    ({"title": None}, "title"),
    ({"title": "a\u0000b"}, "title"),
    ({"content": "x" * (2 * 1024 * 1024 + 1)}, "content"),
    ({"cover_image": "//evil.example/x"}, "cover_image"),
    ({"cover_image": "https://user:password@example.org/"}, "cover_image"),
    ({"cover_image": "https://example.org/" + "x" * 2048}, "cover_image"),
    ({"cover_image": "data:text/html,x"}, "cover_image"),
    ({"category": None}, "category"),
    ({"category": {}}, "category"),
    ({"category": {"uuid": "00000000-0000-4000-8000-000000000000"}}, "category.uuid"),
    ({"category": {"slug": "nowhere"}}, "category.slug"),
    ({"tags": [{"slug": "bread"}, {"slug": "nowhere"}]}, "tags.1.slug"),
    ({"tags": [{"slug": "bread"}] * 51}, "tags"),
    ({"tags": {}}, "tags"),
    ({"status": "scheduled"}, "published_at"),
    ({"seo": []}, "seo"),
]


@pytest.mark.parametrize(("fields", "path"), INVALID, ids=lambda value: str(value)[:40])
def test_an_invalid_field_is_refused_and_nothing_is_stored(as_admin, body, write, fields, path):
    other, created = write(title="Other")["uuid"], write(title="Before")
    uuid, before = created["uuid"], as_admin.get(OWN).json
    for method, is_bulk, sent in (
        ("POST", False, body(**fields)),
        ("PUT", False, body(**fields)),
        ("PATCH", False, fields),
        ("PUT", True, [body(uuid=str(uuid4())), body(uuid=uuid, **fields)]),
        ("PATCH", True, [{"uuid": other, "title": "x"}, {"uuid": uuid, **fields}]),
    ):
        target = ARTICLES if is_bulk or method == "POST" else f"{ARTICLES}{uuid}/"
        response = as_admin.open(target, method=method, json=sent)
        assert response.status_code == 422, (method, response.json)
        expected = f"1.{path}" if is_bulk else path
        assert [name for name in response.json["errors"] if name.startswith(expected)], response.json
        assert as_admin.get(OWN).json == before, method


def test_the_limits_on_fields_and_bulk_writes_can_be_configured(make_app, make_client, people, body):
    app = make_app(MAX_TITLE=5, MAX_TAGS=1, MAX_BULK=1)
    client = make_client(app, people.key(people.admin, "write"))
    errors = client.post(ARTICLES, json=body(title="123456")).json["errors"]
    assert sorted(errors) == ["tags", "title"]
    assert client.patch(ARTICLES, json=[{}, {}]).status_code == 422


@pytest.mark.parametrize("id", ["nonsense", "00000000-0000-0000-0000-000000000000", "{x}"])
def test_put_with_a_malformed_id_gets_a_404(as_admin, body, id):
    assert outcome(as_admin.put(f"{ARTICLES}{id}/", json=body())) == (404, "not_found")


def test_the_nil_uuid_is_refused(as_admin, body):
    nil = "00000000-0000-0000-0000-000000000000"
    response = as_admin.put(ARTICLES, json=[body(uuid=nil)])
    assert (response.status_code, list(response.json["errors"])) == (422, ["0.uuid"])


def test_an_unknown_category_and_a_missing_publication_time_are_reported_together(as_admin, body):
    response = as_admin.post(ARTICLES, json=body(category={"slug": "nowhere"}, status="scheduled"))
    assert sorted(response.json["errors"]) == ["category.slug", "published_at"]
