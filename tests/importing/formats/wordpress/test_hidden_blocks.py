"""Blocks that hid their text from all visitors or from some of them."""

from __future__ import annotations

import json
import re

import pytest

from blogapi.importing.format_api.hidden_parts import apply_hiding_signs
from blogapi.importing.format_api.privacy_signs import HIDING_BLOCKS, HIDING_NAME_PART
from tests.importing.formats.wordpress.exports import make_export, make_item, make_meta, read_export
from tests.importing.guesses import mark_all

LEFT_OUT, DRAFT, PUBLIC = "left out", "draft", "public"


def block(name="paragraph", html="<p>SECRET</p>", **attributes):
    return f"<!-- wp:{name} {json.dumps(attributes)} -->{html}<!-- /wp:{name} -->"


def read(folder, content, **fields):
    """Return the record of a post with a text around the content."""
    text = f"<!-- wp:paragraph --><p>Before.</p><!-- /wp:paragraph -->{content}"
    text += "<!-- wp:paragraph --><p>After.</p><!-- /wp:paragraph -->"
    (record,) = read_export(folder, make_export(make_item(content=text, **fields)))
    assert "<p>Before.</p>" in record.content
    return mark_all(record)


def classify(record, text="SECRET"):
    """Return what became of the text, and check that there is exactly the note that belongs to it."""
    drafts = [note for note in record.notes if note.endswith("; the article became a draft.")]
    parts = [note for note in record.notes if note.endswith("; this part was left out.")]
    if record.status == "draft":
        assert len(drafts) == 1
        return DRAFT
    assert (record.status, drafts) == ("published", [])
    assert bool(parts) == (text not in record.content)
    return LEFT_OUT if parts else PUBLIC


def visibility(*sets, **others):
    return {"blockVisibility": {"controlSets": list(sets), **others}}


def control(enable=True, **controls):
    return {"id": 1, "enable": enable, "controls": controls}


def conditions(*types):
    return {"sets": [{"conditions": [{"type": type_} for type_ in types]}]}


def newspack(visible="visible", **rules):
    return {"newspackAccessControlRules": rules, "newspackAccessControlVisibility": visible}


HARMLESS = {name for name, sign in HIDING_BLOCKS.items() if sign.shown == ".*"} - {
    "vsdesk",
    "vstablet",
    "vsmobile",
}
ALL = {"display_to": "all"}
SIZES = {"mobile": False, "tablet": False, "desktop": False}
LOGGED_IN = {"userRole": {"visibilityByRole": "logged-in"}}
LOGGED_OUT = {"userRole": {"visibilityByRole": "logged-out"}}
SCREEN = {"screenSize": {"hideOnScreenSize": {"large": True}}}
DATE = {"dateTime": {"schedules": [{"enable": True, "start": "2030-01-01"}]}}
#: By the name in the table: the attributes of a block, and what becomes of its text.
ATTRIBUTES = {
    "metadata.blockVisibility": [
        ({"metadata": {"blockVisibility": False}}, LEFT_OUT),
        ({"metadata": {"blockVisibility": {"viewport": SIZES}}}, LEFT_OUT),
        ({"metadata": {"blockVisibility": SIZES}}, LEFT_OUT),
        ({"metadata": {"blockVisibility": "members"}}, DRAFT),
        ({"metadata": {"blockVisibility": {"role": "admin"}}}, DRAFT),
        ({"metadata": {"blockVisibility": {"mobile": "no"}}}, DRAFT),
        ({"metadata": {"blockVisibility": True, "name": "Intro"}}, PUBLIC),
        ({"metadata": {"blockVisibility": {"viewport": {"mobile": False, "desktop": True}}}}, PUBLIC),
        ({"metadata": {"name": "Hidden section", "categories": ["private"]}}, PUBLIC),
        ({"metadata": "x"}, PUBLIC),
    ],
    "blockVisibility": [
        ({"blockVisibility": {"hideBlock": True}}, LEFT_OUT),
        (visibility(control(**LOGGED_IN), hideBlock=True), LEFT_OUT),
        (visibility(control(**LOGGED_IN)), DRAFT),
        (
            visibility(control(userRole={"visibilityByRole": "user-role", "restrictedRoles": ["editor"]})),
            DRAFT,
        ),
        (visibility(control(**DATE)), DRAFT),
        (visibility(control(**LOGGED_OUT, **DATE)), DRAFT),
        (visibility(control(cookie={"a": 1}), control(**LOGGED_IN)), DRAFT),
        (visibility(control(**SCREEN), visibilityPresets={"presets": [4]}), DRAFT),
        ({"blockVisibility": {"visibilityByRole": "logged-in"}}, DRAFT),
        ({"blockVisibility": {"hideBlock": "perhaps"}}, DRAFT),
        ({"blockVisibility": "members"}, DRAFT),
        ({"blockVisibility": {"controlSets": "x"}}, DRAFT),
        (visibility("x"), DRAFT),
        ({"blockVisibility": {"hideBlock": False}}, PUBLIC),
        (visibility(control(**LOGGED_OUT)), PUBLIC),
        (visibility(control(**SCREEN)), PUBLIC),
        (visibility(control(enable=False, **LOGGED_OUT)), PUBLIC),
        (visibility(control(enable=False, **LOGGED_IN)), PUBLIC),
        (visibility(control(enable=False, **LOGGED_IN), control(enable=False, **DATE)), PUBLIC),
        (visibility(control(**LOGGED_IN), control(**LOGGED_OUT)), PUBLIC),
        (visibility(control(enable=False, **LOGGED_OUT), control(**LOGGED_IN)), DRAFT),
        (visibility(control(**LOGGED_IN), control(**LOGGED_OUT), visibilityPresets={"presets": [4]}), DRAFT),
        (visibility(control(**LOGGED_IN), control(**LOGGED_OUT), hideBlock=True), LEFT_OUT),
    ],
    "contentControls": [
        ({"contentControls": {"enabled": True, "rules": {"user": {"userStatus": "logged_in"}}}}, DRAFT),
        ({"contentControls": {"enabled": True, "rules": {"user": {"roles": ["editor"]}}}}, DRAFT),
        ({"contentControls": {"enabled": True, "rules": {"time": {"from": "2030"}}}}, DRAFT),
        ({"contentControls": {"enabled": True, "rules": "x"}}, DRAFT),
        ({"contentControls": "x"}, DRAFT),
        ({"contentControls": {"enabled": False, "rules": {"user": {"userStatus": "logged_in"}}}}, PUBLIC),
        ({"contentControls": {"enabled": True, "rules": {"user": {"userStatus": "logged_out"}}}}, PUBLIC),
        ({"contentControls": {"enabled": True, "rules": {"device": {"hideOn": {"mobile": True}}}}}, PUBLIC),
    ],
    "conditionalBlocks": [
        ({"conditionalBlocks": conditions("lockdown")}, LEFT_OUT),
        ({"conditionalBlocks": conditions("userLoggedIn")}, DRAFT),
        ({"conditionalBlocks": {"conditions": [{"type": "dateRange"}]}}, DRAFT),
        ({"conditionalBlocks": conditions("userLoggedOut", "postMeta")}, DRAFT),
        ({"conditionalBlocks": conditions("userLoggedOut", "responsiveScreenSizes")}, PUBLIC),
        ({"conditionalBlocks": {"sets": []}}, PUBLIC),
    ],
    "conditionalBlocksAttributes": [
        ({"conditionalBlocksAttributes": {"userState": "logged-in"}}, DRAFT),
        ({"conditionalBlocksAttributes": {"userRoles": ["editor"]}}, DRAFT),
        ({"conditionalBlocksAttributes": {}}, PUBLIC),
        ({"conditionalBlocksAttributes": {"userRoles": [], "httpReferer": ""}}, PUBLIC),
    ],
    "otterConditions": [
        ({"otterConditions": [[{"type": "loggedInUser"}]]}, DRAFT),
        ({"otterConditions": [[{"type": "loggedOutUser", "visibility": False}]]}, DRAFT),
        ({"otterConditions": [[{"type": "loggedOutUser", "visibility": ""}]]}, DRAFT),
        ({"otterConditions": [[{"type": "loggedOutUser", "visibility": True}]]}, PUBLIC),
        ({"otterConditions": [[{"type": "loggedOutUser"}, {"type": "country"}]]}, DRAFT),
        ({"otterConditions": [["x"]]}, DRAFT),
        ({"otterConditions": [[]]}, PUBLIC),
        ({"otterConditions": [[{"type": "loggedOutUser"}]]}, PUBLIC),
        ({"otterConditions": [[{"type": "screenSize", "screen_sizes": ["mobile"]}]]}, PUBLIC),
    ],
    "gbBlockCondition": [
        ({"gbBlockCondition": "12"}, DRAFT),
        ({"gbBlockCondition": 12, "gbBlockConditionInvert": True}, DRAFT),
        ({"gbBlockCondition": ""}, PUBLIC),
    ],
    "gbBlockConditionInvert": [
        ({"gbBlockCondition": "12", "gbBlockConditionInvert": True}, DRAFT),
        ({"gbBlockConditionInvert": True}, PUBLIC),
    ],
    "visibilityBlockEnabled": [
        ({"visibilityBlockEnabled": True, "segment": "all"}, DRAFT),
        ({"visibilityBlockEnabled": True, "segment": "logged_in", "invert_restrictions": "0"}, DRAFT),
        ({"visibilityBlockEnabled": False, "segment": "all"}, PUBLIC),
    ],
    "invert_restrictions": [
        ({"visibilityBlockEnabled": True, "invert_restrictions": "x"}, DRAFT),
        ({"visibilityBlockEnabled": True, "invert_restrictions": "1"}, PUBLIC),
        ({"invert_restrictions": "1"}, PUBLIC),
    ],
    "newspackAccessControlGateIds": [
        ({"newspackAccessControlGateIds": [3]}, DRAFT),
        ({"newspackAccessControlGateIds": []}, PUBLIC),
    ],
    "newspackAccessControlRules": [
        (newspack(registration={"active": True}), DRAFT),
        (newspack(custom_access={"active": True, "access_rules": [[]]}), DRAFT),
        (newspack(registration={"active": False}), PUBLIC),
    ],
    "newspackAccessControlVisibility": [
        ({"newspackAccessControlVisibility": "visible", "newspackAccessControlGateIds": [3]}, DRAFT),
        (newspack("hidden", registration={"active": True}), PUBLIC),
    ],
    "newspackAccessControlMode": [
        ({"newspackAccessControlMode": "gate", "newspackAccessControlGateIds": [3]}, DRAFT),
        ({"newspackAccessControlMode": "custom"}, PUBLIC),
    ],
    "um_is_restrict": [
        ({"um_is_restrict": True, "um_who_access": "1"}, DRAFT),
        ({"um_is_restrict": True, "um_who_access": "x"}, DRAFT),
        ({"um_is_restrict": True}, PUBLIC),
        ({"um_is_restrict": True, "um_who_access": "2"}, PUBLIC),
        ({"um_is_restrict": False, "um_who_access": "1"}, PUBLIC),
    ],
    "um_who_access": [
        ({"um_is_restrict": False, "um_who_access": "1"}, PUBLIC),
        ({"um_who_access": "1"}, DRAFT),
    ],
    "llms_visibility": [
        ({"llms_visibility": "enrolled"}, DRAFT),
        ({"llms_visibility": "logged_in"}, DRAFT),
        ({"llms_visibility": "all"}, PUBLIC),
        ({"llms_visibility": "not_enrolled"}, PUBLIC),
    ],
    **{
        name: [
            ({name: {"display_to": "", "subscription_plans": [2]}}, DRAFT),
            ({name: {"display_to": ""}}, DRAFT),
            ({"pmsContentRestriction": ALL, "wppbContentRestriction": ALL, name: {"display_to": ""}}, DRAFT),
            ({name: {"display_to": "all"}}, PUBLIC),
            ({name: {"display_to": "not_logged_in"}}, PUBLIC),
        ]
        for name in ("pmsContentRestriction", "wppbContentRestriction")
    },
    "contentVisibilityRules": [
        ({"contentVisibilityRules": {"contentVisibilityRulesEnabled": "1", "specialPage": {"a": 1}}}, DRAFT),
        ({"contentVisibilityRules": "x"}, DRAFT),
        ({"contentVisibilityRules": {"contentVisibilityRulesEnabled": "0", "userRole": {"a": 1}}}, PUBLIC),
        ({"contentVisibilityRules": {"contentVisibilityRulesEnabled": True}}, DRAFT),
    ],
    "contentVisibility": [
        (
            {
                "contentVisibility": "shown",
                "contentVisibilityRules": {"contentVisibilityRulesEnabled": True, "userRole": {"a": "1"}},
            },
            DRAFT,
        ),
        ({"contentVisibility": "shown"}, PUBLIC),
    ],
}
MEMBERS = {"blockPermissionsCondition": "=", "blockPermissionsType": "role"}
STATUS = {"blockPermissionsCondition": "!=", "blockPermissionsType": "user-status"}
ATTRIBUTES |= {
    "blockPermissionsCondition": [
        ({**MEMBERS, "blockPermissionsCondition": "x"}, DRAFT),
        ({"blockPermissionsCondition": "", "blockPermissionsType": "role"}, PUBLIC),
    ],
    "blockPermissionsType": [
        (MEMBERS, DRAFT),
        ({"blockPermissionsType": "role"}, DRAFT),
        ({**MEMBERS, "blockPermissionsCondition": "!="}, PUBLIC),
    ],
    "blockPermissionsUserStatus": [
        ({**STATUS, "blockPermissionsUserStatus": "logged-out"}, DRAFT),
        ({**STATUS, "blockPermissionsCondition": "=", "blockPermissionsUserStatus": "logged-in"}, DRAFT),
        ({**STATUS, "blockPermissionsCondition": "=", "blockPermissionsUserStatus": "logged-out"}, PUBLIC),
        ({**STATUS, "blockPermissionsUserStatus": "logged-in"}, PUBLIC),
    ],
    "blockPermissionsRoles": [
        ({**MEMBERS, "blockPermissionsRoles": ["editor"]}, DRAFT),
        ({**MEMBERS, "blockPermissionsCondition": "!=", "blockPermissionsRoles": ["editor"]}, PUBLIC),
    ],
    "blockPermissionsCap": [
        ({**MEMBERS, "blockPermissionsType": "cap", "blockPermissionsCap": "edit_posts"}, DRAFT),
        ({"blockPermissionsCap": "edit_posts"}, PUBLIC),
    ],
    "blockPermissionsMessage": [
        ({**MEMBERS, "blockPermissionsMessage": "Log in."}, DRAFT),
        ({"blockPermissionsMessage": "Log in."}, PUBLIC),
    ],
}
KADENCE = {
    "loggedOut": [
        ({"loggedOut": True}, DRAFT),
        ({"loggedOut": True, "display": "block"}, DRAFT),
        ({"loggedIn": True}, PUBLIC),
    ],
    "monetizeBlockDisplay": [
        ({"monetizeBlockDisplay": "show-monetized-users"}, DRAFT),
        ({"monetizeBlockDisplay": "hide-monetized-users"}, PUBLIC),
    ],
    "editorskit": [
        ({"editorskit": {"loggedin": True, "loggedout": False, "acf_visibility": ""}}, DRAFT),
        ({"editorskit": {"loggedin": True, "loggedout": True, "acf_visibility": ""}}, PUBLIC),
    ],
    "advgbBlockControls": [
        ({"advgbBlockControls": [{"control": "user_role", "enabled": True, "roles": ["editor"]}]}, DRAFT),
        ({"advgbBlockControls": [{"control": "user_role", "enabled": False, "roles": ["editor"]}]}, PUBLIC),
        ({"advgbBlockControls": [{"control": "device_type", "enabled": True}]}, PUBLIC),
    ],
    "UAGDisplayConditions": [
        ({"UAGDisplayConditions": "day"}, DRAFT),
        ({"UAGDisplayConditions": "userstate", "UAGLoggedIn": True}, PUBLIC),
    ],
    "UAGLoggedOut": [
        ({"UAGDisplayConditions": "userstate", "UAGLoggedOut": True}, DRAFT),
        ({"UAGLoggedOut": False}, PUBLIC),
    ],
    "rcpMembership": [({"rcpMembership": True}, DRAFT), ({"rcpMembership": False}, PUBLIC)],
    **{
        name: [
            ({"vsdesk": True, "vstablet": True, "vsmobile": True}, LEFT_OUT),
            ({name: True}, PUBLIC),
        ]
        for name in ("vsdesk", "vstablet", "vsmobile")
    },
}
PREMIUM = "<!-- wp:premium-content/container --><div>{}</div><!-- /wp:premium-content/container -->"
#: By the name in the table: a block, and what becomes of its text.
BLOCK_NAMES = {
    "premium-content/subscriber-view": [
        (PREMIUM.format(block("premium-content/subscriber-view")), DRAFT),
        (PREMIUM.format(block("premium-content/logged-out-view")), PUBLIC),
    ],
    "jetpack/paywall": [
        ("<!-- wp:jetpack/paywall /--><p>SECRET</p>", DRAFT),
        (block("jetpack/subscriptions"), PUBLIC),
    ],
    "pmpro/membership": [
        (block("pmpro/membership"), DRAFT),
        (block("pmpro/membership", segment="specific", levels=["1"]), DRAFT),
        (block("pmpro/membership", segment="all", invert_restrictions="1"), PUBLIC),
    ],
    "memberpress/protected-content": [
        (block("memberpress/protected-content", rule=3), DRAFT),
        (block("memberpress/login-form"), PUBLIC),
    ],
    "woocommerce-memberships/member-content": [
        (block("woocommerce-memberships/member-content"), DRAFT),
        (block("woocommerce-memberships/non-member-content"), PUBLIC),
    ],
    "wp-fusion/secure-block": [
        (block("wp-fusion/secure-block", tag="12"), DRAFT),
        (block("wp-fusion/tags"), PUBLIC),
    ],
    "showblog": [
        (block("newsletterglue/show-hide-content", showblog=False), LEFT_OUT),
        (block("newsletterglue/show-hide-content", showblog=True), PUBLIC),
    ],
    "groups/groups-member": [
        (block("groups/groups-member"), DRAFT),
        (block("groups/groups-non-member"), PUBLIC),
    ],
    **{
        f"{plugin}/content-restriction-start": [
            (f"<!-- wp:{plugin}/content-restriction-start /--><p>SECRET</p>", DRAFT),
            (block(f"{plugin}/login"), PUBLIC),
        ]
        for plugin in ("pms", "wppb")
    },
    **{
        name: [(block(name), DRAFT), (block("learndash/ld-visitor"), PUBLIC)]
        for name in (
            *("learndash/ld-student", "learndash/ld-group", "learndash/ld-course-complete"),
            *("learndash/ld-course-inprogress", "learndash/ld-course-notstarted"),
        )
    },
}
#: By the part of the name: attributes of plugins that no table contains.
PARTS = {
    "visib": [
        ({"acmeVisibility": "logged_in"}, DRAFT),
        ({"acme_visibility_rule": {"user": "member"}}, DRAFT),
        ({"hasVisibilityRules": True}, DRAFT),
        ({"xx": {"visibilityRole": "member"}}, DRAFT),
        ({"acmeVisibility": "visible"}, PUBLIC),
        ({"titleVisibility": True, "captionVisible": "yes", "overlayVisibility": "hover"}, PUBLIC),
        ({"xx": {"visible": True, "color": "red", "visibility": {"phone": "hide"}}}, PUBLIC),
        ({"visibility": {"mobile": "hide", "desktop": "show"}}, PUBLIC),
        ({"hideVisibility": "hide-on-mobile"}, PUBLIC),
        ({"isVisible": True, "slidesVisible": 3, "visibleItems": 2}, PUBLIC),
        ({"backfaceVisibility": "hidden", "visibility": "inherit"}, PUBLIC),
        ({"productCountVisibility": "always", "contentVisibility": {"title": True}}, PUBLIC),
    ],
    "restrict": [
        ({"attrs": {"isRestricted": True}}, DRAFT),
        ({"attrs": [{"isRestricted": False, "color": "red"}]}, PUBLIC),
        ({"acmeRestrictTo": "members"}, DRAFT),
        ({"restrictContent": False}, PUBLIC),
    ],
    "permission": [({"permissions": ["edit"]}, DRAFT), ({"permissions": []}, PUBLIC)],
    "membersonly": [({"membersOnly": True}, DRAFT), ({"membersOnly": False}, PUBLIC)],
    "requirelogin": [({"requireLogin": True}, DRAFT), ({"requireLogin": False, "login": "x"}, PUBLIC)],
    "userroles": [({"userRoles": ["editor"]}, DRAFT), ({"userRoles": [], "userRole": "Baker"}, PUBLIC)],
    "ishidden": [({"isHidden": True}, DRAFT), ({"isHidden": False, "hideIcon": True}, PUBLIC)],
    "condition(?!ing|of)": [
        ({"airConditioning": True, "conditionOfItem": "new"}, PUBLIC),
        ({"acmeConditions": "userstate"}, DRAFT),
        ({"displayConditions": [{"rule": {"is": "member"}}]}, DRAFT),
        ({"UAGDisplayConditions": "none"}, PUBLIC),
        ({"termsAndConditions": "You agree."}, PUBLIC),
        ({"conditionText": "Like new"}, PUBLIC),
    ],
    "accesscontrol": [({"AccessControl": "members"}, DRAFT), ({"accessControl": "public"}, PUBLIC)],
}


def list_cases(table, make_text):
    return [
        pytest.param(make_text(value), expected, id=f"{name} {value}"[:90])
        for name, examples in table.items()
        for value, expected in examples
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        *list_cases(ATTRIBUTES, lambda value: block(**value)),
        *list_cases(PARTS, lambda value: block("acme/box", **value)),
        *list_cases(KADENCE, lambda value: block("kadence/rowlayout", **value)),
        *list_cases(BLOCK_NAMES, lambda value: value),
    ],
)
def test_a_block_is_left_out_or_makes_a_draft(tmp_path, content, expected):
    record = read(tmp_path, content)
    assert classify(record) == expected
    if expected != DRAFT:
        assert "<p>After.</p>" in record.content


@pytest.mark.parametrize(
    ("examples", "names"),
    [
        (ATTRIBUTES | KADENCE | BLOCK_NAMES, HIDING_BLOCKS.keys() - HARMLESS),
        (PARTS, {*re.split(r"\|(?!of)", HIDING_NAME_PART.pattern)}),
    ],
)
def test_each_sign_has_an_example_that_hides_and_one_that_does_not(examples, names):
    assert examples.keys() >= names
    for results in examples.values():
        assert PUBLIC in {result for _, result in results} != {PUBLIC}


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_some_attributes_hide_nothing_alone(tmp_path, name):
    assert classify(read(tmp_path, block(**{name: "x"}))) == PUBLIC


def test_attributes_of_kadence_mean_nothing_in_other_blocks(tmp_path):
    assert classify(read(tmp_path, block("core/loginout", loggedOut=True))) == PUBLIC


@pytest.mark.parametrize("level", ["everybody", "subscribers", ""])
def test_a_paywall_makes_a_draft(tmp_path, level):
    content = "<!-- wp:jetpack/paywall /--><p>SECRET</p>"
    assert classify(read(tmp_path, content, extra=make_meta(_jetpack_newsletter_access=level))) == DRAFT


HIDDEN = '{"metadata":{"blockVisibility":false}}'
SECRET = "<p>SECRET</p>"
END = "<!-- /wp:group -->"


@pytest.mark.parametrize(
    "content",
    [
        f"<!-- wp:group {HIDDEN} --><div>{block()}{block('group', block())}</div><!-- /wp:group -->",
        f"<!-- wp:columns --><!-- wp:column {HIDDEN} -->{SECRET}<!-- /wp:column --><!-- /wp:columns -->",
        f"<!-- wp:acme/box {HIDDEN} /-->",
        f"<!-- wp:core/group --><!-- wp:core/group {HIDDEN} -->{SECRET}<!-- /wp:core/group -->{END}",
        f"<!-- wp:group {HIDDEN} --><!-- wp:b -->{SECRET}<!-- /wp:b --><!-- wp:c /-->{SECRET}{END}",
    ],
)
def test_all_that_is_in_a_hidden_block_is_left_out(tmp_path, content):
    record = read(tmp_path, content)
    assert (classify(record, text="SECRET"), "SECRET" in record.content) == (LEFT_OUT, False)
    assert record.content.startswith("<p>Before.</p>") and record.content.endswith("<p>After.</p>")


def test_a_hidden_block_without_an_end_hides_the_rest(tmp_path):
    record = read(tmp_path, f"<!-- wp:group {HIDDEN} --><p>SECRET</p>")
    assert (classify(record), record.content) == (LEFT_OUT, "<p>Before.</p>")


def test_a_hidden_block_separates_the_paragraphs_around_it(tmp_path):
    content = f"one<!-- wp:group {HIDDEN} --><p>SECRET</p><!-- /wp:group -->two"
    (record,) = read_export(tmp_path, make_export(make_item(content=content)))
    assert record.content == "<p>one</p>\n<p>two</p>"


def test_signs_in_a_block_that_is_left_out_do_not_count(tmp_path):
    inner = block(contentControls={"enabled": True, "rules": {"user": {"userStatus": "logged_in"}}})
    content = f"<!-- wp:group {HIDDEN} -->{inner}[restrict]SECRET[/restrict]<!-- /wp:group -->"
    assert classify(read(tmp_path, content)) == LEFT_OUT


def test_hidden_text_is_in_no_part_of_the_record(tmp_path):
    content = f"<!-- wp:group {HIDDEN} --><h2>SECRET</h2>{SECRET}{END}{block('more', '<!--more-->')}"
    (record,) = read_export(tmp_path, make_export(make_item(title="", content=f"{content}<p>Open.</p>")))
    assert (record.status, "Open." in record.content) == ("published", True)
    assert "SECRET" not in repr(record)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f'<!-- wp:group {{"blockVisibility":{{"hideBlock":tru}} -->{SECRET}{END}', DRAFT),
        (f'<!-- wp:group {{"acmeVisibility":"members" -->{SECRET}{END}', DRAFT),
        (f'<!-- wp:group {{"align":"left" -->{SECRET}{END}', PUBLIC),
        (f"<!-- wp:group {{{'[' * 90_000}\"x\":1}} -->{SECRET}{END}", PUBLIC),
        (block(acmeVisibility="x" * 200_000), DRAFT),
        (block(className="x" * 200_000), PUBLIC),
    ],
)  # fmt: skip
def test_attributes_that_cannot_be_read_make_a_draft_if_they_name_a_sign(tmp_path, content, expected):
    assert classify(read(tmp_path, content)) == expected


def make_pattern(content, **fields):
    return make_item(post_id="99", post_type="wp_block", content=content, **fields)


@pytest.mark.parametrize(
    ("pattern", "attributes", "expected"),
    [
        (block(blockVisibility={"hideBlock": True}), '{"ref":99}', LEFT_OUT),
        (block(otterConditions=[[{"type": "loggedInUser"}]]), '{"ref":99}', DRAFT),
        (block(), '{"ref":99,"metadata":{"blockVisibility":false}}', LEFT_OUT),
        (block(), '{"ref":99,"llms_visibility":"enrolled"}', DRAFT),
        ("[restrict]SECRET[/restrict]", '{"ref":99}', DRAFT),
        (block(), '{"ref":99}', PUBLIC),
    ],
)
@pytest.mark.parametrize("post_type", ["post", "page", "recipe"])
def test_the_rule_counts_in_synced_patterns_pages_and_other_types(
    tmp_path, pattern, attributes, expected, post_type
):
    item = make_item(content=f"<p>Before.</p><!-- wp:block {attributes} /-->", post_type=post_type)
    text = make_export(item, make_pattern(pattern))
    (record,) = read_export(tmp_path, text, post_types=("recipe",))
    assert classify(record) == expected


@pytest.mark.parametrize("fields", [{"status": "draft"}, {"post_password": "x"}])
def test_a_pattern_that_wordpress_does_not_show_is_not_inserted(tmp_path, fields):
    item = make_item(content='<p>Before.</p><!-- wp:block {"ref":99} /-->')
    (record,) = read_export(tmp_path, make_export(item, make_pattern(block(), **fields)))
    assert (record.status, record.content) == ("published", "<p>Before.</p>")


@pytest.mark.parametrize("post_type", ["wp_template_part", "wp_template"])
def test_template_parts_are_not_part_of_a_text(tmp_path, post_type):
    part = make_item(post_id="99", post_type=post_type, content=block(), post_name="x")
    item = make_item(
        content='<p>Before.</p><!-- wp:template-part {"slug":"x"} /--><!-- wp:pattern {"slug":"x"} /-->'
    )
    (record,) = read_export(tmp_path, make_export(item, part))
    assert (record.status, record.content) == ("published", "<p>Before.</p>")


def test_an_element_without_an_end_makes_a_draft(tmp_path):
    record = apply_hiding_signs(read(tmp_path, "<!-- wp:html --><div hidden>secret<!-- /wp:html -->"))
    assert record.status == "draft" and "secret" in record.content
