"""The OpenAPI document."""

from __future__ import annotations

import re

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator import validate as validate_document

from blogapi import registry
from tests.contracts.client import escape_pointer


@pytest.fixture
def document(as_stranger):
    """The OpenAPI document as the service returns it."""
    return as_stranger.get("/openapi.json").json


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def test_the_document_is_valid_openapi(document):
    assert document["openapi"].startswith("3.1")
    validate_document(document, cls=OpenAPIV31SpecValidator)


def test_every_operation_of_the_api_is_documented(app, document):
    documented = {(path, method.upper()) for path, method, _ in operations(document)}
    served = {
        (re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", path), method)
        for path, method, endpoint, _ in registry.list_operations(app)
        if not endpoint.startswith(("docs.", "metrics."))
    }
    assert documented == served


def test_operation_ids_are_unique(document):
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))


def test_every_operation_has_a_summary_and_an_access_rule(document):
    for path, method, operation in operations(document):
        assert operation["summary"].endswith("."), (path, method)
        assert operation["description"].startswith("For: ")
        assert "security" in operation


def test_the_description_of_an_operation_begins_with_its_access_rule(document):
    by_id = {operation["operationId"]: operation for _, _, operation in operations(document)}
    rule, description = by_id["api_keys_delete"]["description"].split("\n\n", 1)
    assert rule.endswith("Scope: published.") and "anonymous key" in description


def test_every_request_and_response_body_has_an_example(document, contract):
    for path, method, operation in operations(document):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        responses = [contract.response(path, method, status)[1] for status in operation["responses"]]
        for part in (*bodies, *responses):
            for media in part.get("content", {}).values():
                assert "example" in media, (path, method)


def test_every_error_response_has_the_problem_body(document, contract):
    for path, method, operation in operations(document):
        errors = [status for status in operation["responses"] if int(status) >= 400]
        assert {"400", "500", "503"} <= set(errors), (path, method)
        for status in errors:
            _, response = contract.response(path, method, status)
            assert list(response["content"]) == ["application/problem+json"]
            assert response["content"]["application/problem+json"]["example"]["status"] == int(status)


def test_examples_are_valid_for_their_schemas(document, contract):
    for path, method, operation in operations(document):
        for status in operation["responses"]:
            pointer, response = contract.response(path, method, status)
            for media_type, media in response.get("content", {}).items():
                contract._validate(f"{pointer}/content/{escape_pointer(media_type)}/schema", media["example"])


def test_the_article_list_documents_its_parameters(document):
    parameters = document["paths"]["/api/v1/blog/articles/"]["get"]["parameters"]
    assert {parameter["name"] for parameter in parameters} == {
        *("page", "page_size", "fields", "category", "tag", "author", "slug", "published_after"),
        *("published_before", "ordering", "q"),
    }


@pytest.mark.parametrize("path", ["articles", "categories", "tags"])
def test_the_response_to_a_read_is_a_valid_request_body(as_admin, contract, make_article, make_tag, path):
    make_article(tags=(make_tag(),))
    read = as_admin.get(f"/api/v1/blog/{path}/").json[0]
    name = {"articles": "ArticleBody", "categories": "CategoryBody", "tags": "TagBody"}[path]
    contract._validate(f"/components/schemas/{name}", read)
