"""Every number of EXPECTED.json is compared with what an import stores and reports, or has a reason.

See `test_corpus.py` for the corpus. A new entry or a new number fails until a function here counts it.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from sqlalchemy import func, select

from blogapi.content.articles.models import Article, ArticleAuthor, ArticleTag
from blogapi.content.taxonomies.categories import Category
from blogapi.content.taxonomies.tags import Tag
from blogapi.rendering.slugs import make_term_slug
from blogapi.storage.database import db

CORPUS = os.environ.get("BLOGAPI_TEST_CORPUS", "")
EXPECTED = json.loads((Path(CORPUS) / "EXPECTED.json").read_text(encoding="utf-8")) if CORPUS else {}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not CORPUS, reason="BLOGAPI_TEST_CORPUS names no folder with real blogs"),
]

READER = "compared with the reader in test_corpus.py"
RECORDS = "compared with the records in ghost/test_corpus.py"
ITEMS = "compared item by item in wordpress/test_corpus.py"
WRITTEN = "how the file is written; test_corpus.py has the outcome of each file"
SYNTAX = "stays in the text as it is, or is a template tag, which test_corpus.py counts"
VERSION = "describes the export, and not the blog"
#: The numbers that are not compared here, and the reason.
REASONS: dict[str, dict[str, str]] = {
    "markdown": {
        **dict.fromkeys(("fm.*", "dates.*", "tags.*", "cats.*", "titletypes.*"), READER),
        **dict.fromkeys(
            ("BOM", "CRLF", "NUL", "not utf-8", "closes with ...", "empty front matter"), WRITTEN
        ),
        **dict.fromkeys(("empty body",), WRITTEN),
        **dict.fromkeys(("html in body", "hugo shortcode", "{% tag %}", "footnotes", "<!--more-->"), SYNTAX),
        "script/iframe/style in body": SYNTAX,
        "relative image": "the report counts references to media files, and not the texts with some",
        "root-relative image": "the report counts references to media files, and not the texts with some",
        "markup/entity in title": "titles become plain text, which test_text.py tests",
    },
    "wxr": {
        "wf": ITEMS,
        "ver": VERSION,
        "lang": "only chooses among the languages of a text",
        "domains.category": ITEMS,
        "domains.post_tag": ITEMS,
        "approved.*": "comments are not taken; their sum is compared",
    },
    "ghost": {
        **dict.fromkeys(("kB", "wrap", "ver"), VERSION),
        **dict.fromkeys(("shape", "status:*", "type:*", "body:*"), RECORDS),
        "no *": "a field without a value gives none; the number of records is compared",
        "cards.m:markdown": "becomes text",
        "cards.l:*": "the only post with lexical is refused, because it has no HTML",
    },
    "blogger": {},
}
#: The found numbers minus the expected ones, and the reason for the difference.
DIFFERENCES: dict[str, tuple[dict[str, int], str]] = {
    "ghost/ghost-fixtures-lts/export-003-mu.json": (
        {"counts.posts_tags": 1},
        "two posts have the id 1, and both get its tag",
    ),
    "ghost/ghost-fixtures-lts/export-003-nullPosts.json": (
        {"counts.posts_tags": -1, "dates.epoch-ms": -1},
        "one row names no tag of the export, and one post has only null in its fields and is refused",
    ),
    "ghost/tryghost-migrate/ghost.json": (
        {"dates.ISO Z": -1},
        "one post has its text only in lexical, and is refused",
    ),
    "markdown-i18n/opentelemetry": (
        {"non-ASCII title": -2, "title with no ASCII letter/digit": -2},
        "section pages are not imported",
    ),
    "markdown-odd/derived": (
        {"non-ASCII title": 1},
        "the counts missed files with CR, UTF-16 or leading blank lines, or a duplicate key",
    ),
    "markdown-toml/hugo-basic-example": (
        {"drafts": 2, "no title": -1},
        "a headless bundle is not imported, and the files beside it are drafts",
    ),
    "markdown-toml/volcano": ({"non-ASCII title": 4}, "`dateday = 08` is not valid TOML, but is read as 8"),
    "markdown-yaml/18f": (
        {"files": -1, "non-ASCII title": 1},
        "the folder has one file less than the counts, and one title has a character as an entity",
    ),
    "markdown-yaml/hexo-site": ({"files": -1}, "the folder has one file less than the counts"),
    "markdown-yaml/jekyll-testposts": (
        {"no title": 6},
        "the counts leave out files without or with empty front matter",
    ),
    **dict.fromkeys(
        (
            "wxr/nikola/wordpress_qtranslate_item_modernized.xml",
            "wxr/nikola/wordpress_qtranslate_item_raw_export.xml",
            "wxr/tryghost-migrate/feature-image-captions.xml",
            "wxr/wp-theme-test-data/theme-preview.xml",
        ),
        ({"authors": 1}, "the posts name an author whom the export does not define"),
    ),
    "wxr/pelican/wordpressexport.xml": (
        {"items": -2, "status.attachment/inherit": -2, "authors": 1},
        "three attachments have one id, and one author is not defined",
    ),
    "wxr/tryghost-migrate/co-authors-plus.xml": (
        {"domains.author": -2},
        "one post names both of its authors twice",
    ),
    "wxr/wp-theme-test-data/themeunittestdata.wordpress.xml": (
        {"status.post/draft": 1, "status.post/publish": -1},
        "one post has a password",
    ),
}


def flatten(counts, path=()):
    """Yield the path and the number of each count; a list counts as its length."""
    for name, value in counts.items():
        if isinstance(value, dict):
            yield from flatten(value, (*path, name))
        else:
            # `odd` is only a heading.
            names = path[1:] if path[:1] == ("odd",) else path
            yield ".".join((*names, name)), len(value) if isinstance(value, list) else value


@pytest.fixture
def run_import(app, people):
    """Imports a part of the corpus into the empty blog; returns the report."""

    def run(name):
        words = ["import", str(Path(CORPUS) / name), "--author", "ada", "--json"]
        result = app.test_cli_runner().invoke(args=words)
        assert result.exit_code in (0, 1), result.output
        return json.loads(result.stdout)

    return run


@pytest.fixture
def list_rows(app):
    """Returns the articles and pages of the blog."""

    def rows():
        with app.app_context():
            return [*db.session.scalars(select(Article).order_by(Article.slug))]

    return rows


@pytest.fixture
def count_rows(app):
    """Returns the number of rows of a table that fulfil conditions."""

    def count(model, *conditions):
        with app.app_context():
            return db.session.scalar(select(func.count()).select_from(model).where(*conditions))

    return count


def count_notes(report, part):
    return sum(part in note for file in report["files"] for note in file["notes"])


def count_markdown(name, report, rows, _):
    titles, keys = [row.title for row in rows], [file["key"] for file in report["files"]]
    paths = [key.partition("/")[2] for key in keys]
    return {
        "files": len(keys),
        "drafts": sum(row.status == "draft" for row in rows),
        "no title": count_notes(report, "The title was "),
        "non-ASCII title": sum(not title.isascii() for title in titles),
        "title with no ASCII letter/digit": sum(not re.search("[A-Za-z0-9]", title) for title in titles),
        "space in path": sum(" " in path for path in paths),
        "non-ASCII path": sum(not path.isascii() for path in paths),
    }


_TEXT = r">(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?</"


def find_texts(element, text):
    return [html.unescape(one) for one in re.findall(f"<{element}{_TEXT}{element}>", text, re.DOTALL)]


def count_terms(text, count):
    """Count the terms that the file defines and the blog has."""
    return {
        key: sum(count(model, model.slug == make_term_slug(name)) for name in find_texts(element, text))
        for key, model, element in (("cats", Category, "wp:cat_name"), ("tags", Tag, "wp:tag_name"))
    }


def count_wordpress(name, report, rows, count):
    left, text = report["left_behind"]["wordpress"], (Path(CORPUS) / name).read_text("utf-8")
    scheduled = {file["article"] for file in report["files"] if file["status"] == "scheduled"}
    # The further languages of an item are further articles.
    items = {row.translation_key or row.uuid: row for row in rows}.values()
    found = Counter(
        f"{'page' if row.type == 'page' else 'post'}/"
        f"{'future' if str(row.uuid) in scheduled else 'publish' if row.status == 'published' else 'draft'}"
        for row in items
    )
    for key, number in left.items():
        if key.startswith("items of the type "):
            found[f"{key.removeprefix('items of the type ')}/publish"] += number
    media = re.search(r"names ([\d,]+) media file", " ".join(report["notes"]))
    found["attachment/inherit"] = int(media[1]) if media else 0
    definitions = sum(number for key, number in left.items() if key.startswith("definitions of terms"))
    taken = re.findall(r"<wp:term_taxonomy>(?:<!\[CDATA\[)?(?:category|post_tag)\b", text)
    names = ("comments", "pingbacks and trackbacks", "comments in the trash", "spam comments")
    authors = [author for author in report["authors"] if author["slug"] != "ada"]
    return {
        **{f"status.{key}": number for key, number in found.items()},
        "items": found.total(),
        "authors": len(authors) + left.get("authors without posts", 0),
        "terms": definitions + len(taken),
        "comments": sum(left.get(one, 0) for one in names),
        "domains.author": sum(author["articles"] for author in authors),
        "domains.post_format": left.get("terms of the taxonomy post_format", 0),
        # These items are the only ones with such a term.
        "domains.nav_menu": left.get("items of the type nav_menu_item", 0),
        "domains.wp_theme": left.get("items of the type wp_global_styles", 0),
        **count_terms(text, count),
    }


def count_ghost(name, report, rows, count):
    left, dated = report["left_behind"]["ghost"], sum(row.published_at is not None for row in rows)
    authors = [author for author in report["authors"] if author["slug"] != "ada"]
    text = " ".join(row.content for row in rows)
    return {
        "counts.posts": len(report["files"]),
        "counts.tags": count(Tag) + left.get("internal tags", 0),
        "counts.users": len(authors) + left.get("users without posts", 0),
        "counts.posts_tags": count(ArticleTag),
        "counts.posts_authors": count(ArticleAuthor),
        "dates.ISO Z": dated,
        "dates.epoch-ms": dated,
        "dates.null": len(rows) - dated,
        "custom_excerpt": sum(row.excerpt != "" for row in rows),
        "cards.m:image": text.count("kg-image-card"),
        "cards.m:code": text.count("<pre"),
        "cards.m:hr": text.count("<hr"),
        "dup_slugs": count_notes(report, " is taken; the article got "),
    }


def count_blogger(name, report, rows, _):
    left = report["left_behind"]["blogger"]
    kinds = {"article": "post", "page": "page"}
    found = Counter(kinds[row.type] + ("/draft" if row.status == "draft" else "") for row in rows)
    names = {"template": "templates", "settings": "settings of the blog", "comment": "comments"}
    return {**found, **{theirs: left[ours] for theirs, ours in names.items()}}


COUNTERS = {
    "markdown": count_markdown,
    "wxr": count_wordpress,
    "ghost": count_ghost,
    "blogger": count_blogger,
}


def check_numbers(name, report, rows, count_rows):
    """Check that every number is that of the import, or has a reason."""
    family = re.split("[-/]", name)[0]
    found = COUNTERS[family](name, report, rows, count_rows)
    patterns = REASONS[family]
    theirs = {
        path: number
        for path, number in flatten(EXPECTED[name])
        if not any(fnmatchcase(path, pattern) for pattern in patterns)
    }
    assert theirs.keys() <= found.keys()
    differences = {path: found[path] - number for path, number in theirs.items() if found[path] != number}
    assert differences == DIFFERENCES.get(name, ({}, ""))[0]


def test_every_reason_is_about_a_number():
    for family, patterns in REASONS.items():
        paths = {
            path
            for name, counts in EXPECTED.items()
            if re.split("[-/]", name)[0] == family
            for path, _ in flatten(counts)
        }
        assert [one for one in patterns if not any(fnmatchcase(path, one) for path in paths)] == []
    assert set(DIFFERENCES) <= set(EXPECTED)


#: What EXPECTED.json does not count, counted by hand in the files: the articles, the pages, the pages below
#: another one, the articles of each language but the site's, the texts in several languages, and the articles
#: whose slug was taken.
#: The taken slugs are those of different posts with one slug in the files, and of `homepage/about.md` beside
#: `about.md` in that of Hugo.
SHAPES: dict[str, tuple[int, int, int, dict[str, int], int, int]] = {
    "markdown-i18n/opentelemetry": (68, 0, 0, {"ja": 16, "es": 7, "pt": 7, "uk": 3, "zh": 3}, 13, 0),
    "markdown-i18n/sofastack-zh": (69, 0, 0, {}, 0, 0),
    "markdown-odd/derived": (11, 0, 0, {}, 0, 0),
    "markdown-toml/hugo-basic-example": (11, 0, 0, {"fr": 4}, 4, 1),
    "markdown-toml/rust-blog": (128, 0, 0, {}, 0, 0),
    "markdown-toml/volcano": (42, 0, 0, {"zh": 20}, 19, 0),
    "markdown-yaml/18f": (169, 0, 0, {}, 0, 0),
    "markdown-yaml/hexo-site": (57, 0, 0, {}, 0, 0),
    "markdown-yaml/hexo-unit-test": (15, 0, 0, {}, 0, 0),
    "markdown-yaml/jekyll-docs": (102, 0, 0, {}, 0, 0),
    "markdown-yaml/jekyll-testposts": (57, 0, 0, {}, 0, 0),
    "markdown-yaml/tryghost-migrate": (13, 0, 0, {}, 0, 0),
    "blogger": (2, 2, 0, {}, 0, 0),
    "ghost": (23, 1, 0, {}, 0, 4),
    "medium": (8, 0, 0, {}, 0, 4),
    "squarespace": (3, 2, 0, {}, 0, 0),
    "substack": (4, 1, 0, {}, 0, 0),
    "wxr/cc-labs/wordpress.xml": (219, 5, 3, {}, 0, 0),
    "wxr/nikola": (7, 2, 0, {"fr": 1}, 1, 0),
    "wxr/pelican": (11, 2, 0, {}, 0, 0),
    "wxr/wp-theme-test-data/themeunittestdata.wordpress.xml": (58, 21, 13, {}, 0, 0),
    "wxr/wp-theme-test-data/64-block-test-data.xml": (61, 1, 0, {}, 0, 1),
}


def check_shape(name, report, rows, count_rows):
    """Check that the pages and the translations of the blog are found."""
    pages = [row for row in rows if row.type == "page"]
    keys = Counter(row.translation_key for row in rows if row.translation_key)
    found = (
        len(rows) - len(pages),
        len(pages),
        sum(page.parent_id is not None for page in pages),
        dict(Counter(row.language for row in rows if row.language)),
        sum(number > 1 for number in keys.values()),
        count_notes(report, " is taken; the article got "),
    )
    assert found == SHAPES[name]
    assert count_rows(Tag, Tag.slug == "page") == 0
    assert len({row.slug for row in rows}) == len(rows)


def check_terms(name, report, count_rows):
    """Check that the terms of WordPress have their parents and descriptions."""
    text = (Path(CORPUS) / name).read_text("utf-8")
    categories = re.findall("<wp:category>.*?</wp:category>", text, re.DOTALL)
    parents = {
        make_term_slug(find_texts("wp:cat_name", one)[0])
        for one in categories
        if "".join(find_texts("wp:category_parent", one))
    }
    left = report["left_behind"]["wordpress"]
    doubles = left.get("categories and tags with the name of another one", 0)
    # Two categories have the name Foo A, and the first one has no parent.
    assert doubles == (1 if "themeunittestdata" in name else 0)
    assert count_rows(Category, Category.parent_id.is_not(None)) == len(parents) - doubles
    for model, element in ((Category, "wp:category_description"), (Tag, "wp:tag_description")):
        described = [one for one in find_texts(element, text) if one.strip()]
        assert count_rows(model, model.description != "") == len(described)


@pytest.mark.parametrize("name", sorted({*EXPECTED, *SHAPES}))
def test_an_import_takes_everything_or_says_why_not(run_import, list_rows, count_rows, name):
    report, rows = run_import(name), list_rows()
    if name in EXPECTED:
        check_numbers(name, report, rows, count_rows)
    if name in SHAPES:
        check_shape(name, report, rows, count_rows)
    if name in EXPECTED and name.startswith("wxr/"):
        check_terms(name, report, count_rows)


def test_categories_of_hexo_have_their_parents(run_import, app):
    run_import("markdown-yaml/hexo-unit-test")
    with app.app_context():
        names = {one.uuid: one.name for one in db.session.scalars(select(Category))}
        found = {one.name: names.get(one.parent_id) for one in db.session.scalars(select(Category))}
    assert found == {"Foo": None, "Bar": "Foo", "Baz": "Bar", "Uncategorised": None}
