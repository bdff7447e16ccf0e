"""The messages of the protocol, sent as raw requests."""

from __future__ import annotations

import base64
import json

import pytest

from blogapi.mcp.protocol import CAPABILITIES_KEY, MODERN_VERSION, SERVER_KEY, VERSION_KEY, VERSIONS
from blogapi.mcp.routes import MAX_BODY_BYTES
from tests.mcp.conftest import META, Assistant, open_door

SITE = "/api/v1/blog/site/"
HEADERS = {"MCP_Protocol_Version": MODERN_VERSION}


def request(method, id=1, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def modern(method, **params):
    return request(method, _meta=META, **params)


def encoded(text):
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


LIST, CALL = modern("tools/list"), modern("tools/call", name="get_site", arguments={})
OF_CALL = HEADERS | {"Mcp_Method": "tools/call"}


@pytest.mark.parametrize(
    ("message", "headers", "status", "code"),
    [
        # Revision 2026-07-28.
        (modern("server/discover"), HEADERS | {"Mcp_Method": "server/discover"}, 200, None),
        (LIST, HEADERS | {"Mcp_Method": "tools/list"}, 200, None),
        (CALL, OF_CALL | {"Mcp_Name": "get_site"}, 200, None),
        (CALL, OF_CALL | {"Mcp_Name": encoded("get_site")}, 200, None),
        (CALL, OF_CALL | {"Mcp_Name": "=?base64?%?="}, 400, -32020),
        (CALL, OF_CALL | {"Mcp_Name": "Get_site"}, 400, -32020),
        (CALL, OF_CALL | {"Mcp_Name": "whoami"}, 400, -32020),
        (CALL, OF_CALL, 400, -32020),
        (LIST, HEADERS, 400, -32020),
        (LIST, HEADERS | {"Mcp_Method": "TOOLS/LIST"}, 400, -32020),
        (LIST, {"Mcp_Method": "tools/list"}, 400, -32020),
        (LIST, {"MCP_Protocol_Version": "2025-11-25", "Mcp_Method": "tools/list"}, 400, -32020),
        (request("tools/list"), HEADERS | {"Mcp_Method": "tools/list"}, 400, -32602),
        (
            request("tools/list", _meta={VERSION_KEY: MODERN_VERSION}),
            HEADERS | {"Mcp_Method": "tools/list"},
            400,
            -32602,
        ),
        (
            request("tools/list", _meta={VERSION_KEY: 1, CAPABILITIES_KEY: {}}),
            HEADERS | {"Mcp_Method": "tools/list"},
            400,
            -32602,
        ),
        (
            request("tools/list", _meta=META | {VERSION_KEY: "2030-01-01"}),
            {"MCP_Protocol_Version": "2030-01-01", "Mcp_Method": "tools/list"},
            400,
            -32022,
        ),
        (modern("initialize"), HEADERS | {"Mcp_Method": "initialize"}, 404, -32601),
        (modern("ping"), HEADERS | {"Mcp_Method": "ping"}, 404, -32601),
        (
            modern("tools/call", name="no_tool"),
            OF_CALL | {"Mcp_Name": "no_tool"},
            200,
            -32602,
        ),
        # The older revisions.
        (request("initialize", protocolVersion="2025-06-18"), {}, 200, None),
        (request("ping"), {}, 200, None),
        (request("tools/list"), {"MCP_Protocol_Version": "2025-11-25"}, 200, None),
        (request("tools/list"), {"MCP_Protocol_Version": "2025-03-26"}, 200, None),
        (request("tools/list"), {"MCP_Protocol_Version": "2024-11-05"}, 400, -32022),
        (request("tools/call", name="get_site"), {}, 200, None),
        (request("tools/call", name="no_tool"), {}, 200, -32602),
        (request("tools/call", name=["get_site"]), {}, 200, -32602),
        (request("tools/call", name="get_site", arguments=[1]), {}, 200, -32602),
        (request("resources/list"), {}, 200, -32601),
        (request("server/discover"), {}, 200, -32601),
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}, 202, None),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}, 202, None),
        # Neither.
        ([LIST], {}, 400, -32600),
        ([], {}, 400, -32600),
        ("null", {}, 400, -32600),
        ("1", {}, 400, -32600),
        (request("ping", id=None), {}, 400, -32600),
        (request("ping", id=1.5), {}, 400, -32600),
        (request("ping", id=True), {}, 400, -32600),
        ({"id": 1, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 1}, {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, {}, 400, -32600),
        ("{", {}, 400, -32700),
        ("", {}, 400, -32700),
        (b"\xff", {}, 400, -32700),
        ('{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', {}, 400, -32700),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', {}, 400, -32700),
        ("[" * 100_000, {}, 400, -32700),
    ],
)
def test_each_message_has_its_answer(assistant, message, headers, status, code):
    response = assistant.post(message, **headers)
    assert response.status_code == status
    if status == 202:
        assert response.data == b""
        return
    assert response.mimetype == "application/json" and response.json["jsonrpc"] == "2.0"
    assert response.json.get("error", {}).get("code") == code
    if isinstance(message, dict) and isinstance(message.get("id"), int) and message["id"] is not True:
        assert response.json["id"] == message["id"]
    elif code:
        assert "id" not in response.json


def test_an_unknown_version_gets_the_known_ones(assistant):
    error = assistant.post(request("ping"), MCP_Protocol_Version="1999-01-01").json["error"]
    assert error["data"] == {"supported": [*VERSIONS], "requested": "1999-01-01"}


def test_discover_describes_the_server(assistant):
    result = assistant.ask("server/discover")
    assert result.pop("instructions").startswith("A blog.")
    assert result.pop("_meta")[SERVER_KEY]["name"] == "blogapi"
    assert result == {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18"],
        "capabilities": {"tools": {}},
        "ttlMs": 300_000,
        "cacheScope": "private",
    }


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2025-03-26", "2025-11-25"),
        (MODERN_VERSION, "2025-11-25"),
        (["x"], "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_initialize_chooses_a_version_and_starts_no_session(assistant, wanted, chosen):
    response = assistant.post(request("initialize", protocolVersion=wanted))
    assert response.json["result"]["protocolVersion"] == chosen
    assert "Mcp-Session-Id" not in response.headers and "Set-Cookie" not in response.headers


def test_a_modern_result_names_its_type_and_an_older_one_does_not(assistant):
    assert assistant.ask("tools/list")["ttlMs"] == 300_000
    assert set(assistant.ask("tools/call", name="get_site")) == {"resultType", "_meta", "content", "isError"}
    result = assistant.post(request("tools/call", name="get_site")).json["result"]
    assert set(result) == {"content", "isError"}


@pytest.mark.parametrize("method", ["get", "delete", "put", "patch"])
def test_other_methods_are_refused(door, assistant, method):
    client, headers = door.test_client(), {"Authorization": f"Bearer {assistant.key}"}
    response = getattr(client, method)("/mcp", headers=headers)
    assert (response.status_code, response.headers["Allow"]) == (405, "POST, OPTIONS")
    assert getattr(client, method)("/mcp").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer blogapi_wrong"},
        {"Authorization": "Basic {key}"},
        {"X-API-KEY": ""},
    ],
)
def test_a_key_is_needed(door, assistant, headers):
    sent = {name: value.replace("{key}", assistant.key) for name, value in headers.items()}
    response = door.test_client().post("/mcp", json=request("ping"), headers=sent)
    assert (response.status_code, response.mimetype) == (401, "application/problem+json")
    assert response.headers["WWW-Authenticate"] == "ApiKey"


def test_a_login_gives_no_access(door, as_login):
    assert as_login.get("/api/v1/auth/me/").json["username"] == "ada"
    response = as_login.post("/mcp", json=request("ping"))
    assert (response.status_code, response.json["code"]) == (401, "key_missing")


def test_the_header_of_the_api_serves_too(door, assistant):
    response = door.test_client().post("/mcp", json=request("ping"), headers={"X-API-KEY": assistant.key})
    assert response.json["result"] == {}


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost", "null", ""])
@pytest.mark.parametrize("host", ["localhost", "evil.example"])
def test_pages_of_unknown_origins_are_refused(assistant, origin, host):
    response = assistant.post(request("ping"), Origin=origin, Host=host)
    assert (response.status_code, response.json["code"]) == (403, "cross_origin")


def test_pages_of_known_origins_may_call(make_app, people):
    app = make_app(CORS_ORIGINS=["https://app.example"])
    open_door(app)
    assistant = Assistant(app, people.key(people.admin))
    assert assistant.post(request("ping"), Origin="https://app.example").json["result"] == {}
    assert assistant.post(request("ping"), Origin="https://app.example.evil").status_code == 403
    asked = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type, mcp-method",
    }
    preflight = app.test_client().options("/mcp", headers=asked)
    allowed = preflight.headers["Access-Control-Allow-Headers"].lower()
    assert allowed == "authorization, content-type, mcp-method"
    assert assistant.post(request("ping"), Host="evil.example").json["result"] == {}


def test_sizes_and_types_are_limited(assistant):
    assert assistant.post(request("ping", x="y" * MAX_BODY_BYTES)).status_code == 413
    assert assistant.post(request("ping", x="y" * (MAX_BODY_BYTES - 1000))).status_code == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""):
        assert assistant.post(request("ping"), Content_Type=kind).status_code == 415


def test_the_path_takes_no_query(door, assistant):
    headers = {"Authorization": f"Bearer {assistant.key}"}
    assert door.test_client().post("/mcp?x=1", json=request("ping"), headers=headers).status_code == 400


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options", "head"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_closed_door_does_not_exist(app, make_app, people, method, path):
    key = people.key(people.admin, "write")
    for headers in ({}, {"Authorization": f"Bearer {key}"}):
        response = getattr(app.test_client(), method)(path, data="{", headers=headers)
        assert response.status_code == 404
    forbidden = make_app(DOORS=False)
    open_door(forbidden)
    assert getattr(forbidden.test_client(), method)(path).status_code == 404


def test_an_admin_opens_and_closes_it_for_the_next_request(app, people, as_login, make_client):
    other = Assistant(app, people.key(None))
    assert other.post(request("ping")).status_code == 404
    for is_open in (True, False, True):
        assert as_login.patch(SITE, json={"mcp": is_open}).json["mcp"] is is_open
        assert other.post(request("ping")).status_code == (200 if is_open else 404)


def test_only_a_login_of_an_admin_opens_it(as_admin, as_editor, as_stranger, as_login, as_member_login):
    for client in (as_admin, as_editor, as_stranger, as_member_login):
        assert client.patch(SITE, json={"mcp": True}).status_code in (401, 403)
    assert as_login.get(SITE).json["mcp"] is False
    assert as_login.patch(SITE, json={"mcp": "yes"}).json["errors"]["mcp"]


def test_only_admins_see_whether_it_is_open(
    door, as_login, as_admin, as_editor, as_reader, as_published_admin
):
    assert as_login.get(SITE).json["mcp"] is as_admin.get(SITE).json["mcp"] is True
    for client in (as_editor, as_reader, as_published_admin):
        assert "mcp" not in client.get(SITE).json
        assert "mcp" not in client.get(f"{SITE}?fields=mcp,title").json


def test_a_call_counts_once(make_app, people):
    app = make_app(REQUEST_KEY_LIMIT="2 per minute")
    open_door(app)
    assistant = Assistant(app, people.key(people.admin))
    call = request("tools/call", name="get_site")
    assert [assistant.post(call).status_code for _ in range(3)] == [200, 200, 429]


def test_the_list_of_tools_depends_on_the_key_alone(assistant, make_article):
    first = json.dumps(assistant.ask("tools/list"))
    make_article()
    assert json.dumps(assistant.ask("tools/list")) == first
