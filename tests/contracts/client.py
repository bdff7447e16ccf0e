"""The document of the API held against every answer that the suite sees."""

from __future__ import annotations

import re
from typing import Any

from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

from blogapi.web import headers
from blogapi.web.headers import DOCUMENTED_ALLOW as DOCUMENTED_ALLOW

HEADERS = headers.CONSTANT_HEADERS
PREVIEWS = "/api/v1/blog/preview/"


class Contract:
    """The document, ready to check answers with."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.registry = Registry().with_resource(
            "urn:api", Resource(contents=document, specification=DRAFT202012)
        )
        self.paths = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path.rstrip("/"))), path) for path in document["paths"]
        ]

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        """Return the path template and the operation that answers, or None where none is documented."""
        plain = path.removesuffix("/")
        exact = [template for pattern, template in self.paths if pattern.fullmatch(plain)]
        exact.sort(key=lambda template: template.count("{"))
        method = {"HEAD": "get"}.get(method, method.lower())
        if not exact or method not in self.document["paths"][exact[0]]:
            return None
        return exact[0], self.document["paths"][exact[0]][method]

    def check(self, method: str, path: str, answer: TestResponse) -> None:
        """Raise AssertionError where the answer is not what the document says."""
        check_headers(method, answer, stored=not path.startswith(PREVIEWS))
        if answer.status_code >= 400:
            assert answer.content_type == "application/problem+json", answer.content_type
            if method != "HEAD":
                self._validate("/components/schemas/Problem", answer.json)
                assert answer.json["status"] == answer.status_code
        found = self.operation(method, path)
        if found is None:
            return
        template, operation = found
        status = str(answer.status_code)
        assert status in operation["responses"], f"{method} {template} does not document {status}"
        pointer, documented = self.response(template, method, status)
        for name in documented.get("headers", {}):
            optional = name in ("Link", "Set-Cookie")
            assert optional or name in answer.headers, f"{method} {template} {status} lacks {name}"
        content = documented.get("content", {})
        if method == "HEAD" or not content:
            assert not answer.data
        else:
            assert answer.mimetype in content
            self._validate(f"{pointer}/content/{escaped(answer.mimetype)}/schema", answer.json)

    def response(self, template: str, method: str, status: str) -> tuple[str, dict[str, Any]]:
        """Return the place of a documented response, and the response; errors are shared by reference."""
        found = self.document["paths"][template][operation_method(method)]["responses"][status]
        if "$ref" not in found:
            return f"/paths/{escaped(template)}/{operation_method(method)}/responses/{status}", found
        pointer = found["$ref"].removeprefix("#")
        return pointer, self.document["components"]["responses"][pointer.rsplit("/", 1)[1]]

    def _validate(self, pointer: str, value: Any) -> None:
        from urllib.parse import quote

        validator = Draft202012Validator(
            {"$ref": f"urn:api#{quote(pointer)}"},
            registry=self.registry,
            format_checker=Draft202012Validator.FORMAT_CHECKER,
        )
        validator.validate(value)


def escaped(step: str) -> str:
    """Return a step of a JSON pointer as it is written."""
    return step.replace("~", "~0").replace("/", "~1")


def operation_method(method: str) -> str:
    """Return the method under which the document keeps the operation."""
    return "get" if method == "HEAD" else method.lower()


def check_headers(method: str, answer: TestResponse, *, stored: bool = True) -> None:
    """Raise AssertionError where a header that every answer carries is missing.

    `stored` tells whether a browser may keep the answer at all.
    """
    for header in headers.RESPONSE_HEADERS:
        (value,) = answer.headers.getlist(header.name)
        Draft202012Validator(header.schema).validate(value)
    # What has no body has no type of one.
    assert ("Content-Type" in answer.headers) is (answer.status_code not in (204, 304))
    if method in ("GET", "HEAD"):
        kept = stored or answer.status_code >= 400
        assert answer.headers["Cache-Control"] == ("private, no-cache" if kept else "no-store")
        if answer.status_code in (200, 304):
            assert re.fullmatch(r'"[^"]+"', answer.headers["ETag"])
    else:
        assert answer.headers["Cache-Control"] == "no-store"


class CheckedClient(FlaskClient):
    """A client that holds every answer against the document."""

    contract: Contract
    key: str | None = None

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        if self.key is not None:
            headers = dict(kwargs.pop("headers", None) or {})
            kwargs["headers"] = {"X-API-KEY": self.key} | headers
        answer = super().open(*args, **kwargs)
        request = answer.request
        if not request.path.startswith("/docs") and request.method != "OPTIONS":
            self.contract.check(request.method, request.path, answer)
        else:
            check_headers(request.method, answer)
        return answer


def lasting(answer: Any) -> list[tuple[str, str]]:
    """Return the headers of an answer but its id, which each request has of its own."""
    return sorted((name, value) for name, value in answer.headers if name != "X-Request-ID")


def outcome(answer: TestResponse) -> tuple[int, str | None]:
    """Return the status of an answer and the code of its error; None where it is none or has no body."""
    is_error = answer.mimetype == "application/problem+json" and answer.data
    return answer.status_code, answer.json["code"] if is_error else None
