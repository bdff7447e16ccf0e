"""The signs that hide a text from the visitors of its former blog, for all formats.

A private text whose sign is missing here becomes public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import BOOLEAN_WORDS
from blogapi.rendering.hidden_elements import HIDDEN_VALUES


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign by which a system hides a text."""

    names: tuple[str, ...]  #: the keys, words or names of the sign, as the guide shows them
    source: str  #: the system or plugin with this rule


# --- Front matter of Markdown files, and tags in their text.

_TRUE = frozenset(word for word, meaning in BOOLEAN_WORDS.items() if meaning)
_FALSE = frozenset(BOOLEAN_WORDS) - _TRUE
_EVERYONE = frozenset(("public", "everyone", "everybody", "all", "anyone", "open"))
# The values with which a hiding field hides nothing.
_NOTHING = _FALSE | {"", "none", "null"}
_YES = frozenset(("true", "yes"))
_PUBLIC = _EVERYONE | {"published", "publish", "visible", "listed", "free", "default"}
_PRIVATE = frozenset(
    (
        *("draft", "private", "hidden", "unlisted", "unpublished", "pending", "skip", "trash", "password"),
        *("protected", "internal", "members", "paid", "tiers", "subscribers", "restricted"),
    )
)
_UNFINISHED = _PRIVATE | {"review", "in review", "todo", "idea", "in-progress", "in progress", "wip"}
_READERS = frozenset(
    f"{reader}{only}"
    for reader in (
        *("member", "members", "subscriber", "subscribers", "patron", "patrons", "vip", "staff", "internal"),
        *("paid", "premium", "paid-members", "paid-subscribers", "private", "registered", "admin", "admins"),
        *("logged-in", "logged_in", "loggedin"),
    )
    for only in ("", "-only", " only", "_only", "only")
) | {"logged in", "paid members", "paid subscribers", "only_paid", "only_free", "founding"}


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
    is_unlisting: bool = False  #: private values only keep an article out of lists


_PRIVATE_IF_TRUE = FieldRule(public=_NOTHING, private=_TRUE)
_FOR_SOME_IF_TRUE = FieldRule(public=_NOTHING | _EVERYONE | {"free", "default"}, private=_TRUE)
# Jekyll and Quartz treat an empty `published` or `publish` as false.
_PRIVATE_IF_FALSE = FieldRule(public=_TRUE | _EVERYONE, private=_FALSE | _PRIVATE | {""})
_PUBLISHED = FieldRule(public=_TRUE | _EVERYONE, private=_FALSE | _PRIVATE | {""}, dates_are_public=True)
STATUS_RULE = FieldRule(
    public=_PUBLIC
    | {"scheduled", "future", "featured", "archived", "archive", ""}
    | {"seedling", "budding", "evergreen", "complete", "completed", "done", "finished"},
    private=_PRIVATE,
)
_PASSWORD = FieldRule(public=frozenset(("false", "")), is_secret=True)
# Fields of some content systems, which other blogs use for themes (`active: home`).
_PRIVATE_IF_ON = FieldRule(private=_TRUE, others_are_public=True)
_PRIVATE_IF_OFF = FieldRule(private=_FALSE, others_are_public=True)
_FOR_READERS = FieldRule(private=_YES | _PRIVATE | _READERS, others_are_public=True)
_FINISHED = FieldRule(private=_YES | _UNFINISHED | _READERS, others_are_public=True)
_DRAFT_TYPE = FieldRule(private=frozenset(("draft", "private")), others_are_public=True)
_HIDE = FieldRule(
    public=_NOTHING | {"navigation", "toc", "footer", "path", "tags", "feedback"}, private=_TRUE
)
_RENDER = FieldRule(public=_TRUE | {"always"}, private=_FALSE | {"never", "link"})
_LIST = FieldRule(public=_TRUE | {"always"}, private=_FALSE | {"never", "local"}, is_unlisting=True)
_UNLISTED_IF_TRUE = FieldRule(public=_NOTHING, private=_TRUE, is_unlisting=True)
_UNLISTED_IF_FALSE = FieldRule(public=_TRUE, private=_PRIVATE_IF_FALSE.private, is_unlisting=True)
_UNLISTED_IF_OFF = FieldRule(private=_FALSE, others_are_public=True, is_unlisting=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSign(Sign):
    """Fields of front matter with the same rule, in any spelling."""

    rule: FieldRule


#: They also apply inside of the mappings MAPPING_PREFIXES: `build.list` is `list` inside of Hugo's `build`.
FIELD_SIGNS = tuple(
    FieldSign(source=source, rule=rule, names=tuple(names.split()))
    for source, rule, names in (
        ("most generators", _PRIVATE_IF_TRUE, "draft drafts isDraft saveAsDraft wip isWip"),
        ("Hugo", _PRIVATE_IF_TRUE, "headless"),
        ("Hexo and others", _PRIVATE_IF_TRUE, "private isPrivate hidden isHidden secret"),
        ("content systems", _PRIVATE_IF_TRUE, "unpublished ignorePost doNotPublish dontPublish noPublish"),
        ("content systems", _PRIVATE_IF_TRUE, "unfinished incomplete emailOnly restricted"),
        ("hexo-blog-encrypt and others", _PRIVATE_IF_TRUE, "encrypt encrypted locked isLocked"),
        ("content systems", _PRIVATE_IF_TRUE, "protected isProtected protect"),
        ("Eleventy", _PRIVATE_IF_TRUE, "eleventyExcludeFromCollections buildawesomeExcludeFromCollections"),
        ("sites with members", _FOR_SOME_IF_TRUE, "membersOnly memberOnly subscribersOnly sponsorsOnly vip"),
        ("sites with members", _FOR_SOME_IF_TRUE, "premium isPremium paid isPaid paywall paywalled"),
        ("sites with members", _FOR_SOME_IF_TRUE, "exclusive gated isGated loginRequired requiresLogin"),
        ("sites with members", _FOR_SOME_IF_TRUE, "requireLogin authRequired requiresAuth requireAuth"),
        ("Hexo, Material for MkDocs", _HIDE, "hide"),  # `hide: [navigation, toc]` hides parts of the page
        ("Jekyll, Obsidian, Quartz", _PUBLISHED, "published isPublished publish dg-publish"),
        ("content systems", _PRIVATE_IF_FALSE, "public isPublic visible isVisible"),
        ("Zola, Grav", _PRIVATE_IF_FALSE, "render routable"),
        ("Hugo and others", _UNLISTED_IF_TRUE, "unlisted isUnlisted delisted"),
        ("content systems", _UNLISTED_IF_FALSE, "listed isListed"),
        ("themes of VuePress", _UNLISTED_IF_OFF, "list post article"),
        ("Pelican, Nikola and others", STATUS_RULE, "status postStatus publishStatus"),
        ("Ghost and others", FieldRule(public=_PUBLIC, private=_PRIVATE | _READERS), "visibility"),
        ("sites with members", _FOR_READERS, "access accessLevel audience members subscribers"),
        ("sites with members", _FOR_READERS, "plan tier tiers role roles permission permissions"),
        ("Hugo", _RENDER, "build.render"),
        ("Hugo", _LIST, "build.list"),
        ("hexo-blog-encrypt", _PASSWORD, "password passwords passphrase passcode postPassword pwd"),
        ("content systems", _PRIVATE_IF_ON, "deleted trashed disabled confidential internal inProgress idea"),
        ("content systems", _PRIVATE_IF_ON, "template lock skip exclude excluded ignore ignored"),
        ("content systems", _PRIVATE_IF_OFF, "active enabled live approved publishable ready released"),
        ("content systems", _PRIVATE_IF_OFF, "finished complete completed done"),
        ("content systems", _FINISHED, "state stage workflow"),
        ("content systems", _DRAFT_TYPE, "type"),
        ("Eleventy", FieldRule(private=frozenset(("false",)), others_are_public=True), "permalink"),
        ("Eleventy", _PRIVATE_IF_OFF, "permalink.build"),  # `permalink: {build: false}`
    )
)
#: The rules by normalized key (`fields.normalize_key`).
FIELD_RULES = {normalize_key(name): sign.rule for sign in FIELD_SIGNS for name in sign.names}
# These values of other fields only keep an article out of lists.
UNLISTED = {"unlisted"}
#: Fields that do so in one generator only: the generator, the field and its value.
UNLISTED_BY_GENERATOR = {
    ("jekyll", "hidden"): _TRUE,  # the plugin jekyll-paginate-v2
    ("pelican", "status"): frozenset(("hidden",)),
}
PUBLISHING_FIELDS = {"published", "publish", "dgpublish"}
# Mappings whose entries have rules, and the prefix of these entries in FIELD_RULES.
MAPPING_PREFIXES = {
    **{"build": "build.", "permalink": "permalink."},
    **{"params": "", "extra": "", "custom": "", "meta": ""},
}
#: Fields that archive an article if they are true.
ARCHIVING_FIELDS = ("archived", "isarchived", "archive")


@dataclass(frozen=True, slots=True, kw_only=True)
class DateSign(Sign):
    """Fields of front matter with the time of publication."""

    is_strict: bool  #: whether a value that is no date makes a draft


#: In the order in which they are read. Notes of Obsidian often have only the time at which they were written.
PUBLICATION_DATES = tuple(
    DateSign(source=source, is_strict=is_strict, names=tuple(names.split()))
    for source, is_strict, names in (
        (
            "Hugo, Jekyll, Astro",
            True,
            "date publishDate pubDate pubDatetime publishedAt published publish",
        ),
        ("Keystatic and others", True, "datetime publishedOn publishedDate publishedTime publishAt"),
        ("content systems", True, "publishOn publishTime publicationDate"),
        ("schema.org, Open Graph", True, "datePublished article:published_time"),
        ("Craft, WordPress", False, "datePosted posted postedAt postedOn postDate postDateGmt dateGmt"),
        ("content systems", False, "releaseDate releasedAt release issued issueDate firstPublished"),
        ("content systems", False, "originalDate originallyPublished displayDate"),
        ("Obsidian, Notion", False, "created createdAt createdOn createdDate dateCreated creationDate"),
        ("others", False, "creationTime fileCreated timestamp time day written entryDate"),
        ("content systems", True, "scheduledFor goLive embargo embargoUntil availableFrom visibleFrom"),
    )
)
#: Of these, the latest counts, also before a date in the path; of all others, the first one. Hugo displays
#: `date`, but publishes the page at `publishDate` (or one of its aliases) if that is later.
FIRST_DATES = tuple(map(normalize_key, PUBLICATION_DATES[0].names))
#: The fields of PUBLICATION_DATES by normalized key, in their order.
DATE_FIELDS = {normalize_key(name): sign for sign in PUBLICATION_DATES for name in sign.names}
#: A date in the future makes a draft in each field with one of these words.
PLANNING_WORDS = {"publish", "published", "release", "released", "visible", "available", "embargo", "live"}
#: Fields with the time at which an article expires.
EXPIRY_FIELDS = (
    *("expirydate", "unpublishdate", "expires", "expiredate", "expiresat", "expireson", "validuntil"),
    *("unpublishon", "unpublishat", "unpublishedat", "unpublishedon", "publisheduntil", "publishuntil"),
    *("publishenddate", "publishend", "availableuntil", "availableto", "visibleuntil", "visibleto"),
)
# --- Names of files and folders.

# Folders whose files are drafts, in lower case.
PRIVATE_FOLDERS = {
    *("drafts", "_drafts", "draft", "_draft"),
    *("private", "_private", "unpublished", "_unpublished"),
}
# Nikola marks drafts with these tags.
PRIVATE_TAGS = {"draft", "private"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorSign(Sign):
    """A sign by which a generator does not build a file; `source` begins with its name."""

    below: tuple[str, ...] = ("",)  #: the folders of the site in which the rule applies
    form: str = ""  #: see UNBUILT_SETTINGS

    @property
    def generator(self) -> str:
        """The generator in the form of `files.SITE_FILES`."""
        return self.source.partition(" ")[0].casefold()


#: Names of files and folders, where `*` stands for any characters.
UNBUILT_NAMES = (
    GeneratorSign(names=("_*", "#*", "~*", "*~"), source="Jekyll"),
    GeneratorSign(names=("_*", "*~", "*%"), source="Hexo"),
    GeneratorSign(names=("#*", "*~"), source="Hugo"),
    GeneratorSign(names=("_*",), source="Astro", below=("src/content/", "src/pages/")),
    GeneratorSign(names=("_*",), source="Docusaurus"),
    GeneratorSign(names=("_*", "*.draft", "*.draft.*"), source="Nuxt Content", below=("content/",)),
)
#: The names of the files in `_posts` that Jekyll builds.
JEKYLL_POST = re.compile(r"[0-9]{2,4}-[0-9]{1,2}-[0-9]{1,2}-.+")


#: Settings with paths. The form of their values is "path", "start" (of a path), "name" (a path, or a name in
#: any folder), "regex", "address" (the keys of a mapping), or "unread" (each file may be one of them).
UNBUILT_SETTINGS = tuple(
    GeneratorSign(source=source, form=form, names=tuple(names.split()))
    for source, form, names in (
        ("Jekyll", "start", "exclude"),
        ("Hexo", "path", "exclude ignore skip_render"),
        ("Hugo", "regex", "ignoreFiles"),
        ("Zola", "start", "ignored_content"),
        ("Pelican", "name", "ARTICLE_EXCLUDES PAGE_EXCLUDES IGNORE_FILES"),
        ("MkDocs", "name", "exclude_docs draft_docs"),
        ("Quartz", "path", "ignorePatterns"),
        ("Eleventy", "path", "ignores.add"),
        ("Docusaurus", "name", "exclude"),
        ("Nuxt Content", "name", "ignores"),
        ("VitePress", "unread", "srcExclude"),
        ("VuePress", "unread", "pagePatterns"),
        ("VuePress Theme Hope", "address", "encrypt"),
    )
)
#: The folder in the site where the paths in settings begin, and the setting that names another one.
CONTENT_FOLDERS = {
    "jekyll": ("", "source"),
    "hexo": ("source", "sourcedir"),
    "zola": ("content", ""),
    "pelican": ("content", "path"),
    "mkdocs": ("docs", "docsdir"),
    "quartz": ("content", ""),
}
#: Files with patterns in the form "name", in the folder of the site and in inner folders.
ELEVENTY_IGNORE_FILES = (".eleventyignore", ".gitignore")


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingText(GeneratorSign):
    """A text in a configuration file that hides the files whose front matter does not say otherwise."""

    pattern: re.Pattern[str]
    fields: dict[str, object]  #: the fields that these files get


HIDING_TEXTS = tuple(
    HidingText(source=source, names=(name,), pattern=re.compile(pattern), fields={field: value})
    for source, name, pattern, field, value in (
        ("Pelican", "DEFAULT_METADATA", r"[\"']status[\"']\s*+:\s*+[\"'](?!published)", "status", "draft"),
        ("Quartz", "ExplicitPublish", r"ExplicitPublish", "publish", "false"),
        ("Metalsmith", "drafts({default: true})", r"\bdefault[\"']?:\s{0,20}true", "draft", "true"),
        ("Dendron", "visibility: private", r"\bvisibility: {0,20}private\b", "visibility", "private"),
        ("Dendron", "publishByDefault: false", r"\bpublishByDefault: {0,20}false\b", "published", "false"),
        ("Dendron", "siteHierarchies: [x]", r"\bsiteHierarchies:[\s\[-]++(?!root\b)", "published", "false"),
    )
)
#: In a data file of Eleventy that is a program: the names of fields that may hide files.
ELEVENTY_HIDING_FIELD = re.compile(
    r"\b(?:(?:draft|published|(?:eleventy|buildAwesome)ExcludeFromCollections)\b(?![\"']?:\s{0,20}false\b)"
    r"|permalink\b(?=[^;]{0,300}?\bfalse\b))"
)
# --- Marks in a text.


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMark(Sign):
    """A mark that hides a part of a text, outside of code; the article becomes a draft.

    In its names, `*` stands for any letters.
    """

    #: "comment" (`<!-- x -->`), "element" (`<x>`), "container" (`:::x`) or "tag" (`{{< x >}}`, `{% x %}`)
    kind: str


TEXT_MARKS = (
    TextMark(kind="comment", names=("members-only",), source="Ghost"),
    TextMark(kind="comment", names=("paywall",), source="newsletter programs"),
    TextMark(kind="element", names=("Paywall", "Members-Only", "Member-Only"), source="MDX"),
    TextMark(
        kind="container",
        names=("members", "members-only", "member-only", "paywall"),
        source="VuePress, remark-directive",
    ),
    TextMark(
        kind="tag",
        names=("members", "*members-only*", "*member-only*", "paywall"),
        source="shortcodes of Hugo",
    ),
    TextMark(
        kind="tag",
        names=("*encrypt*", "*password*", "*protected*", "*secret*", "*private*"),
        source="hugo-encryptor, hexo-blog-encrypt",
    ),
)
#: Tags whose names contain a word of TEXT_MARKS and that hide no text.
HARMLESS_TAGS = ("encrypt-email", "encrypt-mail", "email-encrypt")


def _join_names(kind: str) -> str:
    names = "|".join(name for mark in TEXT_MARKS if mark.kind == kind for name in mark.names)
    return names.replace("-", "[-_]?").replace("*", r"[\w-]*")


#: Matches a mark; the name of its group is its kind.
TEXT_MARK = re.compile(
    rf"<!--\s*+(?P<comment>(?:{_join_names('comment')})(?:[\s:_-]*(?:start|begin|break))?)\s*+-->"
    rf"|<(?P<element>{_join_names('element')})(?=[\s/>])"
    rf"|(?<![^\s>]):{{3,}}+[ \t]*+\{{?[.#]?(?P<container>{_join_names('container')})(?![\w-])"
    rf"|\{{(?:\{{[<%]|%)-?\s*+(?!(?:{'|'.join(HARMLESS_TAGS).replace('-', '[-_]?')})[\s%>])"
    rf"(?P<tag>{_join_names('tag')})(?![\w-])",
    re.IGNORECASE,
)
#: Matches a part that Ghost showed only to members; without its end, it goes on to the end of the text.
GHOST_GATE = re.compile(
    r"<!--kg-gated-block:begin[^<]*?\bnonMember\s*+:\s*+false(?:[^<]++|<(?!!--kg-gated-block:end-->))*+"
    r"(?:<!--kg-gated-block:end-->)?+"
)
_SPACE = r"(?:\s|/\*[^*]*+\*/)*+"
#: The attributes of HTML and their values with which browsers do not show an element; it is left out.
HIDING_VALUES = {
    "hidden": HIDDEN_VALUES,
    # A style in braces is JavaScript (MDX).
    "style": re.compile(rf"(?<![\w-])display[\"']?{_SPACE}:{_SPACE}[\"']?none(?![\w-])", re.IGNORECASE),
}


# --- WordPress: blocks, shortcodes and custom fields of posts.

_OFF = r"[^=]*=(?:|0|no|off|false|null|\[\]|\{\}|a:0:\{\})"
_NEVER = "(?!)"
_PMS = "Paid Member Subscriptions, Profile Builder"


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingSign(Sign):
    """Blocks, shortcodes, attributes or custom fields that hide a text.

    The patterns match lines: a name with its value (`metadata.blockVisibility=false`), or with `wp:block` or
    `wp:shortcode` (`groups/groups-member=wp:block`).
    """

    shown: str = _OFF  #: visitors saw the text if this matches all lines with one of the names
    unless: str = _NEVER  #: they also saw it if this matches any line
    nobody: tuple[str, ...] = (_NEVER,)  #: nobody saw it if each of these matches a line


def _sign(names: str, source: str, shown: str = _OFF, **others: Any) -> HidingSign:
    return HidingSign(names=tuple(names.split()), source=source, shown=shown, **others)


def _index(*signs: HidingSign) -> dict[str, HidingSign]:
    return {name: sign for sign in signs for name in sign.names}


def find_signs(lines: Sequence[str], signs: Mapping[str, HidingSign | None]) -> Iterator[tuple[bool, str]]:
    """Yield for each sign that hides a text whether it hides it from everyone, and the name of the sign."""
    groups: dict[HidingSign | None, list[str]] = {}
    for line in lines:
        groups.setdefault(signs.get(_get_name(line)), []).append(line)
    for sign, own in groups.items():
        if sign is None or _has(lines, sign.unless):
            continue
        if all(_has(lines, pattern) for pattern in sign.nobody):
            yield True, _get_name(own[0])
        yield from ((False, _get_name(line)) for line in own if not _has([line], sign.shown))


def _get_name(line: str) -> str:
    return re.split("(?<!^metadata)[.=]", line, maxsplit=1)[0]


def _has(lines: Sequence[str], pattern: str) -> bool:
    return any(re.fullmatch(pattern, line, re.IGNORECASE | re.DOTALL) for line in lines)


_LOGGED_OUT = f"{_OFF}|[^=]*=(?:user-status|logged-out)"
_NOT_LOGGED_OUT = "blockPermissions(?:Type=(?:role|cap)|UserStatus=logged-in)"
_INVERTED = "invert_restrictions=(?:1|true)"
_NEWSPACK_HIDDEN = "newspackAccessControlVisibility=hidden"
_REVERSED = "blockPermissionsCondition=(?:!=)?"
# Values and keys with which visitors saw a block; `visibility=false` turns a condition round.
_SEEN = (
    r"(?![^=]*\.visibility=)[^=]*=(?:|0|null|\[\]|\{\}|public|all|none|logged[-_]out|userLoggedOut|loggedOutUser|screenSize"
    r"|responsiveScreenSizes)|[^=]*\.(?:id=.*|(?:enabled?|visibility)=true|(?:enable|hideBlock)=false)"
    r"|[^=]*\.(?:(?:screenSize|hideOnScreenSize|device)\.|\w*screen_?sizes=).*"
)
_SIZES = ("mobile", "tablet", "desktop")
_NO_SIZE = tuple(rf"metadata\.blockVisibility(?:\.viewport)?(?:\.{size})?=false" for size in _SIZES)
_SOME_SIZES = r"[^=]*=(?:true|null|\{\})|[^=]*\.(?:mobile|tablet|desktop)=false"
#: Blocks without `core/`, and attributes of blocks.
BLOCKS = _index(
    _sign("metadata.blockVisibility", "WordPress", _SOME_SIZES, nobody=_NO_SIZE),
    _sign("blockVisibility", "Block Visibility", _SEEN, nobody=(r"blockVisibility\.hideBlock=true",)),
    _sign("contentControls", "Content Control", _SEEN, unless=r"contentControls\.enabled=false"),
    _sign("conditionalBlocks", "Conditional Blocks", _SEEN, nobody=(r"[^=]*\.type=lockdown",)),
    _sign("conditionalBlocksAttributes otterConditions", "Conditional Blocks, Otter", _SEEN),
    _sign("loggedOut rcpMembership", "Kadence", unless="(?!kadence/)[^=]*=wp:block"),
    _sign(
        "vsdesk vstablet vsmobile", "Kadence", ".*", nobody=("vsdesk=true", "vstablet=true", "vsmobile=true")
    ),
    _sign("blockPermissionsCondition", "Members", f"{_OFF}|[^=]*==", unless=_NOT_LOGGED_OUT),
    _sign("blockPermissionsType blockPermissionsUserStatus", "Members", _LOGGED_OUT, unless=_REVERSED),
    _sign("pmpro/membership visibilityBlockEnabled", "Paid Memberships Pro", unless=_INVERTED),
    _sign("newspackAccessControlGateIds newspackAccessControlRules", "Newspack", unless=_NEWSPACK_HIDDEN),
    _sign("um_who_access", "Ultimate Member", f"{_OFF}|[^=]*=2", unless="um_is_restrict=false"),
    _sign("llms_visibility", "LifterLMS", f"{_OFF}|[^=]*=(?:all|logged_out|not_enrolled)"),
    _sign("pmsContentRestriction", _PMS, _NEVER, unless=r"pms\w+\.display_to=(?:all|not_logged_in)"),
    _sign("wppbContentRestriction", _PMS, _NEVER, unless=r"wppb\w+\.display_to=(?:all|not_logged_in)"),
    _sign("contentVisibilityRules", "Content Visibility", unless=r"\w+\.\w+RulesEnabled=(?:|0|false)"),
    _sign("gbBlockCondition", "GenerateBlocks Pro"),
    _sign("premium-content/subscriber-view jetpack/paywall groups/groups-member", "Jetpack, Groups"),
    _sign("memberpress/protected-content woocommerce-memberships/member-content", "MemberPress, WooCommerce"),
    _sign("pms/content-restriction-start wppb/content-restriction-start", _PMS),
    _sign("learndash/ld-student learndash/ld-group learndash/ld-course-complete", "LearnDash"),
    _sign("learndash/ld-course-inprogress learndash/ld-course-notstarted", "LearnDash"),
    # These attributes hide nothing alone.
    _sign("gbBlockConditionInvert invert_restrictions", "GenerateBlocks Pro, Paid Memberships Pro", ".*"),
    _sign("blockPermissionsRoles blockPermissionsCap blockPermissionsMessage", "Members", ".*"),
    _sign("newspackAccessControlVisibility newspackAccessControlMode", "Newspack", ".*"),
    _sign("um_is_restrict contentVisibility", "Ultimate Member, Content Visibility", ".*"),
    _sign("backfaceVisibility termsAndConditions conditionText", "CSS, forms, shops", ".*"),
)
# Other attributes hide a block by these parts of their names. `isVisible` may be true, `slidesVisible` 3.
HIDING_PARTS = re.compile("visib|restrict|permission|condition|accesscontrol", re.IGNORECASE)
UNKNOWN_ATTRIBUTE = _sign(
    "",
    "",
    rf"{_OFF}|[^=]*=(?:none|all|public|visible|everyone|always|inherit|initial|unset)"
    "|.*(?:mobile|tablet|desktop|phone|laptop|screen|device|viewport|breakpoint|responsive).*"
    r"|(?:[^=]*\.)?(?:visible[^.=]*|[^.=]*visible)=(?:true|[\d.]+)",
)
#: Attributes of the shortcodes of page builders, and the beginnings of their names.
BUILDER_PREFIXES = ("vc_", "et_pb_", "fusion_", "av_")
# `disabled_on` has a value for phones, tablets and desktops. `W10=` is an empty list in Base64.
BUILDERS = _index(
    _sign("?", "attributes that cannot be read"),
    _sign("disable_element", "WPBakery", nobody=("disable_element=(?:yes|true)",)),
    _sign("disabled", "Divi", unless="(?!et_pb_)[^=]*=wp:shortcode", nobody=("disabled=on",)),
    _sign("disabled_on", "Divi", "disabled_on=[onf|]*", nobody=(r"disabled_on=on\|on\|on\|?",)),
    _sign("display_conditions", "Divi", "display_conditions=(?:W10=)?"),
    _sign("status", "Avada", "status=(?:published)?", unless="(?!fusion_)[^=]*=wp:shortcode"),
)
#: Shortcodes, in lower case, that hide the text between their tags. `=` stands before values without names.
SHORTCODES = _index(
    _sign("membership", "Paid Memberships Pro", unless=r"levels?=(?:.*,\s*)?(?:0|-\d+)(?:,.*)?"),
    _sign("restrict restrict-inner", "Restrict Content, Restrict User Access", unless="level=!.+"),
    _sign("pms-restrict wppb-restrict", _PMS, unless="display_to=not_logged_in"),
    _sign("s2if", "s2Member", unless=r"=!is_user_logged_in\(\)"),
    _sign("mm_member_decision mm_access_decision mm_order_decision", "MemberMouse", unless="isMember=false"),
    _sign("ms-protect-content", "Membership 2, MemberDash", unless="access=no"),
    _sign("wpf wpf_loggedin wpf_user_can_access user_meta_if", "WP Fusion", unless="=logged_out"),
    _sign("aam", "Advanced Access Manager", unless="hide=authenticated"),
    _sign("content_control", "Content Control", unless="status=logged_out"),
    _sign("toolset_access", "Toolset Access", unless="role=guest"),
    _sign("eyesonly", "Eyes Only", unless="logged=out"),
    _sign("feed is_free is_expired arm_content arm_plan", "Members, Restrict Content, ARMember"),
    _sign("wlm_ismember wlmismember memberful wpv-conditional", "WishList Member, Memberful, Toolset"),
    _sign("student course_complete course_inprogress course_notstarted ld_group", "LearnDash"),
    _sign("membersonly membershiponly mmbrs_capabilities mmbrs_user_meta uas_specific", "mmbrs and others"),
    _sign("showifrole wpe_rm_cap is_admin solo_usuarios_registrados", "plugins for roles"),
    _sign("passster ppwp sociallocker emaillocker signinlocker mycred_sell_this", "passwords, lockers"),
    _sign("reply replyview reply_to_view hidecontent erphpdown", "zibll, Kratos and other themes"),
    _sign("geoip_detect2_show_if geot geot_filter_state cbc cbs_block_country", "plugins for countries"),
    _sign("mgeo_content cfgeo_is_mobile ifso_condition handl_show", "plugins for countries, If-So, HandL"),
    _sign("timed-content-server timed-content-client timed-content-rule", "Timed Content"),
    _sign("timed expire expires schedule future su_scheduler", "plugins for times"),
)
#: Shortcodes, in lower case, that hide nothing from visitors, also with `su_` before their names.
HARMLESS_SHORTCODES = _index(
    _sign("members_not_logged_in not_logged_in is_not_paid wpmem_logged_out um_loggedout", "for visitors"),
    _sign("visitor mepr-hide wcm_nonmember nonsubscribers_content arm_plan_not nonmember", "for visitors"),
    _sign("leaky_paywall_not_subscriber wpf_loggedout uas_guest loggedout guest guests", "for visitors"),
    _sign("loggedout_message not_user_logged_in is_guest wlm_nonmember", "for visitors"),
    _sign("pullquote box note dropcap tab tabs toggle accordion spoiler expand lightbox", "themes"),
    _sign("tooltip list heading service animate footnote center b i u s url img color size", "themes"),
    _sign("team_member team-member members_list member_list subscribe visitor_counter", "other uses"),
    _sign("premium_box premium_button protected_email access_map paid_ad password_form", "other uses"),
)
#: Parts of the names of other shortcodes that hide the text between their tags
HIDING_WORDS = (
    "member members membership memberonly logged loggedin login private paid premium guest role roles access"
    " visitor vip secret hide hidden locked locker exclusive patron drip mepr"
)
#: The same inside of a part
HIDING_STEMS = ("subscri", "restrict", "protect", "password", "paywall")
#: Attributes by which they hide it, unless a part of the name says that they show a person or a list
HIDING_SHORTCODE_ATTRIBUTES = ("role", "capability", "membership", "level")
OTHER_WORDS = (
    "person people profile team staff speaker testimonial testimonials author bio card quote cast crew actor"
    " contact div section nav span machine badge heading headings headline header title list item toc outline"
    " skill skills bar tree"
)


def guess_shortcode_sign(name: str, attributes: Mapping[str, object]) -> HidingSign | None:
    """Return the sign of a shortcode that no table contains, by the words in its name, and its attributes."""
    words = {*re.split(r"[\W_\d]+", name)}
    hides = words & {*HIDING_WORDS.split()} or any(stem in name for stem in HIDING_STEMS)
    if words.isdisjoint(OTHER_WORDS.split()):
        hides = hides or any(map(attributes.get, HIDING_SHORTCODE_ATTRIBUTES))
    return _sign(name, "") if hides else None


_UM_PUBLIC = (
    r'.*"_um_(?:custom_access_settings";[sib]:(?:1:"0"|0:""|0)|accessible";[si]:(?:1:"[01]"|[01]));.*'
)
_UNLOCKED = r'[^=]*=a:\d+:\{(?!.*"lock_content").*\}|.*"lock_content";(?:s:1:"0"|s:0:""|i:0|b:0);.*'
_ALWAYS = r'.*"visibility_type";s:\d+:"(?:always|default)";.*'
_EMPTY_LISTS = r'[^=]*=a:\d+:\{(?:s:\d+:"\w+";a:0:\{\})+\}'
#: Custom fields of posts; arrays are serialized. A field of ARMember hides a post with each value.
POST_FIELDS = _index(
    _sign(
        "_members_access_role groups-read patreon-level _wpmem_block", "Members, Groups, Patreon, WP-Members"
    ),
    _sign(
        "_is_paid rcp_subscription_level _yith_wcmbs_restrict_access_plan",
        "Restrict Content, YITH Membership",
    ),
    _sign("pms-content-restrict-user-status pms-content-restrict-subscription-plan", _PMS),
    _sign("wppb-content-restrict-user-status wppb-content-restrict-user-role", _PMS),
    _sign("_jetpack_newsletter_access", "Jetpack", "[^=]*=(?:everybody)?"),
    _sign("ihc_mb_who", "Ultimate Membership Pro", f"{_OFF}|[^=]*=(?:all|-1)"),
    _sign("_wppcp_post_page_visibility", "Private Content Plus", f"{_OFF}|[^=]*=(?:none|all|guest)"),
    _sign(
        "rcp_access_level rcp_user_level", "Restrict Content", rf"{_OFF}|[^=]*=(?:a:1:.*\W)?(?:all|none)\W*"
    ),
    _sign("memberful_acl", "Memberful", f"{_OFF}|{_EMPTY_LISTS}"),
    _sign("memberful_available_to_any_registered_user passster_activate_protection", "Memberful, Passster"),
    _sign("memberful_available_to_anybody_subscribed_to_a_plan _llms_is_restricted", "Memberful, LifterLMS"),
    _sign("arm_access_plan", "ARMember", _NEVER),
    _sign("um_content_restriction", "Ultimate Member", f"{_OFF}|{_UM_PUBLIC}"),
    _sign("_issuem_leaky_paywall_visibility", "Leaky Paywall", f"{_OFF}|{_ALWAYS}"),
    _sign("wpf-settings", "WP Fusion", f"{_OFF}|{_UNLOCKED}"),
)
#: Plugins whose rules are outside of posts, by types of items, fields, and shortcodes in published pages
UNREAD_RULES = (
    _sign("memberpressrule", "MemberPress"),
    _sign("wc_membership_plan wc_user_membership _wc_memberships_force_public", "WooCommerce Memberships"),
    _sign("[pmpro_", "Paid Memberships Pro"),
    _sign("swpm_transactions [swpm_login_form [swpm_registration_form", "Simple Membership"),
    _sign("[wlm_register", "WishList Member"),
    _sign("[s2Member-", "s2Member"),
    _sign("aam_policy", "Advanced Access Manager"),
    _sign("cc_restriction", "Content Control"),
    _sign("restriction", "Restrict User Access"),
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
