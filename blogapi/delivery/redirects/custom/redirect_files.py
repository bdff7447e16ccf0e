"""Reads redirects from the files of hosts and plugins: `_redirects`, `.htaccess`, exports of Redirection.

Redirects with a pattern or a condition are skipped, with a reason.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import marshmallow as ma

from blogapi.delivery.redirects.custom.schemas import CustomRedirectBodySchema
from blogapi.delivery.redirects.custom.service import GONE_STATUS
from blogapi.delivery.redirects.custom.targets import get_local_path
from blogapi.site.paths import strip_slash
from blogapi.web.errors import Invalid, flatten_messages
from blogapi.web.fields import Fields, join_messages

_STATUSES = {"301": 301, "308": 301, "302": 302, "303": 302, "307": 302, "410": GONE_STATUS}
_STATUS_WORDS = {"permanent": "301", "temp": "302", "seeother": "303", "gone": "410"}
# The directives of Apache whose names contain the status.
_DIRECTIVE_STATUSES = {"redirectpermanent": "301", "redirecttemp": "302"}
# Matches a regular expression that matches only one path, with or without a slash at its end.
_LITERAL_PATTERN = re.compile(r"\^?(?P<path>(?:[\w/%~-]|\\?\.)*?)(?P<slash>/\?)?\$")
_PLACEHOLDER_PATTERN = re.compile(r"\*|/:\w|\$[0-9]|%\{")
_FLAGS_PATTERN = re.compile(r"\[([^\[\]]*+)\]\Z")

# The actions of the plugin Redirection that redirect to a single target or answer with an error such as 410.
_SUPPORTED_ACTIONS = ("", "url", "error")

_PATTERN_REASON = "it has a pattern"
_CONDITION_REASON = "it has a condition"


@dataclass(slots=True)
class RedirectFile:
    """The redirects of a file, and the lines that were skipped, each with a reason."""

    redirects: list[Fields] = field(default_factory=list)
    skipped: list[tuple[int, str]] = field(default_factory=list)


class _SkippedLine(Exception):
    """Raised for a line that is not a plain redirect; the message is the reason."""


# The source, the target and the status of a redirect, with the same texts as in the file.
_RedirectTexts = tuple[str, str, str]
# The number of a line, its content, and the function that parses it and raises _SkippedLine.
_Line = tuple[int, Any, Callable[[Any], _RedirectTexts]]


def read_redirects(text: str) -> RedirectFile:
    """Return the redirects of a file, whose format is recognised by its first line.

    If several redirects have the same path, only the first one applies, as on the hosts. Raises Invalid if
    a row of a CSV file cannot be read.
    """
    lines, result, paths = text.removeprefix("\ufeff").splitlines(), RedirectFile(), set[str]()
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    columns = [name.strip().strip('"').lower() for name in first.split(",")]
    if {"source", "target"} <= {*columns}:
        rows = _read_csv_rows(lines, lines.index(first))
    elif first.lstrip().startswith("{"):
        rows = _read_json_redirects(text)
    elif first.lstrip().startswith(("/", "https://", "http://")):
        rows = _read_netlify_lines(lines)
    else:
        rows = _read_apache_lines(lines)
    for number, row, parse in rows:
        try:
            fields = _make_redirect_fields(*parse(row))
        except _SkippedLine as reason:
            result.skipped.append((number, str(reason)))
            continue
        if strip_slash(fields["path"]) in paths:
            result.skipped.append((number, f"{fields['path']} has a redirect in an earlier line"))
        else:
            paths.add(strip_slash(fields["path"]))
            result.redirects.append(fields)
    result.skipped.sort()
    return result


def _make_redirect_fields(source: str, target: str, status_text: str) -> Fields:
    """Return the fields of a redirect in the form that the API accepts."""
    if _PLACEHOLDER_PATTERN.search(source) or _PLACEHOLDER_PATTERN.search(target):
        raise _SkippedLine(_PATTERN_REASON)
    if status_text not in _STATUSES:
        raise _SkippedLine(f"the status {status_text} is not a redirect")
    status = _STATUSES[status_text]
    body = {"path": source, "target": "" if status == GONE_STATUS else target, "status": status}
    try:
        fields: Fields = CustomRedirectBodySchema().load(body)
    except ma.ValidationError as error:
        raise _SkippedLine(join_messages(flatten_messages(error.messages))) from None
    if status != GONE_STATUS and not fields["target"]:
        raise _SkippedLine("it has no target")
    if get_local_path(fields["target"], "") == strip_slash(fields["path"]):
        raise _SkippedLine(
            "it only adds or removes the slash at the end, which makes no difference in this blog"
        )
    return fields


def _skip_line(reason: str) -> NoReturn:
    raise _SkippedLine(reason)


def _read_netlify_lines(lines: Iterable[str]) -> Iterator[_Line]:
    for number, text in enumerate(lines, 1):
        if text.strip() and not text.lstrip().startswith("#"):
            yield number, text, _parse_netlify_line


def _parse_netlify_line(text: str) -> _RedirectTexts:
    """Parse a line of `_redirects`: a path, a target, and a status, which can end with `!`."""
    source, *rest = text.split(" #")[0].split()
    if rest and (re.match(r"\w+=", rest[0]) or len(rest) > 2):
        raise _SkippedLine(_CONDITION_REASON)
    if not rest:
        raise _SkippedLine("it has no target")
    return source, rest[0], (rest[1] if len(rest) > 1 else "301").removesuffix("!")


def _read_csv_rows(lines: Sequence[str], header: int) -> Iterator[_Line]:
    rows, last_line = csv.DictReader(lines[header:], skipinitialspace=True), header
    try:
        rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
        for row in rows:
            last_line = header + rows.line_num
            yield last_line, row, _parse_csv_row
    except csv.Error:
        raise Invalid(f"Line {last_line + 1} has a field that is too long; check its quotes.") from None


def _parse_csv_row(row: Mapping[str, str | None]) -> _RedirectTexts:
    """Parse a CSV row of the plugin Redirection, whose older versions write the status into `type`."""

    def get_text(name: str) -> str:
        value = row.get(name)
        return value.strip() if isinstance(value, str) else ""

    if get_text("regex") not in ("", "0", "false"):
        raise _SkippedLine(_PATTERN_REASON)
    if get_text("status").lower() in ("disabled", "0"):
        raise _SkippedLine("it is disabled")
    kind = get_text("type")
    # CSV files of the plugin contain no conditions; a redirect with a condition has the target `/unknown`.
    is_conditional = get_text("target") == "/unknown" or not (kind.isdigit() or kind in _SUPPORTED_ACTIONS)
    if get_text("match") not in ("", "url") or is_conditional:
        raise _SkippedLine(_CONDITION_REASON)
    return get_text("source"), get_text("target"), get_text("code") or (kind if kind.isdigit() else "301")


def _read_json_redirects(text: str) -> Iterator[_Line]:
    """Yield the redirects in a JSON export of the plugin Redirection; the first redirect has the number 1."""
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        yield 1, "it is not JSON", _skip_line
        return
    rows = document.get("redirects")
    for number, row in enumerate(rows if isinstance(rows, list) else [], 1):
        yield number, row if isinstance(row, dict) else {}, _parse_json_redirect


def _parse_json_redirect(row: Mapping[str, Any]) -> _RedirectTexts:
    data = row.get("action_data")
    target = data.get("url") if isinstance(data, dict) else data
    if row.get("match_type", "url") != "url":
        raise _SkippedLine(_CONDITION_REASON)
    return _parse_csv_row(
        {
            "source": str(row.get("url", "")),
            "target": str(target or ""),
            "regex": "1" if row.get("regex") else "",
            "code": str(row.get("action_code", "")),
            "type": str(row.get("action_type", "")),
            "status": "active" if row.get("enabled", True) else "disabled",
        }
    )


def _read_apache_lines(lines: Iterable[str]) -> Iterator[_Line]:
    has_condition = False
    for number, text in enumerate(lines, 1):
        directive = text.split(None, 1)[0].lower() if text.strip() else ""
        if directive == "rewriterule" and has_condition:
            yield number, _CONDITION_REASON, _skip_line
        elif directive == "rewriterule":
            yield number, text, _parse_rewrite_rule
        elif directive.startswith("redirect"):
            yield number, text, _parse_redirect_directive
        # A `RewriteCond` applies only to the next `RewriteRule`.
        has_condition = directive == "rewritecond" or (has_condition and directive != "rewriterule")


def _split_words(text: str) -> list[str]:
    try:
        return shlex.split(text.replace("\\", "\\\\"), comments=False)
    except ValueError:
        raise _SkippedLine("its quotes are not closed") from None


def _parse_redirect_directive(text: str) -> _RedirectTexts:
    """Parse `Redirect`, `RedirectMatch`, `RedirectPermanent` and `RedirectTemp`."""
    directive, *words = _split_words(text)
    directive = directive.lower()
    status = _DIRECTIVE_STATUSES.get(directive, "302")
    if directive not in _DIRECTIVE_STATUSES and words and not words[0].startswith(("/", "^")):
        status = _STATUS_WORDS.get(words[0].lower(), words[0])
        words = words[1:]
    if not words or (len(words) != 2 and status != "410"):
        raise _SkippedLine("it has no target")
    source = _unescape_pattern(words[0]) if directive == "redirectmatch" else words[0]
    return source, words[1] if len(words) > 1 else "", status


def _parse_rewrite_rule(text: str) -> _RedirectTexts:
    """Parse a `RewriteRule` that redirects; its pattern is relative to the folder of the file."""
    _, *words = _split_words(text)
    match = _FLAGS_PATTERN.search(words[2]) if len(words) == 3 else None
    flags = {flag.strip().upper().partition("=")[::2] for flag in match[1].split(",")} if match else set()
    flag_values = dict(flags)
    if "G" in flag_values or "GONE" in flag_values:
        status = "410"
    elif "R" in flag_values or "REDIRECT" in flag_values:
        status = flag_values.get("R") or flag_values.get("REDIRECT") or "302"
        status = _STATUS_WORDS.get(status.lower(), status)
    else:
        raise _SkippedLine("it shows another page and does not redirect")
    # In the configuration of a server, unlike in `.htaccess`, the path begins with a slash.
    path = _unescape_pattern(words[0].replace("^/?", "^", 1))
    return path if path.startswith("/") else f"/{path}", words[1], status


def _unescape_pattern(pattern: str) -> str:
    """Return the only path that a regular expression matches; raises _SkippedLine if it matches several."""
    literal = _LITERAL_PATTERN.fullmatch(pattern)
    if literal is None or not pattern.startswith("^"):
        raise _SkippedLine(_PATTERN_REASON)
    return literal["path"].replace("\\", "") + ("/" if literal["slash"] else "")
