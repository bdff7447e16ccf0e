"""Every GET executes a fixed number of statements, however many rows there are."""

from __future__ import annotations

from uuid import uuid4

import pytest

from blogapi import blueprints
from blogapi.admin import assets
from tests.content.media.rows import SCALABLE, add_media
from tests.content.media.stored_files import put_file
from tests.delivery.webhooks.rows import add_webhook
from tests.importing.import_rows import add_import

ARTICLES = "/api/v1/blog/articles/"
PAGES = "/api/v1/blog/pages/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
AUTHORS = "/api/v1/blog/authors/"
DELETED = "/api/v1/blog/deleted/"
KEYS = "/api/v1/auth/api-key/"
MEDIA = "/api/v1/blog/media/"

BACKUPS = "/api/v1/backups/"
CUSTOM_REDIRECTS = "/api/v1/blog/redirects/own/"
WEBHOOKS = "/api/v1/webhooks/"

# Path, endpoint, and number of statements. One statement looks up the key or the login.
# The site for readers is off; tests/reader_site counts the statements of its pages.
OFF = ("/zzz/", "/style.css", "/theme/a.css")
READS = [
    # The ETag of an admin's list depends on drafts, so an admin's read needs one more statement than a
    # reader's. The first read after a write also looks for the next scheduled article.
    (ARTICLES, "articles.published", 5),
    (ARTICLES + "?page=1&page_size=100", "articles.published", 5),
    (ARTICLES + "?category=shelf&tag=t&published_after=2020-01-01", "articles.published", 5),
    (ARTICLES + "?tags_all=t&tags_all=none&uuid={article}&updated_after=2020-01-01", "articles.published", 4),
    (ARTICLES + "?not_tag=t&not_category=shelf&page=1", "articles.published", 3),
    (ARTICLES + "?q=words&fields=title,snippet", "articles.published", 8),
    (ARTICLES + "?status=any&ordering=-last_updated", "articles.published", 4),
    ("/api/v1/blog/article-counts/", "article_counts.count_by_status", 2),
    ("/api/v1/blog/archive/", "archive.listed", 3),
    ("/api/v1/blog/archive/?tag=t&category=shelf&author=ada", "archive.listed", 7),
    (ARTICLES + "{article}/", "articles.single", 3),
    (PAGES, "pages.listed", 4),
    (PAGES + "?page=1&fields=url,head", "pages.listed", 7),
    (PAGES + "?parent=&page=1", "pages.listed", 5),
    (PAGES + "?parent={imprint}", "pages.listed", 2),
    (PAGES + "?parent=imprint-0&page=1", "pages.listed", 4),
    (PAGES + "{imprint}/", "pages.single", 3),
    # One statement looks whether there are articles of other users.
    (ARTICLES + "author/me/", "articles.list_own", 5),
    (ARTICLES + "own/", "articles.list_written", 5),
    (CATEGORIES, "categories.listed", 2),
    (CATEGORIES + "{category}/", "categories.single", 6),
    (TAGS, "tags.listed", 2),
    (TAGS + "{tag}/", "tags.single", 6),
    (AUTHORS, "authors.listed", 2),
    (AUTHORS + "{author}/", "authors.single", 6),
    (AUTHORS + "?fields=page_url", "authors.listed", 3),
    (ARTICLES + "?author=ada&fields=title,authors", "articles.published", 5),
    # A slug takes one statement more than a uuid.
    (ARTICLES + "{slug}/", "articles.single", 4),
    (CATEGORIES + "shelf/", "categories.single", 7),
    (TAGS + "t/", "tags.single", 7),
    (TAGS + "?slug=t", "tags.listed", 2),
    (TAGS + "?q=t&ordering=-articles&page=1&fields=name,articles_by_status", "tags.listed", 5),
    (TAGS + "?similar=true&page=1", "tags.listed", 2),
    (KEYS, "api_keys.listed", 2),
    (KEYS + "{key}/", "api_keys.single", 2),
    ("/api/v1/auth/me/", "auth.get_me", 1),
    ("/api/v1/auth/login-options/", "auth.get_login_options", 2),
    ("/api/v1/auth/logins/", "auth.list_logins", 2),
    ("/api/v1/auth/me/account/", "account.get_own_account", 3),
    ("/api/v1/users/", "users.listed", 3),
    ("/api/v1/users/{user}/", "users.single", 3),
    ("/api/v1/invitations/", "invitations.listed", 2),
    ("/api/v1/users/roles/", "users.list_roles", 1),
    (ARTICLES + "{article}/revisions/", "revisions.listed", 3),
    (ARTICLES + "{article}/revisions/1/", "revisions.single", 3),
    (ARTICLES + "{article}/revisions/1/compare/", "revisions.compare", 6),
    (ARTICLES + "{article}/working-copy/", "working_copies.single", 4),
    (PAGES + "{imprint}/revisions/", "page_revisions.listed", 3),
    (PAGES + "{imprint}/revisions/1/", "page_revisions.single", 3),
    (PAGES + "{imprint}/revisions/1/compare/", "page_revisions.compare", 6),
    (PAGES + "{imprint}/working-copy/", "page_working_copies.single", 4),
    (PAGES + "{imprint}/preview/", "page_previews.listed", 3),
    (ARTICLES + "?fields=title,working_copy", "articles.published", 4),
    (ARTICLES + "?fields=title,editor", "articles.published", 4),
    (ARTICLES + "?fields=title,open_by", "articles.published", 4),
    (ARTICLES + "{article}/preview/", "previews.listed", 3),
    (DELETED, "deleted_items.listed", 2),
    (DELETED + "?page=1&kind=article&q=t", "deleted_items.listed", 3),
    (DELETED + "{deleted}/", "deleted_items.single", 12),
    ("{link}", "preview_contents.single", 8),
    ("{page}", "preview_pages.show_preview", 8),
    ("/api/v1/blog/redirects/", "redirects.listed", 5),
    ("/api/v1/blog/redirects/?format=nginx", "redirects.listed", 5),
    ("/api/v1/blog/changes/?limit=1000", "changes.listed", 3),
    ("/api/v1/blog/changes/?since=now", "changes.listed", 2),
    ("/api/v1/blog/site/", "site.single", 2),
    # The address of the service takes one statement.
    (MEDIA, "media.listed", 3),
    (MEDIA + "?page=1&q=pic&type=image&unused=true&ordering=name", "media.listed", 4),
    (MEDIA + "?fields=name", "media.listed", 2),
    (MEDIA + "{media}/", "media.single", 3),
    (MEDIA + "{media}/uses/", "media_uses.listed", 3),
    (MEDIA + "{media}/uses/?page=1", "media_uses.listed", 4),
    (ARTICLES + "?fields=url", "articles.published", 4),
    (ARTICLES + "{article}/?fields=url", "articles.single", 3),
    (ARTICLES + "?fields=url,head", "articles.published", 6),
    (CATEGORIES + "?fields=url", "categories.listed", 3),
    (CATEGORIES + "?fields=parent,seo_title", "categories.listed", 2),
    (CATEGORIES + "?fields=head", "categories.listed", 4),
    (TAGS + "?fields=head", "tags.listed", 3),
    (TAGS + "{tag}/?fields=url", "tags.single", 3),
    ("/feeds/rss.xml?tag=t", "feeds.get_rss_feed", 7),
    ("/feeds/atom.xml", "feeds.get_atom_feed", 5),
    ("/feeds/feed.json", "feeds.get_json_feed", 5),
    ("/sitemap.xml", "feeds.get_sitemap", 8),
    ("/sitemap-1.xml", "feeds.get_sitemap_part", 8),
    ("/robots.txt", "feeds.get_robots", 1),
    (BACKUPS, "backups.listed", 1),
    (BACKUPS + "{backup}/", "backups.download", 1),
    ("/api/v1/doctor/", "doctor.single", 1),
    (CUSTOM_REDIRECTS, "custom_redirects.listed", 2),
    (CUSTOM_REDIRECTS + "{redirect}/", "custom_redirects.single", 2),
    ("/api/v1/blog/fields/", "fields.listed", 3),
    ("/api/v1/blog/fields/{field}/", "fields.single", 3),
    (WEBHOOKS, "webhooks.listed", 5),
    (WEBHOOKS + "presets/", "webhooks.list_presets", 1),
    (WEBHOOKS + "{webhook}/", "webhooks.single", 5),
    (WEBHOOKS + "{webhook}/deliveries/", "webhooks.list_deliveries", 3),
    (WEBHOOKS + "{webhook}/deliveries/{delivery}/", "webhooks.get_delivery", 3),
    ("/api/v1/imports/", "imports.listed", 2),
    ("/api/v1/imports/{import}/", "imports.single", 2),
    ("/api/v1/imports/{import}/report/", "imports.download_report", 2),
    ("/api/v1/export/", "exports.download", 27),
    ("/health/", "health.check", 1),
    ("/metrics/", "metrics.show_metrics", 6),
    ("/openapi.json", "openapi.get_document", 1),
    ("/", "reader_site.show_home_or_paths", 1),
    ("/zzz/", "reader_site.show_page", 1),
    ("/style.css", "reader_site.send_style_sheet", 1),
    ("/theme/a.css", "reader_site.send_theme_file", 1),
    ("/docs/", "docs.show_guide", 0),
    ("/docs/reading/", "docs.show_guide_page", 0),
    ("/docs/api/", "docs.show_api_reference", 0),
    ("/docs/search.json", "docs.send_search_index", 0),
    ("/docs/blogapi.js", "docs.send_client", 0),
    ("/docs/static/docs.css", "docs.send_asset", 0),
    ("/admin/articles/", "admin.page", 0),
    ("/admin/articles/new/", "admin.page", 1),
    (f"/admin/assets/{assets.get_digest()}/admin.css", "admin.asset", 0),
    ("{file}", "media_files.make_copy_or_redirect", 0),
]


@pytest.mark.parametrize("rows", [1, 12])
def test_the_number_of_statements_does_not_depend_on_the_number_of_rows(
    app,
    as_admin,
    as_login,
    people,
    make_article,
    make_category,
    make_tag,
    make_guest,
    record_statements,
    rows,
):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    tag, category, author = make_tag("t"), make_category(name="Shelf"), make_guest()
    for _ in range(rows):
        article = make_article(
            category=category,
            tags=(tag, *(make_tag() for _ in range(2))),
            authors=[{"uuid": str(author.uuid)}, {"uuid": str(make_guest().uuid)}, {"slug": "ada"}],
        )
        make_category()
        people.key(people.admin)
        job = add_import(app)
        webhook, delivery = add_webhook(app)
        row = {"path": f"/old-{uuid4().hex}/", "target": "/new/"}
        redirect = as_admin.post(CUSTOM_REDIRECTS, json=row).json["uuid"]
        media = add_media(as_admin.application, **SCALABLE, uses=[("article", article.uuid)])
    article_path = f"{ARTICLES}{article.uuid}/"
    for turn in range(rows):
        as_admin.patch(article_path, json={"slug": f"name-{turn}"})
        links = as_admin.post(f"{article_path}preview/").json
        edits = {"title": "Edits", "tags": [str(tag.uuid)], "category": str(category.uuid)}
        as_admin.put(f"{article_path}working-copy/", json=edits)
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    for _ in range(rows):
        imprint = as_admin.post(PAGES, json={"title": "P", "status": "published"}).json
    page_path = f"{PAGES}{imprint['uuid']}/"
    for turn in range(rows):
        as_admin.patch(page_path, json={"slug": f"imprint-{turn}"})
        as_admin.post(f"{page_path}preview/")
        as_admin.put(f"{page_path}working-copy/", json={"title": "Edits"})
    for _ in range(rows):
        row = {"title": "Gone", "tags": [str(tag.uuid)], "authors": [str(author.uuid)]}
        deleted = as_admin.post(ARTICLES, json=row).json["uuid"]
        as_admin.put(f"{ARTICLES}{deleted}/working-copy/", json={"title": "Edits", "tags": row["tags"]})
        as_admin.delete(f"{ARTICLES}{deleted}/")
    key = as_admin.get("/api/v1/auth/me/").json["key"]
    accesses = {endpoint: access for _, _, endpoint, access in blueprints.list_operations(app)}
    for turn in range(rows):
        definition = {"name": f"field_{turn}", "label": "Field", "type": "text"}
        field = as_login.post("/api/v1/blog/fields/", json=definition).json["uuid"]
    backup = as_login.post(BACKUPS).json["name"]
    counts = {}
    for template, endpoint, _ in READS:
        client = as_login if accesses[endpoint].rule.login_only else as_admin
        uuids = {"article": article.uuid, "tag": tag.uuid, "category": category.uuid, "author": author.uuid}
        path = template.format(
            media=media,
            webhook=webhook,
            redirect=redirect,
            field=field,
            delivery=delivery,
            file=put_file(app, b"content"),
            link=links["api_url"],
            page=links["url"],
            imprint=imprint["uuid"],
            deleted=deleted,
            slug=f"name-{rows - 1}",
            key=key,
            user=people.member.uuid,
            backup=backup,
            **(uuids | {"import": job}),
        )
        with record_statements() as executed:
            assert client.get(path).status_code == (404 if template in OFF else 200)
        counts[template] = len(executed)
    assert counts == {template: number for template, _, number in READS}


def test_every_get_operation_has_a_statement_count(app):
    reads = {endpoint for _, method, endpoint, _ in blueprints.list_operations(app) if method == "GET"}
    assert reads == {endpoint for _, endpoint, _ in READS}
