"""The OpenAPI document."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import jsonschema
import pytest

from blogapi import blueprints
from blogapi.web.headers import RESPONSE_HEADERS
from blogapi.web.operation import VERBS
from tests.contracts.client import escape_pointer, merge_schemas


@pytest.fixture
def original(as_stranger):
    """The OpenAPI document as the service returns it."""
    return as_stranger.get("/openapi.json").json


@pytest.fixture
def document(original):
    """The OpenAPI document, with all properties of each schema in it."""
    return merge_schemas(original)


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def resolve(document, part):
    """Return the component to which a part of the document refers, or the part itself."""
    if "$ref" not in part:
        return part
    section, name = part["$ref"].split("/")[2:]
    return document["components"][section][name]


def test_the_document_is_valid_openapi(original):
    # Imported here, because each worker imports this module, and only this test needs the validator.
    from openapi_spec_validator import OpenAPIV31SpecValidator
    from openapi_spec_validator import validate as validate_document

    assert original["openapi"].startswith("3.1")
    validate_document(original, cls=OpenAPIV31SpecValidator)


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
def test_every_pattern_is_valid_in_javascript(document):
    """JSON Schema uses the syntax of ECMA-262, which knows less than Python's, such as no end of text."""

    def find(part):
        if isinstance(part, dict):
            yield from [part["pattern"]] if isinstance(part.get("pattern"), str) else []
        for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            yield from find(child)

    patterns = list(find(document))
    assert len(patterns) > 5
    assert [pattern for pattern in patterns if not (pattern.startswith("^") and "$" in pattern)] == []
    program = 'for (const one of JSON.parse(fs.readFileSync(0, "utf-8"))) new RegExp(one, "u");'
    subprocess.run(["node", "-e", program], input=json.dumps(patterns), encoding="utf-8", check=True)


def test_every_error_code_is_listed(document):
    """`mypy` checks that no other code is used in `blogapi`."""
    codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    assert codes == sorted(codes)
    assert {"not_found", "slug_taken", "category_in_use", "storage_full"} <= set(codes)


def test_the_head_always_has_html(document):
    assert document["components"]["schemas"]["Head"]["required"] == ["html"]


def test_every_operation_of_the_api_is_documented(app, document):
    documented = {(path, method.upper()) for path, method, _ in operations(document)}
    served = {
        (re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", path), method)
        for path, method, endpoint, _ in blueprints.list_operations(app)
        if endpoint.partition(".")[0] not in {page.name for page in blueprints.NON_API_BLUEPRINTS}
    }
    assert documented == served


def test_operation_ids_are_unique_and_begin_with_a_verb_that_fits_the_method(document):
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(names) == len(set(names))
    for _, method, operation in operations(document):
        verb = re.fullmatch(r"([a-z]+)([A-Z][a-z]+)*", operation["operationId"])[1]
        assert method.upper() in VERBS[verb], operation["operationId"]


@pytest.mark.parametrize(
    ("path", "method", "name"),
    [
        ("articles/", "get", "listArticles"),
        ("articles/", "post", "createArticle"),
        ("articles/", "put", "replaceArticles"),
        ("articles/", "patch", "updateArticles"),
        ("articles/", "delete", "deleteArticles"),
        ("articles/{id}/", "get", "getArticle"),
        ("articles/{id}/", "put", "replaceArticle"),
        ("articles/{id}/", "patch", "updateArticle"),
        ("articles/{id}/", "delete", "deleteArticle"),
        ("articles/author/me/", "get", "listOwnArticles"),
        ("categories/{id}/", "get", "getCategory"),
        ("authors/", "get", "listAuthors"),
        ("authors/{id}/", "patch", "updateAuthor"),
        ("redirects/", "get", "listRedirects"),
        ("site/", "get", "getSite"),
        ("site/", "patch", "updateSite"),
        ("/feeds/rss.xml", "get", "getRssFeed"),
        ("/feeds/feed.json", "get", "getJsonFeed"),
        ("/sitemap.xml", "get", "getSitemap"),
        ("/api/v1/webhooks/{id}/deliveries/", "get", "listWebhookDeliveries"),
        ("/api/v1/auth/me/account/", "get", "getOwnAccount"),
        ("redirects/own/", "post", "createCustomRedirect"),
    ],
)
def test_an_operation_id_names_the_action_and_the_resource(document, path, method, name):
    path = path if path.startswith("/") else f"/api/v1/blog/{path}"
    assert document["paths"][path][method]["operationId"] == name


def test_a_key_can_be_created_without_credentials(document):
    (create,) = (
        operation for _, _, operation in operations(document) if operation["operationId"] == "createApiKey"
    )
    assert {} in create["security"]


@pytest.mark.parametrize("plural", ["articles", "categories", "tags", "authors"])
def test_reads_accept_slugs_and_writes_accept_uuids(document, plural):
    path = document["paths"][f"/api/v1/blog/{plural}/{{id}}/"]
    (given,) = (
        parameter
        for reference in path["get"]["parameters"]
        if (parameter := resolve(document, reference))["in"] == "path"
    )
    assert given["schema"] == {"type": "string"} and "308" in path["get"]["responses"]
    for method in ("put", "patch", "delete"):
        (own,) = [part for part in path[method]["parameters"] if resolve(document, part)["in"] == "path"]
        assert resolve(document, own)["schema"] == {"type": "string", "format": "uuid"}
        assert "308" not in path[method]["responses"]


def test_no_operation_has_two_parameters_of_one_name_and_place(document):
    """Those of the path count too: generators make one argument of each."""
    for path, method, operation in operations(document):
        parts = [*document["paths"][path].get("parameters", ()), *operation.get("parameters", ())]
        given = [(part["in"], part["name"]) for part in (resolve(document, one) for one in parts)]
        assert len(given) == len({*given}), (path, method, given)
        names = {name for place, name in given if place == "path"}
        assert names == {*re.findall(r"\{(\w+)\}", path)}, (path, method)


@pytest.mark.parametrize(
    ("name", "value"),
    [("title", ""), ("slug", ""), ("slug", "Not a slug"), ("slug", "a_b")],
)
def test_the_document_refuses_what_the_service_refuses(as_admin, document, contract, name, value):
    schema = document["components"]["schemas"]["ArticleBody"]["properties"][name]
    sent = {"title": "A", "content": "x", name: value}
    assert as_admin.post("/api/v1/blog/articles/", json=sent).status_code == 422
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(value))
    assert not list(jsonschema.Draft202012Validator(schema).iter_errors("a-été-1"))


def test_the_service_takes_what_the_document_allows(as_admin):
    assert as_admin.get("/api/v1/blog/tags/?similar=false").status_code == 200
    uuid = as_admin.post("/api/v1/blog/articles/", json={"title": "A", "content": "x"}).json["uuid"]
    path = f"/api/v1/blog/articles/{uuid}/preview/"
    assert as_admin.post(path, json={"expires_in": 60.0}).status_code == 201


def test_fields_names_the_properties_of_each_operation(document):
    for path, name in (
        ("/api/v1/blog/articles/", "reading_minutes"),
        ("/api/v1/blog/tags/", "articles_count"),
    ):
        parts = [resolve(document, one) for one in document["paths"][path]["get"]["parameters"]]
        (text,) = [part["description"] for part in parts if part["name"] == "fields"]
        assert name in text


def test_no_schema_has_the_name_of_a_constructor(document):
    """For a schema `Key`, generators for Go write a function `NewKey`."""
    names = {*document["components"]["schemas"]}
    assert len(names) > 100
    assert [name for name in names if name.startswith("New") and name.removeprefix("New") in names] == []


def test_every_operation_has_a_summary_and_an_access_rule(document):
    for path, method, operation in operations(document):
        assert operation["summary"].endswith("."), (path, method)
        assert operation["description"].startswith("For: ")
        assert "security" in operation


def test_the_description_of_an_operation_begins_with_its_access_rule(document):
    by_id = {operation["operationId"]: operation for _, _, operation in operations(document)}
    rule, description = by_id["deleteApiKey"]["description"].split("\n\n", 1)
    assert rule.endswith("Scope: published.") and "anonymous key" in description


def test_every_error_response_has_the_problem_body(document, contract):
    for path, method, operation in operations(document):
        errors = [status for status in operation["responses"] if status >= "400"]
        assert {"default"} <= set(errors) <= {"404", "default"}, (path, method)
        assert all(re.fullmatch("[0-9]{3}|default", status) for status in operation["responses"])
        for status in errors:
            _, response = contract.response(path, method, status)
            assert list(response["content"]) == ["application/problem+json"]
            example = response["content"]["application/problem+json"]["example"]
            assert example["status"] == (422 if status == "default" else int(status))


def test_the_description_names_the_headers_of_every_response_and_request(document):
    for name in (*(header.name for header in RESPONSE_HEADERS), "X-Request-ID"):
        assert f"`{name}`" in document["info"]["description"]
        assert document["components"]["headers"][name]["description"]


def test_the_examples_of_properties_are_valid_for_their_schemas(document, contract):
    checked = 0
    for name, schema in document["components"]["schemas"].items():
        for field, property_schema in schema.get("properties", {}).items():
            if "example" in property_schema:
                pointer = f"/components/schemas/{name}/properties/{escape_pointer(field)}"
                contract._validate(pointer, property_schema["example"])
                checked += 1
    assert checked > 100


def test_the_article_list_documents_its_parameters(document):
    parameters = document["paths"]["/api/v1/blog/articles/"]["get"]["parameters"]
    assert {resolve(document, parameter)["name"] for parameter in parameters} == {
        *("page", "page_size", "fields", "category", "tag", "author", "slug", "published_after"),
        *("published_before", "updated_after", "ordering", "q", "status", "working_copy", "featured"),
        *("language", "translation_key"),
        *("tags_all", "not_category", "not_tag", "uuid", "exact"),
    }


@pytest.mark.parametrize("path", ["articles", "categories", "tags", "authors"])
def test_the_response_to_a_read_is_a_valid_request_body(as_admin, contract, make_article, make_tag, path):
    make_article(tags=(make_tag(),))
    read = as_admin.get(f"/api/v1/blog/{path}/").json[0]
    name = {"articles": "Article", "categories": "Category", "tags": "Tag", "authors": "Author"}[path]
    contract._validate(f"/components/schemas/{name}Body", read)


def test_a_put_takes_every_property_that_a_get_of_the_same_path_returns(document):
    schemas = document["components"]["schemas"]
    for path, method, operation in operations(document):
        # A password can be replaced but not read.
        if method == "put" and "get" in document["paths"][path]:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            body, *reads = [
                alternative["$ref"].rpartition("/")[2] for alternative in schema.get("items", schema)["anyOf"]
            ]
            assert reads, path
            for read in reads:
                missing = schemas[read]["properties"].keys() - schemas[body]["properties"].keys()
                assert not missing, f"{path}: add {missing} to {body}, or to its `read_only`"


def test_a_form_has_only_the_parts_that_a_client_sends(original):
    """Generators for Rust write one parameter for each property of a form."""
    forms = {
        path: operation["requestBody"]["content"]["multipart/form-data"]["schema"]
        for path, _, operation in operations(original)
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
    }
    assert len(forms) == 3
    for path, schema in forms.items():
        assert resolve(original, schema)["additionalProperties"] is False, path


def test_every_schema_describes_the_properties_that_it_requires(original):
    for name, schema in original["components"]["schemas"].items():
        for part in (schema, *schema.get("allOf", ())):
            assert set(part.get("required", ())) <= part.get("properties", {}).keys(), name


def test_a_schema_extends_one_that_has_its_properties(original):
    schemas = original["components"]["schemas"]
    assert schemas["SingleAuthor"]["allOf"] == [
        {"$ref": "#/components/schemas/Author"},
        {
            "type": "object",
            "properties": {"articles": {"type": "array", "items": {"$ref": "#/components/schemas/Article"}}},
            "required": ["articles"],
        },
    ]
    base, item = schemas["ArticleItemChanges"]["allOf"]
    assert base == {"$ref": "#/components/schemas/ArticleChanges"}
    assert item["properties"] == {"uuid": {"type": "string", "format": "uuid"}}
    # Only responses may get more properties.
    assert schemas["ArticleChanges"]["unevaluatedProperties"] is False
    assert "unevaluatedProperties" not in schemas["Article"]


def test_no_two_schemas_have_the_same_shape(document):
    names = {}
    for name, schema in document["components"]["schemas"].items():
        shape = json.dumps(without_annotations(schema), sort_keys=True)
        assert shape not in names, f"{name} and {names[shape]} have the same shape; use one schema for both"
        names[shape] = name


def without_annotations(schema):
    """Return a JSON schema without what does not change the type of its values."""
    if isinstance(schema, list):
        return [without_annotations(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    annotations = (
        "description",
        "example",
        "examples",
        "pattern",
        "maxLength",
        "minLength",
        "minimum",
        "maximum",
    )
    return {key: without_annotations(value) for key, value in schema.items() if key not in annotations}


def test_an_article_has_the_documented_properties_and_optional_ones(document):
    article = document["components"]["schemas"]["Article"]
    assert set(article["required"]) == {
        *("uuid", "author", "title", "subtitle", "tags", "category", "slug", "cover_image", "content"),
        *("status", "content_type", "seo"),
    }
    assert {"html", "excerpt", "snippet", "published_at", "authors", "head"} <= article["properties"].keys()


def test_a_body_makes_no_property_required_by_a_default(document):
    for name, schema in document["components"]["schemas"].items():
        fields = schema.get("properties", {}).values()
        assert not [field for field in fields if "default" in field], name


def test_only_times_with_an_offset_are_date_times(document):
    schemas = document["components"]["schemas"]
    assert resolve(document, schemas["Key"]["properties"]["created"])["format"] == "date-time"
    assert resolve(document, schemas["Article"]["properties"]["created"])["format"] == "date-time"
    assert "format" not in resolve(document, schemas["Tag"]["properties"]["created"])
    assert "format" not in schemas["ArticleBody"]["properties"]["published_at"]


def test_the_document_has_at_most_275_kilobytes(as_stranger):
    assert len(as_stranger.get("/openapi.json").data) <= 275_000
