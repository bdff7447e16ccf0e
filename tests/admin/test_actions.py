"""The table of actions, run by Node.js: which of them publish waiting edits, and what each undo restores."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from uuid import UUID

import pytest

from blogapi import authentication
from blogapi.content.articles.lifecycle import TRANSITIONS
from blogapi.content.articles.models import Article
from blogapi.publication.visibility import API_STATUSES, SCHEDULED, Status
from blogapi.storage.database import db
from tests.admin.blogs import SOURCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sqlite("the pages use the API alone"),
    pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed"),
]

MODULE = (SOURCE / "actions.js").as_uri()
PAST, LATER = "2026-01-02T03:04:05.000000+00:00", "2099-01-02T03:04:05.000000+00:00"
# The fields with which an item of each state is created. The API shows both scheduled ones alike.
STATES = {
    "draft": {},
    "scheduled": {"status": "scheduled", "published_at": LATER},
    "scheduled, unlisted": {"status": "unlisted", "published_at": LATER},
    "published": {"status": "published", "published_at": PAST},
    "unlisted": {"status": "unlisted", "published_at": PAST},
    "archived": {"status": "archived", "published_at": PAST},
}
PUBLISHING = {"publish", "schedule", "reschedule", "update", "publishUnlisted"}
EDITS = {"title": "Edited", "content": "Edited.", "content_type": "markdown", "custom": {"mood": None}}
NEWER = {**EDITS, "content": "Newer."}


def run_node(*arguments):
    result = subprocess.run(["node", *arguments], capture_output=True, encoding="utf-8")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def table():
    program = f"import('{MODULE}').then((module) => console.log(JSON.stringify(module)))"
    return run_node("-e", program)


@pytest.fixture(scope="module")
def make_item(api):
    """Return a function that creates an article or a page in a state and returns its path."""
    api.post("blog/fields/", {"name": "mood", "label": "Mood", "type": "text", "kinds": ["article", "page"]})

    def make(kind, state, has_edits):
        text = {
            "title": "Former",
            "content": "Former.",
            "content_type": "markdown",
            "custom": {"mood": "calm"},
        }
        # What is saved of a scheduled item becomes its text: its edits wait since it was a draft.
        is_planned = state.startswith("scheduled")
        fields = {} if is_planned else STATES[state]
        path = f"blog/{kind}/{api.post(f'blog/{kind}/', text | fields)['uuid']}/"
        if has_edits:
            slug = f"edited-{path.split('/')[2][:8]}"
            # A draft whose title changes gets another slug too.
            api.put(f"{path}working-copy/", EDITS | ({} if state == "draft" else {"slug": slug}))
        if is_planned:
            api.patch(path, STATES[state])
        return path

    return make


@pytest.fixture(scope="module")
def run(blog, api):
    """Return a function that runs the cases."""
    key = api.post("auth/api-key/", {"scopes": ["published"]})["public_state"]

    def run_cases(cases):
        cookie = f"{authentication.SESSION_COOKIE}={blog.log_in()}"
        given = {"module": MODULE, "origin": blog.origin, "cookie": cookie, "key": key, "cases": cases}
        return run_node(str(Path(__file__).with_name("run_actions.mjs")), json.dumps(given))

    return run_cases


def get_stored_status(blog, path):
    with blog.app.app_context():
        return db.session.get_one(Article, UUID(path.split("/")[2])).status


def get_texts(item):
    return {name: value for name, value in item.items() if name not in ("status", "published_at")}


def get_edits(found):
    ignored = {"created", "last_updated", "version", "base_version"}
    return found["edits"] and {name: found["edits"][name] for name in found["edits"].keys() - ignored}


def test_the_table_has_the_transitions_of_the_api(table):
    assert set(table["MAIN_ACTIONS"]) == set(API_STATUSES)
    for status, action in table["MAIN_ACTIONS"].items():
        assert status in action["from"]
    for name in API_STATUSES:
        stored, scheduled = Status.PUBLISHED, SCHEDULED
        stored = stored if name == scheduled else Status(name)
        rows = [action for action in table["ACTIONS"].values() if name in action["from"]]
        targets = {action["status"] for action in rows if "status" in action}
        found = {Status.PUBLISHED if target == scheduled else Status(target) for target in targets}
        assert found - {stored} == TRANSITIONS[stored], name
    assert {name for name, row in table["ACTIONS"].items() if row.get("publishesEdits")} == PUBLISHING


def is_offered(action, state):
    return state.split(",")[0] in action["from"]


@pytest.mark.parametrize("kind", ["articles", "pages"])
@pytest.mark.parametrize("has_edits", [False, True])
def test_only_publishing_publishes_edits_and_each_undo_is_exact(table, run, make_item, blog, kind, has_edits):
    cases = [
        {"action": name, "state": state, "path": make_item(kind, state, has_edits)}
        | ({"at": "2098-01-01T00:00:00Z"} if row.get("status") == "scheduled" else {})
        for state in STATES
        for name, row in table["ACTIONS"].items()
        if is_offered(row, state)
    ]
    stored = {case["path"]: get_stored_status(blog, case["path"]) for case in cases}
    for case, result in zip(cases, run(cases), strict=True):
        name, action, path = case["action"], table["ACTIONS"][case["action"]], case["path"]
        what = f"{name} of a {case['state']} one: {result}"
        assert "error" not in result, what
        before, end, (after,) = result["before"], result["end"], result["done"]
        takes = has_edits and name in PUBLISHING
        assert after["item"]["status"] == action.get("status", before["item"]["status"]), what
        assert after["item"]["content"] == ("Edited." if takes else "Former."), what
        is_public = after["item"]["status"] in ("published", "unlisted")
        assert after["shown"] == (get_texts(after["item"]) if is_public else None), what
        assert get_edits(after) == (None if takes else get_edits(before)), what
        assert result["isUndone"] == (takes or name != "update"), what
        # Each request can be the last one of the undo: readers see the text that they saw, or nothing.
        for step in result["undone"]:
            is_planned = step["item"]["status"] in ("scheduled", "published", "unlisted")
            assert not is_planned or step["item"]["content"] == "Former.", what
            assert not step["shown"] or (before["shown"] and step["shown"]["content"] == "Former."), what
        assert end | {"edits": get_edits(end)} == before | {"edits": get_edits(before)}, what
        assert get_stored_status(blog, path) == stored[path], what


def test_what_is_not_offered_is_not_done(table, run, make_item):
    paths = {state: make_item("articles", state, True) for state in STATES}
    rows = table["ACTIONS"].items()
    cases = [
        {"action": name, "path": path}
        for state, path in paths.items()
        for name, row in rows
        if not is_offered(row, state)
    ]
    for result in run(cases):
        assert "Its status is" in result["error"]
        assert (result["undone"], result["end"]) == ([], result["before"])


def test_edits_since_the_action_stay_edits(run, make_item):
    typed = ["PUT", "working-copy/", NEWER]
    cases = [
        {"action": action, "path": make_item("articles", state, True), "meanwhile": typed}
        for action, state in (("update", "published"), ("publish", "draft"), ("unlist", "published"))
    ]
    for result in run(cases):
        before, end = result["before"], result["end"]
        assert "error" not in result
        assert (end["item"], end["shown"]) == (before["item"], before["shown"])
        assert end["edits"]["content"] == "Newer."


def test_what_was_changed_in_the_meantime_is_not_undone(run, make_item):
    path = make_item("articles", "published", True)
    (result,) = run([{"action": "update", "path": path, "meanwhile": ["PATCH", "", {"content": "Theirs."}]}])
    assert result["error"].startswith("It was changed in the meantime")
    assert (result["end"]["shown"]["content"], result["undone"]) == ("Theirs.", [])


def test_edits_can_be_published_after_an_undo(run, make_item):
    path = make_item("articles", "published", True)
    run([{"action": "update", "path": path}])
    (result,) = run([{"action": "update", "path": path}])
    assert "error" not in result, result["error"]
    assert result["done"][0]["shown"]["content"] == "Edited."
