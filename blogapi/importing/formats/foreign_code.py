"""Run the code of formats from other packages, which can raise any exception, print, or end the process."""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, redirect_stdout
from dataclasses import is_dataclass, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from types import FrameType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from blogapi.importing.format_api.article_record import ArticleRecord, TermRecord
from blogapi.importing.format_api.report import FileReport, Item, report_problem
from blogapi.importing.format_api.source import Format, ImportOptions, Source
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.refusals import RefusedFile

_REPORT_ADVICE = "report this to the author of its package"
_FIELD_CHOICES = {
    "content_type": ("markdown", "html", "text"),
    "status": ("draft", "published", "unlisted", "archived"),
}
# The attributes of a source, with their types. Sources of older packages can lack some of these attributes.
_SOURCE_ATTRIBUTES: dict[str, Any] = {
    "hosts": Set[str],
    "terms": Sequence[TermRecord],
    "left_behind": Counter[str],
    "notes": Sequence[str],
    "assets": Sequence[Path],
    "unread_rules": str,
}

# Annotations are resolved once for each class, and not for each record.
_get_types: Callable[[Any], dict[str, Any]] = cache(get_type_hints)
FunctionResult = TypeVar("FunctionResult")
#: Called with the name of a format and its package before the code of the format runs, and with "" after it.
report_format: Callable[[str], None] = lambda name: None  # noqa: E731
_arrived_signals: list[int] = []


def guard_format(format_: Format, notes: list[str], package: str) -> Format:
    """Return a wrapper of a package's format that raises no exceptions and yields only correct records.

    If `detect` fails, the file is not recognised, and a note is added. A record with a mistake is refused.
    After any other error, the other files of this format are not read, and a refusal is reported.
    """

    subject = f"The format “{format_.name}” of the package “{package}”"

    def detect(entry: Entry, head: bytes) -> bool:
        try:
            with announce_format(subject):
                return call_foreign_function(lambda: bool(format_.detect(entry, head)))
        except ForeignError as error:
            note = f"{subject} cannot recognise files ({error}); {_REPORT_ADVICE}."
            notes.extend([] if note in notes else [note])
            return False

    return replace(format_, detect=detect, open_source=partial(_GuardedSource, format_, subject))


class _GuardedSource(Source):
    def __init__(
        self, format_: Format, subject: str, entries: Sequence[Entry], options: ImportOptions
    ) -> None:
        super().__init__(total=len(entries))
        self._format, self._subject, self._entries, self._options = format_, subject, entries, options

    def read(self) -> Iterator[Item]:
        """Yield the items of the source, then copy the attributes of the source to this wrapper."""
        try:
            with announce_format(self._subject):
                source = call_foreign_function(lambda: self._format.open_source(self._entries, self._options))
                items = call_foreign_function(lambda: iter(source.read()))
                end = object()
                while (item := call_foreign_function(lambda: next(items, end))) is not end:
                    yield call_foreign_function(partial(self._check_item, item))
                yield from call_foreign_function(lambda: [*self._copy_attributes(source)])
        except ForeignError as error:
            note = f"{self._subject} failed ({error}); its other files were not read; {_REPORT_ADVICE}."
            yield report_problem(self._format.name, RefusedFile(note))

    def _check_item(self, item: Any) -> Item:
        if not isinstance(item, ArticleRecord | FileReport):
            return self._report_refusal(f"a {type(item).__name__} instead of an ArticleRecord")
        problem = _describe_wrong_field(item)
        return self._report_refusal(problem, item.source or item.key) if problem else item

    def _copy_attributes(self, source: Source) -> Iterator[FileReport]:
        for name, type_ in _SOURCE_ATTRIBUTES.items():
            value = getattr(source, name, getattr(self, name))
            if problem := _describe_wrong_type(name, value, type_):
                yield self._report_refusal(problem)
            else:
                setattr(self, name, value)

    def _report_refusal(self, problem: str, key: object = "") -> FileReport:
        note = f"{self._subject} gives {problem}; {_REPORT_ADVICE}."
        return report_problem(key if isinstance(key, str) and key else self._format.name, RefusedFile(note))


def _describe_wrong_field(item: ArticleRecord | FileReport) -> str:
    """Return a description of the first wrong field of a record or report, or ""."""
    for name, type_ in _get_types(type(item)).items():
        if problem := _describe_wrong_type(name, getattr(item, name), type_):
            return problem
    for name, choices in _FIELD_CHOICES.items() if isinstance(item, ArticleRecord) else ():
        if getattr(item, name) not in choices:
            return f"an unknown `{name}` ({getattr(item, name)!r:.60}): it must be {' or '.join(choices)}"
    return ""


def _describe_wrong_type(name: str, value: object, type_: Any) -> str:
    """Return a description of a value that does not have the type of its field, or ""."""
    if _has_type(value, type_):
        return ""
    kind = type_.__name__ if isinstance(type_, type) and not get_args(type_) else str(type_)
    kind = "a datetime with a time zone, or None" if datetime in get_args(type_) else kind
    return f"a wrong `{name}` ({value!r:.60}): it must be {kind}"


def _has_type(value: object, type_: Any) -> bool:
    """Return whether a value has the type of a field; a time must also be aware."""
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ is Any:
        return True
    if origin in (Union, UnionType):
        return any(_has_type(value, item) for item in arguments)
    if not isinstance(value, origin or type_):
        return False
    if isinstance(value, datetime):
        return value.tzinfo is not None
    if isinstance(value, tuple | list | set | frozenset) and arguments:
        return all(_has_type(item, arguments[0]) for item in value)
    if is_dataclass(value):
        return all(_has_type(getattr(value, name), inner) for name, inner in _get_types(type(value)).items())
    return True


class ForeignError(Exception):
    """The code of another package has failed; the message names the exception."""


@contextmanager
def announce_format(subject: str) -> Iterator[None]:
    """Announce a format of another package while the `with` block runs its code."""
    report_format(subject)
    try:
        yield
    finally:
        report_format("")


def call_foreign_function(function: Callable[[], FunctionResult]) -> FunctionResult:
    """Return what a function of another package returns; its output goes to standard error.

    Raises ForeignError for every exception of the function, also SystemExit, unless a signal ends the import.
    """
    try:
        with redirect_stdout(sys.stderr):
            result = function()
    # The code of another package can fail in any way.
    except BaseException as error:
        exit_if_signalled()
        raise ForeignError(f"{type(error).__name__}: {error}") from error
    exit_if_signalled()
    return result


def exit_if_signalled() -> None:
    """End the import if a signal has arrived, even if the code of another package caught its exception."""
    if _arrived_signals:
        _end_import(_arrived_signals[0])


def _end_import(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Exit on SIGINT and SIGTERM, so that temporary files are deleted, and remember the signals."""

    def handle_signal(number: int, _: FrameType | None) -> None:
        _arrived_signals.append(number)
        _end_import(number)

    _arrived_signals.clear()
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread can handle signals.
        yield
        return
    former = {number: signal.signal(number, handle_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler or signal.SIG_DFL)
        _arrived_signals.clear()
