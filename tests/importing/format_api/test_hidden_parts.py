"""The parts of a text that its former blog hid, in each form of text."""

from __future__ import annotations

from datetime import UTC, datetime
from time import process_time
from uuid import UUID

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.hidden_parts import apply_hiding_signs
from blogapi.importing.format_api.privacy_signs import (
    HARMLESS_TAGS,
    HIDING_ATTRIBUTES,
    TEXT_MARKS,
    list_names,
)

# How each kind of mark is written, and uses that hide nothing: other names, code, and other kinds.
FORMS = {
    "comment": ("<!--{}-->", "<!-- {} : start -->"),
    "element": ("<{0}>x</{0}>", "<{} plan='a' />"),
    "container": (":::{}\nx\n:::", "> ::: {}\n"),
    "tag": ("{{{{< {} >}}}}x", "{{% {} %}}x", "{{{{%{} a=1 %}}}}"),
    "pair": (
        "{{{{< {0} >}}}}x{{{{< /{0} >}}}}",
        "{{% {0} %}}x{{% end{0} %}}",
        "{{{{%{0} a=1 %}}}}x{{{{% / {0} %}}}}",
    ),
}
HARMLESS = {
    "comment": ("<!-- no {} -->", "`<!--{}-->`", "<!-- {} is the topic -->", "```\n<!--{}-->\n```"),
    "element": ("`<{}>`", "<{}-logo>x", "the {} element", "\\<{}>"),
    "container": ("a:::{}", "::{}", ":::note {}", ":::{}hip", "```\n:::{}\n```"),
    "tag": ("`{{{{< {} >}}}}`", "{{{{ site.{} }}}}", "    {{{{< {} >}}}}", "{{{{< figure {} >}}}}"),
}
# A tag whose name may contain other words hides nothing without an end tag.
HARMLESS["pair"] = (*HARMLESS["tag"], *FORMS["tag"], "{{{{< {0}-strength >}}}}{{{{< /other >}}}}")
NAMES = [
    ("pair" if "*" in name else kind, name.replace("*", ""))
    for kind, sources in TEXT_MARKS.items()
    for name in list_names(sources)
]
HIDING = {
    "hidden": ("hidden", 'hidden=""', "HIDDEN='x'", 'class="a"hidden'),
    "style": (
        *('style="display:none"', "style='color:red; DISPLAY : None !important;'", "style=display:none"),
        *('style="display:block;display:none"', "style={{display: 'none'}}", 'style="display&#58;none"'),
        *('style="display:/**/none"', 'title="a<b" style="display:none"', "style='visibility: hidden'"),
    ),
    "": (
        *('style="position:absolute;left:-9999px"', "style='TEXT-INDENT: -999px'", "style='top:-1000em'"),
        'class="x" style="right:-9999px"',
    ),
}
SHOWN = {
    "hidden": (
        "hidden='until-found'",
        "class='hidden'",
        "aria-hidden='true'",
        "data-hidden",
        "hidden={false}",
    ),
    "style": (
        *("style='display:inline'", "style='x-display:none'", "style='display:none-x'"),
        *("style='visibility:visible'", "data-style='display:none'", "style='-display: none'"),
    ),
    "": (
        *("style='left:-999em' class='sr-only'", "style='left:-99px'", "style='margin-left:-1000px'"),
        *("class='dialog'", "title='<template>'", "style='left:1000px'"),
    ),
}


def hide(content, content_type="markdown", **fields):
    fields = {"status": "published", "has_templates": True, **fields}
    record = ArticleRecord(
        key="a", title="A", content=content, content_type=content_type, published_at=None, **fields
    )
    return apply_hiding_signs(record)


def test_each_row_has_examples():
    assert {*TEXT_MARKS, "pair"} == set(FORMS) == set(HARMLESS)
    assert set(HIDING_ATTRIBUTES) == set(HIDING) == set(SHOWN)


@pytest.mark.parametrize(("kind", "name"), NAMES)
def test_a_text_with_a_mark_becomes_a_draft(kind, name):
    for form in FORMS[kind]:
        spelled = (name.upper(), name.title(), *(name.replace("-", between) for between in ("", "_", " ")))
        for written in (name, *spelled[: 5 if kind in ("comment", "container") else 4]):
            content = f"Before\n\n{form.format(written)}\n\nafter"
            record = hide(content)
            assert (record.status, record.content) == ("draft", content)
            assert record.notes[0].startswith(f"The {kind.replace('pair', 'tag')} “{written}")
            assert record.notes[0].endswith("” hides a part of its text; the article became a draft.")


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, name in NAMES if (kind, name[-5:]) != ("pair", "-only")]
)
def test_a_harmless_use_of_the_word_of_a_mark_stays_public(kind, name):
    for form in HARMLESS[kind]:
        record = hide(f"Before\n\n{form.format(name)}\n\nafter")
        assert (record.status, record.notes) == ("published", ()), form


@pytest.mark.parametrize(
    "name", [*HARMLESS_TAGS, "team-members", "members-list", "member", "paid-ad", "protectedfont"]
)
def test_a_tag_that_hides_nothing_stays_public(name):
    assert hide(f"{{% {name} a %}} {{{{< {name} >}}}}").status == "published"


@pytest.mark.parametrize("name", ["encrypt", "hugo-encryptor", "encrypt_text", "password-box"])
def test_a_tag_whose_name_contains_the_word_makes_a_draft(name):
    assert hide(f"{{% {name} a %}}x{{% end{name} %}}").status == "draft"


def test_marks_count_where_they_are_read():
    assert hide("{{< members >}}", has_templates=False).status == "published"
    assert hide(":::members", "html").status == "published"
    assert hide("<!--members-only-->", "text").status == "published"
    assert hide("<p>a</p><!--members-only-->", "html").status == "draft"
    assert hide("<!--members-only-->", status="unlisted").status == "draft"
    assert hide("<!--members-only-->", status="archived").notes == ()
    assert not hide("{{< members >}}", is_undated=True).is_undated


@pytest.mark.parametrize("written", [form for forms in HIDING.values() for form in forms])
@pytest.mark.parametrize("content_type", ["markdown", "html"])
def test_an_element_that_browsers_did_not_show_is_left_out(content_type, written):
    record = hide(f"<p>a</p><div {written}>secret <div>x</div></div><p>b</p>", content_type)
    assert (record.content, record.status) == ("<p>a</p><p>b</p>", "published")
    note = "The import left out 1 part of the text that browsers did not show (`hidden`, `display: none`)."
    assert record.notes == (note,)


@pytest.mark.parametrize("written", [form for forms in SHOWN.values() for form in forms])
def test_an_element_that_browsers_showed_stays(written):
    content = f"a <div {written}>b</div> hidden, display"
    for content_type in ("markdown", "html"):
        record = hide(content, content_type)
        assert (record.content, record.notes) == (content, ())


@pytest.mark.parametrize(
    "content",
    [
        "`<div hidden>`",
        "```html\n<div hidden>x</div>\n```",
        "a\n\n    <div hidden>x</div>\n",
        "a\n\n    <div hidden>x",
        "<https://x.example/hidden x hidden> b",
        "\\<div hidden>x</div>",
        "{{<figure hidden>}} a",
        "1 <b and\n\n2 < hidden",
    ],
)
def test_code_and_text_in_markdown_stay(content):
    record = hide(content)
    assert (record.content, record.notes) == (content, ())


@pytest.mark.parametrize("start", ["`code`", "``a ` b``", "$$a + b$$", "````a````", "\\\\\\\\"])
def test_a_line_that_begins_with_code_is_not_code(start):
    record = hide(f"Before\n\n{start} <span hidden>secret</span> b")
    assert (record.content, len(record.notes)) == (f"Before\n\n{start}  b", 1)
    assert hide(f"{start} <Paywall>secret</Paywall>").status == "draft"


def test_markdown_in_hidden_elements_is_left_out_and_all_else_stays():
    hidden = "<div hidden>\n\n- x\n\n```\n</div>\n```\n\n</div>"
    content = f"a  \n\n{hidden}\n\n1 < 2 <b\n<pre style='display:none'>x</pre>\n"
    assert hide(content).content == "a  \n\n\n\n1 < 2 <b\n\n"


def test_tags_in_elements_for_code_are_elements():
    assert hide("<pre><code>a<div hidden>x</div></code></pre>").content == "<pre><code>a</code></pre>"
    assert hide("<pre><Paywall></pre>").status == "draft"


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        *((f"a<{name} hidden>secret</b>\n<p>rest", "html") for name in ("div", "section", "span")),
        ("a<div hidden/>b", "html"),
        ("a\n\n<p hidden>secret\n\nrest", "markdown"),
        ("a\n\n<p hidden>secret\n\nrest\n\n<p>b</p>", "markdown"),
    ],
)
def test_an_element_without_a_clear_end_makes_a_draft_and_stays(content, content_type):
    record = hide(content, content_type)
    note = "It is unclear where a hidden element of its text ends; the article became a draft."
    assert (record.status, record.content, record.notes) == ("draft", content, (note,))
    assert hide(content, content_type, status="archived").content == content


@pytest.mark.parametrize("content_type", ["markdown", "html"])
def test_an_element_whose_end_tag_may_be_omitted_ends_before_the_rest(content_type):
    record = hide("<ul><li>a<li hidden>secret</ul>\n\n<article><p hidden>b</article>c", content_type)
    assert (record.content, record.status) == ("<ul><li>a</ul>\n\n<article></article>c", "published")
    assert record.left_out == ("<li hidden>secret", "<p hidden>b")


def test_plain_text_stays():
    assert hide("<div hidden>x</div>", "text").content == "<div hidden>x</div>"


def test_what_only_members_of_ghost_saw_is_left_out():
    gate = '<!--kg-gated-block:begin nonMember:%s memberSegment:"" -->x<!--kg-gated-block:end-->'
    content = (
        f"a{gate % 'false'}b{gate % 'true'}`{gate % 'false'}`<!--kg-gated-block:begin nonMember:false -->c"
    )
    record = hide(content)
    assert record.content == f"ab{gate % 'true'}`{gate % 'false'}`"
    assert record.notes == ("The import left out 2 parts of the text that only members could read.",)


def test_an_export_of_blogapi_stays_as_it_is(monkeypatch):
    assert hide("<div hidden>x</div><!--members-only-->", uuid=UUID(int=1)).status == "published"


@pytest.mark.parametrize(
    "repeated",
    [
        *("<!--kg-gated-block:begin ", "<!--kg-gated-block:begin nonMember:false-->", "<div hidden>", "<!--"),
        *("`", "<pre>", "<div hidden ", "{% ", ":::", "style=display:", "<a style='display:display:/*'>"),
    ],
)
@pytest.mark.parametrize("content_type", ["markdown", "html"])
def test_hostile_text_takes_linear_time(content_type, repeated):
    def measure(length):
        start = process_time()
        hide("<p hidden>" + repeated * (length // len(repeated)), content_type)
        return process_time() - start

    measure(1_000)
    limit = 12 * measure(20_000) + 0.1
    # A collection of garbage can only make a measurement longer.
    assert any(measure(80_000) < limit for _ in range(3))


def test_every_format_gives_its_records_to_the_one_place(app):
    from blogapi.importing.pipeline import run

    record = ArticleRecord(
        key="a",
        title="A",
        content="<p hidden>x</p>a\0<!--paywall-->",
        content_type="html",
        status="published",
        published_at=datetime(2020, 1, 1, tzinfo=UTC),
    )
    with app.app_context():
        prepared = run.clean_record(record)
    assert (prepared.content, prepared.status, len(prepared.notes)) == ("a<!--paywall-->", "draft", 3)
