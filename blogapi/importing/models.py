"""The tables of imported files, of guesses that users lifted, and of imports that run in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, String, Text, desc
from sqlalchemy.orm import Mapped, mapped_column

from blogapi.storage.database import Base, Identified, Timestamped

#: The maximum number of problems in the summary of an import.
MAX_PROBLEMS = 200
_ZERO_COUNTS = {"new": 0, "changed": 0, "same": 0, "left_out": 0}
#: The summary of an import that has read nothing yet.
EMPTY_SUMMARY: dict[str, Any] = {
    "counts": {"articles": _ZERO_COUNTS, "pictures": _ZERO_COUNTS},
    "problem_count": 0,
    "problems": [],
    "notes": [],
    "unread_rules": "",
    "public_here_rules_unread": 0,
    "marked": [],
    "public_here_perhaps_hidden": 0,
    "public_here_hidden_there": [],
}


class ImportedFile(Base):
    """The source file of an article; the digest of its record shows whether the article must be updated.

    `root` is the absolute path of the folder that the key is relative to, which distinguishes equal keys of
    two blogs; it is None if the key is not a path. There is no foreign key: the row is kept when its article
    is deleted, so that the next import does not create the article again. `guesses` are the names of the
    guesses about the file, in lower case, one in each line; None = an older version imported the file.
    """

    __tablename__ = "imported"

    key: Mapped[str] = mapped_column(Text(), primary_key=True)
    article_id: Mapped[UUID]
    digest: Mapped[str] = mapped_column(String(64))
    imported_at: Mapped[datetime]
    root: Mapped[str | None] = mapped_column(Text())
    guesses: Mapped[str | None] = mapped_column(Text())

    def get_guess_names(self) -> set[str] | None:
        """Return the names of the guesses in the last import; None if that import stored no names."""
        return None if self.guesses is None else set(self.guesses.splitlines())


class LiftedGuess(Base):
    """A guess that the user has lifted for a source, by its name in lower case; see `storing.guesses`."""

    __tablename__ = "lifted_guess"

    source: Mapped[str] = mapped_column(Text(), primary_key=True)
    name: Mapped[str] = mapped_column(Text(), primary_key=True)


class ImportJob(Identified, Timestamped, Base):
    """An import that was started over HTTP, and the file that was uploaded for it.

    `options` is JSON with the options of the import. `trial_report` and `report` are JSON summaries of the
    dry run, which comes first, and of the import; the complete reports are files beside the uploaded file.
    `done` of `total` items of the current `stage` are finished. A server that runs the job updates
    `last_updated` regularly; a running job whose server was killed is interrupted.
    `error` is the reason why a job failed.
    """

    __tablename__ = "import_job"
    __table_args__ = (Index("ix_import_job_newest", desc("created"), "uuid"),)

    user_id: Mapped[UUID]
    name: Mapped[str]
    size: Mapped[int] = mapped_column(BigInteger)
    options: Mapped[str] = mapped_column(default="{}")
    status: Mapped[str] = mapped_column(String(16))
    stage: Mapped[str] = mapped_column(String(32), default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    trial_report: Mapped[str] = mapped_column(default="")
    report: Mapped[str] = mapped_column(default="")
    error: Mapped[str] = mapped_column(default="")
