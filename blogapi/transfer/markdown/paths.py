"""What the path of a file says: its kind, date, name and wished slug."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import unquote

from blogapi.transfer.article_record import NotAnArticle
from blogapi.transfer.markdown import dates
from blogapi.transfer.markdown.text import line

_KINDS = {
    **dict.fromkeys(("md", "markdown", "mkd", "mkdn", "mdown", "rmd", "text"), "markdown"),
    **dict.fromkeys(("html", "htm"), "html"),
    "txt": "text",
}
_LANGUAGE = r"(?P<language>\.[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)?"
_INDEX = re.compile(rf"index{_LANGUAGE}", re.IGNORECASE)
_SECTION = re.compile(rf"_index{_LANGUAGE}", re.IGNORECASE)
_HOST = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*")
_PAGE = re.compile(r"(?:(?:^|(?<=/))index)?\.(?:html?|php|aspx?|md)$", re.IGNORECASE)
#: Jekyll's names for patterns and Eleventy's word for no page, which stand where an address should be.
_PATTERNS = {"date", "pretty", "ordinal", "weekdate", "none", "false"}
# Files about a repository, without suffix.
_REPOSITORY = re.compile(
    r"(?P<name>readme|licen[cs]e|copying|copyright|notice|patents|citation|changelog|changes|history|releases"
    r"|release[-_]notes|upgrading|todo|install|contributing|contributors|code[-_]of[-_]conduct|security|support"
    r"|governance|authors|maintainers|codeowners|acknowledge?ments|dco|issue[-_]template"
    r"|pull[-_]request[-_]template|cname)(?P<rest>[-_.].*)?",
    re.IGNORECASE,
)
_REPOSITORY_TEXTS = re.compile(
    r"(?:robots|humans|security|(?:app-)?ads|llms(?:-full)?|cmakelists|manifest"
    r"|(?:[\w.-]+[._-])?(?:requirements|constraints)(?:[._-][\w.-]+)?)\.txt",
    re.IGNORECASE,
)


def content_type(key: str) -> str:
    """Return "markdown", "html" or "text" by the suffix of a file.

    Raises NotAnArticle for any other file, and for the section pages of Hugo and Zola.
    """
    stem, suffix = _apart(key)
    if suffix.casefold() not in _KINDS:
        raise NotAnArticle(f"“{key.rpartition('/')[2]}” is not a Markdown, HTML or text file.")
    if _SECTION.fullmatch(stem):
        raise NotAnArticle("It is a section page (`_index`), which lists articles and is none itself.")
    return _KINDS[suffix.casefold()]


def is_repository_file(key: str) -> bool:
    """Return whether a file is called as those about a repository are: `README.md`, `robots.txt`.

    In capitals with anything behind (`LICENSE-MIT`), else alone or with a language (`readme.fr`): other
    names, such as `2020-01-01-readme.md` and `security-of-locks.md`, are those of articles.
    """
    if _REPOSITORY_TEXTS.fullmatch(key.rpartition("/")[2]):
        return True
    found = _REPOSITORY.fullmatch(_apart(key)[0])
    return found is not None and (
        found["name"].isupper() or re.fullmatch(_LANGUAGE, found["rest"] or "") is not None
    )


def _apart(key: str) -> tuple[str, str]:
    stem, dot, suffix = key.rpartition("/")[2].rpartition(".")
    return (stem, suffix) if dot else (suffix, "")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file lies, and what that says."""

    name: str  #: the file's name (for `index.md` the folder's) without date and suffix, never empty
    date: datetime | None  #: of the file's name, else of its folders
    dated: bool  #: whether the file's own name begins with a date, as Jekyll's posts do


def place(key: str) -> Place:
    """Return what the path `key` says."""
    folders = key.split("/")[:-1]
    stem = _apart(key)[0]
    moment, name = dates.in_name(_whole_name(stem, folders))
    return Place(
        name=line(name) or "untitled",
        date=moment or dates.in_path("/".join(folders)),
        dated=dates.in_name(stem)[0] is not None,
    )


def _whole_name(stem: str, folders: list[str]) -> str:
    index = _INDEX.fullmatch(stem)
    return folders[-1] + (index["language"] or "") if index and folders else stem


def title(name: str) -> str:
    """Return a title made of a file name: `my-first_post` gives "My first post"."""
    words = line(name.replace("-", " ").replace("_", " ")) or name
    return words[:1].upper() + words[1:]


def last_part(address: str) -> str:
    """Return the last part of an address or path without host, query and suffix.

    "" if there is none (`/`, `../..`), or if a template would fill it (`/:year/:title/`).
    """
    if address.casefold() in _PATTERNS:
        return ""
    path = unquote(re.split(r"[?#]", _HOST.sub("", address, count=1))[0], errors="replace")
    parts = re.split(r"[/\\]", _PAGE.sub("", path))
    named = [part for part in map(line, parts) if part and set(part) != {"."}]
    return named[-1] if named and not re.search(r":[a-z]|[{}]", named[-1]) else ""
