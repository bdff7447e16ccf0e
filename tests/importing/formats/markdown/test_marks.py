"""The front matter says whether an article is featured, and what search engines may do with its page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogapi.importing.storing.article_input import make_article_body
from blogapi.importing.storing.earlier_imports import compute_digest
from tests.importing.format_api.test_privacy import read


@pytest.mark.parametrize(
    ("front", "is_featured"),
    [
        *(("featured: true", True), ("Featured: yes", True), ("pin: true", True), ("pinned: on", True)),
        *(("sticky: 100", True), ("sticky: true", True), ("sticky: 0", False), ("featured: false", False)),
        *(("featured: cat.png", False), ("featured: [a]", False), ("pin: 3", False), ("", False)),
    ],
)
def test_an_article_is_featured(front, is_featured):
    assert read(front).featured is is_featured


@pytest.mark.parametrize(
    ("front", "robots"),
    [
        *(("robots: noindex", "noindex"), ("robots: NOINDEX,NOFOLLOW", "noindex, nofollow")),
        *(("robots: none", "noindex, nofollow"), ("robots: index, follow", ""), ("robots: nofollow", "")),
        *(("noindex: true", "noindex"), ("robotsNoIndex: true", "noindex"), ("noindex: false", "")),
        *(("seo: {noindex: true}", "noindex"), ("params: {robots: noindex}", "noindex")),
        *(("sitemap: false", "noindex"), ("sitemap: {disable: true}", "noindex")),
        *(("sitemap: {priority: 1}", ""), ("sitemap: true", "")),
    ],
)
def test_an_article_says_what_search_engines_may_do(front, robots):
    assert read(front).robots == robots


def test_marks_are_written_only_if_the_source_has_them(app):
    record = read("")
    marked = replace(record, featured=True, robots="noindex")
    with app.app_context():
        assert not {"featured", "robots"} & make_article_body(record).keys()
        assert make_article_body(marked).items() >= {"featured": True, "robots": "noindex"}.items()
    assert len({compute_digest(one) for one in (record, marked, replace(marked, robots=""))}) == 3
