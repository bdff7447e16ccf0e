"""Sanitized HTML is safe even if the content is an attack."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.rendering import mathml, plain_text, sanitizer
from blogapi.rendering.players import EMBED_HOSTS
from tests.rendering.inspector import Inspector

URL_ATTRIBUTES = {"href", "src", "poster", "action", "formaction", "cite", "data", "srcset", "background"}
DANGEROUS = {"script", "style", "object", "embed", "form", "base", "meta", "link", "svg", "template"}


def assert_safe(html: str) -> None:
    for tag, attributes in Inspector(html).tags:
        assert tag not in DANGEROUS, html
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("srcdoc", "xlink:href"), html
            assert name != "style", html
            assert tag not in mathml.TAGS or name in {
                *mathml.ATTRIBUTES,
                "class",
                "dir",
                "id",
                "lang",
                "title",
            }
            # test_browser.py shows that other ids and names shadow no property of the page.
            assert (tag == "a" or name != "name") and (tag != "input" or name != "id"), html
            if name in URL_ATTRIBUTES:
                plain = re.sub(r"[\s\x00-\x20]", "", value).casefold()
                assert not re.search(r"(^|,)(javascript|vbscript|data|file):", plain), html
        if tag == "iframe":
            host = attributes["src"].removeprefix("https://").partition("/")[0]
            assert host.casefold() in EMBED_HOSTS, html
    assert "<script" not in html.casefold()


ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x OnErRoR=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    '<img src="x"onerror="alert(1)">',
    "<img src=javascript:alert(1)>",
    '<img srcset="javascript:alert(1) 1x, data:image/svg+xml,x 2x">',
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text>a</text></a></svg>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<math><a xlink:href="javascript:alert(1)">a',
    "<body onload=alert(1)>",
    "<a href=javascript:alert(1)>a</a>",
    "<a href=JaVaScRiPt:alert(1)>a</a>",
    '<a href=" javascript:alert(1)">a</a>',
    '<a href="java\tscript:alert(1)">a</a>',
    '<a href="java&#10;script:alert(1)">a</a>',
    '<a href="&#106;avascript:alert(1)">a</a>',
    '<a href="&#x6A&#x61vascript:alert(1)">a</a>',
    '<a href="\x01javascript:alert(1)">a</a>',
    "<a href=vbscript:x>a</a>",
    "<a href=data:text/html,<script>alert(1)</script>>a</a>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe src=https://evil.example/></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    '<iframe src="https://www.youtube.com.evil.example/embed/a"></iframe>',
    '<iframe src="https://www.youtube.com@evil.example/embed/a"></iframe>',
    '<iframe src="https://evil.example\\@www.youtube.com/embed/a"></iframe>',
    '<iframe src="https://evil.example/?https://www.youtube.com/embed/a"></iframe>',
    '<iframe src="https:evil.example//www.youtube.com/"></iframe>',
    '<iframe src="https://www.youtube.com:evil@evil.example/"></iframe>',
    '<iframe src="https://["></iframe>',
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button formaction=javascript:alert(1)>a</button></form>",
    "<input onfocus=alert(1) autofocus>",
    "<details ontoggle=alert(1) open>a</details>",
    "<video poster=javascript:alert(1) onloadstart=alert(1)><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<style>@import 'https://evil.example';</style>",
    '<p style="background:url(javascript:alert(1))">a</p>',
    '<td style="text-align:left;background:url(javascript:alert(1))">a</td>',
    "<link rel=stylesheet href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=//evil.example/>",
    "<table background=javascript:alert(1)><tr><td>a</table>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<textarea><img title='</textarea><img src=x onerror=alert(1)>'>",
    "<xmp><img title='</xmp><img src=x onerror=alert(1)>'>",
    "<a href='x' target=_blank style='position:fixed'>a</a>",
    "[a](javascript:alert(1))",
    "[a](<java\nscript:alert(1)>)",
    "![a](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    "```<script>\nalert(1)\n```",
    '```"onload="alert(1)\na\n```',
    "`<script>alert(1)</script>`",
    "[^<script>]: a\n\n[^<script>]",
    "- [ ] <img src=x onerror=alert(1)>",
    '|a|\n|-|\n|<img src=x onerror="alert(1)">|',
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_sanitized_html_of_an_attack_is_harmless(attack):
    for kind in ("html", "markdown", "text"):
        assert_safe(sanitizer.to_safe_html(attack, kind))
        plain_text.make_excerpt(plain_text.to_plain_text(sanitizer.to_safe_html(attack, kind)))


ATOMS = st.sampled_from(
    [
        *("<", ">", "</", "/>", "'", '"', "=", " ", "\n", "&", ";", "&#", "<!--", "-->", "<![CDATA[", "]]>"),
        *("script", "img", "svg", "math", "iframe", "a", "style", "table", "td", "p", "input", "noscript"),
        *("title", "textarea", "select", "xmp", "template", "id=location", "id=fn1", "name=cookie", "#fn1"),
        *("onerror", "onload", "href", "src", "srcset", "style", "title", "class", "javascript:", "data:"),
        *("https://www.youtube.com/embed/a", "//evil.example", "alert(1)", "\x00", "\t", "`", "[", "](", ")"),
        *("|", "-", "[^1]", "[^1]:", "- [ ] ", "> ", "#", "*", "_", "~~", "\\", "é", "日", "🎉"),
    ]
)


@settings(deadline=None)
@given(st.lists(ATOMS, max_size=25).map("".join), st.sampled_from(["html", "markdown", "text"]))
def test_any_content_renders_to_safe_html(content, kind):
    safe = sanitizer.to_safe_html(content, kind)
    assert_safe(safe)
    assert sanitizer.to_safe_html(safe, "html") == safe
    words = plain_text.to_plain_text(safe)
    assert len(plain_text.make_excerpt(words)) <= plain_text.MAX_EXCERPT_LENGTH
    assert plain_text.measure_text(words).reading_minutes >= 1


@settings(deadline=None)
@given(st.text(), st.sampled_from(["html", "markdown", "text"]))
def test_any_text_renders_to_safe_html(content, kind):
    assert_safe(sanitizer.to_safe_html(content, kind))
    words = plain_text.make_excerpt(plain_text.to_plain_text(sanitizer.to_safe_html(content, kind)))
    assert plain_text.measure_text(words).reading_minutes == 1


# HTML has special parsing rules for these elements.
SPECIAL = [
    *("iframe", "noembed", "noframes", "noscript", "xmp", "plaintext", "title", "textarea", "select"),
    *("style", "script", "template", "math", "svg", "object", "applet", "frameset", "listing", "table"),
    *("svg><title", "svg><desc", "svg><style", "svg><foreignObject", "math><mtext", "math><mi><mglyph"),
    *("math><annotation-xml encoding=text/html", "form><math><mtext", "select><option", "table><caption"),
]
ENDS = ["", "</{0}>", "</{1}></{0}>", "<!--</{1}>", "<a title='</{1}></{0}>"]


@pytest.mark.parametrize("outer", SPECIAL)
def test_nested_special_elements_cannot_hide_markup(outer):
    attack = "<img src=x onerror=alert(1)>'>-->"
    for inner, end in product(SPECIAL, ENDS):
        written = f"<{outer}><{inner}>{attack}{end.format(outer, inner)}{attack}<p id=location>b"
        safe = sanitizer.to_safe_html(written, "html")
        assert_safe(safe)
        # A browser parses the result again, so sanitizing it again must not change it.
        assert sanitizer.to_safe_html(safe, "html") == safe
