"""A server that starts without the media folder that it shares with others refuses to start."""

from __future__ import annotations

import pytest

from blogapi.serving.server import Server
from tests.content.media.rows import add_media
from tests.databases import SERVER_URL


@pytest.fixture
def serve(make_app, monkeypatch):
    """Runs the command `serve`, but closes the server instead of starting its loop."""
    served = []

    def run(self: Server) -> None:
        served.append(self)
        self.task_dispatcher.shutdown()
        self.close()

    def invoke(**settings):
        result = make_app(**settings).test_cli_runner().invoke(args=["serve", "--port", "0"])
        assert bool(served) is (result.exit_code == 0)
        return result

    monkeypatch.setattr(Server, "run", run)
    return invoke


@pytest.mark.parametrize(
    ("has_media", "state", "says"),
    [
        (False, "missing", "does not exist"),
        (False, "empty", None),
        (True, "missing", "does not exist"),
        (True, "empty", "is empty"),
        (True, "with a file", None),
    ],
)
def test_a_server_needs_the_folder_of_media_path(app, serve, tmp_path, has_media, state, says):
    folder = tmp_path / "mount"
    if has_media:
        add_media(app)
    if state != "missing":
        folder.mkdir()
    if state == "with a file":
        (folder / "file").touch()
    result = serve(MEDIA_PATH=str(folder))
    assert result.exit_code == int(says is not None)
    if says is not None:
        assert result.stderr.startswith(f"Error: The media folder {folder} {says}")
        assert result.stderr.count("\n") == 1 and "correct MEDIA_PATH" in result.stderr
    assert folder.exists() is (state != "missing")


@pytest.mark.parametrize("has_media", [False, True])
def test_without_media_path_only_servers_of_one_database_need_the_files(app, serve, has_media):
    if has_media:
        add_media(app)
    assert serve().exit_code == int(has_media and bool(SERVER_URL))


def test_commands_work_without_the_folder(app, make_app, tmp_path):
    add_media(app)
    result = make_app(MEDIA_PATH=str(tmp_path / "mount")).test_cli_runner().invoke(args=["key", "list"])
    assert result.exit_code == 0
