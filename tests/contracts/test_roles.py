"""Each role calls each operation, with keys of each scope and with a login."""

from __future__ import annotations

import re

import pytest

from blogapi import blueprints
from blogapi.accounts.users.roles import RIGHTS, Right
from blogapi.web.access import SCOPES, Role, anyone
from tests.contracts.client import outcome

pytestmark = pytest.mark.no_database

# The least role and the scope that each operation requires; with `login`, keys are refused. Operations that
# check no credentials are left out.
REQUIRED = {
    ("reader", "published"): (
        *("articles.published", "articles.single", "categories.listed", "categories.single"),
        *("tags.listed", "tags.single", "authors.listed", "authors.single", "archive.listed"),
        *(
            "pages.listed",
            "pages.single",
            "changes.listed",
            "redirects.listed",
            "site.single",
            "auth.get_me",
            "auth.logout",
            "mcp.answer_message",
            "api_keys.delete",
        ),
    ),
    ("reader", "read"): ("api_keys.create", "api_keys.listed", "api_keys.single"),
    ("reader", "write"): ("api_keys.change", "api_keys.replace", "api_keys.rotate"),
    ("reader", "login"): (
        *("auth.list_logins", "auth.delete_login", "auth.replace_password", "account.get_own_account"),
        *(
            "account.start_second_factor_setup",
            "account.enable_second_factor",
            "account.disable_second_factor",
            "account.create_recovery_codes",
        ),
        *("auth.delete_other_logins", "account.replace_email"),
    ),
    ("author", "read"): (
        *(
            "articles.list_written",
            "fields.listed",
            "fields.single",
            "article_counts.count_by_status",
            "renderings.render",
            "media.listed",
        ),
        *("media.single", "media_uses.listed", "previews.listed", "revisions.listed", "revisions.single"),
        *("revisions.compare", "working_copies.single"),
    ),
    ("author", "drafts"): (
        *("articles.create", "articles.replace", "articles.change", "media.create"),
        *("working_copies.replace", "working_copies.change"),
    ),
    ("author", "write"): (
        *(
            "articles.delete",
            "articles.replace_all",
            "articles.change_all",
            "articles.delete_all",
            "tags.create",
        ),
        *(
            "authors.change",
            "media.change",
            "media.replace",
            "media.delete",
            "previews.create",
        ),
        *("previews.revoke", "revisions.create", "revisions.change", "revisions.restore"),
        *("deleted_articles.restore", "deleted_articles.restore_all"),
        *(f"deleted_items.{name}" for name in ("listed", "single", "delete", "delete_all")),
        *("working_copies.delete", "working_copies.publish"),
        "open_articles.report",
    ),
    ("editor", "write"): (
        *(f"categories.{name}" for name in ("create", "replace", "change", "delete", "merge")),
        *(f"categories.{name}_all" for name in ("replace", "change", "delete")),
        *(f"pages.{name}" for name in ("create", "replace", "change", "delete")),
        *(f"pages.{name}_all" for name in ("replace", "change", "delete")),
        *(f"page_revisions.{name}" for name in ("create", "change", "restore")),
        *("deleted_pages.restore", "deleted_pages.restore_all"),
        *(f"page_working_copies.{name}" for name in ("replace", "change", "delete", "publish")),
        *("page_previews.create", "page_previews.revoke", "open_pages.report"),
        *(f"tags.{name}" for name in ("replace", "change", "delete", "merge")),
        *(f"tags.{name}_all" for name in ("replace", "change", "delete")),
        *(f"authors.{name}" for name in ("create", "replace", "delete", "merge")),
        *(f"authors.{name}_all" for name in ("replace", "change", "delete")),
    ),
    ("editor", "read"): (
        *(f"page_revisions.{name}" for name in ("listed", "single", "compare")),
        *("page_working_copies.single", "page_previews.listed"),
    ),
    ("editor", "login"): (
        *("imports.listed", "imports.create", "imports.single", "imports.start", "imports.cancel"),
        *("imports.download_report", "imports.delete", "exports.download"),
    ),
    ("admin", "read"): (
        *("articles.list_own", "metrics.show_metrics", "custom_redirects.listed", "custom_redirects.single"),
    ),
    ("admin", "write"): tuple(f"custom_redirects.{name}" for name in ("create", "change", "delete")),
    ("admin", "login"): (
        *("users.listed", "users.create", "users.list_roles", "users.single", "users.change"),
        *("users.delete", "users.create_reset_link", "users.reset_second_factor", "users.delete_logins"),
        *("invitations.listed", "invitations.create", "invitations.revoke", "site.change"),
        "site_checks.check",
        *("backups.listed", "backups.create", "backups.download", "backups.verify", "backups.delete"),
        *("fields.create", "fields.replace", "fields.change", "fields.delete"),
        *("doctor.single", "doctor.run", "webhooks.listed", "webhooks.create", "webhooks.list_presets"),
        *("webhooks.create_sample", "webhooks.test_fields", "webhooks.single", "webhooks.change"),
        *("webhooks.delete", "webhooks.rotate", "webhooks.test", "webhooks.start_build", "webhooks.replay"),
        *("webhooks.list_deliveries", "webhooks.get_delivery", "webhooks.resend_delivery"),
    ),
}
REQUIRED_BY_ENDPOINT = {endpoint: key for key, endpoints in REQUIRED.items() for endpoint in endpoints}
CREDENTIALS = (*SCOPES, "login")
CALLERS = [
    ("stranger", ""),
    ("anonymous key", "published"),
    *((who, how) for who in ("reader", "author", "publisher", "editor", "admin") for how in CREDENTIALS),
]
REFUSALS = {(401, "key_missing"), (403, "forbidden"), (403, "scope_missing"), (403, "login_required")}
NO_UUID = "3f1c8a52-6f0e-4f2b-8f8a-2f5f3f1c8a52"


def list_checked_operations(app):
    """Return path, method, endpoint and rule of each operation that checks credentials."""
    operations = blueprints.list_operations(app)
    return [operation for operation in operations if operation[3].rule is not anyone]


def expect(endpoint, who, credential):
    """Return the refusal that the caller gets, or `allowed`."""
    role, needed = REQUIRED_BY_ENDPOINT[endpoint]
    if endpoint == "api_keys.create" and who in ("stranger", "anonymous key"):
        return "allowed"
    if who == "stranger":
        return 401, "key_missing"
    if needed == "login" and credential != "login":
        return 403, "login_required"
    own_role = {"anonymous key": "reader", "publisher": "author"}.get(who, who)
    if not Role(own_role).includes(Role(role)):
        return 403, "forbidden"
    if credential != "login" and SCOPES.index(credential) < SCOPES.index(needed):
        return 403, "scope_missing"
    return "allowed"


def test_every_operation_that_checks_credentials_is_in_the_table(app):
    assert {endpoint for _, _, endpoint, _ in list_checked_operations(app)} == REQUIRED_BY_ENDPOINT.keys()


def test_no_operation_is_in_the_table_twice():
    assert len(REQUIRED_BY_ENDPOINT) == sum(map(len, REQUIRED.values()))


def test_the_rights_in_plain_words_have_the_roles_of_the_operations(app):
    for _, _, endpoint, access in list_checked_operations(app):
        right = find_right(endpoint)
        role = right.role if right else Role.READER
        # Everyone reads what is published, at the addresses where editors and authors write it.
        is_read = access.rule.role == Role.READER and access.scope == "published"
        # The interface reserves this list for admins; authors and editors have another one.
        is_reserved = endpoint == "articles.list_own"
        assert access.rule.role == role or is_read or is_reserved, endpoint
    named = {operation for right in RIGHTS for operation in right.operations}
    endpoints = {endpoint for _, _, endpoint, _ in list_checked_operations(app)}
    assert named <= endpoints | {endpoint.partition(".")[0] for endpoint in endpoints}


@pytest.mark.parametrize(("who", "credential"), CALLERS)
def test_each_caller_may_call_exactly_the_operations_of_their_role_and_scope(
    app, as_role, as_stranger, as_reader, who, credential
):
    def make_caller():
        if who == "stranger":
            return as_stranger
        if who == "anonymous key":
            return as_reader
        role = Role.AUTHOR if who == "publisher" else Role(who)
        return as_role(role, credential, can_publish=who == "publisher")

    client, found, expected = make_caller(), {}, {}
    for path, method, endpoint, _ in list_checked_operations(app):
        # An operation without a row fails the test of the table, and not this test of each caller too.
        # `/mcp` is closed and knows no logins; `tests/mcp` tries its callers.
        if endpoint in ("auth.logout", "mcp.answer_message") or endpoint not in REQUIRED_BY_ENDPOINT:
            continue
        # No item has these ids, so that an operation that is allowed changes nothing.
        path = re.sub(r"<int[^>]*>", "1", re.sub(r"<(?:id|reference):[^>]+>", NO_UUID, path))
        body = None if method == "GET" else {}
        result = outcome(client.open(re.sub(r"<[^>]+>", "nothing", path), method=method, json=body))
        found[method, path] = result if result in REFUSALS else "allowed"
        expected[method, path] = expect(endpoint, who, credential)
    assert found == expected
    if who not in ("stranger", "anonymous key"):
        assert outcome(make_caller().post("/api/v1/auth/logout/")) == (
            (204, None) if credential == "login" else (403, "forbidden")
        )


def find_right(endpoint: str) -> Right | None:
    """Return the right that allows the operation; one that names the endpoint precedes its blueprint's."""
    for operation in (endpoint, endpoint.partition(".")[0]):
        for right in RIGHTS:
            if operation in right.operations:
                return right
    return None
