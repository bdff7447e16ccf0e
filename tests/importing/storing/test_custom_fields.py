"""Custom fields in imports and exports."""

from datetime import UTC, date, datetime

import pytest

from blogapi.importing.storing.custom_fields import guess_field_type, make_field_name
from tests.content.custom_fields.test_custom_fields import ARTICLES, FIELDS, define, read, write  # noqa: F401

FILES = {
    "jekyll.md": "---\ntitle: Jekyll\nrating: 5\nwalked-on: 2026-01-02\nmood: calm\n---\nText.\n",
    "zola.md": "+++\ntitle = 'Zola'\n[extra]\nrating = 4\n+++\nText.\n",
    "odd.md": "---\ntitle: Odd\nrating: about 5\n---\nText.\n",
    "list.md": "---\ntitle: List\nwords: [a, b]\n---\nText.\n",
}


@pytest.fixture
def imported(define, app, tmp_path, people):  # noqa: F811
    """The reports of an import of files with custom fields."""
    define("rating", "number")
    define("walked_on", "date")
    define("words", list=True)
    folder = tmp_path / "site"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    run = app.test_cli_runner().invoke(args=["import", str(folder), "--author", people.admin.username])
    assert run.exit_code == 0, run.output
    return run.output


def find(client, title):
    query = {"status": "any", "fields": "title,custom,custom_unfit", "page_size": 50}
    (found,) = [one for one in client.get(ARTICLES, query_string=query).json if one["title"] == title]
    return found["custom"], found["custom_unfit"]


@pytest.mark.parametrize(
    ("lines", "rating"),
    [
        (("readMore: 4", "read_more: 3"), 4),
        (("read_more: 3", "readMore: 4"), 3),
        (("Read More: 5", "read-more: 4", "readmore: 3"), 5),
        (("read_more:", "readMore: 4"), 4),
    ],
)
def test_the_first_of_several_spellings_of_a_key_is_taken(define, run_import, as_admin, lines, rating):  # noqa: F811
    define("read_more", "number")
    run_import(make_post(1, *lines))
    assert find(as_admin, "Post 1") == ({"read_more": rating}, {})


def test_front_matter_with_the_name_of_a_field_is_taken(imported, as_admin):
    assert find(as_admin, "Jekyll") == ({"rating": 5, "walked_on": "2026-01-02"}, {})
    assert find(as_admin, "Zola") == ({"rating": 4}, {})
    assert find(as_admin, "List") == ({"words": ["a", "b"]}, {})
    assert "mood" in imported and "rating is left out" not in imported


def test_an_imported_value_that_does_not_fit_is_kept_with_a_note(imported, as_admin):
    assert find(as_admin, "Odd") == ({}, {"rating": "about 5"})
    note = (
        "Its value of the custom field “rating” does not fit, and is kept: “about 5” is not a number of at "
        "most 15 digits."
    )
    assert note in imported


@pytest.mark.parametrize("layout", ["default", "hugo", "jekyll"])
def test_an_export_has_the_fields_and_is_imported_again(
    imported, app, as_login, as_admin, tmp_path, people, layout
):
    as_login.post(FIELDS, json={"name": "paid_to", "label": "Paid", "type": "text", "read_by": "admins"})
    as_admin.post(ARTICLES, json={"title": "Secret", "custom": {"paid_to": "Marit"}, "status": "published"})
    runner, target = app.test_cli_runner(), tmp_path / "out"
    generator = [] if layout == "default" else ["--for", layout]
    exported = runner.invoke(args=["export", str(target), "--drafts", *generator])
    assert exported.exit_code == 0, exported.output
    public = runner.invoke(args=["export", str(tmp_path / "public")])
    assert public.exit_code == 0
    texts = "".join(path.read_text() for path in (tmp_path / "public").rglob("*.*") if path.is_file())
    assert "paid_to" not in texts and "Marit" not in texts
    titles = ("Jekyll", "Zola", "Odd", "List", "Secret")
    before = {title: find(as_admin, title) for title in titles}
    fields = as_admin.get(FIELDS).json
    uuids = [one["uuid"] for one in as_admin.get(ARTICLES, query_string={"status": "any"}).json]
    as_admin.delete(ARTICLES, query_string={"uuid": uuids})
    for field in fields:
        as_login.delete(f"{FIELDS}{field['uuid']}/")
    again = runner.invoke(args=["import", str(target), "--author", people.admin.username])
    assert again.exit_code == 0, again.output
    assert {title: find(as_admin, title) for title in titles} == before
    names = ("uuid", "name", "type", "list", "read_by", "kinds", "used_in")
    assert [[one[name] for name in names] for one in as_admin.get(FIELDS).json] == [
        [one[name] for name in names] for one in fields
    ]


@pytest.fixture
def run_import(app, tmp_path, people):
    """Return a function that imports these texts as Markdown files, and returns the report."""

    def run_import(*texts, **options):
        folder = tmp_path / "blog"
        folder.mkdir(exist_ok=True)
        for number, text in enumerate(texts):
            (folder / f"post-{number}.md").write_text(text)
        given = [
            part
            for name, value in options.items()
            for part in (f"--{name.replace('_', '-')}", value)
            if part is not None
        ]
        args = ["import", str(folder), "--author", people.admin.username, *given]
        run = app.test_cli_runner().invoke(args=args)
        assert run.exit_code == 0, run.output
        return run.output

    return run_import


def make_post(number, *lines, date="2026-01-01"):
    front = "\n".join([f"title: Post {number}", f"date: {date}", *lines])
    return f"---\n{front}\n---\nText {number}.\n"


def list_types(client):
    return {
        one["name"]: (f"list of {one['type']}" if one["list"] else one["type"])
        for one in client.get(FIELDS).json
    }


def test_an_import_defines_fields_with_the_types_of_their_values(run_import, as_admin, as_reader):
    first = make_post(
        *(1, "rating: 5", "Walked On: 2026-01-02", "shop: https://x.test/a", "vegan: true", "sticky: 5"),
        *("words: [a, b]", "code: 007", "mixed: 1", "text: |\n  a\n  b", "place: {lat: 1}", "params:"),
        *("  readMore: 4.5", "  image: /a.png", "password:"),
    )
    second = make_post(
        2, "rating: 4.5", "words: c", "mixed: many", "extra:", "  read_more: 3", '"2nd\\none": x'
    )
    posts = (first, second)
    planned = run_import(*posts, define_fields="everyone", dry_run=None)
    assert "would be defined, read by everyone: rating (number, 2)" in planned and list_types(as_admin) == {}
    report = run_import(*posts, define_fields="everyone")
    assert list_types(as_admin) == {
        **{"rating": "number", "walked_on": "date", "shop": "url", "vegan": "boolean"},
        **{"words": "list of text", "code": "text", "mixed": "text", "text": "long_text"},
        "read_more": "number",
    }
    assert "The field place is left out." in report and "cannot have these names: 2nd one (1)" in report
    assert find(as_admin, "Post 2") == ({"rating": 4.5, "words": ["c"], "mixed": "many", "read_more": 3}, {})
    custom, _ = find(as_admin, "Post 1")
    assert (custom["walked_on"], custom["code"], custom["vegan"]) == ("2026-01-02", "007", True)
    assert len(as_reader.get(ARTICLES, query_string={"custom.mixed": "1"}).json) == 1
    for option in ("everyone", "none"):
        assert "2 unchanged" in run_import(*posts, define_fields=option)


def test_fields_without_a_definition_are_counted_with_the_way_to_take_them(run_import, as_admin):
    posts = [make_post(number, "mood: calm") for number in range(60)]
    report = run_import(*posts)
    assert "no custom field has their names: mood (60). To import them, let the import define" in report
    assert "--define-fields" in report and list_types(as_admin) == {}
    again = run_import(*posts, define_fields="admins")
    assert "60 updated" in again and "defined, read by admins: mood (text, 60)." in again
    # The articles are stored in two batches.
    assert len(as_admin.get(ARTICLES, query_string={"custom.mood": "calm"}).json) == 60


def test_fields_that_an_import_defines_for_admins_stay_secret(run_import, as_admin, as_reader):
    run_import(make_post(1, "mood: calm"), define_fields="admins")
    assert find(as_admin, "Post 1")[0] == {"mood": "calm"}
    assert read(as_reader, f"{ARTICLES}post-0/") == {}


def test_an_import_of_an_editor_changes_no_fields_for_admins(define, run_import, as_admin):  # noqa: F811
    for name, readers in (("paid_to", "admins"), ("rating", "everyone")):
        define(name, read_by=readers)
    run_import(make_post(1, "paid_to: Marit", "rating: good"))
    posts = [make_post(number, "paid_to: Eve", "rating: bad") for number in (1, 2)]
    report = run_import(*posts, restricted=None)
    assert "Only admins can import values of these fields, so they were left out: paid_to." in report
    assert find(as_admin, "Post 1")[0] == {"paid_to": "Marit", "rating": "bad"}
    assert find(as_admin, "Post 2")[0] == {"rating": "bad"}
    # The import of an admin brings the values later, although the files have not changed.
    assert "were left out" not in run_import(*posts)
    for title in ("Post 1", "Post 2"):
        assert find(as_admin, title)[0] == {"paid_to": "Eve", "rating": "bad"}


def test_a_report_does_not_tell_which_values_fields_for_admins_have(define, run_import, as_login):  # noqa: F811
    define("fee", "number", read_by="admins")
    define("rating", "number")
    post = make_post(1, "fee: Marit", "rating: Berit")
    report = run_import(post, restricted=None)
    assert "“Berit” is not a number of" in report and "for admins does not fit" not in report
    # Editors can read the report of an import that an admin started.
    report = run_import(post)
    assert "“Berit” is not a number of at most 15 digits." in report
    assert "A value of a custom field for admins does not fit, and is kept." in report
    assert "Marit" not in report and "fee" not in report
    assert find(as_login, "Post 1") == ({}, {"fee": "Marit", "rating": "Berit"})


def test_an_import_defines_a_bounded_number_of_fields(run_import, as_admin):
    odd = [f"{number}th: a" for number in range(12)]
    posts = (make_post(1, *(f"key{number}: a" for number in range(65)), *odd), make_post(2, "key64: b"))
    unnamed = ", ".join(f"{number}th (1)" for number in range(12))
    names = [f"key{number}" for number in range(64)]
    counts = ", ".join(["key64 (2)", *(f"{name} (1)" for name in names)])
    assert f"no custom field has their names: {counts}, {unnamed}. To import" in run_import(*posts)
    report = run_import(*posts, define_fields="everyone")
    defined = ", ".join(["key64 (text, 2)", *(f"{name} (text, 1)" for name in names[:49])])
    assert f"were defined, read by everyone: {defined}." in report
    left = ", ".join(f"{name} (1)" for name in names[49:])
    limits = "one import defines at most 50 custom fields, and a blog has at most 100"
    assert f"{limits}: {left}." in report and f"cannot have these names: {unnamed}." in report
    assert list_types(as_admin).keys() == {"key64", *names[:49]}


def test_a_value_that_another_field_has_too_is_taken(define, run_import, as_admin):  # noqa: F811
    define("dish")
    define("rating", "number")
    run_import(make_post(5, "dish: Post 5", "weight: 5", "sticky: 5", "rating: 5"))
    assert find(as_admin, "Post 5")[0] == {"dish": "Post 5", "rating": 5}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        *(("5", "number"), ("-0.5", "number"), ("4.0", "number"), ("1.10", "text"), ("007", "text")),
        *(("+49 30 1", "text"), ("1234567890123456", "text"), ("No", "boolean"), ("maybe", "text")),
        *(("2026-02-28", "date"), ("2026-02-30", "text"), ("2026-02-28 10:00", "text")),
        *(("https://x.test/a b", "text"), ("http://x.test", "url"), ("/a", "text"), ("a\nb", "long_text")),
        *(("x" * 1001, "long_text"), ("x" * 100_001, None), ({"a": 1}, None), (1 << 70, None)),
        *(
            (True, "boolean"),
            (5, "number"),
            (date(2026, 1, 2), "date"),
            (datetime(2026, 1, 2, 3, tzinfo=UTC), "text"),
        ),
    ],
)
def test_the_type_of_a_value_is_guessed_only_if_the_value_stays_the_same(value, kind):
    assert guess_field_type(value) == kind


@pytest.mark.parametrize(
    ("key", "name"),
    [
        *(("Walked on", "walked_on"), ("walked-on", "walked_on"), ("walkedOn", "walked_on")),
        *(("Größe", "grosse"), ("URL", "url"), ("_rating", "rating"), ("2nd", ""), ("цена", ""), ("", "")),
        *(("a" * 64, "a" * 64), ("a" * 65, ""), ("🙂", ""), ("part2Title", "part2_title")),
        *(("Part2", "part2"), ("pageURL", "page_url"), ("walked.on", "walked_on"), ("a__b", "a_b")),
    ],
)
def test_the_name_of_an_custom_field_is_made_of_the_name_in_the_source(key, name):
    assert make_field_name(key) == name
