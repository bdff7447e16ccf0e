"""The errors for which the import refuses an article, a term or the site."""

from __future__ import annotations

import marshmallow as ma
from sqlalchemy.exc import DataError, IntegrityError

from blogapi.importing.format_api.report import FileReport, Result
from blogapi.importing.refusals import RefusedFile
from blogapi.web.errors import Problem, flatten_messages
from blogapi.web.fields import join_messages

#: The errors for which an import refuses an article, a term or the site.
REFUSALS = (RefusedFile, ma.ValidationError, Problem, IntegrityError, DataError)


def describe_refusal(error: Exception) -> str:
    """Return the sentence about one of the REFUSALS."""
    if isinstance(error, ma.ValidationError):
        return join_messages(flatten_messages(error.messages))
    if isinstance(error, Problem):
        return error.detail
    if isinstance(error, (IntegrityError, DataError)):
        return f"The database refused it: {error.orig}."
    return str(error)


def report_refusal(key: str, error: Exception) -> FileReport:
    """Return the report of an item that one of the REFUSALS keeps out of the blog."""
    return FileReport(key, Result.REFUSED, notes=(describe_refusal(error),))
