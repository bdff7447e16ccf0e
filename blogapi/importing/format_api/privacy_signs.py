"""The signs that hide a text from the visitors of its former blog, for all formats.

A private text whose sign is missing here becomes public.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
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


class Audience(IntEnum):
    """The visitors of the former blog who saw a part of a text without a login."""

    ALL = 0  #: perhaps only on screens of some sizes
    SOME = 1  #: not all of them, or the sign is unclear
    NOBODY = 2


Attributes = Mapping[str, Any]
_SCREEN_SIZES = {"mobile", "tablet", "desktop"}
_TYPES_FOR_VISITORS = {"userLoggedOut", "loggedOutUser", "responsiveScreenSizes", "screenSize", "none"}
_VISITORS = ("public", "all", "logged-out", "", None)


def _get(attributes: object, path: str) -> Any:
    """Return the value in nested mappings at a path such as `rules.user`; None = there is none."""
    for key in path.split("."):
        attributes = attributes.get(key) if isinstance(attributes, Mapping) else None
    return attributes


def _walk(value: object) -> Iterator[object]:
    """Yield a value and the values in its lists and mappings."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        waiting += one if isinstance(one, list) else one.values() if isinstance(one, Mapping) else ()
        yield one


def _is_filled(value: object) -> bool:
    return any(one and not isinstance(one, list | Mapping) for one in _walk(value))


def _some_if(condition: object) -> Audience:
    return Audience.SOME if condition else Audience.ALL


def _always(block: Attributes) -> Audience:
    return Audience.SOME


def _unless(path: str, *public: object) -> Callable[[Attributes], Audience]:
    return lambda block: _some_if(_get(block, path) not in public)


def _by_core_visibility(block: Attributes) -> Audience:
    shown = _get(block, "metadata.blockVisibility")
    if shown is None or isinstance(shown, bool):
        return Audience.NOBODY if shown is False else Audience.ALL
    sizes = _get(shown, "viewport") or shown
    if (
        not isinstance(sizes, Mapping)
        or sizes.keys() - _SCREEN_SIZES
        or {*map(type, sizes.values())} - {bool}
    ):
        return Audience.SOME
    hidden = {size for size, is_shown in sizes.items() if is_shown is False}
    return Audience.NOBODY if hidden == _SCREEN_SIZES else Audience.ALL


def _by_block_visibility(block: Attributes) -> Audience:
    rules = block["blockVisibility"]
    if _get(rules, "hideBlock") is True:
        return Audience.NOBODY
    if not isinstance(rules, Mapping):
        return _some_if(rules not in (None, True))
    sets = rules.get("controlSets") or []
    others = [value for name, value in rules.items() if name not in ("controlSets", "visibilityByRole")]
    if not isinstance(sets, list) or _is_filled(others) or rules.get("visibilityByRole") not in _VISITORS:
        return Audience.SOME
    enabled = [one for one in sets if _get(one, "enable") is not False]
    return _some_if(enabled and not any(map(_shows_to_visitors, enabled)))


def _shows_to_visitors(control_set: object) -> bool:
    controls = _get(control_set, "controls") or {}
    if not isinstance(control_set, Mapping) or not isinstance(controls, Mapping):
        return False
    others = [value for name, value in controls.items() if name not in ("userRole", "screenSize")]
    return not _is_filled(others) and _get(controls, "userRole.visibilityByRole") in _VISITORS


def _by_types(block: Attributes) -> Audience:
    """Decide by lists of conditions, each with a `type`."""
    names = ("conditionalBlocks", "conditionalBlocksAttributes", "otterConditions")
    values = [block.get(name) for name in names]
    conditions = [one for one in _walk(values) if isinstance(one, Mapping) and one.get("type")]
    types = {str(one["type"]) for one in conditions}
    if types == {"lockdown"}:
        return Audience.NOBODY
    is_reversed = any(one.get("visibility", True) in (False, "", "0") for one in conditions)
    return _some_if(types - _TYPES_FOR_VISITORS or is_reversed or (not types and _is_filled(values)))


def _by_kadence(block: Attributes) -> Audience:
    if all(block.get(name) is True for name in ("vsdesk", "vstablet", "vsmobile")):
        return Audience.NOBODY
    return _some_if(block.get("loggedOut") or block.get("rcpMembership"))


def _by_members(block: Attributes) -> Audience:
    condition, kind = block.get("blockPermissionsCondition"), block.get("blockPermissionsType")
    is_for_visitors = kind == "user-status" and block.get("blockPermissionsUserStatus") == "logged-out"
    return _some_if(condition and kind and str(condition) != ("=" if is_for_visitors else "!="))


def _by_newspack(block: Attributes) -> Audience:
    active = (f"newspackAccessControlRules.{name}.active" for name in ("registration", "custom_access"))
    has_rules = block.get("newspackAccessControlGateIds") or any(_get(block, path) for path in active)
    return _some_if(has_rules and block.get("newspackAccessControlVisibility") != "hidden")


def _by_content_controls(block: Attributes) -> Audience:
    rules = block["contentControls"]
    if not isinstance(rules, Mapping):
        return _some_if(rules)
    conditions = rules.get("rules")
    if isinstance(conditions, Mapping):
        conditions = {name: value for name, value in conditions.items() if name != "device"}
    is_hidden = _is_filled(conditions) and _get(conditions, "user.userStatus") != "logged_out"
    return _some_if(rules.get("enabled") and is_hidden)


def _by_content_visibility(block: Attributes) -> Audience:
    rules = block.get("contentVisibilityRules")
    is_on = _get(rules, "contentVisibilityRulesEnabled") not in (None, False, "", "0", 0)
    return _some_if(len(rules) > 1 and is_on if isinstance(rules, Mapping) else rules)


_by_pmpro = _unless("invert_restrictions", "1", 1, True)


def _by_pmpro_switch(block: Attributes) -> Audience:
    return _by_pmpro(block) if block.get("visibilityBlockEnabled") else Audience.ALL


def _by_ultimate_member(block: Attributes) -> Audience:
    return _some_if(block["um_is_restrict"] and block.get("um_who_access") not in (None, "", "0", "2", 0, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSign(Sign):
    """Blocks, or attributes of blocks, that hide the text in a block from visitors."""

    audience: Callable[[Attributes], Audience]  #: decides by the attributes of the block
    prefix: str = ""  #: of the names of the blocks that have the attributes; "" = all blocks
    unless_block: str = ""  #: the sign does not count in a text that contains this block
    unless_field: tuple[str, str] = ("", "")  #: nor in a post that has this custom field with this value


def _blocks(names: str, source: str, audience: Callable[[Attributes], Audience], **more: Any) -> BlockSign:
    return BlockSign(names=tuple(names.split()), source=source, audience=audience, **more)


#: Blocks by their names, without `core/`. The paywall hides the text after it.
HIDING_BLOCKS = (
    _blocks("premium-content/subscriber-view", "Jetpack", _always),
    _blocks("premium-content/container", "Jetpack", _always, unless_block="premium-content/logged-out-view"),
    _blocks("jetpack/paywall", "Jetpack", _always, unless_field=("_jetpack_newsletter_access", "everybody")),
    _blocks("pmpro/membership", "Paid Memberships Pro", _by_pmpro),
    _blocks("memberpress/protected-content", "MemberPress", _always),
    _blocks("woocommerce-memberships/member-content", "WooCommerce Memberships", _always),
    _blocks("pms/content-restriction-start", "Paid Member Subscriptions", _always),
    _blocks("wppb/content-restriction-start", "Profile Builder", _always),
    _blocks("learndash/ld-student learndash/ld-group", "LearnDash", _always),
    _blocks("learndash/ld-course-complete learndash/ld-course-inprogress", "LearnDash", _always),
    _blocks("learndash/ld-course-notstarted", "LearnDash", _always),
    _blocks("groups/groups-member", "Groups", _always),
)
_PMS, _WPPB = "pmsContentRestriction.display_to", "wppbContentRestriction.display_to"
_TO_VISITORS = ("all", "not_logged_in")
#: Attributes of blocks by their names, with the other attributes of their plugins.
HIDING_ATTRIBUTES = (
    _blocks("metadata.blockVisibility", "WordPress", _by_core_visibility),
    _blocks("blockVisibility", "Block Visibility", _by_block_visibility),
    _blocks("contentControls", "Content Control", _by_content_controls),
    _blocks("conditionalBlocks conditionalBlocksAttributes", "Conditional Blocks", _by_types),
    _blocks("otterConditions", "Otter", _by_types),
    _blocks("loggedOut rcpMembership vsdesk vstablet vsmobile", "Kadence", _by_kadence, prefix="kadence/"),
    _blocks(
        "gbBlockCondition gbBlockConditionInvert", "GenerateBlocks Pro", _unless("gbBlockCondition", None, "")
    ),
    _blocks("blockPermissionsCondition blockPermissionsType", "Members", _by_members),
    _blocks("blockPermissionsUserStatus blockPermissionsRoles", "Members", _by_members),
    _blocks("blockPermissionsCap blockPermissionsMessage", "Members", _by_members),
    _blocks("visibilityBlockEnabled invert_restrictions", "Paid Memberships Pro", _by_pmpro_switch),
    _blocks("newspackAccessControlGateIds newspackAccessControlRules", "Newspack", _by_newspack),
    _blocks("newspackAccessControlVisibility newspackAccessControlMode", "Newspack", _by_newspack),
    _blocks("um_is_restrict", "Ultimate Member", _by_ultimate_member),
    _blocks("llms_visibility", "LifterLMS", _unless("llms_visibility", "all", "logged_out", "not_enrolled")),
    _blocks("pmsContentRestriction", "Paid Member Subscriptions", _unless(_PMS, *_TO_VISITORS)),
    _blocks("wppbContentRestriction", "Profile Builder", _unless(_WPPB, *_TO_VISITORS)),
    _blocks("contentVisibilityRules contentVisibility", "Content Visibility", _by_content_visibility),
)
# Attributes that no table contains hide by these parts of their names, in lower case, unless they have one
# of these values or belong to the size of a screen.
HIDING_ATTRIBUTE_PARTS = ("visib", "restrict", "permission", "condition", "accesscontrol")
_PUBLIC_ATTRIBUTE_VALUES = {
    *("", "false", "no", "0", "none", "all", "public", "visible", "everyone", "always"),
    *("inherit", "initial", "unset"),
}
_SCREENS = (
    *("mobile", "tablet", "desktop", "phone", "laptop", "screen"),
    *("device", "viewport", "breakpoint", "responsive"),
)
#: Attributes, in lower case, with one of these parts that hide nothing.
HARMLESS_ATTRIBUTES = (
    Sign(names=("backfacevisibility",), source="CSS"),
    Sign(names=("termsandconditions", "conditiontext"), source="forms and shops"),
)
_MAX_DEPTH = 20


def hides_by_its_name(name: str, value: object, depth: int = 0) -> bool:
    """Return whether an attribute hides its block, if its name has one of the parts above."""
    name = name.casefold()
    if any(screen in name for screen in _SCREENS):
        return False
    if isinstance(value, list | Mapping):
        items = value.items() if isinstance(value, Mapping) else (("", one) for one in value)
        return depth > _MAX_DEPTH or any(hides_by_its_name(key, one, depth + 1) for key, one in items)
    if isinstance(value, str):
        text = value.strip().casefold()
        return text not in _PUBLIC_ATTRIBUTE_VALUES and not any(screen in text for screen in _SCREENS)
    # `isVisible` may be true, and `slidesVisible` may be 3.
    return bool(value) and not name.startswith("visible") and not name.endswith("visible")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcodeSign(Sign):
    """Shortcodes, in lower case, that hide the text between their tags from all or some visitors."""

    #: patterns by attributes: a value that matches, also between commas, shows the text to visitors.
    #: The attribute "" is the whole text of the attributes, without spaces
    shown: Mapping[str, str] = field(default_factory=dict)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _shortcodes(names: str, source: str, **shown: str) -> ShortcodeSign:
    return ShortcodeSign(names=tuple(names.split()), source=source, shown=shown)


HIDING_SHORTCODES = (
    _shortcodes("members_access access members_logged_in is_user_logged_in members_feed feed", "Members"),
    _shortcodes("membership", "Paid Memberships Pro", level=r"0|-\d+", levels=r"0|-\d+"),
    _shortcodes("is_paid is_free is_expired", "Restrict Content"),
    _shortcodes("restrict restrict-inner", "Restrict Content, Restrict User Access", level="!.+"),
    _shortcodes("wpmem_logged_in", "WP-Members"),
    _shortcodes("um_loggedin", "Ultimate Member"),
    _shortcodes("lifterlms_hide_content", "LifterLMS"),
    _shortcodes("student course_complete course_inprogress course_notstarted ld_group", "LearnDash"),
    _shortcodes("mepr-show mepr-active", "MemberPress"),
    _shortcodes("pms-restrict", "Paid Member Subscriptions", display_to="not_logged_in"),
    _shortcodes("wppb-restrict", "Profile Builder", display_to="not_logged_in"),
    _shortcodes("wcm_restrict subscribers_content", "WooCommerce Memberships"),
    _shortcodes("s2if", "s2Member", **{"": r"!is_user_logged_in\(\)"}),
    _shortcodes("swpm_protected", "Simple Membership"),
    _shortcodes("emember_protected", "WP eMember"),
    _shortcodes("arm_restrict_content arm_content arm_plan", "ARMember"),
    _shortcodes("ihc-hide-content", "Ultimate Membership Pro"),
    _shortcodes("wlm_private wlm_ismember wlmismember", "WishList Member"),
    _shortcodes("mm_member_decision mm_access_decision mm_order_decision", "MemberMouse", ismember="false"),
    _shortcodes("ms-protect-content", "Membership 2, MemberDash", access="no"),
    _shortcodes("leaky_paywall_subscriber", "Leaky Paywall"),
    _shortcodes("memberful", "Memberful"),
    _shortcodes("wpf wpf_loggedin wpf_user_can_access user_meta_if", "WP Fusion", logged_out=""),
    _shortcodes("urcr_restrict urm-content-restriction", "User Registration"),
    _shortcodes("aam", "Advanced Access Manager", hide="authenticated"),
    _shortcodes("content_control", "Content Control", status="logged_out"),
    _shortcodes("toolset_access", "Toolset Access", role="guest"),
    _shortcodes("wpv-conditional", "Toolset Views"),
    _shortcodes("private wppcp_private_content", "Private Content, Private Content Plus"),
    _shortcodes("su_members su_private su_scheduler", "Shortcodes Ultimate"),
    _shortcodes("uas_loggedin uas_specific", "User Access Shortcodes"),
    _shortcodes("eyesonly", "Eyes Only", logged="out"),
    _shortcodes("mmbrs_logged_in mmbrs_roles mmbrs_capabilities mmbrs_user_meta", "mmbrs"),
    _shortcodes("member members memberonly membersonly membershiponly qw_members", "plugins for members"),
    _shortcodes("restrict_content restricted restriction", "plugins for members"),
    _shortcodes("user_role showifrole wpe_rm_cap is_admin vip_only", "plugins for roles"),
    _shortcodes("loggedin loggedin_message is_logged_in user_logged_in", "plugins for users"),
    _shortcodes("subscriptionactive solo_usuarios_registrados", "plugins for users"),
    _shortcodes("passster ppwp wcl_protect content_protector", "plugins for passwords"),
    _shortcodes("reply replyview reply_to_view hide hidecontent vip login", "zibll, Kratos and other themes"),
    _shortcodes("login_to_view password secret erphpdown", "zibll, Kratos and other themes"),
    _shortcodes("sociallocker emaillocker signinlocker mycred_sell_this", "lockers"),
    _shortcodes(
        "geoip_detect2_show_if geoip_detect2_hide_if geot geot_filter_state", "plugins for countries"
    ),
    _shortcodes("cbc cbs_block_country mgeo_content cfgeo_is_mobile", "plugins for countries"),
    _shortcodes("timed-content-server timed-content-client timed-content-rule", "Timed Content"),
    _shortcodes("timed time-restrict time-restrict-repeat", "plugins for times"),
    _shortcodes("expire expires schedule future", "plugins for times"),
    _shortcodes("ifso_condition handl_show handl_hide", "If-So, HandL"),
)
# Values of `operator` that turn a condition round.
REVERSING_OPERATORS = {"!", "not", "deny", "!="}
#: Shortcodes, in lower case, that hide nothing from visitors, also with `su_` before their names.
HARMLESS_SHORTCODES = (
    _shortcodes("members_not_logged_in not_logged_in is_not_paid wpmem_logged_out", "for visitors"),
    _shortcodes("um_loggedout visitor mepr-hide wcm_nonmember nonsubscribers_content", "for visitors"),
    _shortcodes("arm_plan_not wlm_nonmember leaky_paywall_not_subscriber wpf_loggedout", "for visitors"),
    _shortcodes("uas_guest nonmember loggedout loggedout_message not_user_logged_in", "for visitors"),
    _shortcodes("is_guest guest guests", "for visitors"),
    _shortcodes("phone tablet device notphone nottab notdevice ios iphone ipad", "sizes of screens"),
    _shortcodes("android mobileonly desktoponly", "sizes of screens"),
    _shortcodes("caption gallery audio video playlist embed button quote pullquote", "WordPress, themes"),
    _shortcodes("box note highlight dropcap row column columns one_half tab tabs", "WordPress, themes"),
    _shortcodes("toggle accordion spoiler expand lightbox tooltip list heading", "WordPress, themes"),
    _shortcodes("service animate footnote center", "WordPress, themes"),
    _shortcodes("b i u s url img color size", "forums"),
    _shortcodes("team_member team-member members_list member_list subscribe", "other uses of the words"),
    _shortcodes("premium_box premium_button protected_email access_map", "other uses of the words"),
    _shortcodes("visitor_counter paid_ad login_form password_form", "other uses of the words"),
)
#: Beginnings of the names of shortcodes that hide only by an attribute of BUILDER_SIGNS.
BUILDER_PREFIXES = ("vc_", "et_pb_", "fusion_", "av_")
#: Parts of the names of unknown shortcodes that hide the text between their tags.
HIDING_WORDS = _words(
    "member members membership memberonly logged loggedin login private paid premium guest role roles access"
    " visitor vip secret hide hidden locked locker exclusive patron drip mepr"
)
#: The same inside of a part.
HIDING_STEMS = ("subscri", "restrict", "protect", "password", "paywall")
#: Attributes by which unknown shortcodes hide the text between their tags, and the parts of the names of
#: shortcodes that have them for another purpose.
HIDING_SHORTCODE_ATTRIBUTES = {
    "role": _words(
        "person people profile team staff speaker testimonial testimonials author bio card quote cast crew"
        " actor contact div section nav span"
    ),
    "capability": _words("machine"),
    "membership": _words("card badge"),
    "level": _words(
        "heading headings headline header title list item toc outline section skill skills bar tree"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BuilderSign(Sign):
    """An attribute by which a page builder hides an element; the values are patterns, in lower case."""

    prefix: str = ""  #: of the shortcodes; "" = all
    public: str  #: the values with which visitors see the element
    nobody: str  #: the values with which nobody sees it; any other value hides it from some


def _builder(name: str, source: str, public: str, nobody: str = "(?!)", prefix: str = "") -> BuilderSign:
    return BuilderSign(names=(name,), source=source, public=public, nobody=nobody, prefix=prefix)


# `disabled_on` has a value for phones, tablets and desktops. `W10=` is an empty list in Base64.
BUILDER_SIGNS = (
    _builder("disable_element", "WPBakery", "|no|false", "yes|true"),
    _builder("disabled", "Divi", "|off", "on", prefix="et_pb_"),
    _builder("disabled_on", "Divi", r"(?:on|off)?(?:\|(?:on|off)?){0,3}", r"on\|on\|on\|?"),
    _builder("display_conditions", "Divi", "|w10="),
    _builder("status", "Avada", "|published", prefix="fusion_"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostFieldSign(Sign):
    """Custom fields that hide a post; of several values, and of the values in an array, each counts."""

    public: frozenset[str]  #: the values, in lower case, that do not hide the post
    entry: str = ""  #: the entry that decides alone, if the value is an array
    switch: str = ""  #: the entry without which the array means nothing


def _post_fields(names: str, source: str, public: str = "0", **others: str) -> PostFieldSign:
    values = _words(public) | {""}
    return PostFieldSign(names=tuple(names.split()), source=source, public=values, **others)


_ULTIMATE_MEMBER = {"entry": "_um_accessible", "switch": "_um_custom_access_settings"}
# A row of ARMember hides with each value.
POST_FIELD_SIGNS = (
    _post_fields("_members_access_role", "Members"),
    _post_fields("_jetpack_newsletter_access", "Jetpack", "everybody"),
    _post_fields("_llms_is_restricted", "LifterLMS", "no"),
    _post_fields("_is_paid", "Restrict Content"),
    _post_fields("_wpmem_block", "WP-Members"),
    _post_fields("ihc_mb_who", "Ultimate Membership Pro", "all -1"),
    _post_fields("patreon-level", "Patreon"),
    _post_fields("rcp_access_level rcp_user_level", "Restrict Content", "0 none all"),
    _post_fields("rcp_subscription_level", "Restrict Content Pro"),
    _post_fields("memberful_acl memberful_available_to_any_registered_user", "Memberful"),
    _post_fields("memberful_available_to_anybody_subscribed_to_a_plan", "Memberful"),
    _post_fields("groups-read", "Groups"),
    _post_fields("um_content_restriction", "Ultimate Member", "0 1", **_ULTIMATE_MEMBER),
    _post_fields("pms-content-restrict-user-status", "Paid Member Subscriptions"),
    _post_fields("pms-content-restrict-subscription-plan", "Paid Member Subscriptions"),
    _post_fields("wppb-content-restrict-user-status wppb-content-restrict-user-role", "Profile Builder"),
    PostFieldSign(names=("arm_access_plan",), source="ARMember", public=frozenset()),
    _post_fields("passster_activate_protection", "Passster"),
    _post_fields("_wppcp_post_page_visibility", "Private Content Plus", "none all guest"),
    _post_fields(
        "_issuem_leaky_paywall_visibility", "Leaky Paywall", "always default", entry="visibility_type"
    ),
    _post_fields("wpf-settings", "WP Fusion", entry="lock_content"),
    _post_fields("_yith_wcmbs_restrict_access_plan", "YITH Membership"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadRules(Sign):
    """Traces of a plugin (`source`) that keeps outside of the posts who may read them.

    `names` are types of items and custom fields of posts that only this plugin makes.
    """

    shortcodes: tuple[str, ...] = ()  #: beginnings of its shortcodes in published pages


def _plugin(source: str, names: str, *shortcodes: str) -> UnreadRules:
    return UnreadRules(names=tuple(names.split()), source=source, shortcodes=shortcodes)


UNREAD_RULES = (
    _plugin("MemberPress", "memberpressrule"),
    _plugin("WooCommerce Memberships", "wc_membership_plan wc_user_membership _wc_memberships_force_public"),
    _plugin("Paid Memberships Pro", "", "pmpro_"),
    _plugin("Simple Membership", "swpm_transactions", "swpm_login_form", "swpm_registration_form"),
    _plugin("WishList Member", "", "wlm_register"),
    _plugin("s2Member", "", "s2Member-"),
    _plugin("Advanced Access Manager", "aam_policy"),
    _plugin("Content Control", "cc_restriction"),
    _plugin("Restrict User Access", "restriction"),
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
