"""Files of other blogs are read into records."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from blogapi.importing.format_api.article_record import AuthorRecord
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.markdown import reader
from blogapi.importing.refusals import NotAnArticle, RefusedFile

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(front="", body="Text", key="blog/post.md"):
    """Return the record of a file with YAML front matter; title and date have defaults."""
    defaults = {"title": "title: Hello", "date": "date: 2020-01-02"}
    lines = [line for name, line in defaults.items() if not re.search(f"(?mi)^{name}:", front)]
    return read_file("\n".join(["---", *lines, front, "---", body]), key)


def read_file(text, key="blog/post.md"):
    data = text if isinstance(text, bytes) else text.encode()
    return reader.parse_article(key, data, ImportOptions(now=NOW))


def test_all_fields_of_a_file_are_read():
    record = read(
        "subtitle: Two\nslug: three\ncategory: Four\ntags: [five, Six]\nauthor: Seven\ncover: /8.png\n"
        "seo: {title: Nine}\ndescription: Ten\ncanonical_url: https://example.org/11",
    )
    assert (record.key, record.title, record.subtitle, record.slug) == (
        "blog/post.md",
        "Hello",
        "Two",
        "three",
    )
    assert (record.category, record.tags) == ("Four", ("five", "Six"))
    assert record.authors == (AuthorRecord(name="Seven"),)
    assert (record.cover_image, record.canonical_url) == ("/8.png", "https://example.org/11")
    assert (record.seo_title, record.seo_description) == ("Nine", "Ten")
    assert (record.status, record.published_at) == ("published", datetime(2020, 1, 2, tzinfo=UTC))
    assert (record.content, record.content_type, record.notes) == ("Text", "markdown", ())


# Which files are articles


@pytest.mark.parametrize("suffix", ["md", "MD", "markdown", "mkd", "mkdn", "mdown", "Rmd", "text"])
def test_all_markdown_suffixes_are_accepted(suffix):
    assert read(key=f"blog/a.{suffix}").content_type == "markdown"


def test_text_and_html_files_are_articles():
    assert read_file("# no heading", "a/b.txt").title == "B"
    for suffix in ("html", "HTML", "htm", "Htm"):
        assert read(key=f"a/b.{suffix}").content_type == "html"


@pytest.mark.parametrize(
    ("key", "text", "reason"),
    [
        ("blog/a.yml", "title: A", "“a.yml” is not a Markdown"),
        ("blog/md", "Text", "“md” is not a Markdown"),
        ("blog/_index.md", "Text", "section page"),
        ("blog/_index.fr.md", "Text", "section page"),
        ("blog/a.html", "<p>Text", "HTML page without a head"),
        ("blog/index.md", "---\nheadless: true\n---\n", "headless bundle"),
        ("blog/index.html", "---\nlayout: home\n---\n", "only lists articles"),
        ("blog/search.md", "---\ntitle: Search\nlayout: search\n---\n", "only lists articles"),
        ("blog/a.excalidraw.md", "Text", "Excalidraw"),
        ("blog/README.rst", "Title\n=====", "repository file"),
        ("blog/a.ipynb", "{}", "Jupyter notebook, which is not read; convert it"),
        ("blog/a.docx", "", "office program"),
    ],
)
def test_a_file_that_is_not_an_article_is_skipped_with_the_reason(key, text, reason):
    with pytest.raises(NotAnArticle, match=reason):
        read_file(text, key)


# Titles and slugs


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("title: 2013", "2013"),
        ("title: 3.10", "3.10"),
        ("title: yes", "yes"),
        ("title: Not published!", "Not published!"),
        ("title: '  a \n\n  b '", "a b"),
        ('title: "a\\tb\\0\\uD800"', "a b"),
        ("Title: Upper", "Upper"),
        ("title:\nTITLE: Second", "Second"),
    ],
)
def test_a_title_is_kept_as_written_on_one_line(front, title):
    assert read(front).title == title


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# One `two` #", "One two"),
        ("Text\n\n# [One](x) **two** {#id}", "One two"),
        ("One\n===\nText", "One"),
        ("```\n# code\n```\n## Two\n# One", "One"),
        ("# {{ page.title }}", "My first post"),
        ("#hashtag", "My first post"),
        ("===\nText", "My first post"),
    ],
)
def test_without_a_title_the_heading_or_the_file_name_is_used(body, title):
    record = read_file(body, "blog/2020-01-02-my-first_post.md")
    assert (record.title, record.content) == (title, body)
    assert "title" in record.notes[0]


@pytest.mark.parametrize(
    ("key", "front", "slug"),
    [
        ("blog/2020-01-02-my-post.md", "", "my-post"),
        ("blog/my-post/index.md", "", "my-post"),
        ("blog/2020-01-02-my-post/index.md", "", "my-post"),
        ("blog/my-post/index.fr.md", "", "my-post.fr"),
        ("blog/post.fr.md", "", "post.fr"),
        ("index.md", "", ""),
        ("blog/my-post/2020-01-02-index.md", "", "my-post"),
        ("posts/2020-01-02-index.md", "", ""),
        ("blog/posts/2020/2020-01-02-index.md", "", ""),
        ("blog/2020-01-02/index.md", "", ""),
        ("site/Posts/index.fr.md", "", ""),
        ("blog/2020-01-02.md", "", "2020-01-02"),
        ("blog/-.md", "slug: ''", "-"),
        ("blog/ .md", "", "untitled"),
        ("blog/a.md", "slug: A b", "A b"),
        ("blog/a.md", "slug: ../../etc/passwd", "passwd"),
        ("blog/a.md", "permalink: /2020/b.html", "b"),
        ("blog/a.md", "permalink: /2020/b/index.html", "b"),
        ("blog/a.md", "permalink: /%2e%2e/%2e%2e/b.html", "b"),
        ("blog/a.md", "permalink: /:year/:title/", "a"),
        ("blog/a.md", "permalink: pretty", "a"),
        ("blog/a.md", "permalink: '/{{ slug }}/'", "a"),
        ("blog/a.md", "url: https://example.org/b/?c=d#e", "b"),
        ("blog/a.md", "url: http://[", "a"),
        ("blog/a.md", "url: ..\\..\\b", "b"),
        ("blog/a.md", "path: 2020/01/02/Rust-1.2.0", "Rust-1.2.0"),
        ("blog/a.md", "basename: b", "b"),
    ],
)
def test_the_slug_is_the_last_segment_of_an_address_or_the_file_name(key, front, slug):
    assert read(front, key=key).slug == slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Title: What's new in 1.2?\nDate: 2020-01-02\n\nText", "whats-new-in-12"),
        ("Title: Rye — bread\nDate: 2020-01-02\n\nText", "rye-bread"),
        ("Title: Äpfel\nSlug: pears\n\nText", "pears"),
        ("Title: !\n\nText", ""),
    ],
)
def test_a_pelican_file_without_a_slug_gets_a_slug_from_its_title(text, slug):
    assert read_file(text, "blog/issue-7.md").slug == slug


@pytest.mark.parametrize(
    ("front", "slugs", "paths"),
    [
        ("aliases: [/2019/old/, older.html]", (), ("/2019/old/", "/older.html")),
        ("aliases: /old/index.html", (), ("/old/index.html",)),
        ("redirect_from: [/old/, /old/]", (), ("/old/",)),
        ("redirectFrom:\n  - https://example.org/old?x=y", (), ("/old",)),
        ("alias: old/", (), ("/old/",)),
        ("alias: old", ("old",), ()),
        ("aliases: [Old Name, post]", (), ()),
        ("aliases: [/%E6%9D%B1/]", (), ("/%E6%9D%B1/",)),
        ("aliases: [/Old_Post/]", (), ("/Old_Post/",)),
        ("slug: new\npermalink: /2020/old/", (), ("/2020/old/",)),
        ("slug: new\nurl: /2020/new/", (), ("/2020/new/",)),
        ("slug: new\nbasename: old", ("old",), ()),
        ("slug: new\npermalink: /:year/:title/", (), ()),
        ("permalink: /2020/My_Post/", (), ("/2020/My_Post/",)),
        ("permalink: /2020/a/\naliases: [/2009/a/]", (), ("/2020/a/", "/2009/a/")),
    ],
)
def test_former_addresses_are_kept_as_a_whole(front, slugs, paths):
    record = read(front)
    assert (record.former_slugs, record.former_paths, record.notes) == (slugs, paths, ())


@pytest.mark.parametrize("address", ["/", "/?p=12", "/:title/"])
def test_a_former_address_without_a_path_is_reported(address):
    record = read(f"aliases: [/old/, '{address}']")
    assert record.former_paths[0] == "/old/"
    assert record.notes[0].startswith(f"There is no redirect from “{address}”, because")


def test_at_most_a_hundred_former_addresses_are_stored():
    record = read(f"aliases: [{', '.join(f'/a{number}' for number in range(102))}]")
    assert len(record.former_paths) == 100
    assert "“/a100” and 1 more" in record.notes[0]


# Titles with markup


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Tom &amp; <em>Jerry</em>", "Tom & Jerry"),
        ("<B class='x'>One <i>two</i></B> three", "One two three"),
        ("One<br/>two", "One two"),
        ("&#8220;Rye&#x201d; &eacute;", "“Rye” é"),
        ("a < b", "a < b"),
        ("The <div> element", "The <div> element"),
        ("Why <b> and <i> differ", "Why <b> and <i> differ"),
        ("Option&lt;T&gt;", "Option<T>"),
        ("`&amp;` and `<b>x</b>`", "`&amp;` and `<b>x</b>`"),
        ("AT&T &copy x", "AT&T &copy x"),
        ("&lt;b&gt;x&lt;/b&gt;", "<b>x</b>"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_entities_and_tags_in_titles_are_decoded(written, title):
    record = read(f"title: {written!r}\nsubtitle: {written!r}\nseo_title: {written!r}")
    assert (record.title, record.subtitle, record.seo_title) == (title, title, title)


# Nikola


def test_an_article_with_a_metadata_file_is_refused(tmp_path):
    (tmp_path / "a.md").write_text(".. title: Mine\n.. slug: mine\n\nText", encoding="utf-8")
    (tmp_path / "a.meta").write_text(".. title: Bread\n.. status: private\n", encoding="utf-8")
    with pytest.raises(RefusedFile, match=r"in a `\.meta` file"):
        reader.read_article(Entry("blog/a.md", tmp_path / "a.md"), ImportOptions(now=NOW))


@pytest.mark.parametrize(
    ("suffix", "reason"),
    [
        ("adoc", "AsciiDoc.*asciidoctor"),
        ("asciidoc", "AsciiDoc"),
        ("asc", "AsciiDoc"),
        ("ADOC", "AsciiDoc"),
        ("Rst", "reStructuredText"),
        ("rst", "reStructuredText.*pandoc -f rst"),
        ("org", "Org.*pandoc -f org"),
        ("textile", "Textile.*pandoc"),
    ],
)
def test_other_formats_for_articles_are_refused_by_name(suffix, reason):
    with pytest.raises(RefusedFile, match=reason):
        read_file(".. title: Bread\n.. date: 2020-01-02\n\nText", f"a/b.{suffix}")


def test_a_signature_is_not_an_asciidoc_file(tmp_path):
    (tmp_path / "a.asc").write_bytes(b"-----BEGIN PGP SIGNATURE-----\n")
    with pytest.raises(NotAnArticle, match="OpenPGP"):
        reader.read_article(Entry("blog/a.asc", tmp_path / "a.asc"), ImportOptions(now=NOW))


def test_mdx_is_read_as_markdown_without_javascript():
    body = (
        "import {\n  a,\n} from 'b'\n\nexport const c = 1\n\n<Tabs><Tab>text</Tab></Tabs>{/* secret */}\n"
        "```js\nimport d from 'd'\n```\nThe import of it"
    )
    record = read(body=body, key="blog/a.mdx")
    assert record.content.strip() == (
        "<Tabs><Tab>text</Tab></Tabs>\n```js\nimport d from 'd'\n```\nThe import of it"
    )
    assert record.is_mdx and not read(body=body).is_mdx


@pytest.mark.parametrize(
    ("name", "configuration", "is_mdx"),
    [
        ("a.md", "docusaurus.config.js", True),
        ("a.md", "astro.config.mjs", False),
        ("a.mdx", "astro.config.mjs", True),
        ("a.html", "docusaurus.config.js", False),
    ],
)
def test_markdown_of_docusaurus_is_mdx(tmp_path, name, configuration, is_mdx):
    (tmp_path / configuration).write_text("export default {};", encoding="utf-8")
    (tmp_path / name).write_text("---\ntitle: A\n---\nimport b from 'c'\n\nText", encoding="utf-8")
    record = reader.read_article(Entry(f"blog/{name}", tmp_path / name), ImportOptions(now=NOW))
    assert (record.is_mdx, "import" in record.content) == (is_mdx, not is_mdx)


# Addresses, descriptions


@pytest.mark.parametrize("url", ["/a", "javascript:alert(1)", "https://"])
def test_an_unusable_canonical_url_is_ignored_with_a_note(url):
    record = read(f"canonical: {url}")
    assert record.canonical_url == ""
    assert "was ignored" in record.notes[0]


@pytest.mark.parametrize(
    ("front", "description"),
    [
        ("excerpt: <p>a <b>b</b></p> &amp; [c](d)", "a b & c"),
        ("summary: a\ndescription: b", "b"),
        ("description: Option<T> a < b", "Option<T> a < b"),
    ],
)
def test_descriptions_are_plain_text(front, description):
    assert read(front).seo_description == description


@pytest.mark.parametrize(
    ("front", "excerpt"),
    [
        ("description: a\nsummary: b\nexcerpt: c", "c"),
        ("description: a\nsummary: b", "b"),
        ("description: a\nsummary: ''", "a"),
        ("subtitle: a", ""),
        ('excerpt: "<p>a <b>b</b></p> &amp; [c](d)"', "a b & c"),
        ('summary: "**Bold**, _slanted_, ~~gone~~ and `a<b`"', "Bold, slanted, gone and a<b"),
        ('summary: "- 2 * 3 * 4 and snake_case \\\\*"', "- 2 * 3 * 4 and snake_case *"),
        ('description: "1984. *Option<T>* & a < b"', "1984. Option<T> & a < b"),
        ("summary: |\n  # a\n\n  *b*", "# a b"),
        ("summary: '*'", "*"),
    ],
)
def test_excerpts_are_plain_text(front, excerpt):
    assert read(front).excerpt == excerpt


# Notes


def test_a_file_with_only_front_matter_is_an_article_without_text():
    assert read(body="").content == ""


def test_template_tags_and_wiki_links_stay_for_the_second_phase():
    record = read(body="{% post_url a %} [[b]]")
    assert (record.content, record.has_templates, record.notes) == ("{% post_url a %} [[b]]", True, ())


@pytest.mark.parametrize(
    ("front", "addresses", "names"),
    [
        ("permalink: /a/b.html", ("/a/b.html",), ()),
        ("permalink: /:year/:title/", (), ()),
        ("permalink: pretty", (), ()),
        ("url: https://example.org/a/\naliases: [/c/, d]", ("/a/", "/c/"), ("d",)),
        ("path: a/b", ("/a/b",), ()),
        ("redirect_from: /2019/a.html?b#c", ("/2019/a.html",), ()),
        ("aliases: [My page, AI, my-page]", (), ("My page", "AI", "my-page")),
        ("slug: a", (), ()),
    ],
)
def test_former_addresses_and_names_are_read(front, addresses, names):
    record = read(front)
    assert (record.addresses, record.names, record.notes) == (addresses, names, ())


def test_a_note_names_the_ignored_fields():
    record = read("layout: post\nmenu: [/a]\nweight: 3\nempty:\nlinkTitle: Hello")
    assert record.notes == ("The fields menu, weight are left out.",)


def test_the_note_on_ignored_fields_names_at_most_ten_fields():
    record = read("\n".join(f"k{number}: v" for number in range(12)))
    assert record.notes[0].endswith("k9 and 2 more are left out.")


# Arbitrary input

KEYS = st.sampled_from(
    ["blog/a.md", "a/2020-01-01-b.html", "a/index.fr.md", "c.txt", ".md", "2020-99-99-.md", "a//.md"]
)
FENCES = st.sampled_from(["---\n", "+++\n", "title: a\n", '{"'])
SYNTAX = st.sampled_from([*"{}[]\t\n~", '"', "&a ", "*a", "- ", "-:", "!!int ", "? ", "|\n", "\\ud800"])
WORDS = st.sampled_from(["title: ", "date: ", "tags: ", "draft: ", "title = ", "date = ", "2020-02-30"])


def check_record_or_refusal(key, data):
    try:
        record = read_file(data, key)
    except (RefusedFile, NotAnArticle) as error:
        assert str(error).endswith(".")
        return
    assert record.title
    repr(record).encode()
    assert len({tag.casefold() for tag in record.tags}) == len(record.tags)


@settings(deadline=None)
@given(KEYS, st.binary())
def test_any_bytes_are_read_or_refused(key, data):
    check_record_or_refusal(key, data)


@settings(deadline=None)
@given(KEYS, FENCES, st.lists(FENCES | SYNTAX | WORDS | st.text(max_size=5)))
@example("a.md", "---\n", ["-: a\n"])
def test_any_front_matter_is_read_or_refused(key, start, parts):
    check_record_or_refusal(key, f"{start}{''.join(parts)}\n{start}".encode(errors="replace"))


@settings(deadline=None)
@given(st.text())
def test_any_key_is_read_or_refused(key):
    check_record_or_refusal(f"{key}.md", b"Text")


def test_the_aliases_of_a_note_are_its_names():
    record = reader.parse_article(
        "vault/a.md", b"---\naliases: Big Data, data\n---\nText", ImportOptions(now=NOW)
    )
    assert record.names == ("Big Data, data", "Big Data", "data")


def test_the_folder_of_the_pictures_is_read():
    record = reader.parse_article(
        "blog/a.md", b"---\nmedia_subpath: /img/a/\n---\nText", ImportOptions(now=NOW)
    )
    assert record.media_folder == "/img/a/"
