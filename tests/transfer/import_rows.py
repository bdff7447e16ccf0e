"""Import jobs that have no file."""

from __future__ import annotations

from uuid import UUID, uuid4

from flask import Flask

from blogapi.storage.database import db, transaction
from blogapi.transfer.import_jobs import folders
from blogapi.transfer.import_jobs.queries import Status
from blogapi.transfer.models import ImportJob

OPTIONS = '{"author": "ada", "base_url": "", "pages": "tag", "publish_undated": false}'


def add_import(app: Flask) -> UUID:
    """Store a tried import with an empty report, and return its uuid."""
    uuid = uuid4()
    with app.app_context():
        with transaction():
            values = {"uuid": uuid, "user_id": uuid4(), "name": "blog.zip", "size": 1}
            db.session.add(ImportJob(**values, options=OPTIONS, status=Status.TRIED))
        path = folders.get_folder(uuid) / folders.TRIAL_REPORT
        path.parent.mkdir(parents=True)
        path.write_text("{}", encoding="utf-8")
    return uuid
