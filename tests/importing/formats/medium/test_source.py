"""Reads pages of Medium's archive into records."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry, walk_path
from blogapi.importing.formats.medium.source import FORMAT, parse_page
from blogapi.importing.refusals import RefusedFile

NAME = "2020-05-06_A-cat-story-0123456789ab.html"
TITLE = '<h3 name="1" id="1" class="graf graf--h3 graf--leading graf--title">A cat story</h3>'
TEXT = '<p name="2" id="2" class="graf graf--p graf-after--h3">Mimi sleeps.</p>'
SUMMARY = '<section data-field="subtitle" class="p-summary">\nMimi sleeps…\n</section>'
CANONICAL = "https://medium.com/@ada/a-cat-story-0123456789ab"
FOOTER = (
    '<p>By <a href="https://medium.com/@ada" class="p-author h-card">Ada &amp; Co</a> on '
    '<a href="https://medium.com/p/0123456789ab"><time class="dt-published" '
    'datetime="2020-05-06T07:08:09.123Z">May 6, 2020</time></a>.</p>'
    '<p><a href="{}" class="p-canonical">Canonical link</a></p>'
)
DIVIDER = '<div class="section-divider"><hr class="section-divider"></div>'


def make_page(body=TITLE + TEXT, *, title="A cat story", summary=SUMMARY, footer=None, canonical=CANONICAL):
    """Return a page with a body of one section."""
    return (
        f'<!DOCTYPE html><html><head><title>{title}</title></head><body><article class="h-entry">\n<header>\n'
        f'<h1 class="p-name">{title}</h1>\n</header>\n{summary}\n<section data-field="body" '
        f'class="e-content">\n'
        f'<section name="a" class="section section--body">{DIVIDER}<div class="section-content">'
        f'<div class="section-inner sectionLayout--insetColumn">{body}</div></div></section>\n</section>\n'
        f"<footer>{FOOTER.format(canonical) if footer is None else footer}"
        '<p>Exported from <a href="https://medium.com">Medium</a> on May 7, '
        "2020.</p></footer></article></body>"
    )


@pytest.fixture
def read(tmp_path):
    """Reads pages by file name, and returns the items and what was left behind."""

    def read(pages):
        posts = tmp_path / "medium-export/posts"
        posts.mkdir(parents=True, exist_ok=True)
        for name, page in pages.items():
            (posts / name).write_text(page, encoding="utf-8")
        entries = list(walk_path(tmp_path / "medium-export"))
        assert all(FORMAT.detect(entry, entry.path.read_bytes()[:16384]) for entry in entries)
        source = FORMAT.open_source(entries, ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC)))
        return list(source.read()), source.left_behind

    return read


@pytest.fixture
def read_one(read):
    """Reads one page and returns its item."""
    return lambda page, name=NAME: read({name: page})[0][0]


def convert(body):
    """Return the text of a story without wrappers."""
    return parse_page(make_page(TITLE + body)).html


def test_a_story_becomes_an_article(read_one):
    tags = '<p class="p-tags">Tagged in <a href="x" class="p-tag">Cats</a>, <a class="p-tag">cats</a></p>'
    record = read_one(make_page(footer=tags + FOOTER.format(CANONICAL)))
    assert isinstance(record, ArticleRecord)
    assert (record.key, record.source) == ("medium:0123456789ab", f"medium-export/posts/{NAME}")
    assert (record.title, record.subtitle, record.slug) == ("A cat story", "", "a-cat-story")
    assert (record.content, record.content_type) == ("<p>Mimi sleeps.</p>", "html")
    assert (record.status, record.published_at) == (
        "published",
        datetime(2020, 5, 6, 7, 8, 9, 123_000, tzinfo=UTC),
    )
    assert [(one.name, one.url) for one in record.authors] == [("Ada & Co", "https://medium.com/@ada")]
    assert (record.tags, record.canonical_url, record.former_slugs) == (("Cats",), "", ())
    assert record.addresses == (
        "/@ada/a-cat-story-0123456789ab",
        "/a-cat-story-0123456789ab",
        "/p/0123456789ab",
    )
    assert record.notes == ()


def test_the_subtitle_is_the_one_in_the_text_or_a_summary_that_is_not_its_beginning(read_one):
    subtitle = (
        '<h4 name="3" id="3" class="graf graf--h4 graf-after--h3 graf--subtitle">About <em>Mimi</em></h4>'
    )
    record = read_one(make_page(TITLE + subtitle + TEXT))
    assert (record.subtitle, record.content) == ("About Mimi", "<p>Mimi sleeps.</p>")
    other = '<section data-field="subtitle" class="p-summary">Other</section>'
    assert read_one(make_page(summary=other)).subtitle == "Other"


@pytest.mark.parametrize(("title", "seo_title"), [("A cat…", ""), ("Cats for search", "Cats for search")])
def test_the_title_in_the_text_is_preferred(read_one, title, seo_title):
    record = read_one(make_page(title=title))
    assert (record.title, record.seo_title, record.status) == ("A cat story", seo_title, "published")
    assert record.content == "<p>Mimi sleeps.</p>"


def test_the_title_of_an_old_story_is_recognised_by_its_place(read_one):
    record = read_one(make_page('<h2 class="graf--h2 graf--first">A  cat\nstory</h2>' + TEXT))
    assert (record.content, record.status) == ("<p>Mimi sleeps.</p>", "published")


def test_a_draft_and_a_story_without_a_date_are_drafts(read):
    (draft, story), _ = read(
        {"Draft_A-cat-story-0123456789ab.html": make_page(), "b.html": make_page(footer="")}
    )
    assert [one.status for one in (draft, story)] == ["draft", "draft"]
    assert [one.key for one in (draft, story)] == ["medium:0123456789ab", "medium:b"]
    assert story.notes == ("It has no date of publication; the article became a draft.",)


def test_a_response_is_left_behind_and_a_long_text_without_title_is_a_draft(read):
    pages = {
        "2020-05-06_Thank-you-aaaaaaaaaaaa.html": make_page(
            '<p class="graf graf--p graf--leading">Thank you<br>for this!</p>', title="Thank you for…"
        ),
        "2020-05-06_Thank-you-bbbbbbbbbbbb.html": make_page(
            f'<p class="graf graf--p graf--leading">Thank you. {"Very much. " * 200}</p>', title="Thank you."
        ),
    }
    (response, long), counts = read(pages)
    assert (response.result, counts) == (Result.SKIPPED, {"responses to other stories": 1})
    assert (long.status, long.notes[0][:20]) == ("draft", "It has no title of i")


@pytest.mark.parametrize(
    ("canonical", "slug", "kept", "paths"),
    [
        ("https://ada.example/a-cat-0123456789ab", "a-cat", "", ("/a-cat-0123456789ab",)),
        ("https://ada.medium.com/a-cat-0123456789ab", "a-cat", "", ()),
        ("https://old.example/blog/a-cat/", "a-cat-story", "https://old.example/blog/a-cat/", ()),
        ("http://[", "a-cat-story", "", ()),
        ("", "a-cat-story", "", ()),
    ],
)
def test_addresses_on_another_host_are_kept(read_one, canonical, slug, kept, paths):
    record = read_one(make_page(canonical=canonical))
    assert (record.slug, record.canonical_url, record.former_paths) == (slug, kept, paths)


@pytest.mark.parametrize(
    ("body", "html"),
    [
        (
            '<div class="section-inner"><figure name="4" class="graf graf--figure"><div '
            'class="aspectRatioPlaceholder">'
            '<img class="graf-image" data-image-id="1*x.jpeg" data-width="30" data-height="20" alt="A '
            '&quot;cat&quot;" '
            'src="https://cdn-images-1.medium.com/max/800/1*x.jpeg"></div><figcaption '
            'class="imageCaption">Mimi'
            "</figcaption></figure></div>",
            '<figure><img width="30" height="20" alt="A &quot;cat&quot;" '
            'src="https://cdn-images-1.medium.com/max/800/1*x.jpeg"><figcaption>Mimi</figcaption></figure>',
        ),
        (
            '<pre data-code-block-mode="2" data-code-block-lang="python" class="graf graf--pre graf--preV2">'
            '<span class="pre--content"><span class="hljs-keyword">if</span> a &lt; b:<br><br>  '
            "pass</span></pre>",
            '<pre><code class="language-python">if a &lt; b:\n\n  pass</code></pre>',
        ),
        (
            '<pre class="graf graf--pre"><code class="markup--code">a<br><strong>b</strong></code></pre>',
            "<pre><code>a\n<strong>b</strong></code></pre>",
        ),
        (
            '<div class="graf graf--mixtapeEmbed"><a href="https://e.org/?a=1&amp;b=2" data-href="x" '
            'class="markup--anchor">'
            '<strong class="markup--strong">Title</strong><br><em>About</em>e.org</a><a href="https://e.org" '
            'class="js-mixtapeImage mixtapeImage" style="x"></a></div>',
            '<p><a href="https://e.org/?a=1&amp;b=2"><strong>Title</strong><br><em>About</em>e.org</a></p>',
        ),
        (
            '<figure class="graf graf--figure graf--iframe"><iframe '
            'src="https://www.youtube.com/embed/x?feature=oembed" '
            'width="700"></iframe></figure>',
            '<figure><iframe src="https://www.youtube.com/embed/x?feature=oembed"></iframe></figure>',
        ),
        (
            "<iframe "
            'src="https://cdn.embedly.com/widgets/media.html?src=https%3A%2F%2Fplayer.vimeo.com%2Fv%2F1&amp;x=y">'
            "</iframe>",
            '<iframe src="https://player.vimeo.com/v/1"></iframe>',
        ),
        (
            '<figure><script src="https://gist.github.com/ada/1.js"></script></figure>',
            "<figure><p><a "
            'href="https://gist.github.com/ada/1">https://gist.github.com/ada/1</a></p></figure>',
        ),
        (
            '<blockquote class="twitter-tweet"><a href="https://twitter.com/a/status/1"></a></blockquote>'
            '<script async src="//platform.twitter.com/widgets.js"></script>',
            "<blockquote><a "
            'href="https://twitter.com/a/status/1">https://twitter.com/a/status/1</a></blockquote>',
        ),
        (
            '<p class="graf"><a href="https://medium.com/r/?url=https%3A%2F%2Fe.org%2F">e</a></p>',
            '<p><a href="https://e.org/">e</a></p>',
        ),
        ('<p id="7">a</p><p id="8"><a href="#7">b</a></p>', '<p id="7">a</p><p><a href="#7">b</a></p>'),
        (f"<p>a</p></div></div></section><section>{DIVIDER}<div><p>b</p>", "<p>a</p><hr><p>b</p>"),
        ("<p>1 < 2 & 3 <!-- x --></p><p>open", "<p>1 &lt; 2 &amp; 3 </p><p>open</p>"),
        ("<style>p { }</style><script>alert(1)</script><p>a</p>", "<p>a</p>"),
        ('<h3 class="graf graf--h3">A cat story</h3>', "<h3>A cat story</h3>"),
    ],
)
def test_the_wrappers_of_medium_are_removed(body, html):
    assert convert(body) == html


def test_players_of_other_sites_become_links_with_a_note(read_one):
    record = read_one(make_page(TITLE + '<iframe src="https://e.org/[1]"></iframe>'))
    assert "e.org/[1]" in record.content
    assert record.notes == ("The text now has links in place of 1 embedded content.",)


def test_the_featured_picture_is_the_og_image(read_one):
    picture = '<figure><img src="https://miro.medium.com/1*x.png" data-is-featured="true"></figure>'
    assert read_one(make_page(TITLE + picture)).og_image == "https://miro.medium.com/1*x.png"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (make_page("<b>" * 100_001), "too many elements"),
        (make_page().replace('data-field="body"', 'data-field="other"'), "no text of a story"),
    ],
)
def test_a_page_that_cannot_be_read_is_refused(tmp_path, page, reason):
    (tmp_path / NAME).write_text(page, encoding="utf-8")
    entry = Entry(f"x/{NAME}", tmp_path / NAME)
    (report,) = FORMAT.open_source([entry], ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC))).read()
    assert (report.result, reason in report.notes[0]) == (Result.REFUSED, True)


@pytest.mark.parametrize(
    "part", ['<a "', "<a ", "<!--", "</p>", "<hr>", '<p class="p-name">', "&", "<img a='"]
)
def test_strange_pages_are_read_quickly(part):
    content = part * (200_000 // len(part))
    with suppress(RefusedFile):
        parse_page(make_page(content))
    assert parse_page(content + make_page()).has_title


def test_other_pages_are_not_stories():
    entry = Entry("x/README.html", None)
    assert not FORMAT.detect(entry, b"<html><h1>Medium export</h1>")
    assert not FORMAT.detect(entry, b'<article class="h-entry"><div class="e-content">')


def test_pages_beside_the_stories_are_skipped(read, tmp_path):
    page = '<article class="h-entry"><h1>List</h1><section data-field="body">a</section></article>'
    (tmp_path / "medium-export/lists").mkdir(parents=True)
    (tmp_path / "medium-export/lists/List-0123456789ab.html").write_text(page, encoding="utf-8")
    found, _ = read({"Undated-0123456789ab.html": page})
    assert [item.result if isinstance(item, FileReport) else item.status for item in found] == [
        Result.SKIPPED,
        "draft",
    ]


@pytest.mark.parametrize("attribute", ["hidden", "style='display: none'"])
def test_a_hidden_element_is_left_out_with_a_note(read_one, attribute):
    record = read_one(make_page(f"{TITLE}<p>a</p><div {attribute}>secret</div>"))
    assert (record.content, len(record.notes)) == ("<p>a</p>", 1)


def test_an_element_without_an_end_is_not_shown(read_one):
    record = read_one(make_page(f"{TITLE}<p>a</p><div hidden>secret"))
    assert "secret" not in record.content and "browsers did not show" in record.notes[0]
