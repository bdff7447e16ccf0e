"""Reads exports of Substack into records."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from urllib.parse import quote

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import read_bytes, walk_path
from blogapi.importing.formats.substack import source
from blogapi.importing.formats.substack.source import FORMAT, convert_post_html
from blogapi.importing.refusals import RefusedFile

HEADER = "post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url\n"
DATE = "2022-08-12T12:11:23.230Z"
TEXT = "<p>Mimi sleeps.</p>"


@pytest.fixture
def read(tmp_path):
    """Reads the rows and the texts of an export, and returns the items and the source."""

    def read(rows, texts, **options):
        posts = tmp_path / "export/posts"
        posts.mkdir(parents=True)
        (posts.parent / "posts.csv").write_text(HEADER + rows, encoding="utf-8")
        for name, text in texts.items():
            (posts / name).write_text(text, encoding="utf-8")
        entries = list(walk_path(posts.parent))
        assert all(FORMAT.detect(entry, entry.path.read_bytes()[:16384]) for entry in entries)
        source = FORMAT.open_source(entries, ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC), **options))
        return list(source.read()), source

    return read


@pytest.fixture
def read_one(read):
    """Reads one post and returns its item."""

    def read_one(*, date=DATE, published="TRUE", kind="newsletter", audience="everyone", text=TEXT, audio=""):
        row = f"1.a-cat,{date},{published},,{kind},{audience},A &#x201C;cat&#x201D;,About Mimi,{audio}\n"
        return read(row, {"1.a-cat.html": text})[0][0]

    return read_one


def test_a_broken_table_is_read_once(read, monkeypatch):
    paths = []
    monkeypatch.setattr(source, "read_bytes", lambda path: paths.append(path) or read_bytes(path))
    row = f"1.a,{DATE},TRUE,,newsletter,everyone,{'A' * 200_000},,\n"
    items, _ = read(row, {f"{number}.a.html": TEXT for number in (1, 2, 3)})
    assert [item.result for item in items] == [Result.REFUSED] * 4
    assert [path.name for path in paths] == ["posts.csv"]
    assert "field larger than field limit" in items[0].notes[0]
    assert {item.notes for item in items[1:]} == {("`posts.csv` cannot be read; export the posts again.",)}


def test_a_tweet_with_deeply_nested_data_is_kept(read_one):
    tweet = f'<div class="tweet" data-attrs="{"[" * 100_000}">Hi</div>'
    assert "Hi" in read_one(text=tweet).content


def test_a_post_becomes_an_article(read_one):
    record = read_one()
    assert isinstance(record, ArticleRecord)
    assert (record.key, record.source) == ("substack:1", "export/posts/1.a-cat.html")
    assert (record.title, record.subtitle, record.slug) == ("A “cat”", "About Mimi", "a-cat")
    assert (record.content, record.content_type) == (TEXT, "html")
    assert (record.status, record.published_at) == (
        "published",
        datetime(2022, 8, 12, 12, 11, 23, 230_000, tzinfo=UTC),
    )
    assert (record.former_paths, record.addresses) == (("/p/a-cat",), ("/p/a-cat",))
    assert (record.tags, record.notes) == ((), ())


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"published": "FALSE"}, ""),
        ({"published": ""}, ""),
        ({"audience": "only_paid"}, "paying subscribers"),
        ({"audience": "founding"}, "founding members"),
        ({"audience": "only_free"}, "subscribers"),
        ({"audience": "new"}, "some readers"),
        ({"audience": ""}, "some readers"),
        ({"text": '<div class="paywall-jump"></div><p>secret</p>'}, "some readers"),
        ({"date": ""}, "no date"),
    ],
)
def test_what_not_everyone_could_read_becomes_a_draft(read_one, fields, note):
    record = read_one(**fields)
    assert record.status == "draft"
    assert (note in record.notes[0]) if note else record.notes == ()


def test_a_podcast_has_a_player_and_a_page_a_tag(read_one):
    record = read_one(kind="podcast", audio="https://example.com/a.mp3?a=1&b=2")
    assert record.content.startswith(
        '<p><audio controls src="https://example.com/a.mp3?a=1&amp;b=2"></audio>'
    )
    assert record.tags == ("podcast",)


def test_pages_are_pages(read):
    (page,), source = read(f"1.about,{DATE},TRUE,,page,everyone,About,,\n", {"1.about.html": TEXT})
    assert (page.is_page, source.left_behind) == (True, {})


def test_rows_without_a_text_are_reported_and_texts_without_a_row_are_drafts(read):
    (draft, row), _ = read("2.b,,FALSE,,newsletter,everyone,B,,\n", {"1.html": TEXT})
    assert (draft.title, draft.status, draft.slug) == ("Mimi sleeps.", "draft", "")
    assert "posts.csv" in draft.notes[0]
    assert (row.key, row.title, row.result) == ("export/posts.csv:2.b", "B", Result.SKIPPED)


def test_a_table_that_cannot_be_read_is_refused_with_its_posts(read):
    items, _ = read(f'1.a,{DATE},TRUE,,newsletter,everyone,"{"x" * 200_000}",,\n', {"1.a.html": TEXT})
    assert [item.result for item in items] == [Result.REFUSED] * 2


def test_a_file_that_is_no_post_is_skipped(tmp_path):
    (tmp_path / "other.html").write_text(TEXT, encoding="utf-8")
    entries = list(walk_path(tmp_path))
    assert not FORMAT.detect(entries[0], b"")
    (item,) = FORMAT.open_source(entries, ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC))).read()
    assert item.result == Result.SKIPPED


def button(address, words="Sign up"):
    return f'<p class="button-wrapper" data-attrs="{{}}">\n<a href="{address}"><span>{words}</span></a></p>'


def test_buttons_of_substack_are_removed_and_others_are_links():
    text, hosts, *_ = convert_post_html(
        button("https://ada.substack.com/subscribe?")
        + button("https://ada.substack.com/p/a/comments")
        + button("%%share_url%%")
        + button("https://[")
        + button("https://example.com/book", "My book")
    )
    assert hosts == {"ada.substack.com"}
    assert text.endswith('<a href="https://example.com/book">My book</a></p>')
    assert text.count("<p>") == 2


def test_pictures_have_their_own_address_and_wrappers_are_removed():
    original = "https://substack-post-media.s3.amazonaws.com/public/images/a.png"
    fetched = f"https://substackcdn.com/image/fetch/$s_!x!,w_1456,c_limit/{quote(original, safe='')}"
    text, *_ = convert_post_html(
        f'<div class="captioned-image-container"><figure><a class="x" href="{fetched}"><div>'
        f'<picture><source srcset="{fetched} 424w"><img src="{fetched}" data-attrs="{{}}" alt="Mimi">'
        "</picture></div></a><figcaption>Mimi</figcaption></figure></div><div><hr></div><p></p>"
        '<form class="subscription-widget-subscribe"><input type="email">Type your email</form>'
    )
    assert text == (
        f'<figure><a href="{original}"><img src="{original}" alt="Mimi"></a>'
        "<figcaption>Mimi</figcaption></figure><hr>"
    )


def test_players_stay_tweets_are_linked_and_other_frames_are_links():
    data = escape('{"url":"https://twitter.com/ada/status/1?s=20","full_text":"Hello"}')
    text, _, notes, _ = convert_post_html(
        '<div class="youtube-wrap"><iframe src="https://www.youtube-nocookie.com/embed/abc"></iframe></div>'
        f'<div class="tweet" data-attrs="{data}"></div><div class="tweet" data-attrs="[]"></div>'
        '<iframe src="https://example.com/x"></iframe>'
    )
    assert text == (
        '<iframe src="https://www.youtube-nocookie.com/embed/abc"></iframe>'
        '<p><a href="https://twitter.com/ada/status/1?s=20">https://twitter.com/ada/status/1?s=20</a></p>'
        '<p><a href="https://example.com/x">https://example.com/x</a></p>'
    )
    assert len(notes) == 1


def test_footnotes_stay_linked():
    html = (
        '<p>A<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a></p>'
        '<div class="footnote"><a id="footnote-1" href="#footnote-anchor-1">1</a>'
        '<div><p id="x">B</p></div></div>'
    )
    assert convert_post_html(html)[0] == (
        '<p>A<a id="footnote-anchor-1" href="#footnote-1">1</a></p>'
        '<a id="footnote-1" href="#footnote-anchor-1">1</a><p>B</p>'
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<pre><code class="language-python">a</code></pre>', None),
        ('<pre class="shiki"><code class="hljs language-python">a</code></pre>', "<pre><code>a</code></pre>"),
        ('<p class="language-python">a</p>', "<p>a</p>"),
    ],
)
def test_code_keeps_its_language_and_no_other_class(html, expected):
    assert convert_post_html(html)[0] == (expected or html)


def test_a_text_that_takes_too_long_is_refused():
    with pytest.raises(RefusedFile):
        convert_post_html("<b>x" * 3_000)


@pytest.mark.parametrize("attribute", ["hidden", "style='display: none'"])
def test_a_hidden_element_is_left_out_with_a_note(read_one, attribute):
    record = read_one(text=f"{TEXT}<div {attribute}>secret</div>")
    assert (record.content, len(record.notes)) == (TEXT, 1)


def test_an_element_without_an_end_is_not_shown(read_one):
    record = read_one(text=f"{TEXT}<div hidden>secret")
    assert "secret" not in record.content and "browsers did not show" in record.notes[0]
