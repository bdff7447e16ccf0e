"""An excerpt is written, or generated from the content."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES

FIELDS = "?fields=*,excerpt"


@pytest.fixture
def path(make_article):
    """The path of an article with the generated excerpt `Words.`."""
    return f"{ARTICLES}{make_article(content='<p>Words.</p>').uuid}/"


@pytest.fixture
def excerpt(as_reader, path):
    """Returns the excerpt that readers see."""
    return lambda: as_reader.get(f"{path}?fields=excerpt").json["excerpt"]


def test_a_written_excerpt_replaces_the_generated_one_until_it_is_empty(as_admin, path, excerpt):
    for written, shown in (("Mine & yours", "Mine & yours"), ("Other", "Other"), ("", "Words.")):
        assert as_admin.patch(path, json={"excerpt": written}).status_code == 200
        assert excerpt() == shown
        assert as_admin.get(f"{ARTICLES}?fields=excerpt").json == [{"excerpt": shown}]


def test_a_written_excerpt_stays_when_other_fields_change(as_admin, path, excerpt):
    as_admin.patch(path, json={"excerpt": "Mine"})
    for change in ({"title": "New"}, {"content": "<p>New.</p>"}, {"status": "published"}):
        as_admin.patch(path, json=change)
        assert excerpt() == "Mine"


@pytest.mark.parametrize("method", ["patch", "put"])
def test_an_excerpt_equal_to_the_generated_one_follows_the_content(as_admin, path, excerpt, method):
    body = as_admin.get(f"{path}{FIELDS}").json
    assert body["excerpt"] == "Words."
    assert getattr(as_admin, method)(path, json=body).status_code == 200
    assert as_admin.get(f"{path}revisions/").json == []
    as_admin.patch(path, json={"content": "<p>Later.</p>"})
    assert excerpt() == "Later."


def test_an_excerpt_of_the_former_content_that_is_sent_back_with_a_new_content_is_generated(
    as_admin, path, excerpt
):
    body = as_admin.get(f"{path}{FIELDS}").json
    as_admin.put(path, json=body | {"content": "<p>New.</p>"})
    assert excerpt() == "New."


def test_an_excerpt_equal_to_the_new_generated_one_is_generated(as_admin, path, excerpt, body):
    as_admin.patch(path, json={"excerpt": "Mine"})
    as_admin.patch(path, json={"content": "<p>New.</p>", "excerpt": "New."})
    as_admin.patch(path, json={"content": "<p>Later.</p>"})
    assert excerpt() == "Later."
    created = as_admin.post(ARTICLES, json=body(content="*a*", content_type="markdown", excerpt="a")).json
    where = f"{ARTICLES}{created['uuid']}/"
    as_admin.patch(where, json={"content": "*b*"})
    assert as_admin.get(f"{where}?fields=excerpt").json == {"excerpt": "b"}


def test_an_excerpt_that_was_generated_from_an_older_content_is_written(as_admin, path, excerpt):
    as_admin.patch(path, json={"excerpt": "Mine"})
    as_admin.patch(path, json={"excerpt": "Words.", "content": "<p>New.</p>"})
    assert excerpt() == "Words."


def test_put_without_an_excerpt_keeps_the_written_one(as_admin, path, excerpt):
    as_admin.patch(path, json={"excerpt": "Mine"})
    assert as_admin.put(path, json=as_admin.get(path).json | {"content": "<p>New.</p>"}).status_code == 200
    assert excerpt() == "Mine"
    items = [as_admin.get(path).json | {"title": "New"}]
    assert as_admin.put(ARTICLES, json=items).status_code == 200
    assert excerpt() == "Mine"


def test_a_revision_keeps_the_written_excerpt(as_admin, path, excerpt):
    as_admin.patch(path, json={"excerpt": "Mine"})
    as_admin.patch(path, json={"excerpt": ""})
    assert [as_admin.get(f"{path}revisions/{n}/").json["excerpt"] for n in (1, 2)] == ["", "Mine"]
    changes = as_admin.get(f"{path}revisions/2/compare/").json["changes"]
    assert changes == [{"field": "excerpt", "before": "Mine", "after": ""}]
    as_admin.post(f"{path}revisions/2/restore/")
    assert excerpt() == "Mine"
    as_admin.post(f"{path}revisions/1/restore/")
    assert excerpt() == "Words."


def test_the_length_of_an_excerpt_is_limited(app, as_admin, path):
    app.config["MAX_EXCERPT"] = 5
    assert as_admin.patch(path, json={"excerpt": "12345"}).status_code == 200
    response = as_admin.patch(path, json={"excerpt": "123456"})
    assert (response.status_code, list(response.json["errors"])) == (422, ["excerpt"])


def test_excerpts_are_compared_before_the_write_lock_is_taken(as_admin, path, contents_rendered_in_writes):
    for change in (
        {"excerpt": "Words."},
        {"excerpt": "Mine"},
        {"excerpt": "Other"},
        {"excerpt": "Words.", "content": "a"},
        {"excerpt": ""},
        {"excerpt": "a", "content": "b"},
    ):
        assert as_admin.patch(path, json=change).status_code == 200
        assert as_admin.put(ARTICLES, json=[as_admin.get(f"{path}{FIELDS}").json]).status_code == 200
    assert contents_rendered_in_writes == []


def test_a_write_that_keeps_the_written_excerpt_renders_nothing(as_admin, path, contents_rendered, excerpt):
    as_admin.patch(path, json={"excerpt": "Mine"})
    del contents_rendered[:]
    as_admin.patch(path, json={"title": "New", "excerpt": "Mine"})
    as_admin.put(path, json=as_admin.get(path).json | {"title": "Newer"})
    assert (contents_rendered, excerpt()) == ([], "Mine")


def test_only_admins_write_excerpts(as_reader, as_member, path):
    for client in (as_reader, as_member):
        assert client.patch(path, json={"excerpt": "Mine"}).status_code == 403
