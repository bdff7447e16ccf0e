"""Every operation, fed with what its part of the document allows and with what it forbids.

Some examples each time; `BLOGAPI_TEST_FUZZ=1000 python -m pytest tests/test_fuzz.py` tries that many.
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

from blogapi.registry import BLUEPRINTS
from blogapi.users import passwords
from tests.conftest import ARTICLES

EXAMPLES = int(os.environ.get("BLOGAPI_TEST_FUZZ", "0"))
# An admin gets past the rules to all the rest; of the others the rules are what is to be seen.
CALLERS = {"as_admin": EXAMPLES or 5, "as_reader": EXAMPLES or 2, "as_stranger": EXAMPLES or 1}
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


# A condition that does not hold is a reason to refuse too.
REFUSED = [400, 401, 403, 404, 405, 409, 412, 415, 422, 428]
CONFIG = SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSED}}})


@pytest.fixture
def known(as_admin, make_article, make_category, make_tag):
    """What ids and bodies may name, beside what is made up: something of each kind."""
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
def send(request, app, known, contract, monkeypatch):
    """Sends made-up requests as a caller, and holds each answer against the document."""
    # Nobody guesses right, and to hash a password takes long.
    monkeypatch.setattr(passwords, "verify_password", lambda digest, password: False)
    limits = ("KEY_LIMIT", "LOGIN_ADDRESS_LIMIT", "LOGIN_ACCOUNT_LIMIT", "LOGIN_STRANGERS_LIMIT")
    app.config.update(dict.fromkeys(limits, "1000000 per second"))

    def sending(who, operation, mode):
        client = request.getfixturevalue(who)

        # Where an answer is not what the document says, the request is told and not made smaller first.
        @settings(
            max_examples=CALLERS[who],
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate] if not EXAMPLES else list(Phase),
        )
        @given(case=operation.as_strategy(mode), choice=st.integers(0, 7))
        def try_one(case, choice):
            # What is aimed may no longer be wrong.
            excluded = [negative_data_rejection] if choice and mode is NEGATIVE else []
            aim(case, known, choice, whole=mode is POSITIVE)
            case.validate_response(case.call(session=client), checks=CHECKS, excluded_checks=excluded)

        try_one()

    return sending


def aim(case, known, choice, *, whole):
    """Let most requests be about something that is there; `whole`: also what their bodies name."""
    for name in case.path_parameters if choice else ():
        case.path_parameters[name] = known.get(name, known["uuids"][choice % 4])
    for item in case.body if isinstance(case.body, list) else [case.body]:
        if whole and choice > 1 and isinstance(item, dict) and isinstance(item.get("category"), dict):
            item["category"] = {"uuid": known["category"]}
            item["tags"] = []


def operations(contract, app, tag):
    """Return the operations of one part of the document."""
    schema = schemathesis.openapi.from_dict(contract.document, config=CONFIG)
    schema.app = app
    found = [result.ok() for result in schema.get_all_operations()]
    return [operation for operation in found if tag in operation.definition.raw["tags"]]


@pytest.mark.parametrize("tag", [blueprint.name for blueprint in BLUEPRINTS])
@pytest.mark.parametrize("who", CALLERS)
def test_every_answer_is_one_of_the_document(contract, app, send, who, tag):
    tried = operations(contract, app, tag)
    assert tried
    for operation in tried:
        send(who, operation, POSITIVE)
        if operation.path_parameters or operation.query or operation.body:
            send(who, operation, NEGATIVE)
