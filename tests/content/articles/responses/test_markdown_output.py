"""Articles and pages as Markdown with front matter."""

from __future__ import annotations

import pytest
import yaml

from tests.contracts.client import outcome
from tests.pictures import make_picture

ARTICLES, PAGES, MEDIA = (f"/api/v1/blog/{name}/" for name in ("articles", "pages", "media"))
MARKDOWN = {"Accept": "text/markdown"}


def parse(response):
    """Return the front matter and the text."""
    assert (response.status_code, response.content_type) == (200, "text/markdown; charset=utf-8")
    _, front_matter, text = response.text.split("---\n", 2)
    return yaml.safe_load(front_matter), text


@pytest.mark.parametrize(
    ("accept", "mimetype"),
    [
        ("text/markdown", "text/markdown"),
        ("text/markdown, text/html, */*", "text/markdown"),
        ("text/markdown;q=0.9, application/json;q=0.9", "text/markdown"),
        ("text/markdown;q=0.5, application/json", "application/json"),
        ("text/markdown;q=0", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        ("*/*", "application/json"),
        ("text/*", "application/json"),
        ("", "application/json"),
    ],
)
def test_only_who_names_markdown_gets_it(as_reader, make_article, accept, mimetype):
    path = f"{ARTICLES}{make_article().uuid}/"
    for _ in range(2):
        # The second response comes from the cache.
        assert as_reader.get(path, headers={"Accept": accept}).mimetype == mimetype
        assert as_reader.get(path).mimetype == "application/json"


def test_the_front_matter_has_the_names_of_an_export(as_login, as_reader, make_article, make_tag):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    article = make_article(
        title='Rye: "dark"', subtitle="A bread", content="# Rye\n", content_type="markdown", slug="rye",
        tags=(make_tag("Dark"),), language="de", translation_key="rye",
    )  # fmt: skip
    fields, text = parse(as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN))
    assert text == "# Rye\n"
    assert fields.pop("lastmod")
    fields.pop("excerpt", "")
    assert fields == {
        "title": 'Rye: "dark"',
        "subtitle": "A bread",
        "slug": "rye",
        "url": "https://blog.example/rye/",
        "date": "2026-01-01T00:00:00.000000+00:00",
        "language": "de",
        "translation_key": "rye",
        "categories": ["Shelf"],
        "tags": ["Dark"],
        "authors": ["ada"],
    }


@pytest.mark.parametrize(
    ("content_type", "text"), [("html", "<p>A &lt;b&gt;</p>"), ("text", "article:x <b>")]
)
def test_other_types_say_so_and_keep_their_text(as_reader, make_article, content_type, text):
    article = make_article(content=text, content_type=content_type)
    fields, body = parse(as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN))
    assert (fields["content_type"], body) == (content_type, text)


def test_links_lead_to_readable_items_only(as_login, as_reader, make_article):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    rye, draft = make_article(slug="rye").uuid, make_article(slug="secret", status="draft").uuid
    content = (
        f"[Rye](article:{rye}#oven 'Dark'), [hidden](article:{draft}), "
        f'<a class="x" href="article:{rye}">again</a>, <a href="article:{draft}">gone</a>, [third][1]\n\n'
        f"[1]: article:{rye}\n[2]: article:{draft}\n"
    )
    article = make_article(content=content, content_type="markdown")
    response = as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN)
    assert parse(response)[1] == (
        "[Rye](https://blog.example/rye/#oven 'Dark'), hidden, "
        '<a class="x" href="https://blog.example/rye/">again</a>, gone, [third][1]\n\n'
        "[1]: https://blog.example/rye/\n\n"
    )
    assert "secret" not in response.text and str(draft) not in response.text


CODE = ("`{}`", "`` a ` {} ``", "```\n{}\n```", "~~~html\n{}\n", "- ```\n  {}\n  ```", "> ```\n> {}\n> ```")


@pytest.mark.parametrize("code", CODE)
def test_code_stays_as_it_is(as_login, as_reader, as_admin, make_article, code):
    rye, draft = make_article(slug="rye").uuid, make_article(slug="secret", status="draft").uuid
    file = as_admin.post(f"{MEDIA}?name=rye.png", data=make_picture("red"), content_type="image/png").json
    sample = code.format(f'[a](article:{rye}), <a href="article:{draft}">b</a>, ![c](media:{file["uuid"]})')
    content = f"[`x`](article:{draft}) {sample}" if code.startswith("`{") else f"`a`\n\n{sample}"
    article = make_article(content=content, content_type="markdown")
    _, text = parse(as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN))
    assert text == content.replace(f"[`x`](article:{draft})", "`x`")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('<A HREF="article:{hidden}"><em>Rye</em></a>', "<em>Rye</em>"),
        ("<a href='article:{seen}#top'><em>Rye</em></a>", "<a href='/rye/#top'><em>Rye</em></a>"),
        ("[![Rye](rye.png)](article:{hidden})", "![Rye](rye.png)"),
        ("[![Rye](rye.png)]( <article:{seen}> )", "[![Rye](rye.png)]( </rye/> )"),
        ("<article:{seen}>", "</rye/>"),
        ("Write article:{seen}, without a link.", "Write article:{seen}, without a link."),
        ("\\`[a](article:{seen})`", "\\`[a](/rye/)`"),
        ("`a\n\n[a](article:{seen})`", "`a\n\n[a](/rye/)`"),
    ],
)
def test_links_are_found_in_all_their_forms(as_reader, make_article, content, expected):
    uuids = {
        "seen": make_article(slug="rye").uuid,
        "hidden": make_article(slug="secret", status="draft").uuid,
    }
    article = make_article(content=content.format(**uuids), content_type="markdown")
    _, text = parse(as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN))
    assert text == expected.format(**uuids)


def test_html_shows_samples_of_html_as_they_are(as_reader, make_article):
    rye = make_article(slug="rye").uuid
    link = f'<a href="article:{rye}">a</a>'
    sample = f'`<code>{link}</code>` &lt;a href="article:{rye}"&gt;'
    article = make_article(content=sample, content_type="html")
    _, text = parse(as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN))
    assert text == sample.replace(link, '<a href="/rye/">a</a>')


def test_files_have_the_addresses_of_the_html(as_login, as_admin, as_reader, make_article):
    as_login.patch("/api/v1/blog/site/", json={"service_url": "https://api.example"})
    file = as_admin.post(f"{MEDIA}?name=rye.png", data=make_picture("red"), content_type="image/png").json
    article = make_article(content=f"![Rye](media:{file['uuid']})", content_type="markdown")
    _, text = parse(as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN))
    assert text == f"![Rye]({file['url']})" and file["url"].startswith("https://api.example/media/")


def test_a_page_is_markdown_too(as_editor, as_reader):
    body = {"title": "About", "content": "Us.", "content_type": "markdown", "status": "published"}
    page = as_editor.post(PAGES, json=body).json
    fields, text = parse(as_reader.get(f"{PAGES}about/", headers=MARKDOWN))
    assert (fields["title"], fields["slug"], text) == ("About", page["slug"], "Us.")


def test_a_draft_is_hidden_and_a_former_slug_redirects(as_reader, as_author, as_admin, make_article):
    draft, article = make_article(status="draft"), make_article(slug="old")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "new"})
    for client in (as_reader, as_author):
        assert outcome(client.get(f"{ARTICLES}{draft.uuid}/", headers=MARKDOWN)) == (404, "not_found")
    parse(as_admin.get(f"{ARTICLES}{draft.uuid}/", headers=MARKDOWN))
    response = as_reader.get(f"{ARTICLES}old/", headers=MARKDOWN)
    assert (response.status_code, response.location) == (308, f"{ARTICLES}new/")


def test_the_etag_serves_for_reads_and_writes(as_admin, make_article):
    path = f"{ARTICLES}{make_article().uuid}/"
    etag = as_admin.get(path, headers=MARKDOWN).headers["ETag"]
    assert etag != as_admin.get(path).headers["ETag"]
    assert as_admin.get(path, headers=MARKDOWN | {"If-None-Match": etag}).status_code == 304
    assert as_admin.get(path, headers={"If-None-Match": etag}).status_code == 200
    assert as_admin.patch(path, json={"title": "New"}, headers={"If-Match": etag}).status_code == 200
    assert outcome(as_admin.patch(path, json={"title": "X"}, headers={"If-Match": etag}))[0] == 412


def test_fields_are_for_json(as_reader, make_article):
    path = f"{ARTICLES}{make_article().uuid}/?fields=title"
    assert outcome(as_reader.get(path, headers=MARKDOWN)) == (400, "invalid_query")
    assert as_reader.get(path).status_code == 200


def test_lists_stay_json(as_reader, make_article):
    make_article()
    assert as_reader.get(ARTICLES, headers=MARKDOWN).mimetype == "application/json"


def test_a_hostile_text_takes_no_time(as_reader, make_article):
    uuid = make_article().uuid
    for part in (
        *("[", "<a ", "[a](article:", "[1]: ", "<a href='article:", "[![a](b)", "`", "` ", "``` ", "``a` "),
        *(
            "\n```a",
            "\n- ",
            "- ",
            "> ",
            f"article:{uuid} ",
            f"<a href='article:{uuid}'>",
            f"[a](article:{uuid}",
        ),
    ):
        article = make_article(
            content=part * (50_000 // len(part)) + f"article:{uuid}", content_type="markdown"
        )
        assert as_reader.get(f"{ARTICLES}{article.uuid}/", headers=MARKDOWN).status_code == 200
