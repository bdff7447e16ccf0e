"""Why a file gives no article."""

from __future__ import annotations


class RefusedFile(Exception):
    """The file cannot be imported. The message is one sentence that says why and what to do."""


class NotAnArticle(Exception):
    """The file is intact but not an article. The message is one sentence that says what the file is."""


class NotChosen(NotAnArticle):
    """An option of the import leaves the file out, although it is an article."""
