"""The signs that hide a text from the visitors of its former blog, for all formats.

A private text whose sign is missing here becomes public.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogapi.importing.texts.lines import BOOLEAN_WORDS


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
    **dict.fromkeys(
        ("eleventyexcludefromcollections", "buildawesomeexcludefromcollections"), _PRIVATE_IF_TRUE
    ),
    # Eleventy: `permalink: {build: false}`.
    "permalink.build": FieldRule(private=_FALSE, others_are_public=True),
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
MAPPING_PREFIXES = {"build": "build.", "permalink": "permalink.", "params": "", "extra": ""}
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

    @property
    def generator(self) -> str:
        """The generator in the form of `files.SITE_FILES`."""
        return self.source.partition(" ")[0].casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnbuiltName(GeneratorSign):
    """Names of files and folders that a generator does not build, where `*` stands for any characters."""

    below: tuple[str, ...] = ("",)  #: the folders of the site in which the rule applies


UNBUILT_NAMES = (
    UnbuiltName(names=("_*", "#*", "~*", "*~"), source="Jekyll"),
    UnbuiltName(names=("_*", "*~", "*%"), source="Hexo"),
    UnbuiltName(names=("#*", "*~"), source="Hugo"),
    UnbuiltName(names=("_*",), source="Astro", below=("src/content/", "src/pages/")),
    UnbuiltName(names=("_*",), source="Docusaurus"),
    UnbuiltName(names=("_*", "*.draft", "*.draft.*"), source="Nuxt Content", below=("content/",)),
)
#: Names with a rule of their own.
BUILT_NAMES = frozenset(("_posts", "_drafts"))
#: The names of the files in `_posts` that Jekyll builds.
JEKYLL_POST = re.compile(r"[0-9]{2,4}-[0-9]{1,2}-[0-9]{1,2}-.+")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnbuiltSetting(GeneratorSign):
    """Settings with the files that a generator does not build.

    The forms of their values are "glob" (a path, where `*` is a part of one name), "gitignore" (also names in
    any folder), "prefix" (the beginning of a path, or one where `*` can contain `/`), "regex", "addresses"
    (the keys of a mapping), and "unread" (each file may be one of them).
    """

    form: str


UNBUILT_SETTINGS = (
    UnbuiltSetting(names=("exclude",), source="Jekyll", form="prefix"),
    UnbuiltSetting(names=("exclude", "ignore", "skip_render"), source="Hexo", form="glob"),
    UnbuiltSetting(names=("ignoreFiles",), source="Hugo", form="regex"),
    UnbuiltSetting(names=("ignored_content",), source="Zola", form="prefix"),
    UnbuiltSetting(
        names=("ARTICLE_EXCLUDES", "PAGE_EXCLUDES", "IGNORE_FILES"), source="Pelican", form="gitignore"
    ),
    UnbuiltSetting(names=("exclude_docs", "draft_docs"), source="MkDocs", form="gitignore"),
    UnbuiltSetting(names=("ignorePatterns",), source="Quartz", form="glob"),
    UnbuiltSetting(names=("ignores.add",), source="Eleventy", form="glob"),
    UnbuiltSetting(names=("exclude",), source="Docusaurus", form="gitignore"),
    UnbuiltSetting(names=("ignores",), source="Nuxt Content", form="gitignore"),
    UnbuiltSetting(names=("srcExclude",), source="VitePress", form="unread"),
    UnbuiltSetting(names=("pagePatterns",), source="VuePress", form="unread"),
    UnbuiltSetting(names=("encrypt",), source="VuePress Theme Hope", form="addresses"),
)
#: The folder in the site where the paths in settings begin, and the setting that names another one.
CONTENT_FOLDERS = {
    "jekyll": ("", "source"),
    "hexo": ("source", "source_dir"),
    "zola": ("content", ""),
    "pelican": ("content", "PATH"),
    "mkdocs": ("docs", "docs_dir"),
    "quartz": ("content", ""),
}
#: Files with patterns in the form "gitignore", in the folder of the site and in inner folders.
ELEVENTY_IGNORE_FILES = (".eleventyignore", ".gitignore")


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingText(GeneratorSign):
    """A text in a configuration file that hides the files whose front matter does not say otherwise."""

    pattern: re.Pattern[str]
    default: tuple[str, str]  #: the field that these files get


HIDING_TEXTS = (
    HidingText(
        names=("ExplicitPublish",),
        source="Quartz",
        pattern=re.compile("ExplicitPublish"),
        default=("publish", "false"),
    ),
    HidingText(
        names=("drafts({default: true})",),
        source="Metalsmith",
        pattern=re.compile(r"drafts[^()]{0,20}[({][^)}]{0,200}\bdefault[\"']?:\s{0,20}true"),
        default=("draft", "true"),
    ),
    HidingText(
        names=("visibility: private",),
        source="Dendron",
        pattern=re.compile(r"\bvisibility: {0,20}private\b"),
        default=("visibility", "private"),
    ),
    HidingText(
        names=("publishByDefault: false", "siteHierarchies: [x]"),
        source="Dendron",
        pattern=re.compile(
            r"\bpublishByDefault: {0,20}false\b|\bsiteHierarchies:\s{0,20}[\[-] {0,20}+(?!root\b)"
        ),
        default=("published", "false"),
    ),
)
#: In a data file of Eleventy that is a program: the names of fields that may hide files.
ELEVENTY_HIDING_FIELD = re.compile(
    r"\b(?:(?:draft|published|(?:eleventy|buildAwesome)ExcludeFromCollections)\b(?![\"']?:\s{0,20}false\b)"
    r"|permalink\b(?=[^;]{0,300}?\bfalse\b))"
)
# --- Marks in a text.

# Tags whose text needs a password, such as those of hugo-encryptor.
HIDING_TAG = re.compile(
    r"\{(?:\{[<%]|%)-?\s*+(?P<name>[\w-]{0,40}?(?:encrypt|password|protected|secret|private|members?-?only)[\w-]*)",
    re.IGNORECASE,
)

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
