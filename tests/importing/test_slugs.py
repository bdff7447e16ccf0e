"""Imports in scripts whose vowels are marks keep the words of slugs, terms and addresses."""

from __future__ import annotations

import json
import unicodedata
from urllib.parse import quote

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS
from tests.importing.formats.wordpress.exports import make_export, make_item
from tests.importing.test_pages import run as run
from tests.site.conftest import set_site as set_site

REDIRECTS = "/api/v1/blog/redirects/"


def export_post(system, slug):
    if system == "wordpress":
        link = f"https://example.com/{quote(slug)}/"
        item = make_item(title="हिन्दी ब्लॉग", post_name=quote(slug).lower(), link=link)
        return {"x.xml": make_export(item)}
    post = {"id": "1", "title": "हिन्दी ब्लॉग", "slug": slug, "html": "<p>x</p>", "status": "published"}
    post["published_at"] = "2020-01-01T00:00:00.000Z"
    return {"x.json": json.dumps({"db": [{"meta": {"version": "5"}, "data": {"posts": [post]}}]})}


@pytest.mark.parametrize("system", ["wordpress", "ghost"])
@pytest.mark.parametrize(
    ("slug", "stored"),
    [
        ("हिन्दी", "हिन्दी"),
        ("สวัสดี-น้ำ", "สวัสดี-น้ำ"),
        ("ශ්\u200dරී-ලංකා", "ශ්\u200dරී-ලංකා"),
        ("שִׁיר", unicodedata.normalize("NFC", "שִׁיר")),
        ("हिन्दी_ब्लॉग", "हिन्दी-ब्लॉग"),
    ],
)
def test_a_slug_is_kept_or_its_path_redirects(run, as_reader, set_site, tmp_path, system, slug, stored):
    set_site(url="https://blog.example", article_path="/{slug}/")
    run(tmp_path / "blog", export_post(system, slug))
    assert [article["slug"] for article in as_reader.get(ARTICLES).json] == [stored]
    assert as_reader.get(f"{ARTICLES}{quote(stored)}/").status_code == 200
    found = as_reader.get(f"{REDIRECTS}?path={quote(f'/{slug}/')}")
    assert found.status_code == 200
    assert [row["new"] for row in found.json] == ([stored] if slug != stored else [])


def test_terms_that_differ_in_a_mark_stay_apart(run, as_reader, tmp_path):
    texts = {"a": ("दिन", "राम"), "b": ("दान", "रोम")}
    files = {
        f"{name}.md": f"---\ntitle: {name}\ndate: 2020-01-01\ntags: [{tag}]\n"
        f"categories: [{category}]\n---\nx\n"
        for name, (tag, category) in texts.items()
    }
    run(tmp_path / "blog", files)
    articles = as_reader.get(ARTICLES).json
    found = {item["title"]: (item["tags"][0]["name"], item["category"]["name"]) for item in articles}
    assert found == texts
    for path, words in ((TAGS, ("दिन", "दान")), (CATEGORIES, ("राम", "रोम"))):
        assert {term["slug"] for term in as_reader.get(path).json} == {*words}


def test_the_api_takes_the_slug_that_it_derives(as_admin, make_category):
    body = {"title": "हिन्दी ब्लॉग", "content": "x", "category": {"uuid": str(make_category().uuid)}}
    assert as_admin.post(ARTICLES, json=body).json["slug"] == "हिन्दी-ब्लॉग"
    given = as_admin.post(ARTICLES, json=body | {"slug": "हिन्दी-ब्लॉग-२"})
    assert (given.status_code, given.json["slug"]) == (201, "हिन्दी-ब्लॉग-२")
