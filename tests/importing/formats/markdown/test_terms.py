"""Categories and tags are read in all formats that blogs use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.markdown import reader

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(front, key="blog/a.md"):
    return reader.parse_article(
        key, f"---\ntitle: Hello\n{front}\n---\nText".encode(), ImportOptions(now=NOW)
    )


@pytest.mark.parametrize(
    ("front", "category", "tags"),
    [
        ("categories: a b", "a b", ()),
        ("categories: a, b", "a", ("b",)),
        ("categories: [[a, b], [c]]", "b", ("c",)),
        ("categories: [a, A, '', ~, b]", "a", ("b",)),
        ("category: a\ncategories: [b, a]", "a", ("b",)),
        ("category: 2013", "2013", ()),
        ("category:", "", ()),
        ("taxonomies: {categories: [a], tags: [b]}", "a", ("b",)),
        ("tags: a b", "", ("a b",)),
        ("tags: a,b , ,c", "", ("a", "b", "c")),
        ("tags: [1.10, yes, Washington (DC), 'a, b']", "", ("1.10", "yes", "Washington (DC)", "a, b")),
        ("tags: [Go, go, GO]", "", ("Go",)),
        ("tags: {a: 1, b: 2}", "", ("a", "b")),
        ("tags: [{name: a, slug: b}]", "", ("a",)),
        ("tags: [a]\ntag: b c\nkeywords: d", "", ("a", "b c")),
        ("keywords: a, b", "", ("a", "b")),
        ("tags: ['#a', '#b/c', '#']", "", ("a", "b/c")),
    ],
)
def test_terms_are_read_in_all_formats(front, category, tags):
    record = read(front)
    assert (record.category, record.tags) == (category, tags)


@pytest.mark.parametrize(
    ("front", "path", "tags"),
    [
        ("categories: [a, b, c]", ("a", "b", "c"), ()),
        ("categories: [[a, b], [a, c], d]", ("a", "b"), ("c", "d")),
        ("categories: [a, [b, c]]", ("a",), ("c",)),
        ("categories: a", ("a",), ()),
        ("category: a\ncategories: [b, c]", ("a",), ("c",)),
    ],
)
def test_a_list_of_categories_of_hexo_is_a_path(front, path, tags):
    record = reader.parse_article(
        "source/_posts/a.md", f"---\ntitle: A\n{front}\n---\nText".encode(), ImportOptions(now=NOW)
    )
    assert ((*record.categories_above, record.category), record.tags) == (path, tags)


@pytest.mark.parametrize(
    ("name", "configuration", "path"),
    [
        ("source/_posts/a.md", "", ("a", "b")),
        ("_posts/a.md", "new_post_name: :title.md", ("a", "b")),
        ("_posts/a.md", "permalink: pretty", ("a",)),
        ("a.md", "", ("a",)),
    ],
)
def test_the_site_says_whether_a_list_of_categories_is_a_path(tmp_path, name, configuration, path):
    file = tmp_path / "blog" / name
    file.parent.mkdir(parents=True)
    file.write_text("---\ntitle: A\ncategories: [a, b]\n---\nText", encoding="utf-8")
    if configuration:
        (tmp_path / "blog" / "_config.yml").write_text(configuration, encoding="utf-8")
    record = reader.read_article(Entry(f"blog/{name}", file), ImportOptions(now=NOW))
    assert (*record.categories_above, record.category) == path


def test_plural_terms_of_jekyll_posts_are_split_at_spaces():
    record = read("category: a b\ncategories: c d\ntag: e f\ntags: g h", key="_posts/2020-01-02-a.md")
    assert (record.category, record.tags) == ("a b", ("g", "h", "e f", "c", "d"))
    assert "“a b” was kept" in record.notes[0]


def read_from(front, *, tags=(), category=(), key="blog/posts/food/bread/2020-01-02-a.md"):
    text = f"---\ntitle: Hello\n{front}\n---\nText"
    options = ImportOptions(now=NOW, tags_from=tags, category_from=category)
    record = reader.parse_article(key, text.encode(), options)
    assert not any("became tags" in note for note in record.notes)
    return record.category, record.tags


@pytest.mark.parametrize(
    ("front", "options", "expected"),
    [
        ("topics: [A, b]", {"tags": ("topics",)}, ("", ("A", "b"))),
        ("topics: a\ntags: [b, A]", {"tags": ("topics",)}, ("", ("a", "b"))),
        ("params: {topics: a}", {"tags": ("params.topics",)}, ("", ("a",))),
        ("Main-Topic: a\ntags: b", {"category": ("main_topic",)}, ("a", ("b",))),
        ("categories: [a, b]", {"tags": ("categories",), "category": ("folder",)}, ("bread", ("a", "b"))),
        ("categories: [a, b]", {"category": ("section",)}, ("food", ("a", "b"))),
        ("category: a", {"category": ("missing",)}, ("a", ())),
        ("tags: [a, b]", {"category": ("tags",)}, ("a", ("b",))),
        ("", {"tags": ("section", "folder")}, ("", ("food", "bread"))),
        ("", {"category": ("folder",), "key": "blog/food/bread/index.md"}, ("food", ())),
        ("", {"category": ("folder",), "key": "blog/posts/2020/a.md"}, ("", ())),
        ("", {"category": ("folder",), "key": "blog/a.md"}, ("", ())),
    ],
)
def test_tags_and_the_category_come_from_other_fields_and_folders(front, options, expected):
    assert read_from(front, **options) == expected


def test_the_folder_of_a_collection_of_jekyll_is_a_category_without_its_mark():
    options = ImportOptions(now=NOW, category_from=("folder",))
    record = reader.parse_article("site/_projects/a.md", b"---\ntitle: A\n---\nText", options)
    assert record.category == "projects"
