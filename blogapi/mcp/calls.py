"""Calls of tools: the arguments become a request to the API, and its response becomes a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from blogapi.mcp.schemas import BoundTool, get_argument_name
from blogapi.web import inner_requests
from blogapi.web.fields import Fields
from blogapi.web.inner_requests import InnerResponse
from blogapi.web.json import parse_json, to_json

# Assistants cannot use longer results. No text is cut off, because an assistant could store the cut text.
MAX_BYTES = 100_000

_PATH_VALUE = re.compile(r"[^/?#.%\s]+")
_HEADER_VALUE = re.compile(r"[ -~]{1,255}")


class InvalidArgument(Exception):
    """An argument is missing, unknown or invalid; the message names it."""


def call(bound: BoundTool, arguments: Mapping[str, Any], tools: Iterable[BoundTool]) -> tuple[str, bool]:
    """Return the text of the result, and whether the call failed; an error names `tools` instead of paths."""
    try:
        response = _send_request(bound, arguments)
    except InvalidArgument as error:
        return str(error), True
    except RecursionError:
        return "The arguments are nested too deeply; send flatter ones.", True
    if response.status >= 400:
        return _describe_error(response, tools), True
    text = _describe_result(response)
    if (size := len(text.encode())) <= MAX_BYTES:
        return text, False
    return (
        f"The result has {size} bytes, and the limit is {MAX_BYTES}. Ask for fewer items with `page_size`, "
        "or name only the `fields` that you need.",
        True,
    )


def _send_request(bound: BoundTool, arguments: Mapping[str, Any]) -> InnerResponse:
    given = {name: value for name, value in arguments.items() if value is not None or name in bound.tool.body}
    schema = bound.input_schema
    if unknown := sorted(given.keys() - schema["properties"].keys()):
        raise InvalidArgument(f"This tool has no argument {unknown[0]!r}; its schema lists the arguments.")
    if missing := [name for name in schema.get("required", ()) if name not in given]:
        raise InvalidArgument(f"The argument {missing[0]!r} is missing.")
    path, query, headers = bound.path, list[tuple[str, str]](), dict[str, str]()
    for parameter in bound.parameters:
        name = parameter["name"]
        value = given.pop(get_argument_name(name), bound.tool.defaults.get(name))
        if value is None:
            continue
        if parameter["in"] == "query":
            query += [(name, _to_text(one)) for one in (value if isinstance(value, list) else [value])]
        elif parameter["in"] == "path":
            path = path.replace(f"{{{name}}}", quote(_check_value(name, value, _PATH_VALUE), safe=""))
        else:
            text = _check_value(name, value, _HEADER_VALUE)
            headers[name] = f'"{text.strip(chr(34))}"' if name == "If-Match" else text
    body = {**given, **bound.tool.fixed} if bound.takes_body else None
    return inner_requests.send_request(bound.method, path, query, headers, body)


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)


def _check_value(name: str, value: Any, pattern: re.Pattern[str]) -> str:
    text = _to_text(value)
    if not pattern.fullmatch(text):
        raise InvalidArgument(f"The argument {get_argument_name(name)!r} has an invalid value.")
    return text


def _describe_error(response: InnerResponse, tools: Iterable[BoundTool]) -> str:
    problem: Fields = json.loads(response.body)
    lines = [re.sub(r"; `errors` names [^.]+", "", problem["detail"])]
    lines += [f"{name}: {' '.join(messages)}" for name, messages in problem.get("errors", {}).items()]
    if wait := response.headers.get("Retry-After"):
        lines.append(f"Try again in {wait} seconds.")
    text = "\n".join([*lines, f"(status {response.status}, code {problem['code']})"])
    # The longest path comes first, because a path can begin with another one.
    for bound in sorted(tools, key=lambda bound: -len(bound.path)):
        text = text.replace(f"{bound.method} {bound.path}", bound.tool.name)
    return text


def _describe_result(response: InnerResponse) -> str:
    value = parse_json(response.body) if response.body else {"done": True}
    if isinstance(value, list):
        has_more = 'rel="next"' in response.headers.get("Link", "")
        total = int(response.headers.get("X-Total-Count", len(value)))
        value = {"items": value, "total": total, "more": has_more}
    elif etag := response.headers.get("ETag"):
        value["etag"] = etag.strip('"')
    return to_json(value)
