"""Calls of tools: the arguments become a request to the API, and its response becomes a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from werkzeug.test import TestResponse

from blogapi.mcp.bound_tools import BoundTool, get_argument_name
from blogapi.web import inner_requests
from blogapi.web.json import to_json

# The maximum size of a result, because assistants cannot use longer results. A longer result is refused and
# not truncated, because an assistant could store the truncated text in an article.
MAX_RESULT_BYTES = 100_000

_PATH_VALUE = re.compile(r"[^/?#.%\s]+")
_HEADER_VALUE = re.compile(r"[ -~]{1,255}")


class CallError(Exception):
    """Raised if a call of a tool fails; the message says why."""


def call_tool(bound: BoundTool, arguments: Mapping[str, Any], tools: Iterable[BoundTool]) -> str:
    """Call a tool, and return the result as text; a CallError names tools instead of paths of the API."""
    try:
        response = _send_request(bound, arguments)
    except RecursionError as error:
        raise CallError("The arguments are nested too deeply; send flatter arguments.") from error
    if response.status_code >= 400:
        raise CallError(_describe_error(response, tools))
    text = _describe_result(response)
    if (size := len(text.encode())) > MAX_RESULT_BYTES:
        raise CallError(
            f"The result has {size} bytes, and the limit is {MAX_RESULT_BYTES}. Ask for fewer items with "
            "`page_size`, or name only the `fields` that you need."
        )
    return text


def _send_request(bound: BoundTool, arguments: Mapping[str, Any]) -> TestResponse:
    given = {name: value for name, value in arguments.items() if value is not None or name in bound.tool.body}
    schema = bound.definition["inputSchema"]
    if unknown := sorted(given.keys() - schema["properties"].keys()):
        raise CallError(f"This tool has no argument {unknown[0]!r}; its schema lists the arguments.")
    if missing := [name for name in schema.get("required", ()) if name not in given]:
        raise CallError(f"The argument {missing[0]!r} is missing.")
    path, query, headers = bound.path, list[tuple[str, str]](), dict[str, str]()
    for parameter in bound.parameters:
        name, argument = parameter["name"], get_argument_name(parameter["name"])
        value = given.pop(argument, None)
        if isinstance(value, list) and schema["properties"][argument].get("type") != "array":
            raise CallError(f"The argument {argument!r} is a single value; send it without a list.")
        # An empty list adds nothing to the query, so it must not remove the default, such as a page size.
        value = bound.tool.defaults.get(name) if value is None or value == [] else value
        if value is None:
            continue
        if parameter["in"] == "query":
            items = value if isinstance(value, list) else [value]
            query += [(name, _format_value(item)) for item in items]
        elif parameter["in"] == "path":
            path = path.replace(f"{{{name}}}", quote(_format_argument(name, value, _PATH_VALUE), safe=""))
        else:
            text = _format_argument(name, value, _HEADER_VALUE)
            headers[name] = f'"{text.strip(chr(34))}"' if name == "If-Match" else text
    return inner_requests.send_request(bound.method, path, query, headers, given if bound.tool.body else None)


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)


def _format_argument(name: str, value: Any, pattern: re.Pattern[str]) -> str:
    text = _format_value(value)
    if not pattern.fullmatch(text):
        raise CallError(f"The argument {get_argument_name(name)!r} is invalid; copy it from a result.")
    return text


def _describe_error(response: TestResponse, tools: Iterable[BoundTool]) -> str:
    problem = response.get_json()
    lines = [re.sub(r"; `errors` names [^.]+", "", problem["detail"])]
    lines += [f"{name}: {' '.join(messages)}" for name, messages in problem.get("errors", {}).items()]
    if wait := response.headers.get("Retry-After"):
        lines.append(f"Try again in {wait} seconds.")
    text = "\n".join([*lines, f"(status {response.status_code}, code {problem['code']})"])
    # The longest path is replaced first, because a path can be the beginning of another path.
    for bound in sorted(tools, key=lambda bound: -len(bound.path)):
        text = text.replace(f"{bound.method} {bound.path}", bound.tool.name)
    return text


def _describe_result(response: TestResponse) -> str:
    value = response.get_json() if response.data else {"done": True}
    if isinstance(value, list):
        has_more = 'rel="next"' in response.headers.get("Link", "")
        total = int(response.headers.get("X-Total-Count", len(value)))
        value = {"items": value, "total": total, "more": has_more}
    elif etag := response.headers.get("ETag"):
        value["etag"] = etag.strip('"')
    return to_json(value)
