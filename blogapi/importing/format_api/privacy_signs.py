"""The signs that a text was hidden from the visitors of its former blog, for all formats.

If the sign of a private text is missing here, an import makes the text public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blogapi.importing.format_api.hiding_words import (
    AUDIENCES,
    DRAFT_WORDS,
    FALSE,
    PRIVATE_WORDS,
    PUBLISHED_WORDS,
    SUPPORTERS,
    TRUE,
    has_other_use,
    is_hiding_entry,
    is_hiding_name,
    is_paywall_name,
    split_name,
)
from blogapi.importing.texts.lines import normalize_key, split_words
from blogapi.rendering.hidden_elements import HIDDEN_VALUES


def list_names(sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return all names in a table that maps each system to a text with its names."""
    return split_words(" ".join(sources.values()))


# --- Front matter of Markdown files, and tags in their text.

EVERYONE_VALUES = frozenset(("public", "everyone", "everybody", "all", "anyone", "open"))
# The values of a hiding field that mean "not hidden".
_NOT_HIDDEN = FALSE | {"", "none", "null"}
_YES = frozenset(("true", "yes"))
_PUBLIC = EVERYONE_VALUES | PUBLISHED_WORDS | {"published", "publish", "visible", "listed", "free", "default"}
_PAGE_PARTS = frozenset(("navigation", "toc", "footer", "path", "tags", "feedback", "comments", "date"))
_PRIVATE = frozenset(
    split_words("""draft private hidden unlisted unpublished pending skip trash password protected internal
        members paid tiers subscribers restricted""")
)
_UNFINISHED_VALUES = _PRIVATE | {"review", "inreview", "todo", "idea", "inprogress", "wip"}
#: The values with which a longer key that ends in `status` or `state` hides a text.
PRIVATE_STATUSES = DRAFT_WORDS | PRIVATE_WORDS | {"pending", "unpublished", "trash", "review", "inreview"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """The values of a field that make an article public or private, as normalized keys; "" is an empty value.

    Any other value makes the article a draft, with a note.
    """

    public: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    dates_are_public: bool = False  #: for Hugo's `published` and Metalsmith's `publish`, which can be dates
    others_are_public: bool = False  #: for fields that usually have another purpose
    is_secret: bool = False  #: the value never appears in a note
    is_unlisting: bool = False  #: private values only keep an article out of lists
    is_guess: bool = False  #: no system is known for the fields; see `Guess`
    is_new: bool = False  #: as in `Guess`


# In notes of Obsidian and other texts, `status` often says how complete a public text is.
_NOTE_STATUSES = split_words("seedling budding evergreen complete completed done finished live active final")
STATUS_RULE = FieldRule(
    private=_PRIVATE,
    public=_PUBLIC.union(("scheduled", "future", "featured", "archived", "archive", ""), _NOTE_STATUSES),
)
#: The fields to which each rule applies, in any spelling, by the generators and systems that have the fields.
#: The rules also apply inside of MAPPING_PREFIXES: `build.list` is `list` inside of Hugo's `build`.
#: Rules with `others_are_public` are for fields that other blogs use for other purposes.
PRIVACY_FIELDS = {
    FieldRule(public=_NOT_HIDDEN, private=TRUE): {
        "most generators": "draft drafts isDraft saveAsDraft wip isWip",
        "Hugo": "headless",
        "Hexo and others": "private isPrivate hidden isHidden secret",
        "content systems": """unpublished ignorePost doNotPublish dontPublish noPublish unfinished incomplete
            emailOnly restricted protected isProtected protect""",
        "hexo-blog-encrypt and others": "encrypt encrypted locked isLocked",
        "Eleventy": "eleventyExcludeFromCollections buildawesomeExcludeFromCollections",
    },
    FieldRule(public=_NOT_HIDDEN | EVERYONE_VALUES | {"free", "default"}, private=TRUE, is_guess=True): {
        "sites with members": """membersOnly memberOnly subscribersOnly sponsorsOnly vip premium isPremium
            paid isPaid paywall paywalled exclusive gated isGated loginRequired requiresLogin requireLogin
            authRequired requiresAuth requireAuth"""
    },
    # Material for MkDocs: `hide: [navigation, toc]` hides parts of the page.
    FieldRule(public=_NOT_HIDDEN | _PAGE_PARTS, private=TRUE): {"Hexo, Material for MkDocs": "hide"},
    # Jekyll and Quartz treat an empty `published` or `publish` as false. The value can also be a date.
    FieldRule(public=TRUE | EVERYONE_VALUES, private=FALSE | _PRIVATE | {""}, dates_are_public=True): {
        "Jekyll, Obsidian, Quartz": "published isPublished publish dg-publish"
    },
    FieldRule(public=TRUE | EVERYONE_VALUES, private=FALSE | _PRIVATE | {""}): {
        "content systems": "public isPublic visible isVisible",
        "Zola, Grav": "render routable",
    },
    FieldRule(public=_NOT_HIDDEN, private=TRUE, is_unlisting=True): {
        "Hugo and others": "unlisted isUnlisted delisted"
    },
    FieldRule(public=TRUE | {"always"}, private=FALSE | {"never", "local"}, is_unlisting=True): {
        "content systems": "listed isListed",
        "Hugo": "build.list",
    },
    FieldRule(private=FALSE, others_are_public=True, is_unlisting=True): {
        "themes of VuePress": "list post article"
    },
    STATUS_RULE: {"Pelican, Nikola and others": "status postStatus publishStatus"},
    FieldRule(public=_PUBLIC, private=_PRIVATE | AUDIENCES): {"Ghost and others": "visibility"},
    FieldRule(private=_YES | _PRIVATE | AUDIENCES | {"{}"}, others_are_public=True, is_guess=True): {
        "sites with members": "access"
    },
    FieldRule(private=_YES | _PRIVATE | AUDIENCES | SUPPORTERS, others_are_public=True, is_guess=True): {
        "sites with members": """accessLevel audience members subscribers plan tier tiers role roles
            group groups permission permissions"""
    },
    FieldRule(private=_YES | _UNFINISHED_VALUES | AUDIENCES, others_are_public=True): {
        "content systems": "state stage workflow"
    },
    FieldRule(public=TRUE | {"always"}, private=FALSE | {"never", "link"}): {"Hugo": "build.render"},
    FieldRule(public=frozenset(("false", "")), is_secret=True): {
        "hexo-blog-encrypt": "password passwords passphrase passcode postPassword pwd",
        "content systems": "passwd pw",
        "other languages": """passwort kennwort motDePasse contraseña senha wachtwoord hasło lösenord пароль
            密码 密碼 パスワード""",
    },
    FieldRule(private=TRUE, others_are_public=True): {
        "content systems": """deleted trashed disabled confidential internal inProgress idea template lock
            invisible skip exclude excluded ignore ignored"""
    },
    FieldRule(private=FALSE, others_are_public=True): {
        "content systems": """active enabled live approved publishable ready released finished complete
            completed done""",
        "Eleventy": "permalink.build",
        "DocPad, Lume": "write url",
    },
    FieldRule(private=frozenset(("draft", "private")), others_are_public=True): {"content systems": "type"},
    FieldRule(private=FALSE, others_are_public=True, is_guess=True, is_new=True): {
        "content systems": "online show display"
    },
    FieldRule(private=frozenset(("false",)), others_are_public=True): {"Eleventy": "permalink"},
}
#: The rules by normalized key (`lines.normalize_key`).
FIELD_RULES = {normalize_key(name): rule for rule, it in PRIVACY_FIELDS.items() for name in list_names(it)}
# The private values that only keep an article out of lists, in fields whose rule is not `is_unlisting`.
UNLISTED_VALUES = {"unlisted"}
#: The values that only keep an article out of lists in one generator, by generator and field.
UNLISTED_VALUES_BY_GENERATOR = {
    ("jekyll", "hidden"): TRUE,  # the plugin jekyll-paginate-v2
    ("pelican", "status"): frozenset(("hidden",)),
}
PUBLISHING_FIELDS = {"published", "publish", "dgpublish"}
# Mappings whose entries have rules, and the prefix of these entries in FIELD_RULES.
MAPPING_PREFIXES = {
    "build": "build.",
    "permalink": "permalink.",
    "eleventycomputed": "",
    "params": "",
    "extra": "",
    "custom": "",
    "meta": "",
}
#: Fields that archive an article if they are true.
ARCHIVING_FIELDS = ("archived", "isarchived", "archive")
#: Fields with the time of publication, by system; a value that is no date makes the article a draft.
STRICT_DATE_FIELDS = {
    "Hugo, Jekyll, Astro": "date publishDate pubDate pubDatetime publishedAt published publish",
    "Keystatic and others": "datetime publishedOn publishedDate publishedTime publishAt",
    "content systems": "publishOn publishTime publicationDate",
    "schema.org, Open Graph": "datePublished article:published_time",
    "systems with planned posts": """scheduledFor goLive embargo embargoUntil availableFrom visibleFrom
        scheduledAt publicationDateTime onlineFrom""",
}
#: Date fields in which any other value is ignored. Obsidian notes often have only the time of writing.
LENIENT_DATE_FIELDS = {
    "Craft, WordPress": "datePosted posted postedAt postedOn postDate postDateGmt dateGmt",
    "content systems": """releaseDate releasedAt release issued issueDate firstPublished originalDate
        originallyPublished displayDate""",
    "Obsidian, Notion": "created createdAt createdOn createdDate dateCreated creationDate",
    "others": "creationTime fileCreated timestamp time day written entryDate",
}
#: The latest date in these fields is used before a date in the path. Of other fields, the first date is used.
#: Hugo displays `date`, but publishes the page at `publishDate` (or one of its aliases) if that is later.
PREFERRED_DATE_FIELDS = tuple(map(normalize_key, split_words(next(iter(STRICT_DATE_FIELDS.values())))))
#: Date fields by normalized key, in the order in which they are read; True for STRICT_DATE_FIELDS.
DATE_FIELDS = {
    normalize_key(name): found is STRICT_DATE_FIELDS
    for found in (STRICT_DATE_FIELDS, LENIENT_DATE_FIELDS)
    for name in list_names(found)
}
#: A future date in a field whose name has one of these words makes the article a draft.
PUBLICATION_DATE_WORDS = {
    *split_words("publish published publication release released visible available embargo live")
}
#: Fields with the time at which an article expires.
EXPIRY_FIELDS = split_words("""expirydate unpublishdate expires expiredate expiresat expireson validuntil
    unpublishon unpublishat unpublishedat unpublishedon publisheduntil publishuntil publishenddate
    publishend availableuntil availableto visibleuntil visibleto""")
# --- Names of files and folders.

# The names, in lower case, of folders whose files are drafts.
PRIVATE_FOLDERS = frozenset(
    split_words("drafts _drafts draft _draft private _private unpublished _unpublished")
)
# Nikola marks drafts with these tags.
PRIVATE_TAGS = {"draft", "private"}


#: The names of generators in notes, if the capitalized key is not the name.
GENERATOR_NAMES = {
    "nuxt": "Nuxt Content",
    "mkdocs": "MkDocs",
    "vitepress": "VitePress",
    "vuepress": "VuePress, VuePress Theme Hope",
}
#: By generator: names of files and folders that it does not build, where `*` stands for any characters.
UNBUILT_NAMES = {
    "jekyll": ("_*", "#*", "~*", "*~"),
    "hexo": ("_*", "*~", "*%"),
    "hugo": ("#*", "*~"),
    "astro": ("_*",),
    "docusaurus": ("_*",),
    "nuxt": ("_*", "*.draft", "*.draft.*"),
    "lume": ("_*",),
}
#: The folders of a site in which UNBUILT_NAMES apply; for other generators, they apply in the whole site.
UNBUILT_NAME_FOLDERS = {"astro": ("src/content/", "src/pages/"), "nuxt": ("content/",)}
#: Matches the names of the files in `_posts` that Jekyll builds.
JEKYLL_POST_NAME = re.compile(r"[0-9]{2,4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12][0-9]|3[01])-.+")
#: Settings that exclude files, and the form of their values: "path", "start" (of a path), "name" (a path, or
#: a name in any folder), "regex", "address" (the keys of a mapping), or "unread" (can exclude any file).
EXCLUSION_SETTINGS = {
    "jekyll": {"exclude": "start"},
    "hexo": dict.fromkeys(("exclude", "ignore", "skip_render"), "path"),
    "hugo": {"ignoreFiles": "regex", "excludeFiles": "unread"},
    "zola": {"ignored_content": "start"},
    "pelican": dict.fromkeys(("ARTICLE_EXCLUDES", "PAGE_EXCLUDES", "IGNORE_FILES"), "name"),
    "mkdocs": {"exclude_docs": "name", "draft_docs": "name"},
    "quartz": {"ignorePatterns": "path"},
    "eleventy": {"ignores.add": "path"},
    "docusaurus": {"exclude": "name"},
    "lume": {"site.ignore": "path"},
    "nuxt": {"ignores": "name"},
    "vitepress": {"srcExclude": "path"},
    "vuepress": {"pagePatterns": "unread", "encrypt": "address"},
}
#: The folder to which paths in settings are relative, and the setting that can name another folder.
CONTENT_FOLDERS = {
    "jekyll": ("", "source"),
    "hexo": ("source", "sourcedir"),
    "zola": ("content", ""),
    "pelican": ("content", "path"),
    "mkdocs": ("docs", "docsdir"),
    "quartz": ("content", ""),
    # The configuration of these generators is a program, which can name another folder.
    "docusaurus": ("blog", ""),
    "nuxt": ("content", ""),
    "vitepress": ("src", ""),
}
#: The only folder that a generator builds, by generator; "" = only the folder in its setting.
BUILT_FOLDERS = {
    **dict.fromkeys(("quartz", "zola", "nuxt", "hugo"), "content"),
    **{"pelican": "", "mkdocs": "docs", "hexo": "source"},
}
#: The configuration files of programs that build only the files in SUMMARY.md.
BOOK_FILES = ("book.toml", ".gitbook.yaml", "book.json")
#: The configuration files of Astro's collections, and a regular expression for a pattern that excludes files.
ASTRO_COLLECTIONS = ("src/content.config.ts", "src/content/config.ts")
ASTRO_EXCLUSION = re.compile(r"\bpattern:[^\]]{0,500}?[\"'`]!")
#: Settings that hide the files whose front matter does not set a certain field: their pattern, and the field.
HIDING_SETTINGS = {
    # This pattern is used only if the configuration of Jekyll cannot be parsed.
    "jekyll": {"defaults": (r"\b(?:published: {0,20}false|draft: {0,20}true)\b", "published")},
    "hugo": {"cascade": (r"\bcascade\b[^\[]{0,300}?\bdraft[\"']?\s{0,20}[:=]\s{0,20}true\b", "draft")},
    "pelican": {"DEFAULT_METADATA": (r"[\"']status[\"']\s*+:\s*+[\"'](?!published)", "status")},
    "quartz": {"ExplicitPublish": ("ExplicitPublish", "publish")},
    "metalsmith": {"drafts({default: true})": (r"\bdefault[\"']?:\s{0,20}true", "draft")},
    "dendron": {
        "visibility: private": (r"\bvisibility: {0,20}private\b", "visibility"),
        "publishByDefault: false": (r"\bpublishByDefault: {0,20}false\b", "published"),
        "siteHierarchies: [x]": (r"\bsiteHierarchies:[\s\[-]++(?!root\b)", "published"),
    },
}
#: Files in any folder of a site of Eleventy, with patterns (in the form "name") of files that are not built.
ELEVENTY_IGNORE_FILES = (".eleventyignore", ".gitignore")
#: Matches a field that can hide files, in a data file of Eleventy that is a program.
ELEVENTY_HIDING_FIELD = re.compile(
    r"\b(?:(?:draft|published|(?:eleventy|buildAwesome)ExcludeFromCollections)\b(?![\"']?:\s{0,20}false\b)"
    r"|permalink\b(?=[^;]{0,300}?\bfalse\b))"
)
# --- Marks in a text.

_MEMBER_MARKS = "members-only member-only subscribers-only premium-content premium paid paywall"
#: Marks that hide a part of a text, outside of code, by kind and system: a comment (`<!-- x -->`), an element
#: (`<x>`), a container (`:::x`) or a tag (`{{< x >}}`, `{% x %}`). `*` stands for any letters; such a tag
#: hides a text only if it has an end tag.
TEXT_MARKS = {
    "comment": {"Ghost": "members-only", "newsletter programs": "subscribers-only paywall"},
    "element": {"MDX": _MEMBER_MARKS},
    "container": {
        "VuePress, remark-directive": f"{_MEMBER_MARKS} members",
        "Quarto": "content-hidden content-visible",
    },
    "tag": {
        "shortcodes of Hugo": f"{_MEMBER_MARKS} members *members-only* *member-only*",
        "hugo-encryptor, hexo-blog-encrypt": "*encrypt* *password* *protected* *secret* *private*",
    },
}
#: Tags that hide no text, although their names contain a word of TEXT_MARKS.
HARMLESS_TAGS = ("encrypt-email", "encrypt-mail", "email-encrypt")


def _make_pattern(kind: str, *, has_star: bool = False) -> str:
    names = (name for name in list_names(TEXT_MARKS[kind]) if ("*" in name) == has_star)
    return "|".join(names).replace("-", "[-_ ]?").replace("*", r"[\w-]*")


#: Matches a mark; the matched group is named after its kind. A tag with the group `pair` needs an end tag.
TEXT_MARK = re.compile(
    rf"<!--\s*+(?P<comment>(?:{_make_pattern('comment')})(?:[\s:_-]*(?:start|begin|break))?)\s*+-->"
    rf"|<(?P<element>{_make_pattern('element')})(?=[\s/>])"
    rf"|(?<![^\s>]):{{3,}}+[ \t]*+\{{?[.#]?(?P<container>{_make_pattern('container')})(?![\w-])"
    rf"|\{{(?:\{{[<%]|%)-?\s*+(?!(?:{'|'.join(HARMLESS_TAGS).replace('-', '[-_]?')})[\s%>])"
    rf"(?P<tag>(?:{_make_pattern('tag')}|(?P<pair>{_make_pattern('tag', has_star=True)}))(?![\w-]))",
    re.IGNORECASE,
)
#: Matches an end tag, with its name as the group: `{{< /x >}}`, `{% endx %}`.
END_TAG = re.compile(r"\{(?:\{[<%]|%)-?\s*+(?:/\s*+|end_?)([\w-]++)", re.IGNORECASE)
#: Matches a part that Ghost shows only to members, up to its end comment, or else to the end of the text.
GHOST_GATED_BLOCK = re.compile(
    r"<!--kg-gated-block:begin[^<]*?\bnonMember\s*+:\s*+false(?:[^<]++|<(?!!--kg-gated-block:end-->))*+"
    r"(?:<!--kg-gated-block:end-->)?+"
)
_STYLE_SPACE = r"(?:\s|/\*[^*]*+\*/)*+"
# Matches start tags of elements that browsers do not show, data for scripts, and elements off the screen.
_HIDING_START_TAG = re.compile(
    r"<(?:template|noscript)(?=[\s/>])|<dialog(?=[\s>])(?![^>]*\sopen(?=[\s=/>]))"
    r"|<script(?=[^>]*\stype\s*=\s*[\"']?(?:text/(?:template|html|plain|x-|ng-)|x-))"
    r"|<(?![^>]*(?:sr-only|screen-reader-text|visually-?hidden))(?>[^>]*?\sstyle\s*=)"
    r"[^>]*?(?<![\w-])(?:left|right|top|text-indent)\s*:\s*-\d{3,}(?:px|em|rem|%|vw)?(?<!-\d\d)",
    re.IGNORECASE,
)
#: The HTML attributes and values with which browsers do not show an element, and, under "", the start tags
#: of elements that browsers do not show. Imports leave out these elements.
HIDING_ATTRIBUTES = {
    "hidden": HIDDEN_VALUES,
    # A style in braces is JavaScript (MDX).
    "style": re.compile(
        rf"(?<![\w-])(?:display[\"']?{_STYLE_SPACE}:{_STYLE_SPACE}[\"']?none|visibility[\"']?{_STYLE_SPACE}:{_STYLE_SPACE}[\"']?hidden)(?![\w-])",
        re.IGNORECASE,
    ),
    "": _HIDING_START_TAG,
}
#: Matches a link definition of Markdown that is used as a comment: `[//]: # (x)`.
LINK_COMMENT = re.compile(
    r"^ {0,3}\[(?://|comment|_)\]:[ \t]*(?:#|<>)[^\n]*\n?", re.MULTILINE | re.IGNORECASE
)


# --- WordPress: blocks, shortcodes and custom fields of posts.

_OFF_VALUE = r"[^=]*=(?:|0|no|off|false|null|\[\]|\{\}|a:0:\{\})"
_NO_MATCH = "(?!)"
_PAID_MEMBER_PLUGINS = "Paid Member Subscriptions, Profile Builder"


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingSign:
    """Blocks, shortcodes, attributes or custom fields that hide a text.

    The patterns match lines: a name with its value (`metadata.blockVisibility=false`), or with `wp:block` or
    `wp:shortcode` (`groups/groups-member=wp:block`).
    """

    names: tuple[str, ...]
    source: str  #: the plugin, for the guide
    is_guess: bool = False  #: no system is known for the names; see `Guess`
    is_new: bool = False  #: as in `Guess`
    shown: str = _OFF_VALUE  #: visitors saw the text if this matches all lines with these names
    unless: str = _NO_MATCH  #: visitors also saw the text if this matches any line
    from_everyone: tuple[str, ...] = (_NO_MATCH,)  #: nobody saw the text if each pattern matches a line


def _sign(names: str, source: str, shown: str = _OFF_VALUE, **others: Any) -> HidingSign:
    return HidingSign(names=split_words(names), source=source, shown=shown, **others)


def _index_signs(*signs: HidingSign) -> dict[str, HidingSign]:
    return {name: sign for sign in signs for name in sign.names}


def find_signs(
    lines: Sequence[str], signs: Mapping[str, HidingSign | None]
) -> Iterator[tuple[bool, str, HidingSign]]:
    """Yield each sign that hides the text: whether nobody saw the text, the name of the sign, the sign."""
    groups: dict[HidingSign | None, list[str]] = {}
    for line in lines:
        groups.setdefault(signs.get(get_sign_name(line)), []).append(line)
    for sign, own in groups.items():
        if sign is None or _has_match(lines, sign.unless):
            continue
        if all(_has_match(lines, pattern) for pattern in sign.from_everyone):
            yield True, get_sign_name(own[0]), sign
        yield from ((False, get_sign_name(line), sign) for line in own if not _has_match([line], sign.shown))


def get_sign_name(line: str) -> str:
    return re.split("(?<!^metadata)[.=]", line, maxsplit=1)[0]


def _has_match(lines: Sequence[str], pattern: str) -> bool:
    return any(re.fullmatch(pattern, line, re.IGNORECASE | re.DOTALL) for line in lines)


_LOGGED_OUT = f"{_OFF_VALUE}|[^=]*=(?:user-status|logged-out)"
_NOT_LOGGED_OUT = "blockPermissions(?:Type=(?:role|cap)|UserStatus=logged-in)"
_INVERTED_RESTRICTION = "invert_restrictions=(?:1|true)"
_NEWSPACK_HIDDEN = "newspackAccessControlVisibility=hidden"
_REVERSED_RULE = "blockPermissionsCondition=(?:!=)?"
# Values and keys with which visitors saw a block; `visibility=false` inverts a condition.
_SHOWN_LINES = (
    r"(?![^=]*\.visibility=)[^=]*=(?:|0|null|\[\]|\{\}|public|all|none|logged[-_]out|userLoggedOut|loggedOutUser|screenSize"
    r"|responsiveScreenSizes)|[^=]*\.(?:id=.*|(?:enabled?|visibility)=true|(?:enable|hideBlock)=false)"
    r"|[^=]*\.(?:(?:screenSize|hideOnScreenSize|device)\.|\w*screen_?sizes=).*"
)
_SCREEN_SIZES = ("mobile", "tablet", "desktop")
_NO_SIZE = tuple(rf"metadata\.blockVisibility(?:\.viewport)?(?:\.{size})?=false" for size in _SCREEN_SIZES)
_SOME_SIZES = r"[^=]*=(?:true|null|\{\})|[^=]*\.(?:mobile|tablet|desktop)=false"
_HIDE_BLOCK = (r"blockVisibility\.hideBlock=true",)
_LOCKDOWN_TYPE = (r"[^=]*\.type=lockdown",)
_ON_NO_DEVICE = ("vsdesk=true", "vstablet=true", "vsmobile=true")
#: The names of blocks, without `core/`, and of attributes of blocks that hide a text.
HIDING_BLOCKS = _index_signs(
    _sign("metadata.blockVisibility", "WordPress", _SOME_SIZES, from_everyone=_NO_SIZE),
    _sign("blockVisibility", "Block Visibility", _SHOWN_LINES, from_everyone=_HIDE_BLOCK),
    _sign("contentControls", "Content Control", _SHOWN_LINES, unless=r"contentControls\.enabled=false"),
    _sign("conditionalBlocks", "Conditional Blocks", _SHOWN_LINES, from_everyone=_LOCKDOWN_TYPE),
    _sign("conditionalBlocksAttributes otterConditions", "Conditional Blocks, Otter", _SHOWN_LINES),
    _sign("loggedOut rcpMembership", "Kadence", unless="(?!kadence/)[^=]*=wp:block"),
    _sign("vsdesk vstablet vsmobile", "Kadence", ".*", from_everyone=_ON_NO_DEVICE),
    _sign("blockPermissionsCondition", "Members", f"{_OFF_VALUE}|[^=]*==", unless=_NOT_LOGGED_OUT),
    _sign("blockPermissionsType blockPermissionsUserStatus", "Members", _LOGGED_OUT, unless=_REVERSED_RULE),
    _sign("pmpro/membership visibilityBlockEnabled", "Paid Memberships Pro", unless=_INVERTED_RESTRICTION),
    _sign("newspackAccessControlGateIds newspackAccessControlRules", "Newspack", unless=_NEWSPACK_HIDDEN),
    _sign("um_who_access", "Ultimate Member", f"{_OFF_VALUE}|[^=]*=2", unless="um_is_restrict=false"),
    _sign("llms_visibility", "LifterLMS", f"{_OFF_VALUE}|[^=]*=(?:all|logged_out|not_enrolled)"),
    *(
        _sign(
            f"{plugin}ContentRestriction",
            _PAID_MEMBER_PLUGINS,
            _NO_MATCH,
            unless=rf"{plugin}\w+\.display_to=(?:all|not_logged_in)",
        )
        for plugin in ("pms", "wppb")
    ),
    _sign("contentVisibilityRules", "Content Visibility", unless=r"\w+\.\w+RulesEnabled=(?:|0|false)"),
    _sign("gbBlockCondition", "GenerateBlocks Pro"),
    _sign("premium-content/subscriber-view jetpack/paywall", "Jetpack"),
    _sign("groups/groups-member", "Groups"),
    _sign("memberpress/protected-content", "MemberPress"),
    _sign("woocommerce-memberships/member-content", "WooCommerce Memberships"),
    _sign("pms/content-restriction-start wppb/content-restriction-start", _PAID_MEMBER_PLUGINS),
    _sign("learndash/ld-student learndash/ld-group learndash/ld-course-complete", "LearnDash"),
    _sign("learndash/ld-course-inprogress learndash/ld-course-notstarted", "LearnDash"),
    _sign("monetizeBlockDisplay", "Coil", f"{_OFF_VALUE}|[^=]*=(?:always-show|hide-monetized-users)"),
    _sign("editorskit", "EditorsKit", r"(?!editorskit\.(?:loggedout=false|acf_visibility=.))[^=]*=.*"),
    _sign(
        "advgbBlockControls",
        "PublishPress Blocks",
        r"(?!advgbBlockControls\.control=)[^=]*=.*"
        "|[^=]*=(?:device_type|device_width|browser_device|operating_system)",
    ),
    _sign("UAGDisplayConditions", "Spectra", f"{_OFF_VALUE}|[^=]*=(?:none|userstate|userRole|browser|os)"),
    _sign("UAGLoggedOut", "Spectra"),
    _sign("newsletterglue/show-hide-content", "Newsletter Glue", ".*"),
    _sign("UAGLoggedIn UAGUserRole UAGBrowser UAGSystem", "Spectra", ".*"),
    _sign("wp-fusion/secure-block", "WP Fusion"),
    _sign(
        "showblog", "Newsletter Glue", ".*", from_everyone=("showblog=false", "newsletterglue/[^=]*=wp:block")
    ),
    # These attributes hide nothing unless another attribute is set too.
    _sign("gbBlockConditionInvert invert_restrictions", "GenerateBlocks Pro, Paid Memberships Pro", ".*"),
    _sign("blockPermissionsRoles blockPermissionsCap blockPermissionsMessage", "Members", ".*"),
    _sign("newspackAccessControlVisibility newspackAccessControlMode", "Newspack", ".*"),
    _sign("um_is_restrict contentVisibility", "Ultimate Member, Content Visibility", ".*"),
    _sign("backfaceVisibility termsAndConditions conditionText", "CSS, forms, shops", ".*"),
)
# An attribute without a sign hides a block if its name contains one of these parts. GUESSED_ATTRIBUTE_SIGN
# has the exceptions, such as `isVisible=true` and `slidesVisible=3`.
HIDING_NAME_PART = re.compile(
    "visib|restrict|permission|condition(?!ing|of)|accesscontrol|membersonly|requirelogin|userroles|ishidden",
    re.IGNORECASE,
)
GUESSED_ATTRIBUTE_SIGN = _sign(
    "",
    "",
    rf"(?![^=]*(?:{HIDING_NAME_PART.pattern}))[^=]*=.*"
    rf"|{_OFF_VALUE}|[^=]*=(?:none|all|public|visible|everyone|always|inherit|initial|unset|hover)"
    "|.*(?:mobile|tablet|desktop|phone|laptop|screen|device|viewport|breakpoint|responsive).*"
    r"|(?:[^=]*\.)?(?:visible[^.=]*|[^.=]*visible)=(?:true|yes|[\d.]+)|[^=]*visibility=(?:true|yes)",
    is_guess=True,
)


def guess_attribute_sign(line: str) -> HidingSign:
    """Return the sign of an attribute that is in no table; HidingSign describes the form of `line`."""
    # Only the last name of the path is checked, so that `lock.move` does not count as a lock.
    path, _, value = line.partition("=")
    name = path.rpartition(".")[2]
    is_other = path.partition(".")[0] in _OTHER_ATTRIBUTES
    is_private = not is_other and is_hiding_entry(name, normalize_key(value.strip()))
    return _GUESSED_NAME_SIGN if is_private and not HIDING_NAME_PART.search(path) else GUESSED_ATTRIBUTE_SIGN


# Attributes that hide no text: the locks restrict the editor, and the others contain texts and styles.
_OTHER_ATTRIBUTES = {"lock", "templateLock", "metadata", "className", "style", "content", "placeholder"}
_GUESSED_NAME_SIGN = _sign("", "", _NO_MATCH, is_guess=True, is_new=True)


def guess_block_sign(name: str, *, is_enclosing: bool) -> HidingSign | None:
    """Return a sign if the name of an unknown block, without its namespace, has a word that hides a text."""
    last = name.rpartition("/")[2] if "/" in name else ""
    is_form = last in ("login", "subscriptions")
    hides = is_hiding_name(last) and not is_form if is_enclosing else is_paywall_name(last)
    return _GUESSED_NAME_SIGN if hides else None


#: The prefixes of the shortcodes of page builders; BUILDERS has the attributes that hide their content.
BUILDER_PREFIXES = ("vc_", "et_pb_", "fusion_", "av_")
# `disabled_on` has a value for phones, tablets and desktops. `W10=` is an empty list in Base64.
BUILDERS = _index_signs(
    _sign("?", "attributes that cannot be read"),
    _sign("disable_element", "WPBakery", from_everyone=("disable_element=(?:yes|true)",)),
    _sign("disabled", "Divi", unless="(?!et_pb_)[^=]*=wp:shortcode", from_everyone=("disabled=on",)),
    _sign("disabled_on", "Divi", "disabled_on=[onf|]*", from_everyone=(r"disabled_on=on\|on\|on\|?",)),
    _sign("display_conditions", "Divi", "display_conditions=(?:W10=)?"),
    _sign("status", "Avada", "status=(?:published)?", unless="(?!fusion_)[^=]*=wp:shortcode"),
    _sign("render_logics", "Avada", "render_logics=(?:W10=)?"),
    _sign("visibility", "Flatsome", ".*", from_everyone=("visibility=hidden",)),
)
#: Attributes with which any shortcode hides its content from everyone.
ANY_SHORTCODE_SIGNS = {"visibility": BUILDERS["visibility"]}
#: Shortcodes, in lower case, that hide the text between their tags. `=` precedes values without names.
HIDING_SHORTCODES = _index_signs(
    _sign("membership", "Paid Memberships Pro", unless=r"levels?=(?:.*,\s*)?(?:0|-\d+)(?:,.*)?"),
    _sign("restrict restrict-inner", "Restrict Content, Restrict User Access", unless="level=!.+"),
    _sign("pms-restrict wppb-restrict", _PAID_MEMBER_PLUGINS, unless="display_to=not_logged_in"),
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
#: Shortcodes, in lower case, that hide nothing from visitors: shortcodes for visitors, of themes, and with
#: another use. The same names with the prefix `su_` hide nothing either.
HARMLESS_SHORTCODES = split_words("""members_not_logged_in not_logged_in is_not_paid wpmem_logged_out
    um_loggedout visitor mepr-hide wcm_nonmember nonsubscribers_content arm_plan_not nonmember
    leaky_paywall_not_subscriber wpf_loggedout uas_guest loggedout guest guests loggedout_message
    not_user_logged_in is_guest wlm_nonmember pullquote box note dropcap tab tabs toggle accordion spoiler
    expand lightbox tooltip list heading service animate footnote center b i u s url img color size
    team_member team-member members_list member_list subscribe visitor_counter premium_box premium_button
    protected_email access_map paid_ad password_form""")
#: Words by which versions of blogapi without guesses recognised unknown shortcodes that hide a text
_FORMER_WORDS = split_words("""member members membership memberonly logged loggedin login private paid premium
    role roles access visitor vip secret hide hidden locked locker exclusive patron drip mepr registered
    auth""")
_FORMER_STEMS = ("subscri", "restrict", "protect", "password", "paywall")
#: Attributes that hide a text, unless the name of the shortcode has a word of OTHER_SHORTCODE_WORDS
HIDING_SHORTCODE_ATTRIBUTES = ("role", "capability", "membership", "level")
OTHER_SHORTCODE_WORDS = split_words("""person people profile team staff speaker testimonial testimonials
    author bio card quote cast crew actor contact div section nav span machine badge heading headings headline
    header title list item toc outline skill skills bar tree""")


def guess_shortcode_sign(name: str, attributes: Mapping[str, object]) -> HidingSign | None:
    """Return a sign unless the name of an unknown shortcode says that it hides no content."""
    words = {*split_name(name)}
    is_former = any(stem in name.lower() for stem in _FORMER_STEMS) or not words.isdisjoint(_FORMER_WORDS)
    is_former = is_former and not has_other_use(name)
    if words.isdisjoint(OTHER_SHORTCODE_WORDS):
        is_former = is_former or any(map(attributes.get, HIDING_SHORTCODE_ATTRIBUTES))
    # An unknown shortcode can hide its text even if its name has no word for hiding.
    is_shown = has_other_use(name) or not words.isdisjoint(OTHER_SHORTCODE_WORDS)
    hides = is_former or is_hiding_name(name) or not is_shown
    return _sign(name, "", is_guess=True, is_new=not is_former) if hides else None


_UM_PUBLIC = (
    r'.*"_um_(?:custom_access_settings";[sib]:(?:1:"0"|0:""|0)|accessible";[si]:(?:1:"[01]"|[01]));.*'
)
_UNLOCKED_SETTINGS = r'[^=]*=a:\d+:\{(?!.*"lock_content").*\}|.*"lock_content";(?:s:1:"0"|s:0:""|i:0|b:0);.*'
_ALWAYS_VISIBLE = r'.*"visibility_type";s:\d+:"(?:always|default)";.*'
_RCP_PUBLIC = rf"{_OFF_VALUE}|[^=]*=(?:a:1:.*\W)?(?:all|none)\W*"
_EMPTY_LISTS = r'[^=]*=a:\d+:\{(?:s:\d+:"\w+";a:0:\{\})+\}'
#: Custom fields that hide a post; arrays are serialized. The field of ARMember hides a post with any value.
HIDING_FIELDS = _index_signs(
    _sign("_members_access_role groups-read patreon-level", "Members, Groups, Patreon"),
    _sign("_is_paid rcp_subscription_level", "Restrict Content"),
    _sign("_wpmem_block _yith_wcmbs_restrict_access_plan", "WP-Members, YITH Membership"),
    _sign("pms-content-restrict-user-status pms-content-restrict-subscription-plan", _PAID_MEMBER_PLUGINS),
    _sign("wppb-content-restrict-user-status wppb-content-restrict-user-role", _PAID_MEMBER_PLUGINS),
    _sign("_jetpack_newsletter_access", "Jetpack", "[^=]*=(?:everybody)?"),
    _sign("ihc_mb_who", "Ultimate Membership Pro", f"{_OFF_VALUE}|[^=]*=(?:all|-1)"),
    _sign("_wppcp_post_page_visibility", "Private Content Plus", f"{_OFF_VALUE}|[^=]*=(?:none|all|guest)"),
    _sign("rcp_access_level rcp_user_level", "Restrict Content", _RCP_PUBLIC),
    _sign("memberful_acl", "Memberful", f"{_OFF_VALUE}|{_EMPTY_LISTS}"),
    _sign("memberful_available_to_any_registered_user", "Memberful"),
    _sign("memberful_available_to_anybody_subscribed_to_a_plan", "Memberful"),
    _sign("_llms_is_restricted passster_activate_protection", "LifterLMS, Passster"),
    _sign("arm_access_plan", "ARMember", _NO_MATCH),
    _sign("um_content_restriction", "Ultimate Member", f"{_OFF_VALUE}|{_UM_PUBLIC}"),
    _sign("_issuem_leaky_paywall_visibility", "Leaky Paywall", f"{_OFF_VALUE}|{_ALWAYS_VISIBLE}"),
    _sign("wpf-settings", "WP Fusion", f"{_OFF_VALUE}|{_UNLOCKED_SETTINGS}"),
    _sign(
        "_is4wp_any_loggedin_user _is4wp_any_membership _is4wp_membership_levels _is4wp_access_tags",
        "Memberium",
    ),
    _sign("ure_prohibit_allow_flag", "User Role Editor Pro", f"{_OFF_VALUE}|[^=]*=1"),
    _sign(
        "laterpay_post_prices",
        "LaterPay",
        f'{_OFF_VALUE}|.*"price";(?:s:\\d+:"0*[.,]?0*"|[id]:0(?:\\.0*)?);.*',
    ),
    _sign("_coil_monetize_post_status", "Coil", f"{_OFF_VALUE}|[^=]*=(?:no-gating|default)"),
    _sign("wp_protect_password_multiple_passwords", "PPWP"),
)
#: Custom fields with the data of page builders, whose settings hide parts of a post.
BUILDER_FIELDS = ("_elementor_data", "_fl_builder_data")
# Matches `"e_display_conditions":["…"]`, and serialized `s:18:"visibility_display";s:9:"logged_in";`
BUILDER_CONDITION = re.compile(
    r'"(?P<name>e_display_conditions|visibility_display|visibility_user_capability|display_conditions)"'
    r'(?::\s*+|;s:\d+:|;(?!s:))(?!(?:"(?:|no|false|0|none|always|default)"|\[\]|\{\}|false|null|0\b|[bai]:0))'
)
#: Matches a setting of Elementor with a text or a number.
BUILDER_SETTING = re.compile(r'"(?P<name>[\w-]{2,60})":\s*+(?:"(?P<text>[^"\\]{0,40})"|(?P<word>\w+))')
#: Matches an element of Elementor that is hidden on all devices.
HIDDEN_BUILDER_ELEMENT = re.compile(
    r"\{" + "".join(rf'(?=[^{{}}]*"hide_{name}":\s*"hidden)' for name in ("desktop", "tablet", "mobile"))
)
#: Plugins whose rules are not in posts, with the item types, fields and shortcodes that show their use
UNREAD_RULE_PLUGINS = (
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

# The names in notes of Ghost's audiences other than everyone.
GHOST_AUDIENCES = {
    "members": "members",
    "paid": "paying members",
    "tiers": "members of certain tiers",
    "filter": "members of certain tiers",
}
# The names in notes of Substack's audiences other than everyone.
SUBSTACK_AUDIENCES = {
    "only_paid": "paying subscribers",
    "founding": "founding members",
    "only_free": "subscribers",
}
# Matches the mark of a paywall in the HTML of a post of Substack.
SUBSTACK_PAYWALL = re.compile(r"""class=["'](?:[^"'<>]*?\s)?paywall""")
#: The public statuses of Notion's pages. Other statuses, such as “Done” and “Open”, belong to tasks.
NOTION_PUBLIC_STATUSES = PUBLISHED_WORDS | {"public", "live"}
#: The names of the status property in the languages of Notion, in the form of `normalize_key`.
NOTION_STATUS_FIELDS = split_words(
    "status statut estado stato état статус ステータス 状态 狀態 상태 durum tila"
)
#: Properties of Notion that make a page public if they are true, in the form of `normalize_key`.
NOTION_PUBLISHING_FIELDS = ("publish", "published", "public", "ispublic")
#: The beginning of the names of drafts in archives of Medium, in lower case.
MEDIUM_DRAFT_PREFIX = "draft_"
#: Fields that publish a note of a vault if they are true. A date in them can belong to a cited text.
VAULT_PUBLISHING_FIELDS = {"publish", "published", "dgpublish", "public", "ispublic", "share"}
