"""MDX becomes Markdown with the text of its components."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogapi.importing.templates.mdx import remove_code, resolve_components
from blogapi.rendering.renderer import render_text
from tests.importing.templates.link_targets import Targets


def resolve(content):
    return resolve_components(content, "markdown", Targets())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('import A from "./a"\nimport {\n  B,\n} from \'b\';\nimport "./x.css" // y\n\nText', "Text"),
        ("export const a = {\n  b: 1,\n}\n\nText", "Text"),
        ("a{/* b */}c", "ac"),
        ("```\nimport a from 'b'\n{/* c */}\n```", "```\nimport a from 'b'\n{/* c */}\n```"),
    ],
)  # fmt: skip
def test_javascript_and_comments_are_removed(written, expected):
    assert remove_code(written) == expected


def test_sentences_that_begin_like_javascript_stay():
    text = 'import taxes, he said,\nexport goods and\nimport "a" to b'
    assert remove_code(f"{text}\n\nimport 'c'\n") == f"{text}\n\n\n"


@pytest.mark.parametrize(
    ("written", "expected", "names"),
    [
        ('<Note type="a">\n  Words **b**\n</Note>', "\n  Words **b**\n", {"<Note>": 1}),
        ('<Tabs items={["a","b"]}><Tab>a</Tab><Tab>b</Tab></Tabs>', "a b ", {"<Tabs>": 1, "<Tab>": 2}),
        ("A <Term a={() => { return <b>{c}</b> }}>word</Term>.", "A word.", {"<Term>": 1}),
        ("<>a</>", "a", {}),
        ('<Tab value="a" label="A b">\n```\nc\n```\n</Tab>', "**A b**\n\n\n```\nc\n```\n", {"<Tab>": 1}),
        ('A <Tip title="b">word</Tip>', "A word", {"<Tip>": 1}),
        ("<Tabs.Item\n  a='>'\n/>b", "b", {"<Tabs.Item>": 1}),
        ('<Image src="/a.png" alt="A" />', "![A](/a.png)", {}),
        ('<Image src="/a.png" alt="A">b</Image>', "![A](/a.png)b", {}),
        ('<Image src={img} alt="A" />', "", {"<Image>": 1}),
        ("<img src={img} alt='A' />", "", {"<img>": 1}),
        ('<img src={require("./a.png").default} width={30} />', '<img src="./a.png" width="30" />', {}),
        ('<img src="/a.png" style={{ width: 50 }} alt="x {y}" />', '<img src="/a.png"  alt="x {y}" />', {}),
        ('<div onClick={() => go(">")} {...a}>b</div>', "<div  >b</div>", {}),
        ('<Link to="/a">b</Link> <Link href={"/c"}>d</Link>', '<a href="/a">b</a> <a href="/c">d</a>', {}),
        ("a < b and c > d, <https://a.example>", "a < b and c > d, <https://a.example>", {}),
        # The draft shows which part the former blog hid.
        ("<MembersOnly>a</MembersOnly>", "<MembersOnly>a</MembersOnly>", {}),
        ("<A/>`<A>` <code><A></code>\n```\n<A>\n```", "`<A>` <code><A></code>\n```\n<A>\n```", {"<A>": 1}),
    ],
)  # fmt: skip
def test_the_text_of_components_is_markdown(written, expected, names):
    resolved = resolve(written)
    assert (resolved.content, dict(resolved.unresolved)) == (expected, names)


def test_video_components_are_players():
    assert resolve('<YouTube id="abcdefgh" />').content.startswith(
        '<iframe src="https://www.youtube-nocookie'
    )


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_indented_text_in_components_is_no_code(indent):
    text = [
        "<Tabs>",
        "<Tab>",
        "A **b**",
        "",
        "```",
        "  <c>",
        "```",
        "",
        "- d",
        "</Tab>",
        "<Tab>",
        "E",
        "</Tab>",
        "</Tabs>",
    ]
    levels = [0, 1, *[2] * 7, 1, 1, 2, 1, 0]
    written = "\n".join(
        f"{indent * level}{line}" if line else "" for line, level in zip(text, levels, strict=True)
    )
    html = render_text(resolve(f"{written}\n\nEnd").content, "markdown").html
    assert "<p>A <strong>b</strong></p>" in html
    assert html.count("<pre>") == 1 and "<pre><code>  &lt;c&gt;\n</code></pre>" in html
    assert "<p>End</p>" in html


def test_a_component_in_a_list_stays_in_it():
    written = "1. a\n\n   <Note>\n     b\n   </Note>\n\n   c\n2. d"
    html = render_text(resolve(written).content, "markdown").html
    assert html.rstrip().endswith("</ol>") and "<pre>" not in html


MARKS = st.sampled_from(
    [
        "<A",
        "</A>",
        "<a ",
        ">",
        "/>",
        "{",
        "}",
        '"',
        "b={",
        "```",
        "`",
        "\n",
        "    ",
        "{/*",
        "*/}",
        "import ",
        "<",
    ]
)


@settings(max_examples=60)
@given(st.lists(MARKS | st.text(max_size=4), max_size=30).map("".join))
def test_any_text_is_resolved_without_an_error(content):
    assert isinstance(resolve(remove_code(content)).content, str)


@pytest.mark.parametrize(
    "repeated",
    ["<A ", "<A>\n", "<A {", '<A "', "<A a={", "{/*", "import {", "\nimport a ", "\nexport {\n", "<a {}"],
)
def test_a_long_repetition_takes_linear_time(repeated):
    # A search that takes quadratic time would not end within the time limit of the test run.
    assert isinstance(resolve(remove_code(repeated * (60_000 // len(repeated)))).content, str)
