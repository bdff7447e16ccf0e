"""Guesses, which make drafts that one option publishes; `test_second_imports` has the table of imports."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from blogapi.content.articles.models import Article, FormerPath
from blogapi.importing.models import ImportedFile, LiftedGuess
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES
from tests.importing.formats.blogger.test_source import make_entry, make_feed
from tests.importing.formats.notion.test_source import HEADER
from tests.importing.formats.wordpress.exports import make_export, make_item, make_meta

PLAIN = "---\ntitle: Bread\ndate: 2020-01-02\n---\nFlour and time.\n"
#: By the name of the guess: the path of a file, and its text.
CARRIERS = {
    "key:hide_post": ("blog/a.md", PLAIN.replace("---\n", "---\nhide_post: true\n", 1)),
    "key:audience": ("blog/a.md", PLAIN.replace("---\n", "---\naudience: members\n", 1)),
    "tag:paidcontent": ("blog/a.md", f"{PLAIN}\n{{% paidcontent %}}x{{% endpaidcontent %}}\n"),
    "tag:SignedIn": ("blog/a.md", f"{PLAIN}\n<SignedIn>\n\nx\n\n</SignedIn>\n"),
    "comment:paid": ("blog/a.md", f"{PLAIN}\n<!-- paid -->\n\nx\n"),
    "file:draft": ("blog/a.draft.md", PLAIN),
    "folder:wip": ("blog/wip/a.md", PLAIN),
    "shortcode:am4show": ("blog/a.xml", make_export(make_item(content="[am4show]x[/am4show]"))),
    "block:acme/paywall": (
        "blog/a.xml",
        make_export(make_item(content="<!-- wp:acme/paywall --><p>x</p><!-- /wp:acme/paywall -->")),
    ),
    "attribute:displayFor": (
        "blog/a.xml",
        make_export(
            make_item(content='<!-- wp:group {"displayFor":"members"} --><p>x</p><!-- /wp:group -->')
        ),
    ),
    "meta:_paywall": ("blog/a.xml", make_export(make_item(extra=make_meta(_paywall="yes")))),
    "builder:e_display_conditions": (
        "blog/a.xml",
        make_export(
            make_item(extra=make_meta(_elementor_data='[{"settings":{"e_display_conditions":["[x]"]}}]'))
        ),
    ),
}


@pytest.fixture
def article(app):
    """A function that returns the status and the content of the only article."""

    def read():
        with app.app_context():
            return db.session.execute(select(Article.status, Article.content)).one()

    return read


@pytest.fixture
def forget_names(app):
    """A function that makes the imported files look as if an older version had stored them."""

    def forget():
        with app.app_context(), transaction():
            db.session.execute(update(ImportedFile).values(guesses=None))

    return forget


@pytest.fixture
def edit(as_admin, article):
    """A function that changes the article in this blog."""

    def change(**fields):
        (found,) = as_admin.get(f"{ARTICLES}author/me/?fields=uuid").json
        answer = as_admin.patch(f"{ARTICLES}{found['uuid']}/", json={"subtitle": "Mine", **fields})
        assert answer.status_code == 200, answer.json

    return change


@pytest.mark.parametrize("name", CARRIERS)
def test_a_guess_makes_a_draft_that_the_option_publishes(blog, article, name):
    report = blog(*CARRIERS[name])
    assert (article().status, report["marked"]) == ("draft", [{"name": name, "articles": 1}])
    blog(*CARRIERS[name], "--publish-marked", "key:other")
    assert article().status == "draft"
    blog(*CARRIERS[name], "--publish-marked", name.upper(), "--dry-run")
    assert article().status == "draft"
    report = blog(*CARRIERS[name], "--publish-marked", name.upper())
    assert (article().status, report["marked"], report["counts"]["updated"]) == ("published", [], 1)
    # The source remembers it, and each import says so.
    report = blog(*CARRIERS[name])
    assert (article().status, report["counts"]["unchanged"]) == ("published", 1)
    assert f"forgets them): {name.casefold()}." in " ".join(report["notes"])
    report = blog(*CARRIERS[name], "--publish-marked", "none")
    assert (article().status, report["public_here_perhaps_hidden"]) == ("published", 1)
    assert blog(*CARRIERS[name])["marked"] == [{"name": name, "articles": 1}]


# Another path is another article.
@pytest.mark.parametrize("name", [name for name in CARRIERS if name not in ("file:draft", "folder:wip")])
def test_a_guess_that_is_added_alone_makes_a_draft_of_an_article_that_nobody_edited(
    blog, article, name, tmp_path
):
    path, text = CARRIERS[name]
    plain = make_export(make_item(content="x")) if path.endswith(".xml") else PLAIN
    if name.startswith(("meta", "builder")):
        plain = make_export(make_item())
    blog(path, plain)
    assert article().status == "published"
    report = blog(path, text)
    assert (article().status, report["counts"]["updated"], len(report["marked"])) == ("draft", 1, 1)


# Older versions made a draft because of `audience`.
@pytest.mark.parametrize("name", [name for name in CARRIERS if name != "key:audience"])
def test_a_guess_does_not_take_down_an_article_of_an_older_version(blog, article, forget_names, app, name):
    path, text = CARRIERS[name]
    blog(path, text, "--publish-marked", name)
    forget_names()
    with app.app_context(), transaction():
        db.session.query(LiftedGuess).delete()
    report = blog(path, text)
    assert (article().status, report["counts"]["unchanged"]) == ("published", 1)
    assert report["public_here_perhaps_hidden"] == 1
    assert not any("Its file has changed" in note for note in report["files"][0]["notes"])
    assert "Public here, perhaps hidden there: 1 article." in " ".join(report["notes"])


GUESS = CARRIERS["key:hide_post"][1]
CHANGED = GUESS.replace("Flour", "Rye flour")


def test_a_changed_file_keeps_the_former_text_of_a_public_article_until_the_guess_is_lifted(
    blog, article, forget_names
):
    blog("blog/a.md", PLAIN.replace("date:", "hide_post: false\ndate:"))
    forget_names()
    report = blog("blog/a.md", GUESS)
    assert (report["public_here_perhaps_hidden"], report["files"][0]["notes"]) == (1, [])
    for _ in range(2):
        report = blog("blog/a.md", CHANGED)
        assert article() == ("published", "Flour and time.\n")
        (file,) = report["files"]
        assert file["result"] == "unchanged" and "keeps its former text" in file["notes"][0]
    blog("blog/a.md", CHANGED, "--publish-marked", "key:hide_post")
    assert article() == ("published", "Rye flour and time.\n")


def test_a_changed_file_with_a_guess_that_older_versions_saw_makes_a_draft(blog, article, forget_names):
    blog("blog/a.md", PLAIN)
    forget_names()
    blog("blog/a.md", CARRIERS["key:audience"][1])
    assert article().status == "draft"


def test_nothing_but_the_guess_is_lifted(blog, article):
    text = GUESS.replace("date:", "draft: true\ndate:")
    blog("blog/a.md", text, "--publish-marked", "key:hide_post")
    assert article().status == "draft"
    two = GUESS.replace("date:", "required_plan: gold\ndate:")
    report = blog("blog/a.md", two)
    assert (article().status, report["marked"]) == ("draft", [{"name": "key:required_plan", "articles": 1}])
    blog("blog/a.md", two, "--publish-marked", "key:required_plan")
    assert article().status == "published"


def test_a_name_that_no_article_has_is_one_line(blog, article):
    report = blog("blog/a.md", PLAIN, "--publish-marked", "key:other")
    assert report["notes"][-1] == "No article has the guess “key:other”, which --publish-marked names."
    assert article().status == "published"


def test_the_text_report_has_names_ready_to_copy(app, people, tmp_path):
    (tmp_path / "a.md").write_text(PLAIN.replace("---\n", "---\nmembers-only content: true\n", 1), "utf-8")
    result = app.test_cli_runner().invoke(args=["import", str(tmp_path), "--author", "ada"])
    assert "marked     1 article: --publish-marked 'key:members-only content'" in result.stdout


HIDDEN_PART = "<p>Shown to all readers.</p><p style='display:none'>secret words in here</p>"
#: By format: the files of an export whose only article hides a part of its text.
EXPORTS = {
    "wordpress": {"blog/a.xml": make_export(make_item(content=HIDDEN_PART))},
    "substack": {
        "blog/posts.csv": "post_id,post_date,is_published,type,audience,title\n"
        "1.a,2020-01-02T10:00:00.000Z,true,newsletter,everyone,A\n",
        "blog/posts/1.a.html": HIDDEN_PART,
    },
    "medium": {
        "blog/posts/2020-01-02_A-0123456789ab.html": '<article class="h-entry"><h1 class="p-name">A</h1>'
        f'<section data-field="body" class="e-content">{HIDDEN_PART}</section><footer>'
        '<time class="dt-published" datetime="2020-01-02T10:00:00.000Z">x</time></footer></article>'
    },
    "markdown": {"blog/a.md": f"---\ntitle: A\ndate: 2020-01-02\n---\n{HIDDEN_PART}\n"},
    "blogger": {"blog/a.xml": make_feed(make_entry(1, content=HIDDEN_PART))},
    "notion": {f"blog/A {'a' * 32}.html": HEADER.format('<h1 class="page-title">A</h1>', HIDDEN_PART)},
}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_part_that_the_reader_left_out_is_named_in_an_edited_article(blog, article, edit, tmp_path, name):
    *others, (path, text) = EXPORTS[name].items()
    for other, content in others:
        (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / other).write_text(content, encoding="utf-8")
    blog(path, text, "--publish-undated")
    assert article().status == "published" and "secret words" not in article().content
    edit(content="Shown to all readers.\n\nsecret words in here")
    report = blog(path, text.replace("Shown to", "Seen by"), "--publish-undated", status=1)
    (there,) = report["public_here_hidden_there"]
    assert there["reasons"][0].startswith("The former blog hides a part of its text.")


def test_an_article_with_further_former_paths_counts_as_unchanged(app, blog):
    report = blog("blog/a.md", PLAIN)
    (file,) = report["files"]
    for lines in ("aliases: [/2019/loaf/]\n", "aliases: [/2019/loaf/, /2018/roll/]\n"):
        (again,) = blog("blog/a.md", PLAIN.replace("---\n", f"---\n{lines}", 1))["files"]
        assert (again["result"], again["article"]) == ("unchanged", file["article"])
    with app.app_context():
        assert {*db.session.scalars(select(FormerPath.path))} == {"/2019/loaf/", "/2018/roll/"}
