"""Custom fields of articles: definitions, values, who reads them, and what a changed definition keeps."""

import pytest

from tests.contracts.client import merge_schemas

ARTICLES = "/api/v1/blog/articles/"

FIELDS, PAGES = "/api/v1/blog/fields/", "/api/v1/blog/pages/"
OTHER = "3f1c8a52-6f0e-4f2b-8f8a-2f5f3f1c8a52"


def an_article(**fields):
    return {"title": "Bread", **fields}


@pytest.fixture
def define(as_login):
    """Return a function that defines a field and returns its path."""

    def define(name, type="text", **fields):
        body = {"name": name, "label": name.title(), "type": type, **fields}
        answer = as_login.post(FIELDS, json=body)
        assert answer.status_code == 201, answer.json
        return f"{FIELDS}{answer.json['uuid']}/"

    return define


@pytest.fixture
def write(as_admin):
    """Return a function that creates a published article with these custom fields and returns its path."""

    def write(custom, status="published", **fields):
        answer = as_admin.post(ARTICLES, json=an_article(custom=custom, status=status, **fields))
        assert answer.status_code == 201, answer.json
        return f"{ARTICLES}{answer.json['uuid']}/"

    return write


def read(client, path, name="custom"):
    answer = client.get(path, query_string={"fields": name})
    assert answer.status_code == 200, answer.json
    return answer.json[name]


def test_a_value_is_shown_when_asked_for_and_nowhere_else(define, write, as_admin, as_reader):
    define("rating", "number", minimum=1, maximum=5)
    path = write({"rating": 5})
    assert read(as_reader, path) == {"rating": 5}
    answer = as_reader.get(path)
    assert (answer.status_code, "custom" in answer.json) == (200, False)
    assert as_reader.get(ARTICLES, query_string={"fields": "custom"}).json == [{"custom": {"rating": 5}}]
    as_admin.patch(path, json={"custom": {"rating": None}})
    assert read(as_reader, path) == {}


def test_a_put_keeps_the_fields_that_it_does_not_name(define, write, as_admin):
    define("rating", "number")
    define("yields")
    path = write({"rating": 5, "yields": "4 plates"})
    assert as_admin.put(path, json=as_admin.get(path).json).status_code == 200
    as_admin.put(path, json={**as_admin.get(path).json, "custom": {"rating": 4}})
    assert read(as_admin, path) == {"rating": 4, "yields": "4 plates"}


@pytest.mark.parametrize(
    ("definition", "value", "message"),
    [
        ({"type": "text"}, 5, "Must be a text."),
        ({"type": "text"}, " ", "Must not be empty."),
        ({"type": "long_text"}, " \n\t\u2003", "Must not be empty."),
        ({"type": "text", "list": True}, ["a", "  "], "Must not be empty."),
        ({"type": "text"}, "\x00", "Contains a control character or a lone surrogate; remove it."),
        ({"type": "text"}, "a" * 1001, "Must have at most 1000 characters."),
        ({"type": "number"}, "about 5", "“about 5” is not a number of at most 15 digits."),
        ({"type": "number"}, True, "“True” is not a number of at most 15 digits."),
        ({"type": "number"}, 10**400, f"“1{'0' * 79}” is not a number of at most 15 digits."),
        ({"type": "number"}, 10**15 + 1, "“1000000000000001” is not a number of at most 15 digits."),
        ({"type": "number"}, -(10**309), f"“-1{'0' * 78}” is not a number of at most 15 digits."),
        (
            {"type": "number", "list": True},
            [1, 10**400],
            f"“1{'0' * 79}” is not a number of at most 15 digits.",
        ),
        ({"type": "number", "minimum": 1, "maximum": 5}, 6, "Must be at least 1 and at most 5."),
        ({"type": "boolean"}, 1, "Must be true or false."),
        ({"type": "date"}, "2026-02-30", "Must be a date such as 2026-01-31."),
        ({"type": "date"}, 2026, "Must be a date such as 2026-01-31."),
        (
            {"type": "url"},
            "javascript:x",
            "Must be an http(s) URL without credentials, or a relative URL.",
        ),
        ({"type": "choice", "choices": ["a", "b"]}, "c", "Must be one of: a, b."),
        (
            {"type": "picture"},
            f"media:{OTHER}",
            "There is no such file in the media library; GET /api/v1/blog/media/ lists the files.",
        ),
        ({"type": "article"}, "x", "There is no such article."),
        ({"type": "article"}, OTHER, "There is no such article."),
        ({"type": "choice", "choices": ["a"], "list": True}, ["a", "c"], "Must be one of: a."),
        ({"type": "date", "list": True}, ["2026-01-31", "x"], "Must be a date such as 2026-01-31."),
        ({"type": "text", "list": True}, "a", "Must be a list."),
        ({"type": "text", "list": True}, ["a"] * 101, "Must contain at most 100 items."),
    ],
)
def test_a_value_that_does_not_fit_is_refused(define, as_admin, definition, value, message):
    define("field", **definition)
    answer = as_admin.post(ARTICLES, json=an_article(custom={"field": value}))
    assert (answer.status_code, answer.json["errors"]) == (422, {"custom.field": [message]})


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ({"type": "long_text"}, "a\n" * 2000),
        ({"type": "number"}, 1.5),
        ({"type": "number"}, -(10**15)),
        ({"type": "number", "minimum": 1, "maximum": 5}, 1),
        ({"type": "number", "minimum": 1, "maximum": 5}, 5),
        ({"type": "text"}, "a" * 1000),
        ({"type": "boolean"}, False),
        ({"type": "date"}, "2026-02-28"),
        ({"type": "url"}, "https://x.test/"),
        ({"type": "choice", "choices": ["a"]}, "a"),
        ({"type": "picture"}, "https://x.test/a.png"),
        ({"type": "number", "list": True}, [1, 2, 2]),
    ],
)
def test_a_value_that_fits_is_returned_as_it_was_sent(define, write, as_reader, definition, value):
    define("field", **definition)
    assert read(as_reader, write({"field": value})) == {"field": value}


def test_a_field_for_admins_is_absent_for_all_others(define, write, as_admin, as_reader, as_editor):
    define("paid_to", read_by="admins")
    define("rating", "number")
    path = write({"paid_to": "Marit", "rating": 5})
    editor = as_editor
    assert read(as_admin, path) == {"paid_to": "Marit", "rating": 5}
    for client in (as_reader, editor):
        assert read(client, path) == {"rating": 5}
        answer = client.get(ARTICLES, query_string={"custom.paid_to": "Marit"})
        assert answer.status_code == 400 and "Marit" not in answer.text
    assert [field["name"] for field in editor.get(FIELDS).json] == ["rating"]
    refused = editor.patch(path, json={"custom": {"paid_to": "me"}})
    assert refused.json["errors"] == {"custom.paid_to": ["There is no such custom field."]}
    as_admin.patch(path, json={"custom": {"paid_to": "Jon"}})
    as_admin.patch(path, json={"custom": {"rating": 4}})
    for number in (1, 2):
        answer = editor.get(f"{path}revisions/{number}/")
        assert (answer.status_code, "paid_to" in answer.text) == (200, False)
    assert editor.get(f"{path}revisions/1/compare/").json["changes"] == [
        {"field": "custom.rating", "before": 5, "after": 4}
    ]
    assert len(as_admin.get(f"{path}revisions/1/compare/").json["changes"]) == 2
    as_admin.put(f"{path}working-copy/", json={"title": "T", "custom": {"paid_to": "Per", "rating": 3}})
    assert editor.get(f"{path}working-copy/").json["custom"] == {"rating": 3}
    editor.put(f"{path}working-copy/", json={"title": "T", "custom": {"rating": 2}})
    assert as_admin.get(f"{path}working-copy/").json["custom"] == {"paid_to": "Per", "rating": 2}
    link = as_admin.post(f"{path}preview/").json["api_url"]
    assert as_reader.get(link, query_string={"fields": "custom"}).json == {"custom": {"rating": 2}}


def test_a_restored_version_changes_no_field_that_the_caller_may_not_read(define, write, as_admin, as_editor):
    define("paid_to", read_by="admins")
    define("rating", "number")
    path = write({"paid_to": "Marit", "rating": 5})
    as_admin.patch(path, json={"custom": {"paid_to": "Jon", "rating": 4}})
    as_admin.patch(path, json={"custom": {"paid_to": None}})
    as_editor.post(f"{path}revisions/1/restore/")
    assert read(as_admin, path) == {"rating": 5}
    as_admin.post(f"{path}revisions/1/restore/")
    assert read(as_admin, path) == {"paid_to": "Marit", "rating": 5}
    as_editor.post(f"{path}revisions/2/restore/")
    assert read(as_admin, path) == {"paid_to": "Marit", "rating": 4}


@pytest.mark.parametrize("writer", ["as_admin", "as_editor", "as_author"])
def test_every_write_keeps_the_values_that_its_caller_may_not_read(
    define, as_login, as_admin, request, writer
):
    client = request.getfixturevalue(writer)
    deleted, unfit = define("deleted"), define("unfit")
    define("paid_to", read_by="admins")
    define("rating", "number")
    values = {"deleted": "D", "unfit": "about 5", "paid_to": "Marit"}
    uuid = client.post(ARTICLES, json=an_article()).json["uuid"]
    path = f"{ARTICLES}{uuid}/"
    as_admin.patch(path, json={"custom": {**values, "rating": 1}})
    assert as_login.delete(deleted).status_code == 204
    assert as_login.patch(unfit, json={"type": "number"}).json["unfit_in"] == 1
    as_admin.patch(path, json={"title": "Other", "custom": {"rating": 2}})
    copy = f"{path}working-copy/"
    for rating, send in (
        (3, lambda: client.patch(path, json={"custom": {"rating": 3}})),
        (3, lambda: client.patch(path, json={"title": "New"})),
        (4, lambda: client.put(path, json={**client.get(path).json, "custom": {"rating": 4}})),
        (5, lambda: client.patch(ARTICLES, json=[{"uuid": uuid, "custom": {"rating": 5}}])),
        (6, lambda: client.put(ARTICLES, json=[{**client.get(path).json, "custom": {"rating": 6}}])),
        (1, lambda: client.post(f"{path}revisions/2/restore/")),
    ):
        answer = send()
        assert answer.status_code == 200, answer.json
        stored = {**read(as_admin, path), **read(as_admin, path, "custom_unfit")}
        assert stored == {**values, "rating": rating}
    assert as_admin.patch(path, json={"status": "published"}).status_code == 200
    body = {"title": "T", "custom": {"rating": 5}}
    assert as_admin.put(copy, json=body).status_code == 201
    if writer != "as_author":
        assert client.put(copy, json=body).status_code == 200
        assert client.post(f"{copy}publish/").status_code == 200
        stored = {**read(as_admin, path), **read(as_admin, path, "custom_unfit")}
        assert stored == {**values, "rating": 5}
    else:
        assert read(client, path, "custom_unfit") == {"unfit": "about 5"}


def test_a_changed_definition_keeps_every_value(define, write, as_login, as_admin, as_reader, as_author):
    field = define("rating")
    path = write({"rating": "about 5"})
    changed = as_login.patch(field, json={"type": "number"})
    assert (changed.json["used_in"], changed.json["unfit_in"]) == (1, 1)
    assert read(as_reader, path) == {} == read(as_admin, path)
    # The author reads those of their own articles alone.
    assert [read(client, path, "custom_unfit") for client in (as_reader, as_author)] == [None, None]
    assert read(as_admin, path, "custom_unfit") == {"rating": "about 5"}
    as_admin.patch(path, json={"title": "Other"})
    uuid = as_login.get(field).json["uuid"]
    as_login.delete(field)
    assert read(as_admin, path, "custom_unfit") == {"rating": "about 5"}
    body = {"name": "rating", "label": "Rating", "type": "text"}
    assert as_login.put(f"{FIELDS}{uuid}/", json=body).status_code == 201
    assert read(as_reader, path) == {"rating": "about 5"}


def test_a_write_of_a_definition_counts_the_values_once(define, write, as_login, record_statements):
    field = define("rating", "number")
    write({"rating": 4.5})
    others = {"label": "A field", "type": "number"}
    for method, path, body in (
        ("PATCH", field, {"maximum": 4}),
        ("PUT", field, {"name": "rating", **others}),
        ("POST", FIELDS, {"name": "yields", **others}),
    ):
        with record_statements() as executed:
            assert as_login.open(path, method=method, json=body).status_code in (200, 201)
        statements = [one for one in executed if one.startswith("SELECT article.custom")]
        assert len(statements) == 1, method


def test_a_value_is_shown_and_found_again_when_its_definition_fits_again(define, write, as_login, as_reader):
    field = define("rating", "number", maximum=5)
    path = write({"rating": 4.5})
    body = as_login.get(field).json
    for change in ({"type": "text"}, {"list": True}, {"maximum": 4}, {"type": "choice", "choices": ["4.5"]}):
        assert as_login.patch(field, json=change).json["unfit_in"] == 1, change
        assert read(as_reader, path) == {}
        if "maximum" in change:
            refused = as_reader.get(ARTICLES, query_string={"custom.rating": "4.5"})
            assert refused.json["errors"] == {"custom.rating": ["Must be at most 4."]}
        else:
            assert list_titles(as_reader, **{"custom.rating": "4.5"}) == []
        assert as_login.put(field, json=body).json["unfit_in"] == 0
        assert read(as_reader, path) == {"rating": 4.5}
        assert list_titles(as_reader, **{"custom.rating": "4.5"}) == ["Bread"]
    as_login.delete(field)
    assert as_reader.get(ARTICLES, query_string={"custom.rating": "4.5"}).status_code == 400
    define("rating", "number")
    assert list_titles(as_reader, **{"custom.rating": "4.5"}) == ["Bread"]


def test_fields_are_listed_and_shown_in_the_order_of_their_positions(define, write, as_login, as_reader):
    fields = [define(name) for name in ("a", "b", "c")]
    path = write({"a": "1", "b": "2", "c": "3"})
    assert as_login.patch(fields[0], json={"position": 9}).status_code == 200
    assert [field["name"] for field in as_login.get(FIELDS).json] == ["b", "c", "a"]
    assert [*read(as_reader, path)] == ["b", "c", "a"]


def test_every_write_names_the_value_that_does_not_fit(define, as_admin):
    define("rating", "number", kinds=["article", "page"])
    define("other")
    good, bad = {"title": "T"}, {"title": "T", "custom": {"rating": "5", "none": 1}}
    for items in (ARTICLES, PAGES):
        uuid = as_admin.post(items, json=good).json["uuid"]
        path = f"{items}{uuid}/"
        for answer in (
            *(as_admin.post(items, json=bad), as_admin.put(path, json=bad), as_admin.patch(path, json=bad)),
            as_admin.put(f"{path}working-copy/", json=bad),
        ):
            assert answer.status_code == 422, (answer.request.path, answer.json)
            assert answer.json["errors"] == {
                "custom.rating": ["“5” is not a number of at most 15 digits."],
                "custom.none": ["There is no such custom field."],
            }
        for write in (as_admin.put, as_admin.patch):
            errors = write(items, json=[{**good, "uuid": uuid}, {**bad, "uuid": OTHER}]).json["errors"]
            assert errors["1.custom.rating"] == ["“5” is not a number of at most 15 digits."]
            assert len(errors) == 2
    kind = as_admin.post(PAGES, json={"title": "T", "custom": {"other": "x"}}).json["errors"]
    assert kind == {"custom.other": ["Only articles have this custom field."]}


def test_pages_are_filtered_by_custom_fields(define, as_admin, as_reader):
    define("office", "choice", choices=["north", "south"], kinds=["page"])
    define("secret", read_by="admins", kinds=["page"])
    above = as_admin.post(PAGES, json={"title": "Offices", "status": "published"}).json["uuid"]
    for title, office, status in (
        ("A", "north", "published"),
        ("B", "south", "published"),
        ("C", "north", "draft"),
    ):
        custom = {"office": office, "secret": "x"}
        page = {"title": title, "status": status, "custom": custom, "parent": above}
        assert as_admin.post(PAGES, json=page).status_code == 201

    def list_pages(client, **query):
        answer = client.get(PAGES, query_string={"fields": "title", **query})
        assert answer.status_code == 200, answer.json
        return sorted(page["title"] for page in answer.json)

    assert list_pages(as_reader, **{"custom.office": "north"}) == ["A"]
    assert list_pages(as_reader, **{"custom.office": ["north", "south"], "parent": above}) == ["A", "B"]
    assert list_pages(as_reader, **{"custom.office": "north", "parent": ""}) == []
    assert list_pages(as_admin, **{"custom.office": "north", "custom.secret": "x", "status": "any"}) == [
        "A",
        "C",
    ]
    assert as_reader.get(PAGES, query_string={"custom.secret": "x"}).status_code == 400
    assert list_titles(as_reader, **{"custom.office": "north"}) == []


def test_a_required_field_is_needed_to_publish(define, write, as_login, as_admin):
    old = write({})
    define("rating", "number", required=True)
    refused = as_admin.post(ARTICLES, json=an_article(status="published"))
    assert refused.json["errors"] == {"custom.rating": ["Rating is missing; a published article needs it."]}
    draft = write({}, status="draft")
    assert as_admin.patch(draft, json={"status": "published"}).status_code == 422
    assert as_admin.post(f"{draft}working-copy/publish/").status_code == 422
    assert as_admin.patch(draft, json={"status": "published", "custom": {"rating": 1}}).status_code == 200
    assert as_admin.patch(draft, json={"custom": {"rating": None}}).status_code == 422
    assert as_admin.patch(old, json={"title": "Stays online"}).status_code == 200


def test_versions_and_working_copies_have_the_values(define, write, as_admin):
    define("rating", "number")
    path = write({"rating": 5})
    as_admin.patch(path, json={"custom": {"rating": 4}})
    as_admin.post(f"{path}revisions/1/restore/")
    assert read(as_admin, path) == {"rating": 5}
    as_admin.put(f"{path}working-copy/", json={"title": "T", "custom": {"rating": 3}})
    assert read(as_admin, path) == {"rating": 5}
    assert as_admin.post(f"{path}working-copy/publish/").status_code == 200
    assert read(as_admin, path) == {"rating": 3}


def test_a_reference_to_a_draft_is_hidden_from_readers(define, write, as_admin, as_reader):
    define("goes_with", "article", list=True)
    draft = write({}, status="draft", title="Hidden").split("/")[-2]
    shown = write({}, title="Shown").split("/")[-2]
    path = write({"goes_with": [draft, shown]})
    assert read(as_admin, path) == {"goes_with": [draft, shown]}
    assert read(as_reader, path) == {"goes_with": [shown]}
    for references in ([OTHER], [shown, OTHER], [OTHER, shown], ["shown", "none"], [shown, "shown", OTHER]):
        answer = as_admin.patch(path, json={"custom": {"goes_with": references}})
        assert answer.json["errors"] == {"custom.goes_with": ["There is no such article."]}, references
    assert read(as_admin, path) == {"goes_with": [draft, shown]}
    assert as_admin.patch(path, json={"custom": {"goes_with": ["shown", draft]}}).status_code == 200
    assert read(as_admin, path) == {"goes_with": [shown, draft]}
    define("next", "article")
    assert as_admin.patch(path, json={"custom": {"next": "shown", "goes_with": None}}).status_code == 200
    assert read(as_admin, path) == {"next": shown} == read(as_reader, path)


@pytest.mark.parametrize("is_list", [False, True])
def test_readers_get_no_field_whose_articles_are_all_hidden(define, write, as_admin, as_reader, is_list):
    define("goes_with", "article", list=is_list)
    define("rating", "number")
    draft = write({}, status="draft", title="Hidden").split("/")[-2]
    path = write({"goes_with": [draft] if is_list else draft, "rating": 1})
    assert set(read(as_admin, path)) == {"goes_with", "rating"}
    assert read(as_reader, path) == {"rating": 1}


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"name": "Rating"}, "name"),
        ({"type": "rating"}, "type"),
        ({"type": "choice"}, "choices"),
        ({"type": "number", "minimum": 2, "maximum": 1}, "maximum"),
        ({"type": "number", "minimum": "2"}, "minimum"),
        ({"type": "number", "maximum": 10**400}, "maximum"),
        ({"searched": True, "read_by": "admins"}, "searched"),
        ({"required": True, "read_by": "admins"}, "required"),
        ({"kinds": []}, "kinds"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused(as_login, fields, name):
    body = {"name": "rating", "label": "Rating", "type": "text", **fields}
    answer = as_login.post(FIELDS, json=body)
    assert answer.status_code == 422 and list(answer.json["errors"]) == [name]


def test_a_name_is_unique_and_cannot_change(define, as_login):
    path = define("rating")
    assert as_login.patch(path, json={"name": "other"}).status_code == 422
    again = as_login.post(FIELDS, json={"name": "rating", "label": "Rating", "type": "text"})
    assert again.status_code == 409
    assert as_login.get(f"{FIELDS}{OTHER}/").status_code == 404


def list_titles(client, **query):
    answer = client.get(ARTICLES, query_string={"fields": "title", **query})
    assert answer.status_code == 200, answer.json
    return [article["title"] for article in answer.json]


@pytest.fixture
def rated(define, write):
    """Articles with a rating, a list of words and an effort."""
    define("rating", "number")
    define("words", list=True)
    define("quick", "boolean")
    for number in range(4):
        at = f"2026-01-0{number + 1}T00:00:00Z"
        custom = {"rating": number % 2 + 0.5, "words": ["all", f"w{number}"], "quick": number > 1}
        write(custom, title=str(number), published_at=at)
    write({"rating": 0.5}, status="draft", title="draft")


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ({"custom.rating": "0.5"}, "20"),
        ({"custom.rating": "0.50"}, "20"),
        ({"custom.rating": ["0.5", "1.5"]}, "3210"),
        ({"custom.rating": "0.5", "ordering": "published_at"}, "02"),
        ({"custom.rating": "0.5", "ordering": "title"}, "02"),
        ({"custom.words": "all"}, "3210"),
        ({"custom.words": ["w1", "all"]}, "3210"),
        ({"custom.words": "w3", "custom.rating": "0.5"}, ""),
        ({"custom.quick": "true", "custom.rating": "0.5"}, "2"),
        ({"custom.rating": "0.5", "published_after": "2026-01-02"}, "2"),
        ({"custom.rating": "0.5", "page": 2, "page_size": 1}, "0"),
        ({"custom.rating": "0.5", "tag": "none"}, ""),
        ({"custom.rating": "0.5", "category": "none"}, ""),
        ({"custom.rating": "0.5", "q": "2"}, "2"),
    ],
)
def test_lists_are_filtered_by_custom_fields(rated, as_reader, query, titles):
    assert "".join(list_titles(as_reader, **query)) == titles


@pytest.mark.parametrize(
    ("former", "value", "now", "query"),
    [
        ("boolean", True, "number", "1"),
        ("number", 1, "boolean", "true"),
        ("text", "1", "number", "1"),
        ("number", 1, "text", "1"),
        ("boolean", True, "text", "true"),
    ],
)
def test_a_value_of_another_type_is_not_found(define, write, as_login, as_reader, former, value, now, query):
    field = define("rating", former)
    write({"rating": value})
    assert list_titles(as_reader, **{"custom.rating": str(value).lower()}) == ["Bread"]
    as_login.patch(field, json={"type": now})
    assert list_titles(as_reader, **{"custom.rating": query}) == []


COMBINED = (
    *({"category": "bread"}, {"category": ["bread", "fish"]}, {"category": "bread", "exact": "true"}),
    *({"tag": "x"}, {"tag": ["x", "y"]}, {"tags_all": ["x", "y"]}, {"tag": "x", "category": "bread"}),
    *({"author": "guest-writer"}, {"author": "guest-writer", "tag": "x", "category": ["bread", "fish"]}),
    *({"not_category": "bread"}, {"not_tag": "y"}, {"featured": "true"}, {"language": "de"}, {"q": "soup"}),
    *({"published_before": "2026-01-05"}, {"tag": "x", "published_after": "2026-01-03"}),
)


def test_filters_by_custom_fields_combine_with_all_others(define, write, as_admin, as_reader):
    define("rating", "number", kinds=["article", "page"])

    def create(kind, name, **fields):
        return as_admin.post(f"/api/v1/blog/{kind}/", json={"name": name, **fields}).json["uuid"]

    bread = create("categories", "Bread")
    categories = [bread, create("categories", "Rye", parent=bread), create("categories", "Fish")]
    tags, guest = [create("tags", name) for name in "xy"], create("authors", "Guest writer")
    statuses = ["published"] * 24 + ["draft", "unlisted", "archived", "published"]
    for number, status in enumerate(statuses):
        write(
            {"rating": number % 2},
            status,
            title=f"Soup {number}" if number % 5 else f"{number}",
            category={"uuid": categories[number % 3]},
            tags=[{"uuid": uuid} for place, uuid in enumerate(tags) if number // 2 % 4 > place],
            published_at="2099-01-01" if number == 27 else f"2026-01-0{number % 8 + 1}",
            featured=number % 7 > 2,
            language="de" if number % 11 > 4 else "",
            **({"authors": [{"uuid": guest}]} if number % 4 else {}),
        )
    page = as_admin.post(PAGES, json={"title": "Soup", "custom": {"rating": 1}})
    as_admin.patch(page.headers["Location"], json={"status": "published"})
    rated = {*list_titles(as_reader, **{"custom.rating": "1"})}
    assert len(rated) == 12
    for query in COMBINED:
        wanted = {*list_titles(as_reader, **query)}
        assert wanted & rated, query
        for ordering in ("-published_at", "published_at", "title"):
            options = {} if "q" in query else {"ordering": ordering}
            found = list_titles(as_reader, **query, **options, **{"custom.rating": "1"})
            assert {*found} == wanted & rated and len(found) == len({*found}), (query, ordering)
        first = as_reader.get(ARTICLES, query_string={**query, "custom.rating": 1, "page": 1, "page_size": 2})
        assert int(first.headers["X-Total-Count"]) == len(wanted & rated), query


def test_lists_in_any_status_are_filtered_by_custom_fields(rated, as_admin):
    assert list_titles(as_admin, **{"custom.rating": "0.5", "status": "draft"}) == ["draft"]
    counts = as_admin.get("/api/v1/blog/article-counts/", query_string={"custom.rating": "0.5"}).json
    assert (counts["published"], counts["draft"]) == (2, 1)


@pytest.mark.parametrize(
    "query",
    [
        *("custom.none=1", "custom.rating=five", "custom.quick=1", "custom=1", "custom.", "custom.words="),
        *("custom.effort=year", "custom.stars=9", "custom.stars=5&custom.stars=9", "custom.day=2026-1-1"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(define, rated, as_reader, query):
    define("effort", "choice", choices=["hour"])
    define("day", "date")
    define("stars", "number", maximum=5)
    assert as_reader.get(f"{ARTICLES}?{query}").status_code == 400


def test_searches_find_the_words_of_marked_fields(define, write, as_login, as_reader):
    field = define("yields", searched=True)
    define("note")
    write({"yields": "four plates", "note": "secret"}, title="Soup")
    assert list_titles(as_reader, q="plates") == ["Soup"] and list_titles(as_reader, q="secret") == []
    as_login.patch(field, json={"searched": False})
    assert list_titles(as_reader, q="plates") == []


def test_the_openapi_document_has_the_types_of_public_fields(define, as_stranger):
    define("rating", "number", minimum=1, maximum=5, help="How gladly")
    define("effort", "choice", choices=["hour", "day"], list=True)
    define("paid_to", read_by="admins")
    document = as_stranger.get("/openapi.json")
    assert "paid_to" not in document.text
    schemas = merge_schemas(document.json)["components"]["schemas"]
    rating = {
        "type": "number",
        "minimum": 1.0,
        "maximum": 5.0,
        "title": "Rating",
        "description": "How gladly",
    }
    effort = {"type": "array", "items": {"type": "string", "enum": ["hour", "day"]}, "title": "Effort"}
    assert schemas["CustomFields"]["properties"] == {"rating": rating, "effort": effort}
    assert schemas["Article"]["properties"]["custom"]["$ref"] == "#/components/schemas/CustomFields"
    assert schemas["ArticleBody"]["properties"]["custom"]["$ref"].endswith("/CustomFieldsChanges")
    changes = schemas["CustomFieldsChanges"]["properties"]
    assert changes["effort"] == {
        "anyOf": [{"type": "array", "items": effort["items"]}, {"type": "null"}],
    }
    # Generators name a type after its title.
    assert "title" not in str(changes)
    listed = document.json["paths"][ARTICLES]["get"]["parameters"]
    assert {"custom.rating", "custom.effort"} <= {one.get("name") for one in listed}


def test_events_and_webhooks_do_not_name_fields_for_admins(define, write, as_admin, app):
    from blogapi.publication.models import Event
    from blogapi.storage.database import db

    define("paid_to", read_by="admins")
    define("rating", "number")
    path = write({})
    as_admin.patch(path, json={"custom": {"paid_to": "Marit", "rating": 5}})
    with app.app_context():
        fields = db.session.query(Event.fields).filter(Event.kind == "article").all()
    assert "paid_to" not in str(fields) and "custom.rating" in str(fields)
