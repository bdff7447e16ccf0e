"""Imports over HTTP: upload, trial, import, cancel, restart and report."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import update

from blogapi import clock
from blogapi.importing.formats.wordpress.source import WordPressSource
from blogapi.importing.jobs import folders, queries, runner, service
from blogapi.importing.models import ImportJob
from blogapi.importing.pipeline import report_output
from blogapi.importing.pipeline.run import ImportRun
from blogapi.storage import files
from blogapi.storage.database import db, transaction
from blogapi.web.access import Role
from tests.conftest import ARTICLES
from tests.contracts.client import outcome
from tests.databases import write_from_other_process
from tests.import_threads import run_in_threads
from tests.importing.formats.wordpress.exports import make_export, make_item
from tests.pictures import make_picture

IMPORTS = "/api/v1/imports/"
BREAD = "---\ntitle: Bread\ndate: 2024-05-01\ncover: a.png\n---\nFlour ![Oven](a.png)\n"
SECRET = {"name": "secret", "label": "Secret", "type": "text", "read_by": "admins"}
BROKEN = "---\ntitle: [\n---\n"


def make_zip(**entries):
    """Return a zip archive with these files; `__` in a name stands for a dot."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries.items():
            archive.writestr(f"site/{name.replace('__', '.')}", content)
    return target.getvalue()


@pytest.fixture
def wait(app, monkeypatch):
    """Return a function that waits until the running import has ended; imports run in threads."""
    run_in_threads(app, monkeypatch)
    job_runner = runner.get_runner(app)
    job_runner.stopping.clear()
    yield lambda: job_runner.wait_for_job(60)
    job_runner.stop_job(60)
    job_runner.stopping.clear()


@pytest.fixture
def send(as_login, wait):
    """Return a function that uploads a file, waits for the trial and returns the import."""

    def send(content=None, name="blog.zip", **options):
        body = make_zip(bread__md=BREAD, broken__md=BROKEN, a__png=make_picture("red"))
        query = {"name": name} | options
        answer = as_login.post(IMPORTS, data=content or body, query_string=query)
        assert outcome(answer) == (201, None)
        assert answer.json["status"] == "trying"
        wait()
        return as_login.get(f"{IMPORTS}{answer.json['uuid']}/").json

    return send


@pytest.fixture
def start(as_login, wait):
    """Return a function that starts an import, waits for its end and returns it."""

    def start(job):
        answer = as_login.post(f"{IMPORTS}{job['uuid']}/start/")
        assert outcome(answer) == (200, None)
        wait()
        return as_login.get(f"{IMPORTS}{job['uuid']}/").json

    return start


def test_the_trial_lists_the_custom_fields_that_the_import_defines(as_login, as_role, send, start):
    post = make_zip(bread__md=BREAD.replace("title", "rating: 5\ntitle"))
    tried = send(post, define_fields="admins")
    assert tried["notes"] == ["Custom fields that would be defined, read by admins: rating (number, 1)."]
    assert as_login.get("/api/v1/blog/fields/").json == []
    assert start(tried)["notes"][0].startswith("Custom fields that were defined")
    (field,) = as_login.get("/api/v1/blog/fields/").json
    assert (field["name"], field["read_by"], field["used_in"]) == ("rating", "admins", 1)
    query = {"name": "blog.zip", "define_fields": "everyone"}
    refused = as_role(Role.EDITOR, "login").post(IMPORTS, data=post, query_string=query)
    assert outcome(refused) == (403, "forbidden")


def test_an_editor_restores_no_custom_fields_in_the_name_of_an_admin(as_login, as_role, wait):
    path = "/api/v1/blog/fields/"
    field = as_login.post(path, json={"name": "rating", "label": "Rating", "type": "number"}).json
    export = as_login.get("/api/v1/export/").data
    as_login.delete(f"{path}{field['uuid']}/")
    notes = {}
    for user in (as_role(Role.EDITOR, "login"), as_login):
        job = user.post(IMPORTS, data=export, query_string={"name": "blog.zip", "author": "ada"}).json["uuid"]
        wait()
        user.post(f"{IMPORTS}{job}/start/")
        wait()
        notes[user] = user.get(f"{IMPORTS}{job}/").json["notes"]
        assert len(as_login.get(path).json) == len(notes) - 1
    assert "only admins define fields" in str(next(iter(notes.values())))


def test_an_editor_does_not_start_an_import_of_an_admin(as_login, as_role, send, start):
    editor = as_role(Role.EDITOR, "login")
    tried = send(make_zip(bread__md=BREAD.replace("title", "rating: 5\ntitle")), define_fields="everyone")
    path = f"{IMPORTS}{tried['uuid']}/"
    refused = editor.post(f"{path}start/", json={"publish_marked": ["shortcode:acme"]})
    assert outcome(refused) == (403, "forbidden")
    job = editor.get(path).json
    assert (job["status"], job["options"]) == ("tried", tried["options"])
    assert as_login.get(ARTICLES).json == as_login.get("/api/v1/blog/fields/").json == []
    assert start(tried)["status"] == "finished"
    assert len(as_login.get("/api/v1/blog/fields/").json) == 1


def test_an_admin_starts_an_import_of_an_editor_without_more_rights(as_login, as_role, wait):
    editors = (as_role(Role.EDITOR, "login"), as_role(Role.EDITOR, "login"))
    as_login.post("/api/v1/blog/fields/", json=SECRET)
    for number, starter in enumerate((as_login, editors[1])):
        post = BREAD.replace("title", "secret: x\ntitle").replace("Bread", f"Bread {number}")
        answer = editors[0].post(
            IMPORTS, data=make_zip(bread__md=post), query_string={"name": f"{number}.zip"}
        )
        wait()
        path = f"{IMPORTS}{answer.json['uuid']}/"
        assert outcome(starter.post(f"{path}start/")) == (200, None)
        wait()
        assert starter.get(path).json["status"] == "finished"
    listed = as_login.get(ARTICLES, query_string={"status": "any", "fields": "title,custom"}).json
    assert len(listed) == 2 and all(article["custom"] == {} for article in listed)


@pytest.mark.parametrize("role", [Role.AUTHOR, Role.EDITOR])
def test_an_import_fills_texts_of_files_only_for_those_who_may_change_all(as_login, as_role, wait, role):
    media, picture, user = "/api/v1/blog/media/", make_picture("red"), as_role(role, "login")
    file = user.post(media, query_string={"name": "a.png"}, data=picture).json
    public = {"title": "A", "content": f'<img src="{file["url"]}">', "status": "published"}
    path = as_login.post(ARTICLES, json=public).headers["Location"]
    post = make_zip(bread__md=BREAD.replace("cover: a.png\n", ""), a__png=picture)
    job = user.post(IMPORTS, data=post, query_string={"name": "blog.zip"})
    if role == Role.EDITOR:
        wait()
        assert user.post(f"{IMPORTS}{job.json['uuid']}/start/").status_code == 200
        wait()
    else:
        assert outcome(job) == (403, "forbidden")
    assert as_login.get(f"{media}{file['uuid']}/").json["alt"] == ("Oven" if role == Role.EDITOR else "")
    assert ("Oven" in as_login.get(f"{path}?fields=html").json["html"]) == (role == Role.EDITOR)


def test_an_upload_is_tried_and_stores_nothing(as_login, send):
    tried = send(base_url="https://old.example")
    assert tried["status"] == "tried"
    assert tried["user"]["username"] == "ada"
    assert tried["options"] == {
        **{"author": "ada", "base_url": "https://old.example", "pages": "keep", "publish_undated": False},
        **{"define_fields": "none", "unread_rules": "draft", "publish_marked": []},
    }
    assert tried["counts"]["articles"] == {"new": 1, "changed": 0, "same": 0, "left_out": 1}
    assert tried["counts"]["pictures"] == {"new": 1, "changed": 0, "same": 0, "left_out": 0}
    (problem,) = tried["problems"]
    assert (problem["file"], problem["result"]) == ("blog/site/broken.md", "refused")
    assert problem["reasons"] and problem["article"] is None
    assert as_login.get(ARTICLES).json == []
    assert as_login.get("/api/v1/blog/media/").json == []
    assert as_login.get(f"{IMPORTS}{tried['uuid']}/report/").json["dry_run"] is True


MEMBERS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Blog</title><link>https://old.example</link><wp:wxr_version>1.2</wp:wxr_version>
<item><title>Bread</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>
<wp:status>publish</wp:status><wp:post_date_gmt>2024-05-01 08:00:00</wp:post_date_gmt>
<wp:post_name>bread</wp:post_name><content:encoded>Flour</content:encoded></item>
</channel></rss>"""


@pytest.fixture
def unread_rules(monkeypatch):
    """Let exports of WordPress have rules that cannot be read."""
    read = WordPressSource.read

    def read_and_find_rules(self):
        yield from read(self)
        self.unread_rules = "MemberPress"

    monkeypatch.setattr(WordPressSource, "read", read_and_find_rules)


@pytest.mark.parametrize(
    ("body", "kept", "status"),
    [
        (None, "draft", "draft"),
        ({}, "draft", "draft"),
        ({"unread_rules": "draft"}, "draft", "draft"),
        ({"unread_rules": "public"}, "public", "published"),
    ],
)
def test_the_start_decides_on_unread_rules(as_login, send, wait, unread_rules, body, kept, status):
    tried = send(MEMBERS.encode(), name="export.xml")
    assert (tried["unread_rules"], tried["options"]["unread_rules"]) == ("MemberPress", "draft")
    assert "The rules of MemberPress, which cannot be read, can hide articles." in tried["notes"][0]
    path = f"{IMPORTS}{tried['uuid']}/"
    assert outcome(as_login.post(f"{path}start/", json=body)) == (200, None)
    wait()
    job = as_login.get(path).json
    assert (job["status"], job["options"]["unread_rules"]) == ("finished", kept)
    (article,) = as_login.get("/api/v1/blog/articles/author/me/?fields=title,status").json
    assert article == {"title": "Bread", "status": status}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (None, "draft"),
        ({"publish_marked": ["shortcode:acme"]}, "draft"),
        ({"publish_marked": ["SHORTCODE:acme", "shortcode:members"]}, "published"),
    ],
)
def test_the_start_names_the_marks_that_hid_nothing(as_login, send, wait, body, status):
    text = "[acme]Bread[/acme] [members]Rolls[/members]"
    tried = send(make_export(make_item(content=text)).encode(), name="export.xml")
    assert tried["marked"] == [{"name": f"shortcode:{name}", "articles": 1} for name in ("acme", "members")]
    path = f"{IMPORTS}{tried['uuid']}/"
    assert outcome(as_login.post(f"{path}start/", json=body)) == (200, None)
    wait()
    (article,) = as_login.get("/api/v1/blog/articles/author/me/?fields=status").json
    assert article == {"status": status}
    job = as_login.get(path).json
    assert job["options"]["publish_marked"] == (body or {}).get("publish_marked", [])
    # The memory of the host makes the next trial public.
    again = send(make_export(make_item(content=text)).encode(), name="export.xml")
    assert len(again["marked"]) == (0 if status == "published" else 2 - len(body or ()))


@pytest.mark.parametrize(
    "body", [{"publish_marked": [""]}, {"unread_rules": "hidden"}, {"unread_rules": None}, {"pages": "skip"}]
)
def test_a_start_with_a_wrong_option_starts_nothing(as_login, send, body):
    tried = send()
    assert outcome(as_login.post(f"{IMPORTS}{tried['uuid']}/start/", json=body)) == (422, "invalid_fields")
    assert as_login.get(f"{IMPORTS}{tried['uuid']}/").json["status"] == "tried"


def test_the_trial_names_edited_articles_that_the_former_blog_hides(as_login, send, start):
    start(send(make_zip(bread__md=BREAD)))
    (article,) = as_login.get(ARTICLES).json
    as_login.patch(f"{ARTICLES}{article['uuid']}/", json={"subtitle": "Mine"})
    hidden = make_zip(bread__md=BREAD.replace("title", "private: true\ntitle"))
    for job in (tried := send(hidden), start(tried)):
        (found,) = job["public_here_hidden_there"]
        assert (found["file"], found["article"]) == ("blog/site/bread.md", article["uuid"])
        assert found["reasons"][1] == "It has `private: true`."
        assert (job["problems"], job["problem_count"]) == ([], 0)
    assert as_login.get(f"{ARTICLES}{article['uuid']}/?fields=status").json == {"status": "published"}


def test_a_started_import_stores_the_articles_and_deletes_the_file(app, as_login, send, start):
    finished = start(send())
    assert (finished["status"], finished["done"], finished["total"]) == ("finished", 1, 1)
    assert finished["counts"]["articles"]["new"] == 1
    assert [article["title"] for article in as_login.get(ARTICLES).json] == ["Bread"]
    report = as_login.get(f"{IMPORTS}{finished['uuid']}/report/")
    assert report.json["dry_run"] is False
    assert {file["result"] for file in report.json["files"]} == {"created", "refused"}
    assert outcome(as_login.post(f"{IMPORTS}{finished['uuid']}/start/")) == (409, "import_ended")
    with app.app_context():
        left = [path.name for path in folders.get_job_folder(finished["uuid"]).iterdir()]
    assert sorted(left) == ["marked.json", "report.json", "trial.json"]
    assert start(send())["counts"]["articles"] == {"new": 0, "changed": 0, "same": 1, "left_out": 1}


def test_problems_name_their_articles(app, as_login, send, start, people):
    body = make_zip(
        a__md=BREAD.replace("Oven](a", "Gone](gone"), broken__md=BROKEN, a__png=make_picture("red")
    )
    tried = send(body)
    assert [problem["article"] for problem in tried["problems"]] == [None, None]
    for result in ("created", "unchanged"):
        problems = start(tried)["problems"]
        (article,) = as_login.get(ARTICLES).json
        assert [(problem["result"], problem["article"]) for problem in problems] == [
            ("refused", None),
            (result, article["uuid"]),
        ]
        tried = send(body)
    assert [problem["article"] for problem in tried["problems"]] == [None, None]
    (file,) = as_login.get("/api/v1/blog/media/").json
    assert file["user"] == {"uuid": str(people.admin.uuid), "username": "ada"}


def test_a_single_file_is_imported_under_its_name(as_login, send, start):
    start(send(b"---\ndate: 2024-05-01\n---\nWords", name="C:\\blog\\My first post.md"))
    assert [article["slug"] for article in as_login.get(ARTICLES).json] == ["my-first-post"]


def test_a_multipart_upload_is_accepted(as_login, wait):
    body = {"file": (io.BytesIO(b"Words"), "note.md")}
    assert as_login.post(IMPORTS, data=body).json["name"] == "note.md"
    wait()


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({}, 422, "invalid_fields"),
        ({"name": "a.zip", "author": "nobody"}, 400, "invalid_query"),
        ({"name": "a.zip", "pages": "all"}, 400, "invalid_query"),
        ({"name": "a.zip", "base_url": "javascript:alert(1)"}, 400, "invalid_query"),
    ],
)
def test_a_refused_upload_leaves_nothing(app, as_login, instance, query, status, code):
    answer = as_login.post(IMPORTS, data=b"x", query_string=query)
    assert outcome(answer) == (status, code)
    assert as_login.get(IMPORTS).json == []
    assert not list(instance.glob("imports/*"))


def test_a_file_over_the_limit_is_refused(app, as_login, instance):
    app.config["MAX_IMPORT_SIZE"] = 10
    assert outcome(as_login.post(IMPORTS, data=b"x" * 11, query_string={"name": "a.zip"})) == (
        *(413, "too_large"),
    )
    assert not list(instance.glob("imports/*"))


def test_an_archive_that_cannot_be_read_fails_with_the_reason(send):
    failed = send(b"PK\x03\x04 no archive")
    assert failed["status"] == "failed"
    assert failed["error"].startswith("It is not a complete zip file")


def test_an_unexpected_error_is_logged_and_not_shown(send, monkeypatch, caplog):
    monkeypatch.setattr(ImportRun, "_store_articles", lambda self, show_progress: 1 / 0)
    failed = send()
    assert failed["status"] == "failed"
    assert failed["error"].startswith("Something went wrong on the server")
    assert "ZeroDivisionError" in caplog.text


def test_an_import_that_needs_too_much_memory_says_so(send, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(ImportRun, "_store_articles", fail)
    assert send()["error"] == "The import needs more than 2 GB of memory; split the file."


@pytest.fixture
def paused(monkeypatch):
    """Two events: one is set when an import stores its articles, which then waits for the other."""
    reached, go_on = threading.Event(), threading.Event()
    store = ImportRun._store_articles

    def wait_and_store(self, show_progress):
        reached.set()
        assert go_on.wait(60)
        store(self, show_progress)

    monkeypatch.setattr(ImportRun, "_store_articles", wait_and_store)
    monkeypatch.setattr(runner, "PROGRESS_INTERVAL_SECONDS", 0.01)
    yield reached, go_on
    go_on.set()


@pytest.fixture
def begin(as_login, wait, paused):
    """Return a function that begins a trial, which then waits, and returns the path of the import."""

    def begin():
        job = as_login.post(IMPORTS, data=make_zip(bread__md=BREAD), query_string={"name": "a.zip"}).json
        assert paused[0].wait(60)
        return f"{IMPORTS}{job['uuid']}/"

    return begin


def test_what_the_trial_found_is_not_counted_as_imported(as_login, begin, paused, wait):
    path = begin()
    paused[1].set()
    wait()
    assert as_login.get(path).json["counts"]["articles"]["new"] == 1
    for event in paused:
        event.clear()
    as_login.post(f"{path}start/")
    assert paused[0].wait(60)
    job = as_login.get(path).json
    assert (job["status"], job["counts"]["articles"]["new"]) == ("importing", 0)
    as_login.post(f"{path}cancel/")
    paused[1].set()
    wait()
    # The import can have ended before it was stopped.
    stored = len(as_login.get(ARTICLES).json)
    assert as_login.get(path).json["counts"]["articles"]["new"] == stored


def test_one_import_runs_at_a_time(as_login, begin, paused, wait):
    path = begin()
    second = as_login.post(IMPORTS, data=b"x", query_string={"name": "b.md"})
    assert outcome(second) == (409, "import_running")
    assert outcome(as_login.post(f"{path}start/")) == (409, "import_running")
    assert outcome(as_login.delete(path)) == (409, "import_running")


def set_job(app, uuid, **values):
    """Change the row of an import."""
    with app.app_context(), transaction():
        db.session.execute(update(ImportJob).where(ImportJob.uuid == uuid).values(values))


@pytest.mark.parametrize("listed", [False, True])
def test_an_import_that_ends_while_it_is_read_is_not_interrupted(app, as_login, send, monkeypatch, listed):
    path = f"{IMPORTS}{send()['uuid']}/"
    write_from_other_process(app, "UPDATE import_job SET status = 'importing'")

    def end(uuid):
        write_from_other_process(app, "UPDATE import_job SET status = 'finished'")
        return False

    monkeypatch.setattr(queries, "is_job_running", end)
    found = as_login.get(IMPORTS).json[0] if listed else as_login.get(path).json
    assert found["status"] == "finished"


@pytest.mark.parametrize("ahead", [timedelta(days=-400), timedelta(days=400)])
def test_an_import_is_interrupted_when_its_server_is_killed(app, as_login, send, start, ahead):
    job = send()
    path = f"{IMPORTS}{job['uuid']}/"
    set_job(app, as_uuid(job), status="importing", last_updated=clock.now() + ahead)
    with app.app_context():
        lock = queries.take_job_lock(as_uuid(job))
    assert as_login.get(path).json["status"] == "importing"
    assert outcome(as_login.post(IMPORTS, data=b"x", query_string={"name": "b.md"})) == (
        *(409, "import_running"),
    )
    lock.close()
    assert as_login.get(path).json["status"] == "interrupted"
    assert start(job)["status"] == "finished"


@pytest.mark.parametrize("end", ["cancel", "delete", "other"])
def test_a_killed_import_holds_nothing_up(app, as_login, send, end):
    path = f"{IMPORTS}{(job := send())['uuid']}/"
    set_job(app, as_uuid(job), status="trying", last_updated=clock.now() + timedelta(days=400))
    if end == "cancel":
        assert outcome(as_login.post(f"{path}cancel/")) == (200, None)
        assert as_login.get(path).json["status"] == "cancelled"
    elif end == "delete":
        assert outcome(as_login.delete(path)) == (204, None)
    else:
        assert send(b"Words", name="b.md")["status"] == "tried"
        assert as_login.get(path).json["status"] == "interrupted"


def as_uuid(job):
    from uuid import UUID

    return UUID(job["uuid"])


def test_an_import_whose_file_is_gone_cannot_be_started(app, as_login, send):
    job = send()
    with app.app_context():
        folders.delete_upload(as_uuid(job))
    assert outcome(as_login.post(f"{IMPORTS}{job['uuid']}/start/")) == (409, "import_ended")


def test_an_import_waits_for_the_process_of_a_killed_server(app, as_login, send, wait, paused):
    paused[1].set()
    path = f"{IMPORTS}{(job := send())['uuid']}/"
    paused[0].clear()
    with app.app_context():
        folder = folders.get_job_folder(as_uuid(job))
    with files.lock_file(folder / "process.lock") as is_held:
        assert is_held
        assert outcome(as_login.post(f"{path}start/")) == (200, None)
        assert not paused[0].wait(0.3)
    wait()
    assert as_login.get(path).json["status"] == "finished"


def test_old_imports_are_deleted_with_their_files(app, as_login, send, monkeypatch, instance):
    monkeypatch.setattr(service, "MAX_JOBS", 2)
    jobs = [send(b"Words", name=f"{number}.md") for number in range(3)]
    assert [job["name"] for job in as_login.get(IMPORTS).json] == ["2.md", "1.md"]
    assert {path.name for path in (instance / "imports").iterdir()} == {job["uuid"] for job in jobs[1:]}
    set_job(app, as_uuid(jobs[1]), last_updated=clock.now() - service.MAX_JOB_AGE - timedelta(minutes=1))
    with app.app_context():
        service.delete_old_jobs()
    assert [job["name"] for job in as_login.get(IMPORTS).json] == ["2.md"]


def test_the_start_of_a_server_deletes_what_a_killed_import_has_unpacked(app, instance):
    left = instance / "imports" / "unpacked-0123"
    left.mkdir(parents=True)
    left.with_suffix(".lock").touch()
    with app.app_context():
        service.delete_old_jobs()
    assert list((instance / "imports").iterdir()) == []


@pytest.mark.parametrize(
    ("method", "rest"),
    [("get", ""), ("get", "report/"), ("post", "start/"), ("post", "cancel/"), ("delete", "")],
)
def test_an_unknown_import_is_not_found(as_login, method, rest):
    body = {"json": {}} if rest == "start/" else {}
    assert outcome(getattr(as_login, method)(f"{IMPORTS}{uuid4()}/{rest}", **body)) == (404, "not_found")


def test_the_summary_of_an_import_is_limited(as_login, send, monkeypatch):
    monkeypatch.setattr(report_output, "MAX_PROBLEMS", 2)
    job = send(make_zip(**{f"{number}__md": BROKEN for number in range(5)}))
    assert (job["problem_count"], len(job["problems"])) == (5, 2)
    report = as_login.get(f"{IMPORTS}{job['uuid']}/report/")
    assert len(json.loads(report.data)["files"]) == 5
    assert report.headers["Content-Disposition"] == "attachment; filename=import-report.json"


def test_an_import_shows_no_user_if_they_were_deleted(app, as_login, send):
    job = send()
    from uuid import uuid4

    set_job(app, as_uuid(job), user_id=uuid4())
    assert as_login.get(IMPORTS).json[0]["user"] is None


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("../../etc/blog.zip", "blog.zip"),
        ("con.zip", "import.zip"),
        ("..", "import"),
        ("a\x00b\n.zip", "ab.zip"),
        ("Ærø 2009.zip", "Ærø 2009.zip"),
        ("x" * 300 + ".zip", "import.zip"),
    ],
)
def test_names_of_files_are_made_safe(given, stored):
    assert folders.make_file_name(given) == stored
