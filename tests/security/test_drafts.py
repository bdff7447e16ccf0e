"""Whether there are drafts, and what they say: asked in every way, before there are any and after."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.contracts.client import lasting, outcome
from tests.security.conftest import SECRET, WHO, told

WORD = "quokka"
NEVER = {"status": "published", "published_at": "2999-01-01T00:00:00Z"}
STATES = {"draft": {"status": "draft"}, "archived": {"status": "archived"}, "scheduled": NEVER}
ANSWERS = (
    "uuid,title,slug,created,last_updated,published_at,excerpt,reading_minutes,html,status,category,tags,seo"
)
PARAMETERS = [
    "",
    f"?q={WORD}",
    f"?q={WORD}&fields=title,snippet",
    "?q=q",
    "?q=public",
    f"?slug={WORD}",
    f"?slug=former-{WORD}",
    "?tag=shared",
    "?tag={tag}",
    "?tag=shared&tag=shared&page=1&page_size=1",
    "?category=shared",
    "?category={category}",
    "?author={other}",
    "?author={ada}",
    "?published_after=2000-01-01",
    "?published_after=2998-12-31",
    "?published_before=3000-01-01",
    "?published_before=2999-01-02&published_after=2998-12-31",
    "?ordering=title",
    "?ordering=-title",
    "?ordering=published_at",
    "?page=1&page_size=1",
    "?page=2&page_size=1",
    "?page=1000",
    f"?fields={ANSWERS}",
    f"?fields={ANSWERS}&ordering=-published_at&page=1",
    f"?status=draft&q={WORD}",
]
PATHS = [
    *(f"{ARTICLES}{query}" for query in PARAMETERS),
    *(f"{base}{query}" for base in (CATEGORIES, TAGS) for query in ("", "?page=1&page_size=1")),
    *(f"{CATEGORIES}{{category}}/", f"{CATEGORIES}{{category}}/?fields=articles"),
    *(f"{TAGS}{{tag}}/", f"{TAGS}{{tag}}/?fields=articles", f"{ARTICLES}{{public}}/"),
    *("/api/v1/blog/redirects/", "/api/v1/blog/redirects/?page=1", "/api/v1/blog/changes/"),
    *("/api/v1/blog/changes/?limit=1", "/api/v1/blog/changes/?since=a1"),
    *(f"/api/v1/blog/changes/?since=p{number}" for number in range(1, 9)),
    *("/api/v1/blog/preview/x/", f"/api/v1/blog/preview/{WORD}/", "/health/", "/openapi.json"),
]


def refusal(who):
    """Return what a write gets of a caller who may not write."""
    codes = {"stranger": (401, "key_missing"), "admin's published key": (403, "scope_missing")}
    return codes.get(who, (403, "forbidden"))


@pytest.fixture
def scene(people, make_article, make_category, make_tag):
    """A blog without drafts, by the names that paths give it."""
    tag, category = make_tag("shared"), make_category(name="Shared")
    public = make_article(category, tags=(tag,), title="Public")
    return {
        "tag": str(tag.uuid),
        "category": str(category.uuid),
        "public": str(public.uuid),
        "other": str(people.other_admin.uuid),
        "ada": str(people.admin.uuid),
    }


@pytest.fixture
def hide(as_admin, scene):
    """Writes, renames, previews and deletes articles that are hidden, all under the same few words."""

    def writing(state):
        body = {
            "title": f"{WORD} title",
            "subtitle": WORD,
            "slug": f"former-{WORD}",
            "content": f"<p>{WORD} {SECRET}</p>",
            "category": {"uuid": scene["category"]},
            "tags": [{"uuid": scene["tag"]}],
        }
        made = as_admin.post(ARTICLES, json=body | STATES[state]).json
        path = f"{ARTICLES}{made['uuid']}/"
        assert as_admin.patch(path, json={"slug": WORD}).status_code == 200
        assert as_admin.post(f"{path}preview/").status_code == 201
        gone = as_admin.post(ARTICLES, json=body | {"slug": "gone", "title": f"{WORD} gone"}).json["uuid"]
        assert as_admin.delete(f"{ARTICLES}{gone}/").status_code == 204
        return as_admin.get(path)

    return writing


@pytest.fixture
def asked(scene, statements):
    """Asks each path; returns by path what it answers, and how many statements that took."""

    def ask(client):
        for _ in range(2):
            # The first notes that the key was used, the second looks up what is due.
            client.get(TAGS)
        found = {}
        for path in PATHS:
            with statements() as seen:
                found[path] = client.get(path.format(**scene)), len(seen)
        return found

    return ask


def said(answer):
    return answer.status_code, answer.data, lasting(answer)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key", "member"])
def test_no_answer_differs_for_a_hidden_article(request, attempt, scene, asked, hide, who, state):
    client = request.getfixturevalue(WHO[who])
    before = asked(client)
    hide(state)
    for path, (answer, statements) in asked(client).items():
        attempt(who, f"find the {state} by GET {path}", answer)
        former, took = before[path]
        assert (said(answer), statements) == (said(former), took), path
        head = client.head(path.format(**scene))
        assert (head.status_code, head.data, lasting(head)) == (former.status_code, b"", lasting(former))
        # Whoever has seen the answer before is told that nothing changed.
        etag = former.headers.get("ETag")
        if etag:
            again = client.get(path.format(**scene), headers={"If-None-Match": etag})
            assert again.status_code == 304, path


@pytest.mark.parametrize("who", ["as_published_member", "as_published_admin"])
def test_a_published_key_reads_exactly_what_an_anonymous_one_reads(
    request, scene, asked, hide, as_reader, who
):
    hide("draft")
    theirs = asked(request.getfixturevalue(who))
    for path, (answer, statements) in asked(as_reader).items():
        found, took = theirs[path]
        assert (said(found), took) == (said(answer), statements), path


@pytest.mark.parametrize("who", ["anonymous key", "admin's published key", "member"])
def test_the_etag_of_a_draft_opens_nothing(request, attempt, scene, hide, who):
    client, seen = request.getfixturevalue(WHO[who]), hide("draft")
    path, etag = f"{ARTICLES}{seen.json['uuid']}/", seen.headers["ETag"]
    for name in ("If-None-Match", "If-Match"):
        for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
            answer = client.open(path, method=method, headers={name: etag}, json={"title": "T"})
            attempt(who, f"{method} the draft with its ETag as {name}", answer)
            assert answer.status_code == (404 if method in ("GET", "HEAD") else 403)
            assert etag not in told(answer)


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key", "member"])
def test_the_key_of_a_retry_gives_no_answer_to_another(request, attempt, scene, as_admin, who):
    body = {"title": SECRET, "category": {"uuid": scene["category"]}}
    headers = {"Idempotency-Key": "retry"}
    assert as_admin.post(ARTICLES, json=body, headers=headers).status_code == 201
    client = request.getfixturevalue(WHO[who])
    answer = attempt(
        who, "POST under an admin's Idempotency-Key", client.post(ARTICLES, json=body, headers=headers)
    )
    assert outcome(answer) == refusal(who) and SECRET not in told(answer)


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key", "member"])
@pytest.mark.parametrize("body", [{"slug": WORD}, {"title": WORD}, {"category": {"slug": "nothing"}}, {}, []])
def test_no_error_tells_of_a_slug_that_a_draft_has(request, attempt, scene, hide, who, body):
    hide("draft")
    client = request.getfixturevalue(WHO[who])
    for method in ("POST", "PUT", "PATCH"):
        answer = client.open(ARTICLES, method=method, json=body)
        attempt(who, f"{method} an article with {body}", answer)
        assert outcome(answer) == refusal(who) and WORD not in told(answer)


@pytest.mark.parametrize("who", ["stranger", "anonymous key", "admin's published key", "member"])
def test_revisions_and_previews_are_closed_alike_for_all(request, attempt, scene, hide, who):
    client, uuid = request.getfixturevalue(WHO[who]), hide("draft").json["uuid"]
    for rest in ("revisions/", "revisions/1/", "revisions/99/", "revisions/1/compare/", "preview/"):
        answers = [client.get(f"{ARTICLES}{id}/{rest}") for id in (uuid, scene["public"], "x")]
        attempt(who, f"GET {rest} of a draft", answers[0])
        assert {answer.status_code for answer in answers} <= {401, 403}
        assert len({answer.data for answer in answers}) == 1


def test_a_preview_shows_its_article_and_no_more(as_stranger, as_admin, attempt, scene, hide):
    path = f"{ARTICLES}{hide('draft').json['uuid']}/"
    link = as_admin.post(f"{path}preview/").json
    answer = attempt("stranger", "GET a preview", as_stranger.get(link["url"]))
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    header = {"X-API-KEY": link["url"].rstrip("/").rsplit("/", 1)[-1]}
    assert (
        attempt("stranger", "a preview's token as a key", as_stranger.get(path, headers=header)).status_code
        == 401
    )
    assert as_admin.delete(f"{path}preview/{link['uuid']}/").status_code == 204
    ended = attempt("stranger", "GET a preview that was revoked", as_stranger.get(link["url"]))
    assert ended.data == as_stranger.get("/api/v1/blog/preview/guessed/").data
