"""The signs that hide a text from the visitors of its former blog, for all formats.

A private text whose sign is missing here becomes public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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

# Tags whose text needs a password, such as those of hugo-encryptor.
HIDING_TAG = re.compile(
    r"\{(?:\{[<%]|%)-?\s*+(?P<name>[\w-]{0,40}?(?:encrypt|password|protected|secret|private|members?-?only)[\w-]*)",
    re.IGNORECASE,
)

# --- WordPress: blocks, shortcodes and custom fields of posts.

_OFF = r"[^=]*=(?:|0|no|off|false|null|\[\]|\{\}|a:0:\{\})"
_NOTHING = "(?!)"
_PMS = "Paid Member Subscriptions, Profile Builder"


@dataclass(frozen=True, slots=True, kw_only=True)
class HidingSign(Sign):
    """Blocks, shortcodes, attributes or custom fields that hide a text.

    The patterns match lines: a name with its value (`metadata.blockVisibility=false`), or with `wp:block` or
    `wp:shortcode` (`groups/groups-member=wp:block`).
    """

    shown: str = _OFF  #: visitors saw the text if this matches all lines with one of the names
    unless: str = _NOTHING  #: they also saw it if this matches any line
    nobody: tuple[str, ...] = (_NOTHING,)  #: nobody saw it if each of these matches a line


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
    _sign("pmsContentRestriction", _PMS, _NOTHING, unless=r"pms\w+\.display_to=(?:all|not_logged_in)"),
    _sign("wppbContentRestriction", _PMS, _NOTHING, unless=r"wppb\w+\.display_to=(?:all|not_logged_in)"),
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
    _sign("arm_access_plan", "ARMember", _NOTHING),
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
