"""Find reasons not to publish an article. FIELD_RULES lists the privacy fields of all generators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from blogapi.importing.texts import dates
from blogapi.importing.texts.keys import is_empty, normalize_key
from blogapi.importing.texts.lines import BOOLEAN_WORDS, to_bool, to_line
from blogapi.importing.texts.scanner import find_outside_code

_TRUE = frozenset(word for word, meaning in BOOLEAN_WORDS.items() if meaning)
_FALSE = frozenset(BOOLEAN_WORDS) - _TRUE
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
class FieldRule:
    """The values of a field that make an article public or private, in lower case; "" is an empty value.

    Any other value makes the article a draft, with a note.
    """

    public: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    dates_are_public: bool = False  #: for Hugo's `published` and Metalsmith's `publish`, which may be dates
    others_are_public: bool = False  #: for fields that usually have another purpose
    is_secret: bool = False  #: the value never appears in a note


_PRIVATE_IF_TRUE = FieldRule(public=_FALSE | {""}, private=_TRUE)
# Jekyll and Quartz treat an empty `published` or `publish` as false.
_PRIVATE_IF_FALSE = FieldRule(public=_TRUE, private=_FALSE | _PRIVATE | {""})
_PUBLISHED = FieldRule(public=_TRUE, private=_FALSE | _PRIVATE | {""}, dates_are_public=True)
_STATUS = FieldRule(
    public=_PUBLIC
    | {"scheduled", "future", "featured", "archived", "archive", ""}
    | {"seedling", "budding", "evergreen"},
    private=_PRIVATE,
)
_VISIBILITY = FieldRule(public=_PUBLIC, private=_PRIVATE)
_PASSWORD = FieldRule(public=frozenset(("false", "")), is_secret=True)
# Fields of some content systems, which other blogs use for themes (`active: home`).
_PRIVATE_IF_ON = FieldRule(private=_TRUE, others_are_public=True)
_PRIVATE_IF_OFF = FieldRule(private=_FALSE, others_are_public=True)
#: The rules by normalized key (`fields.normalize_key`). They also apply inside Hugo's `params` and Zola's
#: `extra`.
FIELD_RULES: dict[str, FieldRule] = {
    **dict.fromkeys(("draft", "isdraft", "saveasdraft", "wip", "headless"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("private", "isprivate", "hidden", "ishidden", "secret"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("unlisted", "isunlisted", "delisted", "unpublished", "ignorepost"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("protected", "protect", "encrypted", "encrypt"), _PRIVATE_IF_TRUE),
    **dict.fromkeys(("membersonly", "memberonly", "subscribersonly", "premium", "paid"), _PRIVATE_IF_TRUE),
    "eleventyexcludefromcollections": _PRIVATE_IF_TRUE,
    # Material for MkDocs hides parts of the page: `hide: [navigation, toc]`.
    "hide": FieldRule(
        public=_FALSE | {"navigation", "toc", "footer", "path", "tags", "feedback", ""}, private=_TRUE
    ),
    **dict.fromkeys(("published", "ispublished", "publish", "dgpublish"), _PUBLISHED),
    **dict.fromkeys(("public", "ispublic", "listed", "islisted"), _PRIVATE_IF_FALSE),
    **dict.fromkeys(("visible", "isvisible", "render", "routable"), _PRIVATE_IF_FALSE),
    **dict.fromkeys(("status", "poststatus", "publishstatus"), _STATUS),
    **dict.fromkeys(("visibility", "access"), _VISIBILITY),
    "build.render": FieldRule(public=_TRUE | {"always"}, private=_FALSE | {"never", "link"}),
    "build.list": FieldRule(public=_TRUE | {"always"}, private=_FALSE | {"never", "local"}),
    **dict.fromkeys(("password", "passphrase", "passcode", "postpassword"), _PASSWORD),
    **dict.fromkeys(
        ("deleted", "trashed", "disabled", "confidential", "internal", "inprogress"), _PRIVATE_IF_ON
    ),
    **dict.fromkeys(("active", "enabled", "live", "approved", "ready", "publishable"), _PRIVATE_IF_OFF),
    **dict.fromkeys(("state", "stage", "workflow"), FieldRule(private=_PRIVATE, others_are_public=True)),
    "type": FieldRule(private=frozenset(("draft", "private")), others_are_public=True),
    "permalink": FieldRule(private=frozenset(("false",)), others_are_public=True),
}
# Private values of these fields, and these values of other fields, only keep an article out of lists.
_UNLISTING_FIELDS = {"unlisted", "isunlisted", "delisted", "listed", "islisted", "build.list"}
_UNLISTED = {"unlisted"}
_PUBLISHING_FIELDS = {"published", "publish", "dgpublish"}
# Mappings whose entries have rules, and the prefix of these entries in FIELD_RULES.
_MAPPING_PREFIXES = {"build": "build.", "params": "", "extra": ""}
# Folders whose files are drafts, in lower case.
_PRIVATE_FOLDERS = {
    *("drafts", "_drafts", "draft", "_draft"),
    *("private", "_private", "unpublished", "_unpublished"),
}
# Nikola marks drafts with these tags.
_PRIVATE_TAGS = {"draft", "private"}

# A `key: value` line of a header in an unknown format, such as `"draft": true,` or `.. status: private`.
_HEADER_FIELD = re.compile(r"[\W_]*([A-Za-z][\w -]{0,60}?)[\"']?\s*[:=]+\s*[\"']?([^\"',}\n]{0,60})")
_MAX_HEADER_LINES = 40
# Tags whose text needs a password, such as those of hugo-encryptor.
_HIDING_TAG = re.compile(
    r"\{(?:\{[<%]|%)-?\s*+(?P<name>[\w-]{0,40}?(?:encrypt|password|protected|secret|private|members?-?only)[\w-]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DraftReason:
    """The reason why an article becomes a draft. `note` is "" if the source itself calls it a draft."""

    note: str
    is_understood: bool = True
    #: whether everyone can read the article who knows its address
    is_unlisted: bool = False


def is_privacy_field(name: str) -> bool:
    """Return whether privacy is the only purpose of a field."""
    return name in FIELD_RULES and not FIELD_RULES[name].others_are_public


def find_reasons(entries: Mapping[str, object], key: str, tags: tuple[str, ...]) -> list[DraftReason]:
    """Return the reasons for a draft in the front matter, in the path `key` and in the tags."""
    return [*find_in_front_matter(entries), *_find_in_path(key), *_find_in_tags(tags)]


def find_in_front_matter(entries: Mapping[str, object]) -> Iterator[DraftReason]:
    """Yield a reason for each entry that makes the article private."""
    flat = list(_flatten(entries))
    says_public = any(name in _PUBLISHING_FIELDS and to_bool(value) for _, name, value in flat)
    for key, name, value in flat:
        rule = FIELD_RULES.get(name)
        # In notes, `status` often says how complete a public text is.
        if rule is _STATUS and says_public and not set(_to_words(value)) & rule.private:
            continue
        if rule and not _is_public(rule, value):
            yield _make_reason(key, name, rule, value)


def find_in_text(text: str) -> list[DraftReason]:
    """Return the reasons for a draft in the first lines of a text without recognised front matter.

    A header that cannot be parsed can still mark the text as private.
    """
    lines = (line[:200] for line in text.split("\n", _MAX_HEADER_LINES)[:_MAX_HEADER_LINES])
    matches = filter(None, map(_HEADER_FIELD.match, lines))
    entries = ({match[1]: match[2].strip()} for match in matches if match[2].strip())
    return [reason for entry in entries for reason in find_in_front_matter(entry) if reason.is_understood]


def find_in_tags_of_text(text: str) -> list[DraftReason]:
    """Return the reason for a draft if template tags hide or encrypt a part of the text."""
    if not _HIDING_TAG.search(text):
        return []
    tag = next(find_outside_code(text, "markdown", _HIDING_TAG, "{"), None)
    note = (
        f"The tag “{tag['name'][:60]}” hides a part of its text; the article became a draft." if tag else ""
    )
    return [DraftReason(note)] if tag else []


def _flatten(entries: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    """Yield the key as written, the name in FIELD_RULES, and the value of each entry and inner entry."""
    for key, value in entries.items():
        name = normalize_key(key)
        if isinstance(value, dict) and name in _MAPPING_PREFIXES:
            for inner_key, inner_value in value.items():
                yield (
                    f"{key}.{inner_key}",
                    f"{_MAPPING_PREFIXES[name]}{normalize_key(inner_key)}",
                    inner_value,
                )
        else:
            yield key, name, value


def _is_public(rule: FieldRule, value: object) -> bool:
    if rule.dates_are_public and dates.parse_date(value):
        return True
    words = set(_to_words(value))
    return not words & rule.private if rule.others_are_public else words <= rule.public


def _to_words(value: object) -> Iterator[str]:
    if is_empty(value):
        yield ""
    elif isinstance(value, list):
        for child in value:
            yield from _to_words(child)
    else:
        # The value of a mapping is replaced by "{}", which no rule contains.
        yield to_line(value).casefold() or "{}"


def _make_reason(key: str, name: str, rule: FieldRule, value: object) -> DraftReason:
    key, text = to_line(key)[:60], (to_line(value) or ", ".join(_to_words(value)))[:100]
    if rule.is_secret:
        return DraftReason(f"It has a `{key}`; the article became a draft.")
    if not set(_to_words(value)) & rule.private:
        return DraftReason(
            f"The value “{text}” of `{key}` is not understood; the article became a draft.",
            is_understood=False,
        )
    is_unlisted = name in _UNLISTING_FIELDS or set(_to_words(value)) & rule.private <= _UNLISTED
    if is_unlisted:
        return DraftReason(f"It has `{key}: {text}`; the article became a draft.", is_unlisted=True)
    if text.casefold() == "draft" or name in ("draft", "isdraft") or (name == "published" and text):
        return DraftReason("")
    return DraftReason(f"It has `{key}: {text}`; the article became a draft.")


def find_in_folders(folders: Iterable[str]) -> Iterator[DraftReason]:
    """Yield a reason for each folder name that makes the articles in the folder private."""
    for folder in folders:
        if folder.casefold() in _PRIVATE_FOLDERS:
            is_obvious = "draft" in folder.casefold()
            yield DraftReason(
                "" if is_obvious else f"It is in the folder “{folder}”; the article became a draft."
            )


def _find_in_path(key: str) -> Iterator[DraftReason]:
    *folders, name = key.split("/")
    yield from find_in_folders(folders)
    if name.startswith("_"):
        yield DraftReason(
            "Its name begins with “_”, which marks unpublished files; the article became a draft."
        )


def _find_in_tags(tags: tuple[str, ...]) -> Iterator[DraftReason]:
    for tag in tags:
        if tag.casefold() in _PRIVATE_TAGS:
            yield DraftReason(f"It has the tag “{tag}”; the article became a draft.")
