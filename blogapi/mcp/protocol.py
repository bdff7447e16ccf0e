"""The messages of the protocol: JSON-RPC 2.0 over HTTP, without sessions and without streams.

A request with the version in `params._meta` belongs to revision 2026-07-28, any other to an older revision,
which begins with `initialize`. In both, nothing is stored between two requests.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import Headers

from blogapi.web.fields import Fields

MODERN_VERSION, LEGACY_VERSIONS = "2026-07-28", ("2025-11-25", "2025-06-18")
VERSIONS = (MODERN_VERSION, *LEGACY_VERSIONS)
# Clients of this revision send no header with the version; some clients of later revisions send this version.
_OLDEST_VERSION = "2025-03-26"
_META_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = f"{_META_PREFIX}protocolVersion"
CAPABILITIES_KEY = f"{_META_PREFIX}clientCapabilities"
SERVER_KEY = f"{_META_PREFIX}serverInfo"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022

_CAPABILITIES: Mapping[str, Any] = {"tools": {}}
# How long a client may keep a list; the list depends on the key.
_LIST_CACHING = {"ttlMs": 300_000, "cacheScope": "private"}


class RpcError(Exception):
    """An error of the protocol, with the HTTP status of its response."""

    def __init__(self, code: int, message: str, *, status: int = 400, data: Fields | None = None) -> None:
        super().__init__(message)
        self.code, self.status, self.data = code, status, data


@dataclass(frozen=True, slots=True)
class Server:
    """The contents of answers; `call_tool` returns the text of the result, and whether the call failed."""

    info: Mapping[str, str]
    instructions: str
    list_tools: Callable[[], Sequence[Fields]]
    call_tool: Callable[[str, Fields], tuple[str, bool]]


def answer(message: Any, headers: Headers, server: Server) -> tuple[int, Fields | None]:
    """Return the HTTP status and the body of the answer to a message; a notification gets no body."""
    try:
        method, params = _read_message(message)
        if method is None or "id" not in message:
            return 202, None
        meta = params.get("_meta")
        is_modern = isinstance(meta, dict) and VERSION_KEY in meta
        if is_modern or headers.get("MCP-Protocol-Version") == MODERN_VERSION:
            _check_modern(method, params, headers)
            result = _answer_modern(method, params, server)
        else:
            _check_legacy(headers)
            result = _answer_legacy(method, params, server)
    except RpcError as error:
        return error.status, make_error(error, message)
    return 200, {"jsonrpc": "2.0", "id": message["id"], "result": result}


def make_error(error: RpcError, message: Any = None) -> Fields:
    """Return the body of an error; it has the id of the message if that is valid."""
    body: Fields = {"code": error.code, "message": str(error)}
    if error.data is not None:
        body["data"] = error.data
    id = message.get("id") if isinstance(message, dict) else None
    return {"jsonrpc": "2.0", **({"id": id} if _is_id(id) else {}), "error": body}


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _read_message(message: Any) -> tuple[str | None, Fields]:
    """Return the method and the parameters; the method is None for a response, which needs no answer."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "Send a single JSON-RPC 2.0 message; batches are not supported.")
    if "method" not in message and ("result" in message or "error" in message):
        return None, {}
    method, params = message.get("method"), message.get("params", {})
    has_id = "id" not in message or _is_id(message["id"])
    if not isinstance(method, str) or not isinstance(params, dict) or not has_id:
        raise RpcError(
            INVALID_REQUEST, "`method` must be a string, `params` an object, and `id` a string or an integer."
        )
    return method, params


def _check_modern(method: str, params: Fields, headers: Headers) -> None:
    meta = params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str) or not isinstance(params["_meta"].get(CAPABILITIES_KEY), dict):
        raise RpcError(INVALID_PARAMS, f"`params._meta` must contain {VERSION_KEY} and {CAPABILITIES_KEY}.")
    expected = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if method == "tools/call":
        expected["Mcp-Name"] = str(params.get("name"))
    for name, value in expected.items():
        if _decode_header(headers.get(name)) != value:
            raise RpcError(HEADER_MISMATCH, f"The header {name} must have the value {value!r} of the body.")
    if version != MODERN_VERSION:
        raise _make_version_error(version)


def _make_version_error(version: str) -> RpcError:
    data = {"supported": [*VERSIONS], "requested": version}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data)


def _decode_header(value: str | None) -> str | None:
    if value and value.startswith("=?base64?") and value.endswith("?="):
        try:
            return base64.b64decode(value[9:-2], validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return None
    return value


def _check_legacy(headers: Headers) -> None:
    version = headers.get("MCP-Protocol-Version")
    if version not in (None, *LEGACY_VERSIONS, _OLDEST_VERSION):
        raise _make_version_error(str(version))


def _answer_modern(method: str, params: Fields, server: Server) -> Fields:
    result: Fields = {"resultType": "complete", "_meta": {SERVER_KEY: dict(server.info)}}
    match method:
        case "server/discover":
            described = {"capabilities": _CAPABILITIES, "instructions": server.instructions}
            return result | _LIST_CACHING | {"supportedVersions": [*VERSIONS]} | described
        case "tools/list":
            return result | _LIST_CACHING | {"tools": server.list_tools()}
        case "tools/call":
            return result | _call_tool(params, server)
    # A client of new and old revisions continues with `initialize` only after another error.
    raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}", status=404)


def _answer_legacy(method: str, params: Fields, server: Server) -> Fields:
    match method:
        case "initialize":
            wanted = params.get("protocolVersion")
            return {
                "protocolVersion": wanted if wanted in LEGACY_VERSIONS else LEGACY_VERSIONS[0],
                "capabilities": _CAPABILITIES,
                "serverInfo": dict(server.info),
                "instructions": server.instructions,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": server.list_tools()}
        case "tools/call":
            return _call_tool(params, server)
    raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}", status=200)


def _call_tool(params: Fields, server: Server) -> Fields:
    name, arguments = params.get("name"), params.get("arguments")
    arguments = {} if arguments is None else arguments
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "`name` must be a string, and `arguments` an object.", status=200)
    text, is_error = server.call_tool(name, arguments)
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
