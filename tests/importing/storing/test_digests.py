"""Records have the digests of earlier imports, so that a blog imported again changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.storing.earlier_imports import add_page_tag, compute_digest

# The digests of pages whose tags had `page` at their end, if no tag had this name.
WITH_TAG = "69e54de912f61d726eb9db7a59ef9326c28d7b25627b44fe527f340b8ffd8b4d"


@pytest.mark.parametrize(
    ("key", "tags", "digest"),
    [
        ("wordpress:x:2", ("news",), "d71770d1329ae9306dcf1eb501df7a1836ab779eea1b9f8e482183ea603a03da"),
        ("wordpress:x:2:fr", ("Page",), "1a7859f8a4f44940db33d2b0ae50572aa03e388a84e75a6fbd608804a1647b24"),
        ("blogger:7:3", ("Cats",), "1d3d6e60340cc5482276de28b3c50c7660df162e92b725cea728b3397f28d4d4"),
        ("ghost:1", (), WITH_TAG),
        ("substack:1", (), WITH_TAG),
        # Generators never got the tag.
        ("blog/about.md", ("news",), "c78f43040492757cbbf626ab5baf14321bf33f7527075badf1b05be63155b0c1"),
    ],
)
def test_the_digest_of_a_page_has_the_tag_of_earlier_imports(key, tags, digest):
    record = ArticleRecord(
        key=key,
        title="About",
        content="Text",
        content_type="html",
        status="published",
        published_at=None,
        tags=tags,
        is_page=True,
    )
    assert compute_digest(add_page_tag(record)) == digest


def test_the_digest_of_an_exported_article_has_its_fields_in_the_form_of_earlier_imports():
    time = datetime(2024, 5, 1, 9, tzinfo=UTC)
    slugs: dict[str, datetime | None] = {"old-bread": time, "rye": None}
    tags = [{"slug": "same-2", "name": "Same"}]
    record = ArticleRecord(
        **{"key": "blogapi:1", "title": "Bread", "slug": "bread", "content": "Flour"},
        **{"content_type": "markdown", "status": "draft", "published_at": time, "custom": {"rating": 4.5}},
        uuid=UUID(int=7),
        body={"title": "Bread", "content": "Flour", "tags": tags, "seo": {}},
        created=time,
        was_public=True,
        former_slugs=tuple(slugs),
        former_paths=("/a%2541/",),
        former_times={**slugs, "/a%41/": time},
        media_paths={"a.png": UUID(int=8)},
    )
    assert compute_digest(record) == "ace1d9a333e074d3c220d6f596744a84b674ee12b3670eef615b08502a8b1392"
