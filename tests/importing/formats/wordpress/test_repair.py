"""WXR files that are not well-formed XML, incomplete, hostile, or in another encoding."""

from __future__ import annotations

from collections import Counter

import pytest

from blogapi.importing.format_api.report import Result
from blogapi.importing.formats.wordpress.source import repair_xml
from blogapi.importing.texts.xml_elements import ElementBuilder, read_channel
from tests.importing.formats.wordpress.exports import END, START, make_export, make_item, open_export

ITEM = "<item><title>a</title></item>"
POST = make_item()
EXPORT = make_export(POST)
ZOE = make_export(make_item(title="Zoë"))


def make(title):
    """Return a document that has an item with a title, which is XML."""
    return f"<rss><item><title>{title}</title><wp:post_id>1</wp:post_id></item></rss>"


#: The text of a file, the title of its item after the repair, and the repairs.
BROKEN = [
    (make("Tom & Jerry"), "Tom & Jerry", {"unescaped “&”": 1}),
    (make("a&amp;b&lt;c&#65;&#x42;"), "a&b<cAB", {}),
    (make("a&nbsp;b&hellip;"), "a\xa0b…", {"HTML entities": 2}),
    (make("a &unknown; b"), "a &unknown; b", {"unescaped “&”": 1}),
    (make("a&#0;b&#x1F;c"), "a\ufffdbc", {}),
    (make("a\x08b\x00c"), "abc", {"control characters": 2}),
    (make("<![CDATA[a & ]]> & b]]>"), "a &  & b]]>", {"unescaped “&”": 1}),
    (make("<![CDATA[a ]]]]><![CDATA[> b]]>"), "a ]]> b", {}),
    (make("<![CDATA[a & <b> &nbsp;]]>"), "a & <b> &nbsp;", {}),
    ("PHP Warning: x <br />\n<?xml version='1.0'?>" + make("a"), "a",
     {"text outside of the XML elements": 1}),
    ('<rss><item><category nicename="a&b\'" domain=\'x"\'>y</category><title>a</title></item></rss>',
     "a", {"unescaped “&”": 1}),
    ("<rss><item><title>a</title><link/><wp:x a='1'/></item></rss>", "a", {}),
    (ITEM, "a", {}),
    (make("<![CDATA[a</rss >]]>") + "</rss>x &", "a</rss >", {}),
]  # fmt: skip


def run(text, size):
    """Read a text that arrives in chunks of `size` characters; return elements, builder and repairs."""
    builder, repairs = ElementBuilder(), Counter()
    chunks = (text[start : start + size] for start in range(0, len(text), size))
    return [*read_channel(repair_xml(chunks, repairs), builder)], builder, +repairs


@pytest.mark.parametrize(("text", "title", "repairs"), BROKEN)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_broken_files_are_read_to_their_end(text, title, repairs, size):
    elements, builder, found = run(text, size)
    item = next(element for element in elements if element.name == "item")
    assert item.get_text("title") == title
    assert (found, builder.missing_end) == (repairs, None)


@pytest.mark.parametrize("size", [1, 10_000])
@pytest.mark.parametrize("end", ["", "<![CDATA[x", "<wp:x", "<!-- x", "&am"])
def test_a_missing_end_is_noticed(end, size):
    (item,), builder, _ = run(f"<rss><channel><item><title>a</title></item>{end}", size)
    assert (item.get_text("title"), bool(builder.missing_end)) == ("a", True)


@pytest.mark.parametrize(
    ("data", "title", "note"),
    [
        (make_export(make_item(title="Tom")).encode("utf-8-sig"), "Tom", ""),
        (b"\n\n  " + EXPORT.encode(), "Compost", ""),
        (ZOE.encode("utf-16"), "Zoë", ""),
        (ZOE.replace("UTF-8", "ISO-8859-1").encode("latin-1"), "Zoë", ""),
        (ZOE.replace("UTF-8", "EUC-KR").replace("ë", "예").encode("euc-kr"), "Zo예", ""),
        (make_export(make_item(title="Zoë “x”")).encode("cp1252"), "Zoë “x”", "not valid in its encoding: 3"),
        (ZOE.replace("UTF-8", "rot13").encode(), "Zoë", ""),
        (EXPORT.replace("</channel>", "a & b</channel>").encode(), "Compost", "unescaped “&”: 1"),
        (POST.encode(), "Compost", ""),
        (f"{START}{POST}".encode(), "Compost", "its end is missing"),
        (f"{START}{POST}<item><title>Half</title><wp:post_id>9".encode(), "Compost", "the item “Half”"),
        (f"{START}{POST}<item>&<title>Half</title><wp:post_id>9".encode(), "Compost", "the item “Half”"),
        (EXPORT.encode()[:-200], None, "It ends inside of the item “Compost”"),
        (EXPORT.encode() + b"<p>Fatal error</p>", "Compost", "was repaired"),
    ],
)  # fmt: skip
def test_files_are_read_in_every_state(tmp_path, data, title, note):
    source = open_export(tmp_path, data)
    titles = [record.title for record in source.read()]
    assert titles == ([title] if title else [])
    assert note in " ".join(source.notes)
    assert bool(note) == bool(source.notes)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<!DOCTYPE rss [<!ENTITY a 'aaaa'>]>" + START[39:].encode() + END.encode(), "document type"),
        (f"{START}&<!DOCTYPE rss>".encode(), "not XML that can be repaired"),
        (START.encode() + b"<a>" * 2_000, "nested too deeply"),
        ((START + POST.removesuffix("</item>\n") + POST + END).encode(), "not XML that can be repaired"),
        (f"{EXPORT}{EXPORT}".encode(), "not XML that can be repaired"),
        (f"{START}{POST}<item>a < b".encode(), "not XML that can be repaired"),
    ],
)
def test_hostile_files_and_other_errors_are_refused(tmp_path, data, reason):
    (report,) = open_export(tmp_path, data).read()
    assert (report.result, report.key) == (Result.REFUSED, f"{tmp_path.name}/export-0.xml")
    assert reason in report.notes[0]


def test_a_long_tag_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("blogapi.importing.texts.xml_elements._MAX_TAG_BYTES", 1_000)
    monkeypatch.setattr("blogapi.importing.texts.xml_elements.CHUNK_BYTES", 100)
    (report,) = open_export(tmp_path, f"{START}<{'a' * 10_000}").read()
    assert "tag or comment" in report.notes[0]
