"""Full-text search: matches, their order, and the index behind them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from blogapi.content.articles.models import Article
from blogapi.content.search import engine_base
from blogapi.storage.database import db
from tests.conftest import ARTICLES
from tests.content.search.conftest import OWN, day
from tests.texts import texts


def test_matches_are_ordered_by_relevance(find, make_article):
    # The articles are in descending order of relevance. Their publication times have another order.
    fits = [
        {"title": "Rye bread"},
        {"title": "Bread of rye"},
        {"title": "Of rye", "subtitle": "and bread"},
        {"title": "Five", "content": "The rye bread."},
        {"title": "Six", "content": "Bread and not only rye."},
        {"title": "Of rye again", "content": "Bread."},
    ]
    for number, fields in enumerate(fits[:4], 1):
        make_article(published_at=day(number), **fields)
    make_article(published_at=day(8), **fits[4])
    make_article(published_at=day(7), **fits[5])
    make_article(title="Rye", published_at=day(9))
    expected = ["Rye bread", "Bread of rye", "Of rye", "Five", "Six", "Of rye again"]
    assert find("rye bread") == expected
    # The order does not depend on the page size.
    for size in (1, 2, 4):
        pages = [find("rye bread", page=page, page_size=size) for page in range(1, 8)]
        assert [title for page in pages for title in page] == expected


def test_matches_of_a_single_word_are_ordered_by_the_field_that_contains_the_word(find, make_article):
    make_article(title="Bread", published_at=day(1))
    make_article(title="B", subtitle="bread", published_at=day(2))
    make_article(title="C", content="bread bread bread bread", published_at=day(4))
    make_article(title="D", content="bread", published_at=day(3))
    make_article(title="Breadth", published_at=day(5))
    assert find("bread") == ["Breadth", "Bread", "B", "C", "D"]


def test_equally_relevant_matches_come_newest_first(find, make_article):
    for number in (3, 1, 5, 2, 4):
        make_article(title=f"{number} bread", published_at=day(number))
    assert find("bread") == [f"{number} bread" for number in (5, 4, 3, 2, 1)]


FOLDED = [
    *[(word, True) for word in ("cafe", "café", "CAFÉ", "cafe\u0301", "caf", "ca")],
    *[(word, True) for word in ("uber", "über", "ÜBER", "angstrom", "Ångström", "a\u030angstro\u0308m")],
    *[(word, True) for word in ("straße", "STRAßE", "naive", "strudel naïve")],
    *[("afe", False), ("c", False), ("caf naive", False), ("strasse zebra", False)],
    *[("naive strud", True), ("strud naive", False)],
    *[(word, True) for word in ("strasse", "STRASSE", "straß", "ﬁn", "FIN", "Ｓｔｒａｓｓｅ", "h2o", "H₂O")],
]


def test_case_and_diacritics_are_ignored_and_the_last_word_matches_as_a_prefix(find, make_article):
    make_article(title="T", content="Café über Ångström, Straße: naïve Strudel ﬁn H₂O")
    assert [(words, bool(find(words))) for words, _ in FOLDED] == FOLDED


def test_diacritics_are_ignored_in_texts_and_queries(find, make_article):
    for content in ("Cafe", "CAFÉ", "cafe\u0301"):
        make_article(title="T", content=content)
    for words in ("café", "cafe", "CAFE\u0301"):
        assert find(words) == ["T"] * 3


IDEOGRAPHS = [
    *[(word, True) for word in ("语言", "Go语言", "go语", "语", "学习Go", "我们 编程", "编程 Go")],
    *[("言语", False), ("Go编程", False), ("Java语言", False), ("パン", True), ("ぱん", False)],
]


def test_a_query_of_ideographs_finds_only_texts_with_the_ideographs_in_the_same_order(find, make_article):
    make_article(title="T", content="我们学习Go语言编程。パンを焼く")
    assert [(words, bool(find(words))) for words, _ in IDEOGRAPHS] == IDEOGRAPHS


@pytest.mark.parametrize(
    ("text", "found", "missing"),
    [
        ("ภาษาไทยง่ายมาก น้ำดื่ม", ("ง่าย", "ภาษา", "ไทย", "ไทย ง่าย", "มาก", "น้ำ"), ("งาย", "ไทยมาก", "ถ้า")),
        ("ພາສາລາວງ່າຍຫຼາຍ", ("ລາວ", "ງ່າຍ", "ພາສາ"), ("ງາຍ", "ລາວພາສາ")),
        ("ភាសាខ្មែរងាយស្រួល", ("ខ្មែរ", "ងាយ", "ស្រួល"), ("ខែរ", "ងាយខ្មែរ")),
        ("မြန်မာဘာသာစကားလွယ်တယ်", ("ဘာသာ", "စကား", "လွယ်", "မြန်မာ"), ("မန်မာ", "စကားဘာသာ")),
    ],
)
def test_words_inside_a_run_of_a_script_without_spaces_are_found(find, make_article, text, found, missing):
    make_article(title="T", content=f"x {text}")
    assert [word for word in (*found, *missing) if find(word)] == [*found]


def test_a_written_excerpt_is_searched_and_a_generated_one_is_not_twice(
    find, make_article, as_admin, as_reader
):
    uuid = make_article(title="T", content="Rye", excerpt="Sourdough for beginners").uuid
    assert find("sourdough") == find("sourdough rye") == ["T"]
    query = {"q": "sourdough", "fields": "snippet"}
    assert "<mark>Sourdough</mark>" in as_reader.get(ARTICLES, query_string=query).json[0]["snippet"]
    changed = as_admin.patch(f"{ARTICLES}{uuid}/", json={"excerpt": "Oats"})
    assert changed.status_code == 200
    assert (find("oats"), find("sourdough")) == (["T"], [])


@pytest.fixture
def languages(make_article):
    """Articles about programming languages, and newer articles that contain only similar words."""
    contents = [
        "C++ (1985)",
        "ASP.NET",
        "C#, F#.",
        "Try Node.js.",
        "Vitamin c",
        "The net",
        "Cats, co. node js",
    ]
    for number, content in enumerate(contents, 1):
        make_article(title=str(number), content=content, published_at=day(number))


AS_WRITTEN = [
    *[("c++", ["1", "5", "3"]), ("C#", ["3", "5", "1"]), ("c", ["5", "3", "1"]), ("(c", ["5", "3", "1"])],
    *[(".net", ["2", "6"]), ("net", ["6", "2"]), ("asp.net", ["2"])],
    *[("node.js", ["4", "7"]), ("node js", ["7", "4"]), ("try (Node.js)", ["4"]), ("ca++", ["7"])],
]


def test_exact_matches_of_terms_come_first_and_only_a_long_word_matches_as_a_prefix(find, languages):
    assert [(words, find(words)) for words, _ in AS_WRITTEN] == AS_WRITTEN


OPERATORS = [
    *('"', '""', '"bread', 'bread"', "AND", "OR", "NOT", "NEAR", "NEAR(bread", "bread AND", "OR bread"),
    *("NOT bread", "bread*", "*", "^bread", "^", "title:bread", "title : bread", "{title} : bread"),
    *("-bread", "- bread", "+", "bread + rye", "(", ")", "(bread", "bread)", "()", "{", "}", "[", "]"),
    *("\\", "'", "';--", "bread & rye", "bread | rye", "!bread", "bread <-> rye", ":*", "bread:*", "%"),
    *("_", "?", "--", "\u0301", "\ufffd", "\u2028", "🥖", "bread 🥖", "½", "²", "٣", "ß", "İ", "ﬁ"),
    # These letters are missing from SQLite's Unicode tables.
    *("\U0001e900", "a \U0001e900", "\U0001e900 bread"),
    *("a " * 100, "bread " * 33, "语" * 200, "a" * 200, '"' * 200, "(" * 200),
]


@pytest.mark.parametrize(("path", "more"), [(ARTICLES, {}), (OWN, {}), (ARTICLES, {"ordering": "title"})])
def test_no_character_in_a_query_is_an_operator(as_admin, make_article, path, more):
    make_article(title="T", content="and or not near title")
    for words in OPERATORS:
        response = as_admin.get(path, query_string={"q": words, "fields": "title,snippet"} | more)
        assert response.status_code == 200, (words, response.json)
        assert {article["title"] for article in response.json} <= {"T"}


HARMLESS = [
    *[("NOT rye", ["B"]), ("bread OR salt", []), ("bread NOT rye", []), ("bread AND rye", [])],
    *[("title:bread", []), ("br*ad", []), ("bread*", ["A"]), ("-bread", ["A"]), ("^bread", ["A"])],
    *[('"bread"', ["A"]), ("(bread)", ["A"]), ("bread - butter", ["A"]), ("bread-and", ["A"])],
    *[("brea* butter", []), ("🥖 bread", ["A"]), ("c++", ["B"]), ("and", ["A"])],
]


def test_an_operator_is_read_as_a_word_or_ignored(find, make_article):
    make_article(title="A", content="bread and butter")
    make_article(title="B", content="not only rye; C++ too")
    assert [(words, find(words)) for words, _ in HARMLESS] == HARMLESS


@pytest.mark.parametrize("words", ["\x00", "bread\x00", "\x02", "a" * 201])
def test_an_invalid_query_is_refused(as_reader, words):
    response = as_reader.get(ARTICLES, query_string={"q": words})
    assert (response.status_code, response.json["code"]) == (400, "invalid_query")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(texts | st.sampled_from(OPERATORS), max_size=4).map(lambda some: " ".join(some)[:200]),
    content=texts,
)
@example(words="a", content="&#2;a&#3;")
def test_any_query_returns_safe_snippets(app, as_admin, make_article, words, content):
    with app.app_context():
        uuid = db.session.query(Article.uuid).limit(1).scalar()
    created = {"content": content + " " + words, "content_type": "html"}
    response = as_admin.patch(f"{ARTICLES}{uuid or make_article(title='Word').uuid}/", json=created)
    assert response.status_code in (200, 422)
    for more in ({}, {"ordering": "-title"}):
        asked = {"q": words, "fields": "title,snippet"} | more
        response = as_admin.get(ARTICLES, query_string=asked)
        assert response.status_code in (200, 400)
        for hit in response.json if response.status_code == 200 else ():
            bare = hit["snippet"].replace("<mark>", "").replace("</mark>", "")
            assert "<" not in bare and ">" not in bare
            marks = [part[:1] for part in hit["snippet"].split("<") if part[:5] in ("mark>", "/mark")]
            assert marks == ["m", "/"] * (len(marks) // 2)


@pytest.fixture
def kitchen(make_article, make_category, make_tag, people):
    """Five articles in two categories, with two tags, by two authors; four of them contain `bread`."""
    kitchen, walks = make_category(name="Kitchen"), make_category(name="Walks")
    rye, wheat = make_tag("rye"), make_tag("wheat")
    make_article(title="A bread", category=kitchen, tags=(rye,), published_at=day(1))
    make_article(title="B", content="bread", category=kitchen, tags=(rye, wheat), published_at=day(2))
    make_article(title="C", subtitle="bread", category=walks, tags=(wheat,), published_at=day(3))
    make_article(title="D bread", category=walks, author=people.other_admin, published_at=day(4))
    make_article(title="E", category=kitchen, tags=(rye,), published_at=day(5))
    return {"kitchen": kitchen, "rye": rye, "grace": people.other_admin}


NARROWED = [
    ("", ["D bread", "A bread", "C", "B"]),
    ("category=kitchen", ["A bread", "B"]),
    ("category=kitchen&category=walks", ["D bread", "A bread", "C", "B"]),
    ("category=nowhere", []),
    ("category={kitchen.uuid}&tag=rye&tag=wheat", ["A bread", "B"]),
    ("tag=wheat", ["C", "B"]),
    ("tag={rye.uuid}", ["A bread", "B"]),
    ("tag=nothing", []),
    ("author={grace.uuid}", ["D bread"]),
    ("slug=b", ["B"]),
    ("slug=e", []),
    ("published_after=2026-01-02", ["D bread", "C", "B"]),
    ("published_after=2026-01-02&published_before=2026-01-03", ["B"]),
    ("tag=rye&published_after=2026-01-02", ["B"]),
    ("ordering=title", ["A bread", "B", "C", "D bread"]),
    ("ordering=published_at&category=kitchen", ["A bread", "B"]),
    ("ordering=-published_at", ["D bread", "C", "B", "A bread"]),
]


def test_a_search_is_filtered_ordered_and_paginated_like_a_list(as_reader, kitchen):
    for query, found in NARROWED:
        path = f"{ARTICLES}?q=bread&{query}&fields=title".format(**kitchen).replace("&&", "&")
        response = as_reader.get(path)
        assert [hit["title"] for hit in response.json] == found, query
        assert response.headers["X-Total-Count"] == str(len(found))
        for size in (1, 3):
            pages = []
            for page in range(1, len(found) // size + 3):
                part = as_reader.get(f"{path}&page={page}&page_size={size}")
                assert part.headers["X-Total-Count"] == str(len(found))
                pages += [hit["title"] for hit in part.json]
            assert pages == found, (query, size)


def test_a_search_has_at_most_50_pages(as_reader, make_article):
    for number in range(52):
        make_article(title=f"Bread {number}", published_at=day(1))
    for more in ("", "&ordering=title"):
        path = f"{ARTICLES}?q=bread&page_size=1{more}"
        last = as_reader.get(f"{path}&page=50")
        assert (len(last.json), last.headers["X-Total-Count"]) == (1, "52")
        assert "page=51" not in last.headers["Link"]
        assert 'page=50&page_size=1>; rel="last"' in as_reader.get(f"{path}&page=1").headers["Link"]
        refused = as_reader.get(f"{path}&page=51")
        assert (refused.status_code, refused.json["code"]) == (400, "invalid_query")
        assert "50 pages" in refused.json["errors"]["page"][0]
    assert as_reader.get(f"{ARTICLES}?page=51&page_size=1").json


def test_phrases_rank_above_scattered_words_only_among_the_newest_matches(find, make_article, monkeypatch):
    contents = ["rye bread", "bread, rye", "rye bread", "bread, rye"]
    for number, content in enumerate(contents, 1):
        make_article(title=str(number), content=content, published_at=day(number))
    assert find("rye bread") == ["3", "1", "4", "2"]
    monkeypatch.setattr(engine_base, "MAX_CANDIDATES", 3)
    # Because of this write, the next search is not answered from the response cache.
    make_article(title="Other", published_at=day(9))
    for more in ({}, {"category": "shelf"}):
        assert find("rye bread", **more) == ["3", "4", "2", "1"]
        pages = [find("rye bread", page=page, page_size=1, **more) for page in range(1, 6)]
        assert pages == [["3"], ["4"], ["2"], ["1"], []]


def test_a_search_without_matches_is_empty(as_reader, kitchen):
    for words in ("🥖", "zebra"):
        for more in ("", "&page=1", "&ordering=title", "&tag=rye", "&page=9&page_size=1"):
            response = as_reader.get(f"{ARTICLES}?q={words}{more}")
            assert (response.json, response.headers["X-Total-Count"]) == ([], "0")


def test_a_search_result_has_the_same_fields_as_a_list_item(as_reader, kitchen):
    whole = {one["uuid"]: one for one in as_reader.get(ARTICLES).json}
    for hit in as_reader.get(ARTICLES + "?q=bread").json:
        assert hit == whole[hit["uuid"]]
    assert as_reader.get(ARTICLES + "?q=bread&fields=snippet,title&page_size=1").json == [
        {"title": "D bread", "snippet": "D <mark>bread</mark>"}
    ]


def test_markup_is_not_searched(find, make_article):
    make_article(title="T", content='<p class="hidden"><a href="https://example.org">x</a></p>')
    assert [word for word in ("p", "class", "href", "example", "hidden") if find(word)] == []


def test_every_write_updates_the_search_index(find, as_admin, make_article):
    one, other = make_article(title="Zebra"), make_article(title="Other", content="zebra")
    path = f"{ARTICLES}{one.uuid}/"
    assert find("zebra") == ["Zebra", "Other"]
    as_admin.patch(path, json={"title": "Okapi"})
    assert (find("zebra"), find("okapi")) == (["Other"], ["Okapi"])
    as_admin.put(path, json={"title": "Quagga", "category": {"slug": "shelf"}, "status": "published"})
    assert (find("okapi"), find("quagga")) == ([], ["Quagga"])
    both = [{"uuid": str(article.uuid), "subtitle": "both"} for article in (one, other)]
    as_admin.patch(ARTICLES, json=both)
    assert sorted(find("both")) == ["Other", "Quagga"]
    bad = [{"uuid": str(one.uuid), "title": "Lost"}, {"uuid": str(other.uuid), "slug": "quagga-x y"}]
    assert as_admin.patch(ARTICLES, json=bad).status_code == 422
    gone = [{"uuid": str(one.uuid), "title": "Lost"}, {"uuid": "11111111-1111-4111-8111-111111111111"}]
    assert as_admin.patch(ARTICLES, json=gone).status_code == 404
    assert (find("lost"), find("quagga")) == ([], ["Quagga"])
    as_admin.delete(path)
    assert (find("quagga"), find("both")) == ([], ["Other"])
    as_admin.post(f"{path}revisions/1/restore/")
    as_admin.patch(path, json={"status": "published"})
    assert find("zebra") == ["Zebra", "Other"]


def test_many_articles_with_the_same_publication_time_are_all_found(app, find, as_admin, make_article):
    created = [make_article(title=f"Bread {number}", published_at=day(1)) for number in range(60)]
    make_article(title="Bread later", published_at="2026-01-01T00:00:00.000001")
    make_article(title="Bread before", published_at="2025-12-31T23:59:59.9999Z")
    found = find("bread")
    assert (found[0], found[-1]) == ("Bread later", "Bread before")
    assert sorted(found[1:-1]) == sorted(article.title for article in created)
    pages = [find("bread", page=page, page_size=25) for page in (1, 2, 3, 4)]
    assert [title for page in pages for title in page] == found
    for article in created[:5]:
        as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"subtitle": "again"})
    assert sorted(find("bread")) == sorted(found)
    assert len(find("again")) == 5


def test_filters_by_time_are_exact_if_many_articles_have_the_same_time(find, make_article):
    times = ["2025-12-31T23:59:59.999999Z", day(1), "2026-01-01T00:00:00.000001Z"]
    for name, time in zip("ABC", times, strict=True):
        for _ in range(40):
            make_article(title=f"{name} bread", published_at=time)
    for start, rest in (("A", "ABC"), ("B", "BC"), ("C", "C")):
        since = find("bread", published_after=times["ABC".index(start)])
        before = find("bread", published_before=times["ABC".index(start)])
        assert sorted(title[0] for title in since) == sorted(rest * 40)
        assert sorted(title[0] for title in before) == sorted("ABC".removesuffix(rest) * 40)
    assert {title[0] for title in find("bread", published_after=day(1), published_before=times[2])} == {"B"}


def test_a_filter_for_the_only_author_finds_all_matches(find, make_article, people):
    make_article(title="A bread")
    author = {"author": str(people.admin.uuid)}
    assert find("bread", **author) == ["A bread"]
    make_article(title="B bread", author=people.other_admin)
    assert find("bread", **author) == ["A bread"]
    assert find("bread", author=str(people.other_admin.uuid)) == ["B bread"]


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z"])
def test_very_old_articles_are_found(find, make_article, time):
    for number in range(20):
        make_article(title=f"Bread {number}", published_at=time)
    assert len(find("bread")) == 20
