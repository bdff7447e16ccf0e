"""Turns addresses of a blog's own media files into paths, and leaves all others alone."""

from __future__ import annotations

import pytest

from blogapi.importing.links.rewriting import rewrite_addresses
from blogapi.importing.pipeline import run
from blogapi.importing.pipeline.run import HostedFileFinder

HOSTS = {"example.com/blog", "www.other.org", "mimi.wordpress.com"}
EXTENSIONS = {"jpg", "png", "pdf", "mp4"}


@pytest.fixture(autouse=True)
def _known_extensions(monkeypatch):
    monkeypatch.setattr(run, "list_extensions", lambda: EXTENSIONS)


def change(content, content_type="html", exists=lambda path: "missing" not in path):
    return make_local(content, content_type, exists)[0]


def make_local(content, content_type, exists):
    files = HostedFileFinder(HOSTS, exists)
    changed = rewrite_addresses(content, content_type, lambda _: None, files.find_path)
    return changed, files.count_remote_files()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<img src="https://example.com/a/x.jpg">', '<img src="/a/x.jpg">'),
        ("<img src='http://www.example.com/a/x.jpg'>", "<img src='/a/x.jpg'>"),
        ("<img src=//example.com/a/x.jpg>", "<img src=/a/x.jpg>"),
        ('<IMG ALT="" SRC = "HTTPS://EXAMPLE.COM:443/x.jpg" />', '<IMG ALT="" SRC = "/x.jpg" />'),
        ('<img src=" https://example.com/a b (1),c.jpg">', '<img src="/a b (1),c.jpg">'),
        ('<a href="https://other.org/x.pdf?v=1&amp;w=2#page=3">x</a>', '<a href="/x.pdf#page=3">x</a>'),
        (
            '<video poster="//other.org/x.png" src="//other.org/x.mp4">',
            '<video poster="/x.png" src="/x.mp4">',
        ),
        (
            '<img srcset="https://example.com/x-3x2.jpg 3w,https://example.com/x.jpg?w=9 2x, //e.org/x.jpg">',
            '<img srcset="/x-3x2.jpg 3w,/x.jpg 2x, //e.org/x.jpg">',
        ),
        ('<img src="https://i2.wp.com/example.com/a/x.jpg?resize=9%2C9&#038;ssl=1">', '<img src="/a/x.jpg">'),
        ('<img src="https://mimi.files.wordpress.com/2012/01/x.jpg">', '<img src="/2012/01/x.jpg">'),
        ('<img src="https://example.com//a/x.jpg">', '<img src="/a/x.jpg">'),
    ],
)
def test_own_addresses_in_html_become_paths(html, expected):
    assert change(html) == expected
    unchanged, remote = make_local(html, "html", lambda path: False)
    assert unchanged == html and remote > 0
    assert make_local(expected, "html", lambda path: False)[1] == 0


@pytest.mark.parametrize(
    "html",
    [
        '<img src="https://example.com/missing.jpg">',
        '<img src="https://example.org/x.jpg">',
        '<img src="https://example.com.evil.org/x.jpg">',
        '<img src="https://notexample.com/x.jpg">',
        '<img src="https://i0.wp.com/example.org/x.jpg">',
        '<a href="https://example.com/a/">a</a><a href="https://example.com">b</a>',
        '<a href="https://example.com/page.html">a</a>',
        '<a href="https://share.org/?u=https://example.com/x.jpg">a</a>',
        "<p>See https://example.com/x.jpg</p>",
        '<code>&lt;img src="https://example.com/x.jpg"&gt;</code>',
        '<!-- {"url":"https://example.com/x.jpg"} -->',
    ],
)
def test_other_addresses_and_texts_stay(html):
    assert change(html) == html


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("![a](https://example.com/x.jpg)", "![a](/x.jpg)"),
        ('![a](<https://example.com/x.jpg> "Title")', '![a](</x.jpg> "Title")'),
        ("[a](//example.com/x_(1).pdf#p)", "[a](/x_%281%29.pdf#p)"),
        ("![a][1]\n\n[1]: https://example.com/x.jpg", "![a][1]\n\n[1]: /x.jpg"),
        ('<img src="https://example.com/x.jpg">', '<img src="/x.jpg">'),
        ("`![a](https://example.com/x.jpg)`", None),
        ("```\n![a](https://example.com/x.jpg)\n```", None),
        ("https://example.com/x.jpg <https://example.com/x.jpg>", None),
        ("![a](https://example.com/missing.jpg)", None),
    ],
)
def test_own_addresses_in_markdown_become_paths(markdown, expected):
    assert change(markdown, "markdown") == (expected or markdown)


def test_each_file_is_looked_up_once_by_its_unescaped_path():
    asked = []
    change('<img src="https://example.com/a&amp;b.jpg"> ' * 3, exists=lambda path: bool(asked.append(path)))
    assert asked == ["/a&b.jpg"]


def test_plain_text_stays():
    assert change("![](https://example.com/x.jpg)", "text") == "![](https://example.com/x.jpg)"


def test_only_whole_addresses_become_paths():
    files = HostedFileFinder(HOSTS, lambda path: path == "/x.jpg")
    assert files.find_path("https://example.com/x.jpg?w=1") == "/x.jpg"
    for address in ("https://example.org/x.jpg", "/x.jpg", "", "https://example.com/x.jpg more"):
        assert files.find_path(address) is None
    assert HostedFileFinder((), bool).find_path("https://example.com/x.jpg") is None


@pytest.mark.parametrize(
    "part",
    [
        *('<img src="//example.com/', "<a ", "<img srcset='//example.com/x.jpg,", "](https://example.com/("),
        *(" src=", "<img src=" + " " * 50, "[x]: //example.com/x", "`", "https://", "//"),
    ],
)
@pytest.mark.parametrize("content_type", ["html", "markdown"])
def test_strange_content_is_read_quickly(part, content_type):
    content = part * (300_000 // len(part))
    assert change(content, content_type).count(part[0]) == content.count(part[0])
