"""Adds to each operation of the OpenAPI document the parts that its view does not declare."""

from __future__ import annotations

from blogapi.docs.components import METHODS, Document
from blogapi.web import headers
from blogapi.web.access import AccessRequirement, AccessRule
from blogapi.web.errors import PROBLEM_JSON, get_default_problem, get_reason_phrase
from blogapi.web.operation import Operation

HEADERS: dict[str, Document] = {
    # Every response has these headers, as the description of the document says. The single responses do not
    # refer to them, because the references would add 25 kB to the document.
    **{
        header.name: {"description": header.description, "schema": dict(header.schema)}
        for header in headers.RESPONSE_HEADERS
    },
    "ETag": {
        "description": "Validator of this response. Send it in the header If-None-Match of a read, or in the "
        "header If-Match of a write.",
        "schema": {"type": "string"},
    },
    "Allow": {"schema": {"type": "string", "example": headers.DOCUMENTED_ALLOW}},
    "X-Total-Count": {"description": "Number of items on all pages.", "schema": {"type": "integer"}},
    "Link": {
        "description": "URLs of the first, previous, next and last page, if the request asks for a page.",
        "schema": {"type": "string"},
    },
    "Location": {
        "description": "Path of the created item, or of the item that had the slug in the request.",
        "schema": {"type": "string"},
    },
    "WWW-Authenticate": {"schema": {"type": "string", "enum": ["ApiKey"]}},
    "Retry-After": {"description": "Seconds to wait before the next attempt.", "schema": {"type": "integer"}},
}
_IF_MATCH_PARAMETER = {
    "name": "If-Match",
    "in": "header",
    "description": "ETag of an earlier response, with any `fields`. If the item has changed, the write is "
    "refused with 412.",
    "schema": {"type": "string"},
}
_REFERENCE = "reference"
# Statuses of errors that many operations can return. One shared response documents all of them, which makes
# the document 55 kB smaller.
OTHER_ERRORS_KEY = "default"
OTHER_ERROR_STATUSES = (400, 401, 403, 409, 412, 413, 415, 422, 428, 429, 500, 503, 507)
_OTHER_ERRORS_TEXT = (
    "Another error. 400: the request is malformed, or a parameter is invalid. 401: the key or the login is "
    "missing or invalid. 403: the caller may not do this. 409: the state of the item or of the blog does not "
    "allow it. 412: the item has changed since the response of `If-Match`. 413: the body is too large. 415: "
    "the body has another type. 422: some fields are invalid; `errors` names them. 428: the write needs the "
    "header If-Match. 429: too many requests. 500: an unexpected error. 503: the service is overloaded or "
    "cannot reach its database. 507: the disk is full; only writes are refused. After 429 and 503, try again "
    "after `Retry-After` seconds."
)
PARAMETERS: dict[str, Document] = {
    _REFERENCE: {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "The uuid of the item, or its slug. A former slug is redirected to the current one.",
        "schema": {"type": "string"},
    },
}
_IDEMPOTENCY_KEY_PARAMETER = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A unique key of your choice. If a request is repeated with the same key within 24 "
    "hours, it is not executed again, and the response to the first request is returned.",
    "schema": {"type": "string", "pattern": "^[ -~]{1,255}$"},
}


def move_path_parameters(document: Document) -> None:
    """Move the parameters of a path to its operations if one operation declares its own parameter `id`."""
    reference = {"$ref": f"#/components/parameters/{_REFERENCE}"}
    for item in document["paths"].values():
        operations = [item[method] for method in METHODS if method in item]
        if any(reference in operation.get("parameters", ()) for operation in operations):
            common = item.pop("parameters")
            for operation in operations:
                parameters = operation.get("parameters", [])
                operation["parameters"] = parameters if reference in parameters else [*common, *parameters]


def add_undeclared_parts(
    operation: Document,
    path: str,
    method: str,
    declared: Operation,
    document: Document,
    access: AccessRequirement,
) -> None:
    """Add the access rule, headers and errors that the view does not declare itself."""
    is_write = declared.representation is not None
    operation["security"] = _list_security_requirements(access.rule)
    operation["description"] = "\n\n".join(
        (_describe_access(access), *filter(None, [operation.get("description")]))
    )
    responses = {status: response for status, response in operation["responses"].items() if int(status) < 300}
    for status, response in responses.items():
        _add_response_headers(response, method, declared, document)
        if status == "201" and is_write:
            response["headers"] |= _refer_to_headers("Location")
    shared_responses = document["components"]["responses"]
    if method == "get":
        shared_responses["304"] = {
            "description": get_reason_phrase(304),
            "headers": _refer_to_headers("ETag"),
        }
        responses["304"] = {"$ref": "#/components/responses/304"}
    if declared.find_owner is not None:
        # Only a GET accepts a slug; the other operations of the path accept only uuids.
        operation.setdefault("parameters", []).append({"$ref": f"#/components/parameters/{_REFERENCE}"})
        shared_responses["308"] = {
            "description": "The slug is a former slug of the item.",
            "headers": _refer_to_headers("Location"),
        }
        responses["308"] = {"$ref": "#/components/responses/308"}
    for part in (*operation.get("parameters", ()), operation.get("requestBody", {})):
        # `required` is false by default.
        if part.get("required") is False:
            del part["required"]
    if is_write:
        conditions = (
            [_IF_MATCH_PARAMETER, _IDEMPOTENCY_KEY_PARAMETER] if method == "post" else [_IF_MATCH_PARAMETER]
        )
        operation.setdefault("parameters", []).extend(conditions)
    may_be_missing = "{" in path or declared.may_be_missing or is_write
    for status in ("404", OTHER_ERRORS_KEY) if may_be_missing else (OTHER_ERRORS_KEY,):
        shared_responses.setdefault(status, _make_problem_response(status))
        responses[status] = {"$ref": f"#/components/responses/{status}"}
    operation["responses"] = responses
    for response in responses.values():
        if not response.get("headers", True):
            del response["headers"]


def _add_response_headers(response: Document, method: str, declared: Operation, document: Document) -> None:
    names = ["ETag"] if method == "get" else []
    names += ["Allow"] if declared.section else []
    for media in response.get("content", {}).values():
        is_list = media["schema"].get("type") == "array"
        if declared.representation is not None and not is_list:
            names.append("ETag")
        if is_list and method == "get":
            names += ["X-Total-Count", "Link"]
    headers_of_view = response.get("headers", {})
    for name, header in headers_of_view.items():
        document["components"]["headers"].setdefault(name, header)
    response["headers"] = _refer_to_headers(*headers_of_view, *names)


def _describe_access(access: AccessRequirement) -> str:
    has_scope = access.rule.checks_credentials and not access.rule.login_only
    scope = f" Scope: {access.scope}." if has_scope else ""
    limit = " A key of the scope drafts changes nothing that readers see." if access.scope == "drafts" else ""
    return f"For: {access.rule.description}.{scope}{limit}"


def _list_security_requirements(rule: AccessRule) -> list[dict[str, list[str]]]:
    key: list[dict[str, list[str]]] = [] if rule.login_only else [{"key": []}]
    identified: list[dict[str, list[str]]] = [*key, {"login": []}]
    if rule.requires_credentials:
        return identified
    return [{}, *identified] if rule.checks_credentials else []


def _make_problem_response(status: str) -> Document:
    number = 422 if status == OTHER_ERRORS_KEY else int(status)
    code, detail = get_default_problem(number)
    example = {
        "type": "about:blank",
        "title": get_reason_phrase(number),
        "status": number,
        "detail": detail,
        "code": code,
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    response = {
        "description": get_reason_phrase(number),
        "content": {PROBLEM_JSON: {"schema": schema, "example": example}},
    }
    if status == OTHER_ERRORS_KEY:
        response["description"] = _OTHER_ERRORS_TEXT
        response["headers"] = _refer_to_headers("WWW-Authenticate", "Retry-After")
    return response


def _refer_to_headers(*names: str) -> Document:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
