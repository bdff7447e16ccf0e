"""Own fields in imports and exports."""

import pytest

from tests.articles.test_custom_fields import ARTICLES, FIELDS, define, read, write  # noqa: F401

FILES = {
    "jekyll.md": "---\ntitle: Jekyll\nrating: 5\nwalked-on: 2026-01-02\nmood: calm\n---\nText.\n",
    "zola.md": "+++\ntitle = 'Zola'\n[extra]\nrating = 4\n+++\nText.\n",
    "odd.md": "---\ntitle: Odd\nrating: about 5\n---\nText.\n",
    "list.md": "---\ntitle: List\nwords: [a, b]\n---\nText.\n",
}


@pytest.fixture
def imported(define, app, tmp_path, people):  # noqa: F811
    """The reports of an import of files with own fields."""
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


def test_front_matter_with_the_name_of_a_field_is_taken(imported, as_admin):
    assert find(as_admin, "Jekyll") == ({"rating": 5, "walked_on": "2026-01-02"}, {})
    assert find(as_admin, "Zola") == ({"rating": 4}, {})
    assert find(as_admin, "List") == ({"words": ["a", "b"]}, {})
    assert "mood" in imported and "Ignored front matter fields: rating" not in imported


def test_an_imported_value_that_does_not_fit_is_kept(imported, as_admin):
    assert find(as_admin, "Odd") == ({}, {"rating": "about 5"})


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
