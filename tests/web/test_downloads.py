"""Responses with the content of a file."""

from __future__ import annotations

import pytest
from flask import Flask

from blogapi.web import downloads


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "blog.zip"
    path.write_bytes(b"content" * 20_000)
    return path


@pytest.fixture
def client(file):
    app = Flask(__name__)
    app.get("/")(
        lambda: downloads.send_download(
            file, name=file.name, mimetype="application/zip", on_close=file.unlink
        )
    )
    return app.test_client()


def test_a_download_has_the_content_and_the_name_of_the_file(client, file):
    content = file.read_bytes()
    with client.get("/") as response:
        assert response.data == content
    assert response.headers["Content-Disposition"] == "attachment; filename=blog.zip"
    assert (response.mimetype, response.content_length) == ("application/zip", len(content))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_temporary_file_is_deleted_even_if_the_client_reads_nothing(client, file, method):
    client.open("/", method=method).close()
    assert not file.exists()
