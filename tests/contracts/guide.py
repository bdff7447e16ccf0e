"""The generated tables of the guide; `python -m tests.contracts.guide` writes them again."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from flask import Flask

import blogapi
from blogapi import blueprints, create_app
from blogapi.accounts.users.roles import RIGHTS
from blogapi.importing.format_api import privacy_signs
from blogapi.importing.format_api.hiding_words import AUDIENCES, PUBLISHED_WORDS
from blogapi.importing.format_api.privacy_signs import STATUS_RULE, FieldRule
from blogapi.importing.texts.lines import BOOLEAN_WORDS
from blogapi.settings import REMOVED_SETTINGS, SETTINGS, Setting
from blogapi.storage.database import db
from blogapi.web.access import SCOPES, STRANGER, AccessRequirement, Caller, Role, require_access
from blogapi.web.errors import Problem

GUIDE = Path(blogapi.__file__).parent / "docs" / "guide"
SETTINGS_PAGE = GUIDE / "operating.md"
PERMISSIONS_PAGE = GUIDE / "roles.md"
GENERATORS_PAGE = GUIDE / "markdown-blogs.md"
WORDPRESS_PAGE = GUIDE / "wordpress.md"
MARKS_PAGE = GUIDE / "importing.md"

# The callers of the table: users have all scopes and a login.
CALLERS = {
    "stranger": STRANGER,
    "anonymous key": Caller(is_authenticated=True, key=uuid4(), scopes=frozenset(["published"])),
    **{
        role.value: Caller(user=uuid4(), role=role, scopes=frozenset(SCOPES), is_authenticated=True)
        for role in Role
    },
}


def get_section(page: Path, heading: str) -> str:
    """Return the text below a second-level heading of a page, up to the next heading."""
    return page.read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def get_table(page: Path, heading: str) -> str:
    """Return the first table below a second-level heading of a page."""
    lines = get_section(page, heading).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    last = next((number for number in range(first, len(lines)) if not lines[number].startswith("|")), None)
    return "\n".join(lines[first:last])


def make_settings_table() -> str:
    """Return the table of all settings."""
    return _make_table(
        ("Setting", "Default", "What it does"),
        [(f"`{setting.name}`", _format_default(setting), setting.description) for setting in SETTINGS],
    )


def make_removed_settings_table() -> str:
    """Return the table of the settings that have no effect."""
    rows = [(f"`{name}`", removed.reason) for name, removed in REMOVED_SETTINGS.items()]
    return _make_table(("Setting", "Why it has no effect"), rows)


def make_permissions_table(app: Flask) -> str:
    """Return the table of all operations, except the admin pages, with the callers that may use them.

    A row has the operations of a resource that the same callers may use with the same credentials.
    """
    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for path, method, endpoint, access in blueprints.list_operations(app):
        # The documents of the admin pages are the same for everybody, and contain no data.
        if endpoint.startswith("admin."):
            continue
        shown_path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r":\1", path)
        resource = re.match(r"/(?:api/v1/(?:blog/)?[\w-]+/)?", shown_path)[0]
        methods = rows.setdefault((resource, _find_first_caller(access), _describe_credentials(access)), {})
        methods.setdefault(shown_path.removeprefix(resource), []).append(method)
    return _make_table(
        ("Path", "From", "With", "Operations"),
        [
            (
                f"`{resource}`",
                caller,
                credentials,
                _join_code(" ".join((*names, path)).rstrip() for path, names in methods.items()),
            )
            for (resource, caller, credentials), methods in sorted(
                rows.items(), key=lambda row: (row[0][0], [*CALLERS].index(row[0][1]))
            )
        ],
    )


def _find_first_caller(access: AccessRequirement) -> str:
    """Return the caller with the fewest rights that may use an operation; all later ones must be allowed."""
    results = [_result(access, caller) for caller in CALLERS.values()]
    refused = results.index("yes")
    assert results == ["401", *["403"] * len(results)][:refused] + ["yes"] * (len(results) - refused)
    return [*CALLERS][refused]


def _make_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = (header, ("---",) * len(header), *rows)
    return (
        "\n".join(f"| {' | '.join(row)} |" for row in lines)
        .replace("| --- ", "|---")
        .replace("--- |", "---|")
    )


def _format_default(setting: Setting) -> str:
    default = setting.default
    if isinstance(default, bool | int):
        return f"`{str(default).lower()}`"
    text = ",".join(default) if isinstance(default, tuple) else default
    return f"`{text}`" if text else "empty"


def _describe_credentials(access: AccessRequirement) -> str:
    if not access.rule.checks_credentials:
        return ""
    return "login" if access.rule.login_only else f"`{access.scope}`"


def make_rights_table() -> str:
    """Return the table of the rights of each role in plain words."""
    rows = [
        (
            right.name,
            *("no" if text is None else text or "yes" for text in map(right.get_condition, Role)),
        )
        for right in RIGHTS
    ]
    return _make_table(("", *(role.value.capitalize() for role in Role)), rows)


def make_unbuilt_table() -> str:
    """Return the table of the files that generators do not build."""
    settings = (privacy_signs.EXCLUSION_SETTINGS, privacy_signs.HIDING_SETTINGS)
    rows = [
        (
            privacy_signs.GENERATOR_NAMES.get(generator, generator.capitalize()),
            _describe_unbuilt_names(generator),
            _join_code(name for table in settings for name in table.get(generator, ())),
        )
        for generator in dict.fromkeys(
            name for table in (privacy_signs.UNBUILT_NAMES, *settings) for name in table
        )
    ]
    return _make_table(("Generator", "Names of files and folders", "Settings and data"), rows)


def _describe_unbuilt_names(generator: str) -> str:
    folders = privacy_signs.UNBUILT_NAME_FOLDERS.get(generator, ())
    names = _join_code(privacy_signs.UNBUILT_NAMES.get(generator, ()))
    return f"{names} in {_join_code(folders)}" if folders else names


def make_wordpress_table() -> str:
    """Return the table of the plugins of WordPress whose signs are known, by what carries the signs."""
    kinds = {
        "Blocks and their attributes": privacy_signs.HIDING_BLOCKS.values(),
        "Attributes of page builders": privacy_signs.BUILDERS.values(),
        "Shortcodes": privacy_signs.HIDING_SHORTCODES.values(),
        "Custom fields of posts": privacy_signs.HIDING_FIELDS.values(),
        "Traces of rules outside of the posts": privacy_signs.UNREAD_RULE_PLUGINS,
    }
    sources = {kind: {sign.source for sign in signs if _hides_alone(sign)} for kind, signs in kinds.items()}
    rows = [
        (kind, ", ".join(sorted(set(", ".join(names).split(", ")), key=str.casefold)))
        for kind, names in sources.items()
    ]
    return _make_table(("Signs", "Known from"), rows)


def _hides_alone(sign: privacy_signs.HidingSign) -> bool:
    return "?" not in sign.names and (sign.shown != ".*" or len(sign.from_everyone) > 1)


#: An example of each kind of guess, and what such guesses are about.
GUESSES = {
    "shortcode:am4show": "A shortcode of WordPress with an end tag that blogapi does not know",
    "block:acme/paywall": "A block of WordPress whose name has such a word",
    "attribute:displayFor": "An attribute of a block: its name or its whole value",
    "meta:_paywall": "A custom field of a post: its name, or its whole value",
    "builder:e_display_conditions": "A condition of Elementor or Beaver Builder",
    "key:audience": "A field of front matter, or a property of Notion",
    "tag:paidcontent": "A component, a container or a template tag around a part of the text",
    "comment:paid": "A comment that names only readers (`<!-- paid -->`)",
    "file:draft": "A file named `draft-x.md` or `x.draft.md`",
    "folder:posts/wip": "A folder such as `wip`, or one outside of what the generator builds",
    "unlisted:SUMMARY.md": "A file that the SUMMARY.md of mdBook or GitBook does not list",
    "config:buildDrafts": "A draft, if the configuration shows drafts",
}


def make_guesses_table() -> str:
    """Return the table of the guesses that make drafts."""
    rows = [(subject, f"`{name}`") for name, subject in GUESSES.items()]
    return _make_table(("What makes a draft", "NAME of `--publish-marked NAME`, for example"), rows)


def make_marks_table() -> str:
    """Return the table of the marks that hide a part of a text."""
    shapes = {"comment": "<!--{}-->", "element": "<{}>", "container": ":::{}", "tag": "{{{{< {} >}}}}"}
    rows = [
        (f"`{shapes[kind].format('NAME')}`", _join_code(privacy_signs.list_names(sources)))
        for kind, sources in privacy_signs.TEXT_MARKS.items()
    ]
    return _make_table(("Mark", "NAME"), rows)


# Values that several fields have, by the name that the table of fields has for them.
LISTED_VALUES = {
    "*not public*": STATUS_RULE.private,
    "*readers*": AUDIENCES - STATUS_RULE.private,
    "*everyone*": privacy_signs.EVERYONE_VALUES,
}
VALUE_GROUPS = {**LISTED_VALUES, "*“published” in other languages*": PUBLISHED_WORDS - {"published"}}


def make_values_table() -> str:
    """Return the table of the values that have a name in the table of fields."""
    rows = [(name, _join_words(words, {})) for name, words in LISTED_VALUES.items()]
    return _make_table(("Name", "Values"), rows)


def make_fields_table() -> str:
    """Return the table of the fields of front matter that hide an article; rows with equal values are one."""
    names_by_row: dict[tuple[str, str], list[str]] = {}
    for rule, sources in privacy_signs.PRIVACY_FIELDS.items():
        others = "nothing" if rule.others_are_public else "hide, except " + _join_words(rule.public)
        names_by_row.setdefault((_describe_values(rule), others), []).extend(
            privacy_signs.list_names(sources)
        )
    rows = [(_join_code(names), *values) for values, names in names_by_row.items()]
    return _make_table(("Fields", "Values that hide", "Other values"), rows)


def _describe_values(rule: FieldRule) -> str:
    if rule.is_secret:
        return "all"
    return _join_words(rule.private) + (" (unlisted)" if rule.is_unlisting else "")


def _join_words(words: frozenset[str], groups: Mapping[str, frozenset[str]] = VALUE_GROUPS) -> str:
    """Return the words, with one for those that mean true or false, and with the names of groups."""
    found = [name for name, group in groups.items() if group <= words]
    others = {word for word in words if not re.search(r".only$", word)}
    others = others.difference(*(groups[name] for name in found))
    for name, meaning in (("true", True), ("false", False)):
        if name in others:
            others -= {word for word, value in BOOLEAN_WORDS.items() if value is meaning and word != name}
    return ", ".join([*found, *(f"`{word}`" if word else "an empty value" for word in sorted(others))])


def make_dates_table() -> str:
    """Return the table of the fields of front matter with the time of publication."""
    rows = [
        (_join_code(privacy_signs.list_names(sources)), effect)
        for effect, sources in (
            ("makes a draft", privacy_signs.STRICT_DATE_FIELDS),
            ("is ignored", privacy_signs.LENIENT_DATE_FIELDS),
        )
    ]
    return _make_table(("Fields", "A value that is no date"), rows)


def _join_code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _result(access: AccessRequirement, caller: Caller) -> str:
    try:
        require_access(access, caller)
    except Problem as error:
        return str(error.status)
    return "yes"


def write_tables() -> None:
    """Write the tables for the default settings into the guide."""
    with TemporaryDirectory() as folder:
        os.environ["BLOGAPI_INSTANCE_PATH"] = folder
        app = create_app({"SECRET_KEY": "x" * 32})
        with app.app_context():
            db.engine.dispose()
        _replace_table(SETTINGS_PAGE, "Settings", make_settings_table())
        _replace_table(SETTINGS_PAGE, "Removed settings", make_removed_settings_table())
        _replace_table(PERMISSIONS_PAGE, "Permissions", make_permissions_table(app))
        _replace_table(PERMISSIONS_PAGE, "Rights", make_rights_table())
        _replace_table(GENERATORS_PAGE, "What a generator does not build", make_unbuilt_table())
        _replace_table(GENERATORS_PAGE, "Fields that hide an article", make_fields_table())
        _replace_table(GENERATORS_PAGE, "Values of these fields", make_values_table())
        _replace_table(WORDPRESS_PAGE, "Signs of plugins", make_wordpress_table())
        _replace_table(MARKS_PAGE, "Marks in a text", make_marks_table())
        _replace_table(MARKS_PAGE, "What makes a draft, and how to publish it", make_guesses_table())
        _replace_table(GENERATORS_PAGE, "Fields with the date", make_dates_table())


def _replace_table(page: Path, heading: str, table: str) -> None:
    text = page.read_text(encoding="utf-8").replace(get_table(page, heading), table)
    page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_tables()
