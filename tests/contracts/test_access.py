"""Each kind of caller calls every operation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, product
from typing import Any
from uuid import uuid4

import pytest

from blogapi import blueprints
from blogapi.admin import assets
from blogapi.web.access import AccessRequirement, Role, get_access, reader
from blogapi.web.operation import get_operation
from tests.content.media.rows import add_media
from tests.content.media.stored_files import put_file
from tests.contracts.client import outcome
from tests.delivery.webhooks.rows import add_webhook
from tests.importing.import_rows import add_import

pytestmark = pytest.mark.once

ARTICLES = "/api/v1/blog/articles/"
DELETED = "/api/v1/blog/deleted/"
PAGES = "/api/v1/blog/pages/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
AUTHORS = "/api/v1/blog/authors/"
KEYS = "/api/v1/auth/api-key/"
ME = "/api/v1/auth/me/"
PASSWORD = ME + "password/"
LOGINS_PATH = "/api/v1/auth/logins/"
INVITED = "/api/v1/auth/invitation/"
INVITATIONS = "/api/v1/invitations/"
INVITATION = {"name": "Henrik", "role": "author"}
USERS = "/api/v1/users/"
SITE = "/api/v1/blog/site/"
MEDIA = "/api/v1/blog/media/"
BACKUPS = "/api/v1/backups/"
IMPORTS = "/api/v1/imports/"
CUSTOM_REDIRECTS = "/api/v1/blog/redirects/own/"
FIELDS = "/api/v1/blog/fields/"
FIELD = {"name": "rating", "label": "Rating", "type": "number"}
WEBHOOKS = "/api/v1/webhooks/"
CALLERS = ("as_stranger", "as_reader", "as_published_admin", "as_member", "as_reading_admin", "as_admin")


@dataclass(frozen=True)
class AccessCase:
    """An operation, and the status for each of the CALLERS."""

    endpoint: str
    path: str
    statuses: tuple[int, int, int, int, int, int]
    body: Any = None
    code: str = ""
    # The status for the login of an admin, and for that of a member, if the operation refuses keys.
    login: int = 0
    member_login: int = 403


# The operations that need no credentials with the setting PUBLIC_READS.
PUBLISHED_CONTENT = {
    *("articles.published", "articles.single", "categories.listed", "categories.single"),
    *("tags.listed", "tags.single", "authors.listed", "authors.single"),
    *("pages.listed", "pages.single", "archive.listed", "changes.listed", "redirects.listed", "site.single"),
}

CODES = {401: "key_missing", 403: "forbidden", 404: "not_found", 422: "invalid_fields"}
IN_USE = {"categories": "category_in_use", "authors": "author_in_use"}
EVERYONE = (200, 200, 200, 200, 200, 200)
READERS = (401, 200, 200, 200, 200, 200)
ADMINS = (401, 403, 403, 403, 200, 200)
# Only a login is accepted.
LOGINS = (401, 403, 403, 403, 403, 403)


def writes(status: int) -> tuple[int, int, int, int, int, int]:
    """Return the statuses of a write that only an admin's key with the `write` scope may make."""
    return (401, 403, 403, 403, 403, status)


ARTICLE = {"title": "T"}
WEBHOOK = {"name": "hook", "url": "https://hooks.example/"}

ACCESS_CASES = [
    # A failed login returns 401 to every caller, with its own code.
    AccessCase(
        "auth.login",
        "/api/v1/auth/login/",
        (401,) * 6,
        {"username": "ada", "password": "not this one"},
        code="login_failed",
    ),
    AccessCase("auth.logout", "/api/v1/auth/logout/", (401, 403, 403, 403, 403, 403)),
    AccessCase("auth.get_me", ME, READERS),
    AccessCase("auth.get_login_options", "/api/v1/auth/login-options/", EVERYONE),
    AccessCase(
        "auth.create_first_admin",
        "/api/v1/auth/setup/",
        (401,) * 6,
        {"token": "not this one", "username": "new", "password": "a long pass phrase"},
        code="link_invalid",
    ),
    AccessCase(
        "auth.reset_password",
        "/api/v1/auth/reset-password/",
        (401,) * 6,
        {"token": "not this one", "password": "a long pass phrase"},
        code="link_invalid",
    ),
    AccessCase(
        "auth.send_reset_link",
        "/api/v1/auth/forgot-password/",
        (409,) * 6,
        {"username": "ada"},
        code="conflict",
    ),
    AccessCase("account.replace_email", ME + "email/", LOGINS, {}, login=422, member_login=422),
    AccessCase("auth.show_invitation", INVITED, (401,) * 6, {"token": "not this one"}, code="link_invalid"),
    AccessCase(
        "auth.accept_invitation",
        "/api/v1/auth/join/",
        (401,) * 6,
        {"token": "not this one", "username": "new", "password": "a long pass phrase"},
        code="link_invalid",
    ),
    AccessCase("invitations.listed", INVITATIONS, LOGINS, login=200),
    AccessCase("invitations.create", INVITATIONS, LOGINS, INVITATION, login=201),
    AccessCase("invitations.revoke", INVITATIONS + "{invitation}/", LOGINS, login=204),
    AccessCase("auth.delete_other_logins", LOGINS_PATH, LOGINS, login=204, member_login=204),
    AccessCase("users.delete_logins", USERS + "{user}/logins/", LOGINS, login=204),
    AccessCase("auth.list_logins", "/api/v1/auth/logins/", LOGINS, login=200, member_login=200),
    AccessCase("auth.delete_login", "/api/v1/auth/logins/{login}/", LOGINS, login=204, member_login=404),
    AccessCase("auth.replace_password", PASSWORD, LOGINS, {}, login=422, member_login=422),
    AccessCase("account.get_own_account", ME + "account/", LOGINS, login=200, member_login=200),
    AccessCase(
        "account.start_second_factor_setup", ME + "second-factor/setup/", LOGINS, login=201, member_login=201
    ),
    AccessCase(
        "account.enable_second_factor", ME + "second-factor/enable/", LOGINS, {}, login=422, member_login=422
    ),
    AccessCase(
        "account.disable_second_factor",
        ME + "second-factor/disable/",
        LOGINS,
        {},
        login=422,
        member_login=422,
    ),
    AccessCase(
        "account.create_recovery_codes",
        ME + "second-factor/recovery-codes/",
        LOGINS,
        {},
        login=422,
        member_login=422,
    ),
    AccessCase("users.listed", USERS, LOGINS, login=200),
    AccessCase("users.create", USERS, LOGINS, {"username": "new"}, login=201),
    AccessCase("users.list_roles", USERS + "roles/", LOGINS, login=200),
    AccessCase("users.single", USERS + "{user}/", LOGINS, login=200),
    AccessCase("users.change", USERS + "{user}/", LOGINS, {}, login=200),
    AccessCase("users.delete", USERS + "{user}/", LOGINS, login=204),
    AccessCase("users.reset_second_factor", USERS + "{user}/reset-second-factor/", LOGINS, login=204),
    AccessCase("users.create_reset_link", USERS + "{user}/reset-link/", LOGINS, login=201),
    AccessCase("api_keys.create", KEYS, (201, 201, 403, 201, 201, 201)),
    AccessCase("api_keys.listed", KEYS, (401, 403, 403, 200, 200, 200)),
    AccessCase("api_keys.single", KEYS + "{key}/", (401, 403, 403, 404, 200, 200)),
    AccessCase("api_keys.change", KEYS + "{key}/", (401, 403, 403, 404, 403, 200), {"name": "new"}),
    AccessCase("api_keys.replace", KEYS + "{key}/", (401, 403, 403, 404, 403, 200), {"name": "new"}),
    AccessCase("api_keys.rotate", KEYS + "{key}/rotate/", (401, 403, 403, 404, 403, 201)),
    AccessCase("api_keys.delete", KEYS + "{key}/", (401, 404, 404, 404, 403, 204)),
    AccessCase("categories.listed", CATEGORIES, READERS),
    AccessCase("categories.single", CATEGORIES + "{category}/", READERS),
    AccessCase("tags.listed", TAGS, READERS),
    AccessCase("tags.single", TAGS + "{tag}/", READERS),
    AccessCase("authors.listed", AUTHORS, READERS),
    AccessCase("authors.single", AUTHORS + "{author}/", READERS),
    AccessCase("authors.single", AUTHORS + "{hidden}/", (401, 404, 404, 404, 200, 200)),
    AccessCase("articles.published", ARTICLES, READERS),
    AccessCase("articles.single", ARTICLES + "{article}/", READERS),
    AccessCase("articles.single", ARTICLES + "{draft}/", (401, 404, 404, 404, 200, 200)),
    AccessCase("pages.listed", PAGES, READERS),
    AccessCase("pages.single", PAGES + "{imprint}/", READERS),
    AccessCase("pages.single", PAGES + "{plans}/", (401, 404, 404, 404, 200, 200)),
    AccessCase("pages.create", PAGES, writes(201), {"title": "T"}),
    AccessCase("pages.replace", PAGES + "{imprint}/", writes(200), {"title": "T"}),
    AccessCase("pages.change", PAGES + "{imprint}/", writes(200), {}),
    AccessCase("pages.delete", PAGES + "{imprint}/", writes(204)),
    AccessCase("pages.replace_all", PAGES, writes(200), []),
    AccessCase("pages.change_all", PAGES, writes(200), []),
    AccessCase("pages.delete_all", PAGES + "?uuid={imprint}", writes(204)),
    AccessCase("articles.list_own", ARTICLES + "author/me/", ADMINS),
    AccessCase("articles.list_written", ARTICLES + "own/", ADMINS),
    AccessCase("categories.create", CATEGORIES, writes(201), {"name": "N"}),
    AccessCase("categories.replace", CATEGORIES + "{category}/", writes(200), {"name": "N"}),
    AccessCase("categories.change", CATEGORIES + "{category}/", writes(200), {}),
    AccessCase("categories.delete", CATEGORIES + "{category}/", writes(409)),
    AccessCase("categories.merge", CATEGORIES + "{category}/merge/", writes(422), {"uuids": [str(uuid4())]}),
    AccessCase("categories.replace_all", CATEGORIES, writes(200), []),
    AccessCase("categories.change_all", CATEGORIES, writes(200), []),
    AccessCase("categories.delete_all", CATEGORIES + "?uuid={category}", writes(409)),
    AccessCase("tags.create", TAGS, writes(201), {"name": "N"}),
    AccessCase("tags.replace", TAGS + "{tag}/", writes(200), {"name": "N"}),
    AccessCase("tags.change", TAGS + "{tag}/", writes(200), {}),
    AccessCase("tags.delete", TAGS + "{tag}/", writes(204)),
    AccessCase("tags.merge", TAGS + "{tag}/merge/", writes(422), {"uuids": [str(uuid4())]}),
    AccessCase("tags.replace_all", TAGS, writes(200), []),
    AccessCase("tags.change_all", TAGS, writes(200), []),
    AccessCase("tags.delete_all", TAGS + "?uuid={tag}", writes(204)),
    AccessCase("authors.create", AUTHORS, writes(201), {"name": "N"}),
    AccessCase("authors.replace", AUTHORS + "{author}/", writes(200), {"name": "N"}),
    AccessCase("authors.change", AUTHORS + "{author}/", writes(200), {}),
    AccessCase("authors.delete", AUTHORS + "{author}/", writes(409)),
    AccessCase("authors.delete", AUTHORS + "{hidden}/", writes(204)),
    AccessCase("authors.merge", AUTHORS + "{author}/merge/", writes(422), {"uuids": [str(uuid4())]}),
    AccessCase("authors.replace_all", AUTHORS, writes(200), []),
    AccessCase("authors.change_all", AUTHORS, writes(200), []),
    AccessCase("authors.delete_all", AUTHORS + "?uuid={hidden}", writes(204)),
    AccessCase("articles.create", ARTICLES, writes(201), ARTICLE),
    AccessCase(
        "articles.replace",
        ARTICLES + "{article}/",
        writes(200),
        ARTICLE,
    ),
    AccessCase("articles.change", ARTICLES + "{article}/", writes(200), {}),
    AccessCase("articles.delete", ARTICLES + "{article}/", writes(204)),
    AccessCase("articles.replace_all", ARTICLES, writes(200), []),
    AccessCase("articles.change_all", ARTICLES, writes(200), []),
    AccessCase("articles.delete_all", ARTICLES + "?uuid={article}", writes(204)),
    AccessCase("deleted_items.listed", DELETED, writes(200)),
    AccessCase("deleted_items.single", DELETED + "{deleted}/", writes(200)),
    AccessCase("deleted_items.delete", DELETED + "{deleted}/", writes(204)),
    AccessCase("deleted_items.delete_all", DELETED + "?uuid={deleted}", writes(204)),
    AccessCase("deleted_articles.restore", ARTICLES + "{deleted}/restore/", writes(200)),
    AccessCase("deleted_articles.restore_all", ARTICLES + "restore/", writes(422), {}),
    AccessCase("deleted_pages.restore", PAGES + "{deleted}/restore/", writes(200)),
    AccessCase("deleted_pages.restore_all", PAGES + "restore/", writes(422), {}),
    AccessCase("article_counts.count_by_status", "/api/v1/blog/article-counts/", ADMINS),
    AccessCase("archive.listed", "/api/v1/blog/archive/", READERS),
    AccessCase("renderings.render", "/api/v1/blog/render/", ADMINS, {"content": "a"}),
    AccessCase("revisions.listed", ARTICLES + "{draft}/revisions/", ADMINS),
    AccessCase("revisions.single", ARTICLES + "{draft}/revisions/1/", ADMINS),
    AccessCase("revisions.compare", ARTICLES + "{draft}/revisions/1/compare/", ADMINS),
    AccessCase("revisions.restore", ARTICLES + "{draft}/revisions/1/restore/", writes(200)),
    AccessCase("revisions.create", ARTICLES + "{draft}/revisions/", writes(201), {"name": "N"}),
    AccessCase("revisions.change", ARTICLES + "{draft}/revisions/1/", writes(200), {"name": "N"}),
    AccessCase("open_articles.report", ARTICLES + "{draft}/open/", writes(200)),
    AccessCase("working_copies.single", ARTICLES + "{draft}/working-copy/", ADMINS),
    AccessCase("working_copies.replace", ARTICLES + "{draft}/working-copy/", writes(200), {"title": "T"}),
    AccessCase("working_copies.change", ARTICLES + "{draft}/working-copy/", writes(200), {"title": "T"}),
    AccessCase("working_copies.delete", ARTICLES + "{draft}/working-copy/", writes(204)),
    AccessCase("working_copies.publish", ARTICLES + "{draft}/working-copy/publish/", writes(200)),
    AccessCase("previews.create", ARTICLES + "{draft}/preview/", writes(201)),
    AccessCase("previews.listed", ARTICLES + "{draft}/preview/", ADMINS),
    AccessCase("previews.revoke", ARTICLES + "{draft}/preview/{preview}/", writes(204)),
    AccessCase("preview_contents.single", "{link}", EVERYONE),
    AccessCase("page_revisions.listed", PAGES + "{imprint}/revisions/", ADMINS),
    AccessCase("page_revisions.single", PAGES + "{imprint}/revisions/1/", ADMINS),
    AccessCase("page_revisions.compare", PAGES + "{imprint}/revisions/1/compare/", ADMINS),
    AccessCase("page_revisions.restore", PAGES + "{imprint}/revisions/1/restore/", writes(200)),
    AccessCase("page_revisions.create", PAGES + "{imprint}/revisions/", writes(201), {"name": "N"}),
    AccessCase("page_revisions.change", PAGES + "{imprint}/revisions/1/", writes(200), {"name": "N"}),
    AccessCase("open_pages.report", PAGES + "{imprint}/open/", writes(200)),
    AccessCase("page_working_copies.single", PAGES + "{imprint}/working-copy/", ADMINS),
    AccessCase("page_working_copies.replace", PAGES + "{imprint}/working-copy/", writes(200), {"title": "T"}),
    AccessCase("page_working_copies.change", PAGES + "{imprint}/working-copy/", writes(200), {"title": "T"}),
    AccessCase("page_working_copies.delete", PAGES + "{imprint}/working-copy/", writes(204)),
    AccessCase("page_working_copies.publish", PAGES + "{imprint}/working-copy/publish/", writes(200)),
    AccessCase("page_previews.create", PAGES + "{imprint}/preview/", writes(201)),
    AccessCase("page_previews.listed", PAGES + "{imprint}/preview/", ADMINS),
    AccessCase("page_previews.revoke", PAGES + "{imprint}/preview/{preview}/", writes(204)),
    AccessCase("preview_pages.show_preview", "{page}", EVERYONE),
    AccessCase("redirects.listed", "/api/v1/blog/redirects/", READERS),
    AccessCase("changes.listed", "/api/v1/blog/changes/", READERS),
    AccessCase("custom_redirects.listed", CUSTOM_REDIRECTS, ADMINS),
    AccessCase("custom_redirects.create", CUSTOM_REDIRECTS, writes(201), {"path": "/a/", "target": "/b/"}),
    AccessCase("custom_redirects.single", CUSTOM_REDIRECTS + "{redirect}/", ADMINS),
    AccessCase("custom_redirects.change", CUSTOM_REDIRECTS + "{redirect}/", writes(200), {"target": "/c/"}),
    AccessCase("custom_redirects.delete", CUSTOM_REDIRECTS + "{redirect}/", writes(204)),
    AccessCase("site.single", SITE, READERS),
    AccessCase("site.change", SITE, LOGINS, {}, login=200),
    AccessCase("media.listed", MEDIA, ADMINS),
    AccessCase("media.create", MEDIA + "?name=empty.png", writes(422)),
    AccessCase("media.single", MEDIA + "{media}/", ADMINS),
    AccessCase("media.change", MEDIA + "{media}/", writes(200), {}),
    AccessCase("media.replace", MEDIA + "{media}/content/?name=empty.png", writes(422)),
    AccessCase("media.delete", MEDIA + "{media}/", writes(204)),
    AccessCase("media_uses.listed", MEDIA + "{media}/uses/", ADMINS),
    AccessCase("backups.listed", BACKUPS, LOGINS, login=200),
    AccessCase("backups.create", BACKUPS, LOGINS, login=201),
    AccessCase("backups.download", BACKUPS + "{backup}/", LOGINS, login=200),
    AccessCase("backups.verify", BACKUPS + "{backup}/verify/", LOGINS, login=200),
    AccessCase("backups.delete", BACKUPS + "{backup}/", LOGINS, login=204),
    AccessCase("doctor.single", "/api/v1/doctor/", LOGINS, login=200),
    AccessCase("doctor.run", "/api/v1/doctor/", LOGINS, login=200),
    AccessCase("site_checks.check", "/api/v1/site-check/", LOGINS, login=200),
    AccessCase("fields.listed", FIELDS, ADMINS),
    AccessCase("fields.single", FIELDS + "{field}/", ADMINS),
    AccessCase("fields.create", FIELDS, LOGINS, FIELD, login=201),
    AccessCase("fields.replace", FIELDS + "{field}/", LOGINS, FIELD, login=200),
    AccessCase("fields.change", FIELDS + "{field}/", LOGINS, {"label": "Other"}, login=200),
    AccessCase("fields.delete", FIELDS + "{field}/", LOGINS, login=204),
    AccessCase("webhooks.listed", WEBHOOKS, LOGINS, login=200),
    AccessCase("webhooks.create", WEBHOOKS, LOGINS, WEBHOOK, login=201),
    AccessCase("webhooks.list_presets", WEBHOOKS + "presets/", LOGINS, login=200),
    AccessCase("webhooks.create_sample", WEBHOOKS + "sample/", LOGINS, {}, login=200),
    AccessCase("webhooks.test_fields", WEBHOOKS + "test/", LOGINS, WEBHOOK, login=200),
    AccessCase("webhooks.single", WEBHOOKS + "{webhook}/", LOGINS, login=200),
    AccessCase("webhooks.change", WEBHOOKS + "{webhook}/", LOGINS, {"name": "other"}, login=200),
    AccessCase("webhooks.rotate", WEBHOOKS + "{webhook}/rotate/", LOGINS, login=201),
    AccessCase("webhooks.test", WEBHOOKS + "{webhook}/test/", LOGINS, login=201),
    AccessCase("webhooks.start_build", WEBHOOKS + "{webhook}/build/", LOGINS, login=409),
    AccessCase("webhooks.replay", WEBHOOKS + "{webhook}/replay/", LOGINS, {"since": "2026-01-01"}, login=200),
    AccessCase("webhooks.list_deliveries", WEBHOOKS + "{webhook}/deliveries/", LOGINS, login=200),
    AccessCase("webhooks.get_delivery", WEBHOOKS + "{webhook}/deliveries/{delivery}/", LOGINS, login=200),
    AccessCase(
        "webhooks.resend_delivery", WEBHOOKS + "{webhook}/deliveries/{delivery}/send/", LOGINS, login=201
    ),
    AccessCase("webhooks.delete", WEBHOOKS + "{webhook}/", LOGINS, login=204),
    AccessCase("imports.listed", IMPORTS, LOGINS, login=200),
    # Without a name the upload is refused, so that no import runs.
    AccessCase("imports.create", IMPORTS, LOGINS, login=422),
    AccessCase("imports.single", IMPORTS + "{import}/", LOGINS, login=200),
    AccessCase("imports.start", IMPORTS + "{import}/start/", LOGINS, login=409),
    AccessCase("imports.cancel", IMPORTS + "{import}/cancel/", LOGINS, login=200),
    AccessCase("imports.download_report", IMPORTS + "{import}/report/", LOGINS, login=200),
    AccessCase("imports.delete", IMPORTS + "{import}/", LOGINS, login=204),
    AccessCase("exports.download", "/api/v1/export/", LOGINS, login=200),
    AccessCase("health.check", "/health/", EVERYONE),
    AccessCase("metrics.show_metrics", "/metrics/", ADMINS),
    AccessCase("openapi.get_document", "/openapi.json", EVERYONE),
    # Closed until an admin opens it; `tests/mcp` tries the callers then.
    AccessCase("mcp.answer_message", "/mcp", (404,) * 6, {}),
    AccessCase("reader_site.show_home_or_paths", "/", EVERYONE),
    # The site is off.
    AccessCase("reader_site.show_page", "/zzz/", (404,) * 6),
    AccessCase("reader_site.send_style_sheet", "/style.css", (404,) * 6),
    AccessCase("reader_site.send_theme_file", "/theme/a.css", (404,) * 6),
    AccessCase("docs.show_guide", "/docs/", EVERYONE),
    AccessCase("docs.show_guide_page", "/docs/reading/", EVERYONE),
    AccessCase("docs.show_api_reference", "/docs/api/", EVERYONE),
    AccessCase("docs.send_search_index", "/docs/search.json", EVERYONE),
    AccessCase("admin.page", "/admin/articles/", EVERYONE),
    AccessCase("admin.asset", f"/admin/assets/{assets.get_digest()}/admin.css", EVERYONE),
    AccessCase("media_files.make_copy_or_redirect", "{file}", EVERYONE),
    AccessCase("docs.send_client", "/docs/blogapi.js", EVERYONE),
    AccessCase("docs.send_asset", "/docs/static/docs.css", EVERYONE),
    AccessCase("feeds.get_rss_feed", "/feeds/rss.xml", EVERYONE),
    AccessCase("feeds.get_atom_feed", "/feeds/atom.xml", EVERYONE),
    AccessCase("feeds.get_json_feed", "/feeds/feed.json", EVERYONE),
    AccessCase("feeds.get_sitemap", "/sitemap.xml", EVERYONE),
    AccessCase("feeds.get_sitemap_part", "/sitemap-1.xml", EVERYONE),
    AccessCase("feeds.get_robots", "/robots.txt", EVERYONE),
]


@pytest.fixture
def fill_path(
    request, app, people, fill_blog, as_admin, as_login, make_category, make_article, make_tag, make_guest
):
    """Return a function that creates the items for a path and inserts their ids into the path."""
    numbers = count()

    def fill_names(number=0):
        # Feeds and sitemaps exist if the site has a URL.
        as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
        tag, author = make_tag(f"tag {number}"), make_guest()
        category = make_category(name=f"Category {number}")
        article = make_article(category, tags=(tag,), authors=[{"uuid": str(author.uuid)}])
        return {
            "author": author.uuid,
            "hidden": make_guest().uuid,
            "tag": tag.uuid,
            "article": article.uuid,
            "category": category.uuid,
        }

    def fill(template):
        number = next(numbers)
        names = {**(fill_names(number) if number else fill_blog("access", fill_names))}
        if "{media}" in template:
            names["media"] = add_media(as_admin.application)
        if "{redirect}" in template:
            body = {"path": "/old/", "target": "/new/"}
            names["redirect"] = as_admin.post(CUSTOM_REDIRECTS, json=body).json["uuid"]
        if "{field}" in template:
            names["field"] = as_login.post(FIELDS, json=FIELD).json["uuid"]
        if "{webhook}" in template:
            webhook, delivery = add_webhook(app)
            names |= {"webhook": webhook, "delivery": delivery}
        if "{import}" in template:
            names["import"] = add_import(app)
        if "{key}" in template:
            names["key"] = request.getfixturevalue("as_reading_admin").post(KEYS).json["uuid"]
        item_path = ""
        if any(name in template for name in ("{draft}", "{link}", "{page}")):
            names["draft"] = make_article(status="draft").uuid
            item_path = f"{ARTICLES}{names['draft']}/"
        if "{imprint}" in template:
            page = as_admin.post(PAGES, json={"title": "P", "status": "published"})
            names["imprint"] = page.json["uuid"]
            item_path = f"{PAGES}{names['imprint']}/"
        if "{plans}" in template:
            names["plans"] = as_admin.post(PAGES, json={"title": "P"}).json["uuid"]
        if "{deleted}" in template:
            list_path = PAGES if template.startswith(PAGES) else ARTICLES
            names["deleted"] = as_admin.post(list_path, json={"title": "D"}).json["uuid"]
            as_admin.delete(f"{list_path}{names['deleted']}/")
        if "revisions" in template:
            as_admin.patch(item_path, json={"title": "Second version"})
        if "working-copy" in template:
            as_admin.put(f"{item_path}working-copy/", json={"title": "Edits"})
        if "preview" in template or template in ("{link}", "{page}"):
            created = as_admin.post(f"{item_path}preview/").json
            names |= {"preview": created["uuid"], "link": created["api_url"], "page": created["url"]}
        if "{user}" in template:
            names["user"] = people.member.uuid
        if "{invitation}" in template:
            names["invitation"] = as_login.post(INVITATIONS, json=INVITATION).json["uuid"]
        if "{login}" in template:
            names["login"] = as_login.get("/api/v1/auth/logins/").json[0]["uuid"]
        if "{backup}" in template:
            names["backup"] = as_login.post(BACKUPS).json["name"]
        if "{file}" in template:
            names["file"] = put_file(app, b"content")
        return template.format(**names)

    return fill


@pytest.mark.parametrize("case", ACCESS_CASES, ids=lambda case: f"{case.endpoint} {case.path}")
def test_each_caller_gets_the_status_that_the_access_rule_requires(request, app, fill_path, case):
    ((method, access),) = {
        (method, access)
        for _, method, endpoint, access in blueprints.list_operations(app)
        if endpoint == case.endpoint
    }
    found, expected, path = {}, {}, ""
    for public_reads, caller in product([True, False], CALLERS):
        # The setting is about reads and strangers.
        if public_reads and method != "GET" and caller != "as_stranger":
            continue
        if app.config["PUBLIC_READS"] != public_reads:
            app.config["PUBLIC_READS"] = public_reads
            blueprints.store_operations(app)
        is_open = public_reads and case.endpoint in PUBLISHED_CONTENT
        # Then a stranger reads what the holder of an anonymous key reads.
        rank = max(CALLERS.index(caller), int(is_open))
        status = case.statuses[rank]
        client = request.getfixturevalue(caller)
        # A write that succeeded may have removed the item.
        path = path or fill_path(case.path)
        found[caller, public_reads] = outcome(client.open(path, method=method, json=case.body))
        code = case.code or CODES.get(status)
        if status == 409 and not case.code:
            code = IN_USE[case.endpoint.partition(".")[0]]
        lacks_role = access.rule.role != Role.READER and not caller.endswith("admin")
        if status == 403 and access.rule.login_only:
            code = "login_required"
        elif status == 403 and not lacks_role and case.endpoint != "auth.logout":
            code = "scope_missing"
        expected[caller, public_reads] = (status, code)
        path = path if method == "GET" or found[caller, public_reads][0] >= 400 else ""
    assert found == expected


@pytest.mark.parametrize(
    "case",
    [case for case in ACCESS_CASES if case.login],
    ids=lambda case: f"{case.endpoint} {case.path}",
)
def test_an_operation_that_refuses_keys_accepts_a_login(app, fill_path, as_login, as_member_login, case):
    operations = blueprints.list_operations(app)
    (method,) = (name for _, name, endpoint, _ in operations if endpoint == case.endpoint)
    path = fill_path(case.path)
    assert as_member_login.open(path, method=method, json=case.body).status_code == case.member_login
    path = path if case.member_login >= 400 else fill_path(case.path)
    assert as_login.open(path, method=method, json=case.body).status_code == case.login


def test_every_operation_that_refuses_keys_is_tried_with_a_login(app):
    login_only = {
        endpoint for _, _, endpoint, access in blueprints.list_operations(app) if access.rule.login_only
    }
    assert login_only == {case.endpoint for case in ACCESS_CASES if case.login}


def test_published_content_declares_what_it_shows_to_shared_caches(app):
    readable = {
        endpoint
        for _, method, endpoint, access in blueprints.list_operations(app)
        if method == "GET" and access == AccessRequirement(reader, "published")
    }
    declared = {
        endpoint for endpoint in readable if get_operation(app.view_functions[endpoint]).shows is not None
    }
    assert readable - {"auth.get_me"} == declared == PUBLISHED_CONTENT


def test_every_operation_is_in_the_list_of_access_cases(app):
    assert {endpoint for _, _, endpoint, _ in blueprints.list_operations(app)} == {
        case.endpoint for case in ACCESS_CASES
    }


def test_every_view_declares_an_access_rule(app):
    assert all(get_access(view) is not None for view in app.view_functions.values())
