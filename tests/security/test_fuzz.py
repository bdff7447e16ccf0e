"""Sends to each operation requests that the OpenAPI document allows, and requests that it forbids.

By default, a run uses a few examples. To use more: `BLOGAPI_TEST_FUZZ=1000 python -m pytest
tests/security/test_fuzz.py`.
"""

from __future__ import annotations

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from blogapi.accounts.users import passwords
from blogapi.blueprints import BLUEPRINTS
from tests.conftest import ARTICLES

pytestmark = [pytest.mark.slow, pytest.mark.once]

EXAMPLES = int(os.environ.get("BLOGAPI_TEST_FUZZ", "0"))
# Requests of an admin are tested with more examples, because only an admin passes all access rules. The
# access rules refuse most requests without a key.
CALLERS = {"as_admin": EXAMPLES or 2, "as_reader": EXAMPLES or 1}
CALLERS |= {"as_stranger": EXAMPLES} if EXAMPLES else {}
POSITIVE, NEGATIVE = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    allow_header_conformance,
]


# A request may also be refused for reasons other than its data.
REFUSAL_STATUSES = [400, 401, 403, 404, 405, 409, 412, 415, 422, 428]
CONFIG = SchemathesisConfig.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": REFUSAL_STATUSES}}}
)


@pytest.fixture
def existing_ids(as_admin, make_article, make_category, make_tag):
    """The ids of existing items, for paths and bodies."""
    tag, category = make_tag("known"), make_category(name="Known")
    article, draft = make_article(category, tags=(tag,)), make_article(category, status="draft")
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"title": "Second version"})
    link = as_admin.post(f"{ARTICLES}{article.uuid}/preview/").json
    return {
        "uuids": [str(thing.uuid) for thing in (tag, category, article, draft)],
        "category": str(category.uuid),
        "preview": link["uuid"],
        "token": link["url"].rstrip("/").rsplit("/", 1)[-1],
        "number": 1,
    }


@pytest.fixture
def send_generated(request, app, existing_ids, contract, monkeypatch):
    """Sends generated requests as a caller, and checks each response against the OpenAPI document."""
    # Password hashing is slow, and no generated password is correct.
    monkeypatch.setattr(passwords, "verify_password", lambda digest, password: False)
    limits = ("KEY_LIMIT", "LOGIN_ADDRESS_LIMIT", "LOGIN_ACCOUNT_LIMIT", "LOGIN_STRANGERS_LIMIT")
    app.config.update(dict.fromkeys(limits, "1000000 per second"))

    def send(caller, operation, mode):
        client = request.getfixturevalue(caller)

        # Examples are not shrunk: a failure reports the generated request.
        @settings(
            max_examples=CALLERS[caller],
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate] if not EXAMPLES else list(Phase),
        )
        @given(case=operation.as_strategy(mode), choice=st.integers(0, 7))
        def try_one(case, choice):
            # A request with an existing id may be valid.
            excluded = [negative_data_rejection] if choice and mode is NEGATIVE else []
            # A response to a request with `fields` lacks required properties; the client checks it.
            excluded += [response_schema_conformance] if "fields" in (case.query or {}) else []
            insert_existing_ids(case, existing_ids, choice, in_body=mode is POSITIVE)
            case.validate_response(case.call(session=client), checks=CHECKS, excluded_checks=excluded)

        try_one()

    return send


def insert_existing_ids(case, existing_ids, choice, *, in_body):
    """Put existing ids into the paths of most requests, and with `in_body` also into the bodies."""
    for name in case.path_parameters if choice else ():
        case.path_parameters[name] = existing_ids.get(name, existing_ids["uuids"][choice % 4])
    for item in case.body if isinstance(case.body, list) else [case.body]:
        if in_body and choice > 1 and isinstance(item, dict) and isinstance(item.get("category"), dict):
            item["category"] = {"uuid": existing_ids["category"]}
            item["tags"] = []


def list_operations(contract, app, tag):
    """Return the operations that have the tag in the OpenAPI document."""
    schema = schemathesis.openapi.from_dict(contract.document, config=CONFIG)
    schema.app = app
    found = [result.ok() for result in schema.get_all_operations()]
    return [operation for operation in found if tag in operation.definition.raw["tags"]]


@pytest.mark.parametrize("tag", [blueprint.name for blueprint in BLUEPRINTS])
@pytest.mark.parametrize("caller", CALLERS)
def test_every_response_conforms_to_the_openapi_document(contract, app, send_generated, caller, tag):
    operations = list_operations(contract, app, tag)
    assert operations
    for operation in operations:
        send_generated(caller, operation, POSITIVE)
        if operation.path_parameters or operation.query or operation.body:
            send_generated(caller, operation, NEGATIVE)
