"""Find reasons not to publish an article. FIELDS lists the privacy fields of all generators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from blogapi.importing.format_api import privacy_signs
from blogapi.importing.texts import dates
from blogapi.importing.texts.lines import is_empty, normalize_key, to_bool, to_line

# A `key: value` line of a header in an unknown format, such as `"draft": true,` or `.. status: private`.
_HEADER_FIELD = re.compile(r"[\W_]*([A-Za-z][\w -]{0,60}?)[\"']?\s*[:=]+\s*[\"']?([^\"',}\n]{0,60})")
_MAX_HEADER_LINES = 40


@dataclass(frozen=True, slots=True)
class DraftReason:
    """The reason why an article becomes a draft. `note` is "" if the source calls the article a draft."""

    note: str
    is_understood: bool = True
    #: whether everyone who knows the address of the article can read it
    is_unlisted: bool = False


def is_privacy_field(name: str) -> bool:
    """Return whether privacy is the only purpose of a field."""
    return name in privacy_signs.FIELD_RULES and not privacy_signs.FIELD_RULES[name].others_are_public


def find_reasons(
    entries: Mapping[str, object], key: str, tags: tuple[str, ...], generator: str = ""
) -> list[DraftReason]:
    """Return the reasons for a draft in the front matter, in the path `key` and in the tags."""
    private = (tag for tag in tags if tag.casefold() in privacy_signs.PRIVATE_TAGS)
    in_tags = [DraftReason(f"It has the tag “{tag}”; the article became a draft.") for tag in private]
    return [
        *find_draft_reasons_in_front_matter(entries, generator),
        *_find_draft_reasons_in_path(key),
        *in_tags,
    ]


def find_draft_reasons_in_front_matter(
    entries: Mapping[str, object], generator: str = ""
) -> Iterator[DraftReason]:
    """Yield a reason for each entry that makes the article private.

    `generator` is the name of the generator as in UNLISTED_VALUES_BY_GENERATOR; "" = unknown.
    """
    flat = list(flatten(entries))
    says_public = any(name in privacy_signs.PUBLISHING_FIELDS and to_bool(value) for _, name, value in flat)
    for key, name, value in flat:
        rule = privacy_signs.FIELD_RULES.get(name)
        # In notes, `status` often says how complete a public text is.
        if rule is privacy_signs.STATUS_RULE and says_public and not set(_to_words(value)) & rule.private:
            continue
        if rule and not _is_public(rule, value):
            unlisting = privacy_signs.UNLISTED_VALUES | privacy_signs.UNLISTED_VALUES_BY_GENERATOR.get(
                (generator, name), frozenset()
            )
            yield _make_reason(key, name, rule, value, unlisting)


def find_draft_reasons_in_text(text: str) -> list[DraftReason]:
    """Return the reasons for a draft in the first lines of a text without recognised front matter.

    A header that cannot be parsed can still mark the text as private.
    """
    lines = (line[:200] for line in text.split("\n", _MAX_HEADER_LINES)[:_MAX_HEADER_LINES])
    matches = filter(None, map(_HEADER_FIELD.match, lines))
    entries = ({match[1]: match[2].strip()} for match in matches if match[2].strip())
    return [
        reason
        for entry in entries
        for reason in find_draft_reasons_in_front_matter(entry)
        if reason.is_understood
    ]


def flatten(entries: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    """Yield the key as written, the name in FIELD_RULES, and the value of each entry, also in mappings."""
    for key, value in entries.items():
        name = normalize_key(key)
        if isinstance(value, dict) and name in privacy_signs.MAPPING_PREFIXES:
            prefix = privacy_signs.MAPPING_PREFIXES[name]
            for inner, inner_name, inner_value in flatten(value):
                yield f"{key}.{inner}", f"{prefix}{inner_name}", inner_value
        else:
            yield key, name, value


def _is_public(rule: privacy_signs.FieldRule, value: object) -> bool:
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
        yield normalize_key(to_line(value)) or to_line(value) or "{}"


def _make_reason(
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
        return DraftReason("")
    return DraftReason(f"It has `{key}: {text}`; the article became a draft.")


def find_draft_reasons_in_folders(folders: Iterable[str]) -> Iterator[DraftReason]:
    """Yield a reason for each folder name that makes the articles in the folder private."""
    for folder in folders:
        if folder.casefold() in privacy_signs.PRIVATE_FOLDERS:
            note = f"It is in the folder “{folder}”; the article became a draft."
            yield DraftReason("" if "draft" in folder.casefold() else note)


def _find_draft_reasons_in_path(key: str) -> Iterator[DraftReason]:
    *folders, name = key.split("/")
    yield from find_draft_reasons_in_folders(folders)
    if name.startswith("_"):
        note = "Its name begins with “_”, which marks unpublished files; the article became a draft."
        yield DraftReason(note)
