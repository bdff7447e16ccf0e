"""Reads the exports of Blogger: Atom of the settings page and of Google Takeout."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest

from blogapi.importing.format_api.hidden_parts import apply_hiding_signs
from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.blogger import source as source_module
from blogapi.importing.formats.blogger.source import (
    FORMAT,
    PICTURE_HOSTS,
    BloggerItem,
    convert_embeds,
    make_record,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KIND = "http://schemas.google.com/blogger/2008/kind#"


def make_feed(*entries, address="http://mimi.blogspot.com/"):
    """Return an export of the settings page."""
    return (
        "<?xml version='1.0' encoding='UTF-8'?><?xml-stylesheet href=\"atom.css\" type=\"text/css\"?>"
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:thr='http://purl.org/syndication/thread/1.0'>"
        "<id>tag:blogger.com,1999:blog-7.archive</id><title type='text'>Mimi</title>"
        f"<link rel='alternate' type='text/html' href='{address}'/><author><name>Ada</name></author>"
        f"{''.join(entries)}</feed>"
    )


def make_entry(number, kind="post", extra="", *, content="<p>Mimi &amp; Co</p>", title="A cat"):
    """Return an entry of such an export."""
    return (
        f"<entry><id>tag:blogger.com,1999:blog-7.{'post' if kind == 'comment' else kind}-{number}</id>"
        "<published>2020-05-06T07:08:09.010-07:00</published><updated>2021-01-01T00:00:00Z</updated>"
        f"<category scheme='http://schemas.google.com/g/2005#kind' term='{KIND}{kind}'/>"
        f"<title type='text'>{escape(title)}</title><content type='html'>{escape(content)}</content>"
        "<author><name>Ada</name><uri>http://www.blogger.com/profile/1</uri><email>noreply@blogger.com</email>"
        f"</author>{extra}</entry>"
    )


def make_takeout(*entries):
    """Return a `feed.atom` of Google Takeout."""
    return (
        "<?xml version='1.0' encoding='utf-8'?>\n<feed xmlns='http://www.w3.org/2005/Atom' "
        "xmlns:blogger='http://schemas.google.com/blogger/2018'>\n<id>tag:blogger.com,1999:blog-7</id>\n"
        f"<title>Mimi</title>\n{''.join(entries)}</feed>"
    )


def make_takeout_entry(number, extra="", *, type="POST", status="LIVE", date="2020-05-06T07:08:09Z"):
    """Return an entry of such a file."""
    return (
        f"<entry>\n<id>tag:blogger.com,1999:blog-7.post-{number}</id>\n<blogger:type>{type}</blogger:type>\n"
        f"<blogger:status>{status}</blogger:status>\n<author>\n<name>Ada</name>\n<uri></uri>\n"
        "<blogger:type>BLOGGER</blogger:type>\n</author>\n<title>A cat</title>\n"
        f"<content type='html'>&lt;p&gt;Mimi&lt;/p&gt;</content>\n<published>{date}</published>\n"
        f"<blogger:created>2020-05-01T00:00:00Z</blogger:created>\n{extra}<blogger:trashed/>\n</entry>\n"
    )


ADDRESS = (
    "<link rel='replies' href='http://mimi.blogspot.com/2020/05/a-cat.html#comment-form'/>"
    "<link rel='alternate' type='text/html' href='http://mimi.blogspot.com/2020/05/a-cat.html'/>"
)
DRAFT = "<app:control xmlns:app='http://purl.org/atom/app#'><app:draft>yes</app:draft></app:control>"
LABEL = "<category scheme='http://www.blogger.com/atom/ns#' term='{}'/>"


@pytest.fixture
def read(tmp_path):
    """Reads a file, and returns its items and the source."""

    def read(text, name="blog.xml", **options):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        entry = Entry(f"export/{path.name}", path)
        assert FORMAT.detect(entry, path.read_bytes()[:16384])
        source = FORMAT.open_source([entry], ImportOptions(now=NOW, **options))
        return list(source.read()), source

    return read


@pytest.mark.parametrize("length", [30, 1_000])
def test_the_size_of_the_chunks_does_not_change_what_is_read(read, monkeypatch, length):
    feed = make_feed(*(make_entry(number, content="x" * 700 * number) for number in (1, 2, 3)))
    expected = read(feed)[0]
    monkeypatch.setattr("blogapi.importing.texts.xml_elements.CHUNK_BYTES", length)
    assert read(feed)[0] == expected and len(expected) == 3


def test_posts_pages_and_comments_are_read(read):
    labels = "".join(map(LABEL.format, ["Cats", "cats", "Tom &amp; Co"]))
    feed = make_feed(
        make_entry(9, "settings", title="Setting"),
        make_entry(2, "comment", content="Nice"),
        make_entry(1, "post", ADDRESS + labels),
        make_entry(3, "page", DRAFT),
    )
    (post, page), source = read(feed)
    assert (post.key, post.source) == ("blogger:7:1", "export/blog.xml")
    assert (post.title, post.slug, post.content) == ("A cat", "a-cat", "<p>Mimi &amp; Co</p>")
    assert (post.status, post.published_at) == (
        "published",
        datetime(2020, 5, 6, 14, 8, 9, 10_000, tzinfo=UTC),
    )
    assert (post.tags, [one.name for one in post.authors]) == (("Cats", "Tom & Co"), ["Ada"])
    assert post.addresses == ("/2020/05/a-cat.html",)
    assert (page.key, page.status, page.tags, page.is_page) == ("blogger:7:3", "draft", (), True)
    assert source.left_behind == {"comments": 1, "settings of the blog": 1}
    assert source.hosts - PICTURE_HOSTS == {"mimi.blogspot.com"}


def test_a_prefix_without_a_declaration_is_read(read):
    (post,), _ = read(
        make_feed(make_entry(1, extra=DRAFT.replace(" xmlns:app='http://purl.org/atom/app#'", "")))
    )
    assert post.status == "draft"


def test_the_articles_of_a_private_blog_are_drafts(read):
    setting = make_entry(0, "settings", content="PRIVATE").replace(
        "settings-0", "settings.BLOG_READ_ACCESS_MODE"
    )
    (post,), source = read(make_feed(setting, make_entry(1)))
    assert (post.status, post.notes) == ("draft", ("The blog was private; the article became a draft.",))
    assert len(source.notes) == 1


@pytest.mark.parametrize(
    "entry",
    [
        make_entry(1, extra="<blogger:status>DRAFT</blogger:status>"),
        make_entry(1, extra=DRAFT + DRAFT.replace("yes", "no")),
        make_takeout_entry(1, "<blogger:status>LIVE</blogger:status>", status="DRAFT"),
    ],
)
def test_contradictory_values_make_a_draft(read, entry):
    (post,), _ = read(make_takeout(entry))
    assert post.status == "draft"


def test_takeout_is_read(read):
    extra = (
        "<blogger:location><blogger:name>Paris</blogger:name></blogger:location>"
        "<category scheme='tag:blogger.com,1999:blog-7' term='Cats'/><blogger:metaDescription>About Mimi"
        "</blogger:metaDescription><blogger:filename>/2020/05/a-cat.html</blogger:filename><link/><enclosure/>"
    )
    feed = make_takeout(make_takeout_entry(1, extra), make_takeout_entry(2, type="COMMENT"))
    (post,), source = read(feed, "feed.atom")
    assert (post.key, post.slug, post.status, post.tags) == ("blogger:7:1", "a-cat", "published", ("Cats",))
    assert (post.addresses, post.seo_description) == (("/2020/05/a-cat.html",), "About Mimi")
    assert source.left_behind == {"comments": 1, "locations": 1}


@pytest.mark.parametrize(
    ("status", "date", "expected"),
    [
        ("LIVE", "2020-01-01T00:00:00Z", "published"),
        ("LIVE", "2027-01-01T00:00:00Z", "published"),
        ("SCHEDULED", "2027-01-01T00:00:00Z", "published"),
        ("SCHEDULED", "2020-01-01T00:00:00Z", "draft"),
        ("DRAFT", "2020-01-01T00:00:00Z", "draft"),
        ("LIVE", "", "draft"),
        ("", "2020-01-01T00:00:00Z", "draft"),
        ("NEW_STATUS", "2020-01-01T00:00:00Z", "draft"),
    ],
)
def test_only_what_was_public_is_published(read, status, date, expected):
    (post,), _ = read(make_takeout(make_takeout_entry(1, status=status, date=date)))
    assert (post.status, bool(post.notes)) == (expected, expected == "draft" and status != "DRAFT")


def test_the_trash_is_left_behind(read):
    trashed = make_takeout_entry(2).replace("<blogger:trashed/>", "<blogger:trashed>2021</blogger:trashed>")
    reports, source = read(make_takeout(make_takeout_entry(1, status="SOFT_TRASHED"), trashed))
    assert {(type(one), one.result) for one in reports} == {(FileReport, Result.SKIPPED)}
    assert source.left_behind == {"articles in the trash": 2}


def test_an_item_in_the_trash_that_was_imported_before_is_a_draft(read):
    feed = make_takeout(make_takeout_entry(1, status="SOFT_TRASHED"))
    (record,), source = read(feed, imported_keys={"blogger:7:1"})
    assert (record.key, record.status) == ("blogger:7:1", "draft")
    assert record.notes == ("It was in the trash; the article became a draft.",)
    assert not source.left_behind


def test_takeout_finds_the_host_of_the_blog_in_its_links(read):
    links = "".join(
        f"&lt;a href='http://{host}/2020/05/{name}.html'&gt;"
        for host, name in [
            *(("mimi.blogspot.com", "a-cat"), ("mimi.blogspot.de", "a-cat"), ("tom.blogspot.com", "a-cat")),
            *(("mimi.blogspot.com", "b-cat"), ("tom.blogspot.com", "other")),
        ]
    )
    entries = [
        make_takeout_entry(number, f"<blogger:filename>/2020/05/{name}.html</blogger:filename>").replace(
            "&lt;p", f"{links}&lt;p"
        )
        for number, name in enumerate(["a-cat", "b-cat"])
    ]
    _, source = read(make_takeout(*entries))
    assert source.hosts - PICTURE_HOSTS == {"mimi.blogspot.com", "mimi.blogspot.de"}
    assert "ada.example" in read(make_takeout(*entries), base_url="https://ada.example/x")[1].hosts


def test_the_albums_of_takeout_are_searched_for_pictures(read, tmp_path):
    for name in ("Other", "Mimi"):
        (tmp_path / "Blogger/Albums" / name).mkdir(parents=True)
    _, source = read(make_takeout(), "Blogger/Blogs/Mimi/feed.atom")
    assert [path.name for path in source.assets] == ["Mimi", "Other"]


def test_a_post_without_title_gets_one_from_its_text(read):
    (one, two), _ = read(
        make_feed(
            make_entry(
                1, title=" ", content="<!-- a > b --><style>b {}</style>" + "<b>Mimi</b> sleeps. " * 20
            ),
            make_entry(2, title="", content="", extra=ADDRESS),
        )
    )
    assert one.title.startswith("Mimi sleeps. Mimi sleeps.")
    assert two.title == "A cat"


PLAYER = '<iframe src="https://www.youtube.com/embed/abc_DEF-123" allowfullscreen></iframe>'
FLASH = '<embed src="http://www.youtube.com/v/abc_DEF-123&hl=en" type="application/x-shockwave-flash">'


@pytest.mark.parametrize(
    ("html", "expected", "lost"),
    [
        (f'a<OBJECT width="1"><param name="movie">{FLASH}</embed></OBJECT>b', f"a{PLAYER}b", 0),
        (f"a{FLASH}b{FLASH}", f"a{PLAYER}b{PLAYER}", 0),
        ('<object class="BLOG_video_class"></object><object>', None, 1),
        ("<iframe src='//www.youtube.com/embed/x'></iframe>", None, 0),
        ("<iframe></iframe>", None, 0),
        (
            "a<div class=\"blogger-post-footer\"><img width='1' src='https://blogger.googleusercontent.com/tracker/"
            "1-2?l=mimi.blogspot.com' alt='' /></div>",
            "a",
            0,
        ),
        ('<img src="data:image/png;base64,AA">', None, 1),
    ],
)
def test_old_players_are_replaced_and_what_is_not_shown_is_noted(html, expected, lost):
    found, notes = convert_embeds(html)
    assert found == (expected or html)
    assert [f"does not show {lost:,} " in note for note in notes] == [True] * bool(lost)


def test_other_embedded_pages_become_links():
    html, notes = convert_embeds(
        '<iframe width="1" src="https://www.blogger.com/video.g?a=1&amp;b=2"></iframe>'
    )
    address = "https://www.blogger.com/video.g?a=1&amp;b=2"
    assert html == f'<p><a href="{address}">{address}</a></p>'
    assert notes == ("The text now has links in place of 1 embedded content.",)


@pytest.mark.parametrize("part", ["<object>", "<embed ", "<iframe ", "<object></object>", " src="])
def test_strange_texts_are_read_quickly(part):
    assert convert_embeds(part * 50_000)[0] == part * 50_000


def test_a_post_on_a_page_of_an_archive_has_no_address_of_its_own(read):
    link = "<link rel='alternate' href='http://mimi.blogspot.com/2000_09_03_archive.html#1'/>"
    (post,), _ = read(make_feed(make_entry(1, extra=link)))
    assert (post.slug, post.addresses) == ("", ())


def test_an_entry_without_an_id_has_a_key(read):
    entry = make_entry(1).replace("<id>tag:blogger.com,1999:blog-7.post-1</id>", "")
    (post,), _ = read(make_feed(entry))
    assert post.key.startswith("blogger:7:2020-05-06")
    assert "/" not in post.key


def test_equal_ids_are_left_to_the_import(read):
    (first, second), _ = read(make_feed(make_entry(1), make_entry(1, title="Another cat")))
    assert (first.key, second.title) == (second.key, "Another cat")


def test_a_text_that_is_too_long_is_refused(read, monkeypatch):
    monkeypatch.setattr(source_module, "MAX_TEXT_LENGTH", 1_000)
    (refused, post), _ = read(make_feed(make_entry(1, content="x" * 2_000), make_entry(2)))
    assert (refused.result, post.key) == (Result.REFUSED, "blogger:7:2")


BOMB = '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("change", "read_before"),
    [
        (lambda feed: feed[: feed.index("A cat two")], 1),
        (lambda feed: feed.replace("<entry>", "<entry", 1), 0),
        (lambda feed: feed.replace("A cat two", "&unknown;"), 1),
        (lambda feed: feed.replace("<feed", f"{BOMB}<feed"), 0),
        (lambda feed: feed.replace("<feed", '<!DOCTYPE feed SYSTEM "file:///etc/passwd"><feed'), 0),
    ],
)
def test_what_is_before_the_damage_is_read(read, change, read_before):
    feed = make_feed(make_entry(1), "<!--" + "x" * 70_000 + "-->", make_entry(2, title="A cat two"))
    found, _ = read(change(feed))
    assert [one.result for one in found[read_before:]] == [Result.REFUSED]
    assert len(found) == read_before + 1


def test_control_characters_are_removed(read):
    (post,), _ = read(make_feed(make_entry(1, content="a\x00\x0bb\r\nc")))
    assert post.content == "ab\nc"


def test_a_tag_without_an_end_is_refused(read, monkeypatch):
    monkeypatch.setattr("blogapi.importing.texts.xml_elements._MAX_TAG_BYTES", 1_000)
    (report,), _ = read(make_feed("<a b='" + "x" * 300_000))
    assert report.result == Result.REFUSED


def test_deep_nesting_is_refused(read):
    (report,), _ = read(make_feed("<a>" * 100_000, "</a>" * 100_000, make_entry(1)))
    assert report.result == Result.REFUSED


def test_an_unknown_encoding_is_read_as_utf_8(read):
    (post,), _ = read(make_feed(make_entry(1, content="Zoë")).replace("UTF-8", "unknown"))
    assert post.content == "Zoë"


@pytest.mark.parametrize(
    "head", [b"<feed xmlns='http://www.w3.org/2005/Atom'>", b"# Post", b'{"kind": "x"}', b"", b"<rss>"]
)
def test_other_files_are_not_recognised(head):
    assert not FORMAT.detect(Entry("x/feed.xml", None), head)


@pytest.mark.parametrize("attribute", ["hidden", 'style="display: none"'])
def test_a_hidden_element_is_neither_in_the_text_nor_in_the_title(attribute):
    item = BloggerItem(id="tag:blogger.com,1999:blog-1.post-2", kind="post", published="2020-01-01T00:00:00Z")
    item.status, item.content = "LIVE", f"<div {attribute}>secret</div><p>Shown</p>"
    record = make_record(item, ("a.xml", Path("a.xml")), ImportOptions(now=NOW))
    assert (record.content, record.title) == ("<p>Shown</p>", "Shown")
    assert "browsers did not show" in record.notes[0]


def test_an_element_without_an_end_makes_a_draft():
    item = BloggerItem(id="tag:blogger.com,1999:blog-1.post-2", kind="post", published="2020-01-01T00:00:00Z")
    item.status, item.content = "LIVE", "<p>Shown</p><div hidden>secret"
    record = apply_hiding_signs(make_record(item, ("a.xml", Path("a.xml")), ImportOptions(now=NOW)))
    assert (record.status, record.content) == ("draft", item.content)
