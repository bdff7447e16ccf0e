"""Find reasons not to publish an article, in its fields (see `PRIVACY_FIELDS`), path, tags and text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime

from blogapi.importing.format_api import hiding_words, privacy_signs
from blogapi.importing.format_api.article_record import Guess
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import is_empty, normalize_key, to_bool, to_line

# A `key: value` line of a header in an unknown format, such as `"draft": true,` or `.. status: private`.
_HEADER_FIELD = re.compile(r"[\W_]*([A-Za-z][\w -]{0,60}?)[\"']?\s*[:=]+\s*[\"']?([^\"',}\n]{0,60})")
_MAX_HEADER_LINES = 40

STATUSES = {"published": "published", "scheduled": "scheduled", "draft": "draft"}
NO_DATE_NOTE = "It has no date of publication; the article became a draft."
PAST_SCHEDULE_NOTE = "It was scheduled for a time that has passed; the article became a draft."


@dataclass(frozen=True, slots=True)
class DraftReason:
    """The reason why an article becomes a draft. `note` is "" if the source calls the article a draft."""

    note: str
    is_understood: bool = True  #: whether the value is listed in the rule of its field
    #: whether everyone who knows the address of the article can read it
    is_unlisted: bool = False
    sign: str = ""  #: the field or folder that marks the draft; a setting of a generator can show such drafts
    guess: str = ""  #: the name of the guess, if no system is known for the sign
    is_new: bool = True  #: as in `Guess`


def make_guess(kind: str, name: str, subject: str) -> Guess:
    """Return the guess about a sign in a text; its note begins with `subject`, such as "The block “x”"."""
    return Guess(f"{kind}:{name}", f"{subject} can hide a part of its text; the article became a draft.")


def find_draft_reasons(
    entries: Mapping[str, object],
    key: str,
    tags: tuple[str, ...],
    generator: str = "",
    *,
    builds_underscores: bool = False,
) -> list[DraftReason]:
    """Return the reasons for a draft in the front matter, in the path `key` and in the tags.

    With `builds_underscores`, the generator builds files whose names begin with `_`.
    """
    private = (tag for tag in tags if tag.casefold() in privacy_signs.PRIVATE_TAGS)
    return [
        *find_draft_reasons_in_front_matter(entries, generator),
        *_find_draft_reasons_in_path(key, builds_underscores=builds_underscores),
        *(DraftReason(f"It has the tag “{tag}”; the article became a draft.") for tag in private),
    ]


def find_draft_reasons_in_front_matter(
    entries: Mapping[str, object], generator: str = ""
) -> Iterator[DraftReason]:
    """Yield a reason for each entry that makes the article private.

    `generator` is the name of the generator as in UNLISTED_VALUES_BY_GENERATOR; "" = unknown.
    """
    flat = list(flatten_entries(entries))
    says_public = any(name in privacy_signs.PUBLISHING_FIELDS and to_bool(value) for _, name, value in flat)
    for key, name, value in flat:
        rule = privacy_signs.FIELD_RULES.get(name)
        # In notes of Obsidian, `status` often says how complete a public text is.
        if rule is privacy_signs.STATUS_RULE and says_public and not set(_to_words(value)) & rule.private:
            continue
        is_only_unlisted = rule and set(_to_words(value)) & rule.private == privacy_signs.UNLISTED_VALUES
        if rule is None or (rule.is_guess and not is_only_unlisted):
            yield from _find_guessed_reasons(key, name, rule, value)
        elif not _is_public_value(rule, value):
            unlisting = privacy_signs.UNLISTED_VALUES | privacy_signs.UNLISTED_VALUES_BY_GENERATOR.get(
                (generator, name), frozenset()
            )
            yield _make_field_reason(key, name, rule, value, unlisting)


def _find_guessed_reasons(
    key: str, name: str, rule: privacy_signs.FieldRule | None, value: object
) -> Iterator[DraftReason]:
    last = key.rpartition(".")[2]
    if _is_private_entry(last, name, value) if rule is None else not _is_public_value(rule, value):
        shown, text = to_line(key)[:60], to_line(value)[:100] or ", ".join(_to_words(value))[:100]
        is_new = rule is None or rule.is_new
        note = f"It has `{shown}`" if "passw" in last.lower() else f"It has `{shown}: {text}`"
        yield DraftReason(f"{note}; the article became a draft.", guess=f"key:{shown}", is_new=is_new)


def _is_private_entry(key: str, name: str, value: object) -> bool:
    if name in privacy_signs.DATE_FIELDS or name in privacy_signs.EXPIRY_FIELDS:
        return False
    words = set(_to_words(value)) if not isinstance(value, dict) else set[str]()
    if name in hiding_words.PUBLISHED_WORDS:
        return bool(words & hiding_words.ALL_FALSE_WORDS)
    # Keys such as `post_state` hide a text only with private values; `comment_status: closed` hides none.
    if re.search(r"(?:status|state)$", name) and not words & hiding_words.ALL_TRUE_WORDS:
        return bool(words & privacy_signs.PRIVATE_STATUSES) and not hiding_words.names_page_part(key)
    if isinstance(value, dict):
        return False
    base, is_negated = hiding_words.remove_filler_words(key)
    rule = privacy_signs.FIELD_RULES.get(base)
    if rule and base != name and not (rule.is_unlisting or rule.is_secret):
        if is_negated:
            words = {"false" if word in hiding_words.TRUE else "true" for word in words}
        return bool(words & (rule.private - {""}))
    return bool(words) and any(hiding_words.is_hiding_entry(key, word) for word in words)


def marks_private_article(name: str, value: str) -> bool:
    """Return whether a custom field without a known sign says that its article is private."""
    words = {normalize_key(value)}
    # WordPress serializes arrays; an empty array is `a:0:{}`.
    is_other = value.startswith("a:0:") or (len(value.split()) > 3 and not value.startswith("a:"))
    if is_other or words <= hiding_words.SHOWN_VALUES | hiding_words.ALL_FALSE_WORDS:
        return False
    return _is_private_entry(name, normalize_key(name), value)


def find_draft_reasons_in_text(text: str) -> list[DraftReason]:
    """Return the reasons for a draft in the first lines of a text without recognised front matter.

    A header that cannot be parsed can still mark the text as private.
    """
    lines = (line[:200] for line in text.split("\n", _MAX_HEADER_LINES)[:_MAX_HEADER_LINES])
    matches = filter(None, map(_HEADER_FIELD.match, lines))
    entries = ({match[1]: match[2].strip()} for match in matches if match[2].strip())
    reasons = (reason for entry in entries for reason in find_draft_reasons_in_front_matter(entry))
    # An ordinary line of a text can look like a field, so weak reasons are ignored.
    return [it for it in reasons if it.is_understood and not (it.guess and it.is_new)]


def flatten_entries(entries: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    """Yield the key as written, the name in FIELD_RULES and the value of each entry and inner entry."""
    for key, value in entries.items():
        name = normalize_key(key)
        if isinstance(value, dict) and name in privacy_signs.MAPPING_PREFIXES:
            prefix = privacy_signs.MAPPING_PREFIXES[name]
            for inner, inner_name, inner_value in flatten_entries(value):
                yield f"{key}.{inner}", f"{prefix}{inner_name}", inner_value
        else:
            yield key, name, value


def _is_public_value(rule: privacy_signs.FieldRule, value: object) -> bool:
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
        # A mapping is replaced by the word "{}".
        yield normalize_key(to_line(value)) or to_line(value) or "{}"


def _make_field_reason(
    key: str, name: str, rule: privacy_signs.FieldRule, value: object, unlisting: Set[str]
) -> DraftReason:
    key, text = to_line(key)[:60], (to_line(value) or ", ".join(_to_words(value)))[:100]
    if rule.is_secret:
        return DraftReason(f"It has a `{key}`; the article became a draft.")
    if not set(_to_words(value)) & rule.private:
        return DraftReason(
            f"The value “{text}” of `{key}` is not understood; the article became a draft.",
            is_understood=False,
        )
    if rule.is_unlisting or set(_to_words(value)) & rule.private <= unlisting:
        return DraftReason(f"It has `{key}: {text}`; the article became a draft.", is_unlisted=True)
    if text.casefold() == "draft" or name in ("draft", "isdraft") or (name == "published" and text):
        return DraftReason("", sign=name)
    return DraftReason(f"It has `{key}: {text}`; the article became a draft.")


def find_draft_reasons_in_folders(folders: Iterable[str]) -> Iterator[DraftReason]:
    """Yield a reason for each folder name that makes the articles in the folder private."""
    for folder in folders:
        if folder.casefold() in privacy_signs.PRIVATE_FOLDERS:
            note = f"It is in the folder “{folder}”; the article became a draft."
            yield DraftReason("" if "draft" in folder.casefold() else note, sign=folder)


def _find_draft_reasons_in_path(key: str, *, builds_underscores: bool) -> Iterator[DraftReason]:
    *folders, name = key.split("/")
    yield from find_draft_reasons_in_folders(folders)
    for number, folder in enumerate(folders):
        if folder.casefold() not in privacy_signs.PRIVATE_FOLDERS and hiding_words.is_hiding_folder(folder):
            # The first folder is left out, because it is the imported folder or an outer folder.
            path = "/".join(folders[1 : number + 1]) or folder
            note = f"It is in the folder “{folder}”; the article became a draft."
            yield DraftReason(note, guess=f"folder:{path}")
    if hiding_words.DRAFT_FILE.match(name):
        yield DraftReason(f"Its file is named “{name}”; the article became a draft.", guess="file:draft")
    if name.startswith("_") and not builds_underscores:
        note = "Its name begins with “_”, which marks unpublished files; the article became a draft."
        yield DraftReason(note)


def choose_status(
    status: str, date: datetime | None, now: datetime, reason: str = "", names: Mapping[str, str] = STATUSES
) -> tuple[str, tuple[str, ...]]:
    """Return "published" or "draft", and the reason for a draft if the source does not call it a draft.

    `names` maps the statuses of the source to the keys of STATUSES; all other statuses are unknown. `reason`
    says why visitors could not read the article; "" = they could. The times are aware, and a published
    article with a future date is scheduled.
    """
    kind = names.get(status)
    if kind == "draft":
        return "draft", ()
    if not reason and kind is None:
        problem = f"Its status “{to_line(status)[:40]}” is unknown" if status else "It has no status"
        reason = f"{problem}; the article became a draft."
    elif not reason and date is None:
        reason = NO_DATE_NOTE
    elif not reason and date and kind == "scheduled" and date <= now:
        reason = PAST_SCHEDULE_NOTE
    return ("draft", (reason,)) if reason else ("published", ())
