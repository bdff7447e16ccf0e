"""The interface of formats: files, options, records, reports and the signs that a text is private.

Formats of other packages import only these names. A change that breaks formats increases
CONTRACT_VERSION.
"""

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord, TermRecord
from blogapi.importing.format_api.report import FileReport, Item, Result, read_item, report_problem
from blogapi.importing.format_api.source import (
    CONTRACT_VERSION,
    Format,
    ImportOptions,
    Source,
    SourceData,
    read_each,
)
from blogapi.importing.format_api.source_files import Entry, open_file, read_bytes, read_head
from blogapi.importing.refusals import NotAnArticle, RefusedFile

__all__ = [
    "CONTRACT_VERSION",
    "ArticleRecord",
    "AuthorRecord",
    "Entry",
    "FileReport",
    "Format",
    "ImportOptions",
    "Item",
    "NotAnArticle",
    "RefusedFile",
    "Result",
    "Source",
    "SourceData",
    "TermRecord",
    "open_file",
    "read_bytes",
    "read_each",
    "read_head",
    "read_item",
    "report_problem",
]
