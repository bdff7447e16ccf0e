"""A private section page makes the articles below the section private."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.transfer import folder
from blogapi.transfer.article_record import NotAnArticle
from blogapi.transfer.markdown import reader

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def statuses(tmp_path):
    """Writes a section page into `blog/section` and returns the status of each article of the blog."""

    def read(section, folder_path="blog/section"):
        below = tmp_path / "blog" / "section" / "below"
        below.mkdir(parents=True)
        for path in (below / "low.md", below.parent / "middle.md", tmp_path / "blog" / "top.md"):
            path.write_text("---\ntitle: Hello\ndate: 2020-01-02\n---\nText", encoding="utf-8")
        (tmp_path / folder_path / "_index.md").write_text(section, encoding="utf-8")
        found = {}
        for entry in folder.walk_path(tmp_path / "blog"):
            try:
                found[entry.path.stem] = reader.read_file(entry, now=NOW).status
            except NotAnArticle:
                continue
        return found

    return read


@pytest.mark.parametrize(
    "section",
    [
        "+++\ntitle = 'Secret'\ndraft = true\n+++\n",
        "---\ncascade: {draft: true}\n---\n",
        "---\ncascade: {build: {render: never}}\n---\n",
        "---\ncascade: [{params: {a: b}}, {_build: {list: never}}]\n---\n",
        "+++\n[[cascade]]\ndraft = true\n+++\n",
        "---\ntitle: [\n---\n",
    ],
)
def test_all_articles_below_a_private_section_are_drafts(statuses, section):
    assert statuses(section) == {"low": "draft", "middle": "draft", "top": "published"}


@pytest.mark.parametrize(
    "section",
    [
        "---\ntitle: Notes\nbuild: {render: never}\n---\n",
        "+++\nrender = false\n+++\n",
        "---\ndraft: false\ncascade: {type: docs}\n---\n",
        "---\ncascade: docs\n---\n",
        "Text",
        "",
    ],
)
def test_fields_that_concern_only_the_section_page_do_not_affect_its_articles(statuses, section):
    assert set(statuses(section).values()) == {"published"}


def test_section_pages_above_the_imported_folder_are_not_read(statuses):
    assert set(statuses("---\ndraft: true\n---\n", folder_path="").values()) == {"published"}
