"""Characters that the API refuses are removed from what an import reads."""

from __future__ import annotations

import json

import pytest

from blogapi.rendering.characters import FORBIDDEN_CHARACTER
from tests.conftest import ARTICLES
from tests.importing.formats.blogger.test_source import make_entry, make_feed
from tests.importing.formats.ghost.test_source import a_post, wrap
from tests.importing.formats.medium.test_source import make_page
from tests.importing.formats.wordpress.exports import make_export, make_item, make_term

# A character that XML and JSON can contain, the reference of one in HTML, and one in a text of JSON or YAML.
RAW, REFERENCE, ESCAPE = "\x7f", "&#127;", "\\u0001"
LINK = f'<a href="/a{RAW}b{REFERENCE}c/">x</a>'
HTML = f'<p>T{RAW}e{REFERENCE}xt {LINK} <img src="a{REFERENCE}.png" alt="p{REFERENCE}"></p>'
NAME = f"N{RAW}a{REFERENCE}me"

FILES = {
    "a.md": f'---\ntitle: "T{ESCAPE}i\\x7ftle"\ndate: 2020-01-02\ntags: ["N{ESCAPE}ame"]\n---\n{HTML}',
    "a.txt": f"T{RAW}ext\x0b\x1b[0m",
    "a.html": f"---\ntitle: {NAME}\ndate: 2020-01-02\nauthor: {NAME}\n---\n{HTML}",
    "b.json": wrap(
        posts=[a_post(title=NAME, html=HTML, custom_excerpt=f"E{RAW}x\x00\ud800")],
        tags=[{"id": "t", "name": NAME, "slug": "name", "description": f"D{RAW}\x01"}],
        posts_tags=[{"post_id": a_post()["id"], "tag_id": "t", "sort_order": 0}],
    ),
    "c.xml": make_export(
        f"<wp:category><wp:category_nicename>n</wp:category_nicename><wp:cat_name>{NAME}</wp:cat_name>"
        f"<wp:category_description>D{RAW}</wp:category_description></wp:category>",
        make_item(make_term(NAME, nicename="n"), title=NAME, content=HTML, excerpt=f"E{RAW}"),
    ),
    "d.xml": make_feed(make_entry(1, content=HTML, title=NAME)),
    "e.html": make_page(title=NAME),
}


@pytest.mark.parametrize("name", FILES)
def test_an_article_with_control_characters_is_imported(app, as_admin, people, tmp_path, name):
    blog = tmp_path / "blog"
    blog.mkdir()
    (blog / name).write_text(FILES[name], encoding="utf-8")
    words = ["import", str(blog), "--author", "ada", "--publish-undated", "--json"]
    report = json.loads(app.test_cli_runner().invoke(args=words).stdout)
    (file,) = [file for file in report["files"] if file["result"] != "skipped"]
    assert (file["result"], "control character" in " ".join(file["notes"])) == ("created", True)
    article = as_admin.get(ARTICLES, query_string={"fields": "*,excerpt"}).json[0]
    terms = [as_admin.get(f"/api/v1/blog/{kind}/").text for kind in ("tags", "categories", "authors")]
    for text in (json.dumps(article), *terms):
        assert not FORBIDDEN_CHARACTER.search(text)
        assert "\\u00" not in text
    assert as_admin.put(f"{ARTICLES}{article['uuid']}/", json=article).status_code == 200
