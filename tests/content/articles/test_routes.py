"""Reads of articles: order, pages, filters, fields and visibility."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from blogapi.content.articles.lists.query_schemas import MAX_REFERENCES

ARTICLES = "/api/v1/blog/articles/"
OWN = ARTICLES + "author/me/"
UNKNOWN = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"


def titles(response):
    assert response.status_code == 200, response.json
    return [article["title"] for article in response.json]


@pytest.fixture
def articles(fill_blog, make_article, make_category, make_tag):
    """The uuids of the terms of three published articles and a draft.

    The published ones are B (2024, Kitchen, bread), A (2025, Kitchen, bread and rye) and C (2026, Walks).
    """

    def fill():
        kitchen, walks = make_category(name="Kitchen"), make_category(name="Walks")
        bread, rye = make_tag("bread"), make_tag("rye")
        make_article(title="B", category=kitchen, tags=(bread,), published_at="2024-01-01T00:00:00Z")
        make_article(title="A", category=kitchen, tags=(bread, rye), published_at="2025-01-01T00:00:00Z")
        make_article(title="C", category=walks, published_at="2026-01-01T00:00:00Z")
        make_article(title="Draft", category=walks, tags=(rye,), status="draft")
        return {"kitchen": kitchen.uuid, "walks": walks.uuid, "bread": bread.uuid, "rye": rye.uuid}

    return fill_blog("articles in two categories", fill)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "CAB"),
        ("?ordering=published_at", "BAC"),
        ("?ordering=title", "ABC"),
        ("?ordering=-title", "CBA"),
        ("?category=kitchen", "AB"),
        ("?category=kitchen&category=walks", "CAB"),
        ("?category=nowhere", ""),
        ("?tag=bread", "AB"),
        ("?tag=rye", "A"),
        ("?tag=rye&tag=bread", "AB"),
        ("?tag=rye&category=walks", ""),
        ("?tag=nowhere", ""),
        ("?tag=nowhere&tag=rye", "A"),
        ("?category=nowhere&category=walks", "C"),
        ("?tags_all=bread", "AB"),
        ("?tags_all=bread&tags_all=rye", "A"),
        ("?tags_all=rye&tags_all=rye", "A"),
        ("?tags_all=rye&tags_all=nowhere", ""),
        ("?tags_all=nowhere", ""),
        ("?tags_all=bread&tag=rye", "A"),
        ("?tags_all=bread&tags_all=rye&tag=rye&tag=bread", "A"),
        ("?tags_all=bread&tags_all=rye&category=walks", ""),
        ("?tags_all=bread&tags_all=rye&author=ada&ordering=title", "A"),
        ("?not_tag=rye", "CB"),
        ("?not_tag=rye&not_tag=bread", "C"),
        ("?not_tag=nowhere", "CAB"),
        ("?tag=bread&not_tag=rye", "B"),
        ("?tags_all=rye&not_tag=bread", ""),
        ("?author=ada&not_tag=rye", "CB"),
        ("?not_category=kitchen", "C"),
        ("?not_category=kitchen&not_category=walks", ""),
        ("?not_category=kitchen&not_category=nowhere", "C"),
        ("?not_category=nowhere", "CAB"),
        ("?tag=bread&not_category=kitchen", ""),
        ("?tag=bread&not_category=walks&ordering=title", "AB"),
        ("?author=ada&not_category=kitchen", "C"),
        ("?not_category=walks&not_tag=rye", "B"),
        ("?not_category=walks&not_tag=rye&page=1&page_size=1", "B"),
        ("?not_tag=rye&page=2&page_size=1", "B"),
        ("?updated_after=2000-01-01", "CAB"),
        ("?updated_after=2999-01-01", ""),
        ("?updated_after=2000-01-01&tag=bread&ordering=title", "AB"),
        ("?slug=a", "A"),
        ("?slug=draft", ""),
        ("?published_after=2025-01-01T00:00:00Z", "CA"),
        ("?published_before=2025-01-01T00:00:00Z", "B"),
        ("?published_after=2024-06-01&published_before=2025-06-01", "A"),
        ("?published_after=2025-01-01T02:00:00%2B02:00", "CA"),
        ("?published_after=2025-01-01T00:00:00.000001", "C"),
        ("?page=1&page_size=2", "CA"),
        ("?page=2&page_size=2", "B"),
        ("?page=3&page_size=2", ""),
        ("?page_size=1", "C"),
        ("?page=1", "CAB"),
    ],
)
def test_the_list_is_filtered_ordered_and_paged(as_reader, articles, query, expected):
    assert titles(as_reader.get(ARTICLES + query)) == list(expected)


def test_titles_are_ordered_without_regard_to_case_then_by_uuid(as_reader, make_article):
    for title in ("b", "C", "A", "a", "B", "c"):
        make_article(title=title)
    for ordering, descending in (("title", False), ("-title", True)):
        listed = as_reader.get(f"{ARTICLES}?ordering={ordering}&fields=uuid,title").json
        assert [article["title"].lower() for article in listed] == sorted("aabbcc", reverse=descending)
        by_uuid = sorted(listed, key=lambda article: article["uuid"])
        assert listed == sorted(by_uuid, key=lambda article: article["title"].lower(), reverse=descending)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        *(("category={kitchen}", "AB"), ("tag={bread}", "AB"), ("tags_all={bread}&tags_all=rye", "A")),
        *(("tags_all={bread}&tags_all=bread", "AB"), ("not_tag={rye}", "CB"), ("not_category={walks}", "AB")),
        *((f"tags_all={UNKNOWN}", ""), (f"not_tag={UNKNOWN}", "CAB"), (f"not_category={UNKNOWN}", "CAB")),
    ],
)
def test_category_and_tag_filters_accept_a_uuid(as_reader, articles, query, expected):
    assert titles(as_reader.get(f"{ARTICLES}?{query.format(**articles)}")) == list(expected)


@pytest.mark.parametrize("path", [ARTICLES, "/api/v1/blog/article-counts/"])
@pytest.mark.parametrize("name", ["category", "tag", "tags_all", "not_category", "not_tag"])
def test_a_filter_by_terms_is_repeated_at_most_100_times(as_admin, articles, name, path):
    slugs = [f"tag-{number}" for number in range(MAX_REFERENCES)]
    for allowed in (slugs, [slugs[0]] * MAX_REFERENCES):
        assert as_admin.get(path, query_string={name: allowed}).status_code == 200
    for refused in ([*slugs, "bread"], ["bread"] * 1_000):
        answer = as_admin.get(path, query_string={name: refused})
        assert (answer.status_code, [*answer.json["errors"]]) == (400, [name])


def test_an_article_with_100_tags_is_found_by_all_of_them(
    as_reader, make_article, make_tag, app, monkeypatch
):
    monkeypatch.setitem(app.config, "MAX_TAGS", MAX_REFERENCES)
    tags = [make_tag(f"tag-{number}") for number in range(MAX_REFERENCES)]
    make_article(title="All", tags=tags)
    make_article(title="Others", tags=tags[1:])
    slugs = [tag.slug for tag in tags]
    assert titles(as_reader.get(ARTICLES, query_string={"tags_all": slugs})) == ["All"]
    found = titles(as_reader.get(ARTICLES, query_string={"tags_all": slugs[1:]}))
    assert sorted(found) == ["All", "Others"]


@pytest.fixture
def uuids(as_admin, articles):
    """The uuids of the articles, by title."""
    listed = as_admin.get(f"{ARTICLES}?status=any&fields=title,uuid").json
    return {article["title"]: article["uuid"] for article in listed}


def list_by_uuid(client, uuids, rest=""):
    return client.get(f"{ARTICLES}?{'&'.join(f'uuid={uuid}' for uuid in uuids)}{rest}")


@pytest.mark.parametrize("paging", ["", "&page=1&page_size=100"])
def test_several_articles_are_listed_by_uuid_in_the_order_of_the_list(as_reader, uuids, paging):
    wanted = [uuids["A"], str(uuid4()), uuids["C"], uuids["A"], uuids["Draft"]]
    found = list_by_uuid(as_reader, wanted, paging)
    assert (titles(found), found.headers["X-Total-Count"]) == (["C", "A"], "2")
    assert titles(list_by_uuid(as_reader, wanted, f"&ordering=title{paging}")) == ["A", "C"]
    assert titles(list_by_uuid(as_reader, wanted, f"&tag=rye{paging}")) == ["A"]
    assert titles(list_by_uuid(as_reader, wanted, f"&category=walks{paging}")) == ["C"]
    assert list_by_uuid(as_reader, [uuids["Draft"]], paging).headers["X-Total-Count"] == "0"


def test_admins_list_several_articles_of_any_status_by_uuid(as_admin, uuids):
    wanted = [uuids["A"], uuids["Draft"]]
    assert titles(list_by_uuid(as_admin, wanted)) == ["A"]
    assert titles(list_by_uuid(as_admin, wanted, "&status=any")) == ["Draft", "A"]
    assert titles(list_by_uuid(as_admin, wanted, "&status=draft")) == ["Draft"]


def test_at_most_100_articles_are_listed_by_uuid(as_reader, uuids):
    wanted = [*(str(uuid4()) for _ in range(99)), uuids["A"]]
    assert titles(list_by_uuid(as_reader, wanted)) == ["A"]
    refused = list_by_uuid(as_reader, [*wanted, uuids["C"]])
    assert refused.status_code == 400
    assert refused.json["errors"] == {"uuid": ["Must contain at most 100 items."]}


def test_the_articles_that_changed_since_a_time_are_listed(as_reader, as_admin, uuids, set_clock):
    later = datetime.now(UTC) + timedelta(days=1)
    set_clock(later)
    assert as_admin.patch(f"{ARTICLES}{uuids['B']}/", json={"subtitle": "S"}).status_code == 200
    assert as_admin.patch(f"{ARTICLES}{uuids['Draft']}/", json={"subtitle": "S"}).status_code == 200
    edits = {"title": "A", "content": "Edits"}
    assert as_admin.put(f"{ARTICLES}{uuids['A']}/working-copy/", json=edits).status_code == 201
    changed = as_reader.get(f"{ARTICLES}{uuids['B']}/?fields=last_updated").json["last_updated"]
    for since in (changed.replace("+00:00", "Z"), f"{later:%Y-%m-%d}"):
        for rest in ("", "&page=1", "&ordering=-last_updated&page=1", "&category=kitchen", "&author=ada"):
            found = as_reader.get(f"{ARTICLES}?updated_after={since}{rest}")
            assert (titles(found), found.headers["X-Total-Count"]) == (["B"], "1"), rest
        assert titles(as_admin.get(f"{ARTICLES}?updated_after={since}")) == ["B"]
        assert titles(as_admin.get(f"{ARTICLES}?updated_after={since}&status=any")) == ["Draft", "B"]
    after = f"{datetime.fromisoformat(changed) + timedelta(microseconds=1):%Y-%m-%dT%H:%M:%S.%f}"
    assert titles(as_reader.get(f"{ARTICLES}?updated_after={after}")) == []


@pytest.mark.parametrize("status", ["any", "draft", "published"])
def test_the_filters_apply_to_lists_of_any_status_and_to_their_counts(as_admin, articles, status):
    expected = {
        "tags_all=rye": {"Draft": "draft", "A": "published"},
        "tags_all=rye&tags_all=bread": {"A": "published"},
        "not_tag=rye": {"B": "published", "C": "published"},
        "not_category=kitchen": {"C": "published", "Draft": "draft"},
        "not_category=kitchen&not_tag=rye": {"C": "published"},
    }
    for query, statuses in expected.items():
        wanted = {title for title, stored in statuses.items() if status in ("any", stored)}
        for paging in ("", "&page=1"):
            for path in (f"{ARTICLES}?status={status}&", f"{OWN}?status={status}&"):
                found = as_admin.get(f"{path}{query}{paging}")
                assert set(titles(found)) == wanted, query
                assert found.headers["X-Total-Count"] == str(len(wanted)), query
        assert as_admin.get(f"/api/v1/blog/article-counts/?{query}").json[status] == len(wanted), query


def test_the_author_filter_selects_the_articles_of_one_author(as_reader, people, articles, make_article):
    make_article(title="Grace's", author=people.other_admin)
    assert titles(as_reader.get(f"{ARTICLES}?author={people.other_admin.uuid}")) == ["Grace's"]


def test_articles_with_the_same_date_are_ordered_by_uuid(as_reader, make_article):
    created = sorted(str(make_article().uuid) for _ in range(5))
    assert [article["uuid"] for article in as_reader.get(ARTICLES).json] == created


@pytest.mark.parametrize(
    "query",
    [
        *(
            "?nonsense=1",
            "?query=words",
            "?fields=title,snippet",
            "?status=secret",
            "?ordering=created",
            "?ordering=",
            "?author=",
            "?slug=",
        ),
        *(
            "?category=",
            "?published_after=yesterday",
            "?published_after=2026-13-01",
            "?fields=",
            "?fields=secret",
        ),
        *("?fields=uuid,,title", "?page=0", "?page_size=0", "?page_size=101", "?page=one", "?page=1&page=2"),
        *(
            "?tags_all=",
            "?not_tag=",
            "?not_category=a&not_category=",
            "?tags_all=a%00",
            f"?not_tag={'a' * 256}",
        ),
        *("?uuid=", "?uuid=a", f"?uuid={UUID(int=0)}", f"?uuid={UNKNOWN}&uuid=bread"),
        *(
            "?updated_after=",
            "?updated_after=yesterday",
            "?updated_after=2026-01-01&updated_after=2026-01-02",
        ),
        *("?slug=a&slug=b", "?fields=uuid&fields=title", "?published_before=2026-01-01T00:00:00+02:00"),
    ],
)
def test_the_error_for_an_invalid_query_names_the_parameter(as_reader, query):
    response = as_reader.get(ARTICLES + query)
    assert (response.status_code, response.json["code"]) == (400, "invalid_query")
    assert query[1:].split("=")[0] in (str(response.json.get("errors")) + response.json["detail"])


def test_a_page_has_the_total_count_and_links_to_the_other_pages(as_reader, make_article):
    for _ in range(5):
        make_article()
    response = as_reader.get(ARTICLES + "?page=2&page_size=2&ordering=title")
    assert response.headers["X-Total-Count"] == "5"
    link = response.headers["Link"]
    rest = "?ordering=title&page={}&page_size=2>; rel="
    assert [part.split('"')[1] for part in link.split(", ")] == ["first", "prev", "next", "last"]
    for number in (1, 1, 3, 3):
        assert ARTICLES + rest.format(number) in link


def test_a_page_past_the_end_links_to_the_last_page(as_reader, make_article):
    make_article()
    response = as_reader.get(ARTICLES + "?page=9&page_size=1")
    assert response.json == []
    assert 'page=1&page_size=1>; rel="prev"' in response.headers["Link"]
    assert 'rel="next"' not in response.headers["Link"]


def test_a_complete_list_has_the_total_count_and_no_links(as_reader, articles):
    response = as_reader.get(ARTICLES)
    assert response.headers["X-Total-Count"] == "3"
    assert "Link" not in response.headers


def test_the_fields_parameter_selects_fields_in_a_list_and_in_an_item(as_reader, make_article):
    article = make_article(title="T", content="<p>One &amp; two</p>")
    assert as_reader.get(ARTICLES + "?fields=title,uuid").json == [{"uuid": str(article.uuid), "title": "T"}]
    assert as_reader.get(f"{ARTICLES}{article.uuid}/?fields=excerpt").json == {"excerpt": "One & two"}


def test_the_fields_parameter_can_select_additional_fields(as_reader, make_article):
    article = make_article(content="# Hello\n\n<script>x</script>", content_type="markdown")
    names = "created,last_updated,published_at,excerpt,reading_minutes,word_count,html,toc"
    shown = as_reader.get(f"{ARTICLES}{article.uuid}/?fields={names}").json
    assert sorted(shown) == sorted(names.split(","))
    assert shown["published_at"] == "2026-01-01T00:00:00.000000+00:00"
    assert shown["reading_minutes"] == 1
    assert shown["html"].rstrip() == '<h1 id="hello">Hello</h1>'


HIDDEN = [
    pytest.param({"status": "draft"}, id="draft"),
    pytest.param({"status": "archived", "published_at": "2020-01-01T00:00:00Z"}, id="archived"),
    pytest.param({"published_at": "2999-01-01T00:00:00Z"}, id="scheduled"),
]


@pytest.mark.parametrize("fields", HIDDEN)
@pytest.mark.parametrize("caller", ["as_reader", "as_member"])
def test_an_article_that_is_not_public_is_hidden_from_readers_and_members(
    request, make_article, make_tag, caller, fields
):
    client = request.getfixturevalue(caller)
    tag = make_tag("secret")
    article = make_article(title="Secret", slug="secret", tags=(tag,), **fields)
    named = {"X-Request-ID": "same"}
    hidden = client.get(f"{ARTICLES}{article.uuid}/", headers=named)
    unknown = client.get(f"{ARTICLES}00000000-0000-4000-8000-000000000000/", headers=named)
    assert (hidden.status_code, hidden.data, dict(hidden.headers)) == (
        404,
        unknown.data,
        dict(unknown.headers),
    )
    for query in ("", "?slug=secret", "?tag=secret", f"?author={article.author_id}", "?page=1"):
        response = client.get(ARTICLES + query)
        assert (response.json, response.headers["X-Total-Count"]) == ([], "0")
    assert client.get(f"/api/v1/blog/tags/{tag.uuid}/").json["articles"] == []
    assert client.get(f"/api/v1/blog/categories/{article.category_id}/").json["articles"] == []


@pytest.mark.parametrize("fields", HIDDEN)
@pytest.mark.parametrize("caller", ["as_admin", "as_reading_admin"])
def test_admins_can_read_a_hidden_article_but_do_not_see_it_in_the_public_list(
    request, make_article, caller, fields
):
    client = request.getfixturevalue(caller)
    article = make_article(**fields)
    assert client.get(f"{ARTICLES}{article.uuid}/").status_code == 200
    assert client.get(ARTICLES).json == []


def test_a_scheduled_article_appears_at_its_publication_time(as_reader, make_article, set_clock):
    due = datetime(2027, 1, 1, tzinfo=UTC)
    article = make_article(published_at=due.isoformat())
    set_clock(due - timedelta(microseconds=1))
    assert as_reader.get(f"{ARTICLES}{article.uuid}/").status_code == 404
    assert as_reader.get(ARTICLES).json == []
    set_clock(due)
    assert as_reader.get(f"{ARTICLES}{article.uuid}/").json["status"] == "published"
    assert len(as_reader.get(ARTICLES).json) == 1


@pytest.mark.parametrize(
    ("status", "expected"),
    [("draft", ["Draft"]), ("published", ["Now"]), ("scheduled", ["Ahead"]), ("archived", ["Old"])],
)
def test_own_articles_can_be_filtered_by_status(as_admin, make_article, status, expected):
    make_article(title="Draft", status="draft")
    make_article(title="Now")
    make_article(title="Ahead", published_at="2999-01-01T00:00:00Z")
    make_article(title="Old", status="archived")
    assert titles(as_admin.get(f"{OWN}?status={status}")) == expected


def test_drafts_without_a_date_come_first_in_the_list_of_own_articles(as_admin, make_article):
    make_article(title="Now")
    make_article(title="Draft", status="draft")
    assert titles(as_admin.get(OWN)) == ["Draft", "Now"]
    assert titles(as_admin.get(OWN + "?ordering=published_at")) == ["Now", "Draft"]
