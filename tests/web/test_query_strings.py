"""Query strings: an empty search, and unknown parameters."""

from __future__ import annotations

import pytest

from tests.conftest import ARTICLES, CATEGORIES, TAGS

BLOG = "/api/v1/blog/"
SEARCHED = [
    *(ARTICLES, f"{ARTICLES}author/me/", f"{BLOG}pages/"),
    *(CATEGORIES, TAGS, f"{BLOG}authors/", f"{BLOG}media/", f"{BLOG}redirects/own/"),
]


@pytest.mark.parametrize("path", SEARCHED)
def test_an_empty_search_counts_as_absent(as_admin, make_article, make_tag, path):
    make_article(tags=(make_tag("rye"),))
    response = as_admin.get(f"{path}?q=&page=60")
    assert (response.status_code, response.json) == (200, [])
    assert as_admin.get(f"{path}?q=").json == as_admin.get(path).json
    assert as_admin.get(f"{path}?q=&q=").status_code == 400


def test_an_empty_search_is_no_search(as_reader, make_article):
    make_article()
    assert len(as_reader.get(f"{ARTICLES}?q=").json) == 1
    counts = f"{BLOG}article-counts/"
    assert as_reader.get(f"{counts}?q=").json == as_reader.get(counts).json != {}
    response = as_reader.get(f"{ARTICLES}?q=&fields=snippet")
    assert response.json["errors"] == {"fields": ["`snippet` is only available with a search; add `q`."]}
    assert as_reader.get(f"{ARTICLES}?ordering=").status_code == 400
    assert list(as_reader.get(f"{BLOG}archive/?q=").json["errors"]) == ["q"]


def test_the_error_of_an_unknown_parameter_names_the_known_ones(as_reader):
    errors = as_reader.get(f"{TAGS}?tga=a&page=0&fields=name").json["errors"]
    assert errors["tga"] == [
        "Unknown parameter; the known ones are fields, language, ordering, page, page_size, q, similar, "
        "slug, used."
    ]
    assert list(errors) == ["page", "tga"]
    errors = as_reader.get(f"{ARTICLES}?custom.nothing=1&fields_=title").json["errors"]
    assert errors["custom.nothing"] == ["There is no such custom field."]
    assert errors["fields_"][0].startswith(
        "Unknown parameter; the known ones are author, category, custom.*, "
    )
