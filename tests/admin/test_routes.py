"""The documents and assets of the admin pages, and the setting that removes them."""

from __future__ import annotations

import gzip
import re
from pathlib import PurePosixPath

import pytest
from sqlalchemy.exc import OperationalError

from blogapi.admin import assets, routes
from tests.contracts.client import outcome

UUID = "8d6fbd5b-59a1-4b0e-8f5c-5ac0d0a0f3f5"
PATHS = [f"/admin{page.path.replace('<id:id>', UUID)}" for page in routes.PAGES]
ASSETS = f"/admin/assets/{assets.get_digest()}/"


def test_a_page_is_a_document_without_data_and_inline_code(as_stranger):
    for path in PATHS:
        response = as_stranger.get(path)
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        html = response.get_data(as_text=True)
        loaded = re.findall(r'<(?:link|script)[^>]* (?:src|href)="([^"]+)"', html)
        for url in loaded:
            assert url.startswith((ASSETS, "/docs/static/"))
            assert as_stranger.get(url).status_code == 200
        assert any(url.endswith(("/pages.js", "/editor.js")) for url in loaded)
        assert UUID not in html and not re.search(r"<style|<script>|<[^>]* (?:on\w+|style)=", html), path


def test_a_page_forbids_scripts_and_frames_of_others(as_stranger):
    policies = {as_stranger.get(path).headers["Content-Security-Policy"] for path in PATHS}
    assert policies == {
        "default-src 'self'; img-src 'self' https: data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    }


@pytest.mark.parametrize(
    ("url", "preview_url", "origin"),
    [
        ("https://blog.example/a", "/preview/", "https://blog.example"),
        ("", "http://127.0.0.1:4321/preview?a=b", "http://127.0.0.1:4321"),
        ("", "https://[::1]:80", "https://[::1]:80"),
        ("", "/preview/", None),
        ("https://blog.example", "", None),
        ("", "https://blog.example;script-src/", None),
        ("", "https://blog.example,x/", None),
        ("", "https://bücher.example/", None),
    ],
)
def test_the_editor_alone_may_show_the_page_for_previews(as_stranger, as_login, url, preview_url, origin):
    assert (
        as_login.patch("/api/v1/blog/site/", json={"url": url, "preview_url": preview_url}).status_code == 200
    )
    for path in PATHS:
        policy = as_stranger.get(path).headers["Content-Security-Policy"]
        editors = [f"/admin/{kind}/{item}/" for kind in ("articles", "pages") for item in ("new", UUID)]
        is_editor = path in editors
        assert policy.partition("; frame-src ")[2] == (origin or "" if is_editor else ""), path


def test_the_editor_opens_without_a_frame_if_the_database_cannot_be_read(as_stranger, monkeypatch):
    def fail():
        raise OperationalError("", None, Exception("locked"))

    monkeypatch.setattr(routes, "get_site", fail)
    response = as_stranger.get("/admin/articles/new/")
    assert response.status_code == 200 and "frame-src" not in response.headers["Content-Security-Policy"]


def test_the_login_page_names_the_command_that_creates_the_first_admin(as_stranger):
    assert '<code class="nowrap">user create NAME --admin</code>' in as_stranger.get("/admin/sign-in/").text


def test_a_page_leaves_the_query_string_to_its_script(as_stranger):
    assert as_stranger.get("/admin/articles/?status=draft&q=tide").status_code == 200


def test_an_admin_gets_the_same_document_as_a_stranger(as_stranger, as_login):
    assert as_stranger.get("/admin/").data == as_login.get("/admin/").data


def test_an_asset_is_served_with_its_type_and_may_be_kept(as_stranger):
    types = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}
    for name in sorted(assets.read_files()):
        response = as_stranger.get(f"{ASSETS}{name}")
        assert response.mimetype == types.get(PurePosixPath(name).suffix, "application/toml")
        assert response.headers["Cache-Control"] == "private, max-age=31536000, immutable"
        compressed = as_stranger.get(f"{ASSETS}{name}", headers={"Accept-Encoding": "gzip, br"})
        assert compressed.headers["Content-Encoding"] == "gzip", name
        assert "Content-Encoding" not in response.headers, name
        assert gzip.decompress(compressed.data) == response.data == assets.read_files()[name]


@pytest.mark.parametrize(
    "path",
    [
        *(f"{ASSETS}none.js", f"{ASSETS}../routes.py", f"{ASSETS}..%2froutes.py", f"{ASSETS}pages"),
        *("/admin/assets/0123456789abcdef/admin.css", "/admin/unknown/", "/admin/articles/new/history/x/"),
    ],
)
def test_a_path_that_is_no_page_and_no_asset_gets_a_404(as_stranger, path):
    assert outcome(as_stranger.get(path)) == (404, "not_found")


def test_without_admin_pages_every_path_below_admin_gets_a_404(make_app, make_client):
    client = make_client(make_app(ADMIN_PAGES=False))
    for path in (*PATHS, f"{ASSETS}admin.css"):
        assert outcome(client.get(path)) == (404, "not_found")


def test_a_page_knows_how_long_shared_caches_keep_what_readers_see(make_app, make_client):
    shared = make_client(make_app(PUBLIC_READS=True, SHARED_MAX_AGE=90)).get("/admin/").text
    assert 'data-shared-seconds="120" data-public-reads' in shared
    # The built-in site needs no key either, so that the pages decide by its switch.
    private = make_client(make_app(SHARED_MAX_AGE=0)).get("/admin/")
    assert private.status_code == 200
    assert "data-shared-seconds" not in private.text and "data-public-reads" not in private.text
