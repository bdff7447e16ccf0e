"""Files are decoded to text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import RefusedFile

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(text):
    data = text if isinstance(text, bytes) else text.encode()
    return reader.parse_article("blog/post.md", data, ImportOptions(now=NOW))


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_decoded_with_and_without_a_byte_order_mark(codec):
    record = read("---\ntitle: 中文\n---\n\nÄ\r\nb\rc".encode(codec))
    assert (record.title, record.content) == ("中文", "Ä\nb\nc")


def test_a_file_in_utf_16_gets_a_note():
    assert read("Text".encode("utf-16")).notes[0] == "The file was converted from UTF-16."


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a\nb\xe9c", "byte 0xe9 at offset 3 (line 2)"),
        ("é".encode("gb18030"), "byte 0xa8 at offset 0"),
        (b"\xef\xbb\xbfa\xff", "byte 0xff at offset 4"),
        (b"\xed\xa0\x80", "byte 0xed at offset 0"),
        (b"\xff\xfea", "UTF-16: byte 0x61 at offset 2"),
        (b"\xff\xfe\x00\xd8a\x00", "UTF-16: byte 0x00 at offset 2"),
    ],
)
def test_the_error_for_a_file_in_another_encoding_names_the_first_invalid_byte(data, place):
    with pytest.raises(RefusedFile) as caught:
        read(data)
    assert place in str(caught.value)


def test_control_characters_are_removed_and_counted():
    record = read("a\x00b\x07\tc\x1b")
    assert record.content == "ab\tc"
    assert record.notes[0] == "The import removed 3 control characters (such as NUL)."


@pytest.mark.parametrize("text", ["", " \n\n", "\ufeff", "\x00", "---\n---\n", "---\n---\n \n"])
def test_an_empty_file_is_refused(text):
    with pytest.raises(RefusedFile, match="empty"):
        read(text)
