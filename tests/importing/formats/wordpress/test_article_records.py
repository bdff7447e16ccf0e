"""Items of WordPress become records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.article_record import AuthorRecord, TermRecord
from blogapi.importing.format_api.report import Result
from blogapi.importing.storing.custom_fields import CustomFieldFinder
from tests.importing.formats.wordpress.exports import (
    make_export,
    make_item,
    make_meta,
    make_term,
    open_export,
    read_export,
)

CATEGORIES = """
<wp:category><wp:term_id>1</wp:term_id><wp:category_nicename>uncategorized</wp:category_nicename>
  <wp:category_parent></wp:category_parent><wp:cat_name><![CDATA[Uncategorized]]></wp:cat_name></wp:category>
<wp:category><wp:term_id>2</wp:term_id><wp:category_nicename>soil</wp:category_nicename>
  <wp:category_parent>garden</wp:category_parent><wp:cat_name><![CDATA[Soil &amp; earth]]></wp:cat_name>
  <wp:category_description><![CDATA[All about <b>soil</b>]]></wp:category_description></wp:category>
<wp:category><wp:term_id>3</wp:term_id><wp:category_nicename>garden</wp:category_nicename>
  <wp:category_parent></wp:category_parent><wp:cat_name><![CDATA[Garden]]></wp:cat_name></wp:category>
<wp:tag><wp:term_id>4</wp:term_id><wp:tag_slug>worms</wp:tag_slug>
  <wp:tag_name><![CDATA[Worms]]></wp:tag_name></wp:tag>
"""
AUTHOR = """
<wp:author><wp:author_login>ada</wp:author_login><wp:author_email>ada@example.com</wp:author_email>
<wp:author_display_name><![CDATA[{}]]></wp:author_display_name>
<wp:author_first_name><![CDATA[Ada]]></wp:author_first_name>
<wp:author_last_name><![CDATA[Lovelace]]></wp:author_last_name>
</wp:author>"""
ATTACHMENT = make_item(
    make_meta(_wp_attachment_image_alt="A heap"),
    post_id="7",
    post_type="attachment",
    status="inherit",
    attachment_url="https://example.com/blog/wp-content/uploads/heap.jpg",
)


def read_one(tmp_path, *elements, **options):
    (record,) = read_export(tmp_path, make_export(*elements), **options)
    return record


def test_a_post_becomes_a_record(tmp_path):
    record = read_one(tmp_path, make_item())
    assert record.key == "wordpress:example.com%2Fblog:12"
    assert record.source == f"{tmp_path.name}/export-0.xml"
    assert record.path == tmp_path / "export-0.xml"
    assert (record.title, record.slug, record.content_type) == ("Compost", "compost", "html")
    assert "All about compost." in record.content
    assert (record.status, record.published_at) == ("published", datetime(2020, 5, 4, 10, tzinfo=UTC))
    assert record.addresses == ("/blog/2020/05/compost/", "/blog/?p=12")
    assert (record.former_slugs, record.notes) == ((), ())


@pytest.mark.parametrize(
    ("fields", "status", "note"),
    [
        ({"status": "publish"}, "published", ""),
        ({"status": "draft"}, "draft", ""),
        ({"status": "pending"}, "draft", "“pending”"),
        ({"status": "private"}, "draft", "“private”"),
        ({"status": "wc-custom"}, "draft", "“wc-custom”"),
        ({"status": ""}, "draft", "It has no status"),
        ({"post_password": "secret"}, "draft", "password"),
        ({"post_password": " "}, "draft", "password"),
        ({"post_password": "\n\t"}, "published", ""),
        ({"status": "future", "post_date_gmt": "2030-01-01 00:00:00"}, "published", ""),
        ({"status": "future", "post_date_gmt": "2020-01-01 00:00:00"}, "draft", "has passed"),
        ({"extra": make_meta(_jetpack_newsletter_access="subscribers")}, "draft", "members or subscribers"),
        ({"extra": make_meta(_jetpack_newsletter_access="everybody")}, "published", ""),
        ({"extra": make_meta(_llms_is_restricted="yes")}, "draft", "members or subscribers"),
        ({"extra": "<wp:status>private</wp:status>"}, "draft", "“private”"),
        ({"extra": "<wp:post_password>secret</wp:post_password>"}, "draft", "password"),
        (
            {"content": "a<!-- wp:premium-content/subscriber-view -->b"},
            "draft",
            "block “premium-content/subscriber-view”",
        ),
        ({"content": "a [restrict userlevel=x]b[/restrict]"}, "draft", "shortcode “restrict”"),
    ],
)
def test_nothing_is_published_that_was_not_public(tmp_path, fields, status, note):
    record = read_one(tmp_path, make_item(**fields))
    assert record.status == status
    assert note in " ".join(record.notes)
    assert "secret" not in " ".join(record.notes)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"status": "trash"}, "items in the trash"),
        ({"status": "auto-draft"}, "auto-drafts"),
        ({"post_type": "revision", "status": "inherit"}, "revisions"),
        ({"post_type": "nav_menu_item"}, "items of the type nav_menu_item"),
    ],
)
def test_what_is_no_article_is_left_behind_by_name(tmp_path, fields, name):
    source = open_export(tmp_path, make_export(make_item(**fields)))
    assert [*source.read()] == []
    assert source.left_behind == {name: 1}


@pytest.mark.parametrize(
    ("post_type", "options", "tags"),
    [("page", {}, ()), ("recipe", {"post_types": ("recipe",)}, ("recipe",))],
)
def test_chosen_types_get_a_tag(tmp_path, post_type, options, tags):
    assert read_one(tmp_path, make_item(post_type=post_type), **options).tags == tags


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # The other item of the blog tells the offset of two hours.
        ({"post_date_gmt": "0000-00-00 00:00:00"}, datetime(2020, 5, 4, 10, tzinfo=UTC)),
        (
            {"post_date_gmt": "", "post_date": "", "pub_date": "Mon, 04 May 2020 08:00:00 +0000"},
            datetime(2020, 5, 4, 8, tzinfo=UTC),
        ),
        ({"post_date_gmt": "", "post_date": "", "pub_date": "Mon, 30 Nov -0001 00:00:00 +0000"}, None),
        ({"post_date_gmt": "2020-13-45 99:00:00", "post_date": "0001-01-01 00:00:00"}, None),
    ],
)
def test_dates_that_are_missing_are_derived(tmp_path, fields, expected):
    record, _ = read_export(tmp_path, make_export(make_item(**fields), make_item(post_id="13")))
    assert record.published_at == expected


@pytest.mark.parametrize(
    ("terms", "metas", "category", "tags"),
    [
        ([make_term("Soil & earth", nicename="soil"), make_term("Garden")], {}, "Soil & earth", ("Garden",)),
        (
            [make_term("Soil & earth", nicename="soil"), make_term("Garden"), make_term("Worms", "post_tag")],
            {"_yoast_wpseo_primary_category": "3"},
            "Garden",
            ("Soil & earth", "Worms"),
        ),
        ([make_term("Uncategorized"), make_term("Garden")], {}, "Garden", ()),
        ([make_term("Uncategorized")], {}, "Uncategorized", ()),
        ([make_term("Worms", "post_tag"), make_term("worms", "post_tag")], {}, "", ("Worms",)),
        # WXR 1.0 names each term twice.
        (
            ["<category>Garden</category>", make_term("Garden"), '<category domain="tag">A</category>'],
            {},
            "Garden",
            ("A",),
        ),
        (["<category>Garden</category>", "<category>Soil</category>"], {}, "Garden", ("Soil",)),
        ([make_term("Tom &amp; Jerry", "post_tag", "tom%20x")], {}, "", ("Tom & Jerry",)),
    ],
)
def test_an_article_has_one_category(tmp_path, terms, metas, category, tags):
    record = read_one(tmp_path, CATEGORIES, make_item("".join(terms) + make_meta(**metas)))
    assert (record.category, record.tags) == (category, tags)


def test_terms_come_with_descriptions_and_their_parents(tmp_path):
    source = open_export(tmp_path, make_export(CATEGORIES, make_item(make_term("Aside", "post_format"))))
    assert len([*source.read()]) == 1
    described = {"description": "All about soil"}
    soil = TermRecord(kind="category", name="Soil & earth", fields=described, parent="Garden")
    assert soil in list(source.terms)
    assert TermRecord(kind="tag", name="Worms") in list(source.terms)
    assert source.left_behind == {"terms of the taxonomy post_format": 1}


@pytest.mark.parametrize(
    ("display_name", "item", "names"),
    [
        ("Countess Ada", {}, ["Countess Ada"]),
        ("", {}, ["Ada Lovelace"]),
        ("ada@example.com", {}, ["Ada Lovelace"]),
        ("Ada", {"creator": "bob@example.com"}, ["bob"]),
        (
            "Ada",
            {"extra": make_term("Bob", "author", "cap-bob") + make_term("ada", "author")},
            ["Bob", "Ada"],
        ),
    ],
)
def test_authors_have_their_public_names(tmp_path, display_name, item, names):
    record = read_one(tmp_path, AUTHOR.format(display_name), make_item(**item))
    assert record.authors == tuple(AuthorRecord(name=name) for name in names)


def test_the_biography_of_an_author_is_read(tmp_path):
    bio = "<wp:author_description>Writes.</wp:author_description></wp:author>"
    author = AUTHOR.format("Ada").replace("</wp:author>", bio)
    assert read_one(tmp_path, author, make_item()).authors == (AuthorRecord(name="Ada", bio="Writes."),)


@pytest.mark.parametrize(
    ("fields", "title", "slug"),
    [
        ({"title": "Tom &amp; <em>Jerry</em>"}, "Tom & Jerry", "compost"),
        ({"title": "", "content": "<p>Short text</p>"}, "Short text", "compost"),
        ({"title": "", "content": "", "post_name": "a-b"}, "A b", "a-b"),
        (
            {"title": "", "content": "<!--more-->\n\nAfter the fold", "status": "draft"},
            "After the fold",
            "compost",
        ),
        ({"title": "", "content": "<!--more-->", "post_name": "a-b", "status": "draft"}, "A b", "a-b"),
        (
            {"title": "", "content": "<style>p > a { color: red }</style><figure>Cat</figure>"},
            "Cat",
            "compost",
        ),
        ({"title": "日", "post_name": "%e6%97%a5"}, "日", "日"),
        ({"title": "<!--:fr-->Ciel<!--:--><!--:en-->Sky<!--:-->"}, "Sky", "compost"),
        ({"title": "[:fr]Ciel[:de]Himmel[:]"}, "Ciel", "compost"),
    ],
)
def test_titles_and_slugs_are_plain_text(tmp_path, fields, title, slug):
    record = read_one(tmp_path, make_item(**fields))
    assert (record.title, record.slug) == (title, slug)


@pytest.mark.parametrize(
    ("metas", "expected"),
    [
        (
            {"_yoast_wpseo_title": "Heaps %%sep%% %%sitename%%", "_yoast_wpseo_metadesc": "How &amp; why"},
            ("Heaps - Garden notes", "How & why", "", ""),
        ),
        ({"_yoast_wpseo_title": "%%title%% %%page%% %%sep%% %%sitename%%"}, ("", "", "", "")),
        ({"rank_math_title": "%title% for all"}, ("Compost for all", "", "", "")),
        ({"rank_math_title": "%currentyear% heaps"}, ("", "", "", "")),
        ({"_aioseo_title": "#post_title or not"}, ("Compost or not", "", "", "")),
        (
            {
                "_yoast_wpseo_canonical": "https://other.example/x",
                "_yoast_wpseo_opengraph-image": "https://example.com/a.png",
            },
            ("", "", "https://other.example/x", "https://example.com/a.png"),
        ),
        ({"_yoast_wpseo_canonical": "https://example.com/blog/2020/05/compost"}, ("", "", "", "")),
        ({"_yoast_wpseo_canonical": "javascript:alert(1)"}, ("", "", "", "")),
        ({"rank_math_description": "100% natural"}, ("", "100% natural", "", "")),
    ],
)
def test_seo_fields_of_plugins_are_read(tmp_path, metas, expected):
    record = read_one(tmp_path, make_item(make_meta(**metas)))
    found = (record.seo_title, record.seo_description, record.canonical_url, record.og_image)
    assert found == expected


def test_seo_texts_with_unknown_variables_are_reported(tmp_path):
    record = read_one(tmp_path, make_item(make_meta(rank_math_title="%currentyear% heaps")))
    assert record.notes == ("Its SEO text “%currentyear% heaps” has variables and was left out.",)


def test_the_cover_is_the_attachment_in_another_file(tmp_path):
    posts = make_export(make_item(make_meta(_thumbnail_id="7")))
    (record,) = read_export(tmp_path, posts, make_export(ATTACHMENT))
    assert record.cover_image == "https://example.com/blog/wp-content/uploads/heap.jpg"
    assert record.cover_alt == "A heap"


def test_a_cover_that_is_not_in_the_export_is_reported(tmp_path):
    record = read_one(tmp_path, make_item(make_meta(_thumbnail_id="7")))
    assert "the media file 7" in record.notes[0]


@pytest.mark.parametrize(
    ("fields", "former", "addresses"),
    [
        ({"link": "https://example.com/blog/old.html"}, (), ("/blog/old.html", "/blog/?p=12")),
        ({"link": "https://www.example.com/blog/compost/"}, (), ("/blog/compost/", "/blog/?p=12")),
        ({"link": "/blog/2020/compost"}, (), ("/blog/2020/compost", "/blog/?p=12")),
        ({"link": "https://other.example/compost/"}, (), ("/blog/?p=12",)),
        (
            {"link": "https://example.com/blog/?p=12", "guid": "http://example.com/blog/?p=3"},
            (),
            ("/blog/?p=12",),
        ),
        ({"post_type": "page", "link": ""}, (), ("/blog/?page_id=12",)),
        ({"extra": make_meta(_wp_old_slug="heap")}, ("heap",), ("/blog/2020/05/compost/", "/blog/?p=12")),
        ({"status": "draft", "extra": make_meta(_wp_old_slug="heap"), "link": ""}, (), ("/blog/?p=12",)),
    ],
)  # fmt: skip
def test_former_addresses_are_kept(tmp_path, fields, former, addresses):
    record = read_one(tmp_path, make_item(**fields))
    assert (record.former_slugs, record.addresses) == (former, addresses)
    assert record.former_paths == (() if fields.get("status") == "draft" else addresses)


def test_an_address_that_cannot_be_a_slug_is_reported(tmp_path):
    record = read_one(tmp_path, make_item(make_meta(_wp_old_slug="My_Post")))
    assert record.former_slugs == ()
    assert "“My_Post”" in record.notes[0]


def test_other_terms_and_authors_without_posts_are_counted(tmp_path):
    term = "<wp:term><wp:term_taxonomy>nav_menu</wp:term_taxonomy><wp:term_name>Top</wp:term_name></wp:term>"
    authors = "".join(f"<wp:author><wp:author_login>{name}</wp:author_login></wp:author>" for name in "ab")
    source = open_export(tmp_path, make_export(term, authors, make_item(creator="a")))
    assert len([*source.read()]) == 1
    assert source.left_behind == {
        "definitions of terms of the taxonomy nav_menu": 1, "authors without posts": 1
    }  # fmt: skip


def test_comments_are_counted(tmp_path):
    comments = "".join(
        f"""<wp:comment><wp:comment_author><![CDATA[Bob]]></wp:comment_author>
        <wp:comment_approved>{approved}</wp:comment_approved>
        <wp:comment_type>{type_}</wp:comment_type>
        <wp:comment_content><![CDATA[Nice!]]></wp:comment_content></wp:comment>"""
        for approved, type_ in [("1", ""), ("0", "comment"), ("spam", ""), ("trash", ""), ("1", "pingback")]
    )
    source = open_export(tmp_path, make_export(make_item(comments)))
    assert len([*source.read()]) == 1
    assert source.left_behind == {
        "comments": 2, "spam comments": 1, "comments in the trash": 1, "pingbacks and trackbacks": 1
    }  # fmt: skip


def test_custom_fields_can_become_custom_fields_unless_they_are_arrays_of_a_plugin(tmp_path):
    metas = make_meta(mood="happy", _edit_last="1", footnotes="[]", rank_math_title="T", sizes="a:0:{}")
    metas += make_meta(mood="calm", empty=" ")
    source = open_export(tmp_path, make_export(make_item(metas)), custom_fields=CustomFieldFinder(()))
    (record,) = source.read()
    assert record.other_fields == {"mood": ["happy", "calm"]}
    assert source.left_behind == {"custom fields sizes": 1}


@pytest.mark.parametrize(
    ("metas", "robots"),
    [
        ({}, ""),
        ({"_yoast_wpseo_meta-robots-noindex": "1"}, "noindex"),
        ({"_yoast_wpseo_meta-robots-noindex": "2", "_yoast_wpseo_meta-robots-nofollow": "1"}, ""),
        ({"_seopress_robots_index": "yes", "_seopress_robots_follow": "yes"}, "noindex, nofollow"),
        ({"rank_math_robots": 'a:2:{i:0;s:7:"noindex";i:1;s:8:"nofollow";}'}, "noindex, nofollow"),
    ],
)
def test_sticky_posts_are_featured_and_plugins_hide_pages_from_search_engines(tmp_path, metas, robots):
    source = open_export(tmp_path, make_export(make_item(make_meta(**metas), is_sticky="1")))
    (record,) = source.read()
    assert (record.featured, record.robots, source.left_behind) == (True, robots, {})


def test_an_item_that_is_too_long_is_refused_and_the_others_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("blogapi.importing.texts.xml_elements.MAX_ITEM_SIZE", 5_000)
    refused, record = read_export(
        tmp_path, make_export(make_item(content="x" * 6_000, post_id="11"), make_item())
    )
    assert (refused.result, refused.title) == (Result.REFUSED, "Compost")
    assert record.key.endswith(":12")


@pytest.mark.parametrize("name", ["blog/2020/05/my-post.html", "my-post.html", "2020/05/my-post"])
def test_a_name_that_is_a_path_gives_a_slug(tmp_path, name):
    record = read_one(tmp_path, make_item(link="/journal/2020/my-post", post_name=name))
    assert (record.slug, record.former_slugs) == ("my-post", ())
    assert record.addresses == ("/journal/2020/my-post", "/blog/?p=12")


@pytest.mark.parametrize(("status", "html"), [("publish", "<p>Both</p>"), ("draft", "")])
def test_a_synced_pattern_is_part_of_the_text(tmp_path, status, html):
    pattern = make_item(post_id="30", post_type="wp_block", status=status, content="<p>Both</p>")
    record = read_one(tmp_path, make_item(content='<!-- wp:block {"ref":30} /-->'), pattern)
    assert record.content == html


def test_each_language_of_a_post_becomes_an_article(tmp_path):
    item = make_item(
        title="[:en]Sky[:de]Himmel[:fr]Ciel[:]",
        content="[:de]Blau[:en]Blue[:xx]?[:]",
        extra=make_term("[:en]Air[:de]Luft[:]", nicename="air"),
    )
    first, second = read_export(tmp_path, make_export(item))
    assert first.key == "wordpress:example.com%2Fblog:12" == first.translation_key == second.translation_key
    assert second.key == f"{first.key}:de"
    fields = ("language", "title", "slug", "content", "category")
    assert [tuple(getattr(one, name) for name in fields) for one in (first, second)] == [
        ("en", "Sky", "compost", "<p>Blue</p>", "Air"),
        ("de", "Himmel", "compost-de", "<p>Blau</p>", "Air"),
    ]
    assert second.former_paths == ("/blog/de/2020/05/compost/",)
    assert "Its text in other languages (xx, fr) was left out." in first.notes


def test_a_post_in_one_language_has_no_translation(tmp_path):
    (record,) = read_export(tmp_path, make_export(make_item(content="[:de]Blau[:]")))
    assert (record.language, record.translation_key, record.slug) == ("", "", "compost")
