"""The documentation pages are complete, need no other server, and answer browsers and programs."""

from __future__ import annotations

import ast
import gzip
import hashlib
import mimetypes
import re
from pathlib import Path

import pytest

import blogapi
from blogapi.docs import assets, guide_pages
from tests.contracts.client import check_headers, outcome

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
SCALAR = "/docs/static/scalar.js"


@pytest.fixture
def wrong_mime_types():
    """Map all suffixes to text/plain, as the registry of a Windows machine can do."""
    for suffix in (*assets.CONTENT_TYPES, ".html", ".json"):
        mimetypes.add_type("text/plain", suffix)
    yield
    mimetypes.init()


@pytest.mark.parametrize("path", ["/docs/", "/docs/reading/", "/docs/api/"])
def test_a_page_loads_only_its_own_assets(as_stranger, path):
    response = as_stranger.get(path)
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    page = response.get_data(as_text=True)
    loaded = re.findall(r'<(?:link|script|img)[^>]* (?:src|href)="([^"]+)"', page)
    assert loaded and all(url.startswith(("/docs/static/", "/openapi.json")) for url in loaded)
    for url in loaded:
        assert as_stranger.get(url).status_code == 200
    assert "<script>" not in page and "<style" not in page and not re.search(r"<[^>]* on\w+=", page)


@pytest.mark.parametrize("name", sorted(assets.ASSET_NAMES))
def test_every_asset_is_served_with_its_content_type(as_stranger, wrong_mime_types, name):
    response = as_stranger.get(f"/docs/static/{name}")
    assert response.status_code == 200 and response.data
    content_types = {
        "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml",
        "webp": "image/webp",
        "txt": "text/plain; charset=utf-8",
    }
    assert response.headers["Content-Type"] == content_types[name.rpartition(".")[2]]


def test_every_static_file_has_a_known_content_type():
    static = [path for path in Path(blogapi.__file__).parent.rglob("static/**/*") if path.is_file()]
    # The types of the bundles are not served.
    served = [path for path in static if not path.name.endswith(".d.ts")]
    names = {path.name.removesuffix(assets.COMPRESSED_SUFFIX) for path in served}
    assert any("admin" in path.parts for path in static)
    assert {Path(name).suffix for name in names} <= assets.CONTENT_TYPES.keys()


def test_no_module_uses_the_content_types_of_the_operating_system():
    forbidden = {"mimetypes", "send_file", "send_from_directory", "guess_type"}
    for path in Path(blogapi.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {getattr(node, "module", None), *(alias.name for alias in node.names)}
                assert not names & forbidden, path


def test_the_reference_component_has_the_named_version_and_digest(as_stranger):
    script = as_stranger.get(SCALAR).data
    assert hashlib.sha256(script).hexdigest() == assets.SCALAR_SHA256
    assert f"{assets.SCALAR_VERSION}`".encode() in script
    license_text = as_stranger.get("/docs/static/scalar-license.txt").get_data(as_text=True)
    assert f"@scalar/api-reference {assets.SCALAR_VERSION}" in license_text and "MIT License" in license_text


def test_a_compressed_asset_is_decompressed_for_a_client_without_gzip(as_stranger):
    plain = as_stranger.get(SCALAR)
    compressed = as_stranger.get(SCALAR, headers={"Accept-Encoding": "br, gzip"})
    refused = as_stranger.get(SCALAR, headers={"Accept-Encoding": "gzip;q=0"})
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers and "Content-Encoding" not in refused.headers
    assert gzip.decompress(compressed.data) == plain.data == refused.data
    assert compressed.headers["ETag"] != plain.headers["ETag"]


def test_the_search_index_has_each_section_of_the_guide(as_stranger):
    plain = as_stranger.get("/docs/search.json")
    compressed = as_stranger.get("/docs/search.json", headers={"Accept-Encoding": "gzip"})
    assert compressed.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
    assert plain.mimetype == "application/json" and gzip.decompress(compressed.data) == plain.data
    # A phone loads it when the search is opened.
    assert len(compressed.data) < 150_000
    texts = {entry["url"]: entry["text"] for entry in plain.json}
    pages = guide_pages.list_pages()
    assert len(texts) == len(plain.json) > len(pages)
    for page in pages:
        assert {page.url, *(f"{page.url}#{section.id}" for section in page.sections)} <= texts.keys()
    assert "DAILY_BACKUPS" in texts["/docs/operating/#settings"]
    assert "curl -i -H" in texts["/docs/build-a-front-end/#page"]
    for url in texts:
        path, _, fragment = url.partition("#")
        (page,) = (page for page in pages if page.url == path)
        assert not fragment or f'id="{fragment}"' in page.html
    assert not any("<span" in text for url, text in texts.items())


@pytest.mark.parametrize("path", ["/docs/", "/docs/reading/", "/docs/api/"])
def test_the_content_security_policy_allows_only_scripts_of_the_service(as_stranger, path):
    policy = as_stranger.get(path).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    assert "connect-src 'self';" in policy and "unsafe-eval" not in policy


@pytest.mark.parametrize(
    "path",
    [
        *("/docs/static/secret.txt", "/docs/static/..%2froutes.py", "/docs/static/scalar.js.gz"),
        *("/docs/unknown/", "/docs/index/", "/docs/reading.md", "/docs/..%2froutes.py"),
    ],
)
def test_a_path_that_is_no_page_and_no_asset_gets_a_404(as_stranger, path):
    assert outcome(as_stranger.get(path)) == (404, "not_found")


@pytest.mark.parametrize(("admin_pages", "location"), [(True, "/admin/"), (False, "/docs/")])
def test_the_root_redirects_a_browser_to_the_admin_pages_or_the_guide(
    app, as_stranger, admin_pages, location
):
    app.config["ADMIN_PAGES"] = admin_pages
    response = as_stranger.get("/", headers={"Accept": BROWSER})
    assert (response.status_code, response.headers["Location"]) == (302, location)
    check_headers("GET", response)


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html;q=0.9"])
def test_the_root_shows_other_clients_the_paths_of_the_api(as_stranger, as_reader, accept):
    response = as_stranger.get("/", headers={"Accept": accept} if accept else {})
    assert response.status_code == 200
    paths = dict(response.json)
    lists = paths.pop("lists")
    assert paths == {"docs": "/docs/", "openapi": "/openapi.json", "health": "/health"}
    assert {"articles", "categories", "tags", "redirects", "changes"} <= lists.keys()
    for path in paths.values():
        assert as_stranger.get(path).status_code == 200
    for path in lists.values():
        assert as_reader.get(path).status_code == (
            403
            if path.endswith(("/me/", "/own/", "/media/", "/article-counts/", "/fields/", "/deleted/"))
            else 200
        )


@pytest.mark.parametrize("host", ["evil.example", "evil.example:81"])
def test_the_redirect_of_the_root_does_not_depend_on_the_host(as_stranger, host):
    headers = {"Accept": BROWSER, "Host": host, "X-Forwarded-Host": host}
    response = as_stranger.get("/?next=//evil.example", headers=headers)
    assert response.headers.get("Location", "/admin/") == "/admin/" and "evil" not in response.get_data(
        as_text=True
    )
