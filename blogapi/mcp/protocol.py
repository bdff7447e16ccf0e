"""The messages of the protocol: JSON-RPC 2.0 over HTTP, without sessions and without streams.

A request with the version in `params._meta` belongs to revision 2026-07-28. Any other request belongs to an
older revision, whose clients begin with `initialize`. The server stores nothing between two requests.
"""

from __future__ import annotations

import base64
import binascii
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


class RpcError(Exception):
    """An error of the protocol, with the HTTP status of its response and the member `error` of its body."""

    def __init__(self, code: int, message: str, *, status: int = 400, **others: Any) -> None:
        super().__init__(message)
        self.status, self.error = status, {"code": code, "message": message, **others}


def is_request_id(value: Any) -> bool:
    """Return whether the value can be the id of a request."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def read_message(message: Any, headers: Headers) -> tuple[str, Fields, bool] | None:
    """Return the method, the parameters, and whether the message belongs to revision 2026-07-28.

    Returns None for a notification or a response, which get no answer. Raises RpcError for invalid messages.
    """
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "Send a single JSON-RPC 2.0 message; batches are not supported.")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params", {})
    has_valid_id = "id" not in message or is_request_id(message["id"])
    if not isinstance(method, str) or not isinstance(params, dict) or not has_valid_id:
        raise RpcError(
            INVALID_REQUEST, "`method` must be a string, `params` an object, and `id` a string or an integer."
        )
    if "id" not in message:
        return None
    meta, version = params.get("_meta"), headers.get("MCP-Protocol-Version")
    is_modern = version == MODERN_VERSION or (isinstance(meta, dict) and VERSION_KEY in meta)
    if is_modern:
        version = _check_modern_message(method, params, headers)
    if version not in ((MODERN_VERSION,) if is_modern else (None, *LEGACY_VERSIONS, _OLDEST_VERSION)):
        data = {"supported": VERSIONS, "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data)
    return method, params, is_modern


def _check_modern_message(method: str, params: Fields, headers: Headers) -> str:
    """Return the version in the parameters; raise RpcError if a header differs from the value in the body."""
    meta = params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str) or not isinstance(params["_meta"].get(CAPABILITIES_KEY), dict):
        raise RpcError(INVALID_PARAMS, f"`params._meta` must contain {VERSION_KEY} and {CAPABILITIES_KEY}.")
    expected = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    if method == "tools/call":
        expected["Mcp-Name"] = str(params.get("name"))
    for name, value in expected.items():
        if _decode_header_value(headers.get(name)) != value:
            raise RpcError(HEADER_MISMATCH, f"The header {name} must have the value {value!r} of the body.")
    return version


def _decode_header_value(value: str | None) -> str | None:
    if value and value.startswith("=?base64?") and value.endswith("?="):
        try:
            return base64.b64decode(value[9:-2], validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return None
    return value
