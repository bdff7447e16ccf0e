"""Only the addresses of links change in Markdown and HTML."""

from __future__ import annotations

import random

import pytest

from blogapi.importing.links.rewriting import rewrite_addresses


def find(address):
    """Return the new address of the article `a`."""
    return "/new/" if address in ("a.md", "https://own.host/a", "https://own.host/a_(b)") else None


def rewrite_links(content, content_type, find_article):
    return rewrite_addresses(content, content_type, find_article, lambda _: None)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[x](a.md)", "[x](/new/)"),
        ('[x]( a.md "t (a.md)" ) [y](a.md)', '[x]( /new/ "t (a.md)" ) [y](/new/)'),
        ("[x](<a.md> 't')", "[x](</new/> 't')"),
        (r"[x](a\.md) [y](a&#46;md)", "[x](/new/) [y](/new/)"),
        ("[x](https://own.host/a_(b))", "[x](/new/)"),
        ("[x\ny](\na.md\n)", "[x\ny](\n/new/\n)"),
        ("[a [b] c](a.md)", "[a [b] c](/new/)"),
        ("[![x](a.md)](a.md)", "[![x](a.md)](/new/)"),
        ("![x](a.md) ![y [x](a.md)](a.md)", "![x](a.md) ![y [x](/new/)](a.md)"),
        ("[x]: a.md", "[x]: /new/"),
        ("[x]\n\n[x]:\n  <a.md>\n  'title'\n[y]: a.md\n", "[x]\n\n[x]:\n  </new/>\n  'title'\n[y]: /new/\n"),
        ("> [x]: a.md 'title'\n> [x](a.md)", "> [x]: /new/ 'title'\n> [x](/new/)"),
        ("[https://own.host/a](https://own.host/a)", "[https://own.host/a](/new/)"),
        ('<a href="a.md">https://own.host/a</a>', '<a href="/new/">https://own.host/a</a>'),
        ("- [x](a.md)\n\n  [y](a.md)\n\n    [z](a.md)", "- [x](/new/)\n\n  [y](/new/)\n\n    [z](/new/)"),
        ("1. x\n\n    [y](a.md)", "1. x\n\n    [y](/new/)"),
        ("x\n    [y](a.md)", "x\n    [y](/new/)"),
        ("| [x](a.md) | `|` [y](a.md) |", "| [x](/new/) | `|` [y](/new/) |"),
        ("# [x](a.md)\n[y](a.md)", "# [x](/new/)\n[y](/new/)"),
        ("```\ncode\n```\n[x](a.md)", "```\ncode\n```\n[x](/new/)"),
        ("`` ` `` [x](a.md) `", "`` ` `` [x](/new/) `"),
        ("a ` b\n\n[x](a.md) ` c", "a ` b\n\n[x](/new/) ` c"),
        ("<div>\n<a href='a.md'>x</a>\n</div>", "<div>\n<a href='/new/'>x</a>\n</div>"),
        ("<!-- x -->\n[x](a.md)", "<!-- x -->\n[x](/new/)"),
        ("{{ page }} [x](a.md)", "{{ page }} [x](/new/)"),
        ("<script src='x' />\n\n[x](a.md)", "<script src='x' />\n\n[x](/new/)"),
    ],
)
def test_the_addresses_of_links_in_markdown_change(content, expected):
    assert rewrite_links(content, "markdown", find) == expected


@pytest.mark.parametrize(
    "content",
    [
        *("`[x](a.md)`", "``[x](a.md) ` ``", "`x\n[x](a.md)`", r"\[x](a.md)", r"[x\](a.md)", "x](a.md)"),
        *(
            "```\n[x](a.md)\n```",
            "~~~md\n[x](a.md)",
            "````\n```\n[x](a.md)\n````",
            "- ```\n  [x](a.md)\n  ```",
        ),
        *("> ```\n> [x](a.md)\n> ```", "    [x](a.md)", "\t[x](a.md)", "x\n\n    [x](a.md)\n\n    [x](a.md)"),
        *("- x\n\nx\n\n    [x](a.md)", '<pre><a href="a.md">x</a>\n\n</pre>'),
        *(
            "![x](a.md)",
            "![x][y]",
            "[x](a.md x)",
            "[x](a.md",
            "[x] (a.md)",
            "[x](b.md)",
            "[^x]: a.md",
            "[x]: a.md x",
        ),
        *("<https://own.host/a>", "See https://own.host/a.", "[x https://own.host/a](b.md)"),
        *("x [x]: a.md", "[[a.md]]", "<pre>\n[x](a.md)\n\n[x](a.md)\n</pre>", "<!--\n\n[x](a.md)\n\n-->"),
        *('<img src="a.md">', '<script>"[x](a.md)"</script>', '<a title="a.md">', '<a data-href="a.md">'),
        *(
            '{{ "a" | href="a.md" }}',
            "{% link a.md %}",
            "{{< x https://own.host/a >}}",
            "x@https://own.host/a",
        ),
        *('<b title="[x](a.md)">', "[x https://own.host/a", "a.md", "<a.md>", ""),
    ],
)
def test_nothing_else_in_markdown_changes(content):
    assert rewrite_links(content, "markdown", find) == content


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<a href="a.md">x</a>', '<a href="/new/">x</a>'),
        ("<A class=x HREF = ' a.md '>x</A>", "<A class=x HREF = '/new/'>x</A>"),
        ("<a\nhref=a.md target=_blank>", "<a\nhref=/new/ target=_blank>"),
        ('<a href="ref">', '<a href="/ref/">'),
        ("<a href = 'ref'>", "<a href = '/ref/'>"),
        ("<a href=ref>", "<a href=/ref/>"),
        ('<img src="src">', '<img src="/ref/">'),
        ('<area title="a > b" href="a&#46;md">', '<area title="a > b" href="/new/">'),
        ("<script>1 < 2</script><a href='a.md'>", "<script>1 < 2</script><a href='/new/'>"),
        ("<!-- x --><style></style><a href='a.md'>", "<!-- x --><style></style><a href='/new/'>"),
        ("<script /><a href='a.md'><script></script>", "<script /><a href='/new/'><script></script>"),
    ],
)
def test_the_addresses_of_links_in_html_change(content, expected):
    def find_named_like_attribute(address):
        return "/ref/" if address in ("ref", "src") else None

    assert rewrite_addresses(content, "html", find, find_named_like_attribute) == expected


@pytest.mark.parametrize(
    "content",
    [
        *(
            '<img src="a.md">',
            "<!-- <a href='a.md'> -->",
            "<script>'<a href=\"a.md\">'</script>",
            "[x](a.md)",
        ),
        *('<link href="a.md">', '<abbr href="a.md">', '<a data-href="a.md">', '<a href="b.md">', "<a href=>"),
        *("https://own.host/a", '<a href="a.md', "<textarea><a href='a.md'></TEXTAREA>"),
    ],
)
def test_nothing_else_in_html_changes(content):
    assert rewrite_links(content, "html", find) == content


def test_plain_text_does_not_change():
    assert rewrite_links("[x](a.md) https://own.host/a", "text", find) == "[x](a.md) https://own.host/a"


def test_a_new_address_is_escaped():
    assert rewrite_links('<a href="a">', "html", lambda _: '/?a="&b') == '<a href="/?a=&quot;&amp;b">'
    assert rewrite_links("[x](a)", "markdown", lambda _: "/a(b)/") == "[x](/a%28b%29/)"


_PARTS = [
    *(
        "[",
        "]",
        "(",
        ")",
        "![",
        "](",
        "]: ",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "> ",
        "- ",
        "1. ",
        "#",
    ),
    *(
        "<",
        ">",
        "<a href=",
        '"',
        "'",
        "<!--",
        "-->",
        "<pre>",
        "</pre>",
        "<script>",
        "\\",
        "{{",
        "}}",
        "{%",
        "%}",
    ),
    *("https://own.host/a", "a.md", "&amp;", "é", "\r", "\x00", "\u2028", " "),
]


@pytest.mark.parametrize("content_type", ["markdown", "html"])
def test_content_without_links_to_articles_stays_the_same(content_type):
    shuffled = random.Random(7)  # noqa: S311
    for _ in range(300):
        content = "".join(shuffled.choices(_PARTS, k=shuffled.randrange(60)))
        assert rewrite_links(content, content_type, lambda _: None) == content


@pytest.mark.parametrize("content_type", ["markdown", "html"])
@pytest.mark.parametrize(
    "part",
    [
        *(
            "[",
            "](",
            "![",
            "[x](",
            "[x]:",
            "](a '",
            '](a "',
            "](a (",
            "](<",
            "](((",
            "[x](a",
            "`",
            "`a``",
            "\\",
        ),
        *(
            "<a ",
            '<a "',
            "<a href=",
            "<a '",
            "<!--",
            "<script>",
            "<pre>",
            "<pre>\n",
            "https://",
            "https://)",
            ")",
        ),
        *(
            "{{",
            "{%",
            "> ",
            ">",
            "- ",
            "\t",
            " ",
            "\n",
            "\n    ",
            "```",
            "~~~\n",
            "<https://",
            "</a ",
            "1. ",
            "&",
        ),
    ],
)
def test_repeated_text_takes_linear_time(part, content_type):
    # With quadratic time, this would take minutes.
    content = "[x](a.md) href " + part * (200_000 // len(part))
    assert rewrite_links(content, content_type, lambda _: None) == content
