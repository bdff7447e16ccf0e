"""A further import of a blog: what becomes of its articles, edited here or not."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import select

from blogapi.content.articles import service as articles
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article
from blogapi.importing.format_api import (
    CONTRACT_VERSION,
    ArticleRecord,
    Format,
    Source,
)
from blogapi.importing.formats import registry
from blogapi.importing.storing.earlier_imports import HIDDEN_NOTE
from blogapi.storage.database import db

DATE = datetime(2024, 5, 1, tzinfo=UTC)
FIRST, EDIT, SECOND = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3))
LATER = datetime(2026, 2, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
RECORD = ArticleRecord(
    key="other:1",
    source="export.other",
    title="Bread",
    slug="bread",
    content="<p>Flour and time.</p>\n<p>A secret part of it.</p>",
    content_type="html",
    status="published",
    published_at=DATE,
)
PART = "<p>A secret part of it.</p>"
PART_LEFT_OUT = {"content": "<p>Flour and time.</p>", "left_out": (PART,)}
ELEMENT_HIDDEN = {"content": "<p>Flour and time.</p>\n<p hidden>A secret part of it.</p>"}


class OneSource(Source):
    """A source with the items of the current test."""

    def __init__(self, items, rules):
        super().__init__(total=1)
        self._items, self._rules = items, rules

    def read(self):
        yield from self._items
        self.unread_rules = self._rules


@pytest.fixture
def run(app, people, tmp_path, monkeypatch):
    """Imports records with the command `import`; returns its exit status and its report."""
    given = SimpleNamespace(items=[], rules="")
    format_ = Format(
        name="other",
        contract=CONTRACT_VERSION,
        detect=lambda entry, head: head.startswith(b"OTHER"),
        open_source=lambda entries, options: OneSource(given.items, given.rules),
    )
    point = SimpleNamespace(name="other", dist=None, module="other", load=lambda: format_)
    monkeypatch.setattr(registry, "_find_entry_points", lambda notes: [point])
    file = tmp_path / "export.other"
    file.write_bytes(b"OTHER")

    def run(*items, rules="", options=()):
        given.items, given.rules = items, rules
        arguments = ["import", str(file), "--author", "ada", "--json", *options]
        result = app.test_cli_runner().invoke(args=arguments)
        assert result.exit_code in (0, 1), result.output
        return result.exit_code, json.loads(result.stdout)

    return run


@pytest.fixture
def read(app):
    """Returns an article by its title."""

    def read(title="Bread"):
        with app.app_context():
            return db.session.scalar(select(Article).where(Article.title == title))

    return read


@pytest.fixture
def edit(app, read, set_clock):
    """Changes the article as a person does."""

    def edit(**fields):
        set_clock(EDIT)
        with app.app_context():
            article = read()
            articles.change_article_in_transaction(article.author_id, article.uuid, ArticleInput(**fields))

    return edit


def an_edit(**fields):
    return {"texts": {"subtitle": "Mine"}, **fields}


DRAFT = {"status": "draft", "notes": ("It was private; the article became a draft.",)}
NEAR, FAR = {"published_at": DATE + 26 * HOUR}, {"published_at": DATE + 27 * HOUR}
EARLIER = {"published_at": DATE - 26 * HOUR}
UNDATED = {"published_at": None}
EDITED_TEXT = an_edit(texts={"content": "<p>Flour,\ntime.</p> <p>A <b>secret</b> part of it.</p>"})
EDITED_PART = an_edit(texts={"content": "<p>Flour and time.</p>"})
PATH = "/{year}/{month}/{day}/{slug}/"
KEPT, OTHER = DATE, DATE + 27 * HOUR

# The record of the first import, the edit between (None = none), what is different in the second import; then
# the result, the status and the date of the article, and the mark in the report.
CASES = {
    # Not edited, and public here.
    "same": ({}, None, {}, "unchanged", "published", KEPT, None),
    "near date": ({}, None, NEAR, "unchanged", "published", KEPT, None),
    "near earlier date": ({}, None, EARLIER, "unchanged", "published", KEPT, None),
    "no date any more": ({}, None, UNDATED, "unchanged", "published", KEPT, None),
    "far date": ({}, None, FAR, "updated", "published", OTHER, None),
    "date after none": (UNDATED, None, {}, "updated", "published", DATE, None),
    "still no date": (UNDATED, None, UNDATED, "unchanged", "published", FIRST, None),
    "near date of the import": (
        *(UNDATED, None, {"published_at": FIRST - HOUR}, "updated", "published", FIRST - HOUR, None),
    ),
    "hidden": ({}, None, DRAFT, "updated", "draft", KEPT, None),
    "hidden, near date": ({}, None, DRAFT | NEAR, "updated", "draft", KEPT, None),
    "hidden, far date": ({}, None, DRAFT | FAR, "updated", "draft", OTHER, None),
    "hidden, date after none": (
        UNDATED,
        None,
        DRAFT | {"published_at": DATE},
        "updated",
        "draft",
        DATE,
        None,
    ),
    "hidden, other title": ({}, None, DRAFT | {"slug": "other"}, "updated", "draft", KEPT, None),
    "unlisted, hidden": ({"status": "unlisted"}, None, DRAFT, "updated", "draft", KEPT, None),
    "expired": ({}, None, {"status": "archived"}, "updated", "archived", KEPT, None),
    "waits": ({}, None, {"published_at": LATER}, "updated", "scheduled", LATER, None),
    "part hidden": ({}, None, PART_LEFT_OUT, "updated", "published", KEPT, None),
    "part hidden, near date": ({}, None, PART_LEFT_OUT | NEAR, "updated", "published", KEPT, None),
    "unlisted": ({}, None, {"status": "unlisted"}, "updated", "unlisted", KEPT, None),
    # Not edited, and not public here.
    "draft": (DRAFT, None, DRAFT, "unchanged", "draft", KEPT, None),
    "draft, near date": (DRAFT, None, DRAFT | NEAR, "unchanged", "draft", KEPT, None),
    "draft, far date": (DRAFT, None, DRAFT | FAR, "updated", "draft", OTHER, None),
    "draft, public now": (DRAFT, None, {}, "updated", "published", KEPT, None),
    "draft, public now, near date": (DRAFT, None, NEAR, "updated", "published", KEPT, None),
    "scheduled, hidden": ({"published_at": LATER}, None, DRAFT, "updated", "draft", DATE, None),
    "scheduled, earlier": (
        *({"published_at": LATER}, None, {"published_at": LATER - HOUR}, "unchanged", "scheduled", LATER),
        None,
    ),
    "scheduled, later": (
        *({"published_at": LATER}, None, {"published_at": LATER + HOUR}, "updated", "scheduled"),
        *(LATER + HOUR, None),
    ),
    # Edited, and public here.
    "edited": ({}, an_edit(), {}, "unchanged", "published", KEPT, None),
    "edited, near date": ({}, an_edit(), NEAR, "unchanged", "published", KEPT, None),
    "edited, far date": ({}, an_edit(), FAR, "refused", "published", KEPT, None),
    "edited, date after none": (UNDATED, an_edit(), {}, "refused", "published", FIRST, None),
    "edited, other text": ({}, an_edit(), {"content": "New"}, "refused", "published", KEPT, None),
    "edited, hidden": ({}, an_edit(), DRAFT, "unchanged", "published", KEPT, "hidden there"),
    "edited, hidden, near date": (
        *({}, an_edit(), DRAFT | NEAR, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, hidden, far date": (
        *({}, an_edit(), DRAFT | FAR, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, hidden, date after none": (
        *(UNDATED, an_edit(), DRAFT | {"published_at": DATE}, "unchanged", "published", FIRST),
        "hidden there",
    ),
    "edited, unlisted, hidden": (
        *({"status": "unlisted"}, an_edit(), DRAFT, "unchanged", "unlisted", KEPT, "hidden there"),
    ),
    "edited, expired": (
        *({}, an_edit(), {"status": "archived"}, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, waits": (
        *({}, an_edit(), {"published_at": LATER}, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, scheduled, hidden": (
        *(
            {"published_at": LATER},
            an_edit(),
            DRAFT | {"published_at": LATER},
            "unchanged",
            "scheduled",
            LATER,
        ),
        "hidden there",
    ),
    "edited, part hidden": (
        *({}, EDITED_TEXT, PART_LEFT_OUT, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, part hidden, near date": (
        *({}, EDITED_TEXT, PART_LEFT_OUT | NEAR, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, element hidden": (
        *({}, EDITED_TEXT, ELEMENT_HIDDEN, "unchanged", "published", KEPT, "hidden there"),
    ),
    "edited, part hidden and removed": ({}, EDITED_PART, PART_LEFT_OUT, "refused", "published", KEPT, None),
    "published by hand": (DRAFT, an_edit(status="published"), DRAFT, "unchanged", "published", KEPT, None),
    # Edited, and not public here.
    "made a draft by hand": ({}, an_edit(status="draft"), {}, "unchanged", "draft", KEPT, None),
    "made a draft by hand, hidden": ({}, an_edit(status="draft"), DRAFT, "unchanged", "draft", KEPT, None),
    "made a draft by hand, hidden, near date": (
        *({}, an_edit(status="draft"), DRAFT | NEAR, "unchanged", "draft", KEPT, None),
    ),
    "made a draft by hand, part hidden": (
        *({}, an_edit(status="draft"), PART_LEFT_OUT, "refused", "draft", KEPT, None),
    ),
    "edited draft, public now": (DRAFT, an_edit(), {}, "refused", "draft", KEPT, None),
}


@pytest.mark.parametrize("case", CASES)
def test_a_further_import(run, read, edit, set_clock, case):
    first, edited, second, result, status, date, mark = CASES[case]
    set_clock(FIRST)
    assert run(replace(RECORD, **first))[0] == 0
    if edited:
        edit(**edited)
    before = read()
    set_clock(SECOND)
    record = replace(RECORD, **second)
    planned = run(record, options=["--dry-run"])
    assert read().version == before.version
    exit_code, report = done = run(record)
    (file,) = report["files"]
    assert (file["result"], file["hidden_there"]) == (result, bool(mark))
    assert exit_code == (1 if mark or result == "refused" else 0)
    for _, document in (planned, done):
        document["dry_run"] = None
        document["files"][0]["article"] = None
    assert planned == done
    after = read()
    stored_status = "published" if status == "scheduled" else status
    assert (after.status, after.published_at, after.slug) == (stored_status, date, "bread")
    assert result == "refused" or file["status"] == status
    assert (after.version == before.version) == (result != "updated")
    assert [entry["title"] for entry in report["public_here_hidden_there"]] == (["Bread"] if mark else [])
    # The next import of the same records changes nothing.
    assert run(record)[1]["files"][0]["result"] == ("unchanged" if result == "updated" else result)


def test_the_addresses_of_articles_and_the_links_to_them_stay(run, read, as_login, set_clock):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example", "article_path": PATH})
    link = '<a href="https://other.example/bread">Bread</a>'
    linking = replace(
        RECORD, key="other:2", title="Rye", slug="rye", content=link, published_at=DATE + 48 * HOUR
    )
    bread = replace(RECORD, addresses=("/bread",))
    set_clock(FIRST)
    options = ["--base-url", "https://other.example"]
    run(bread, linking, options=options)
    assert "/2024/05/01/bread" in read("Rye").content
    set_clock(SECOND)
    _, report = run(replace(bread, published_at=DATE - 8 * HOUR), linking, options=options)
    assert [file["result"] for file in report["files"]] == ["unchanged", "unchanged"]


# Rules that no source contains


RULES = "MemberPress"
PUBLIC = ["--unread-rules", "public"]
NOTE = "Rules of MemberPress that the file does not contain can hide it; the article became a draft."


@pytest.mark.parametrize(
    ("record", "expected", "number"),
    [
        ({}, "draft", 1),
        ({"status": "unlisted"}, "draft", 1),
        ({"published_at": LATER}, "draft", 1),
        ({"status": "draft"}, "draft", 0),
        ({"status": "archived"}, "archived", 0),
    ],
)
def test_new_articles_that_unread_rules_can_hide_become_drafts(
    run, read, set_clock, record, expected, number
):
    set_clock(FIRST)
    record = replace(RECORD, **record)
    exit_code, report = run(record, rules=RULES)
    (file,) = report["files"]
    assert (exit_code, file["status"], read().status) == (0, expected, expected)
    assert (NOTE in file["notes"]) == bool(number)
    assert (report["unread_rules"], report["public_here_rules_unread"]) == (RULES, 0)
    assert f"New articles that became drafts for this reason: {number}." in report["notes"][0]
    assert run(record, rules=RULES)[1]["files"][0]["result"] == "unchanged"


def test_the_import_can_be_told_that_unread_rules_hid_nothing(run, read, set_clock):
    set_clock(FIRST)
    record = replace(RECORD, former_paths=("/2024/bread/",))
    run(record, rules=RULES)
    set_clock(SECOND)
    _, report = run(record, rules=RULES, options=PUBLIC)
    assert (report["files"][0]["result"], read().status) == ("updated", "published")
    assert (read().slug, read().published_at) == ("bread", DATE)
    assert report["notes"][0].endswith("hid nothing, as the options of the import say.")
    assert run(record, rules=RULES, options=PUBLIC)[1]["files"][0]["result"] == "unchanged"


@pytest.mark.parametrize(
    ("first", "edited", "second", "result", "status", "number"),
    [
        ({}, None, {}, "unchanged", "published", 1),
        ({}, None, NEAR, "unchanged", "published", 1),
        ({}, None, {"content": "New"}, "updated", "published", 1),
        ({}, an_edit(), {}, "unchanged", "published", 1),
        ({}, an_edit(), {"content": "New"}, "refused", "published", 1),
        ({"status": "unlisted"}, None, {}, "updated", "published", 1),
        ({"published_at": LATER}, None, {"published_at": LATER}, "unchanged", "published", 1),
        ({}, None, DRAFT, "updated", "draft", 0),
        (DRAFT, None, {}, "unchanged", "draft", 0),
        (DRAFT, an_edit(status="published"), {}, "refused", "published", 1),
        ({}, an_edit(status="draft"), {}, "unchanged", "draft", 0),
        ({"status": "archived"}, None, {}, "unchanged", "archived", 0),
    ],
)
def test_an_article_that_was_imported_before_the_rules_were_known_keeps_its_status(
    run, read, edit, set_clock, first, edited, second, result, status, number
):
    set_clock(FIRST)
    run(replace(RECORD, **first))
    if edited:
        edit(**edited)
    set_clock(SECOND)
    _, report = run(replace(RECORD, **second), rules=RULES)
    assert (report["files"][0]["result"], read().status) == (result, status)
    assert report["public_here_rules_unread"] == number
    assert (f"Public here, rules unread: {number}." in " ".join(report["notes"])) == bool(number)


@pytest.mark.parametrize("options", [[], PUBLIC])
def test_a_draft_of_unread_rules_that_was_published_here_stays_public(run, read, edit, set_clock, options):
    set_clock(FIRST)
    run(RECORD, rules=RULES)
    edit(status="published")
    set_clock(SECOND)
    exit_code, report = run(RECORD, rules=RULES, options=options)
    assert (exit_code, report["files"][0]["result"], read().status) == (0, "unchanged", "published")


def test_a_draft_of_unread_rules_that_was_edited_here_stays_a_draft(run, read, edit, set_clock):
    set_clock(FIRST)
    run(RECORD, rules=RULES)
    edit(**an_edit())
    set_clock(SECOND)
    _, report = run(RECORD, rules=RULES, options=PUBLIC)
    assert (report["files"][0]["result"], read().status) == ("unchanged", "draft")


def test_unread_rules_concern_the_articles_of_their_source_alone(app, run, read, people, tmp_path, set_clock):
    set_clock(FIRST)
    (tmp_path / "rye.md").write_text("---\ntitle: Rye\ndate: 2024-05-01\n---\nText", encoding="utf-8")
    run(RECORD, rules=RULES, options=[str(tmp_path / "rye.md")])
    assert (read().status, read("Rye").status) == ("draft", "published")


# A file of Markdown


POST = "---\ntitle: Bread\ndate: 2024-05-01\n{}---\nFlour and time.\n"


@pytest.fixture
def run_folder(app, people, tmp_path):
    """Imports a Markdown file below `blog`; returns exit status and report."""
    posts = tmp_path / "site" / "blog"
    posts.mkdir(parents=True)

    def run_folder(text, *options, folder=posts, name="bread.md"):
        (posts / name).write_text(text, encoding="utf-8")
        arguments = ["import", str(folder), "--author", "ada", "--json", *options]
        result = app.test_cli_runner().invoke(args=arguments)
        return result.exit_code, json.loads(result.stdout)

    return run_folder


def test_the_text_report_has_a_block_of_its_own(app, run_folder, edit, set_clock, tmp_path):
    set_clock(FIRST)
    run_folder(POST.format(""))
    edit(**an_edit())
    set_clock(SECOND)
    run_folder(POST.format("private: true\n"))
    arguments = ["import", str(tmp_path / "site" / "blog"), "--author", "ada", "--dry-run"]
    lines = app.test_cli_runner().invoke(args=arguments).stdout.splitlines()
    assert lines[1:4] == [
        "hidden     Public here, hidden there: 1.",
        f"hidden     blog/bread.md: {HIDDEN_NOTE}",
        "hidden     blog/bread.md: It has `private: true`.",
    ]
    assert lines[0].startswith("1 public, 0 drafts")


NOTE_HEADLESS = "It is a headless bundle of Hugo, which has no page of its own."


def check_hidden(import_hidden, read, edited, note):
    """Check what further imports make of an article whose file or item the former blog does not show."""
    before = read()
    _, planned = import_hidden("--dry-run")
    assert read().version == before.version
    exit_code, report = import_hidden()
    (planned_file,), (file,) = planned["files"], report["files"]
    is_kept = edited == an_edit()
    result, status = ("unchanged", "published") if is_kept else ("updated", "draft")
    result = "unchanged" if edited == an_edit(status="draft") else result
    assert (exit_code, file["hidden_there"], file["result"], file["status"]) == (
        is_kept,
        is_kept,
        result,
        status,
    )
    assert {**planned_file, "article": None} == {**file, "article": None}
    assert (planned["counts"], len(planned["public_here_hidden_there"])) == (report["counts"], is_kept)
    assert result == "unchanged" or note in file["notes"]
    assert (read().status, read().slug, read().content) == (status, before.slug, before.content)
    version = read().version
    assert version == before.version + (result == "updated")
    exit_code, report = import_hidden()
    assert (exit_code, report["files"][0]["result"], read().version) == (is_kept, "unchanged", version)


EDITS = {"not edited": None, "edited": an_edit(), "made a draft by hand": an_edit(status="draft")}


@pytest.mark.parametrize("edited", EDITS.values(), ids=EDITS)
def test_a_file_that_is_headless_now(run_folder, read, edit, set_clock, edited):
    set_clock(FIRST)
    run_folder(POST.format(""))
    if edited:
        edit(**edited)
    set_clock(SECOND)
    text = POST.format("headless: true\n")
    check_hidden(lambda *options: run_folder(text, *options), read, edited, NOTE_HEADLESS)


def test_a_file_that_is_shown_again_is_public_again(run_folder, read, set_clock):
    set_clock(FIRST)
    run_folder(POST.format(""))
    run_folder(POST.format("headless: true\n"))
    assert read().status == "draft"
    set_clock(SECOND)
    assert run_folder(POST.format(""))[1]["files"][0]["result"] == "updated"
    assert read().status == "published"


def test_a_headless_file_is_found_in_an_outer_folder(run_folder, read, tmp_path, set_clock):
    set_clock(FIRST)
    run_folder(POST.format(""))
    _, report = run_folder(POST.format("headless: true\n"), folder=tmp_path / "site")
    assert (report["files"][0]["result"], read().status) == ("updated", "draft")


def test_a_file_that_became_no_article_before_is_skipped_still(app, run_folder, read, as_login, set_clock):
    set_clock(FIRST)
    headless = POST.format("headless: true\n")
    assert run_folder(headless)[1]["files"][0]["result"] == "skipped"
    run_folder(POST.format(""))
    as_login.delete(f"/api/v1/blog/articles/{read().uuid}/")
    (file,) = run_folder(headless, "--restore-deleted")[1]["files"]
    assert (file["result"], file["notes"], read()) == ("skipped", [NOTE_HEADLESS], None)


def test_pages_that_are_skipped_now_stay_public(run_folder, read, set_clock):
    set_clock(FIRST)
    page = POST.format("type: page\n")
    run_folder(page)
    (file,) = run_folder(page, "--pages", "skip")[1]["files"]
    assert (file["result"], read().status) == ("skipped", "published")


# An export of WordPress

EXPORT = """<?xml version="1.0"?>
<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Blog</title><link>https://old.example</link><wp:wxr_version>1.2</wp:wxr_version>
<item><title>Bread</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>
<wp:status>publish</wp:status><wp:post_date_gmt>2024-05-01 08:00:00</wp:post_date_gmt>
<wp:post_name>bread</wp:post_name><content:encoded><![CDATA[{}]]></content:encoded></item>
{}</channel></rss>"""
SHOWN = "<!-- wp:paragraph --><p>Flour.</p><!-- /wp:paragraph -->"
BLOCK = "<!-- wp:paragraph {}--><p>A secret <em>part</em>.</p><!-- /wp:paragraph -->"
SHORTCODE = "[vc_column_text{}]A secret <em>part</em>.[/vc_column_text]"
RULE = (
    "<item><title>Rule</title><wp:post_id>2</wp:post_id><wp:post_type>memberpressrule</wp:post_type></item>"
)


@pytest.fixture
def run_export(app, people, tmp_path):
    """Imports an export of WordPress with this text; returns exit status and report."""

    def run_export(content, more="", *options, replaced=()):
        path, text = tmp_path / "export.xml", EXPORT.format(content, more)
        for old, new in replaced:
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        arguments = ["import", str(path), "--author", "ada", "--json", *options]
        result = app.test_cli_runner().invoke(args=arguments)
        return result.exit_code, json.loads(result.stdout)

    return run_export


@pytest.mark.parametrize(
    ("part", "shown", "hiding"),
    [
        (BLOCK, "", '{"metadata":{"blockVisibility":false}} '),
        (SHORTCODE, "", ' disable_element="yes"'),
    ],
)
@pytest.mark.parametrize("is_edited", [False, True])
def test_a_part_of_a_post_that_nobody_saw(run_export, read, edit, set_clock, part, shown, hiding, is_edited):
    set_clock(FIRST)
    run_export(SHOWN + part.replace("{}", shown))
    if is_edited:
        edit(**an_edit())
    set_clock(SECOND)
    exit_code, report = run_export(SHOWN + part.replace("{}", hiding))
    (file,) = report["files"]
    assert (exit_code, file["hidden_there"]) == (is_edited, is_edited)
    assert ("secret" in read().content) == is_edited
    assert (read().status, read().slug) == ("published", "bread")


def test_an_export_with_unread_rules_makes_drafts(run_export, read):
    _, report = run_export(SHOWN, RULE)
    assert report["unread_rules"] == "MemberPress"
    assert read().status == "draft"


@pytest.mark.parametrize("part", ["<div hidden>\nA secret.\n</div>", '<p style="display:none">A secret.</p>'])
def test_a_part_that_browsers_did_not_show(app, run_folder, read, edit, set_clock, monkeypatch, part):
    from blogapi.importing.pipeline import run as pipeline

    set_clock(FIRST)
    with monkeypatch.context() as former_version:
        former_version.setattr(pipeline, "apply_hiding_signs", lambda record: record)
        run_folder(POST.format("") + "\n" + part + "\n")
    assert "secret" in read().content
    edit(**an_edit())
    set_clock(SECOND)
    exit_code, report = run_folder(POST.format("") + "\n" + part + "\n")
    assert (exit_code, report["files"][0]["hidden_there"]) == (1, True)


TRASHED = (">publish<", ">trash<"), (">bread<", ">bread__trashed<")


@pytest.mark.parametrize("edited", EDITS.values(), ids=EDITS)
def test_a_post_that_is_in_the_trash_now(run_export, read, edit, set_clock, edited):
    set_clock(FIRST)
    run_export(SHOWN)
    if edited:
        edit(**edited)
    set_clock(SECOND)
    note = "Its status was “trash”; the article became a draft."
    check_hidden(lambda *options: run_export(SHOWN, "", *options, replaced=TRASHED), read, edited, note)


def test_a_post_in_the_trash_that_was_not_imported_is_left_behind(run_export, read, set_clock):
    set_clock(FIRST)
    _, report = run_export(SHOWN, replaced=TRASHED)
    assert (report["files"], report["left_behind"]) == ([], {"wordpress": {"items in the trash": 1}})
    assert read() is None


def test_items_of_a_type_that_is_not_chosen_now_stay_public(run_export, read, set_clock):
    set_clock(FIRST)
    recipe = [(">post<", ">recipe<")]
    run_export(SHOWN, "", "--post-type", "recipe", replaced=recipe)
    _, report = run_export(SHOWN, replaced=recipe)
    assert (report["files"], read().status) == ([], "published")
