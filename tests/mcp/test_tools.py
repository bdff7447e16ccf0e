"""The tools: who sees which, what they send, and what they return."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema_rs import Draft202012Validator

from blogapi.mcp import tool_calls
from blogapi.mcp.bound_tools import bind_tools
from blogapi.mcp.tools import TOOLS
from blogapi.web.access import Role
from blogapi.web.request_environ import ROUTE_KEY
from tests.conftest import ARTICLES

READ_PUBLISHED = [
    *("whoami", "get_site", "search_articles", "get_article", "list_pages", "get_page"),
    *("list_categories", "list_tags", "list_changes"),
]
READ = [
    *READ_PUBLISHED,
    "list_my_articles",
    "list_files",
    "list_versions",
    "compare_version",
    "get_working_copy",
]
WRITE = [
    *("create_draft", "edit_article", "save_working_copy", "publish", "publish_working_copy"),
    *("restore_version", "create_preview_link", "create_tag", "describe_file"),
    *("delete_article", "restore_article"),
]
DRAFTS = ["create_draft", "edit_article", "save_working_copy"]
SENTENCES = re.compile(r"[A-Z`][^\n]*[.]")


@pytest.mark.parametrize(
    ("role", "scope", "names"),
    [
        *((role, "published", READ_PUBLISHED) for role in (Role.AUTHOR, Role.EDITOR, Role.ADMIN)),
        *((Role.READER, scope, READ_PUBLISHED) for scope in ("published", "read", "write")),
        *((role, "read", READ) for role in (Role.AUTHOR, Role.EDITOR, Role.ADMIN)),
        *((role, "drafts", [*READ, *DRAFTS]) for role in (Role.AUTHOR, Role.EDITOR, Role.ADMIN)),
        (Role.READER, "drafts", READ_PUBLISHED),
        *((role, "write", READ + WRITE) for role in (Role.AUTHOR, Role.EDITOR, Role.ADMIN)),
    ],
)
def test_the_list_follows_the_role_and_the_scope(make_assistant, role, scope, names):
    assert sorted(make_assistant(role, scope).list_tools()) == sorted(names)


def test_there_are_25_tools_in_at_most_25_kilobytes(assistant):
    tools = assistant.ask("tools/list")["tools"]
    assert len(tools) == len({tool["name"] for tool in tools}) == len(TOOLS) == 25
    assert len(json.dumps(tools)) < 25_000


def test_each_schema_is_valid_and_complete(assistant):
    for tool in assistant.ask("tools/list")["tools"]:
        schema = tool["inputSchema"]
        Draft202012Validator(schema)
        text = json.dumps(schema)
        assert "$ref" not in text and "readOnly" not in text and "example" not in text
        assert schema["type"] == "object" and {*schema.get("required", ())} <= schema["properties"].keys()
        assert SENTENCES.fullmatch(tool["description"]), tool["name"]


def test_the_table_names_only_what_the_operations_have(contract):
    for bound in bind_tools(contract.original).values():
        tool, schema = bound.tool, bound.definition["inputSchema"]
        names = {parameter["name"] for parameter in bound.parameters}
        assert {*tool.parameters, *tool.defaults} <= names, tool.name
        assert {*tool.body} <= schema["properties"].keys(), tool.name


def test_hints_say_what_a_tool_does(assistant):
    tools = {tool["name"]: tool["annotations"] for tool in assistant.ask("tools/list")["tools"]}
    reads = {name for name, hints in tools.items() if hints["readOnlyHint"]}
    assert reads == {*READ}
    destructive = {name for name, hints in tools.items() if hints["destructiveHint"]}
    assert destructive == {
        *("edit_article", "publish", "publish_working_copy", "restore_version"),
        *("describe_file", "delete_article"),
    }
    idempotent = {name for name, hints in tools.items() if hints["idempotentHint"]}
    assert idempotent - reads == {
        *("edit_article", "save_working_copy", "publish", "describe_file", "delete_article")
    }
    assert not any(hints["openWorldHint"] for hints in tools.values())


def test_changes_of_what_exists_need_its_etag(assistant):
    tools = {tool["name"]: tool["inputSchema"] for tool in assistant.ask("tools/list")["tools"]}
    taken = {name for name, schema in tools.items() if "if_match" in schema["properties"]}
    required = {name for name in taken if "if_match" in tools[name]["required"]}
    assert required == {"edit_article", "save_working_copy", "publish", "delete_article"}
    assert taken - required == {"publish_working_copy", "restore_version"}


def test_no_tool_that_writes_drafts_has_a_status(assistant):
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in assistant.ask("tools/list")["tools"]}
    for name in ("create_draft", "edit_article", "save_working_copy"):
        assert not {"status", "published_at", "featured", "authors"} & tools[name].keys()
    assert "status" in assistant.call("create_draft", title="T", status="published")
    assert assistant.call("create_draft", title="T")["status"] == "draft"


def test_a_list_says_how_many_there_are_and_whether_more_follow(assistant, make_article):
    for _ in range(3):
        make_article()
    page = assistant.call("search_articles", page_size=2)
    assert (len(page["items"]), page["total"], page["more"]) == (2, 3, True)
    assert "content" not in page["items"][0]
    page = assistant.call("search_articles", page_size=2, page=2)
    assert (len(page["items"]), page["total"], page["more"]) == (1, 3, False)


@pytest.mark.parametrize("empty", [None, []])
def test_an_argument_without_a_value_keeps_its_default(assistant, make_article, make_tag, empty):
    bread, rye = make_tag("bread"), make_tag("rye")
    for tags in ((bread,), (bread, rye), (rye,), ()):
        make_article(tags=tags)
    assert assistant.call("search_articles", tag=empty, uuid=empty)["total"] == 4
    for tag, total in ((["bread", "rye"], 3), (["rye"], 2), ("rye", 2)):
        assert assistant.call("search_articles", tag=tag)["total"] == total
    assert assistant.call("search_articles", page=None, page_size=None)["total"] == 4


@pytest.mark.parametrize("value", [[], [1], ["1", "2"]])
@pytest.mark.parametrize("name", ["page", "page_size", "fields", "q", "status"])
def test_only_an_argument_with_several_values_takes_a_list(assistant, make_article, name, value):
    make_article()
    text = assistant.call("search_articles", **{name: value})
    assert text == f"The argument {name!r} is a single value; send it without a list."


def test_the_id_of_an_item_is_no_list(assistant, make_article):
    uuid = str(make_article().uuid)
    assert "without a list" in assistant.call("get_article", id=[uuid])
    assert assistant.call("get_article", id=uuid)["uuid"] == uuid


def test_an_object_has_its_etag_which_a_write_needs(assistant, make_article):
    uuid = str(make_article().uuid)
    etag = assistant.call("get_article", id=uuid)["etag"]
    assert assistant.call("edit_article", id=uuid, title="A") == "The argument 'if_match' is missing."
    changed = assistant.call("edit_article", id=uuid, title="A", if_match=etag)
    assert changed["title"] == "A" and changed["etag"] != etag
    assert "status 412, code stale" in assistant.call("edit_article", id=uuid, title="B", if_match=etag)
    assert "status 412" in assistant.call("edit_article", id=uuid, title="B", if_match="*")
    again = f'"{changed["etag"]}"'
    assert assistant.call("edit_article", id=uuid, title="C", if_match=again)["title"] == "C"


@pytest.mark.parametrize(
    ("size", "fits"), [(tool_calls.MAX_RESULT_BYTES - 3000, True), (tool_calls.MAX_RESULT_BYTES, False)]
)
def test_a_result_is_whole_or_an_error(assistant, make_article, size, fits):
    uuid = str(make_article(content="x" * size, content_type="text").uuid)
    result = assistant.call("get_article", id=uuid)
    if fits:
        assert result["content"] == "x" * size
    else:
        assert "`page_size`" in result and "`fields`" in result and "xxx" not in result
        assert assistant.call("get_article", id=uuid, fields="*,-content")["title"]


def test_errors_are_the_sentences_of_the_api(assistant, make_assistant, make_article):
    assert assistant.call("create_draft", title="", category={"slug": "none"}).splitlines()[0] == (
        "Some fields are invalid."
    )
    assert "title: " in assistant.call("create_draft", title="")
    text = make_assistant(Role.AUTHOR).call("search_articles", status="any")
    assert "list_my_articles" in text and "/api/v1/blog/articles" not in text
    text = make_assistant(scope="read").call("create_draft", title="T")
    assert "code scope_missing" in text
    assert "status 404" in assistant.call("get_article", id="no-such-article")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_article", {"id": "../auth/api-key"}),
        ("get_article", {"id": "own/../own"}),
        ("get_article", {"id": "a?status=any"}),
        ("get_article", {"id": "%2e%2e"}),
        ("get_article", {"id": ""}),
        ("get_article", {"id": {"a": 1}}),
        ("get_article", {"id": "a", "x": 1}),
        ("get_article", {}),
        ("search_articles", {"page": {"a": 1}}),
        ("search_articles", {"page": "1&status=any"}),
        ("search_articles", {"q": ["a", "b"]}),
        ("search_articles", {"X-API-KEY": "x"}),
        ("compare_version", {"id": "a", "number": "1/restore"}),
        ("create_draft", {"title": "T", "idempotency_key": "a\r\nX-API-KEY: b"}),
        ("create_draft", {"title": {"a": [1]}}),
        ("create_draft", {"title": "T", "content": 1}),
        ("create_draft", {"title": "T", "fields": "*"}),
        ("create_draft", {"title": "T", "uuid": "00000000-0000-4000-8000-000000000001"}),
        ("edit_article", {"id": "a", "title": "T", "if_match": "x\ny"}),
        ("edit_article", {"id": "a", "title": "T", "if_match": "é"}),
    ],
)
def test_bad_arguments_are_errors_for_the_assistant(assistant, name, arguments):
    result = assistant.ask("tools/call", name=name, arguments=arguments)
    assert result["isError"] is True and result["content"][0]["text"]
    assert assistant.call("search_articles", status="any")["total"] == 0


def test_a_deeply_nested_argument_is_an_error(assistant):
    deep = "[" * 900 + "]" * 900
    message = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_draft","arguments":'
        f'{{"title":{deep}}}}}}}'
    )
    response = assistant.post(message)
    assert response.status_code in (200, 400)
    if response.status_code == 200:
        assert response.json["result"]["isError"] is True


def test_an_unknown_tool_is_an_error_of_the_protocol(assistant):
    for name in ("publish_all", "GET /api/v1/users/", "x" * 10_000):
        assert assistant.ask("tools/call", name=name)["code"] == -32602


def test_a_repeated_draft_with_a_key_is_the_same_draft(assistant):
    first = assistant.call("create_draft", title="T", idempotency_key="one")
    assert assistant.call("create_draft", title="T", idempotency_key="one")["uuid"] == first["uuid"]
    assert assistant.call("search_articles", status="any")["total"] == 1


def test_a_former_slug_leads_to_the_article(assistant, as_admin, make_article):
    uuid = make_article(slug="old").uuid
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"slug": "new"})
    assert assistant.call("get_article", id="old")["slug"] == "new"


def test_the_log_shows_which_tool_was_called(assistant, door, monkeypatch):
    environs, application = [], door.wsgi_app
    monkeypatch.setattr(door, "wsgi_app", lambda *call: environs.append(call[0]) or application(*call))
    assistant.call("get_site")
    assistant.ask("tools/call", name="x" * 100)
    assert [environ[ROUTE_KEY] for environ in environs] == ["/mcp/get_site", "/mcp"]
