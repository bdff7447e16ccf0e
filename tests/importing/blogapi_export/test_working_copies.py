"""Working copies in an export come back, and replace nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

import pytest

from blogapi.content.articles import service as articles
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.custom_fields import service as custom_fields
from blogapi.content.custom_fields.schemas import FieldBodySchema
from blogapi.content.taxonomies.categories import CATEGORIES
from blogapi.content.working_copies import service
from blogapi.content.working_copies.schemas import WorkingCopyBodySchema
from blogapi.importing.format_api.report import Result
from blogapi.storage.database import db
from blogapi.web.errors import Conflict
from tests.exported_blogs import Blogs, create_article, create_term, find_term


@pytest.fixture
def export(app, instance, databases, tmp_path):
    """A blog with an article that has a working copy, the folder of its export, and the uuid."""
    blogs = Blogs(app, instance, databases)
    with app.app_context():
        create_term(blogs.owner, CATEGORIES, name="Bread")
        article = create_article(blogs.owner, title="Bread", content="Flour", status="published")
        save(blogs, article.uuid, "Rye")
        uuid = article.uuid
    root = tmp_path / "export"
    root.mkdir()
    blogs.export(root, "default")
    return blogs, root, uuid


def save(blogs: Blogs, uuid: UUID, content: str, **fields: object) -> None:
    body = {"title": "Edits", "content": content, "content_type": "html", **fields}
    service.save_working_copy(blogs.owner, uuid, WorkingCopyBodySchema().load(body))


def change(blogs: Blogs, uuid: UUID, custom: Mapping[str, str] | None = None) -> None:
    fields = ArticleBodySchema(partial=True).load({"subtitle": "Changed"})
    articles.change_article_in_transaction(blogs.owner, uuid, replace(fields, custom=custom or {}))


def list_results(reports):
    return [report.result for report in reports]


def read_content(blogs: Blogs, uuid: UUID) -> str | None:
    """Return the text of the working copy."""
    with blogs.app.app_context():
        copy = db.session.get(WorkingCopy, uuid)
        return copy and json.loads(copy.content)["content"]


def test_a_working_copy_is_restored_once(export):
    blogs, root, uuid = export
    blogs.empty()
    assert list_results(blogs.restore(root, dry_run=True)) == [Result.CREATED, Result.CREATED]
    assert read_content(blogs, uuid) is None
    assert list_results(blogs.restore(root)) == [Result.CREATED, Result.CREATED]
    assert read_content(blogs, uuid) == "Rye"
    assert list_results(blogs.restore(root)) == [Result.UNCHANGED, Result.UNCHANGED]
    with blogs.app.app_context():
        assert service.publish_working_copy(blogs.owner, uuid).title == "Edits"
    assert list_results(blogs.restore(root))[1] is Result.SKIPPED
    assert read_content(blogs, uuid) is None


def test_a_working_copy_in_the_blog_stays(export):
    blogs, root, uuid = export
    with blogs.app.app_context():
        save(blogs, uuid, "Later edits")
    report = blogs.restore(root)[-1]
    assert (report.result, "stays as it is" in report.notes[0]) == (Result.SKIPPED, True)
    assert read_content(blogs, uuid) == "Later edits"


@pytest.mark.parametrize("restricted", [True, False])
def test_only_an_admin_restores_edits_of_fields_for_admins(export, restricted):
    blogs, root, uuid = export
    with blogs.app.app_context():
        for name, readers in (("note", "admins"), ("mood", "everyone"), ("colour", "everyone")):
            body = {"name": name, "label": name, "type": "text", "read_by": readers}
            custom_fields.define_field(FieldBodySchema().load(body))
        change(blogs, uuid, {"note": "ours", "mood": "ours", "colour": "ours"})
        service.discard_working_copy(uuid)
        changed = db.session.get(Article, uuid).last_updated.isoformat()
    (path,) = root.glob("*.json")
    (item,) = json.loads(path.read_text(encoding="utf-8"))
    for custom, kept in (({"note": "theirs", "mood": "theirs"}, "theirs"), ({"mood": "theirs"}, None)):
        copy = item | {"article_last_updated": changed, "custom": custom}
        path.write_text(json.dumps([copy]), encoding="utf-8")
        assert blogs.restore(root, restricted=restricted)[-1].result is Result.CREATED
        note = "ours" if restricted else kept
        with blogs.app.app_context():
            stored = json.loads(db.session.get(WorkingCopy, uuid).content)["custom"]
            assert stored == {"mood": "theirs"} | ({"note": note} if note else {})
            service.discard_working_copy(uuid)


def test_an_author_whom_only_edits_name_comes_back(export, tmp_path):
    blogs, _, uuid = export
    with blogs.app.app_context():
        authors = [str(find_term("authors", slug).uuid) for slug in ("mel", "ada")]
        save(blogs, uuid, "Rye", authors=authors)
    (tmp_path / "both").mkdir()
    blogs.export(tmp_path / "both", "default")
    blogs.empty()
    blogs.restore(tmp_path / "both")
    with blogs.app.app_context():
        assert json.loads(db.session.get(WorkingCopy, uuid).content)["authors"] == authors


def test_edits_of_an_older_version_do_not_overwrite_a_newer_one(export, tmp_path):
    blogs, _, uuid = export
    with blogs.app.app_context():
        change(blogs, uuid)
    (tmp_path / "later").mkdir()
    blogs.export(tmp_path / "later", "default")
    blogs.empty()
    blogs.restore(tmp_path / "later")
    assert read_content(blogs, uuid) == "Rye"
    with blogs.app.app_context(), pytest.raises(Conflict):
        service.publish_working_copy(blogs.owner, uuid)
    with blogs.app.app_context():
        assert db.session.get(Article, uuid).content == "Flour"


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ('"title":"Edits"', '"title":5', "title"),
        ('"article":"', '"article":"x', "is not a uuid"),
        ('"title":"Edits"', '"title":"\\u0001"', "control character"),
        ('"article":"', '"article":"00000000-0000-4000-8000-000000000001","x":"', "not in this blog"),
        ('{"article":', '5,{"article":', "not an object"),
        ('"is_outdated":', "{", "cannot be read"),
    ],
)
def test_a_broken_working_copy_is_refused(export, old, new, note):
    blogs, root, uuid = export
    blogs.empty()
    (path,) = root.glob("*.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    refused = [report for report in blogs.restore(root) if report.result is Result.REFUSED]
    assert any(note in report.notes[0] for report in refused)
    assert read_content(blogs, uuid) == ("Rye" if note == "not an object" else None)
