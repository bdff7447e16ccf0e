"""The exceptions for files that are not imported."""

from __future__ import annotations


class RefusedFile(Exception):
    """The file cannot be imported. The message is one sentence that says why and what to do."""


class NotAnArticle(Exception):
    """The file is intact but not an article. The message is one sentence that says what the file is."""
