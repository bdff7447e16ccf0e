"""Two servers share a database and a media folder."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from sqlalchemy import func, select

from blogapi.content.media import folder as folders
from blogapi.content.media.models import Media
from blogapi.storage.database import db
from tests.conftest import close_connections
from tests.content.media.image_files import make_image
from tests.content.media.server_programs import start

# Uploads two images; then uploads and deletes two other files in a random order.
PROGRAM = """
random.seed(sys.argv[1])
images, others = sys.argv[2:4], sys.argv[4:]
print(sum(map(upload, images)), flush=True)
sys.stdin.readline()

def remove(path):
    hash = service._compute_hash(Path(path))
    with transaction():
        db.session.execute(delete(Media).where(Media.hash == hash))
    removal.try_delete_unreferenced_files([(hash, "mp3")])

uploaded = 0
for _ in range(50):
    path = random.choice(others)
    try:
        if random.random() < 0.5:
            uploaded += upload(path)
        else:
            remove(path)
    except Unavailable:
        pass
print(uploaded, flush=True)
"""


def assert_rows_have_files() -> None:
    """Check that the media folder has exactly the files of all rows."""
    paths = folders.get_folder().root.rglob("*")
    assert {path.stem for path in paths if path.is_file()} == set(db.session.scalars(select(Media.hash)))


@pytest.mark.slow
def test_uploads_and_deletions_of_two_servers_keep_rows_and_files_together(app, tmp_path):
    paths = [tmp_path / str(number) for number in range(4)]
    for number, path in enumerate(paths):
        path.write_bytes(make_image("png", 401, 20 + number) if number < 2 else b"ID3\x04" + bytes([number]))
    close_connections(app)
    with ExitStack() as stack:
        servers = [stack.enter_context(start(PROGRAM, seed, *paths)) for seed in (1, 2)]
        for server in servers:
            server.go()
        # Each image is new for one of the servers only.
        assert sum(int(server.read_line()) for server in servers) == 2
        with app.app_context():
            assert db.session.scalar(select(func.count()).select_from(Media)) == 2
            assert_rows_have_files()
        close_connections(app)
        for server in servers:
            server.go()
        assert all(int(server.read_line()) > 0 for server in servers)
    with app.app_context():
        assert_rows_have_files()
