"""A server that is killed during an upload leaves no row and no partial file."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from blogapi.content.media import folder as folders
from blogapi.content.media import service
from blogapi.content.media.models import Media
from blogapi.storage.database import db
from tests.conftest import close_connections
from tests.content.media.image_files import make_image
from tests.content.media.server_programs import start

pytestmark = pytest.mark.slow

# Stops during the work of the image worker, or after the files were placed and before the commit.
PROGRAMS = {
    "worker": """
def stop(job):
    print("stopped", flush=True)
    time.sleep(1000)
images._run_worker = stop
upload(sys.argv[1])
""",
    "commit": """
place = service.place_file
def stop(prepared):
    place(prepared)
    print("stopped", flush=True)
    time.sleep(1000)
service.place_file = stop
upload(sys.argv[1])
""",
}


def list_names() -> list[str]:
    return sorted(path.name for path in folders.get_folder().root.rglob("*"))


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_killed_upload_leaves_no_row_and_no_partial_file(make_app, tmp_path, program):
    (tmp_path / "source").write_bytes(make_image("png", 401, 20))
    app = make_app()
    close_connections(app)
    with start(program, tmp_path / "source") as server, app.app_context():
        server.go()
        assert server.read_line() == "stopped"
        left = [name for name in list_names() if name.startswith(".upload-")]
        assert len(left) == 2
        # A server that starts meanwhile deletes nothing of the upload.
        folders.init_app(app)
        assert set(left) <= set(list_names())
    app = make_app()
    with app.app_context():
        assert not [name for name in list_names() if name.startswith(".")]
        assert db.session.scalar(select(func.count()).select_from(Media)) == 0
        db.session.rollback()
        # A complete file that no row refers to is used by the next upload.
        with service.prepare_file(tmp_path / "source", "a") as prepared:
            assert service.store_file(prepared)[1]
        assert len([name for name in list_names() if "." in name]) == 1
