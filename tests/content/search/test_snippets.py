"""Snippets of matches."""

from __future__ import annotations

from html import unescape

import pytest

from blogapi.content.search import snippets
from blogapi.content.search.snippets import MAX_HITS, SNIPPET_WORDS, make_snippet
from blogapi.content.search.tokenizer import parse_query


@pytest.mark.parametrize(
    ("content", "words", "shown"),
    [
        (
            "<p>a &amp; <b>zebra</b> &lt;i&gt;</p><script>x()</script>",
            "zebra",
            "a &amp; <mark>zebra</mark> &lt;i&gt;",
        ),
        ("<p>&lt;script&gt;zebra&lt;/script&gt;</p>", "script", None),
        ("&lt;mark&gt;zebra", "zebra", "&lt;mark&gt;<mark>zebra</mark>"),
        ("zebra &#2; quagga &#3; okapi", "zebra", "<mark>zebra</mark> quagga okapi"),
        ("zebra &#3; quagga &#2; okapi", "okapi", "zebra quagga <mark>okapi</mark>"),
        ("我们学习Go语言编程", "语言", "我们学习Go<mark>语言</mark>编程"),
        ("我们学习Go语言编程", "go语言", "我们学习<mark>Go语言</mark>编程"),
        ("你好、世界。再见", "世界", "你好、<mark>世界</mark>。再见"),
        ("a &quot;zebra&quot; 'b'", "zebra", "a \"<mark>zebra</mark>\" 'b'"),
    ],
)
def test_a_snippet_is_safe_html_with_the_hits_marked(snippet, make_article, content, words, shown):
    make_article(title="T", content=content)
    shown_snippet = snippet(words)
    assert shown_snippet == snippet(words, ordering="title")
    if shown is None:
        assert (
            "&lt;" in shown_snippet
            and "<mark>script</mark>" in shown_snippet
            and "<script" not in shown_snippet
        )
    else:
        assert shown_snippet == shown


def test_a_snippet_is_a_short_text_around_the_hit(snippet, make_article):
    make_article(title="T", content="before " * 500 + "zebra" + " after" * 500)
    shown_snippet = snippet("zebra")
    assert "<mark>zebra</mark>" in shown_snippet and len(shown_snippet) < 300
    assert shown_snippet.startswith("…") and shown_snippet.endswith("…")


def test_a_phrase_that_ends_behind_a_snippet_does_not_count(snippet, make_article):
    filler = "word " * (SNIPPET_WORDS - 2)
    make_article(title="T", content=f"zebra {filler}quagga-okapi {'word ' * 60}zebra zebra")
    assert snippet("zebra quagga-okapi").endswith("<mark>zebra</mark> <mark>zebra</mark>")


def test_a_snippet_comes_from_the_field_with_the_hit(snippet, make_article):
    make_article(title="A zebra", subtitle="An okapi", content="A quagga")
    assert snippet("zebra") == "A <mark>zebra</mark>"
    assert snippet("okapi") == "An <mark>okapi</mark>"
    assert snippet("quagga") == "A <mark>quagga</mark>"
    assert unescape(snippet("zebra quagga")).count("<mark>") >= 1


def test_the_work_for_a_text_with_many_hits_is_limited(monkeypatch):
    score, scored = snippets._score_hits, []
    monkeypatch.setattr(snippets, "_score_hits", lambda hits: scored.append(len(hits)) or score(hits))
    # Each word of the text is the last word of each phrase.
    query = parse_query(" ".join("一" * length for length in range(1, 19)))
    snippet = make_snippet(["一" * 20_000], query)
    assert snippet.count("一") == SNIPPET_WORDS
    assert len(scored) < MAX_HITS / 10 and max(scored) <= SNIPPET_WORDS * len(query.phrases)
