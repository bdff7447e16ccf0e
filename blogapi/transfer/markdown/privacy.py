"""What keeps an article private: the words of all generators, in one table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from blogapi.transfer.markdown import dates
from blogapi.transfer.markdown.fields import empty, fold
from blogapi.transfer.markdown.text import TRUTHS, line

_TRUE = frozenset(word for word, said in TRUTHS.items() if said)
_FALSE = frozenset(TRUTHS) - _TRUE
_PUBLIC = frozenset(
    ("public", "published", "publish", "visible", "listed", "everyone", "all", "open", "free")
)
_PRIVATE = frozenset(
    (
        *("draft", "private", "hidden", "unlisted", "unpublished", "pending", "skip", "trash", "password"),
        *("protected", "internal", "members", "paid", "tiers", "subscribers", "restricted"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What the values of a field say; "" is the empty one. Any other value makes a draft, with a note."""

    public: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    date_is_public: bool = False  #: Hugo's `published` and Metalsmith's `publish` may be dates
    others_are_public: bool = False  #: for fields that usually say something else
    is_secret: bool = False  #: no report shows the value


_PRIVATE_IF_TRUE = Word(public=_FALSE | {""}, private=_TRUE)
# Jekyll and Quartz take an empty `published` or `publish` for false.
_PRIVATE_IF_FALSE = Word(public=_TRUE, private=_FALSE | _PRIVATE | {""})
_PUBLISHED = Word(public=_TRUE, private=_FALSE | _PRIVATE | {""}, date_is_public=True)
_STATUS = Word(
    public=_PUBLIC | {"scheduled", "future", "featured", "archived", "archive", ""}, private=_PRIVATE
)
_VISIBILITY = Word(public=_PUBLIC, private=_PRIVATE)
_PASSWORD = Word(public=frozenset(("false", "")), is_secret=True)
#: The fields by their folded names (`fields.fold`), also inside `params` of Hugo and `extra` of Zola.
WORDS: dict[str, Word] = {
    **dict.fromkeys(("draft", "isdraft", "saveasdraft", "wip", "headless"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("private", "isprivate", "hidden", "ishidden", "secret"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("unlisted", "isunlisted", "delisted", "unpublished", "ignorepost"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("protected", "protect", "encrypted", "encrypt"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("membersonly", "memberonly", "subscribersonly", "premium", "paid"), _PRIVATE_IF_TRUE),
    "eleventyexcludefromcollections": _PRIVATE_IF_TRUE,
    # Material for MkDocs hides parts of the page: `hide: [navigation, toc]`.
    "hide": Word(
        public=_FALSE | {"navigation", "toc", "footer", "path", "tags", "feedback", ""}, private=_TRUE
    ),
    **dict.fromkeys(("published", "ispublished", "publish", "dgpublish"), _PUBLISHED),
    **dict.fromkeys(("public", "ispublic", "listed", "islisted"), _PRIVATE_IF_FALSE),
    **dict.fromkeys(("visible", "isvisible", "render", "routable"), _PRIVATE_IF_FALSE),
    **dict.fromkeys(("status", "poststatus", "publishstatus"), _STATUS),
    **dict.fromkeys(("visibility", "access"), _VISIBILITY),
    "build.render": Word(public=_TRUE | {"always"}, private=_FALSE | {"never", "link"}),
    "build.list": Word(public=_TRUE | {"always"}, private=_FALSE | {"never", "local"}),
    **dict.fromkeys(("password", "passphrase", "passcode", "postpassword"), _PASSWORD),
    "permalink": Word(private=frozenset(("false",)), others_are_public=True),
}
#: What the fields of a mapping are called in WORDS.
_PREFIXES = {"build": "build.", "params": "", "extra": ""}
#: Folders whose files are drafts, in lower case.
FOLDERS = {
    *("drafts", "_drafts", "draft", "_draft"),
    *("private", "_private", "unpublished", "_unpublished"),
}
#: Tags that make a draft: Nikola's.
TAGS = {"draft", "private"}

# A field of a header that no parser knows, as `"draft": true,` or `.. status: private`.
_FIELD = re.compile(r"[\W_]*([A-Za-z][\w -]{0,60}?)[\"']?\s*[:=]+\s*[\"']?([^\"',}\n]{0,60})")
_HEADER_LINES = 40


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an article is private; `note` is "" where the source says just that: draft."""

    note: str
    is_understood: bool = True


def is_word(name: str) -> bool:
    """Return whether a field is about nothing but privacy."""
    return name in WORDS and not WORDS[name].others_are_public


def reasons(entries: Mapping[str, object], key: str, tags: tuple[str, ...]) -> list[Reason]:
    """Return all that keeps an article private: its front matter, the path `key` and its tags."""
    return [*in_front_matter(entries), *_in_path(key), *_in_tags(tags)]


def in_front_matter(entries: Mapping[str, object]) -> Iterator[Reason]:
    """Yield a reason for each entry that keeps an article private, in whichever spelling it stands."""
    for key, name, value in _named(entries):
        word = WORDS.get(name)
        if word and not _is_public(word, value):
            yield _reason(key, name, word, value)


def in_text(text: str) -> list[Reason]:
    """Return reasons for the first lines of a text in which no front matter was found.

    A header that is not read (another generator's, a broken one) must not publish what it keeps private.
    """
    rows = (row[:200] for row in text.split("\n", _HEADER_LINES)[:_HEADER_LINES])
    found = filter(None, map(_FIELD.match, rows))
    entries = ({field[1]: field[2].strip()} for field in found if field[2].strip())
    return [reason for entry in entries for reason in in_front_matter(entry) if reason.is_understood]


def _named(entries: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    """Yield each entry as written, with its name in WORDS, and those inside of known mappings."""
    for key, value in entries.items():
        name = fold(key)
        if isinstance(value, dict) and name in _PREFIXES:
            for inner, within in value.items():
                yield f"{key}.{inner}", f"{_PREFIXES[name]}{fold(inner)}", within
        else:
            yield key, name, value


def _is_public(word: Word, value: object) -> bool:
    if word.date_is_public and dates.parse(value):
        return True
    values = set(_words(value))
    return not values & word.private if word.others_are_public else values <= word.public


def _words(value: object) -> Iterator[str]:
    if empty(value):
        yield ""
    elif isinstance(value, list):
        for child in value:
            yield from _words(child)
    else:
        # A mapping is none of the known values.
        yield line(value).casefold() or "{}"


def _reason(key: str, name: str, word: Word, value: object) -> Reason:
    key, shown = line(key)[:60], (line(value) or ", ".join(_words(value)))[:100]
    if word.is_secret:
        return Reason(f"It has a `{key}`; the article became a draft.")
    if not set(_words(value)) & word.private:
        return Reason(
            f"The value “{shown}” of `{key}` is not understood; the article became a draft.",
            is_understood=False,
        )
    if shown.casefold() == "draft" or name in ("draft", "isdraft") or (name == "published" and shown):
        return Reason("")
    return Reason(f"`{key}: {shown}`: the article became a draft.")


def _in_path(key: str) -> Iterator[Reason]:
    *folders, name = key.split("/")
    for folder in folders:
        if folder.casefold() in FOLDERS:
            obvious = "draft" in folder.casefold()
            yield Reason("" if obvious else f"It lies in the folder “{folder}”; the article became a draft.")
    if name.startswith("_"):
        yield Reason("Its name begins with “_”, as of files that are not published; it became a draft.")


def _in_tags(tags: tuple[str, ...]) -> Iterator[Reason]:
    for tag in tags:
        if tag.casefold() in TAGS:
            yield Reason(f"It has the tag “{tag}”; the article became a draft.")
