"""Hidden articles change no response: every path is requested before and after such articles are created."""

from __future__ import annotations

from itertools import product
from uuid import UUID

import pytest

from blogapi.content.articles.models import FormerPath
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import get_stable_headers, outcome
from tests.security.conftest import CALLERS, SECRET, full_text

HIDDEN_WORD = "quokka"
FAR_FUTURE = {"status": "published", "published_at": "2999-01-01T00:00:00Z"}
STATES = {"draft": {"status": "draft"}, "archived": {"status": "archived"}, "scheduled": FAR_FUTURE}


def get_hidden_slug(state):
    """Return the slug of the hidden article in a state."""
    return HIDDEN_WORD if state == "draft" else f"{HIDDEN_WORD}-{state}"


FIELDS = (
    "uuid,title,slug,created,last_updated,published_at,excerpt,reading_minutes,word_count,html,toc,status,"
    "category,tags,seo,authors"
)
PARAMETERS = [
    "",
    f"?q={HIDDEN_WORD}",
    f"?q={HIDDEN_WORD}&fields=title,snippet",
    "?q=q",
    "?q=public",
    f"?slug={HIDDEN_WORD}",
    f"?slug=former-{HIDDEN_WORD}",
    "?tag=shared",
    "?tag={tag}",
    "?tag=shared&tag=shared&page=1&page_size=1",
    "?category=shared",
    "?category={category}",
    "?author={other}",
    "?author={ada}",
    "?author={hidden}",
    "?author=hidden",
    "?author=ada",
    *("?tags_all=shared", "?tags_all=shared&tags_all={tag}&page=1", "?not_tag=shared&page=1"),
    *("?not_category=shared&page=1", "?not_category={category}&not_tag={tag}", "?not_tag=nothing&page=1"),
    *("?uuid={public}&uuid={other}&page=1", "?uuid={public}&tag=shared", "?updated_after=2000-01-01&page=1"),
    f"?updated_after=2000-01-01&not_tag=nothing&q={HIDDEN_WORD}",
    "?published_after=2000-01-01",
    "?published_after=2998-12-31",
    "?published_before=3000-01-01",
    "?published_before=2999-01-02&published_after=2998-12-31",
    f"?q={HIDDEN_WORD}&published_before=3000-01-01&page=1",
    f"?q={HIDDEN_WORD}&published_before=2999-01-02&published_after=2998-12-31",
    "?ordering=title",
    "?ordering=-title",
    "?ordering=published_at",
    "?page=1&page_size=1",
    "?page=2&page_size=1",
    "?page=1000",
    f"?fields={FIELDS}",
    f"?fields={FIELDS}&ordering=-published_at&page=1",
    f"?status=draft&q={HIDDEN_WORD}",
]
PATHS = [
    *(f"{ARTICLES}{query}" for query in PARAMETERS),
    *(f"{base}{query}" for base in (CATEGORIES, TAGS) for query in ("", "?page=1&page_size=1")),
    *(f"{AUTHORS}{query}" for query in ("", "?page=1&page_size=1", "?fields=name,last_updated")),
    *(f"{AUTHORS}{{author}}/", f"{AUTHORS}{{author}}/?fields=articles", f"{AUTHORS}{{hidden}}/"),
    *(f"{base}?fields=name,articles_count" for base in (CATEGORIES, TAGS)),
    *(f"{base}/?fields=articles_count" for base in (f"{CATEGORIES}{{category}}", f"{TAGS}{{tag}}")),
    *(f"{ARTICLES}{{public}}/?fields={names}" for names in ("previous", "next", "related", "*,next,related")),
    *(f"{CATEGORIES}{{category}}/", f"{CATEGORIES}{{category}}/?fields=articles"),
    *(f"{TAGS}{{tag}}/", f"{TAGS}{{tag}}/?fields=articles", f"{ARTICLES}{{public}}/"),
    *(f"{ARTICLES}{slug}/" for slug in map(get_hidden_slug, STATES)),
    *(f"{ARTICLES}former-{slug}/" for slug in map(get_hidden_slug, STATES)),
    *(
        f"{ARTICLES}public/",
        f"{TAGS}shared/",
    ),
    *("/api/v1/blog/redirects/", "/api/v1/blog/redirects/?page=1", "/api/v1/blog/changes/"),
    *("/api/v1/blog/redirects/?format=netlify", "/api/v1/blog/redirects/?format=nginx"),
    *(f"/api/v1/blog/redirects/?path=/2009/{slug}/" for slug in map(get_hidden_slug, STATES)),
    *(f"/api/v1/blog/redirects/?path=/former-{slug}/" for slug in map(get_hidden_slug, STATES)),
    f"/api/v1/blog/redirects/?path=/{HIDDEN_WORD}/",
    *("/api/v1/blog/archive/", "/api/v1/blog/archive/?tag=shared", "/api/v1/blog/archive/?author={hidden}"),
    *("/api/v1/blog/archive/?category=shared&author={author}", "/api/v1/blog/archive/?author=ada&tag={tag}"),
    *("/api/v1/blog/changes/?limit=1", "/api/v1/blog/changes/?since=a1", "/api/v1/blog/changes/?since=now"),
    *(f"/api/v1/blog/changes/?since=p{number}" for number in range(1, 9)),
    *("/api/v1/blog/preview/x/", f"/api/v1/blog/preview/{HIDDEN_WORD}/", "/health/", "/openapi.json"),
]


def get_expected_refusal(caller):
    """Return the status and the error code of a write by a caller without write access."""
    refusals = {"stranger": (401, "key_missing"), "admin's published key": (403, "scope_missing")}
    return refusals.get(caller, (403, "forbidden"))


@pytest.fixture
def visible_ids(people, make_article, make_category, make_tag, make_guest):
    """The ids of a blog without hidden articles, by their placeholder names in paths."""
    tag, category = make_tag("shared"), make_category(name="Shared")
    author, hidden = make_guest("Shared"), make_guest("Hidden")
    byline = [{"uuid": str(author.uuid)}, {"slug": "ada"}]
    public = make_article(category, tags=(tag,), title="Public", authors=byline)
    return {
        "author": str(author.uuid),
        "hidden": str(hidden.uuid),
        "tag": str(tag.uuid),
        "category": str(category.uuid),
        "public": str(public.uuid),
        "other": str(people.other_admin.uuid),
        "ada": str(people.admin.uuid),
    }


@pytest.fixture
def create_hidden(app, as_admin, visible_ids):
    """Creates, renames, previews and deletes hidden articles that contain WORD."""

    def create(state, word=HIDDEN_WORD):
        body = {
            "title": f"{HIDDEN_WORD} title",
            "subtitle": HIDDEN_WORD,
            "slug": f"former-{word}",
            "content": f"<p>{HIDDEN_WORD} {SECRET}</p>",
            "category": {"uuid": visible_ids["category"]},
            "tags": [{"uuid": visible_ids["tag"]}],
            "authors": [{"uuid": visible_ids["hidden"]}, {"uuid": visible_ids["author"]}],
        }
        created = as_admin.post(ARTICLES, json=body | STATES[state]).json
        path = f"{ARTICLES}{created['uuid']}/"
        assert as_admin.patch(path, json={"slug": word}).status_code == 200
        assert as_admin.post(f"{path}preview/").status_code == 201
        with app.app_context(), transaction():
            db.session.add(FormerPath(path=f"/2009/{word}/", article_id=UUID(created["uuid"])))
        gone = as_admin.post(ARTICLES, json=body | {"slug": "gone", "title": f"{HIDDEN_WORD} gone"}).json[
            "uuid"
        ]
        assert as_admin.delete(f"{ARTICLES}{gone}/").status_code == 204
        return as_admin.get(path)

    return create


@pytest.fixture
def request_paths(visible_ids, record_statements):
    """Requests each path; returns the response and its number of statements, by path."""

    def request(client):
        for _ in range(2):
            # The first request stores the use of the key. The second request looks up scheduled articles.
            client.get(TAGS)
        found = {}
        for path in PATHS:
            with record_statements() as seen:
                found[path] = client.get(path.format(**visible_ids)), len(seen)
        return found

    return request


def summarize(response):
    return response.status_code, response.data, get_stable_headers(response)


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member"])
def test_hidden_articles_change_no_response(
    request, record_attempt, visible_ids, request_paths, create_hidden, caller
):
    client = request.getfixturevalue(CALLERS[caller])
    before = request_paths(client)
    for state in STATES:
        create_hidden(state, get_hidden_slug(state))
    for path, (response, statements) in request_paths(client).items():
        record_attempt(caller, f"find hidden articles by GET {path}", response)
        former, took = before[path]
        assert summarize(response) == summarize(former), path
        # A write of a hidden article leaves cached responses valid, and a cached response needs no statement.
        assert statements in (0, took), path
        head = client.head(path.format(**visible_ids))
        assert (head.status_code, head.data, get_stable_headers(head)) == (
            former.status_code,
            b"",
            get_stable_headers(former),
        )
        # The ETag from before the hidden article was created is still valid.
        etag = former.headers.get("ETag")
        if etag:
            again = client.get(path.format(**visible_ids), headers={"If-None-Match": etag})
            assert again.status_code == 304, path


@pytest.mark.parametrize("caller", ["as_published_member", "as_published_admin"])
def test_a_published_key_gets_the_same_responses_as_an_anonymous_key(
    request, visible_ids, request_paths, create_hidden, as_reader, caller
):
    create_hidden("draft")
    theirs = request_paths(request.getfixturevalue(caller))
    for path, (response, statements) in request_paths(as_reader).items():
        found, took = theirs[path]
        assert (summarize(found), took) == (summarize(response), statements), path


@pytest.mark.parametrize("caller", ["anonymous key", "admin's published key", "member"])
def test_the_etag_of_a_draft_reveals_nothing(request, record_attempt, visible_ids, create_hidden, caller):
    client, seen = request.getfixturevalue(CALLERS[caller]), create_hidden("draft")
    path, etag = f"{ARTICLES}{seen.json['uuid']}/", seen.headers["ETag"]
    for name in ("If-None-Match", "If-Match"):
        for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
            response = client.open(path, method=method, headers={name: etag}, json={"title": "T"})
            record_attempt(caller, f"{method} the draft with its ETag as {name}", response)
            assert response.status_code == (404 if method in ("GET", "HEAD") else 403)
            assert etag not in full_text(response)


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member"])
def test_an_idempotency_key_does_not_replay_a_response_to_another_caller(
    request, record_attempt, visible_ids, as_admin, caller
):
    body = {"title": SECRET, "category": {"uuid": visible_ids["category"]}}
    headers = {"Idempotency-Key": "retry"}
    assert as_admin.post(ARTICLES, json=body, headers=headers).status_code == 201
    client = request.getfixturevalue(CALLERS[caller])
    response = record_attempt(
        caller, "POST under an admin's Idempotency-Key", client.post(ARTICLES, json=body, headers=headers)
    )
    assert outcome(response) == get_expected_refusal(caller) and SECRET not in full_text(response)


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member"])
def test_no_error_reveals_the_slug_of_a_draft(request, record_attempt, visible_ids, create_hidden, caller):
    create_hidden("draft")
    client = request.getfixturevalue(CALLERS[caller])
    bodies = ({"slug": HIDDEN_WORD}, {"title": HIDDEN_WORD}, {"category": {"slug": "nothing"}}, {}, [])
    for method, body in product(("POST", "PUT", "PATCH"), bodies):
        response = client.open(ARTICLES, method=method, json=body)
        record_attempt(caller, f"{method} an article with {body}", response)
        assert outcome(response) == get_expected_refusal(caller) and HIDDEN_WORD not in full_text(response)


@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member"])
def test_requests_for_revisions_and_previews_get_the_same_error_for_every_article(
    request, record_attempt, visible_ids, create_hidden, caller
):
    client, uuid = request.getfixturevalue(CALLERS[caller]), create_hidden("draft").json["uuid"]
    for rest in ("revisions/", "revisions/1/", "revisions/99/", "revisions/1/compare/", "preview/"):
        responses = [client.get(f"{ARTICLES}{id}/{rest}") for id in (uuid, visible_ids["public"], "x")]
        record_attempt(caller, f"GET {rest} of a draft", responses[0])
        assert {response.status_code for response in responses} <= {401, 403}
        assert len({response.data for response in responses}) == 1


def test_a_preview_link_gives_access_only_to_its_preview(
    as_stranger, as_admin, record_attempt, visible_ids, create_hidden
):
    path = f"{ARTICLES}{create_hidden('draft').json['uuid']}/"
    link = as_admin.post(f"{path}preview/").json
    response = record_attempt("stranger", "GET a preview", as_stranger.get(link["api_url"]))
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store")
    header = {"X-API-KEY": link["api_url"].rstrip("/").rsplit("/", 1)[-1]}
    assert (
        record_attempt(
            "stranger", "a preview's token as a key", as_stranger.get(path, headers=header)
        ).status_code
        == 401
    )
    assert as_admin.delete(f"{path}preview/{link['uuid']}/").status_code == 204
    ended = record_attempt("stranger", "GET a preview that was revoked", as_stranger.get(link["api_url"]))
    assert ended.data == as_stranger.get("/api/v1/blog/preview/guessed/").data
