"""Hidden pages and translations change no response: every path is requested before and after."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.contracts.client import get_stable_headers
from tests.security.conftest import CALLERS
from tests.site.conftest import set_site

__all__ = ["set_site"]

PAGES = "/api/v1/blog/pages/"
WORD = "quokka"
LATER = {"status": "published", "published_at": "2999-01-01T00:00:00Z"}
STATES = {
    "draft": {"status": "draft"},
    "archived": {"status": "archived"},
    "scheduled": LATER,
    "unlisted": {"status": "unlisted"},
}
FIELDS = "url,head,translations,links,authors,html,custom,working_copy,editor,open_by,custom_unfit"
_LIST_QUERIES = (
    *("", "?page=1&page_size=1", "?language=de", "?language=en", "?language=fr&page=1", "?translation_key=k"),
    *("?translation_key=hidden", f"?q={WORD}", f"?q={WORD}&ordering=title", f"?slug={WORD}", "?tag=shared"),
    *(f"?fields={FIELDS}&page=1", "?ordering=-title", "?author=hidden", "?author=ada", "?featured=true"),
    *("?updated_after=2000-01-01&page=1", "?not_tag=nothing&page=1", f"?translation_key=k&fields={FIELDS}"),
)
PATHS = (
    *(f"{base}{query}" for base in (PAGES, ARTICLES) for query in _LIST_QUERIES),
    *(
        f"{PAGES}?parent=",
        f"{PAGES}?parent={WORD}",
        f"{PAGES}?parent={{page}}",
        f"{PAGES}?parent=public-page",
    ),
    *(f"{PAGES}?parent={WORD}-{state}&page=1" for state in STATES if state != "unlisted"),
    *(f"{PAGES}{{page}}/?fields={FIELDS},parent,position", f"{PAGES}public-page/", f"{PAGES}{{below}}/"),
    f"{ARTICLES}{{article}}/?fields={FIELDS},previous,next,related",
    *(f"{base}{WORD}-{state}/" for base in (PAGES, ARTICLES) for state in STATES if state != "unlisted"),
    *("/feeds/rss.xml", "/feeds/rss.xml?language=de", "/feeds/atom.xml?language=en", "/sitemap.xml"),
    *("/feeds/feed.json?language=fr", "/api/v1/blog/archive/", "/api/v1/blog/site/"),
    *("/api/v1/blog/redirects/", "/api/v1/blog/redirects/?format=netlify", "/api/v1/blog/redirects/?page=1"),
    *("/api/v1/blog/changes/", "/api/v1/blog/changes/?since=now"),
    *(f"{base}?fields=name,articles_count" for base in (CATEGORIES, TAGS, AUTHORS)),
    *(f"{base}{{{name}}}/?fields=*,head" for base, name in ((TAGS, "tag"), (AUTHORS, "hidden"))),
)


@pytest.fixture
def ids(as_admin, make_article, make_tag, make_guest, set_site):
    """The uuids of a blog in two languages without hidden items, by their placeholders in paths."""
    set_site(
        url="https://blog.example", title="Blog", language="en", article_path="{/language}/{local_slug}/"
    )
    tag, hidden = make_tag("shared"), make_guest("Hidden")
    shared = {"translation_key": "k", "tags": [{"slug": "shared"}], "status": "published"}
    page = as_admin.post(PAGES, json={"title": "Public page", **shared}).json
    below = as_admin.post(PAGES, json={"title": "Below", "status": "published", "parent": page["uuid"]}).json
    article = make_article(title="Public", translation_key="k", tags=(tag,))
    make_article(title="Öffentlich", translation_key="k", language="de")
    return {
        **{"page": page["uuid"], "below": below["uuid"], "article": str(article.uuid)},
        **{"tag": str(tag.uuid), "hidden": str(hidden.uuid)},
    }


@pytest.fixture
def create_hidden(as_admin, ids):
    """Creates, renames, moves and deletes an article and a page in a state that is in no list."""

    def create(state):
        body = {
            **{"title": f"{WORD} title", "content": f"{WORD} text", "tags": [{"slug": "shared"}]},
            **{"authors": [{"uuid": ids["hidden"]}], "featured": True, **STATES[state]},
        }
        for language in ("de", "fr", "en"):
            for base, place in (
                (ARTICLES, {"category": {"slug": "shelf"}}),
                (PAGES, {"parent": ids["page"]}),
            ):
                sent = body | place | {"language": language, "translation_key": "k"}
                created = as_admin.post(base, json=sent)
                assert created.status_code == 201, created.json
                path = f"{base}{created.json['uuid']}/"
                end = "" if (base, language) == (PAGES, "fr") else f"-{len(base)}-{language}"
                slug = f"{WORD}-{state}{end}"
                renamed = as_admin.patch(path, json={"slug": slug})
                assert renamed.status_code == 200, renamed.json
                if base == PAGES:
                    below = as_admin.post(
                        PAGES, json={**body, "parent": created.json["uuid"], "status": "draft"}
                    ).json
                    moved = as_admin.patch(f"{PAGES}{below['uuid']}/", json={"parent": ids["below"]})
                    assert moved.status_code == 200
                    assert as_admin.patch(path, json={"parent": None}).status_code == 200
                gone = as_admin.post(base, json=sent).json["uuid"]
                assert as_admin.delete(f"{base}{gone}/").status_code == 204

    return create


def read_all(client, ids, record_statements):
    client.get(TAGS), client.get(TAGS)
    found = {}
    for path in PATHS:
        with record_statements() as seen:
            response = client.get(path.format(**ids))
        assert response.status_code in (200, 401, 403, 404), (path, response.json)
        found[path] = (response, len(seen))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("caller", ["stranger", "anonymous key", "admin's published key", "member", "author"])
def test_hidden_pages_and_translations_change_no_response(
    request, ids, create_hidden, record_statements, caller
):
    client = request.getfixturevalue({**CALLERS, "author": "as_author"}[caller])
    before = read_all(client, ids, record_statements)
    for state in STATES:
        create_hidden(state)
    for path, (response, statements) in read_all(client, ids, record_statements).items():
        former, took = before[path]
        assert (response.status_code, response.text) == (former.status_code, former.text), path
        assert get_stable_headers(response) == get_stable_headers(former), path
        # A cached response needs no statement.
        assert statements in (0, took), path
