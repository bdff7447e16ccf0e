"""`articles_count` of categories and tags is the number of their public articles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS

BOTH = pytest.mark.parametrize("path", [CATEGORIES, TAGS])
HIDDEN = [
    {"status": "draft"},
    {"status": "draft", "published_at": "2020-01-01T00:00:00Z"},
    {"status": "archived", "published_at": "2020-01-01T00:00:00Z"},
    {"published_at": "2999-01-01T00:00:00Z"},
]
DUE = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture
def terms(make_category, make_tag):
    """A category and a tag, by path of the list."""
    return {CATEGORIES: make_category(name="a"), TAGS: make_tag("a")}


@pytest.fixture
def write(make_article, terms):
    """Creates an article with the category and the tag."""
    return lambda **fields: make_article(terms[CATEGORIES], (terms[TAGS],), **fields)


@pytest.fixture
def reads(terms):
    """Returns the path of the list and that of the item, with the count selected."""
    return lambda path: (
        f"{path}?fields=slug,articles_count",
        f"{path}{terms[path].uuid}/?fields=slug,articles_count",
    )


def count(client, reads):
    """Return the count of the term with the slug `a`, which a list and an item show alike."""
    listed, single = (client.get(read).json for read in reads)
    shown = next(term for term in listed if term["slug"] == "a")
    assert shown == single and list(shown) == ["slug", "articles_count"]
    return shown["articles_count"]


@BOTH
def test_public_articles_are_counted_in_a_list_and_in_an_item(
    as_reader, as_admin, write, reads, make_category, make_tag, make_article, path
):
    assert count(as_reader, reads(path)) == 0
    created = [write() for _ in range(3)]
    make_article(make_category(name="b"), (make_tag("b"), make_tag("c")))
    assert count(as_reader, reads(path)) == 3
    page = as_reader.get(f"{path}?page=2&page_size=1&fields=name,articles_count").json
    assert page == [{"name": "b", "articles_count": 1}]
    as_admin.delete(f"{ARTICLES}{created[0].uuid}/")
    assert count(as_reader, reads(path)) == 2


@BOTH
def test_the_count_is_shown_between_the_fields_and_the_articles(as_reader, write, terms, path):
    write()
    single = f"{path}{terms[path].uuid}/"
    documented = as_reader.get(single).json
    shown = as_reader.get(f"{single}?fields=articles_count,*").json
    assert list(shown)[-2:] == ["articles_count", "articles"]
    assert shown == documented | {"articles_count": 1}
    assert as_reader.get(f"{single}?fields=articles_count").json == {"articles_count": 1}
    assert "articles_count" not in documented and "articles_count" not in as_reader.get(path).json[0]


@BOTH
@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
def test_articles_that_are_not_public_are_not_counted_and_change_no_etag(request, write, reads, path, hidden):
    callers = ("as_reader", "as_member", "as_published_admin", "as_admin", "as_login")
    clients = {caller: request.getfixturevalue(caller) for caller in callers}
    write()
    former = {caller: [client.get(read) for read in reads(path)] for caller, client in clients.items()}
    write(**hidden)
    for caller, client in clients.items():
        before, after = former[caller], [client.get(read) for read in reads(path)]
        assert count(client, reads(path)) == 1, caller
        assert [one.headers["ETag"] for one in after] == [one.headers["ETag"] for one in before], caller
        assert [one.data for one in after] == [one.data for one in before], caller


@BOTH
@pytest.mark.parametrize(
    "change", [{"status": "draft"}, {"status": "archived"}, {"tags": [], "category": None}]
)
def test_a_change_of_an_article_changes_the_count_and_the_etag(
    as_reader, as_admin, write, reads, make_category, path, change
):
    article = write()
    before = [as_reader.get(read).headers["ETag"] for read in reads(path)]
    assert count(as_reader, reads(path)) == 1
    if "category" in change:
        change = change | {"category": {"uuid": str(make_category(name="b").uuid)}}
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json=change).status_code == 200
    assert count(as_reader, reads(path)) == 0
    for read, etag in zip(reads(path), before, strict=True):
        assert as_reader.get(read, headers={"If-None-Match": etag}).status_code == 200


@BOTH
def test_a_scheduled_article_is_counted_when_it_is_due(as_reader, write, reads, set_clock, path):
    write(published_at=DUE.isoformat())
    etags = []
    for time, number in ((DUE - timedelta(microseconds=1), 0), (DUE, 1)):
        set_clock(time)
        assert count(as_reader, reads(path)) == number
        etags.append({as_reader.get(read).headers["ETag"] for read in reads(path)})
    assert etags[0].isdisjoint(etags[1])


@pytest.mark.parametrize("own", ["en", "de"])
def test_a_list_counts_the_articles_of_a_language_as_their_list_has_them(
    as_reader, as_login, write, terms, own
):
    for language in ("", "", "de", "en", "fr"):
        write(language=language)
    write(language="fr", status="draft")
    as_login.patch("/api/v1/blog/site/", json={"language": own})
    author = as_reader.get(AUTHORS).json[0]["slug"]
    slugs = {CATEGORIES: ("category", "a"), TAGS: ("tag", "a"), AUTHORS: ("author", author)}
    for path, (kind, slug) in slugs.items():
        numbers = {}
        for language in ("en", "de", "FR", "nl"):
            (shown,) = as_reader.get(f"{path}?language={language}&fields=articles_count").json
            listed = as_reader.get(f"{ARTICLES}?{kind}={slug}&language={language}&fields=uuid").json
            numbers[language] = shown["articles_count"]
            assert numbers[language] == len(listed), (path, language)
        # The articles in English were written while it was the language of the site.
        assert numbers == {"FR": 1, "nl": 0} | ({"en": 3, "de": 1} if own == "en" else {"en": 0, "de": 4})
        assert as_reader.get(f"{path}?fields=articles_count").json == [{"articles_count": 5}]
        assert as_reader.get(f"{path}?language=de").json == as_reader.get(path).json


@BOTH
def test_a_stranger_sees_no_count(as_stranger, reads, path):
    assert [as_stranger.get(read).status_code for read in reads(path)] == [401, 401]


@BOTH
@pytest.mark.parametrize("number", [1, 5])
def test_the_counts_take_one_statement(
    as_reader, write, reads, make_category, make_tag, record_statements, path, number
):
    for _ in range(number):
        make_category()
        make_tag()
        write()
    for read in reads(path):
        as_reader.get(read)
        numbers = []
        for address in (read.replace(",articles_count", ""), read):
            with record_statements() as statements:
                assert as_reader.get(f"{address},name").status_code == 200
            numbers.append(len(statements))
        assert numbers[1] == numbers[0] + 1
