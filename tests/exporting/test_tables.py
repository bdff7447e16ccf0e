"""Each table is exported, or the guide says that it is left out."""

from __future__ import annotations

from importlib.resources import files

import pytest

from blogapi.storage.database import Base, table_of
from tests.exported_blogs import TABLES

#: The words of the guide for each table that is not exported.
LEFT_OUT = {
    "account": "users",
    "web_session": "logins",
    "one_time_link": "one-time links",
    "recovery_code": "recovery codes",
    "open_article": "who has an article open",
    "api_key": "API keys",
    "article_revision": "former versions of articles",
    "preview": "preview links",
    "deleted_item": "deleted articles and pages",
    "release": "which versions of blogapi used this database",
    "imported": "which files were imported",
    "lifted_guess": "which guesses of imports you named",
    "import_job": "imports over HTTP",
    "idempotent_answer": "responses that are stored for repeated requests",
    **dict.fromkeys(("event", "commit_counter"), "the changes feed"),
    **dict.fromkeys(("webhook", "webhook_delivery"), "webhooks and their calls"),
    "search_entry": "the search index",
    "media_use": "which item uses a file",
    "article_stats": "rendered texts",
}


def list_tables():
    return {table.name for table in Base.metadata.sorted_tables}


def test_each_table_is_exported_or_left_out_on_purpose():
    # tests/importing/blogapi_export/test_custom_redirects.py exports and imports redirects.
    exported = {table_of(model).name for model in TABLES} | {"redirect"}
    assert exported.isdisjoint(LEFT_OUT)
    assert exported | LEFT_OUT.keys() == list_tables()


@pytest.mark.parametrize("words", dict.fromkeys(LEFT_OUT.values()))
def test_the_guide_names_what_is_left_out(words):
    guide = (files("blogapi.docs") / "guide" / "leaving.md").read_text(encoding="utf-8")
    section = guide.split("## What is not exported\n")[1].split("\n## ")[0]
    assert words in " ".join(section.split())
