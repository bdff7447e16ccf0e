"""The signs that hide a text from the visitors of its former blog, for all formats.

A private text whose sign is missing here becomes public.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from blogapi.importing.texts.lines import BOOLEAN_WORDS
from blogapi.rendering.hidden_elements import is_hidden_attribute


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign by which a system hides a text."""

    names: tuple[str, ...]  #: the keys, words or names of the sign, as the guide shows them
    source: str  #: the system or plugin with this rule


# --- Front matter of Markdown files, and tags in their text.

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
STATUS_RULE = FieldRule(
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
    **dict.fromkeys(("status", "poststatus", "publishstatus"), STATUS_RULE),
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
UNLISTING_FIELDS = {"unlisted", "isunlisted", "delisted", "listed", "islisted", "build.list"}
UNLISTED = {"unlisted"}
PUBLISHING_FIELDS = {"published", "publish", "dgpublish"}
# Mappings whose entries have rules, and the prefix of these entries in FIELD_RULES.
MAPPING_PREFIXES = {"build": "build.", "params": "", "extra": ""}
# --- Names of files and folders.

# Folders whose files are drafts, in lower case.
PRIVATE_FOLDERS = {
    *("drafts", "_drafts", "draft", "_draft"),
    *("private", "_private", "unpublished", "_unpublished"),
}
# Nikola marks drafts with these tags.
PRIVATE_TAGS = {"draft", "private"}
# --- Marks in a text.


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMark(Sign):
    """A mark that hides a part of a text, outside of code; the article becomes a draft."""

    #: "comment" (`<!-- x -->`), "element" (`<x>`), "container" (`:::x`) or "tag" (`{{< x >}}`, `{% x %}`)
    kind: str
    is_word: bool = False  #: whether the mark is each name that contains one of `names`


TEXT_MARKS = (
    TextMark(kind="comment", names=("members-only",), source="Ghost"),
    TextMark(kind="comment", names=("paywall",), source="newsletter programs"),
    TextMark(kind="element", names=("Paywall", "Members-Only", "Member-Only"), source="MDX"),
    TextMark(
        kind="container",
        names=("members", "members-only", "member-only", "paywall"),
        source="VuePress, remark-directive",
    ),
    TextMark(kind="tag", names=("members", "paywall"), source="shortcodes of Hugo"),
    TextMark(
        kind="tag",
        names=("encrypt", "password", "protected", "secret", "private", "members-only", "member-only"),
        source="hugo-encryptor, hexo-blog-encrypt",
        is_word=True,
    ),
)
#: Tags whose names contain a word of TEXT_MARKS and that hide no text.
HARMLESS_TAGS = ("encrypt-email", "encrypt-mail", "email-encrypt")
#: The mark of Ghost at the start of a part that only some readers saw, the end of the part, and the word with
#: which visitors did not see it.
GHOST_GATE, GHOST_GATE_END, GHOST_GATE_HIDES = (
    *("<!--kg-gated-block:begin", "<!--kg-gated-block:end-->"),
    "nonMember:false",
)


def _join_names(kind: str, *, is_word: bool = False) -> str:
    marks = (mark for mark in TEXT_MARKS if (mark.kind, mark.is_word) == (kind, is_word))
    return "|".join(name.replace("-", "[-_]?") for mark in marks for name in mark.names)


#: Matches a mark; the name of its group is its kind.
TEXT_MARK = re.compile(
    rf"<!--\s*+(?P<comment>(?:{_join_names('comment')})(?:[\s:_-]*(?:start|begin|break))?)\s*+-->"
    rf"|<(?P<element>{_join_names('element')})(?=[\s/>])"
    rf"|(?<![^\s>]):{{3,}}+[ \t]*+\{{?[.#]?(?P<container>{_join_names('container')})(?![\w-])"
    rf"|\{{(?:\{{[<%]|%)-?\s*+(?!(?:{'|'.join(HARMLESS_TAGS).replace('-', '[-_]?')})[\s%>])"
    rf"(?P<tag>(?:{_join_names('tag')})(?![\w-])|[\w-]{{0,40}}?(?:{_join_names('tag', is_word=True)})[\w-]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingAttribute(Sign):
    """An attribute with which browsers do not show an element, which is left out."""

    hides: Callable[[str], bool]  #: takes the value


_CSS_COMMENT = re.compile(r"/\*[^*]*+\*/")
# A style in braces is JavaScript (MDX).
_DISPLAY = re.compile(r"(?:^|[;{,\s])[\"']?display[\"']?\s*+:\s*+[\"']?([\w-]+)", re.IGNORECASE)


def _has_no_display(style: str) -> bool:
    return [value.lower() for value in _DISPLAY.findall(_CSS_COMMENT.sub("", style))][-1:] == ["none"]


HIDING_ATTRIBUTES = (
    HidingAttribute(
        names=("hidden",), source="HTML", hides=lambda value: is_hidden_attribute("hidden", value)
    ),
    HidingAttribute(names=("style",), source="CSS (`display: none`)", hides=_has_no_display),
)
_HIDES_BY_NAME = {name: sign.hides for sign in HIDING_ATTRIBUTES for name in sign.names}


def is_hiding_attribute(name: str, value: str) -> bool:
    """Return whether an attribute (with its name in lower case) hides its element."""
    return name in _HIDES_BY_NAME and _HIDES_BY_NAME[name](value)


# --- WordPress: blocks, shortcodes and custom fields of posts.

# Custom fields of plugins that hide a post from visitors, with the values that do not hide it.
WORDPRESS_ACCESS_FIELDS: dict[str, tuple[str, ...]] = {
    "_jetpack_newsletter_access": ("", "everybody"),
    "_llms_is_restricted": ("", "no"),
    "_memberful_acl": ("", "a:0:{}"),
    "_members_access_role": ("",),
    "_is_paid": ("", "0"),
    "_wpmem_block": ("", "0"),
    "ihc_mb_who": ("", "all", "-1"),
    "patreon-level": ("", "0"),
    "rcp_access_level": ("", "None", "0"),
    "rcp_subscription_level": ("", "any"),
    "rcp_user_level": ("", "All", "all", "None"),
}
WORDPRESS_MEMBERS_ONLY = re.compile(
    r"<!-- wp:(?:premium-content/|jetpack/paywall)"
    r"|\[(?:restrict|member(?:s|ship)?(?:[_-]?only)?|s2If|mepr-[a-z-]{1,20}|wcm_restrict|ihc-hide-content)"
    r"[ \]]",
    re.IGNORECASE,
)
# --- Other systems.

# The audiences of Ghost that are not everyone, as sentences name them.
GHOST_AUDIENCES = {
    "members": "members",
    "paid": "paying members",
    "tiers": "members of certain tiers",
    "filter": "members of certain tiers",
}
# The audiences of Substack that are not everyone, as sentences name them.
SUBSTACK_AUDIENCES = {
    "only_paid": "paying subscribers",
    "founding": "founding members",
    "only_free": "subscribers",
}
# The mark of a paywall in the HTML of a post of Substack.
SUBSTACK_PAYWALL = 'class="paywall'
#: The statuses of pages of Notion that are public; all others are not.
NOTION_PUBLIC_STATUSES = {"published", "public", "live"}
#: Properties of Notion that make a page public if they are true, in the form of `normalize_key`.
NOTION_PUBLISHING_FIELDS = ("publish", "published", "public", "ispublic")
#: The statuses of posts of Blogger that are public; all others are not.
BLOGGER_PUBLIC_STATUSES = {"LIVE", "SCHEDULED"}
#: The beginning of the names of drafts in archives of Medium, in lower case.
MEDIUM_DRAFT_PREFIX = "draft_"
#: Fields that publish a note of a vault if they are true; a date in them can be that of a cited text.
VAULT_PUBLISHING_FIELDS = {"publish", "published", "dgpublish", "public", "ispublic", "share"}
