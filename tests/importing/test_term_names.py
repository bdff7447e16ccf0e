"""Imports find categories and tags by their names, then by their slugs."""

from __future__ import annotations

from shutil import copytree

import pytest

from blogapi.rendering import slugs
from tests.conftest import ARTICLES, AUTHORS, CATEGORIES, TAGS
from tests.importing.test_pages import run as run


@pytest.fixture
def tag(as_admin):
    """Creates a tag; returns its uuid."""

    def create(name, slug):
        return as_admin.post(TAGS, json={"name": name, "slug": slug}).headers["Location"].split("/")[-2]

    return create


@pytest.fixture
def import_tags(run, as_reader, tmp_path):
    """Imports an article with these tags; returns the uuids of the tags of the article in this order."""

    def import_tags(*names, **files):
        text = f"---\ntitle: A\ndate: 2020-01-01\ntags: {[*names]!r}\ncategories: [{names[0]!r}]\n---\nx\n"
        assert "1 created" in run(tmp_path / "blog", {"posts/a.md": text})
        (article,) = as_reader.get(ARTICLES).json
        return [tag["uuid"] for tag in article["tags"]]

    return import_tags


def test_names_with_signs_find_the_terms_that_the_api_made(as_admin, import_tags):
    made = {}
    for name in ("C#", "C++"):
        for path in (TAGS, CATEGORIES):
            made[path, name] = as_admin.post(path, json={"name": name}).json["uuid"]
    plus, sharp, other = import_tags("C++", "c#", "C")
    assert (plus, sharp) == (made[TAGS, "C++"], made[TAGS, "C#"])
    listed = {term["uuid"]: term["name"] for term in as_admin.get(TAGS).json}
    assert listed[other] == "C" and len(listed) == 3
    assert len(as_admin.get(CATEGORIES).json) == 2


def test_the_slugs_of_former_versions_do_not_mix_names_up(as_admin, tag, import_tags):
    sharp, plus = tag("C#", "c"), tag("C++", "c-2")
    found = import_tags("C", "C++", "C#")
    assert found[1:] == [plus, sharp]
    terms = {term["uuid"]: term["name"] for term in as_admin.get(TAGS).json}
    assert terms[found[0]] == "C" and len(terms) == 3


def test_the_name_comes_before_the_slug(tag, import_tags):
    # Of two tags with the name, the one with its slug, although it is newer.
    tag("Rye", "rye-bread")
    rye = tag("rye", "rye")
    # Without one, the oldest.
    oat = tag("Oat", "oats")
    tag("oat", "oats-2")
    # The name is that of one tag and the slug that of another.
    dark = tag("Dark bread", "brown")
    tag("Brown", "dark-bread")
    # Only the slug.
    white = tag("Wheat", "white")
    assert import_tags("RYE", "OAT", "dark bread", "White") == [rye, oat, dark, white]


@pytest.mark.parametrize("is_dry", [False, True])
def test_new_terms_of_one_name_are_one(run, as_admin, tag, tmp_path, is_dry):
    tag("C#", "c")
    text = "---\ntitle: {0}\ndate: 2020-01-01\ntags: [{1}]\n---\nx\n"
    files = {f"{n}.md": text.format(n, name) for n, name in enumerate(("C", "Slow food", "slow-food", "c"))}
    output = run(tmp_path / "blog", files, *(["--dry-run"] if is_dry else []))
    assert "4 created" in output
    names = sorted(term["name"].lower() for term in as_admin.get(TAGS).json)
    assert names == (["c#"] if is_dry else ["c", "c#", "slow food"])


def test_a_pair_survives_the_round_trip(app, run, as_admin, tag, make_category, tmp_path):
    first, second = tag("Rye", "rye"), tag("RYE", "rye-2")
    body = {"title": "A", "content": "x", "status": "published", "category": {"slug": make_category().slug}}
    body["tags"] = [{"uuid": second}, {"uuid": first}]
    uuid = as_admin.post(ARTICLES, json=body).json["uuid"]
    exported = app.test_cli_runner().invoke(args=["export", str(tmp_path / "out")])
    assert exported.exit_code == 0, exported.output
    assert as_admin.delete(f"{ARTICLES}{uuid}/").status_code == 204
    for one in (first, second):
        assert as_admin.delete(f"{TAGS}{one}/").status_code == 204
    run(copytree(tmp_path / "out", tmp_path / "copy"), {}, "--restore-deleted")
    terms = as_admin.get(TAGS).json
    assert {(term["uuid"], term["name"], term["slug"]) for term in terms} == {
        (first, "Rye", "rye"),
        (second, "RYE", "rye-2"),
    }
    (article,) = as_admin.get(ARTICLES).json
    assert [one["uuid"] for one in article["tags"]] == [second, first]


APOSTROPHES = {
    "a.md": 'title: Don\'t panic\ntags: [Kids Corner, "Kid\'s Corner", "won&#39;t", "l&#39;été"]\n'
    'categories: [["Cook\'s", "Baker\'s"]]\nauthors: [Kids Corner, "Kid\'s Corner", "Ada O\'Brien"]',
    "b.md": "title: It\u2019s won&#39;t\ntags: [L\u2019été, won't, it's]\n"
    'authors: [Ada O\u2019Brien, "Ma&#39;am", Kids Corner]',
}


@pytest.mark.parametrize("is_former", [False, True])
def test_a_second_import_of_names_with_apostrophes_changes_nothing(
    run, as_admin, tmp_path, monkeypatch, is_former
):
    """The first import runs with the present rule for slugs, or with that of version 1.0."""
    files = {name: f"---\n{fields}\ndate: 2020-01-01\n---\nx\n" for name, fields in APOSTROPHES.items()}
    slugify = slugs._derive_slug_once
    with monkeypatch.context() as patch:
        patch.setattr(
            slugs,
            "_derive_slug_once",
            lambda text, length, former: slugify(text, length, former or is_former),
        )
        slugs.make_term_slug.cache_clear()
        assert "2 created" in run(tmp_path / "blog", files)
    slugs.make_term_slug.cache_clear()
    before = read_blog(as_admin)
    names = {path: sorted(term["name"] for term in before[path]) for path in (TAGS, AUTHORS)}
    assert {"Kids Corner", "Kid's Corner"} <= {*names[AUTHORS]} & {*names[TAGS]}
    assert sum("Brien" in name for name in names[AUTHORS]) == 1
    assert "2 unchanged" in run(tmp_path / "blog", files)
    assert "2 updated" in run(tmp_path / "blog", {name: f"{text}y\n" for name, text in files.items()})
    after = read_blog(as_admin)
    assert [after[path] == before[path] for path in (TAGS, CATEGORIES, AUTHORS)] == [True, True, True]
    assert [one["slug"] for one in after[ARTICLES]] == [one["slug"] for one in before[ARTICLES]]


def read_blog(client):
    return {path: client.get(path).json for path in (ARTICLES, TAGS, CATEGORIES, AUTHORS)}


def test_nothing_is_refused_for_its_byline(run, as_reader, tmp_path):
    names = [f"Ada {number} Lovelace" for number in range(1, 8)]
    long = f"{', '.join(names[:5])}; {names[5]} and {names[6]}"
    files = {"a.md": ("A", long), "b.md": ("B", "x" * 300), "c.md": ("C", "Ada 1 Lovelace")}
    texts = {
        name: f'---\ntitle: {title}\ndate: 2020-01-01\nauthor: "{byline}"\n---\nx\n'
        for name, (title, byline) in files.items()
    }
    output = run(tmp_path / "blog", texts)
    assert "3 created" in output and "refused" not in output.replace("0 refused", "")
    shown = as_reader.get("/api/v1/blog/articles/?fields=title,authors").json
    authors = {one["title"]: [author["name"] for author in one["authors"]] for one in shown}
    assert authors["A"] == names and authors["C"] == names[:1]
    assert [len(name) for name in authors["B"]] == [100]
