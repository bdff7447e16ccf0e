"""The document of the API."""

from __future__ import annotations

import re

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator import validate as validate_document

from blogapi import registry
from tests.contracts.client import escaped


@pytest.fixture
def document(as_stranger):
    """The document as it is served."""
    return as_stranger.get("/openapi.json").json


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def test_the_document_is_valid_openapi(document):
    assert document["openapi"].startswith("3.1")
    validate_document(document, cls=OpenAPIV31SpecValidator)


def test_every_operation_of_the_api_is_in_it(app, document):
    documented = {(path, method.upper()) for path, method, _ in operations(document)}
    served = {
        (re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", path), method)
        for path, method, endpoint, _ in registry.rules(app)
        if not endpoint.startswith(("docs.", "metrics."))
    }
    assert documented == served


def test_operation_ids_are_unique(document):
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))


def test_every_operation_says_what_it_does_and_for_whom(document):
    for path, method, operation in operations(document):
        assert operation["summary"].endswith("."), (path, method)
        assert operation["description"].startswith("For: ")
        assert "security" in operation


def test_what_a_view_says_of_itself_follows_its_rule(document):
    (delete,) = [one for _, _, one in operations(document) if one["operationId"] == "api_keys_delete"]
    rule, said = delete["description"].split("\n\n", 1)
    assert rule.endswith("Scope: published.") and "whose uuid it is given" in said


def test_every_body_and_every_answer_has_an_example(document, contract):
    for path, method, operation in operations(document):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        responses = [contract.response(path, method, status)[1] for status in operation["responses"]]
        for part in (*bodies, *responses):
            for media in part.get("content", {}).values():
                assert "example" in media, (path, method)


def test_every_error_has_the_one_body(document, contract):
    for path, method, operation in operations(document):
        errors = [status for status in operation["responses"] if int(status) >= 400]
        assert {"400", "500", "503"} <= set(errors), (path, method)
        for status in errors:
            _, answer = contract.response(path, method, status)
            assert list(answer["content"]) == ["application/problem+json"]
            assert answer["content"]["application/problem+json"]["example"]["status"] == int(status)


def test_examples_fit_their_schemas(document, contract):
    for path, method, operation in operations(document):
        for status in operation["responses"]:
            pointer, answer = contract.response(path, method, status)
            for kind, media in answer.get("content", {}).items():
                contract._validate(f"{pointer}/content/{escaped(kind)}/schema", media["example"])


def test_reading_articles_names_its_parameters(document):
    parameters = document["paths"]["/api/v1/blog/articles/"]["get"]["parameters"]
    assert {parameter["name"] for parameter in parameters} == {
        *("page", "page_size", "fields", "category", "tag", "author", "slug", "published_after"),
        *("published_before", "ordering", "q"),
    }


@pytest.mark.parametrize("path", ["articles", "categories", "tags"])
def test_what_was_read_fits_the_body_that_is_written(as_admin, contract, make_article, make_tag, path):
    make_article(tags=(make_tag(),))
    read = as_admin.get(f"/api/v1/blog/{path}/").json[0]
    name = {"articles": "ArticleBody", "categories": "CategoryBody", "tags": "TagBody"}[path]
    contract._validate(f"/components/schemas/{name}", read)
