"""A test client that checks every response against the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from flask.testing import FlaskClient
from jsonschema_rs import Draft202012, Draft202012Validator, Registry
from werkzeug.test import TestResponse

from blogapi.admin import routes as admin
from blogapi.content.media.delivery import CACHE_CONTROL
from blogapi.docs.components import SCHEMA_PREFIX
from blogapi.docs.operations import OTHER_ERROR_STATUSES, OTHER_ERRORS_KEY
from blogapi.publication.shared_caching import MAX_CACHE_TAGS_BYTES
from blogapi.site.served_paths import is_site_path
from blogapi.web import headers
from blogapi.web.headers import DOCUMENTED_ALLOW as DOCUMENTED_ALLOW
from blogapi.web.media_addresses import MEDIA_PREFIX

HEADERS = headers.CONSTANT_HEADERS
_HEADER_VALIDATORS = {header.name: Draft202012Validator(header.schema) for header in headers.RESPONSE_HEADERS}
# Responses at these paths are the same for everyone.
SHARED_PATHS = (
    "/feeds/",
    "/sitemap",
    "/robots.txt",
    "/docs/static/",
    "/docs/blogapi.js",
    "/docs/search.json",
    "/style.css",
)
# The headers of errors that the document describes with other errors.
_ERROR_HEADERS = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}
PREVIEWS = ("/api/v1/blog/preview/", "/preview/")


class Contract:
    """The OpenAPI document, prepared for checking responses."""

    def __init__(self, original: dict[str, Any]) -> None:
        self.original, self.document = original, merge_schemas(original)
        self.registry = Registry([("urn:api", self.document)], draft=Draft202012)
        self.validators: dict[str, Draft202012Validator] = {}
        self.operations: dict[tuple[str, str], tuple[str, dict[str, Any]] | None] = {}
        self.paths = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path.rstrip("/"))), path) for path in original["paths"]
        ]

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        """Return the path template and the operation, or None if the operation is not documented."""
        if (method, path) not in self.operations:
            self.operations[method, path] = self._find_operation(method, path)
        return self.operations[method, path]

    def _find_operation(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        path = path.removesuffix("/")
        matches = [template for pattern, template in self.paths if pattern.fullmatch(path)]
        matches.sort(key=lambda template: template.count("{"))
        method = {"HEAD": "get"}.get(method, method.lower())
        if not matches or method not in self.document["paths"][matches[0]]:
            return None
        return matches[0], self.document["paths"][matches[0]][method]

    def check(self, method: str, path: str, response: TestResponse, *, has_fields: bool = False) -> None:
        """Raise AssertionError if the response differs from the OpenAPI document.

        `has_fields` is whether the request selects fields; the response then lacks required properties.
        """
        is_secret = path.startswith(PREVIEWS) or "Content-Disposition" in response.headers
        check_headers(method, response, storable=not is_secret)
        if response.status_code >= 400:
            assert response.content_type == "application/problem+json", response.content_type
            if method != "HEAD":
                self._validate("/components/schemas/Problem", response.json)
                assert response.json["status"] == response.status_code
        match = self.operation(method, path)
        if match is None:
            return
        template, operation = match
        status = find_status(operation, response.status_code)
        assert status, f"{method} {template} does not document {response.status_code}"
        pointer, documented = self.response(template, method, status)
        for name in documented.get("headers", {}):
            is_other_error = status == OTHER_ERRORS_KEY and name != _ERROR_HEADERS.get(response.status_code)
            is_optional = name in ("Link", "Set-Cookie") or is_other_error
            assert is_optional or name in response.headers, f"{method} {template} {status} lacks {name}"
        content = documented.get("content", {})
        if method == "HEAD" or not content:
            assert not response.data
        else:
            assert response.mimetype in content
            body = response.json if response.is_json else response.data.decode("utf-8", "replace")
            if has_fields and response.status_code in (200, 201):
                self._validate_selected(content[response.mimetype]["schema"], body)
            else:
                self._validate(f"{pointer}/content/{escape_pointer(response.mimetype)}/schema", body)

    def response(self, template: str, method: str, status: str) -> tuple[str, dict[str, Any]]:
        """Return the JSON pointer and the content of a documented response. A reference is resolved."""
        documented = self.document["paths"][template][operation_method(method)]["responses"][status]
        if "$ref" not in documented:
            return (
                f"/paths/{escape_pointer(template)}/{operation_method(method)}/responses/{status}",
                documented,
            )
        pointer = documented["$ref"].removeprefix("#")
        return pointer, self.document["components"]["responses"][pointer.rsplit("/", 1)[1]]

    def resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the component to which a schema refers, or the schema itself."""
        name = schema.get("$ref", "").rpartition("/")[2]
        return self.document["components"]["schemas"][name] if name else schema

    def _validate_selected(self, schema: dict[str, Any], value: Any) -> None:
        """Validate an item or a list of items with any properties of their schema."""
        pointer = schema.get("items", schema)["$ref"].removeprefix("#")
        properties = self.resolve(schema.get("items", schema))["properties"]
        for item in value if "items" in schema else [value]:
            assert item.keys() <= properties.keys()
            for name in item:
                self._validate(f"{pointer}/properties/{name}", item[name])

    def _validate(self, pointer: str, value: Any) -> None:
        if pointer not in self.validators:
            self.validators[pointer] = Draft202012Validator(
                {"$ref": f"urn:api#{quote(pointer)}"}, registry=self.registry, validate_formats=True
            )
        self.validators[pointer].validate(value)


def merge_schemas(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with all properties of a schema in it, and no other properties in responses.

    Later versions may add properties to responses, but a test has to find those that are not documented.
    """
    schemas = document["components"]["schemas"]
    merged = {name: _merge(schemas, name) for name in schemas}
    operations = [one for path in document["paths"].values() for one in path.values() if "responses" in one]
    responses = [document["components"]["responses"], *(one["responses"] for one in operations)]
    names = [*_find_references(responses)]
    # The list grows while the loop appends the schemas that the text of a schema refers to.
    for name in names:
        if "properties" in merged[name]:
            merged[name].setdefault("additionalProperties", False)
        names += {*_find_references(merged[name])} - {*names}
    return {**document, "components": {**document["components"], "schemas": merged}}


def _merge(schemas: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a schema with the properties of the schemas that it extends."""
    schema = dict(schemas[name])
    if "allOf" in schema:
        reference, extension = schema.pop("allOf")
        base = _merge(schemas, reference["$ref"].rpartition("/")[2])
        schema = base | schema | {"properties": base["properties"] | extension["properties"]}
        schema["required"] = [*base.get("required", ()), *extension.get("required", ())]
    if "unevaluatedProperties" in schema:
        schema["additionalProperties"] = schema.pop("unevaluatedProperties")
    return schema


def _find_references(part: Any) -> Iterator[str]:
    """Yield the names of the schemas to which a part of the document refers."""
    if isinstance(part, dict) and str(part.get("$ref")).startswith(SCHEMA_PREFIX):
        yield part["$ref"].removeprefix(SCHEMA_PREFIX)
    for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _find_references(child)


def find_status(operation: dict[str, Any], status: int) -> str:
    """Return the key of the documented response, or an empty string."""
    names = (str(status), *([OTHER_ERRORS_KEY] if status in OTHER_ERROR_STATUSES else []))
    return next((name for name in names if name in operation["responses"]), "")


def escape_pointer(name: str) -> str:
    """Return the name escaped for a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def operation_method(method: str) -> str:
    """Return the method under which the OpenAPI document lists the operation."""
    return "get" if method == "HEAD" else method.lower()


def check_headers(method: str, response: TestResponse, *, storable: bool = True) -> None:
    """Raise AssertionError if a header that every response must have is missing or wrong.

    `storable` is whether a browser may store the response.
    """
    caching = response.headers.getlist("Cache-Control")
    is_asset = admin.CACHE_CONTROL in caching
    is_theme = response.request.path.startswith("/theme/") and response.status_code == 200
    is_file = is_asset or is_theme or CACHE_CONTROL in caching
    for header in headers.RESPONSE_HEADERS:
        (value,) = response.headers.getlist(header.name)
        if not (is_file and header.name == "Cache-Control"):
            _HEADER_VALIDATORS[header.name].validate(value)
    # A response without a body has no content type.
    assert ("Content-Type" in response.headers) is (response.status_code not in (204, 304, 308))
    if response.headers["Cache-Control"].startswith("public, max-age=0"):
        check_shared(response)
    elif is_file:
        prefixes = "/admin/assets/" if is_asset else (MEDIA_PREFIX, "/style.css", "/theme/")
        assert response.request.path.startswith(prefixes)
        assert response.status_code in (200, 206, 304)
    elif method in ("GET", "HEAD"):
        storable = storable or response.status_code >= 400
        assert response.headers["Cache-Control"] == ("private, no-cache" if storable else "no-store")
    else:
        assert response.headers["Cache-Control"] == "no-store"
    if method in ("GET", "HEAD") and response.status_code in (200, 206, 304):
        assert re.fullmatch(r'"[^"]+"', response.headers["ETag"])


def check_shared(response: TestResponse) -> None:
    """Raise AssertionError unless shared caches may store the response."""
    path, sent = response.request.path, response.request.headers
    assert response.status_code in (200, 304)
    assert "Set-Cookie" not in response.headers
    if not path.startswith(SHARED_PATHS) and not is_site_path(path):
        assert path.startswith("/api/v1/blog/") and "X-API-KEY" not in sent
        assert "blogapi_session" not in sent.get("Cookie", "")
        assert response.headers["Vary"] == headers.PUBLIC_VARY
    tags = response.headers["Cache-Tag"]
    assert "site" in tags.split(",") and len(tags) <= MAX_CACHE_TAGS_BYTES
    assert response.headers["Surrogate-Key"] == tags.replace(",", " ")


class CheckedClient(FlaskClient):
    """A client that checks every response against the OpenAPI document."""

    contract: Contract
    key: str | None = None

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        if self.key is not None:
            headers = dict(kwargs.pop("headers", None) or {})
            kwargs["headers"] = {"X-API-KEY": self.key} | headers
        response = super().open(*args, **kwargs)
        request = response.request
        pages = ("/docs", "/admin", "/preview/", "/style.css", "/theme/", MEDIA_PREFIX)
        is_page = is_site_path(request.path) or request.path.startswith(pages)
        if not is_page and request.method != "OPTIONS":
            has_fields = "fields" in request.args
            self.contract.check(request.method, request.path, response, has_fields=has_fields)
        else:
            is_search = request.path == "/search/" and "q" in request.args
            is_secret = is_search or request.path.startswith(PREVIEWS)
            check_headers(request.method, response, storable=not is_secret)
        return response


def get_stable_headers(response: Any) -> list[tuple[str, str]]:
    """Return the headers of a response without the request id, which differs for each response."""
    return sorted((name, value) for name, value in response.headers if name != "X-Request-ID")


def outcome(response: TestResponse) -> tuple[int, str | None]:
    """Return the status of a response, and its error code (None if there is no error or no body)."""
    is_error = response.mimetype == "application/problem+json" and response.data
    return response.status_code, response.json["code"] if is_error else None
