"""Recognising WXR files, and reading several of them together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.wordpress import conversion
from blogapi.importing.formats.wordpress.source import FORMAT
from blogapi.importing.refusals import NotAnArticle
from tests.importing.formats.wordpress.exports import (
    END,
    NOW,
    START,
    make_export,
    make_item,
    make_meta,
    make_term,
    open_export,
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.xml", START, True),
        ("x.txt", START, True),
        ("x.xml", f"\ufeff\n\n{START}", True),
        ("x.xml", f"Warning: something in x.php\n{START}", True),
        ("x.xml", make_item(), True),
        ("x.xml", "<item><title>x</title><content:encoded>long", True),
        ("x.xml", "<rss><channel><wp:wxr_version>1.0</wp:wxr_version>", True),
        ("x.xml", '<rss xmlns:export="http://wordpress.org/export/1.0/">', True),
        ("x.xml", '<rss xmlns:content="x"><channel><item><content:encoded>', False),
        ("x.md", f"---\ntitle: WXR\n---\n```xml\n{START}```\n", False),
        ("x.html", "<p>The namespace is http://wordpress.org/export/1.2/.</p>", False),
        ("x.xml", "<feed xmlns='http://www.w3.org/2005/Atom'>", False),
        ("x.xml", "", False),
    ],
)
def test_files_are_recognised_by_their_content(name, text, expected):
    assert FORMAT.detect(Entry(f"a/{name}", Path(name)), text.encode()) is expected


def test_utf_16_is_recognised():
    assert FORMAT.detect(Entry("a/x.xml", Path("x.xml")), START.encode("utf-16"))


def test_a_file_of_another_format_is_refused(tmp_path):
    (report,) = open_export(tmp_path, "---\ntitle: Tea\n---\nHot.\n").read()
    assert report.result is Result.REFUSED
    assert "not a WordPress export" in report.notes[0]


def test_files_of_one_blog_are_read_together(tmp_path):
    author = """<wp:author><wp:author_login>ada</wp:author_login>
    <wp:author_display_name>Ada Lovelace</wp:author_display_name></wp:author>"""
    source = open_export(tmp_path, make_export(make_item()), make_export(author, make_item(post_id="13")))
    records = [*source.read()]
    assert [record.authors[0].name for record in records] == ["Ada Lovelace", "Ada Lovelace"]
    assert [record.source.rpartition("/")[2] for record in records] == ["export-0.xml", "export-1.xml"]
    assert source.hosts == {"example.com/blog"}
    assert source.total >= len(records)


def test_blogs_with_equal_ids_stay_apart(tmp_path):
    other = make_export(make_item()).replace("https://example.com/blog", "https://Other.example")
    attachment = make_item(post_id="7", post_type="attachment", attachment_url="https://example.com/a.jpg")
    posts = make_export(make_item(make_meta(_thumbnail_id="7")))
    source = open_export(tmp_path, posts, other, make_export(attachment))
    covers = {record.key: record.cover_image for record in source.read()}
    assert covers == {
        "wordpress:example.com%2Fblog:12": "https://example.com/a.jpg",
        "wordpress:other.example:12": "",
    }


def test_a_file_without_an_address_belongs_to_the_only_blog(tmp_path):
    part = make_item(link="", guid="", post_id="13")
    source = open_export(tmp_path, make_export(make_item()), part)
    assert [record.key for record in source.read()] == [
        "wordpress:example.com%2Fblog:12",
        "wordpress:example.com%2Fblog:13",
    ]


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"guid": "http://a.example/x/?p=12"}, "wordpress:a.example%2Fx:12"),
        ({"link": "http://a.example/2020/x/"}, "wordpress:a.example:12"),
        ({"link": "http://[broken"}, "wordpress::12"),
    ],
)
def test_a_fragment_gets_the_address_of_its_item(tmp_path, fields, key):
    (record,) = open_export(tmp_path, make_item(**fields)).read()
    assert record.key == key


def test_an_item_without_an_id_has_a_stable_key(tmp_path):
    keys = {record.key for _ in range(2) for record in open_export(tmp_path, make_item(post_id="")).read()}
    assert len(keys) == 1


def test_the_base_url_replaces_the_address_in_the_file(tmp_path):
    source = open_export(tmp_path, make_export(make_item()), base_url="https://www.example.org")
    (record,) = source.read()
    assert record.key == "wordpress:www.example.org:12"
    assert source.hosts == {"www.example.org", "example.com/blog"}


def test_media_of_a_wordpress_com_blog_have_their_own_host(tmp_path):
    url = "https://x.files.wordpress.com/2020/05/a.jpg"
    attachment = make_item(post_id="7", post_type="attachment", status="inherit", attachment_url=url)
    source = open_export(tmp_path, make_export(attachment))
    assert source.hosts == {"example.com/blog", "x.files.wordpress.com"}
    assert "names 1 media file" in source.notes[0]


def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_read(tmp_path):
    (tmp_path / "a.xml").write_text(make_export(make_item()), encoding="utf-8")
    entries = [
        Entry("x/gone.xml", tmp_path / "gone.xml"),
        Entry("x/a.xml", tmp_path / "a.xml"),
        Entry("x/hidden.xml", tmp_path / "a.xml", NotAnArticle("It is hidden.")),
    ]
    refused, record, skipped = FORMAT.open_source(entries, ImportOptions(now=NOW)).read()
    assert (refused.key, refused.result) == ("x/gone.xml", Result.REFUSED)
    assert record.title == "Compost"
    assert (skipped.key, skipped.result) == ("x/hidden.xml", Result.SKIPPED)


def test_a_file_that_changes_during_the_import_is_reported(tmp_path):
    source = open_export(tmp_path, make_export(make_item()))
    (tmp_path / "export-0.xml").write_text(f"{START}<a></b>{END}", encoding="utf-8")
    (report,) = source.read()
    assert report.result is Result.REFUSED


def test_names_that_are_left_behind_are_bounded(tmp_path):
    terms = "".join(make_term("x", f"taxonomy{number}") for number in range(1_000))
    source = open_export(tmp_path, make_export(make_item(terms)))
    assert len([*source.read()]) == 1
    assert source.left_behind.total() == 1_000
    assert len(source.left_behind) < 250


def make_upload(id_, order, parent="12"):
    return make_item(
        post_id=str(id_),
        post_type="attachment",
        post_parent=parent,
        menu_order=str(order),
        attachment_url=f"https://example.com/{id_}.jpg",
    )


def test_the_uploads_of_a_post_are_a_gallery(tmp_path):
    uploads = [make_upload(7, 2), make_upload(8, 1)]
    (record,) = open_export(tmp_path, make_export(*uploads, make_item(content="[gallery]"))).read()
    assert 0 < record.content.find("/8.jpg") < record.content.find("/7.jpg")


def test_a_post_that_repeats_its_gallery_too_often_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(conversion, "MAX_ITEM_SIZE", 10_000)
    uploads = [make_upload(id_, id_) for id_ in range(100, 120)]
    items = make_item(content="[gallery]\n" * 10), make_item(post_id="13", post_name="other")
    report, record = open_export(tmp_path, make_export(*uploads, *items)).read()
    assert (report.result, report.title, record.slug) == (Result.REFUSED, "Compost", "other")
    assert "too many pictures" in report.notes[0]


def test_a_gallery_can_be_spread_over_several_files(tmp_path):
    parts = [
        make_export(make_upload(7, 3), make_upload(6, 1, parent="13"), make_item(content="[gallery]")),
        make_export(make_upload(8, 1), make_upload(9, 4)),
        make_export(make_upload(5, 2)),
    ]
    (record,) = open_export(tmp_path, *parts).read()
    assert re.findall(r'src="[^"]*/(\d)\.jpg', record.content) == ["8", "5", "7", "9"]


def test_each_file_adds_its_part_to_what_the_blog_contains(tmp_path):
    def make_part(number, hours):
        name = f"""<wp:author><wp:author_login>a{number}</wp:author_login>
            <wp:author_display_name>Author {number}</wp:author_display_name></wp:author>
            <wp:category><wp:category_nicename>c{number}</wp:category_nicename>
            <wp:cat_name>Category {number}</wp:cat_name></wp:category>"""
        dates = {"post_date": f"2020-05-04 1{hours}:00:00", "post_date_gmt": "2020-05-04 10:00:00"}
        content = {"post_type": "wp_block", "content": f"Pattern {number}."}
        guid = f"http://old{number}.example/?p=3{number}"
        pattern = make_item(post_id=f"2{number}", **content, **dates)
        return make_export(name, pattern, make_item(post_id=f"3{number}", guid=guid, **dates))

    patterns = "".join(f'<!-- wp:block {{"ref":2{number}}} /-->' for number in (1, 2, 3))
    names = "".join(make_term(f"Category {number}", nicename=f"c{number}") for number in (1, 2, 3))
    post = make_export(make_item(names, content=patterns, creator="a2", post_date_gmt="0000-00-00 00:00:00"))
    source = open_export(tmp_path, make_part(1, 1), make_part(2, 2), make_part(3, 2), post)
    record = [*source.read()][-1]
    assert re.findall(r"Pattern (\d)", record.content) == ["1", "2", "3"]
    assert (record.authors[0].name, record.published_at.hour) == ("Author 2", 10)
    assert {f"old{number}.example" for number in (1, 2, 3)} < source.hosts
    assert {term.name for term in source.terms} == {"Category 1", "Category 2", "Category 3"}
    assert source.total == 4 + 7


@pytest.mark.parametrize("name", ["uploads", "wp-content/uploads"])
def test_the_uploads_beside_the_export_are_searched(tmp_path, name):
    attachment = make_item(post_type="attachment", post_id="7")
    (note,) = open_export(tmp_path, make_export(attachment)).notes
    assert note.startswith("The export names 1 media file")
    (tmp_path / name).mkdir(parents=True)
    source = open_export(tmp_path, make_export(attachment))
    assert (source.assets, source.notes) == ([tmp_path / name], [])


def test_the_former_addresses_of_a_blog_are_in_its_guids(tmp_path):
    guids = [
        "http://old.example.net/?p=12",
        "http://x.org/?p=3",
        "http://y.org/2008/a/",
        "http:///?p=12",
        "[",
    ]
    source = open_export(tmp_path, make_export(*(make_item(guid=guid) for guid in guids)))
    assert source.hosts == {"example.com/blog", "old.example.net"}


@pytest.mark.parametrize(
    ("extra", "language", "key"),
    [
        (
            make_term("Français", "language", "fr") + make_term("x", "post_translations", "pll_5"),
            "fr",
            "pll_5",
        ),
        (make_term("Français", "language", "fr"), "fr", ""),
        (
            make_meta(_wpml_import_language_code="pt-br", _wpml_import_translation_group="7"),
            *("pt-BR", "7"),
        ),
        (make_term("C", "language", "css"), "", ""),
        ("", "", ""),
    ],
)
def test_polylang_and_wpml_name_the_language_and_the_translations(tmp_path, extra, language, key):
    source = open_export(tmp_path, make_export(make_item(extra)))
    (record,) = source.read()
    assert (record.language, record.translation_key) == (language, key)
    assert not source.left_behind
