"""The files of the library at `/media/<hash>/<name>`."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from blogapi.content.media.folder import get_folder
from blogapi.rendering.media_types import TYPES_BY_EXTENSION
from blogapi.web import downloads
from tests.content.media.stored_files import put_file
from tests.contracts.client import HEADERS, outcome

CONTENT = bytes(range(250)) * 200


@pytest.fixture
def path(app):
    """The path of a stored picture of 50,000 bytes."""
    return put_file(app, CONTENT)


def test_a_file_is_served_without_a_key_and_may_be_stored_for_ever(as_stranger, path):
    response = as_stranger.get(path)
    assert (response.status_code, response.data) == (200, CONTENT)
    expected = HEADERS | {
        "Content-Type": "image/webp",
        "Content-Length": str(len(CONTENT)),
        "Cache-Control": "public, max-age=31536000, immutable",
        "ETag": f'"{path.split("/")[2]}"',
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": "sandbox",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    assert expected == {name: value for name, value in response.headers.items() if name != "X-Request-ID"}


def test_a_file_is_read_in_chunks_and_closed(as_stranger, path, monkeypatch):
    monkeypatch.setattr(downloads, "_CHUNK_BYTES", 7000)
    assert as_stranger.get(path).data == CONTENT
    assert as_stranger.get(path, headers={"Range": "bytes=1-7001"}).data == CONTENT[1:7002]
    # An unread response closes its file, or pytest reports an unclosed file.
    as_stranger.get(path).close()


@pytest.mark.parametrize("extension", TYPES_BY_EXTENSION)
def test_each_type_has_its_content_type_and_only_images_are_shown(app, as_stranger, extension):
    type = TYPES_BY_EXTENSION[extension]
    response = as_stranger.get(put_file(app, b"<script>alert(1)</script>", f"a.{extension}"))
    assert response.headers["Content-Type"] == type.name
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    disposition = response.headers.get("Content-Disposition")
    assert disposition == (None if type.is_image else f"attachment; filename=a.{extension}")


@pytest.mark.parametrize(
    ("name", "disposition"),
    [
        ("two%20words.pdf", 'attachment; filename="two words.pdf"'),
        ("a%22;%20x=%22b.pdf", 'attachment; filename="a\\"; x=\\"b.pdf"'),
        ("%E6%9C%9D.pdf", "attachment; filename=file.pdf; filename*=UTF-8''%E6%9C%9D.pdf"),
    ],
)
def test_the_name_of_a_download_is_encoded(app, as_stranger, name, disposition):
    folder = put_file(app, b"%PDF", "a.pdf").rpartition("/")[0]
    assert as_stranger.get(f"{folder}/{name}").headers["Content-Disposition"] == disposition


def test_the_setting_adds_types_that_are_downloads(make_app, make_client):
    types = ["epub=application/epub+zip", "txt=text/plain"]
    app = make_app(MEDIA_TYPES=types)
    client = make_client(app)
    for name, type in (("a.epub", "application/epub+zip"), ("a.txt", "text/plain")):
        with client.get(put_file(app, b"x", name)) as response:
            assert response.headers["Content-Type"] == type
            assert response.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "template",
    [
        "/media/{0}/cat/cat.webp",
        "/media/{0}/cat.jpg",
        "/media/{0}/cat.WEBP",
        "/media/{0}/cat.php",
        "/media/{0}/cat",
        "/media/{0}/webp",
        "/media/{0}/",
        "/media/{0}",
        "/media/{0}/cat.webp/",
        "/media//{0}/cat.webp",
        "/media/{0}/cat.webp\0.webp",
        "/media/{0}/\r\nSet-Cookie: a=b.webp",
        "/media/{0}/\xff.webp",
        "/media/{0}/../../blog.webp",
        "/media/{1}/cat.webp",
        "/media/{0}0/cat.webp",
        "/media/" + "0" * 64 + "/cat.webp",
        "/media/../blog.db",
    ],
)
def test_every_other_path_is_a_404(as_stranger, path, template):
    hash = path.split("/")[2]
    # The paths are those that the server passes on, after the percent-decoding.
    environ = {"PATH_INFO": template.format(hash, hash.upper())}
    assert outcome(as_stranger.get("/media/", environ_overrides=environ)) == (404, "not_found")


def test_a_deleted_file_is_a_404(app, as_stranger, path):
    assert as_stranger.get(path).status_code == 200
    get_folder(app).delete_file(path.split("/")[2], "webp")
    for headers in ({}, {"If-None-Match": "*"}, {"Range": "bytes=0-0"}):
        assert outcome(as_stranger.get(path, headers=headers)) == (404, "not_found")
    assert as_stranger.head(path).status_code == 404


def test_a_file_that_cannot_be_read_is_a_503(as_stranger, path, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "open", fail)
    response = as_stranger.get(path)
    assert outcome(response) == (503, "unavailable")
    assert response.headers["Retry-After"] == "1"


@pytest.mark.parametrize("query", ["v=1", "utm_source=a&utm_source=b", "%ff=%00", "="])
def test_query_parameters_are_ignored(as_stranger, path, query):
    expected = as_stranger.get(path)
    response = as_stranger.get(path, environ_overrides={"QUERY_STRING": query})
    assert (response.status_code, response.data) == (200, expected.data)
    assert response.headers["Cache-Control"] == expected.headers["Cache-Control"]


def test_other_methods_are_answered_as_elsewhere(as_stranger, path):
    assert as_stranger.options(path).headers["Allow"] == "GET, HEAD, OPTIONS"
    response = as_stranger.post(path)
    assert outcome(response) == (405, "method_not_allowed")
    assert response.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_a_head_response_has_the_headers_of_the_file(as_stranger, path):
    named = {"X-Request-ID": "same"}
    get, head = as_stranger.get(path, headers=named), as_stranger.head(path, headers=named)
    assert (head.status_code, head.data, head.headers) == (200, b"", get.headers)


@pytest.mark.parametrize("template", ["{}", "W/{}", "*", '"other", {}'])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_client_that_has_the_file_gets_a_304(as_stranger, path, template, method):
    etag = as_stranger.head(path).headers["ETag"]
    response = as_stranger.open(path, method=method, headers={"If-None-Match": template.format(etag)})
    assert (response.status_code, response.data, response.headers["ETag"]) == (304, b"", etag)
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("range", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=100-199", 100, 199),
        ("bytes=49999-", 49_999, 49_999),
        ("bytes=15000-999999999999", 15_000, 49_999),
        ("bytes=-7000", 43_000, 49_999),
        ("bytes=-999999", 0, 49_999),
        ("Bytes= 5-6 ", 5, 6),
    ],
)
def test_a_part_of_a_file(as_stranger, path, range, first, last):
    response = as_stranger.get(path, headers={"Range": range})
    assert response.status_code == 206
    assert response.data == CONTENT[first : last + 1]
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/50000"
    assert response.headers["Content-Length"] == str(last - first + 1)


@pytest.mark.parametrize("range", ["bytes=50000-", "bytes=50000-50001"])
def test_a_part_behind_the_end_is_a_416(as_stranger, path, range):
    response = as_stranger.get(path, headers={"Range": range})
    assert outcome(response) == (416, "range_not_satisfiable")
    assert response.headers["Content-Range"] == "bytes */50000"


@pytest.mark.parametrize(
    "range", ["bytes=0-1,5-6", "bytes=5-4", "bytes=-", "bytes=a-b", "lines=0-1", "bytes", "bytes=٣-٤"]
)
def test_several_parts_and_a_malformed_range_get_the_whole_file(as_stranger, path, range):
    response = as_stranger.get(path, headers={"Range": range})
    assert (response.status_code, len(response.data)) == (200, len(CONTENT))


def test_a_part_depends_on_if_range(as_stranger, path):
    etag = as_stranger.head(path).headers["ETag"]
    for condition, status in (
        (etag, 206),
        (f"W/{etag}", 200),
        ('"other"', 200),
        ("Sat, 21 Nov 2026 00:00:00 GMT", 200),
    ):
        headers = {"Range": "bytes=0-0", "If-Range": condition}
        assert as_stranger.get(path, headers=headers).status_code == status


def test_the_range_of_a_head_request_is_ignored(as_stranger, path):
    response = as_stranger.head(path, headers={"Range": "bytes=0-0"})
    assert (response.status_code, response.headers["Content-Length"]) == (200, "50000")


def test_only_the_configured_origins_may_read_the_bytes(make_app, make_client):
    app = make_app(CORS_ORIGINS=["https://front.example"])
    client, path = make_client(app), put_file(app, b"x")
    with client.get(path, headers={"Origin": "https://front.example"}) as allowed:
        assert allowed.headers["Access-Control-Allow-Origin"] == "https://front.example"
        assert "X-Request-ID" in allowed.headers["Access-Control-Expose-Headers"]
    with client.get(path, headers={"Origin": "https://a.example"}) as other:
        assert other.status_code == 200 and "Access-Control-Allow-Origin" not in other.headers


def test_requests_for_files_count_toward_the_limit_of_an_address(make_app, make_client):
    app = make_app(REQUEST_ADDRESS_LIMIT="2 per minute")
    client, path = make_client(app), put_file(app, b"x")
    assert [client.get(path).status_code for _ in range(3)] == [200, 200, 429]


def test_another_media_folder_is_used(make_app, make_client, tmp_path):
    app = make_app(MEDIA_PATH=str(tmp_path / "shared"))
    path = put_file(app, b"x")
    assert any((tmp_path / "shared").rglob("*.webp"))
    assert make_client(app).get(path).data == b"x"


def test_a_drawing_loads_nothing(app, make_client):
    response = make_client(app).get(put_file(app, b"<svg/>", "a.svg"))
    assert response.content_type == "image/svg+xml"
    assert response.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none';")
    assert "Content-Disposition" not in response.headers
