"""Import jobs that have no file."""

from __future__ import annotations

from uuid import UUID, uuid4

from flask import Flask

from blogapi.importing.jobs import folders
from blogapi.importing.jobs.queries import JobStatus
from blogapi.importing.models import ImportJob
from blogapi.storage.database import db, transaction

OPTIONS = '{"author": "ada", "base_url": "", "pages": "keep", "publish_undated": false}'


def add_import(app: Flask) -> UUID:
    """Store a tried import with an empty report, and return its uuid."""
    uuid = uuid4()
    with app.app_context():
        with transaction():
            values = {"uuid": uuid, "user_id": uuid4(), "name": "blog.zip", "size": 1}
            db.session.add(ImportJob(**values, options=OPTIONS, status=JobStatus.TRIED))
        path = folders.get_job_folder(uuid) / folders.TRIAL_REPORT_FILE
        path.parent.mkdir(parents=True)
        path.write_text("{}", encoding="utf-8")
    return uuid
